"""What is left where a share just told goes off is of the whole; where nobody told of what, it is no sum."""

import pytest

from app.skills.tools.calculator.rests import read_put_on_top, read_rest


@pytest.mark.parametrize(
    ("message", "told", "expected"),
    [
        ("y quitando eso, lo que queda entre los 5, cuánto a cada quien", "15% de 3200", "(3200 - 15%) / 5"),
        ("sacando eso cuanto queda", "12% de 850", "850 - 12%"),
        ("take that off, whats left", "18% of 2400", "2400 - 18%"),
        ("and the rest?", "20% of 90 + 10", "(90 + 10) - 20%"),
        ("gracias, y quitando eso todo bien?", "15% de 3200", None),
        ("y lo que queda a cada uno?", "15% de 3200", None),
        ("recordame lo que queda entre 4", "15% de 3200", None),
        ("the rest of the 2 books by friday", "15% de 3200", None),
        ("y lo que queda entre 4", "3 * 45", None),
    ],
)
def test_the_rest_is_of_the_whole_that_was_told(message: str, told: str, expected: str | None) -> None:
    assert read_rest(message, told) == expected


@pytest.mark.parametrize(
    ("text", "told", "whole"),
    [
        ("ya agregado al total?", "19% of 80000", "80000 + 19%"),
        ("and with that added?", "20% of 12 + 30", "(12 + 30) + 20%"),
        ("and added on?", "80000 / 4", None),
        ("con eso sumado compro 3 sillas?", "19% of 80000", None),
    ],
)
def test_a_share_is_put_on_top_of_what_it_is_of(text: str, told: str, whole: str | None) -> None:
    assert read_put_on_top(text, told) == whole
