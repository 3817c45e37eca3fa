"""What each gets where the others get parts and one the rest, and a second discount on what the first left."""

import pytest

from app.skills.tools.calculator.all_parts import read_all_parts
from app.skills.tools.calculator.instead import read_instead
from app.skills.tools.calculator.markups import read_following
from app.skills.tools.calculator.measures import measured_ways


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("we sold it for 640, half goes to Una and the rest to Fitz, what does Fitz get", "640 * (1 - 1 / 2)"),
        ("juntamos 7200, 30% para Lalo y el resto para Mirta, cuánto le toca a Lalo", "30% of 7200"),
        (
            "juntamos 7200: 30% para Lalo, 20% para mí y el resto para Mirta, cuánto le toca a Mirta",
            "7200 * (100 - 30 - 20)%",
        ),
        ("half the crew is off and the rest are late, what do I do", None),
        ("I gave 30 to Una and 40 to Fitz, and the rest is mine, how much is it", None),
    ],
)
def test_the_rest_of_parts_is_computed(said: str, told: str | None) -> None:
    assert read_all_parts(measured_ways(said)[0]) == told


def test_a_further_discount_goes_on_and_another_takes_its_place() -> None:
    further, other = read_following("and a further 5% off"), read_following("and with 5% off")
    assert further is not None
    assert other is not None
    assert further.after("90 - 20%").sum == "{} - 5%"  # type: ignore[union-attr]  # both are markups
    assert other.after("90 - 20%").sum == "90 - 5%"  # type: ignore[union-attr]  # both are markups


def test_were_counts_several_only_behind_several() -> None:
    assert read_instead("and if it were 21?", "what's 310 x 18") == "what's 310 x 21"
