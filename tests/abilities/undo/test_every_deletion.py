"""Whatever deletes is undone by /undo with all that went, or a person is asked first: each such tool."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from app.database.db import Database
from app.skills.router import TOOL_CATEGORIES
from tests.abilities.undo.test_undo_by_message import call
from tests.builders import ALICE
from tests.databases import place_of
from tests.e2e.asking import calls, is_question, until_asked
from tests.fakes.llm import ScriptedChatModel
from tests.harness import AT_ONCE, CONSTRAINED, AppUnderTest, running_app

Said = tuple[str, str, Mapping[str, object]]
DELETES = re.compile(r"(delete|remove|clear|cancel|forget|erase|drop)_")
NOTE: Said = ("anotá la patente AB123CD", "save_note", {"content": "la patente AB123CD"})
FACT: Said = ("recordá que soy celíaca", "remember_fact", {"fact": "soy celíaca"})
LIST: Said = ("a la lista: clavos, tornillos", "add_to_list", {"items": ["clavos", "tornillos"]})
CHECKED: Said = ("los clavos ya los tengo", "check_off", {"items": ["clavos"]})
PROJECT: Said = (
    "proyecto Mudanza con las tareas cajas y flete",
    "create_project",
    {"name": "Mudanza", "tasks": ["cajas", "flete"]},
)
REMINDER: Said = (
    "recordame mañana a las 10 pagar la luz",
    "set_reminder",
    {"text": "pagar la luz", "when": "mañana a las 10"},
)
UNDONE: Mapping[str, tuple[tuple[Said, ...], str, Mapping[str, object]]] = {
    "delete_note": ((NOTE,), "borrá la nota 1", {"note": "1"}),
    "delete_task": ((PROJECT,), "sacá la tarea flete de Mudanza", {"task": "flete", "project": "Mudanza"}),
    "forget_fact": ((FACT,), "olvidá que soy celíaca", {"number": "soy celíaca"}),
    "clear_list": ((LIST,), "borrá la lista de compras", {"list_name": "compras"}),
    "clear_checked": ((LIST, CHECKED), "sacá lo tachado de la lista", {}),
    "remove_from_list": ((LIST,), "sacá los clavos de la lista", {"items": ["clavos"]}),
    "cancel_reminder": ((REMINDER,), "cancelá lo de pagar la luz", {"reminder": "pagar la luz"}),
}
ASKED: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "delete_file": ("borrá el archivo lista.txt", {"path": "lista.txt"}),
    "delete_document": ("borrá el documento 1", {"document": "1"}),
    "remove_mcp_server": ("quitá el servidor mail", {"name": "mail"}),
}
TABLES = ("notes", "projects", "project_tasks", "lists", "list_items", "reminders", "memories")


async def stored(data_dir: Path) -> dict[str, list[tuple[object, ...]]]:
    async with Database.open(place_of(data_dir)) as db:
        return {
            name: sorted((tuple(row) for row in await db.fetch_all(f"SELECT * FROM {name}")), key=str)
            for name in TABLES
            if await db.list_columns(name)
        }


async def does(app: AppUnderTest, said: Said) -> None:
    text, tool, arguments = said
    app.llm.category = next(title for title, names in TOOL_CATEGORIES.items() if tool in names)
    app.llm.add(call(tool, arguments), '{"reply": "Ok."}', '{"reply": "Ok."}')
    await app.say(ALICE, text)
    app.llm.drop_lines()


def test_every_tool_that_deletes_is_in_one_of_the_two() -> None:
    names = {name for names in TOOL_CATEGORIES.values() for name in names if DELETES.match(name)}
    assert names == UNDONE.keys() | ASKED.keys()


@pytest.mark.needs("lists", "memory", "notes", "projects", "reminders")
@pytest.mark.parametrize("tool", UNDONE)
async def test_a_deletion_comes_back_whole(tmp_path: Path, tool: str) -> None:
    before, text, arguments = UNDONE[tool]
    async with running_app(tmp_path, llm=ScriptedChatModel(), profile=CONSTRAINED, max_tools_per_call=32) as app:
        for said in before:
            await does(app, said)
        kept = await stored(tmp_path)
        await does(app, (text, tool, arguments))
        assert await stored(tmp_path) != kept
        await app.say(ALICE, "/undo")
        assert await stored(tmp_path) == kept


@pytest.mark.parametrize("tool", ASKED)
async def test_what_cannot_come_back_is_asked_about(tmp_path: Path, tool: str) -> None:
    text, arguments = ASKED[tool]
    async with running_app(
        tmp_path,
        llm=ScriptedChatModel(),
        max_tools_per_call=32,
        agent_write_enabled=True,
        agent_delete_enabled=True,
        stop=AT_ONCE,
    ) as app:
        app.llm.category = next(title for title, names in TOOL_CATEGORIES.items() if tool in names)
        app.llm.add(calls((tool, arguments)), "Done.")
        await app.receive(ALICE, text)
        await until_asked(app, ALICE)
        assert [one for one in app.graph.sends if is_question(one)]
