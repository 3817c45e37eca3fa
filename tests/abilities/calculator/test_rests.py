"""What is left where a share just told goes off is of the whole; where nobody told of what, it is no sum."""

import pytest

from app.skills.tools.calculator.rests import read_from_named, read_part_off, read_put_on_top, read_rest
from app.skills.tools.calculator.results import Told


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


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("now knock that off the 275", "275 - {}"),
        ("take that last one away from my 900", "900 - {}"),
        ("so what's left of the 310?", "310 - {}"),
        ("and put that onto the 80", "80 + {}"),
        ("ahora quítale eso a los 730", "730 - {}"),
        ("y súmale eso a los 96", "96 + {}"),
        ("cuánto me queda de los 1250?", "1250 - {}"),
        # with talk around it
        ("ese último sácaselo a los 430, a ver con cuánto me quedo", "430 - {}"),
        ("lo que dio agrégaselo a 75 que es de la feria", "75 + {}"),
        ("ahora a 640 quitale eso porfa que ya me mareé", "640 - {}"),
        ("that last one, knock it off the 275, see whats left for the month", "275 - {}"),
        ("right so add that to 310 love, its for the plumber", "310 + {}"),
        ("knock that off 275 would you, trying to see if i can afford the boots", "275 - {}"),
        ("knock that off the 275 and remind me to ring gran", None),
        ("knock that off the 275, what day is it", None),
        ("no le resto eso a los 730", None),
        ("ella dijo que ese último se lo resto a los 730", None),
        # what went off already is not taken off again
        ("what's left of the 64?", "64 - 24"),
        ("y cuanto queda de los 64", "64 - 24"),
        # other numbers, other wishes, parts
        ("take that off the 275 and the 30", None),
        ("she took that off the 275", None),
        ("take that off the 15%", None),
        ("take that off the 3 shelves", None),
        ("take that off the list for the 12th", None),
        ("no le quites eso a los 730", None),
        ("anota lo que queda de los 1250", None),
    ],
)
def test_the_result_goes_off_a_number_that_is_named(text: str, step: str | None) -> None:
    assert read_from_named(text, Told("64 - 24", "40", is_local=False)) == step


@pytest.mark.parametrize(
    ("text", "sum_"),
    [
        ("knock 12 percent off 350 for tax and that", "350 - 12%"),
        ("ok now take 5% off the 90 quid for cash, dave's orders", "90 - 5%"),
        ("sacale el 12% a los 3500 por pago contado y eso", "3500 - 12%"),
        ("they knocked 12% off 350 for me", None),
        ("knock 12% off 350 and 8% off 90", None),
        ("knock 12% off 350 boxes", None),
        ("no le saques el 12% a los 3500", None),
        ("take 5% off the 90 on the invoice and save it", None),
    ],
)
def test_a_part_goes_off_a_number_that_is_named(text: str, sum_: str | None) -> None:
    assert read_part_off(text) == sum_
