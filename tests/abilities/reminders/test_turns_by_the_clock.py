"""What was asked for at a time is looked up then: in a turn of its own that only reads."""

import json
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from app.database.sqlite import sqlite
from app.llm.profiles import ModelProfile
from app.skills.tools.reminders.lexicon import is_question
from tests.abilities.reminders.test_reminders import HOUR, MINUTE, pass_time, rows, wish, world
from tests.builders import ALICE, BOB
from tests.e2e.asking import calls
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, NATIVE, AppUnderTest, running_app

SAID: Final = "todos los días a las 12 decime mis notas"
KEPT: Final = "decime mis notas"


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    async with world(tmp_path) as running:
        yield running


async def set_up(app: AppUnderTest) -> str:
    app.llm.category = "notes"
    await wish(app, ALICE, "anotá comprar velas", "save_note", content="comprar velas")
    await wish(app, BOB, "anotá el secreto de Bob", "save_note", content="el secreto de Bob")
    app.llm.category = "reminders"
    told = await wish(app, ALICE, SAID, text="mis notas", when="todos los días a las 12")
    app.llm.category = "notes"
    return told


def audit(app: AppUnderTest) -> list[tuple[str, str]]:
    with closing(sqlite.connect(f"file:{app.data_dir}/wasap.db?mode=ro", uri=True)) as db:
        return list(db.execute("SELECT tool, verdict FROM audit_events WHERE phase = 'outcome' ORDER BY id"))


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("decime el clima y mis tareas", True),
        ("porfa, mandame un resumen de mis pendientes", True),
        ("tell me the weather and my tasks", True),
        ("give me a summary of my day", True),
        ("decime que llame a Ana", False),
        ("tell me to check the weather station", False),
        ("avisame que hay lista de espera", False),
        ("llamar al banco", False),
        ("mandame un abrazo", False),
    ],
)
def test_what_is_to_be_looked_up_is_told_from_what_is_to_be_said(text: str, is_one: bool) -> None:
    assert is_question(text) is is_one


async def test_at_its_time_the_wish_is_answered_each_day_with_tools_that_read(app: AppUnderTest) -> None:
    told = await set_up(app)
    assert "Lo miro en ese momento" in told
    assert "todos los días, 12:00" in told
    assert [(text, rule) for text, _, rule in rows(app)] == [(KEPT, "FREQ=DAILY")]
    for _ in range(2):
        before = len(app.replies_to(ALICE))
        app.llm.add(json.dumps({"list_notes": {}}))
        await pass_time(app, 1.5 * HOUR)
        [answer] = app.replies_to(ALICE)[before:]
        assert answer.startswith("⏰ Como me pediste:")
        assert "comprar velas" in answer
        assert "Bob" not in answer
        await app.say(ALICE, "/zone")
        await pass_time(app, 11 * HOUR)
        await app.say(ALICE, "/zone")
        await pass_time(app, 11.5 * HOUR)
    assert [tool for tool, verdict in audit(app) if verdict == "ok"].count("list_notes") == 2
    assert len(app.replies_to(BOB)) == 1
    assert not [mark for mark in app.graph.reads if mark.message_id.startswith("clock")]


async def test_nothing_is_changed_by_a_turn_that_nobody_wrote_for(app: AppUnderTest) -> None:
    await set_up(app)
    calls = [{"save_note": {"content": "decime mis notas"}}, {"delete_note": {"note": "velas"}}]
    app.llm.category = "notes,reminders"
    for call in (*calls, {"cancel_reminder": {"reminder": "all"}}):
        app.llm.add(json.dumps(call))
    await pass_time(app, 1.5 * HOUR)
    with closing(sqlite.connect(f"file:{app.data_dir}/wasap.db?mode=ro", uri=True)) as db:
        assert db.execute("SELECT content FROM notes ORDER BY id").fetchall() == [
            ("comprar velas",),
            ("el secreto de Bob",),
        ]
    assert len(rows(app)) == 1


async def test_it_never_joins_or_answers_what_the_person_writes(app: AppUnderTest) -> None:
    await set_up(app)
    app.llm.category = "none"
    before = len(app.replies_to(ALICE))
    await app.clock.advance(1.5 * HOUR - 1)
    await app.receive(ALICE, "hola")
    await pass_time(app, 2)
    answers = app.replies_to(ALICE)[before:]
    assert len(answers) == 2
    assert [answer.startswith("⏰") for answer in answers] == [False, True]
    with closing(sqlite.connect(f"file:{app.data_dir}/wasap.db?mode=ro", uri=True)) as db:
        written = [text for (text,) in db.execute("SELECT text FROM messages WHERE role = 'user'")]
    assert KEPT not in written


def told_by_the_clock(app: AppUnderTest) -> int:
    return sum(answer.startswith("⏰ Como me pediste") for answer in app.replies_to(ALICE))


async def test_with_a_closed_window_it_waits_and_only_the_last_one_is_looked_up(app: AppUnderTest) -> None:
    await set_up(app)
    app.llm.category = "none"
    for hours in (10, 20, 20, 20):
        await pass_time(app, hours * HOUR)
    assert told_by_the_clock(app) == 1, "within the window that the last message opened"
    await app.say(ALICE, "hola")
    await pass_time(app, MINUTE)
    assert told_by_the_clock(app) == 2


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("schedule_task", {"description": "regar", "delay_minutes": 20}),
        ("create_cron", {"message": "regar", "schedule": "en 20 minutos"}),
    ],
)
async def test_reminders_answer_to_the_names_that_other_assistants_use(
    app: AppUnderTest, tool: str, arguments: dict[str, object]
) -> None:
    await wish(app, ALICE, "recordame en 20 minutos regar", tool, **arguments)
    assert [text for text, *_ in rows(app)] == ["regar"]
    for name in ("list_schedules", "list_crons"):
        assert "regar" in await wish(app, ALICE, "qué recordatorios tengo", name)
    assert "regar" not in await wish(app, BOB, "qué recordatorios tengo", "list_crons")
    await wish(app, BOB, "borrá el recordatorio 1", "delete_cron", job_id=1)
    assert len(rows(app)) == 1
    await wish(app, ALICE, "borrá el recordatorio 1", "delete_cron", job_id=1)
    assert rows(app) == []


@pytest.mark.parametrize("profile", [NATIVE, CONSTRAINED])
@pytest.mark.parametrize("written", ["list_crons()", '{"name": "list_schedules", "arguments": {}}'])
async def test_a_call_that_a_model_writes_as_text_is_done_under_those_names_too(
    tmp_path: Path, profile: ModelProfile, written: str
) -> None:
    async with running_app(tmp_path, llm=ScriptedChatModel(), profile=profile) as app:
        app.llm.category = "reminders"
        app.llm.add(calls(("set_reminder", {"text": "regar", "when": "en 20 minutos"})), "Listo.", "Listo.")
        await app.say(ALICE, "recordame en 20 minutos regar")
        app.llm.drop_lines()
        app.llm.add(written, "Tenés uno.", "Tenés uno.")
        await app.say(ALICE, "qué recordatorios tengo")
        assert written not in app.replies_to(ALICE)
    with closing(sqlite.connect(tmp_path / "wasap.db")) as db:
        done = {tool for (tool,) in db.execute("SELECT tool FROM audit_events WHERE phase = 'outcome'")}
    assert "list_reminders" in done


@pytest.mark.parametrize(
    "said",
    [
        'recordame con cron "0 8 * * 1-5" tomar la pastilla',
        "recordame tomar la pastilla de lunes a viernes a las 8",
    ],
)
async def test_a_time_in_crons_notation_is_kept_as_the_rule_that_it_is(app: AppUnderTest, said: str) -> None:
    told = await wish(app, ALICE, said, "create_cron", message="tomar la pastilla", schedule="0 8 * * 1-5")
    assert rows(app) == [("tomar la pastilla", "2026-11-19T08:00:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR")]
    assert "de lunes a viernes, 8:00" in told
    await wish(
        app, ALICE, "cambiá la pastilla a 30 9 * * *", "change_reminder", when="30 9 * * *", reminder="pastilla"
    )
    assert rows(app) == [("tomar la pastilla", "2026-11-19T09:30:00", "FREQ=DAILY")]


@pytest.mark.parametrize("notation", ["0 8 1,15 * *", "0 8 31 * *", "0 0 8 * * 1-5"])
async def test_a_notation_that_is_not_one_rule_is_refused_with_a_sentence(
    app: AppUnderTest, notation: str
) -> None:
    said = f"recordame con cron {notation} cobrar"
    told = await wish(app, ALICE, said, "create_cron", message="cobrar", schedule=notation)
    assert "notación de cron" in told
    assert "cobrar" in told
    assert rows(app) == []
