"""What a wish says not to mean is left out of it; what puts it right, or says more, stays."""

import pytest

from app.skills.contrasting import without_contrast
from app.skills.tools.lists.reasoned import without_whys


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("shopping list: hose, 18 mm and not 24, clips", "shopping list: hose, 18 mm, clips"),
        ("todo list: sand gate 6, not gate 7, oil the lock", "todo list: sand gate 6, oil the lock"),
        ("lista: broca de 6, no de 10, tarugos", "lista: broca de 6, tarugos"),
        ("wake me at 6:35 not 6:10", "wake me at 6:35"),
        ("despertame a las 6:35, no a las 6:10", "despertame a las 6:35"),
    ],
)
def test_what_is_not_meant_is_left_out(text: str, meant: str) -> None:
    assert without_contrast(text) == meant


@pytest.mark.parametrize(
    "text",
    [
        "wake me at 7, not before 6",
        "recordame a las 4, no 5",
        "shopping list: plugs, 12 not 10 but 30",
        "note that the locker is 4471, not 4417",
        "avisame a las seis no a las siete",
        "the queue was 20 m, not 25",
    ],
)
def test_what_puts_right_or_says_more_stays(text: str) -> None:
    assert without_contrast(text) == text


def test_why_things_go_on_two_lists_is_left_out() -> None:
    text = "put soap on the boat list because it ran out and rice on the hut list because we stay"
    assert without_whys(text) == "put soap on the boat list and rice on the hut list"
