"""Two web and three worker processes on one PostgreSQL: every message answered, in order, once."""

import asyncio
import json
import random
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from string import ascii_lowercase
from typing import Final

import pytest
import structlog
from starlette.requests import Request
from starlette.responses import Response

from app.simulator.payloads import SimUser
from tests.e2e.crash_world import POLL_S, EchoingOllama
from tests.e2e.fleet import Fleet, open_fleet, people
from tests.postgresql import Server

log = structlog.get_logger(__name__)
pytestmark = pytest.mark.long

USERS: Final = people(50)
EACH: Final = 6
TOTAL: Final = EACH * len(USERS)
PATIENCE_S: Final = 900
"""So that a hang ends: beside other work, a run of kills was not through after 400 s, and nothing was wrong."""
STOPPED_S: Final = 10
MOST_KILLS: Final = 20
THINKS_S: Final = 2.0


class ThinkingOllama(EchoingOllama):
    """Answers after two seconds, as a busy server does."""

    async def _lines(self, answer: str) -> AsyncIterator[str]:
        await asyncio.sleep(THINKS_S)
        async for line in super()._lines(answer):
            yield line


POISON: Final = "good night from"


class DeadlyOllama(EchoingOllama):
    """Kills whoever asks for an answer to a poisonous message."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.fleet: Fleet | None = None
        self.deaths: Counter[str] = Counter()

    async def _chat(self, request: Request) -> Response:
        newest = self.answer_to(json.loads(await request.body()))
        if self.fleet is not None and POISON in newest:
            self.deaths[newest.removeprefix("re: ")] += 1
            await self.fleet.members[request.path_params["number"]].end(signal.SIGKILL)
        return await super()._chat(request)


def texts_of(person: SimUser) -> list[str]:
    """Words that are nobody else's, and that say nothing to whoever sorts messages."""
    name = "".join(ascii_lowercase[int(digit)] for digit in f"{USERS.index(person):02}")
    return [f"good morning from {name} again {ascii_lowercase[n] * 3}" for n in range(EACH)]


async def everybody_writes(fleet: Fleet) -> None:
    async with asyncio.TaskGroup() as tasks:
        for person in USERS:
            tasks.create_task(fleet.write(person, texts_of(person)))


def repeated(fleet: Fleet) -> dict[str, int]:
    """How often each send went out more than once."""
    bubbles = Counter(str(send.tracker) for send in fleet.graph.sends)
    return {tracker: count - 1 for tracker, count in bubbles.items() if count > 1}


def tell(fleet: Fleet, **figures: int) -> None:
    """Write down what a run came to; `pytest -s` shows it."""
    twice, posts = sum(repeated(fleet).values()), dict(fleet.answers)
    log.info("figures", sent_twice=twice, posts=posts, unreached=dict(fleet.unreached), **figures)


async def judge(fleet: Fleet) -> None:
    """Each message answered in order, and by one turn; what went out twice is for the test to judge."""
    for person in USERS:
        heard = list(dict.fromkeys(send.text for send in fleet.replies_to(person)))
        assert heard == [f"re: {one}" for one in texts_of(person)]
    assert await fleet.states("inbox") == {"done": TOTAL}
    assert await fleet.states("outbox") == {"sent": TOTAL}


async def test_everybody_is_answered_in_order_and_once(tmp_path: Path, postgresql: Server) -> None:
    async with open_fleet(tmp_path, postgresql.create(is_migrated=True), users=USERS) as fleet:
        async with asyncio.timeout(PATIENCE_S):
            await everybody_writes(fleet)
            await fleet.answered(TOTAL)
            await fleet.settled()
        await judge(fleet)
        assert repeated(fleet) == {}
        assert fleet.answers.keys() == {200}
        assert not fleet.complaints()


@pytest.mark.parametrize("seed", range(20))
async def test_a_kill_every_second_loses_nothing(tmp_path: Path, postgresql: Server, seed: int) -> None:
    async with open_fleet(tmp_path, postgresql.create(is_migrated=True), users=USERS, seed=seed) as fleet:
        kills = 0

        async def strike() -> None:
            """Kill one that answers, and start it again, each second: starting takes longer than that."""
            nonlocal kills
            rng = random.Random(seed)
            while kills < MOST_KILLS and len({send.text for send in fleet.graph.sends}) < TOTAL - 5:
                await asyncio.sleep(1)
                if up := [one for one in fleet.members if await one.answers()]:
                    victim = rng.choice(up)
                    await victim.end(signal.SIGKILL)
                    kills += 1
                    await victim.start()

        async with asyncio.timeout(PATIENCE_S):
            striking = asyncio.create_task(strike())
            await everybody_writes(fleet)
            await fleet.answered(TOTAL)
            await striking
            await fleet.settled()
        tell(fleet, kills=kills)
        await judge(fleet)
        assert sum(repeated(fleet).values()) <= kills


@pytest.mark.parametrize("poisoned", [1, 2])
async def test_a_turn_that_kills_whoever_takes_it_ends_and_the_others_are_answered(
    tmp_path: Path, postgresql: Server, poisoned: int
) -> None:
    """Somebody starts dead processes again, as systemd does."""
    people, deadly = USERS[:12], DeadlyOllama(random.Random(1))
    poisons = {one: f"{POISON} {ascii_lowercase[n] * 4}" for n, one in enumerate(people[:poisoned])}
    url = postgresql.create(is_migrated=True)
    async with open_fleet(tmp_path, url, users=people, ollama=deadly, roles=("web", "worker", "worker")) as fleet:

        async def supervise() -> None:
            while True:
                for member in fleet.members:
                    if member.is_gone:
                        await member.start()
                await asyncio.sleep(POLL_S)

        async def write(person: SimUser) -> None:
            poison = [poisons[person]] if person in poisons else []
            await fleet.write(person, [*texts_of(person)[:2], *poison, *texts_of(person)[2:]])

        deadly.fleet = fleet
        supervisor = asyncio.create_task(supervise())
        try:
            async with asyncio.timeout(PATIENCE_S):
                await asyncio.gather(*(write(person) for person in people))
                for person in people:
                    await fleet.answered_to(person, texts_of(person)[-1])
                while (await fleet.states("outbox")).keys() != {"sent"}:
                    await asyncio.sleep(POLL_S)
        finally:
            supervisor.cancel()
        tell(fleet, deaths=sum(deadly.deaths.values()))
        for person in people:
            heard = list(dict.fromkeys(send.text for send in fleet.replies_to(person)))
            answers = [f"re: {one}" for one in texts_of(person)]
            if person in poisons:
                assert heard.pop(2) not in answers
            assert heard == answers
        assert await fleet.states("inbox") == {"done": EACH * len(people), "dead": poisoned}
        assert deadly.deaths.keys() == set(poisons.values())
        # Twice beside others, three times alone, and as often as another death speaks for it.
        assert sum(deadly.deaths.values()) <= 7 * poisoned


async def test_a_server_that_stops_for_ten_seconds_loses_nothing(tmp_path: Path, postgresql: Server) -> None:
    async with open_fleet(tmp_path, postgresql.create(is_migrated=True), users=USERS) as fleet:
        async with asyncio.timeout(PATIENCE_S):
            writing = asyncio.create_task(everybody_writes(fleet))
            await fleet.answered(20)
            try:
                await asyncio.to_thread(postgresql.stop)
                status = await fleet.post_something()
                await asyncio.sleep(STOPPED_S)
            finally:
                await asyncio.to_thread(postgresql.start)
            await writing
            await fleet.answered(TOTAL)
            await fleet.settled()
        tell(fleet, while_stopped=status)
        assert status == 503
        await judge(fleet)
        assert repeated(fleet) == {}


async def test_restarts_one_after_the_other_fail_no_webhook(tmp_path: Path, postgresql: Server) -> None:
    async with open_fleet(tmp_path, postgresql.create(is_migrated=True), users=USERS) as fleet:

        async def write_slowly(person: SimUser) -> None:
            for body in texts_of(person):
                await fleet.write(person, [body])
                await fleet.answered_to(person, body)

        async with asyncio.timeout(PATIENCE_S):
            async with asyncio.TaskGroup() as tasks:
                for person in USERS:
                    tasks.create_task(write_slowly(person))
                for member in fleet.members:
                    await member.end(signal.SIGTERM)
                    await member.start()
                    await member.up()
            await fleet.settled()
        tell(fleet)
        await judge(fleet)
        assert fleet.answers.keys() == {200}
        assert repeated(fleet) == {}


async def test_three_workers_answer_nearly_three_times_as_fast_as_one(tmp_path: Path, postgresql: Server) -> None:
    """A model that takes two seconds, one call at a time for each worker; everybody writes again when answered."""
    users, rates = USERS[:12], {}
    for count in (1, 2, 3):
        folder = tmp_path / str(count)
        await asyncio.to_thread(folder.mkdir)
        async with open_fleet(
            folder,
            postgresql.create(is_migrated=True),
            users=users,
            roles=("web", *["worker"] * count),
            ollama=ThinkingOllama(random.Random(count), delay_s=0),
            LLM_MAX_CONCURRENT="1",
        ) as fleet:
            begun_s = time.monotonic()

            async def talk(person: SimUser, fleet: Fleet = fleet, count: int = count) -> None:
                for body in texts_of(person)[: count + 1]:
                    await fleet.write(person, [body])
                    await fleet.answered_to(person, body)

            async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as tasks:
                for person in users:
                    tasks.create_task(talk(person))
            rates[count] = len(users) * (count + 1) / (time.monotonic() - begun_s)
    log.info("figures", replies_per_s={count: round(rate, 2) for count, rate in rates.items()})
    assert rates[3] >= 2.6 * rates[1]
