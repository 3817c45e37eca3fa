"""What fills only before a wish is no part of it, and none of the things beside it is lost."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.going_ahead import without_going_ahead
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("y silicona y andá y metele remaches", "y silicona y metele remaches"),
        ("también tierra, y ya que estás agregale perlita", "también tierra, y agregale perlita"),
        ("masilla y hacé el favor y sumale teflón", "masilla y sumale teflón"),
        ("también guantes, coge y añade una pala", "también guantes, y añade una pala"),
        ("plus bamboo and then add fleece", "plus bamboo and add fleece"),
        ("also pellets oh and chuck compost on", "also pellets and chuck compost on"),
        ("and hessian, go ahead and add string", "and hessian, and add string"),
        ("and a dibber and just pop netting on while you're at it", "and a dibber and pop netting on"),
        (
            "go on and jot down that the stopcock sticks",
            "jot down that the stopcock sticks",
        ),
        ("aprovechá y ponme una tarea de pintar la reja", "ponme una tarea de pintar la reja"),
        ("agarrá y acordame mañana de regar", "acordame mañana de regar"),
        ("two things, the ferry's boarding: note that the hull leaks", "note that the hull leaks"),
        ("che, una cosita rápido: anotá que el casco hace agua", "anotá que el casco hace agua"),
        (
            "two things, said the ferryman: the hull and the mast",
            "two things, said the ferryman: the hull and the mast",
        ),
    ],
)
def test_what_fills_before_a_wish_is_left_out(said: str, meant: str) -> None:
    assert without_going_ahead(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        "note: come early and go ahead and put the urn on",
        "tell Ann to come early and go ahead and put the urn on",
        "mi hermano agarra y pone la radio a todo volumen",
        "how do I go ahead and add a photo?",
        "should we go ahead with the shed?",
        "go and see who is at the door",
        "decile que agarre y ponga la mesa",
        "y lo agarró y puso todo en la caja",
        "ve y dime qué hora es",
        "while you were at it the kettle boiled",
    ],
)
def test_what_is_told_or_asked_stays_as_it_is(said: str) -> None:
    assert without_going_ahead(said) == said


@pytest.mark.needs("lists")
@pytest.mark.parametrize(
    ("made", "said", "things"),
    [
        (
            "armá una lista ferreteria con clavos y lija",
            "también masilla plástica y agarrá y sumale teflón",
            ["clavos", "lija", "masilla plástica", "teflón"],
        ),
        (
            "make a list called allotment with twine and canes",
            "also slug pellets oh and stick compost on",
            ["twine", "canes", "slug pellets", "compost"],
        ),
        (
            "make a list called allotment with twine and canes",
            "and hessian, add netting too",
            ["twine", "canes", "hessian", "netting"],
        ),
        (
            "make a list called allotment with twine and canes",
            "also jam and pop tarts",
            ["twine", "canes", "jam", "pop tarts"],
        ),
        (
            "armá una lista ferreteria con clavos y lija",
            "y ya volví, poneme remaches",
            ["clavos", "lija", "remaches"],
        ),
        (
            "make a list called allotment with twine and canes",
            "and my knee is killing me and put netting on",
            ["twine", "canes", "netting"],
        ),
    ],
)
async def test_every_thing_goes_on_the_list_just_spoken_of(
    tmp_path: Path, encoder: LocalEmbedder, made: str, said: str, things: list[str]
) -> None:
    async with small_app(tmp_path, encoder) as (app, _):
        await app.say(ALICE, made)
        await app.say(ALICE, said)
        assert await stored(app, "text", "list_items") == things
