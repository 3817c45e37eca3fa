"""kill -9 of the whole service while it delivers reminders: counted where Meta takes them."""

import asyncio
import random
from collections import Counter, deque
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import httpx
import pytest

from app.domain.clock import to_ms
from app.domain.ids import UserId
from app.skills.tools.reminders.repository import NewReminder, Reminders
from tests.builders import encode, signed_headers, status, webhook_payload
from tests.databases import migrated, place_of
from tests.e2e.crash_world import POLL_S, World, open_world

pytestmark = pytest.mark.lengthy

PATIENCE_S: Final = 1500
BATCHES: Final = 10
FILLING: Final = "x" * 220
"""So long are the reminders that a message holds four of them."""


async def make(directory: Path, people: int, each: int, apart_s: float) -> None:
    """Reminders that come due in ten batches."""
    data_dir = directory / "data"
    data_dir.mkdir()
    now = datetime.now(UTC)
    async with migrated(place_of(data_dir)) as db:
        reminders = Reminders(db)
        async with db.transaction() as tx:
            for person in range(people):
                user_id = UserId(f"p{person}")
                await tx.execute(
                    "INSERT INTO users(user_id, language, wa_id, last_inbound_at, created_at)"
                    " VALUES (?1, 'en', ?2, ?3, ?3)",
                    user_id,
                    f"549116{person:07}",
                    to_ms(now),
                )
                for number in range(each):
                    due = now + timedelta(seconds=apart_s * (number % BATCHES))
                    new = NewReminder(f"<{person}.{number}>{FILLING}", "UTC", due.replace(tzinfo=None))
                    await reminders.add(user_id, new, now, tx=tx)


class Edge:
    """What Graph accepted, as it comes: the transcript itself forgets."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._seen = 0
        self._lately: deque[tuple[str, str, str]] = deque(maxlen=500)
        self.messages: Counter[str] = Counter()
        self.told: Counter[str] = Counter()

    def look(self) -> None:
        for event in self._world.graph.transcript.since(self._seen):
            self._seen = event.seq
            if event.kind == "send":
                self.messages[str(event.data["tracker"])] += 1
                self._lately.append((str(event.data["id"]), event.user, str(event.data["tracker"])))
                for part in str(event.data["text"]).split("<")[1:]:
                    whose = str(event.user).removeprefix("549116").lstrip("0") or "0"
                    name = part.split(">")[0]
                    assert name.split(".")[0] == whose, "a reminder went to somebody else"
                    self.told[name] += 1

    async def report(self) -> None:
        """Tell the service at once what was taken lately, in one POST: the courier brings one by one, and late."""
        self.look()
        statuses = [status(id_, "sent", recipient=who, tracker=tracker) for id_, who, tracker in self._lately]
        body = encode(webhook_payload(statuses=statuses))
        async with httpx.AsyncClient(base_url=self._world.service.base_url, timeout=10) as http:
            await http.post("/webhook", content=body, headers=signed_headers(body))

    async def reach(self, *, messages: int = 0, told: int = 0) -> None:
        """Wait until so many messages, or different reminders, were taken."""
        while self.messages.total() < messages or len(self.told) < told:
            await self._world.graph.transcript.wait_beyond(self._seen, timeout_s=1)
            self.look()


async def survive(directory: Path, *, people: int, each: int, kills: int, apart_s: float) -> int:
    """Return how many messages came again."""
    await make(directory, people, each, apart_s)
    chance = random.Random(16)
    bubbles = people * each // 5
    async with asyncio.timeout(PATIENCE_S), open_world(directory, seed=16) as world:
        edge = Edge(world)
        watching = asyncio.create_task(edge.reach(told=people * each))
        for moment in sorted(chance.randint(1, bubbles) for _ in range(kills)):
            await edge.reach(messages=moment)
            await world.service.kill()
            await world.service.start()
            await world.service.up.wait()
            await edge.report()
        await watching
        await world.graph.idle()
        while set(await world.service.states("outbox")) != {"sent"}:
            await asyncio.sleep(POLL_S)
        edge.look()
        in_doubt = frozenset().union(*world.service.photographs)
        assert len(world.service.photographs) == kills
    repeated = {tracker for tracker, count in edge.messages.items() if count > 1}
    assert len(edge.told) == people * each, "every reminder arrives"
    assert repeated <= in_doubt, "only what was on its way at a kill may come twice"
    again = edge.messages.total() - len(edge.messages)
    assert again <= kills
    (directory / "figures.txt").write_text(
        f"{len(edge.told)} reminders in {len(edge.messages)} messages, {kills} kills, {again} repeated\n", "utf-8"
    )
    return again


@pytest.mark.timeout(240)  # it starts the service twice, which a busy machine makes long
async def test_a_kill_loses_no_reminder_and_repeats_none_that_was_not_on_its_way(tmp_path: Path) -> None:
    await survive(tmp_path, people=8, each=10, kills=1, apart_s=0.5)


@pytest.mark.long
async def test_thirty_kills_deliver_ten_thousand_reminders_of_two_hundred_people_once(tmp_path: Path) -> None:
    await survive(tmp_path, people=200, each=50, kills=30, apart_s=6)
