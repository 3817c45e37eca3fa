"""When tasks are due: said, shown, told on the day, changed, removed, undone; from message to message."""

import json
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any, Final

import pytest

from app.database.sqlite import sqlite
from app.language.catalogue import Language
from app.simulator.payloads import button_reply
from app.skills.tools.projects.due import Due, Unclear, due_at_end, read_wanted
from tests.builders import ALICE, BOB
from tests.fakes.clock import FrozenClock
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, PEOPLE, AppUnderTest, running_app

NOW: Final = datetime(2026, 11, 18, 13, 30, tzinfo=UTC)
"""Half past ten on a Wednesday in Buenos Aires, where the numbers of both are."""
LOCAL: Final = datetime(2026, 11, 18, 10, 30)
HOUR, DAY = 3600.0, 86400.0


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    llm = ScriptedChatModel(echo=True)
    llm.category = "projects"
    async with running_app(
        tmp_path, llm=llm, clock=FrozenClock(NOW), profile=CONSTRAINED, max_tools_per_call=20
    ) as running:
        for person in (ALICE, BOB):
            await call(running, person, "armá el proyecto Casa", "create_project", name="Casa")
        yield running


async def call(app: AppUnderTest, person: str, said: str, tool: str, **arguments: object) -> str:
    """Say something that the model turns into one call; returns what the person reads."""
    before = len(app.replies_to(person))
    app.llm.add(json.dumps({tool: arguments}))
    await app.say(person, said)
    return "\n".join(app.replies_to(person)[before:])


async def add(app: AppUnderTest, said: str, title: str, person: str = ALICE) -> str:
    return await call(app, person, said, "add_task", project="Casa", title=title)


async def test_a_project_that_a_model_made_up_is_the_one_that_was_just_made(app: AppUnderTest) -> None:
    await call(app, ALICE, "armá el proyecto Mudanza", "create_project", name="Mudanza")

    told = await call(
        app, ALICE, "agregá la tarea comprar cajas", "add_task", project="Navidad", title="comprar cajas"
    )

    assert "Mudanza" in told
    assert "comprar cajas" in told


async def test_a_project_that_is_not_there_is_not_taken_for_another(app: AppUnderTest) -> None:
    said = "agregá la tarea comprar luces al proyecto Navidad"

    told = await call(app, ALICE, said, "add_task", project="Navidad", title="comprar luces")

    assert "Navidad" in told
    assert "☐" not in told


async def pass_time(app: AppUnderTest, seconds: float) -> None:
    await app.clock.advance(seconds)
    await app.idle()


def to_come(app: AppUnderTest) -> list[tuple[str, str]]:
    with closing(sqlite.connect(f"file:{app.data_dir}/wasap.db?mode=ro", uri=True)) as db:
        return list(db.execute("SELECT text, due_local FROM reminders WHERE due_at IS NOT NULL ORDER BY due_at"))


async def test_a_task_with_a_day_is_told_on_its_morning_and_tapped_as_done(app: AppUnderTest) -> None:
    told = await add(app, "sumá a Casa pagar la luz para el viernes", "pagar la luz para el viernes")
    assert "1. pagar la luz (pendiente, vence: pasado mañana, viernes 20 de noviembre)" in told
    await pass_time(app, DAY)
    await app.say(ALICE, "/zone")
    before = len(app.replies_to(ALICE))
    await pass_time(app, 22 * HOUR)
    assert app.replies_to(ALICE)[before:] == []
    await pass_time(app, HOUR / 2)
    assert app.replies_to(ALICE)[before:] == ["⏰ pagar la luz"]
    shown: Any = app.graph.sends[-1].payload
    done = shown["interactive"]["action"]["buttons"][0]["reply"]
    await app.graph.receive(PEOPLE[ALICE], button_reply(done["id"], done["title"]))
    await app.idle()
    assert "1. pagar la luz (hecha)" in await call(app, ALICE, "cómo está Casa?", "get_project", project="Casa")


async def test_a_day_that_the_model_dropped_is_taken_from_the_message(app: AppUnderTest) -> None:
    told = await add(app, "sumá pagar la luz para el 27 a las 15 al proyecto Casa", "pagar la luz")
    assert "vence: viernes 27 de noviembre, 15:00" in told
    assert to_come(app) == [("pagar la luz", "2026-11-27T15:00:00")]


async def test_lists_begin_with_what_is_due_and_mark_what_is_late(app: AppUnderTest) -> None:
    await add(app, "sumá a Casa barrer", "barrer")
    await add(app, "sumá a Casa podar para el lunes", "podar para el lunes")
    await add(app, "sumá a Casa pintar antes del viernes", "pintar antes del viernes")
    await pass_time(app, 3 * DAY)
    shown = await call(app, ALICE, "qué tiene Casa?", "get_project", project="Casa")
    lines = [line for line in shown.splitlines() if line[:1].isdigit()][1:]
    assert lines == [
        "3. pintar (pendiente, ⚠️ vencida: viernes 20 de noviembre)",
        "2. podar (pendiente, vence: pasado mañana, lunes 23 de noviembre)",
        "1. barrer (pendiente)",
    ]
    due = await call(app, ALICE, "qué vence?", "list_due_tasks")
    assert due.splitlines()[1:] == [f"Casa: {line}" for line in lines[:2]]
    assert "Ninguna tarea tiene fecha" in await call(app, BOB, "qué vence?", "list_due_tasks")


async def test_a_day_is_changed_removed_and_both_are_undone(app: AppUnderTest) -> None:
    await add(app, "sumá a Casa podar para el lunes", "podar para el lunes")
    told = await call(app, ALICE, "mejor para el martes", "set_due_date", when="el martes")
    assert "martes 24 de noviembre" in told
    assert to_come(app) == [("podar", "2026-11-24T09:00:00")]
    told = await call(app, ALICE, "sacale la fecha", "set_due_date", task="podar")
    assert told == "Quedó así en Casa: 1. podar (pendiente)"
    assert to_come(app) == []
    await app.say(ALICE, "/undo")
    assert to_come(app) == [("podar", "2026-11-24T09:00:00")]
    assert "martes 24" in await call(app, ALICE, "qué vence?", "list_due_tasks")


async def test_undoing_a_new_task_takes_its_reminder_along(app: AppUnderTest) -> None:
    await add(app, "sumá a Casa podar para el lunes", "podar para el lunes")
    await app.say(ALICE, "/undo")
    assert to_come(app) == []
    assert "Ninguna tarea" in await call(app, ALICE, "qué vence?", "list_due_tasks")


async def test_only_what_is_to_be_done_is_told(app: AppUnderTest) -> None:
    for title in ("podar", "pintar", "barrer"):
        await add(app, f"sumá a Casa {title} para el lunes", f"{title} para el lunes")
    await call(app, ALICE, "ya podé", "update_task", task="podar", status="done")
    assert [text for text, _ in to_come(app)] == ["pintar", "barrer"]
    await call(app, ALICE, "no, falta podar", "update_task", task="podar", status="pending")
    assert {text for text, _ in to_come(app)} == {"podar", "pintar", "barrer"}
    await call(app, ALICE, "para que sea pintar la reja", "correct_task", task="pintar", new="pintar la reja")
    assert {text for text, _ in to_come(app)} == {"podar", "pintar la reja", "barrer"}
    await call(app, ALICE, "borrá barrer", "delete_task", task="barrer")
    await call(app, ALICE, "archivá Casa", "update_project_status", project="Casa", status="archived")
    assert to_come(app) == []
    await call(app, ALICE, "reabrí Casa", "update_project_status", project="Casa", status="active")
    assert {text for text, _ in to_come(app)} == {"podar", "pintar la reja"}


async def test_a_doubtful_day_is_asked_about_and_none_is_taken(app: AppUnderTest) -> None:
    told = await add(app, "sumá a Casa podar para el finde", "podar para el finde")
    assert "¿Para cuándo exactamente? sábado 21 de noviembre / domingo 22 de noviembre" in told
    assert to_come(app) == []
    told = await call(app, ALICE, "para ayer", "set_due_date", task="podar", when="ayer")
    assert "¿Para cuándo?" in told
    assert to_come(app) == []


async def test_nobody_changes_a_day_of_somebody_else(app: AppUnderTest) -> None:
    await add(app, "sumá a Casa podar para el lunes", "podar para el lunes")
    await call(app, BOB, "podar para el martes", "set_due_date", task="podar", when="el martes")
    assert to_come(app) == [("podar", "2026-11-23T09:00:00")]


CASES: Final[tuple[tuple[str, Language, str, Due | None], ...]] = (
    ("pagar la luz para el viernes", "es", "pagar la luz", Due(date(2026, 11, 20))),
    ("pagar la luz antes del 27", "es", "pagar la luz", Due(date(2026, 11, 27))),
    ("mandar el informe, vence mañana a las 15", "es", "mandar el informe", Due(date(2026, 11, 19), time(15))),
    ("entregar a más tardar el lunes", "es", "entregar", Due(date(2026, 11, 23))),
    ("llamar para hoy", "es", "llamar", Due(date(2026, 11, 18))),
    ("reservar hasta fin de mes", "es", "reservar", Due(date(2026, 11, 30))),
    ("rent a van by next Tuesday", "en", "rent a van", Due(date(2026, 11, 24))),
    ("file taxes, due December 3rd", "en", "file taxes", Due(date(2026, 12, 3))),
    ("send slides no later than tomorrow at 5pm", "en", "send slides", Due(date(2026, 11, 19), time(17))),
    ("comprar comida para el gato", "es", "", None),
    ("comprar pan para 4", "es", "", None),
    ("preparar la reunión del lunes", "es", "", None),
    ("leer sobre el lunes negro", "es", "", None),
    ("call Ann by phone", "en", "", None),
    ("wait until she comes", "en", "", None),
    ("buy a gift for Friday's party at school", "en", "", None),
    ("hasta el viernes", "es", "", None),
)


@pytest.mark.parametrize(("said", "language", "what", "due"), CASES)
def test_a_day_is_read_only_where_a_sentence_ends_with_one(
    said: str, language: Language, what: str, due: Due | None
) -> None:
    assert due_at_end(said, LOCAL, language) == (None if due is None else (what, due))


@pytest.mark.parametrize("stored", [Due(date(2026, 12, 3)), Due(date(2026, 12, 3), time(9, 5))])
def test_what_is_stored_is_read_as_it_was_and_can_be_typed_again(stored: Due) -> None:
    assert Due.read(stored.stored) == stored
    assert read_wanted(stored.stored.replace("T", " ")[:16], LOCAL, "es") == stored


def test_a_day_that_no_year_has_is_asked_about() -> None:
    assert read_wanted("el 30 de febrero", LOCAL, "es") == Unclear()
