"""A list that was just shown is thrown away whole by a word, and one is made in its place."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.lists.clearing import Started, clears_list, read_started
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
HIKE = "poles, gaiters y whistle, a la lista de hike"


@pytest.mark.parametrize(
    "said",
    [
        "clear it all",
        "forecast is dreadful, bin the lot",
        "actually scrap that list",
        "no, borrá todo eso",
        "vaciala",
        "uy se suspendió, borrá esa lista",
        "mejor eliminá toda la lista",
        "olvidate de la lista",
    ],
)
def test_all_of_a_list_is_thrown_away_by_a_word(said: str) -> None:
    assert clears_list(said)


@pytest.mark.parametrize(
    "said",
    [
        "scrap that",
        "borrala",
        "las polainas sacalas de la lista",
        "gaiters, take them off the list",
        "don't clear it all",
        "no borres todo",
        "borrá todo lo tachado",
        "quitá todo menos las polainas",
        "delete all my reminders",
        "limpia toda la cocina",
        "clear the list and add rope",
        "shall I scrap that list?",
    ],
)
def test_what_means_a_part_or_something_else_throws_nothing_away(said: str) -> None:
    assert not clears_list(said)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (
            "we're having a bake sale instead, make a new one for it with flour & jam",
            ("bake sale", ["flour", "jam"]),
        ),
        ("al final hacemos un fogón, armá una para eso con leña y choclos", ("fogón", ["leña", "choclos"])),
        ("mejor vamos al río así que haceme otra con gorras y lona", ("río", ["gorras", "lona"])),
        ("start one with flour", None),
        ("instead of that do one for school with pens", None),
    ],
)
def test_a_list_in_the_place_of_another_is_called_by_the_plan(
    said: str, found: tuple[str, list[str]] | None
) -> None:
    assert read_started(said) == (None if found is None else Started(*found))


@pytest.mark.needs("lists")
async def test_a_list_goes_and_another_comes_without_the_model(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, HIKE)
        await app.say(ALICE, "ugh the trail is shut, wipe the whole thing")
        assert await stored(app, "text", "list_items") == []
        await app.say(ALICE, "we're having a board game day instead, start one for that with dice and olives")
        assert llm.requests == []
        assert await stored(app, "name", "lists") == ["Board game day"]
        assert await stored(app, "text", "list_items") == ["dice", "olives"]
        await app.say(ALICE, "borrá todo")
        await app.say(ALICE, "/undo")
        assert await stored(app, "text", "list_items") == ["dice", "olives"]


@pytest.mark.needs("lists")
async def test_without_a_list_in_sight_nothing_is_thrown_away(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, "Claro.", "Qué quieres que borre.") as (app, _):
        await app.say(ALICE, HIKE)
        await app.say(ALICE, "estoy cansada hoy")
        await app.say(ALICE, "borrá todo")
        assert await stored(app, "text", "list_items") == ["poles", "gaiters", "whistle"]
