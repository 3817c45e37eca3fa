"""A note or a task that was just made is taken back, with what is called out before and the reason behind."""

from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.e2e.test_words_kept import stored

__all__ = ["encoder"]
pytestmark = pytest.mark.needs("notes")


@pytest.mark.parametrize(
    ("said", "is_gone"),
    [
        ("uy no, dejá, borrá esa nota que mi tío ya la pagó", True),
        ("ay no ya no, elimina esa nota", True),
        ("ya no va, borrala", True),
        ("ya no va eso", True),
        ("oh no never mind delete that note my cousin has it already", True),
        ("hang on, bin that note he called back", True),
        ("nah lef dat out, mi cousin have it", True),
        ("never you mind that one", True),
        ("ay no borres esa nota", False),
        ("borrá esa nota que dice lo del dentista", False),
        ("delete that note about the dentist", False),
        ("don't delete that note, my cousin has it", False),
        ("my boss said delete that note", False),
        ("ya no va mi tío a la feria", False),
    ],
)
async def test_a_note_is_taken_back_only_where_it_is_pointed_at(
    tmp_path: Path, encoder: LocalEmbedder, said: str, is_gone: bool
) -> None:
    async with small_app(tmp_path, encoder, "Ok.") as (app, llm):
        await app.say(ALICE, "anotá que el bidón cuesta 3400")
        await app.say(ALICE, said)
        assert await stored(app, "content", "notes") == ([] if is_gone else ["el bidón cuesta 3400"])
        assert not is_gone or llm.requests == []


@pytest.mark.needs("projects")
@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("lo del toldo sacalo", ["pending"]),
        ("lo del toldo borralo que ya lo trajo Omar", ["pending"]),
        ("lo del toldo quitalo, ya está", ["pending"]),
        ("the toldo one, remove it", ["pending"]),
        ("the toldo one scrap it", ["pending"]),
        ("lo del toldo ya quedó hecho", ["done", "pending"]),
        ("lo del toldo no lo saques", ["pending", "pending"]),
    ],
)
async def test_who_removes_a_task_has_not_done_it(
    tmp_path: Path, encoder: LocalEmbedder, said: str, left: list[str]
) -> None:
    async with small_app(tmp_path, encoder, "Ok.") as (app, _):
        await app.say(ALICE, "En el proyecto Feria agregá dos tareas: armar el toldo, pedir sillas")
        await app.say(ALICE, said)
        assert await stored(app, "status", "project_tasks") == left
