"""Who asks what is left means what was just shown: a project, or a list."""

import json
from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.counting import asks_what_is_left
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder

__all__ = ["encoder"]
PROJECT = "create the project Attic with tasks: clear the boxes, paint the door"
LIST = "velas y jabón, a la lista del súper"
CREATES = json.dumps({"create_project": {"name": "Attic", "tasks": ["clear the boxes", "paint the door"]}})


@pytest.mark.parametrize(
    "said",
    [
        "what's left?",
        "so what is still missing?",
        "anything left to do",
        "qué falta?",
        "y qué me queda por hacer",
        "qué tareas quedan?",
        "queda algo?",
        "now just tell me what's left to pack and nothing else",
        "what do I still have to buy then?",
        "qué falta meter en la valija",
    ],
)
def test_what_is_left_is_asked(said: str) -> None:
    assert asks_what_is_left(said)


@pytest.mark.parametrize(
    "said",
    [
        "what's left for today?",
        "qué falta para el viernes?",
        "falta mucho?",
        "cuánto falta?",
        "my keys are missing",
        "what do you need?",
        "there is a piece missing",
        "me quedé sin nada",
        "turn left",
        "qué me falta para ser feliz",
    ],
)
def test_something_else_is_asked(said: str) -> None:
    assert not asks_what_is_left(said)


@pytest.mark.needs("projects", "lists")
@pytest.mark.parametrize("said", ["what's left?", "qué falta?", "and what is still open?"])
async def test_what_is_left_of_what_was_just_shown_is_told_without_the_model(
    tmp_path: Path, encoder: LocalEmbedder, said: str
) -> None:
    async with small_app(tmp_path, encoder, CREATES) as (app, llm):
        await app.say(ALICE, LIST)
        await app.say(ALICE, PROJECT)
        asked = len(llm.requests)
        await app.say(ALICE, said)
        assert "clear the boxes" in app.replies_to(ALICE)[-1]
        await app.say(ALICE, "tachá la primera")
        await app.say(ALICE, said)
        told = app.replies_to(ALICE)[-1]
        assert "paint the door" in told
        assert "clear the boxes" not in told
        assert "velas" not in told
        await app.say(ALICE, "ya compré las velas")
        await app.say(ALICE, said)
        assert "☐ jabón" in app.replies_to(ALICE)[-1]
        assert "paint the door" not in app.replies_to(ALICE)[-1]
        assert len(llm.requests) == asked


@pytest.mark.needs("lists")
@pytest.mark.parametrize(
    ("thanks", "said"), [("mil gracias!", "y qué queda?"), ("thank you so much", "so what's still missing?")]
)
async def test_thanks_in_between_leave_it_the_same_list(
    tmp_path: Path, encoder: LocalEmbedder, thanks: str, said: str
) -> None:
    async with small_app(tmp_path, encoder, "¡De nada!") as (app, llm):
        for one in (LIST, thanks, said):
            await app.say(ALICE, one)
        assert "☐ velas" in app.replies_to(ALICE)[-1]
        assert len(llm.requests) == 1
