"""What was dealt with long ago goes by itself; what people keep, quote or took back stays as it was."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.database.db import Database
from app.simulator.payloads import SimUser, text
from tests.builders import ALICE
from tests.fakes.clock import FrozenClock
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, AppUnderTest, running_app

STRANGER = "5491155599999"
GROWING = (
    "inbox",
    "outbox",
    "processed_messages",
    "turn_traces",
    "strangers",
    "tool_journal",
    "reminders",
    "questions",
    "charges",
    "charges_of_nobody",
    "model_use",
)
MONTHS = timedelta(days=120)


async def counts(app: AppUnderTest) -> dict[str, int]:
    """Count the rows of the tables that grow, as far as their abilities are there."""
    async with Database.open(app.database) as db:
        found = {}
        for table in [one for one in GROWING if await db.list_columns(one)]:
            rows = await db.fetch_all(f"SELECT count(*) AS n FROM {table}")
            found[table] = int(rows[0]["n"])
        return found


async def months_later(app: AppUnderTest) -> None:
    await app.clock.advance(MONTHS.total_seconds())
    await app.idle()


async def test_months_later_the_queues_hold_only_the_newest(app: AppUnderTest) -> None:
    for n in range(5):
        await app.say(ALICE, f"mensaje {n}")
    await app.graph.receive(SimUser(STRANGER, "Eve"), text("hola"))
    await app.idle()
    assert (await counts(app))["inbox"] == 5
    await months_later(app)
    after = await counts(app)
    assert after["inbox"] == 1, "the newest stays: what is forgotten is forgotten up to it"
    assert (after["outbox"], after["processed_messages"], after["turn_traces"], after["strangers"]) == (0, 1, 1, 0)


@pytest.mark.needs("reminders")
async def test_reminders_that_came_go_and_those_to_come_stay(tmp_path: Path) -> None:
    llm = ScriptedChatModel(echo=True)
    llm.category = "reminders"
    # At noon: in quiet hours nothing comes.
    clock = FrozenClock(datetime(2026, 11, 18, 15, 0, tzinfo=UTC))
    async with running_app(tmp_path, llm=llm, clock=clock, profile=CONSTRAINED, keep_reminders_days=8) as app:
        for text, when in (("regar", "en una hora"), ("podar", "cada lunes a las 10"), ("votar", "en 3 meses")):
            llm.add(json.dumps({"set_reminder": {"text": text, "when": when}}))
            await app.say(ALICE, f"recordame {when} {text}")
        await app.clock.advance(timedelta(hours=2).total_seconds())
        await app.idle()
        assert any("regar" in one for one in app.replies_to(ALICE)[3:]), "it came"
        assert (await counts(app))["reminders"] == 3
        assert (await counts(app))["questions"] == 1, "that of its buttons"
        await app.clock.advance(timedelta(days=10).total_seconds())
        await app.idle()
        assert (await counts(app))["reminders"] == 2
        await app.say(ALICE, "/reminders")
        assert "podar" in app.replies_to(ALICE)[-1]
        assert "votar" in app.replies_to(ALICE)[-1]
        await months_later(app)
        assert (await counts(app))["questions"] == 0, "nobody pressed its buttons"


@pytest.mark.needs("spending")
async def test_what_messages_cost_stays_for_its_days_and_leaves_nothing_behind(tmp_path: Path) -> None:
    async with running_app(tmp_path, keep_spending_days=150) as app:
        for n in range(3):
            await app.say(ALICE, f"mensaje {n}")
        assert (await counts(app))["charges"] == 3
        assert (await counts(app))["model_use"] == 1
        await months_later(app)
        assert (await counts(app))["charges"] == 3, "the outbox is pruned by then, what it cost is not"
        await months_later(app)
        after = await counts(app)
        assert (after["charges"], after["charges_of_nobody"], after["model_use"]) == (0, 0, 0)


async def test_an_old_answer_can_still_be_quoted_and_an_old_message_taken_back(app: AppUnderTest) -> None:
    await app.say(ALICE, "me gusta el ajedrez")
    [answer] = app.graph.sends
    await app.say(ALICE, "otra cosa")
    await months_later(app)
    await app.say(ALICE, "¿y esto?", quote=answer.id)
    shown = "\n".join(one.content for one in app.llm.requests[-1].messages)
    assert 'quotes what you wrote before: "echo: me gusta el ajedrez"' in shown


@pytest.mark.needs("status", "reminders", "spending")
async def test_status_tells_the_admin_how_long_what_is_kept(app: AppUnderTest) -> None:
    await app.say(ALICE, "/status")
    assert "90 días" in app.replies_to(ALICE)[-1]
    assert "30 días" in app.replies_to(ALICE)[-1]
    assert "recordatorios que ya sonaron, 90 días" in app.replies_to(ALICE)[-1]
    assert "lo que costaron los mensajes, 400 días" in app.replies_to(ALICE)[-1]


async def test_zero_keeps_everything(tmp_path: Path) -> None:
    kinds = ("messages", "traces", "strangers", "reminders", "spending")
    for_ever: dict[str, Any] = {f"keep_{kind}_days": 0 for kind in kinds}
    async with running_app(tmp_path, **for_ever) as app:
        for n in range(3):
            await app.say(ALICE, f"mensaje {n}")
        before = await counts(app)
        await months_later(app)
        assert await counts(app) == before
