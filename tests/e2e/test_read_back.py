"""Who asks to hear what was just kept is told that, whatever it is."""

import json
from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.counting import asks_to_hear
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder

__all__ = ["encoder"]
HEARD = (
    *(
        "read it back to me",
        "how've you got it?",
        "right what is it saying now",
        "lemme see it",
        "what did you put?",
    ),
    *("show me what you've got", "and how does that look now", "leémelo de nuevo", "a ver cómo quedó", "qué dice"),
    *("read it out i'm in the shop", "pásamela que ya estoy en la tienda"),
    *("dime cuál pusiste", "ya a ver muéstramela", "qué llevas apuntado", "cómo va quedando?", "repíteme eso"),
)


@pytest.mark.parametrize("said", HEARD)
def test_what_was_kept_is_asked_for(said: str) -> None:
    assert asks_to_hear(said)


@pytest.mark.parametrize(
    "said",
    [
        *("what do you say to a beer", "read me a story", "what's the weather saying", "show me"),
        *("cómo estás", "cómo quedó el partido", "qué dice el diario", "dime cuál es mejor, sal o miel", "a ver"),
    ],
)
def test_something_else_is_asked(said: str) -> None:
    assert not asks_to_hear(said)


@pytest.mark.needs("lists", "notes", "projects")
@pytest.mark.parametrize(
    ("kept", "line", "shown"),
    [
        ("make a note: the gate code is 5512A", (), "5512A"),
        ("shopping list: twine and glue", (), "☐ twine"),
        ("remember that Ann hates leeks", ("remember_fact", {"fact": "Ann hates leeks"}), "Ann hates leeks"),
        ("project Attic, tasks: clear boxes", (), "clear boxes"),
    ],
)
async def test_what_was_just_kept_is_read_back_by_code(
    tmp_path: Path, encoder: LocalEmbedder, kept: str, line: tuple[str, object] | tuple[()], shown: str
) -> None:
    lines = [json.dumps({line[0]: line[1]})] if line else []
    async with small_app(tmp_path, encoder, *lines) as (app, llm):
        await app.say(ALICE, kept)
        asked = len(llm.requests)
        await app.say(ALICE, "so how have you got it now?")
        assert shown in app.replies_to(ALICE)[-1]
        assert len(llm.requests) == asked
