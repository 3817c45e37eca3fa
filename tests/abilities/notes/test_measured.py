"""A recipe or a mixture that is told with its amounts is a note, in the person's words."""

import pytest

from app.skills.tools.notes.measured import measure_asked_in, measured_in


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "note this glaze, came out lovely: 200 g sugar, 30 ml lemon juice",
            "glaze, came out lovely: 200 g sugar, 30 ml lemon juice",
        ),
        (
            "the plaster turned out great so write it down: 3 buckets sand, 1 lime",
            "the plaster turned out great: 3 buckets sand, 1 lime",
        ),
        (
            "anotá la masa de empanadas que salió riquísima: 500 g de harina, 100 g de grasa, sal",
            "la masa de empanadas que salió riquísima: 500 g de harina, 100 g de grasa, sal",
        ),
        (
            "el yeso quedó perfecto apuntalo: 4 palas de yeso, 2 de agua",
            "el yeso quedó perfecto: 4 palas de yeso, 2 de agua",
        ),
        (
            "El revoque quedó bárbaro, anotalo: 3 baldes de arena, 1 de cal",
            "El revoque quedó bárbaro: 3 baldes de arena, 1 de cal",
        ),
    ],
)
def test_amounts_behind_the_name_of_a_mixture_are_kept(said: str, kept: str) -> None:
    assert measured_in(said) == kept


@pytest.mark.parametrize(
    "said",
    [
        "anotá: 2 kg de harina, 3 huevos",
        "anotá las compras: 2 kg de harina, 1 litro de leche",
        "apuntá lo que falta: 2 kg de harina, 1 litro de leche",
        "anotá en la lista la masa: 1 kg de harina, 3 huevos",
        "note the shopping: 2 kg flour, 1 l milk",
        "note the bills: 200 light, 400 gas",
        "note the visits: 3 aunts, 2 uncles",
        "remind me to note the dough: 200 g flour, 2 eggs",
        "mi abuela anotaba la masa: 500 g de harina, 100 g de grasa",
        "did you note the dough: 200 g flour, 2 eggs?",
    ],
)
def test_what_is_bought_paid_or_told_is_no_mixture(said: str) -> None:
    assert measured_in(said) == ""


def test_how_much_of_a_thing_there_is_finds_its_note() -> None:
    notes = ["el revoque: 3 baldes de arena, 1 de cal", "masa de pan: 500 g de harina, 10 g de sal"]
    assert measure_asked_in("cuánta sal llevaba la masa de pan?", notes) == 1
    assert measure_asked_in("cuánta sal hay que comprar?", notes) is None
    assert measure_asked_in("cuánto sale la sal en el súper?", notes) is None
