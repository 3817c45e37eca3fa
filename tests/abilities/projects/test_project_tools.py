"""Projects: found by what people call them, changed only by their owner, counted right."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.database.db import Database
from app.database.repositories.acts import Acts
from app.domain.errors import NotFound, ToolArgumentError
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.tools import ToolResult
from app.domain.turn import TurnContext
from app.skills.registry import SkillRegistry
from app.skills.tools.projects import project_tools
from app.skills.tools.projects.repository import Projects
from tests.fakes.clock import FrozenClock
from tests.raw import assert_index_is_whole, indexed
from tests.test_search_plans import assert_words_come_first

ANN = UserId("ann")
BOB = UserId("bob")
NOW = datetime(2026, 8, 4, 12, tzinfo=UTC)
TOOLS = {
    "create_project",
    "list_projects",
    "get_project",
    "add_task",
    "update_task",
    "delete_task",
    "project_progress",
    "update_project_status",
    "add_project_note",
    "search_project_notes",
    "correct_task",
    "rename_project",
    "set_due_date",
    "list_due_tasks",
}
READING = {"list_due_tasks", "list_projects", "get_project", "project_progress", "search_project_notes"}


class Desk:
    """The project tools over a real database, called as the engine does."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.projects = Projects(db)
        self.registry = SkillRegistry()
        project_tools.register(self.registry, self.projects, FrozenClock(NOW), Acts(db))

    async def call(self, user_id: UserId, tool_name: str, **arguments: object) -> ToolResult:
        tool = self.registry.tools.get(tool_name)
        ctx = TurnContext(TurnId(1), user_id, ConversationId(1), 1, NOW, "en", is_admin=False)
        return await tool.execute(tool.validate_args(arguments), ctx=ctx)

    async def says(self, user_id: UserId, tool_name: str, **arguments: object) -> str:
        result = await self.call(user_id, tool_name, **arguments)
        assert result.success, result.error
        return result.output

    async def refuses(self, user_id: UserId, tool_name: str, **arguments: object) -> str:
        result = await self.call(user_id, tool_name, **arguments)
        assert not result.success, result.output
        return result.error or ""


@pytest.fixture
async def desk(database: str) -> AsyncIterator[Desk]:
    async with Database.open(database) as db:
        async with db.transaction() as tx:
            for user_id in (ANN, BOB):
                await tx.execute(
                    "INSERT INTO users(user_id, language, last_inbound_at, created_at) VALUES (?, 'en', 0, 0)",
                    user_id,
                )
        yield Desk(db)


@pytest.fixture
async def fair(desk: Desk) -> Desk:
    """Ann has the project Feria with one task, and an empty one, Balcony."""
    await desk.says(ANN, "create_project", name="Feria", description="la de mayo")
    await desk.says(ANN, "create_project", name="Balcony")
    await desk.says(ANN, "add_task", project="Feria", title="alquilar carpa")
    return desk


async def test_a_project_is_created_and_listed(desk: Desk) -> None:
    assert await desk.says(ANN, "create_project", name="  Balcony ") == "Created project 1: Balcony."
    assert await desk.says(ANN, "list_projects") == "1. Balcony (active), no tasks"


async def test_no_projects_is_said(desk: Desk) -> None:
    assert await desk.says(ANN, "list_projects") == "There are no projects yet."
    assert "create_project" in await desk.refuses(ANN, "add_task", project="Feria", title="x")


@pytest.mark.parametrize("again", ["Jardín", "JARDIN", "jardi\u0301n", " jardín  "])
async def test_a_name_that_differs_by_case_or_accents_only_is_the_same_project(desk: Desk, again: str) -> None:
    await desk.says(ANN, "create_project", name="Jardín")
    assert "exists already, nothing was created" in await desk.says(ANN, "create_project", name=again)
    assert len(await desk.projects.list_all(ANN)) == 1


@pytest.mark.parametrize("name", ["", " ", "x" * 81, "12", "#3"])
async def test_a_name_that_could_not_be_said_is_refused(desk: Desk, name: str) -> None:
    await desk.refuses(ANN, "create_project", name=name)
    assert await desk.projects.list_all(ANN) == []


@pytest.mark.parametrize(
    "wanted", ["1", 1, "project 1", "Feria", "feria", "FÉRIA", "el proyecto Feria", "Fe", "fer"]
)
async def test_a_project_is_found_by_number_name_or_beginning(fair: Desk, wanted: object) -> None:
    assert await fair.says(ANN, "get_project", project=wanted) == (
        "Project 1. Feria (active), 0 of 1 tasks done: la de mayo\nTasks:\n1. alquilar carpa (pending)"
    )


async def test_an_ambiguous_name_lists_the_projects(desk: Desk) -> None:
    for name in ("Casa de campo", "Casa", "Casa vieja"):
        await desk.says(ANN, "create_project", name=name)
    assert (await desk.says(ANN, "get_project", project="casa")).startswith("Project 2.")
    said = await desk.refuses(ANN, "get_project", project="cas")
    assert said.startswith('3 projects match "cas". Ask which one:')
    assert {"1. Casa de campo (active), no tasks", "3. Casa vieja (active), no tasks"} <= set(said.splitlines())


async def test_an_unknown_name_lists_what_there_is(fair: Desk) -> None:
    said = await fair.refuses(ANN, "add_task", project="Boda", title="x")
    assert said.splitlines()[0] == 'No project matches "Boda". The nearest:'
    assert "2. Balcony (active), no tasks" in said


async def test_projects_are_listed_by_status(fair: Desk) -> None:
    assert "now archived" in await fair.says(ANN, "update_project_status", project="Balcony", status="archived")
    assert "archived already" in await fair.says(ANN, "update_project_status", project="2", status="archived")
    assert await fair.says(ANN, "list_projects") == "1. Feria (active), 0 of 1 tasks done: la de mayo"
    assert await fair.says(ANN, "list_projects", status="archived") == "2. Balcony (archived), no tasks"
    assert len((await fair.says(ANN, "list_projects", status="all")).splitlines()) == 2
    assert (await fair.says(ANN, "list_projects", status="completed")).startswith(
        "No completed projects. The others:"
    )
    with pytest.raises(ToolArgumentError, match="status"):
        await fair.call(ANN, "update_project_status", project="2", status="burnt")


async def test_a_long_list_ends_with_how_many_more(desk: Desk) -> None:
    for count in range(23):
        await desk.projects.create(ANN, f"p{count}", "", NOW)
    lines = (await desk.says(ANN, "list_projects")).splitlines()
    assert len(lines) == 21
    assert lines[-1] == "… 3 more"


async def test_a_task_is_done_by_its_words_without_naming_the_project(fair: Desk) -> None:
    said = await fair.says(ANN, "update_task", task="la carpa", status="done")
    assert said == (
        "Task 1 of Feria is now done: alquilar carpa."
        " All its tasks are done: ask whether the project is completed."
    )
    assert "done already" in await fair.says(ANN, "update_task", task="carpa", status="done")


async def test_a_task_goes_through_its_states_and_progress_follows(fair: Desk) -> None:
    await fair.says(ANN, "add_task", project="Feria", title="pedir permiso", priority="high")
    await fair.says(ANN, "add_task", project="Feria", title="imprimir carteles", priority="low")
    assert "0 of 3" in await fair.says(ANN, "update_task", task="3", status="in_progress", project="feria")
    assert "1 of 3" in await fair.says(ANN, "update_task", task="carpa", status="done", project="feria")
    assert (await fair.says(ANN, "project_progress", project="feria")).splitlines() == [
        "Feria is active: 1 of 3 tasks done (33%).",
        "Open:",
        "3. imprimir carteles (in progress, low priority)",
        "2. pedir permiso (pending, high priority)",
        "Last:",
        "task 1 is done: alquilar carpa",
        "task 3 is in progress: imprimir carteles",
        "task 3 added: imprimir carteles",
        "task 2 added: pedir permiso",
        "task 1 added: alquilar carpa",
    ]


async def test_progress_of_a_project_without_tasks_divides_by_nothing(fair: Desk) -> None:
    assert (await fair.says(ANN, "project_progress", project="Balcony")).startswith("Balcony is active: no tasks.")


async def test_a_task_number_in_two_projects_asks_which(fair: Desk) -> None:
    await fair.says(ANN, "add_task", project="Balcony", title="plants")
    said = await fair.refuses(ANN, "update_task", task="1", status="done")
    assert said.splitlines()[1:] == ["Feria: 1. alquilar carpa (pending)", "Balcony: 1. plants (pending)"]
    assert "of Balcony" in await fair.says(ANN, "update_task", task="1", status="done", project="Balcony")


async def test_an_open_task_is_not_added_twice(fair: Desk) -> None:
    assert "nothing was added" in await fair.says(ANN, "add_task", project="Feria", title="Alquilar  CARPA")
    await fair.says(ANN, "update_task", task="carpa", status="done")
    assert "task 2." in await fair.says(ANN, "add_task", project="Feria", title="alquilar carpa")


@pytest.mark.parametrize("title", ["", "  ", "x" * 201])
async def test_a_title_that_is_empty_or_too_long_is_refused(fair: Desk, title: str) -> None:
    assert "title" in await fair.refuses(ANN, "add_task", project="Feria", title=title)


async def test_a_deleted_task_is_named_and_its_number_not_given_again(fair: Desk) -> None:
    assert await fair.says(ANN, "delete_task", task="carpa") == "Deleted task 1 of Feria: alquilar carpa."
    assert "No task matches" in await fair.refuses(ANN, "delete_task", task="carpa", project="Feria")
    assert "task 2." in await fair.says(ANN, "add_task", project="Feria", title="sillas")


async def test_tasks_added_at_once_get_a_number_each(fair: Desk) -> None:
    async with asyncio.timeout(5):
        await asyncio.gather(
            *(fair.call(ANN, "add_task", project="Balcony", title=f"plant {n}") for n in range(5))
        )
    balcony = next(one for one in await fair.projects.list_all(ANN) if one.name == "Balcony")
    assert [task.number for task in await fair.projects.list_tasks(ANN, balcony.id)] == [1, 2, 3, 4, 5]


async def test_project_notes_are_found_within_one_project_or_all(fair: Desk) -> None:
    assert await fair.says(ANN, "add_project_note", project="Feria", content="El permiso sale el lunes") == (
        "Saved note 1 in project Feria."
    )
    await fair.says(ANN, "add_project_note", project="Balcony", content="permiso del vecino")
    assert await fair.says(ANN, "search_project_notes", query="permisos", project="Feria") == (
        "1. El permiso sale el lunes"
    )
    everywhere = await fair.says(ANN, "search_project_notes", query="PERMISO")
    assert sorted(everywhere.splitlines()) == [
        "Balcony: 1. permiso del vecino",
        "Feria: 1. El permiso sale el lunes",
    ]
    assert "1. El permiso sale el lunes" in await fair.says(ANN, "get_project", project="Feria")
    nothing = await fair.says(ANN, "search_project_notes", query="lluvia", project="Feria")
    assert nothing == 'No note in Feria matches "lluvia".'


async def test_a_project_note_too_long_is_refused(fair: Desk) -> None:
    assert "4000" in await fair.refuses(ANN, "add_project_note", project="Feria", content="x" * 4001)


async def test_two_people_see_and_change_only_their_own_projects(fair: Desk) -> None:
    await fair.says(BOB, "create_project", name="Feria")
    await fair.says(BOB, "create_project", name="Secret")
    await fair.says(BOB, "add_task", project="Feria", title="hidden thing")
    await fair.says(BOB, "add_project_note", project="Secret", content="hidden words")
    assert "Created project 3" in await fair.says(ANN, "create_project", name="Third")
    for tool_name, arguments in (
        ("list_projects", {"status": "all"}),
        ("get_project", {"project": "Feria"}),
        ("project_progress", {"project": "1"}),
        ("search_project_notes", {"query": "hidden words"}),
    ):
        said = await fair.says(ANN, tool_name, **arguments)
        assert "Secret" not in said
        assert "thing" not in said
        assert "hidden words\n" not in f"{said}\n".replace('"hidden words"', "")
    for tool_name, arguments in (
        ("get_project", {"project": "Secret"}),
        ("update_task", {"task": "hidden", "status": "done"}),
        ("delete_task", {"task": "hidden", "project": "Feria"}),
        ("add_project_note", {"project": "Secret", "content": "x"}),
    ):
        assert "hidden thing" not in await fair.refuses(ANN, tool_name, **arguments)


async def test_ids_of_somebody_else_change_and_show_nothing(fair: Desk) -> None:
    project = (await fair.projects.list_all(ANN))[-1]
    task = (await fair.projects.list_tasks(ANN, project.id))[0]
    with pytest.raises(NotFound):
        await fair.projects.get(BOB, project.id)
    with pytest.raises(NotFound):
        await fair.projects.set_status(BOB, project.id, "archived", NOW)
    with pytest.raises(NotFound):
        await fair.projects.add_task(BOB, project.id, "x", "low", at=NOW)
    with pytest.raises(NotFound):
        await fair.projects.set_task_status(BOB, task, "done", NOW)
    with pytest.raises(NotFound):
        await fair.projects.delete_task(BOB, task, NOW)
    with pytest.raises(NotFound):
        await fair.projects.add_note(BOB, project.id, "x", NOW)
    assert await fair.projects.list_tasks(BOB, project.id) == []
    assert await fair.projects.list_notes(BOB, project.id, limit=5) == []
    assert await fair.projects.list_activity(BOB, project.id, limit=5) == []
    assert await fair.projects.get(ANN, project.id) == project
    assert len(await fair.projects.list_activity(ANN, project.id, limit=9)) == 2


async def test_a_person_who_is_forgotten_leaves_nothing(fair: Desk) -> None:
    await fair.says(ANN, "add_project_note", project="Feria", content="permiso")
    async with fair.db.transaction() as tx:
        await tx.execute("DELETE FROM users WHERE user_id = ?", ANN)
        for table in ("projects", "project_tasks", "project_notes", "project_activity", "user_numbers"):
            assert await tx.fetch_all(f"SELECT * FROM {table}") == []
    await assert_index_is_whole(fair.db, "project_notes")
    assert await indexed(fair.db, "project_notes", "permiso") == 0


async def test_whatever_is_said_a_project_tool_answers_with_a_result(fair: Desk) -> None:
    said: list[str] = []

    @given(st.text(st.characters(), max_size=40) | st.text('"*^():-+ANDOR%_1#\x00', max_size=12))
    def collect(text: str) -> None:
        said.append(text)

    collect()
    for text in said:
        for result in (
            await fair.call(ANN, "search_project_notes", query=text),
            await fair.call(ANN, "get_project", project=text),
            await fair.call(ANN, "update_task", task=text, status="pending"),
            await fair.call(ANN, "add_project_note", project="Feria", content=text),
        ):
            assert "None" not in result.content.replace(text or "…", "")
            assert result.content


async def test_the_tools_are_there_short_and_marked(desk: Desk) -> None:
    tools = desk.registry.tools_of("projects")
    assert {tool.name for tool in tools} == TOOLS
    assert {tool.name for tool in tools if tool.read_only} == READING
    assert not any(tool.sensitive for tool in tools)
    for tool in tools:
        assert "\n" not in tool.description
        properties = tool.get_schema().parameters["properties"]
        assert isinstance(properties, dict)
        assert all(len(field.get("description", "")) <= 40 for field in properties.values())


async def test_what_a_person_wrote_is_marked_as_their_words(desk: Desk) -> None:
    marked = {tool.name: tool.word_parameters for tool in desk.registry.list_tools() if tool.word_parameters}
    assert marked == {
        "create_project": ("name", "tasks", "description"),
        "add_task": ("title", "due"),
        "set_due_date": ("when",),
        "correct_task": ("new", "old"),
        "rename_project": ("name",),
        "add_project_note": ("content",),
        "search_project_notes": ("query",),
    }


async def test_words_are_looked_up_once_and_their_rows_by_number() -> None:
    await assert_words_come_first(lambda db: Projects(db).search_notes(ANN, "fern", limit=5))
