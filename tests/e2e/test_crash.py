"""kill -9 at any moment loses no message and repeats none but at the Graph edge."""

import asyncio
import random
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from app.simulator.payloads import SimUser
from tests.e2e.crash_world import USERS, World, open_world

pytestmark = pytest.mark.lengthy

EACH: Final = 5
TOTAL: Final = EACH * len(USERS)
LAST_STEP: Final = 2 * TOTAL - 4
"""Steps are messages written and messages answered; a kill comes before the very last answers."""
PATIENCE_S: Final = 240
"""A send that never reached Graph waits 20 s for its status before it is repeated (`delivery.UNKNOWN_GRACE_S`);
with a load of twenty a machine takes minutes for what takes seconds on its own."""


@dataclass(frozen=True)
class Figures:
    """What a run came to, for whoever reads its failure."""

    seed: int
    kills: int
    answered: int
    bubbles: int
    repeated: dict[str, int]
    in_doubt: list[list[str]]
    inbox: dict[str, int]
    outbox: dict[str, int]
    is_gone: bool
    last_words: str
    complaints: list[str]


async def test_a_kill_in_the_middle_of_a_burst_loses_nothing(tmp_path: Path) -> None:
    await _survive(tmp_path, seed=1, kills=1)


@pytest.mark.long
@pytest.mark.parametrize("seed", [2, *range(100, 120)])
async def test_every_message_is_answered_whenever_the_service_is_killed(tmp_path: Path, seed: int) -> None:
    await _survive(tmp_path, seed=seed, kills=1 + seed % 2)


async def test_a_turn_that_ends_while_the_service_stops_is_answered_before_it_is_gone(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE_S), open_world(tmp_path, seed=2) as world:
        await _stop_in_a_turn(world)


@pytest.mark.long
async def test_what_was_answered_while_the_service_stopped_is_not_answered_again_by_the_next(
    tmp_path: Path,
) -> None:
    async with asyncio.timeout(PATIENCE_S), open_world(tmp_path, seed=2) as world:
        await _stop_in_a_turn(world)
        await _restart_and_settle(world)
        assert [send.text for send in world.replies_to(USERS[0])] == ["re: u0m0"]


@pytest.mark.long
async def test_a_turn_that_outlasts_the_drain_goes_back_with_its_attempt_and_is_answered_once(
    tmp_path: Path,
) -> None:
    async with asyncio.timeout(PATIENCE_S), open_world(tmp_path, seed=3) as world:
        await _begin_a_turn(world)
        await world.service.stop()
        assert await world.service.attempts() == [("pending", 0)]
        world.ollama.release()
        await _restart_and_settle(world)
        assert [send.text for send in world.replies_to(USERS[0])] == ["re: u0m0"]
        assert await world.service.attempts() == [("done", 1)]


async def _survive(directory: Path, *, seed: int, kills: int) -> None:
    async with open_world(directory, seed) as world:
        moments = sorted(world.rng.randint(1, LAST_STEP) for _ in range(kills))
        try:
            async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as tasks:
                for person in USERS:
                    tasks.create_task(world.write(person, _texts_of(person)))
                tasks.create_task(_strike(world, moments))
            async with asyncio.timeout(PATIENCE_S):
                await world.answered(TOTAL)
                await world.settled()
        except TimeoutError:
            pytest.fail(f"not done in time: {await _figures(world, seed)}")
        await world.service.stop()
        _judge(world, await _figures(world, seed))


async def _strike(world: World, moments: list[int]) -> None:
    """Kill at each of these moments and start again; the last ones may fall into the start itself."""
    # Its own source of chance: the fakes draw from the world's in an order that no seed fixes.
    rng = random.Random(world.rng.random())
    spread_s = 0.05
    for moment in moments:
        await world.progress(moment)
        await asyncio.sleep(rng.uniform(0, spread_s))
        await world.service.kill()
        await world.service.start()
        spread_s = rng.choice((0.05, 2.0))


def _judge(world: World, figures: Figures) -> None:
    for person in USERS:
        heard = list(dict.fromkeys(send.text for send in world.replies_to(person)))
        assert heard == [f"re: {body}" for body in _texts_of(person)], figures
    assert figures.inbox == {"done": TOTAL}, figures
    # As many outbox rows as messages: no turn was answered twice, whatever became of its bubble.
    assert figures.outbox == {"sent": TOTAL}, figures
    assert sum(figures.repeated.values()) <= figures.kills, figures
    chances = Counter(row for photograph in figures.in_doubt for row in photograph)
    assert all(count <= chances[row] for row, count in figures.repeated.items()), figures
    assert all(len(_people_in(prompt)) == 1 for prompt in world.ollama.prompts), figures
    assert not figures.complaints, figures


async def _figures(world: World, seed: int) -> Figures:
    sends = world.graph.sends
    bubbles = Counter(str(send.tracker) for send in sends)
    return Figures(
        seed=seed,
        kills=len(world.service.photographs),
        answered=len({send.text for send in sends}),
        bubbles=len(sends),
        repeated={tracker: count - 1 for tracker, count in bubbles.items() if count > 1},
        in_doubt=[sorted(photograph) for photograph in world.service.photographs],
        inbox=dict(await world.service.states("inbox")),
        outbox=dict(await world.service.states("outbox")),
        is_gone=world.service.is_gone,
        last_words=world.service.log.read_text("utf-8", "replace")[-600:],
        complaints=world.service.complaints(),
    )


async def _begin_a_turn(world: World) -> None:
    """Let one message get as far as the model, which does not answer until it is released."""
    world.ollama.hold()
    await world.write(USERS[0], ["u0m0"])
    await world.ollama.started.wait()


async def _stop_in_a_turn(world: World) -> None:
    """Let the service end while a turn runs, and see that it is answered before."""
    await _begin_a_turn(world)
    world.service.ask_to_stop()
    world.ollama.release()
    await world.service.stop()
    assert await world.service.states("inbox") == {"done": 1}
    assert [send.text for send in world.replies_to(USERS[0])] == ["re: u0m0"]


async def _restart_and_settle(world: World) -> None:
    await world.service.start()
    await world.service.up.wait()
    await world.settled()


def _texts_of(person: SimUser) -> list[str]:
    return [f"u{USERS.index(person)}m{n}" for n in range(EACH)]


def _people_in(prompt: str) -> set[str]:
    return set(re.findall(r"\bu(\d+)m\d+\b", prompt))
