"""What somebody tells to have already is checked off the list on which it stands, and is talk elsewhere."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.lists.at_hand import read_at_hand
from tests.builders import ALICE, BOB
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
LIST = "harina, leche, huevos, pan rallado, soap y two melons, a la lista del súper"


@pytest.mark.parametrize(
    ("said", "things"),
    [
        ("la harina ya la tengo", ["harina"]),
        ("ah, ya tengo azúcar y sal", ["azúcar", "sal"]),
        ("leche ya tenemos, gracias", ["leche"]),
        ("la yerba ya la tengo porque me la dio Ema", ["yerba"]),
        ("ya hay velas en el cajón", ["velas"]),
        ("el jabón ya lo trajo Raúl", ["jabón"]),
        ("I already have milk at home", ["milk"]),
        ("oh we've already got the candles", ["candles"]),
        ("we have rice and beans already", ["rice", "beans"]),
        ("the foil I already have", ["foil"]),
        ("my sister already bought eggs", ["eggs"]),
        ("dad picked up the matches and the string", ["matches", "string"]),
        ("the neighbours got the ice already", ["ice"]),
        ("el queso lo compró mi suegra", ["queso"]),
        ("los vasos ya los compro mi primo", ["vasos"]),
        ("mi vecina ya trajo el hielo", ["hielo"]),
    ],
)
def test_what_is_there_already_is_read(said: str, things: list[str]) -> None:
    assert read_at_hand(said) == things


@pytest.mark.parametrize(
    "said",
    [
        "ya comí huevos hoy",
        "ya no tengo harina",
        "ya tengo harina?",
        "todavía no tengo leche",
        "ya tengo leche, agregá yerba",
        "ya se acabó la leche",
        "falta leche, ya tengo pan",
        "ya vengo, tengo que comprar leche",
        "we already ate the eggs",
        "si mi hermana compró huevos",
        "nobody bought the eggs",
        "la leche la compro mañana",
        "I already had eggs today",
        "I have no milk already",
        "do you already have milk?",
        "already",
    ],
)
def test_other_news_are_no_such_thing(said: str) -> None:
    assert read_at_hand(said) == []


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("la harina ya la tengo", ["leche", "huevos", "pan rallado", "soap", "two melons"]),
        ("ya compré los huevos", ["harina", "leche", "pan rallado", "soap", "two melons"]),
        ("I already got the soap", ["harina", "leche", "huevos", "pan rallado", "two melons"]),
        ("we have the melons already", ["harina", "leche", "huevos", "pan rallado", "soap"]),
        ("my cousin already bought the soap", ["harina", "leche", "huevos", "pan rallado", "two melons"]),
        ("la leche ya la trajo mi cuñado", ["harina", "huevos", "pan rallado", "soap", "two melons"]),
        ("ya tengo leche y huevos", ["harina", "pan rallado", "soap", "two melons"]),
    ],
)
async def test_what_is_there_already_is_checked_off_without_the_model(
    tmp_path: Path, encoder: LocalEmbedder, said: str, left: list[str]
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, LIST)
        await app.say(ALICE, said)
        assert llm.requests == []
        told = app.replies_to(ALICE)[-1]
        assert [line[2:] for line in told.splitlines() if line.startswith("☐")] == left
        await app.say(ALICE, "/undo")
        assert [str(one) for one in await stored(app, "is_done", "list_items")] == ["0"] * 6


@pytest.mark.parametrize(
    "said", ["ya comí huevos hoy", "ya tengo pan dulce", "ya tengo miel", "mi tía ya compró miel", "Ed got a cold"]
)
async def test_what_stands_on_no_list_stays_talk(tmp_path: Path, encoder: LocalEmbedder, said: str) -> None:
    async with small_app(tmp_path, encoder, "Qué bien.") as (app, llm):
        await app.say(ALICE, LIST)
        await app.say(ALICE, said)
        assert len(llm.requests) == 1
        assert [str(one) for one in await stored(app, "is_done", "list_items")] == ["0"] * 6


async def test_a_thing_of_another_person_is_not_looked_at(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "Qué bien.") as (app, _):
        await app.say(ALICE, LIST)
        await app.say(BOB, "la harina ya la tengo")
        assert [str(one) for one in await stored(app, "is_done", "list_items")] == ["0"] * 6
