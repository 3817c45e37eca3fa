"""Reminders, from the message to the message: set, fired once, late, put off, changed, never somebody else's."""

import json
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from app.database.db import Database
from app.database.sqlite import sqlite
from app.simulator.payloads import button_reply
from app.skills.tools.reminders.repository import ReminderQueue
from tests.builders import ALICE, BOB
from tests.fakes.clock import FrozenClock
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, PEOPLE, AppUnderTest, running_app

NOW: Final = datetime(2026, 11, 18, 13, 30, tzinfo=UTC)
"""Half past ten on a Wednesday in Buenos Aires, where the numbers of both are."""
MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    async with world(tmp_path) as running:
        yield running


def world(folder: Path, clock: FrozenClock | None = None) -> Any:
    llm = ScriptedChatModel(echo=True)
    llm.category = "reminders"
    return running_app(folder, llm=llm, clock=clock or FrozenClock(NOW), profile=CONSTRAINED)


async def wish(app: AppUnderTest, person: str, said: str, tool: str = "set_reminder", **arguments: object) -> str:
    """Say something that the model turns into one call; returns what the person reads, newest last."""
    before = len(app.replies_to(person))
    app.llm.add(json.dumps({tool: arguments}))
    await app.say(person, said)
    return "\n".join(app.replies_to(person)[before:])


async def pass_time(app: AppUnderTest, seconds: float) -> None:
    await app.clock.advance(seconds)
    await app.idle()


async def press(app: AppUnderTest, person: str, title: str) -> None:
    """Press the button with that title under the newest message that has one."""
    for send in reversed(app.graph.sends):
        interactive: Any = send.payload.get("interactive", {})
        for button in interactive.get("action", {}).get("buttons", ()):
            if send.recipient == person and title in button["reply"]["title"]:
                await app.graph.receive(PEOPLE[person], button_reply(button["reply"]["id"], title))
                await app.idle()
                return
    raise AssertionError(f"no button {title!r}")


def rows(app: AppUnderTest) -> list[tuple[str, str, str]]:
    with closing(sqlite.connect(f"file:{app.data_dir}/wasap.db?mode=ro", uri=True)) as db:
        return list(db.execute("SELECT text, due_local, rule FROM reminders WHERE due_at IS NOT NULL ORDER BY id"))


async def test_a_reminder_is_told_back_in_full_and_comes_once_at_its_time(app: AppUnderTest) -> None:
    told = await wish(
        app, ALICE, "recordame mañana a las 8:40 llamar al banco", text="llamar al banco", when="mañana a las 8:40"
    )
    assert "llamar al banco" in told
    assert "mañana, jueves 19 de noviembre, 8:40" in told
    before = len(app.replies_to(ALICE))
    await pass_time(app, 22 * HOUR + 9 * MINUTE)
    assert app.replies_to(ALICE)[before:] == []
    await pass_time(app, MINUTE)
    assert app.replies_to(ALICE)[before:] == ["⏰ llamar al banco"]
    await pass_time(app, DAY)
    assert len(app.replies_to(ALICE)) == before + 1


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("recordame el viernes a las 10 pagar la luz", ""),
        ("pagar la luz", "a las 10"),
        ("pagar la luz", "el viernes"),
        ("pagar la luz", "el sábado a las 10"),
    ],
)
async def test_what_a_model_leaves_out_or_makes_up_changes_nothing(
    app: AppUnderTest, text: str, when: str
) -> None:
    await wish(app, ALICE, "recordame el viernes a las 10 pagar la luz", text=text, when=when)
    assert rows(app) == [("pagar la luz", "2026-11-20T10:00:00", "")]


async def test_a_doubtful_hour_is_asked_about_and_a_button_sets_it(app: AppUnderTest) -> None:
    told = await wish(
        app, ALICE, "recordame mañana a las 5 sacar fotos", text="sacar fotos", when="mañana a las 5"
    )
    assert rows(app) == []
    assert "sacar fotos" in told
    await press(app, ALICE, "mañana 17:00")
    assert rows(app) == [("sacar fotos", "2026-11-19T17:00:00", "")]
    assert "17:00" in app.replies_to(ALICE)[-1]
    await press(app, ALICE, "mañana 5:00")
    assert rows(app) == [("sacar fotos", "2026-11-19T17:00:00", "")]


async def test_without_a_time_the_person_is_asked_when(app: AppUnderTest) -> None:
    told = await wish(app, ALICE, "recordame comprar velas", text="comprar velas", when="")
    assert "¿Para cuándo?" in told
    assert rows(app) == []


async def test_several_at_once_come_in_one_message_and_late_ones_say_how_late(tmp_path: Path) -> None:
    clock = FrozenClock(NOW)
    async with world(tmp_path, clock) as app:
        await wish(
            app, ALICE, "recordame en 20 minutos apagar el horno", text="apagar el horno", when="en 20 minutos"
        )
        await wish(app, ALICE, "recordame en 25 minutos poner la mesa", text="poner la mesa", when="en 25 minutos")
    await clock.advance(3 * HOUR)
    async with world(tmp_path, clock) as app:
        await app.idle()
        [told] = app.replies_to(ALICE)
    assert "2 recordatorios" in told
    assert "apagar el horno (era hoy, miércoles 18 de noviembre, 10:50; llega 2 horas tarde)" in told
    assert "poner la mesa" in told
    async with world(tmp_path, clock) as app:
        await app.idle()
        assert app.replies_to(ALICE) == []


@pytest.mark.parametrize(
    ("title", "due"), [("En 10 minutos", "2026-11-18T11:10:00"), ("Mañana", "2026-11-19T11:00:00")]
)
async def test_a_reminder_is_put_off_by_its_buttons_once(app: AppUnderTest, title: str, due: str) -> None:
    await wish(app, ALICE, "avisame en media hora que llame a Eva", text="llame a Eva", when="en media hora")
    await pass_time(app, 30 * MINUTE)
    assert rows(app) == []
    await press(app, ALICE, title)
    assert rows(app) == [("llame a Eva", due, "")]
    await press(app, ALICE, title)
    assert rows(app) == [("llame a Eva", due, "")]


async def test_putting_off_a_reminder_that_was_cancelled_meanwhile_says_so(app: AppUnderTest) -> None:
    await wish(app, ALICE, "avisame en media hora que llame a Eva", text="llame a Eva", when="en media hora")
    await pass_time(app, 30 * MINUTE)
    await wish(app, ALICE, "cancelá lo de Eva", "cancel_reminder", reminder="Eva")
    await press(app, ALICE, "Mañana")
    assert "Ya no tengo ese recordatorio" in app.replies_to(ALICE)[-1]
    assert rows(app) == []


async def test_a_repeating_reminder_comes_each_time_and_is_not_lost_to_a_snooze(app: AppUnderTest) -> None:
    said = "todos los días a las 21:30 recordame regar"
    told = await wish(app, ALICE, said, text="regar", when="todos los días a las 21:30")
    assert "todos los días, 21:30" in told
    for _ in range(2):
        await app.say(ALICE, "/zone")
        before = len(app.replies_to(ALICE))
        await pass_time(app, 11 * HOUR)
        assert app.replies_to(ALICE)[before:] == ["⏰ regar"]
        await pass_time(app, 13 * HOUR)
    await press(app, ALICE, "En 10 minutos")
    assert [(text, rule) for text, _, rule in rows(app)] == [("regar", "FREQ=DAILY"), ("regar", "")]


async def test_a_reminder_is_changed_and_cancelled_by_words(app: AppUnderTest) -> None:
    await wish(app, ALICE, "recordame el viernes a las 9 ir al dentista", text="ir al dentista", when="")
    await wish(app, ALICE, "recordame el viernes a las 11 comprar flores", text="comprar flores", when="")
    await wish(
        app, ALICE, "lo del dentista mejor a las 10", "change_reminder", when="a las 10", reminder="dentista"
    )
    assert rows(app)[0] == ("ir al dentista", "2026-11-20T10:00:00", "")
    listed = await wish(app, ALICE, "qué recordatorios tengo", "list_reminders")
    assert listed.index("ir al dentista") < listed.index("comprar flores")
    which = await wish(app, ALICE, "cancelá el recordatorio", "cancel_reminder", reminder="recordatorio")
    assert len(rows(app)) == 2
    assert "¿Cuál" in which
    told = await wish(app, ALICE, "cancelá lo de las flores", "cancel_reminder", reminder="flores")
    assert told == "Cancelado: comprar flores"
    assert [text for text, *_ in rows(app)] == ["ir al dentista"]


async def test_a_repeating_reminder_gets_another_hour_and_keeps_its_days(app: AppUnderTest) -> None:
    await wish(app, ALICE, "cada lunes y jueves a las 18 recordame entrenar", text="entrenar", when="")
    await wish(
        app, ALICE, "lo de entrenar mejor a las 19", "change_reminder", when="a las 19", reminder="entrenar"
    )
    assert rows(app) == [("entrenar", "2026-11-19T19:00:00", "FREQ=WEEKLY;BYDAY=MO,TH")]


async def test_nobody_sees_changes_or_cancels_what_is_not_theirs(app: AppUnderTest) -> None:
    await wish(app, ALICE, "recordame el viernes a las 9 ir al dentista", text="ir al dentista", when="")
    assert "dentista" not in await wish(app, BOB, "qué recordatorios tengo", "list_reminders")
    for tool, arguments in (
        ("change_reminder", {"when": "el lunes a las 9", "reminder": "1"}),
        ("cancel_reminder", {"reminder": "dentista"}),
        ("cancel_reminder", {"reminder": "todos"}),
    ):
        assert "dentista" not in await wish(app, BOB, "cancelá todo", tool, **arguments)
    assert rows(app) == [("ir al dentista", "2026-11-20T09:00:00", "")]
    before = len(app.replies_to(BOB))
    await wish(app, ALICE, "avisame en 5 minutos: té", text="té", when="en 5 minutos")
    await pass_time(app, 5 * MINUTE)
    assert app.replies_to(ALICE)[-1] == "⏰ té"
    assert len(app.replies_to(BOB)) == before


async def test_with_a_closed_window_a_reminder_waits_for_the_next_message_and_says_so_before(
    app: AppUnderTest,
) -> None:
    told = await wish(app, ALICE, "recordame el viernes a las 9 ir al dentista", text="ir al dentista", when="")
    assert "24 horas" in told
    before = len(app.replies_to(ALICE))
    await pass_time(app, 2 * DAY)
    assert app.replies_to(ALICE)[before:] == []
    await app.say(ALICE, "/zone")
    await pass_time(app, MINUTE)
    late = app.replies_to(ALICE)[-1]
    assert late.startswith("⏰ ir al dentista (era hoy, viernes 20 de noviembre, 9:00; llega 91 minutos")


async def test_the_zone_comes_from_the_number_until_a_place_is_named(app: AppUnderTest) -> None:
    await app.say(ALICE, "/zone")
    assert "10:30" in app.replies_to(ALICE)[-1]
    await app.say(ALICE, "/zone Madrid")
    assert "14:30" in app.replies_to(ALICE)[-1]
    await wish(app, ALICE, "recordame hoy a las 16 la siesta", text="la siesta", when="")
    await pass_time(app, 90 * MINUTE)
    assert app.replies_to(ALICE)[-1] == "⏰ la siesta"
    await app.say(ALICE, "/zone Nowhereland")
    assert "Nowhereland" in app.replies_to(ALICE)[-1]


async def test_nobody_is_woken_at_night_but_for_an_hour_that_they_asked_for(tmp_path: Path) -> None:
    clock = FrozenClock(NOW)
    async with world(tmp_path, clock) as app:
        await wish(app, ALICE, "recordame en 2 horas la ropa", text="la ropa", when="en 2 horas")
        await wish(app, ALICE, "recordame mañana a las 3 de la mañana el eclipse", text="el eclipse", when="")
    await clock.advance(15 * HOUR + 30 * MINUTE)
    async with world(tmp_path, clock) as app:
        await pass_time(app, HOUR)
        assert app.replies_to(ALICE) == ["⏰ el eclipse"]
        await pass_time(app, 5 * HOUR)
        assert "la ropa" in app.replies_to(ALICE)[-1]


async def test_the_simulator_sees_what_comes_next_the_nearest_first(app: AppUnderTest) -> None:
    await wish(app, ALICE, "recordame en 3 horas regar", text="regar", when="en 3 horas")
    await wish(app, BOB, "recordame en 2 horas barrer", text="barrer", when="en 2 horas")
    async with Database.open(app.database) as db:
        found = await ReminderQueue().list_next(db, limit=5)
    assert [(wa_id, text) for wa_id, _, text in found] == [(BOB, "barrer"), (ALICE, "regar")]
    assert found[0][1] == NOW + timedelta(hours=2)


@pytest.mark.parametrize(
    ("said", "days"),
    [("/zone Madrid esta semana", 4), ("/zone Madrid hasta el viernes", 2), ("/zone Madrid until Friday", 2)],
)
async def test_a_zone_for_some_days_ends_by_itself(app: AppUnderTest, said: str, days: int) -> None:
    await app.say(ALICE, "/zone Buenos Aires")
    await app.say(ALICE, said)
    assert "Europe/Madrid" in app.replies_to(ALICE)[-1]
    await wish(app, ALICE, "recordame mañana a las 9:30 correr", text="correr", when="mañana a las 9:30")
    # In Madrid, where it is half past two in the afternoon now.
    await pass_time(app, 19 * HOUR)
    assert app.replies_to(ALICE)[-1] == "⏰ correr"
    await app.say(ALICE, "/zone")
    assert "Europe/Madrid" in app.replies_to(ALICE)[-1]
    await pass_time(app, days * DAY)
    await app.say(ALICE, "/zone")
    assert "Buenos_Aires" in app.replies_to(ALICE)[-1]


async def test_a_stay_that_is_not_understood_changes_nothing(app: AppUnderTest) -> None:
    await app.say(ALICE, "/zone Madrid hasta que vuelva")
    assert "hasta cuándo" in app.replies_to(ALICE)[-1]
    await app.say(ALICE, "/zone")
    assert "Madrid" not in app.replies_to(ALICE)[-1].partition(".")[0]
