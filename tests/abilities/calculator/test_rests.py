"""What is left where a share just told goes off is of the whole; where nobody told of what, it is no sum."""

import pytest

from app.skills.tools.calculator.rests import read_from_named, read_part_off, read_put_on_top, read_rest
from app.skills.tools.calculator.results import Told
from app.skills.tools.calculator.shared_out import read_shared_out


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
    ("text", "told", "before", "whole"),
    [
        ("so what do we owe in all", "18% of 350", "18% of 350", "350 + 18%"),
        ("lovely, and the full bill with the tip", "10% of 62.5", "how much tip is 10% of 62.50", "62.5 + 10%"),
        ("y la cuenta completa con eso cuánto sería", "12% de 9200", "el 12% de 9200", "9200 + 12%"),
        ("y entonces el total a pagar?", "25% de 700", "cuánto es el 25% de descuento si son 700", "700 - 25%"),
        ("and the total with the discount?", "30% of 45", "30% of 45", "45 - 30%"),
        ("and what do I end up paying", "150 - 20%", "20% off 150", "150 - 20%"),
        ("y todo junto entonces?", "96 + 12.5%", "96 más 12.5%", "96 + 12.5%"),
        ("is that all", "18% of 350", "18% of 350", None),
        ("that's the total then", "18% of 350", "18% of 350", None),
        ("and what's the total population", "18% of 350", "18% of 350", None),
        ("y todo bien?", "12% de 9200", "12% de 9200", None),
        ("y en total cuántos países hay", "12% de 9200", "12% de 9200", None),
        ("so what do we owe in all", "350 / 5", "350 / 5", None),
    ],
)
def test_the_whole_is_told_with_the_share_on_top_or_off(
    text: str, told: str, before: str, whole: str | None
) -> None:
    assert read_put_on_top(text, told, before) == whole


@pytest.mark.parametrize(
    ("text", "sharers"),
    [
        ("right, and four ways with Dot, Raj and Bea", 4),
        ("and 3 ways with my two cousins", 3),
        ("ok y dividido entre los tres, Nahuel, Sole y yo", 3),
        ("entre seis vecinos cuánto es por cabeza", 6),
        ("y eso lo pagamos a medias con mi cuñada", 2),
        ("and halves with my flatmate?", 2),
        ("50/50 with Ines, so what's mine", 2),
        ("lovely, between Kit, Al and me, three of us, how much each", 3),
        ("so between me and my 2 mates, three of us, each?", 3),
        # nobody shares the result, or somebody more does
        ("between 4 friends and me", None),
        ("y entre 4 sin Nahuel", None),
        ("there's 3 of us coming", None),
        ("we split it between 3 of us last night", None),
        ("ayer lo dividimos entre 4", None),
        ("dividimos los turnos entre tres personas", None),
        ("don't split it 3 ways", None),
        ("remind me to split it 3 ways with Dot", None),
        ("split 3 tables", None),
        ("between 2 and 3 how busy is it", None),
        ("medias de lana cuánto salen", None),
        ("mi hermana hace todo a medias", None),
    ],
)
def test_a_result_is_shared_by_as_many_as_are_told_whoever_is_named(text: str, sharers: int | None) -> None:
    assert read_shared_out(text) == sharers


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
