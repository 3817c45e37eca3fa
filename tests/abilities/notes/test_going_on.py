"""What "and that …" says right after a note was kept is added to it; a question is answered from it."""

import json
from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.notes.asking import read_more
from tests.builders import ALICE, BOB
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
SAID = "anotá que el sábado llega el flete"
KEPT = "el sábado llega el flete"


@pytest.mark.parametrize(
    ("said", "more"),
    [
        ("y q llega a la tarde temprano", "llega a la tarde temprano"),
        ("y que no tiene ascensor", "no tiene ascensor"),
        ("and that it needs two people", "it needs two people"),
    ],
)
async def test_more_of_it_is_added_to_the_note(
    tmp_path: Path, encoder: LocalEmbedder, said: str, more: str
) -> None:
    async with small_app(tmp_path, encoder, json.dumps({"save_note": {"content": KEPT}})) as (app, llm):
        await app.say(ALICE, SAID)
        await app.say(ALICE, said)
        assert await stored(app, "content", "notes") == [f"{KEPT}; {more}"]
        await app.say(ALICE, "cuándo llega el flete?")
        assert KEPT in app.replies_to(ALICE)[-1]
        assert len(llm.requests) == 1


@pytest.mark.parametrize(
    "said", ["y qué llega?", "y que hora es", "and that's all", "and that was it", "que llega"]
)
def test_other_words_add_nothing(said: str) -> None:
    assert read_more(said) == ""


async def test_nothing_is_added_to_the_note_of_another_person(tmp_path: Path, encoder: LocalEmbedder) -> None:
    call = json.dumps({"save_note": {"content": KEPT}})
    async with small_app(tmp_path, encoder, call, *["¿Qué cosa?"] * 3) as (app, _):
        await app.say(ALICE, SAID)
        await app.say(BOB, "y que no tiene ascensor")
        assert await stored(app, "content", "notes") == [KEPT]


async def test_the_note_that_is_named_gets_more_whatever_was_done_since(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    async with small_app(tmp_path, encoder, json.dumps({"save_note": {"content": KEPT}})) as (app, _):
        await app.say(ALICE, SAID)
        await app.say(ALICE, "poné sogas en la lista")
        await app.say(ALICE, "y agregá a la nota que el chofer trae un ayudante")
        assert await stored(app, "content", "notes") == [f"{KEPT}; el chofer trae un ayudante"]
