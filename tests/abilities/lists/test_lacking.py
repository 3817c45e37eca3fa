"""Wishes for a list that come last and without a verb of their own, with stories before them."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.lists.lacking import read_lacking
from tests.builders import ALICE, BOB
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]


@pytest.mark.parametrize(
    ("said", "items"),
    [
        ("voy para el súper en un rato, falta yerba y queso rallado para la lista", ["yerba", "queso rallado"]),
        ("esponjas y lavandina, a la lista", ["esponjas", "lavandina"]),
        ("hoy vienen los primos, papas fritas y soda a la lista", ["papas fritas", "soda"]),
        ("se nos acabó el champú, a la lista porfa", ["champú"]),
        ("oye, nos quedamos sin tortillas, a la lista", ["tortillas"]),
        ("ya no queda café, a la lista por favor", ["café"]),
        ("hace falta comprar pilas y un foco, para la lista", ["pilas", "un foco"]),
        ("pan a la lista", ["pan"]),
        ("che, fideos y puré de tomate para la lista", ["fideos", "puré de tomate"]),
        ("we're all out of foil, shopping list please", ["foil"]),
        ("the boys finished the lot, we need oats and two melons, on the list", ["oats", "two melons"]),
        ("candles, matches and bin bags for the shopping list", ["candles", "matches", "bin bags"]),
        ("I burnt the rice again, a timer for the shopping list", ["a timer"]),
        ("running low on cat litter, on the list pls", ["cat litter"]),
    ],
)
def test_only_what_is_missing_is_wanted(said: str, items: list[str]) -> None:
    found = read_lacking(said)
    assert found is not None
    assert found.items == items


@pytest.mark.parametrize(
    "said",
    [
        "qué larga quedó la lista",
        "se me perdió la lista",
        "Rosa está primera en la lista",
        "no hay yerba en la lista",
        "no falta nada para la lista",
        "comí empanadas, pan a la lista",
        "faltan dos semanas, regalos a la lista",
        "necesito ir al banco, a la lista",
        "genial, a la lista",
        "eso va a la lista",
        "sacá el pan de la lista",
        "falta algo para la lista?",
        "we need to talk about the list",
        "there's no bread on the list",
        "Tom is on the list",
        "I put the keys on the list",
        "perfect, on the list",
        "what's on the list",
    ],
)
def test_talk_of_a_list_puts_nothing_on_it(said: str) -> None:
    assert read_lacking(said) is None


async def test_what_is_missing_is_put_on_the_list_for_shopping_without_the_model(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "detergente y velas, a la lista del súper")
        await app.say(ALICE, "clavos y tarugos, a la lista de la ferretería")
        await app.say(ALICE, "tengo que pasar por el súper, falta miel para la lista")
        assert llm.requests == []
        assert await stored(app, "text", "list_items") == ["detergente", "velas", "clavos", "tarugos", "miel"]
        assert app.replies_to(ALICE)[-1] == "Súper:\n☐ detergente\n☐ velas\n☐ miel"
        await app.say(ALICE, "/undo")
        assert await stored(app, "text", "list_items") == ["detergente", "velas", "clavos", "tarugos"]
        await app.say(BOB, "we're out of honey, shopping list please")
        assert app.replies_to(BOB)[-1] == "Shopping:\n☐ honey"
