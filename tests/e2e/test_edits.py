"""A message that is edited or deleted in WhatsApp: what is answered, what was done before, and in which order."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.database.db import Database
from app.language.catalogue import say
from app.pipeline.texts import PIPELINE
from app.simulator import payloads
from tests.abilities.undo.test_undo_by_message import call
from tests.builders import ALICE, BOB, message, text_message
from tests.e2e.asking import calls, is_question, press, until_asked
from tests.fakes.clock import FrozenClock
from tests.fakes.llm import ScriptedChatModel
from tests.harness import AT_ONCE, CONSTRAINED, PEOPLE, AppUnderTest, running_app

NOON = datetime(2026, 11, 18, 15, 0, tzinfo=UTC)


@pytest.fixture
async def small(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    async with running_app(
        tmp_path, llm=ScriptedChatModel(), profile=CONSTRAINED, clock=FrozenClock(NOON), max_tools_per_call=16
    ) as running:
        running.llm.category = "notes"
        yield running


async def edits(app: AppUnderTest, original: str, text: str, person: str = ALICE, **named: str) -> str:
    receipt = await app.graph.receive(PEOPLE[person], payloads.edit(original, payloads.text(text)), **named)
    return receipt.id


async def revokes(app: AppUnderTest, original: str, person: str = ALICE) -> None:
    await app.graph.receive(PEOPLE[person], payloads.revoke(original))


async def saves(app: AppUnderTest, message_text: str, content: str) -> str:
    app.llm.add(call("save_note", {"content": content}))
    return await app.say(ALICE, message_text)


async def notes(app: AppUnderTest) -> list[str]:
    async with Database.open(app.database) as db:
        return [row["content"] for row in await db.fetch_all("SELECT content FROM notes ORDER BY id")]


def edit_of(original: str, text: str, id: str, at: datetime) -> dict[str, Any]:  # noqa: A002 - Meta's name
    inner = {"type": "text", "text": {"body": text}}
    return message("edit", {"original_message_id": original, "message": inner}, id=id, at=at)


# Edited after it was answered.


async def test_it_is_answered_anew_and_history_holds_the_new_form_alone(app: AppUnderTest) -> None:
    original = await app.say(ALICE, "what is 2+2?")
    await edits(app, original, "what is 3+3?")
    await app.idle()
    assert app.replies_to(ALICE) == ["echo: what is 2+2?", "echo: what is 3+3?"]
    await app.say(ALICE, "next")
    told = [one.content for one in app.llm.requests[-1].messages if one.role != "system"]
    assert told[:2] == ["what is 3+3?", "echo: what is 3+3?"]
    assert not any("2+2" in one for one in told)


@pytest.mark.needs("notes")
async def test_what_the_first_form_did_is_undone_and_done_anew_once(small: AppUnderTest) -> None:
    original = await saves(small, "anotá que la clave es roble4417", "la clave es roble4417")
    small.llm.add(call("save_note", {"content": "la clave es roble4471"}))
    await edits(small, original, "anotá que la clave es roble4471")
    await small.idle()
    assert await notes(small) == ["la clave es roble4471"]
    told = small.replies_to(ALICE)[-1]
    assert told.startswith(say(PIPELINE.edit_undone, "es", subject="la clave es roble4417"))
    assert "roble4471" in told
    await small.say(ALICE, "/undo")
    assert await notes(small) == [], "the new act can be undone as any other"


@pytest.mark.needs("notes")
async def test_the_new_form_may_wish_for_nothing(small: AppUnderTest) -> None:
    original = await saves(small, "anotá que la clave es roble4417", "la clave es roble4417")
    small.llm.category = "none"
    small.llm.add('{"reply": "De nada."}')
    await edits(small, original, "gracias por todo")
    await small.idle()
    assert await notes(small) == []
    assert small.replies_to(ALICE)[-1].startswith(say(PIPELINE.edit_undone, "es", subject="la clave es roble4417"))


@pytest.mark.needs("notes")
async def test_the_same_edit_delivered_twice_acts_once(small: AppUnderTest) -> None:
    original = await saves(small, "anotá que la clave es roble4417", "la clave es roble4417")
    small.llm.add(call("save_note", {"content": "la clave es roble4471"}))
    edit = await edits(small, original, "anotá que la clave es roble4471")
    await small.idle()
    await edits(small, original, "anotá que la clave es roble4471", message_id=edit)
    await small.idle()
    assert await notes(small) == ["la clave es roble4471"]
    assert len(small.replies_to(ALICE)) == 2
    await edits(small, original, "anotá que la clave es roble4471 ")
    await small.idle()
    assert len(small.replies_to(ALICE)) == 2, "another edit that says the same"


@pytest.mark.needs("notes")
async def test_each_edit_takes_the_place_of_the_one_before(small: AppUnderTest) -> None:
    original = await saves(small, "anotá que la clave es uno1", "la clave es uno1")
    for text in ("la clave es dos2", "la clave es tres3"):
        small.llm.add(call("save_note", {"content": text}))
        await edits(small, original, f"anotá que {text}")
        await small.idle()
    assert await notes(small) == ["la clave es tres3"]


@pytest.mark.needs("notes")
async def test_of_several_edits_at_once_only_the_last_is_answered_in_whatever_order_they_come(
    small: AppUnderTest,
) -> None:
    now = small.clock.now()
    small.llm.add(call("save_note", {"content": "la clave es uno1"}))
    await small.post(text_message("anotá que la clave es uno1", id="wamid.first", at=now))
    await small.idle()
    small.llm.add(call("save_note", {"content": "la clave es tres3"}))
    await small.post(
        edit_of("wamid.first", "anotá que la clave es tres3", "wamid.e3", now + timedelta(seconds=9)),
        edit_of("wamid.first", "anotá que la clave es dos2", "wamid.e2", now + timedelta(seconds=5)),
    )
    await small.idle()
    assert await notes(small) == ["la clave es tres3"]
    await small.post(edit_of("wamid.first", "anotá que no hay clave", "wamid.e1", now + timedelta(seconds=2)))
    await small.idle()
    assert await notes(small) == ["la clave es tres3"]
    assert len(small.replies_to(ALICE)) == 2
    small.llm.category = "none"
    small.llm.add('{"reply": "Hola."}')
    await small.say(ALICE, "hola")
    assert "no hay clave" not in str(small.llm.requests[-1].messages)


@pytest.mark.needs("notes")
async def test_what_cannot_be_undone_any_more_is_not_done_twice(small: AppUnderTest) -> None:
    original = await saves(small, "anotá que la clave es roble4417", "la clave es roble4417")
    await small.clock.advance(timedelta(minutes=12).total_seconds())
    await edits(small, original, "anotá que la clave es roble4471")
    await small.idle()
    assert await notes(small) == ["la clave es roble4417"]
    assert small.replies_to(ALICE)[-1] == say(PIPELINE.edit_stands_named, "es", subject="la clave es roble4417")
    for number in range(7):
        await saves(small, f"anotá que el cajón {number} está lleno", f"el cajón {number} está lleno")
        await small.clock.advance(timedelta(minutes=11).total_seconds())
        await small.let_time_pass()
    await edits(small, original, "anotá que la clave es otra22")
    await small.idle()
    assert small.replies_to(ALICE)[-1] == say(PIPELINE.edit_stands, "es"), "its act is forgotten"
    assert "otra22" not in str(await notes(small))


@pytest.mark.needs("notes")
async def test_what_something_later_depends_on_stands(small: AppUnderTest) -> None:
    original = await saves(small, "anotá que el flete sale 300", "el flete sale 300")
    small.llm.add(call("correct_note", {"new": "350"}))
    await small.say(ALICE, "perdón, 350")
    await edits(small, original, "anotá que el flete sale 400")
    await small.idle()
    assert await notes(small) == ["el flete sale 350"]
    assert small.replies_to(ALICE)[-1] == say(PIPELINE.edit_stands_named, "es", subject="el flete sale 300")


@pytest.mark.needs("files")
async def test_what_left_the_persons_records_is_not_done_twice(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    llm.category = "files"
    async with running_app(tmp_path, llm=llm, agent_write_enabled=True) as app:
        llm.add(calls(("write_file", {"path": "gate.txt", "content": "code 7719"})), "Written.")
        original = await app.receive(ALICE, "write in gate.txt: code 7719")
        await press(app, ALICE, f"{await until_asked(app, ALICE)}:y")
        await app.idle()
        await edits(app, original, "write in gate.txt: code 7791")
        await app.idle()
        assert app.replies_to(ALICE)[-1] == say(PIPELINE.edit_stands, "en")
        [written] = app.data_dir.glob("users/*/gate.txt")
        assert written.read_text() == "code 7719"
        llm.add("Yes.")
        await app.say(ALICE, "ok?")
        assert "code 7791" in str(llm.requests[-1].messages), "history follows all the same"


@pytest.mark.needs("notes")
async def test_what_the_person_undid_before_is_not_told_as_undone_by_us(small: AppUnderTest) -> None:
    original = await saves(small, "anotá que la clave es roble4417", "la clave es roble4417")
    await small.say(ALICE, "/undo")
    small.llm.add(call("save_note", {"content": "la clave es roble4471"}))
    await edits(small, original, "anotá que la clave es roble4471")
    await small.idle()
    assert await notes(small) == ["la clave es roble4471"]
    assert "roble4417" not in small.replies_to(ALICE)[-1]


async def test_of_messages_that_were_answered_together_all_are_answered_again(tmp_path: Path) -> None:
    async with running_app(tmp_path, debounce_ms=1200) as app:
        await app.receive(ALICE, "I have a question")
        second = await app.receive(ALICE, "about bread")
        await app.clock.advance(2)
        await app.idle()
        await edits(app, second, "about cake")
        await app.clock.advance(2)
        await app.idle()
        assert app.replies_to(ALICE)[-1] == "echo: I have a question\nabout cake"


@pytest.mark.needs("reminders")
async def test_a_tool_reads_the_message_as_it_is_now(small: AppUnderTest) -> None:
    small.llm.category = "reminders"
    small.llm.add(call("set_reminder", {"text": "pagar la luz", "when": "mañana a las 10"}))
    original = await small.say(ALICE, "recordame mañana a las 10 pagar la luz")
    small.llm.add(call("set_reminder", {"text": "pagar la luz", "when": "mañana a las 10"}))
    await edits(small, original, "recordame mañana a las 11 pagar la luz")
    await small.idle()
    async with Database.open(small.database) as db:
        rows = await db.fetch_all("SELECT due_local FROM reminders")
    assert [row["due_local"] for row in rows] == ["2026-11-19T11:00:00"]


@pytest.mark.needs("conversation", "status")
async def test_a_command_that_was_mistyped_runs_when_it_is_put_right(app: AppUnderTest) -> None:
    original = await app.say(ALICE, "/hlep")
    await edits(app, original, "/help")
    await app.idle()
    assert "/undo" in app.replies_to(ALICE)[-1]
    assert app.llm.requests == []


@pytest.mark.needs("files")
async def test_an_answer_to_a_question_counts_as_it_was_given_and_its_edit_reaches_no_model(
    tmp_path: Path,
) -> None:
    llm = ScriptedChatModel()
    llm.category = "files"
    async with running_app(tmp_path, llm=llm, agent_write_enabled=True) as app:
        llm.add(calls(("write_file", {"path": "gate.txt", "content": "code 7719"})), "Not written.")
        await app.receive(ALICE, "write in gate.txt: code 7719")
        await until_asked(app, ALICE)
        answer = await app.say(ALICE, "no")
        asked = len(llm.requests)
        await edits(app, answer, "yes")
        await app.idle()
        assert app.replies_to(ALICE)[-1] == say(PIPELINE.edit_of_answer, "en")
        assert len(llm.requests) == asked
        assert not list(app.data_dir.glob("users/*/gate.txt"))


async def test_a_message_of_somebody_else_is_not_answered_anew(app: AppUnderTest) -> None:
    original = await app.say(ALICE, "hello")
    await edits(app, original, "bob was here", BOB)
    await app.idle()
    assert app.replies_to(BOB) == []
    assert len(app.replies_to(ALICE)) == 1


async def test_an_edit_that_comes_a_day_late_changes_history_only(app: AppUnderTest) -> None:
    await app.post(text_message("I live in Rome", id="wamid.first", at=app.clock.now()))
    await app.idle()
    sent = app.clock.now()
    await app.clock.advance(timedelta(hours=25).total_seconds())
    await app.post(edit_of("wamid.first", "I live in Oslo", "wamid.edit", sent))
    await app.idle()
    assert len(app.replies_to(ALICE)) == 1
    await app.say(ALICE, "where do I live?")
    assert "I live in Oslo" in [one.content for one in app.llm.requests[-1].messages]


@pytest.mark.needs("conversation")
async def test_cancel_stops_the_new_answer(app: AppUnderTest) -> None:
    original = await app.say(ALICE, "hello")
    app.llm.block()
    await edits(app, original, "write a novel")
    async with asyncio.timeout(5):
        await app.llm.started.wait()
    await app.receive(ALICE, "/cancel")
    await app.idle()
    app.llm.release()
    await app.say(ALICE, "next")
    assert "echo: write a novel" not in app.replies_to(ALICE)
    assert app.replies_to(ALICE)[-1] == "echo: next"


@pytest.mark.needs("notes")
async def test_a_crash_after_the_undoing_loses_neither_the_answer_nor_the_word_of_it(tmp_path: Path) -> None:
    llm, clock = ScriptedChatModel(), FrozenClock(NOON)
    llm.category = "notes"
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED, clock=clock, stop=AT_ONCE) as app:
        original = await saves(app, "anotá que la clave es roble4417", "la clave es roble4417")
        llm.block()
        await edits(app, original, "anotá que la clave es roble4471")
        async with asyncio.timeout(5):
            await llm.started.wait()
        assert await notes(app) == []
    llm.release()
    llm.drop_lines()
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED, clock=clock) as app:
        llm.add(call("save_note", {"content": "la clave es roble4471"}))
        await app.idle()
        assert await notes(app) == ["la clave es roble4471"]
        [told] = app.replies_to(ALICE)
        assert told.startswith(say(PIPELINE.edit_undone, "es", subject="la clave es roble4417"))


# Edited or deleted before it was answered.


async def test_an_edit_that_overtakes_its_message_is_what_is_answered_once(app: AppUnderTest) -> None:
    now = app.clock.now()
    await app.post(edit_of("wamid.late", "what is 3+3?", "wamid.edit", now))
    await app.idle()
    await app.post(text_message("what is 2+2?", id="wamid.late", at=now))
    await app.idle()
    await app.post(edit_of("wamid.late", "what is 3+3?", "wamid.edit", now))
    await app.idle()
    assert app.replies_to(ALICE) == ["echo: what is 3+3?"]


async def test_both_in_one_delivery_are_answered_once_in_either_order(app: AppUnderTest) -> None:
    now = app.clock.now()
    for number in range(2):
        first = text_message("what is 2+2?", id=f"wamid.{number}", at=now)
        edit = edit_of(f"wamid.{number}", "what is 3+3?", f"wamid.e{number}", now)
        await app.post(*((first, edit) if number else (edit, first)))
        await app.idle()
    assert app.replies_to(ALICE) == ["echo: what is 3+3?"] * 2


async def test_an_older_edit_that_comes_later_changes_nothing(tmp_path: Path) -> None:
    async with running_app(tmp_path, debounce_ms=1200) as app:
        now = app.clock.now()
        await app.post(text_message("one", id="wamid.first", at=now))
        await app.post(edit_of("wamid.first", "three", "wamid.e3", now + timedelta(seconds=3)))
        await app.post(edit_of("wamid.first", "two", "wamid.e2", now + timedelta(seconds=2)))
        await app.clock.advance(2)
        await app.idle()
        assert app.replies_to(ALICE) == ["echo: three"]
        await app.say(ALICE, "next")
        assert "two" not in [one.content for one in app.llm.requests[-1].messages]


async def test_an_edit_keeps_what_the_message_quotes(tmp_path: Path) -> None:
    async with running_app(tmp_path, debounce_ms=1200) as app:
        quoted = await app.receive(ALICE, "the gate code is 7719")
        await app.clock.advance(2)
        await app.idle()
        original = await app.receive(ALICE, "what is thsi?", quote=quoted)
        await edits(app, original, "what is this?")
        await app.clock.advance(2)
        await app.idle()
        newest = app.llm.requests[-1].messages[-1].content
        assert "what is this?" in newest
        assert newest.count("the gate code is 7719") == 1


async def test_a_message_that_is_deleted_while_it_is_worked_on_is_not_answered(app: AppUnderTest) -> None:
    app.llm.block()
    original = await app.receive(ALICE, "my password is swordfish")
    async with asyncio.timeout(5):
        await app.llm.started.wait()
    await revokes(app, original)
    await app.idle()
    app.llm.release()
    assert app.replies_to(ALICE) == []
    assert app.llm.cancelled == 1
    await app.say(ALICE, "next")
    assert app.replies_to(ALICE) == ["echo: next"]
    assert "swordfish" not in str(app.llm.requests[-1].messages)
    async with Database.open(app.database) as db:
        assert await db.fetch_all("SELECT id FROM inbox WHERE payload LIKE '%swordfish%'") == []


async def test_the_others_of_its_turn_are_answered_without_it(tmp_path: Path) -> None:
    async with running_app(tmp_path, debounce_ms=1200) as app:
        app.llm.block()
        first = await app.receive(ALICE, "forget this")
        await app.receive(ALICE, "what is 2+2?")
        await app.clock.advance(2)
        async with asyncio.timeout(5):
            await app.llm.started.wait()
        await revokes(app, first)
        app.llm.release()
        await app.idle()
        assert app.replies_to(ALICE) == ["echo: what is 2+2?"]


@pytest.mark.needs("notes")
async def test_what_was_done_already_is_told_although_the_message_is_gone(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    llm.category = "notes"
    async with running_app(tmp_path, llm=llm) as app:

        def block(_: object) -> Any:
            llm.block()
            return calls(("save_note", {"content": "gate code 7719"}))

        llm.add(block, "Noted.")
        original = await app.receive(ALICE, "note: gate code 7719")
        async with asyncio.timeout(5):
            while len(llm.requests) < 2:
                await asyncio.sleep(0)
        await revokes(app, original)
        llm.release()
        await app.idle()
        [told] = [send for send in app.graph.sends if send.recipient == ALICE]
        assert told.text == "Noted."
        assert is_question(told), "it can be undone"
