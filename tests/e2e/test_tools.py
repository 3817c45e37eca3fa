"""Tools, from the webhook to the deed and back."""

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from app.asking.texts import ASKING
from app.cli.main import verify_audit
from app.commands.texts import COMMANDS
from app.database.db import Database
from app.domain.errors import NotReady
from app.language.catalogue import say
from app.llm.profiles import ModelProfile
from app.pipeline.texts import PIPELINE
from app.skills.router import REQUEST_MORE_TOOLS_NAME
from app.skills.texts import SKILLS
from tests.builders import ALICE, BOB
from tests.e2e.asking import calls, press, until_asked
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, NATIVE, AppUnderTest, running_app
from tests.raw import without_triggers


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    async with running_app(tmp_path, llm=ScriptedChatModel(), agent_write_enabled=True) as running:
        yield running


def offered(app: AppUnderTest, request: int = -1) -> list[str]:
    return [tool.name for tool in app.llm.requests[request].tools]


@pytest.mark.needs("notes")
async def test_a_note_is_saved_by_asking_and_only_its_owner_sees_it(app: AppUnderTest) -> None:
    app.llm.category = "notes"
    app.llm.add(calls(("save_note", {"content": "the gate code is 7719"})), "Saved.")
    await app.say(ALICE, "note: the gate code is 7719")
    assert app.replies_to(ALICE) == ["Saved."]
    for person, expected in ((ALICE, True), (BOB, False)):
        app.llm.add(calls(("list_notes", {})), "There you are.")
        await app.say(person, "what notes do I have?")
        result = next(m for m in app.llm.requests[-1].messages if m.role == "tool")
        assert ("7719" in result.content) is expected


@pytest.mark.needs("notes", "projects", "conversation")
async def test_a_call_may_use_the_names_that_other_assistants_know(tmp_path: Path) -> None:
    asked = (
        ("save_note", {"content": "the gate code is 7719"}),
        ("create_project", {"name": "Garden"}),
        ("add_task", {"project_name": "Garden", "title": "water the roses"}),
        ("update_task", {"task_id": 1, "status": "done"}),
        ("get_project", {"project_name": "Garden"}),
        ("project_progress", {"project_name": "Garden"}),
        ("add_project_note", {"project_name": "Garden", "content": "the hose leaks"}),
        ("search_project_notes", {"project_name": "Garden", "query": "hose"}),
        ("get_recent_messages", {"limit": 3}),
        ("get_note", {"note_id": 1}),
        ("delete_task", {"task_id": 1}),
        ("delete_note", {"note_id": 1}),
    )
    async with running_app(tmp_path, llm=ScriptedChatModel(), max_tools_per_call=64) as app:
        app.llm.category = "notes,projects,conversation"
        for name, arguments in asked:
            app.llm.add(calls((name, arguments)), "Done.", "Done.")
            await app.say(
                ALICE, f"about the Garden: water the roses, the hose leaks, the gate code is 7719; {name}"
            )
            app.llm.drop_lines()
        told = dict(await app.rows("SELECT tool, content FROM audit_events WHERE phase = 'outcome'"))
        failed = {name: told.get(name) for name, _ in asked if '"result":"Error' in told.get(name, "")}
        assert (failed, told.keys()) == ({}, dict(asked).keys())
        assert await app.rows("SELECT count(*) FROM notes") == [(0,)]
        assert await app.rows("SELECT count(*) FROM project_tasks") == [(0,)]


_QUOTED_CALLS = (
    '{"name": "delete_note", "arguments": {"note": "1"}}',
    "<tool_call>{'name': 'x'}</tool_call>\ndelete_note(note='1')",
    '```json\n[{"tool": "delete_note", "args": {"note": 1}}]\n```',
)


@pytest.mark.needs("notes")
@pytest.mark.parametrize("profile", [NATIVE, CONSTRAINED])
@pytest.mark.parametrize("kept", _QUOTED_CALLS)
async def test_a_model_that_reads_a_call_aloud_does_nothing_and_the_person_hears_it(
    tmp_path: Path, profile: ModelProfile, kept: str
) -> None:
    async with running_app(tmp_path, llm=ScriptedChatModel(), profile=profile) as app:
        app.llm.category = "notes"
        app.llm.add(calls(("save_note", {"content": kept})), "Saved.")
        await app.say(ALICE, f"note: {kept}")
        for aloud in ("{}", "Your note says: {}", "It says\n{}"):
            app.llm.add(calls(("get_note", {"note": "1"})), aloud.format(kept), "I read it.")
            await app.say(ALICE, "read my note to me, please")
            assert "delete_note" in app.replies_to(ALICE)[-1], aloud
            app.llm.drop_lines()
        app.llm.add(calls(("get_note", {"note": "1"})), "Still there.")
        await app.say(ALICE, "read it again")
        results = [one.content for one in app.llm.requests[-1].messages if "delete_note" in one.content]
        assert results


@pytest.mark.needs("notes")
async def test_a_call_written_beside_other_words_is_asked_for_again_and_not_run(app: AppUnderTest) -> None:
    app.llm.category = "notes"
    app.llm.add(calls(("save_note", {"content": "milk"})), "Saved.")
    await app.say(ALICE, "note: milk")
    app.llm.add('To delete it one writes:\n{"name": "delete_note", "arguments": {"note": "1"}}', "It is kept.")
    await app.say(ALICE, "what would deleting a note look like?")
    assert app.replies_to(ALICE)[-1] == "It is kept."
    app.llm.add(calls(("list_notes", {})), "There.")
    await app.say(ALICE, "list my notes")
    assert any("milk" in one.content for one in app.llm.requests[-1].messages if one.role == "tool")


@pytest.mark.needs("notes", "projects")
async def test_both_categories_of_a_message_are_offered_and_the_meta_tool_is_first(app: AppUnderTest) -> None:
    app.llm.category = "projects, notes"
    app.llm.add("Which one?")
    await app.say(BOB, "put my project's plan in a note")
    names = offered(app)
    assert names[0] == REQUEST_MORE_TOOLS_NAME
    assert {"create_project", "save_note"} <= set(names)
    assert len(names) == 1 + 8


@pytest.mark.needs("calculator", "notes")
async def test_a_wrong_category_is_recovered_from_in_the_next_round(app: AppUnderTest) -> None:
    app.llm.category = "notes"
    app.llm.add(
        calls((REQUEST_MORE_TOOLS_NAME, {"categories": ["math"], "reason": "arithmetic"})),
        calls(("calculate", {"expression": "6*7"})),
        "It is 42.",
    )
    await app.say(ALICE, "how much is 6*7?")
    assert "calculate" not in offered(app, 0)
    assert "calculate" in offered(app, 1)
    assert app.replies_to(ALICE) == ["It is 42."]


@pytest.mark.needs("calculator")
async def test_five_parallel_calls_come_back_in_order(app: AppUnderTest) -> None:
    app.llm.category = "math"
    app.llm.add(calls(*(("calculate", {"expression": f"{n}+{n}"}) for n in range(1, 6))), "Done.")
    await app.say(ALICE, "add each number to itself")
    results = [m.content for m in app.llm.requests[-1].messages if m.role == "tool"]
    assert results == [f"{n} + {n} = {2 * n}" for n in range(1, 6)]


@pytest.mark.needs("calculator", "notes")
async def test_a_tool_that_was_not_offered_does_not_run(app: AppUnderTest) -> None:
    app.llm.category = "math"
    app.llm.add(calls(("save_note", {"content": "sneaky"})), "I could not.")
    await app.say(ALICE, "what is 2+2?")
    result = next(m for m in app.llm.requests[-1].messages if m.role == "tool")
    assert REQUEST_MORE_TOOLS_NAME in result.content
    app.llm.category = "notes"
    app.llm.add(calls(("list_notes", {})), "None.")
    await app.say(ALICE, "list my notes")
    assert "sneaky" not in app.llm.requests[-1].messages[-1].content


@pytest.mark.needs("files")
async def test_a_sensitive_call_waits_for_its_person_and_runs_once(app: AppUnderTest) -> None:
    app.llm.category = "files"
    app.llm.add(calls(("write_file", {"path": "list.txt", "content": "flour"})), "Written.")
    await app.receive(ALICE, "write flour into list.txt")
    token = await until_asked(app, ALICE)
    written = list(app.data_dir.glob("users/*/list.txt"))
    assert written == []
    await press(app, BOB, f"{token}:y")
    async with asyncio.timeout(5):
        while not app.replies_to(BOB):
            await asyncio.sleep(0)
    assert app.replies_to(BOB) == [say(ASKING.stale_question, "es")]
    assert list(app.data_dir.glob("users/*/list.txt")) == []
    await press(app, ALICE, f"{token}:y")
    await app.idle()
    [written_file] = app.data_dir.glob("users/*/list.txt")
    assert written_file.read_text() == "flour"
    assert app.replies_to(ALICE)[-1] == "Written."
    await press(app, ALICE, f"{token}:y")
    await app.idle()
    assert app.replies_to(ALICE)[-1] == say(ASKING.stale_question, "en")


@pytest.mark.needs("files")
async def test_no_means_no_and_is_said_without_the_model(app: AppUnderTest) -> None:
    app.llm.category = "files"
    app.llm.add(calls(("write_file", {"path": "list.txt", "content": "flour"})))
    await app.receive(ALICE, "write flour into list.txt")
    token = await until_asked(app, ALICE)
    await press(app, ALICE, f"{token}:n")
    await app.idle()
    assert list(app.data_dir.glob("users/*/list.txt")) == []
    assert app.replies_to(ALICE)[-1] == say(SKILLS.refused, "en")


@pytest.mark.needs("files")
async def test_a_typed_yes_answers_the_open_question(app: AppUnderTest) -> None:
    app.llm.category = "files"
    app.llm.add(calls(("write_file", {"path": "list.txt", "content": "flour"})), "Written.")
    await app.receive(ALICE, "write flour into list.txt")
    await until_asked(app, ALICE)
    await app.receive(ALICE, "sí")
    await app.idle()
    assert len(list(app.data_dir.glob("users/*/list.txt"))) == 1


@pytest.mark.needs("files")
async def test_stop_everything_ends_the_turn_with_a_short_sentence(app: AppUnderTest) -> None:
    app.llm.category = "files"
    app.llm.add(calls(("write_file", {"path": "list.txt", "content": "flour"})))
    await app.receive(ALICE, "write flour into list.txt please")
    token = await until_asked(app, ALICE)
    await press(app, ALICE, f"{token}:a")
    await app.idle()
    assert app.replies_to(ALICE)[-1] == say(PIPELINE.stopped, "en")


@pytest.mark.needs("calculator", "oversight")
async def test_why_tells_what_the_last_turn_was_offered_and_used(app: AppUnderTest) -> None:
    app.llm.category = "math"
    app.llm.add(calls(("calculate", {"expression": "2+2"})), "4")
    await app.say(ALICE, "how much is 2+2?")
    await app.say(ALICE, "/why")
    await app.say(ALICE, "/why details")
    plain, detailed = app.replies_to(ALICE)[-2:]
    assert plain.startswith("For my last answer I used: calculate.\n")
    assert "token" not in plain
    assert "math" in detailed
    assert "calculate" in detailed


@pytest.mark.needs("calculator")
async def test_the_categories_of_a_turn_stand_in_for_none_and_expire(app: AppUnderTest) -> None:
    app.llm.category = "math"
    app.llm.add(calls(("calculate", {"expression": "2+2"})), "4")
    await app.say(ALICE, "how much is 2+2?")
    app.llm.category = "none"
    app.llm.add(calls(("calculate", {"expression": "4+4"})), "8")
    await app.say(ALICE, "and twice that?")
    assert "calculate" in offered(app)
    await app.clock.advance(16 * 60)
    app.llm.add("You are welcome.")
    await app.say(ALICE, "thank you")
    assert offered(app) == []


@pytest.mark.needs("files", "oversight")
async def test_the_mode_is_ones_own_and_yolo_is_for_admins(app: AppUnderTest) -> None:
    await app.say(BOB, "/mode yolo")
    assert app.replies_to(BOB) == [say(COMMANDS.admin_only, "es")]
    await app.say(ALICE, "/mode yolo")
    app.llm.category = "files"
    app.llm.add(calls(("write_file", {"path": "list.txt", "content": "flour"})), "Written.")
    await app.say(ALICE, "write flour into list.txt")
    assert app.replies_to(ALICE)[-1] == "Written."


@pytest.mark.needs("calculator", "notes", "oversight")
async def test_tools_and_skills_can_be_listed(app: AppUnderTest) -> None:
    await app.say(ALICE, "/tools")
    await app.say(ALICE, "/herramientas notes")
    await app.say(ALICE, "/skills calculator")
    overview, notes, skill = app.replies_to(ALICE)
    assert "“" in overview
    assert "notes" in overview.splitlines()[-1]
    assert "save_note" not in overview
    assert len(overview.splitlines()) <= 22
    assert "save_note" in notes
    assert "calculate" in skill


@pytest.mark.needs("calculator")
async def test_a_small_model_uses_tools_through_the_constrained_protocol(tmp_path: Path) -> None:
    llm = ScriptedChatModel('{"calls": [{"calculate": {"expression": "12% of 950"}}]}')
    llm.category = "math"
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        await app.say(ALICE, "could somebody tell us what 12% of 950 comes to in the end, roughly speaking?")
        assert app.replies_to(ALICE) == ["12% of 950 = 114"]
        assert [request.tools for request in llm.requests] == [()]


@pytest.mark.needs("datetime", "notes", "projects")
async def test_with_a_small_model_tools_tell_a_person_their_results_themselves_in_their_language(
    tmp_path: Path,
) -> None:
    llm = ScriptedChatModel()
    said: tuple[tuple[str, str, dict[str, str], str | None], ...] = (
        ("notes", "save_note", {"content": "comprar harina"}, "Anotado (1): comprar harina"),
        ("notes", "list_notes", {}, "Tus notas:\n1. comprar harina"),
        ("projects", "create_project", {"name": "Feria"}, "Creé el proyecto 1: Feria"),
        ("projects", "add_task", {"project": "Feria", "title": "alquilar carpa"}, None),
        ("projects", "project_progress", {"project": "Feria"}, None),
        ("time", "get_current_datetime", {"timezone": "Lima"}, None),
    )
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        for category, tool, args, _ in said:
            llm.category = category
            llm.add(json.dumps({"calls": [{tool: args}]}))
            await app.say(ALICE, f"hacé lo que te pido: {' '.join(args.values())}")
        replies = app.replies_to(ALICE)
    assert [reply for reply, one in zip(replies, said, strict=True) if one[3]] == [
        one[3] for one in said if one[3]
    ]
    assert replies[3] == "Agregué a Feria la tarea 1. alquilar carpa (pendiente)"
    assert replies[4] == ("1. Feria (activo, 0 de 1 tareas hechas)\nPendiente:\n1. alquilar carpa (pendiente)")
    assert re.fullmatch(r"Lima: \d\d:\d\d, [a-záé]+, \d+ de [a-z]+ de 20\d\d", replies[5])
    assert len(llm.requests) == len(said)


@pytest.mark.needs("calculator", "notes")
async def test_the_prompt_tells_what_can_be_done_and_each_skill_once_for_the_conversation(
    app: AppUnderTest,
) -> None:
    for category, words in (("notes", "hello"), ("math", "how much?"), ("notes", "and now?")):
        app.llm.category = category
        app.llm.add("Well.")
        await app.say(ALICE, words)
    first, second, third = (request.messages[0].content for request in app.llm.requests)
    assert "<capabilities>" in first
    assert REQUEST_MORE_TOOLS_NAME in first
    assert "<skill_notes>" in first
    assert "<skill_calculator>" not in first
    assert second == third
    assert second.startswith(first)
    assert (second.count("<skill_notes>"), second.count("<skill_calculator>")) == (1, 1)


@pytest.mark.needs("calculator")
async def test_a_small_model_puts_results_into_words_without_tools_once_all_is_done(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        llm.category = "math"
        llm.add('{"calls": [{"calculate": {"expression": "1,560*2"}}]}', "Son 3120.")
        await app.say(ALICE, "¿cuánto sería si juntamos los 1,560 de cada mano?")
        offer, closing = llm.requests
        assert offer.response_schema is not None
        assert (closing.purpose, closing.response_schema, closing.tools) == ("closing", None, ())
        assert "1560 * 2 = 3120" in closing.messages[-1].content
        assert app.replies_to(ALICE) == ["Son 3120."]


@pytest.mark.needs("datetime")
async def test_a_small_model_is_offered_a_conversion_only_where_a_time_is_given(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    llm.category = "time"
    asked = (
        "¿qué hora es en Lisboa?",
        "el vuelo sale a las 18:15, ¿qué hora es entonces en Lima?",
        "¿y en Tokio?",
        "¿qué hora es?",
    )
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        for words in asked:
            llm.add('{"reply": "Veamos."}')
            await app.say(ALICE, words)
    assert ["convert_timezone(" in request.messages[-1].content for request in llm.requests] == [
        False,
        True,
        True,
        False,
    ]


@pytest.mark.needs("calculator")
async def test_a_small_model_keeps_its_tools_while_a_second_request_is_open(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        llm.category = "math"
        llm.add('{"calls": [{"calculate": {"expression": "6*7"}}]}', '{"reply": "42, and no idea."}')
        await app.say(ALICE, "how much is 6*7? and how much is 2*2?")
        assert llm.requests[-1].purpose == "turn"
        assert llm.requests[-1].response_schema is not None


async def test_only_an_admin_is_offered_what_changes_the_assistant(app: AppUnderTest) -> None:
    for person, expected in ((ALICE, True), (BOB, False)):
        app.llm.category = "expand"
        app.llm.add("Well.")
        await app.say(person, "install the GitHub server")
        assert ("search_mcp_registry" in offered(app)) is expected
        assert ("expand" in app.llm.requests[-1].messages[0].content) is expected


@pytest.mark.needs("notes")
async def test_a_turn_that_begins_again_is_told_what_its_first_try_did(app: AppUnderTest) -> None:
    app.llm.category = "notes"
    app.llm.add(
        calls(("save_note", {"title": "leche", "content": "comprar leche"})), NotReady("loading"), "Ready."
    )
    await app.say(ALICE, "note: comprar leche")
    assert app.replies_to(ALICE) == []
    await app.clock.advance(10)
    await app.idle()
    assert app.replies_to(ALICE) == ["Ready."]
    told = app.llm.requests[-1].messages[-1].content
    assert "your first try at this answer was cut off after these tool calls: save_note (done:" in told
    assert "your first try" not in app.llm.requests[0].messages[-1].content


@pytest.mark.needs("oversight", "mcp")
async def test_only_admins_are_told_of_admin_tools(app: AppUnderTest) -> None:
    for command in ("/tools expand", "/skills expand"):
        await app.say(ALICE, command)
        await app.say(BOB, command)
        assert "install_mcp_server" in app.replies_to(ALICE)[-1]
        assert "install_mcp_server" not in app.replies_to(BOB)[-1]
    app.llm.category = "tools"
    for person, is_told in ((ALICE, True), (BOB, False)):
        app.llm.add(calls(("list_category_tools", {"category": "expand"})), "That is all.")
        await app.say(person, "which tools are there?")
        result = next(one for one in app.llm.requests[-1].messages if one.role == "tool")
        assert ("install_mcp_server" in result.content) is is_told


def leave_a_file(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "node_modules").write_text("what the old one left")


def leave_folders_in_each_other(folder: Path) -> None:
    leave_a_file(folder)
    inside = os.open(folder, os.O_RDONLY)
    for _ in range(3_000):
        os.mkdir("a", dir_fd=inside)
        deeper = os.open("a", os.O_RDONLY, dir_fd=inside)
        os.close(inside)
        inside = deeper
    os.close(inside)


def leave_what_nobody_may_change(folder: Path) -> None:
    leave_a_file(folder / "shut")
    (folder / "shut" / "a").mkdir(mode=0)
    (folder / "shut").chmod(0o500)
    (folder / "link").symlink_to("/")
    folder.chmod(0o500)


@pytest.mark.needs("mcp")
@pytest.mark.parametrize("leave", [leave_a_file, leave_folders_in_each_other, leave_what_nobody_may_change])
async def test_a_removed_server_leaves_nothing_to_the_next_one_of_its_name(
    app: AppUnderTest, leave: Callable[[Path], None]
) -> None:
    left = app.data_dir / "mcp" / "work" / "mail"
    leave(left)
    (app.data_dir / "mcp_servers.json").write_text(
        '{"mcpServers": {"mail": {"command": "true", "disabled": true}}}'
    )
    (app.data_dir / "mcp_secrets.json").write_text('{"MCP_MAIL__TOKEN": "swordfish"}')
    await app.say(ALICE, "/mcp remove mail")
    assert "mail" in app.replies_to(ALICE)[-1]
    assert "mcpServers" in (app.data_dir / "mcp_servers.json").read_text()
    assert '"mail"' not in (app.data_dir / "mcp_servers.json").read_text()
    assert not left.exists()
    assert "swordfish" not in (app.data_dir / "mcp_secrets.json").read_text()


_TAMPERED = {
    "contents were blanked": ("UPDATE audit_events SET content = NULL WHERE id = 2", "head of now"),
    "the tail was cut and an older head put back": ("DELETE FROM audit_events WHERE id > 2", "head of then"),
    "everything was deleted": ("DELETE FROM audit_events", "no head"),
}


@pytest.mark.needs("notes")
@pytest.mark.parametrize("how", _TAMPERED)
async def test_the_audit_trail_tells_what_was_done_to_it(app: AppUnderTest, how: str) -> None:
    database, head = app.database, app.data_dir / "audit.head"
    app.llm.category = "notes"
    heads = {"no head": b""}
    for name in ("head of then", "head of now"):
        app.llm.add(calls(("save_note", {"content": "buy bread"})), "Saved.")
        await app.say(ALICE, "note: buy bread")
        heads[name] = head.read_bytes()
    assert await verify_audit(database, head) == []
    statement, put_back = _TAMPERED[how]
    async with Database.open(database) as other, other.transaction() as tx:
        await without_triggers(other, tx)
        await tx.execute(statement)
    head.unlink()
    if heads[put_back]:
        head.write_bytes(heads[put_back])
    assert await verify_audit(database, head) != []
