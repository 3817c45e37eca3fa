"""What was dealt with long ago goes by itself; what people keep, quote or took back stays as it was."""

from datetime import timedelta
from pathlib import Path

from app.database.db import Database
from app.simulator.payloads import SimUser, text
from tests.builders import ALICE
from tests.harness import AppUnderTest, running_app

STRANGER = "5491155599999"
GROWING = ("inbox", "outbox", "processed_messages", "turn_traces", "strangers", "tool_journal")
MONTHS = timedelta(days=120)


async def counts(app: AppUnderTest) -> dict[str, int]:
    async with Database.open(app.data_dir / "wasap.db") as db:
        found = {}
        for table in GROWING:
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


async def test_an_old_answer_can_still_be_quoted_and_an_old_message_taken_back(app: AppUnderTest) -> None:
    await app.say(ALICE, "me gusta el ajedrez")
    [answer] = app.graph.sends
    await app.say(ALICE, "otra cosa")
    await months_later(app)
    await app.say(ALICE, "¿y esto?", quote=answer.id)
    assert "ajedrez" in "\n".join(one.content for one in app.llm.requests[-1].messages)


async def test_status_tells_the_admin_how_long_what_is_kept(app: AppUnderTest) -> None:
    await app.say(ALICE, "/status")
    assert "90 días" in app.replies_to(ALICE)[-1]
    assert "30 días" in app.replies_to(ALICE)[-1]


async def test_zero_keeps_everything(tmp_path: Path) -> None:
    async with running_app(tmp_path, keep_messages_days=0, keep_traces_days=0, keep_strangers_days=0) as app:
        for n in range(3):
            await app.say(ALICE, f"mensaje {n}")
        before = await counts(app)
        await months_later(app)
        assert await counts(app) == before
