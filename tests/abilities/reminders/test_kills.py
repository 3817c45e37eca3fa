"""kill -9 while reminders are being fired: what is owed to each person holds every one of them once."""

import asyncio
import json
import random
import signal
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from app.database.db import Database
from app.domain.clock import to_ms
from app.domain.ids import UserId
from app.skills.tools.reminders.repository import NewReminder, Reminders
from tests.abilities.reminders.firing_worker import MOMENTS
from tests.databases import migrated, place_of

ROOT: Final = Path(__file__).resolve().parents[3]
BEGIN: Final = datetime(2026, 11, 18, 12, tzinfo=UTC)
PEOPLE: Final = 200
KILLS: Final = 30
_MINUTES: Final = 50


async def make(data_dir: Path) -> int:
    """Two hundred people with fifty reminders each, one a minute; returns how many there are."""
    async with migrated(place_of(data_dir)) as db:
        reminders = Reminders(db)
        async with db.transaction() as tx:
            for person in range(PEOPLE):
                user_id = UserId(f"p{person}")
                await tx.execute(
                    "INSERT INTO users(user_id, language, last_inbound_at, created_at) VALUES (?, 'en', ?, 0)",
                    user_id,
                    to_ms(BEGIN),
                )
                for minute in range(_MINUTES):
                    due = (BEGIN + timedelta(minutes=minute)).replace(tzinfo=None)
                    new = NewReminder(f"<{person}.{minute}>", "UTC", due)
                    await reminders.add(user_id, new, BEGIN, tx=tx)
    return PEOPLE * _MINUTES


async def fire(data_dir: Path, now: datetime, moment: str = "never", times: int = -1) -> int:
    told = (str(data_dir), now.isoformat(), moment, str(times))
    worker = ("-m", "tests.abilities.reminders.firing_worker", *told)
    process = await asyncio.create_subprocess_exec(
        sys.executable, *worker, cwd=ROOT, stdout=asyncio.subprocess.DEVNULL
    )
    try:
        async with asyncio.timeout(120):
            return await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def owed(data_dir: Path) -> dict[str, list[str]]:
    async with Database.open(place_of(data_dir)) as db:
        rows = await db.fetch_all("SELECT user_id, payload FROM outbox ORDER BY id")
    found: dict[str, list[str]] = {}
    for row in rows:
        body = json.loads(row["payload"])["body"]
        found.setdefault(row["user_id"], []).extend(part.split(">")[0] for part in body.split("<")[1:])
    return found


@pytest.mark.long
async def test_thirty_kills_lose_no_reminder_of_ten_thousand_and_repeat_none(tmp_path: Path) -> None:
    chance, count = random.Random(16), await make(tmp_path)  # which step is last
    now = BEGIN
    for kill in range(KILLS):
        now = BEGIN + timedelta(minutes=_MINUTES * kill // KILLS)
        assert await fire(tmp_path, now, chance.choice(MOMENTS), chance.randint(1, PEOPLE // 2)) == -signal.SIGKILL
    assert await fire(tmp_path, BEGIN + timedelta(minutes=_MINUTES)) == 0
    told = await owed(tmp_path)
    assert sum(map(len, told.values())) == count
    for person in range(PEOPLE):
        assert sorted(told[f"p{person}"]) == sorted(f"{person}.{minute}" for minute in range(_MINUTES))


@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_kill_leaves_all_of_a_message_or_nothing(tmp_path: Path, moment: str) -> None:
    async with migrated(place_of(tmp_path)) as db, db.transaction() as tx:
        await tx.execute(
            "INSERT INTO users(user_id, language, last_inbound_at, created_at) VALUES ('ann', 'en', ?, 0)",
            to_ms(BEGIN),
        )
        for word in ("<tea>", "<cake>"):
            due = BEGIN.replace(tzinfo=None)
            await Reminders(db).add(UserId("ann"), NewReminder(word, "UTC", due), BEGIN, tx=tx)
    assert await fire(tmp_path, BEGIN, moment, 1) == -signal.SIGKILL
    assert await owed(tmp_path) in ({}, {"ann": ["tea", "cake"]})
    assert await fire(tmp_path, BEGIN) == 0
    assert await owed(tmp_path) == {"ann": ["tea", "cake"]}
