"""Several things of one message, by code alone: the first two of what was shown, tasks for a project."""

import json
from pathlib import Path

import pytest

from app.llm.local_embedder import LocalEmbedder
from tests.builders import ALICE
from tests.e2e.small import small_app
from tests.e2e.test_brief import call, encoder
from tests.e2e.test_words_kept import stored
from tests.harness import AppUnderTest

__all__ = ["encoder"]
SHED = json.dumps(
    {"create_project": {"name": "Shed", "tasks": ["sweep the floor", "oil the hinges", "hang the rake"]}}
)
PATIO = json.dumps({"create_project": {"name": "Patio"}})


async def done(app: AppUnderTest) -> list[str]:
    return [
        title for title, status in await app.rows("SELECT title, status FROM project_tasks") if status == "done"
    ]


@pytest.mark.needs("projects")
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("tick the first two", ["sweep the floor", "oil the hinges"]),
        ("las dos últimas ya están", ["oil the hinges", "hang the rake"]),
        ("marcá las primeras 2", ["sweep the floor", "oil the hinges"]),
        ("the first and the third are done", ["sweep the floor", "hang the rake"]),
        ("la primera ya está", ["sweep the floor"]),
    ],
)
async def test_tasks_are_done_by_their_places(
    tmp_path: Path, encoder: LocalEmbedder, said: str, expected: list[str]
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "start a project Shed with the tasks sweep the floor, oil the hinges, hang the rake")
        await app.say(ALICE, said)
        assert llm.requests == []
        assert await done(app) == expected
        await app.say(ALICE, "/undo")
        assert await done(app) == []


@pytest.mark.needs("projects")
async def test_more_than_there_are_is_not_half_done(tmp_path: Path, encoder: LocalEmbedder) -> None:
    async with small_app(tmp_path, encoder, *["Which ones?"] * 3) as (app, _):
        await app.say(ALICE, "start a project Shed with the tasks sweep the floor, oil the hinges, hang the rake")
        await app.say(ALICE, "the first five are done")
        assert await done(app) == []


@pytest.mark.needs("lists")
@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("sacá las primeras tres", ["oil"]),
        ("quita los dos últimos", ["flour", "yeast"]),
        ("remove the first 2 please", ["salt", "oil"]),
    ],
)
async def test_items_are_taken_off_by_their_places(
    tmp_path: Path, encoder: LocalEmbedder, said: str, left: list[str]
) -> None:
    async with small_app(tmp_path, encoder) as (app, llm):
        await app.say(ALICE, "put flour, yeast, salt and oil on the shopping list")
        await app.say(ALICE, said)
        assert llm.requests == []
        assert await stored(app, "text", "list_items") == left


@pytest.mark.needs("projects")
@pytest.mark.parametrize(
    ("said", "added"),
    [
        ("add tasks: gravel, a bench and lamps", ["gravel", "a bench", "lamps"]),
        ("dale, sumale estas tareas: grava, un banco y faroles", ["grava", "un banco", "faroles"]),
        ("grava y un banco, como tareas", ["grava", "un banco"]),
        ("agregá al proyecto: grava, faroles", ["grava", "faroles"]),
    ],
)
async def test_tasks_go_to_the_project_that_was_named_before(
    tmp_path: Path, encoder: LocalEmbedder, said: str, added: list[str]
) -> None:
    lines = PATIO, call("get_project", project="Patio")
    async with small_app(tmp_path, encoder, *lines) as (app, llm):
        await app.say(ALICE, "start a project Shed with the tasks sweep the floor, oil the hinges, hang the rake")
        await app.say(ALICE, "create a project Patio")
        await app.say(ALICE, "show me the project Patio")
        asked = len(llm.requests)
        await app.say(ALICE, said)
        assert len(llm.requests) == asked
        rows = await app.rows(
            "SELECT title FROM project_tasks t JOIN projects p ON p.id = t.project_id WHERE p.name = 'Patio'"
            " ORDER BY t.id"
        )
        assert [title for (title,) in rows] == added


@pytest.mark.needs("projects")
async def test_tasks_for_one_of_several_projects_are_added_to_none_by_code(
    tmp_path: Path, encoder: LocalEmbedder
) -> None:
    lines = PATIO, "Nice.", *["Which project?"] * 3
    async with small_app(tmp_path, encoder, *lines) as (app, llm):
        await app.say(ALICE, "start a project Shed with the tasks sweep the floor, oil the hinges, hang the rake")
        await app.say(ALICE, "create a project Patio")
        await app.say(ALICE, "what a sunny day it was")
        asked = len(llm.requests)
        await app.say(ALICE, "add tasks: gravel and lamps")
        assert len(llm.requests) > asked
