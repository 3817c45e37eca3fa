"""Things of a dictated list that a model leaves out, and lists that nobody named."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.lists.dictating import with_passed_over
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import call, encoder

__all__ = ["encoder"]


@pytest.mark.parametrize(
    ("taken", "said", "items"),
    [
        (["jabón"], "sumá detergente, jabón a la lista", ["detergente", "jabón"]),
        (["oats"], "add two melons, foil and oats to the list", ["two melons", "foil", "oats"]),
        (["velas"], "agregá a la lista de la feria zapallo y velas", ["zapallo", "velas"]),
        (["gorra"], "agregá a la lista valija gorra", ["gorra"]),
        (["gorra", "libro"], "agregá a la lista valija: gorra, ojotas, libro", ["gorra", "libro"]),
        (["libro"], "agregá valija, libro a la lista", ["libro"]),
        # What stands between two things may tell of one of them.
        (["oats", "eggs"], "add oats, free range ones, and eggs to the list", ["oats", "eggs"]),
        (["café", "azúcar"], "agregá café, del bueno, y azúcar a la lista", ["café", "azúcar"]),
        # Nothing is taken that stands behind the last of them, or in a story, or is another wish.
        (["rice"], "add rice to the list and remind me to ring Ann", ["rice"]),
        (["pilas"], "ayer se cortó la luz, estuvimos a oscuras, agregá pilas a la lista", ["pilas"]),
        (["tea"], "we went to the market, add tea to the list", ["tea"]),
        (["sal"], "agregá sal a la lista?", ["sal"]),
    ],
)
def test_what_is_enumerated_before_the_first_thing_is_not_lost(
    taken: list[str], said: str, items: list[str]
) -> None:
    assert with_passed_over(taken, said, "valija") == items


async def test_a_thing_that_the_model_left_out_stands_on_the_list(tmp_path: Path, encoder: LocalEmbedder) -> None:
    left_out = call("add_to_list", items=["a bag of coal", "matches"], list_name="camping")
    async with small_app(tmp_path, encoder, left_out) as (app, _):
        await app.say(ALICE, "put on the camping list foil, a bag of coal and matches")
        assert await app.rows("SELECT text FROM list_items ORDER BY id") == [
            ("foil",),
            ("a bag of coal",),
            ("matches",),
        ]


async def test_no_list_is_called_by_a_word_of_the_answer_before(tmp_path: Path, encoder: LocalEmbedder) -> None:
    wrong = call("add_to_list", items=["mandarinas"], list_name="Perfecto")
    async with small_app(tmp_path, encoder, "Perfecto.", wrong) as (app, _):
        await app.say(ALICE, "hoy hace un día lindo")
        await app.say(ALICE, "agregá mandarinas a la lista")
        assert await app.rows("SELECT name FROM lists") == [("Compras",)]
