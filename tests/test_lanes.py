"""Lanes: order within a user, overlap across users, waits, failures, closing."""

import asyncio
from collections import defaultdict

import pytest

from app.domain.ids import UserId
from app.pipeline.queueing.lanes import AGAIN, Lanes
from tests.fakes.clock import FrozenClock

ANA, BEN = UserId("ana"), UserId("ben")


class Work:
    """Steps that can be counted and held."""

    def __init__(self) -> None:
        self.todo: dict[UserId, list[str]] = defaultdict(list)
        self.done: list[str] = []
        self.running = 0
        self.most_running = 0
        self.gate = asyncio.Event()
        self.gate.set()
        self.started = asyncio.Event()

    async def step(self, user_id: UserId) -> float | None:
        if not self.todo[user_id]:
            return None
        self.running += 1
        self.most_running = max(self.running, self.most_running)
        self.started.set()
        try:
            await self.gate.wait()
            self.done.append(self.todo[user_id].pop(0))
        finally:
            self.running -= 1
        return AGAIN


async def test_work_of_one_user_is_done_in_order_and_never_side_by_side() -> None:
    work = Work()
    lanes = Lanes("test", work.step, FrozenClock())
    work.todo[ANA] = [str(n) for n in range(50)]
    for _ in range(20):
        lanes.wake([ANA])
    async with asyncio.timeout(5):
        await lanes.idle()
    assert work.done == [str(n) for n in range(50)]
    assert work.most_running == 1


async def test_users_do_not_wait_for_one_another() -> None:
    work = Work()
    work.gate.clear()
    lanes = Lanes("test", work.step, FrozenClock())
    work.todo[ANA], work.todo[BEN] = ["a"], ["b"]
    lanes.wake([ANA, BEN])
    async with asyncio.timeout(5):
        while work.running < 2:
            await asyncio.sleep(0)
        work.gate.set()
        await lanes.idle()
    assert sorted(work.done) == ["a", "b"]


async def test_a_wake_up_during_the_last_step_is_not_missed() -> None:
    work = Work()
    work.gate.clear()
    lanes = Lanes("test", work.step, FrozenClock())
    work.todo[ANA] = ["first"]
    lanes.wake([ANA])
    async with asyncio.timeout(5):
        await work.started.wait()
        work.todo[ANA].append("second")
        lanes.wake([ANA])
        work.gate.set()
        await lanes.idle()
    assert work.done == ["first", "second"]


async def test_a_step_that_asks_to_wait_runs_again_when_the_time_has_come() -> None:
    clock = FrozenClock()
    calls: list[float] = []

    async def step(user_id: UserId) -> float | None:
        calls.append(clock.now().timestamp())
        return 30.0 if len(calls) == 1 else None

    lanes = Lanes("test", step, clock)
    lanes.wake([ANA])
    async with asyncio.timeout(5):
        await lanes.idle()
        assert len(calls) == 1
        await clock.advance(29)
        assert len(calls) == 1
        await clock.advance(1)
        await lanes.idle()
    assert len(calls) == 2


async def test_a_wake_up_ends_a_wait() -> None:
    calls = 0

    async def step(user_id: UserId) -> float | None:
        nonlocal calls
        calls += 1
        return 3600.0 if calls == 1 else None

    lanes = Lanes("test", step, FrozenClock())
    async with asyncio.timeout(5):
        lanes.wake([ANA])
        await lanes.idle()
        lanes.wake([ANA])
        await lanes.idle()
    assert calls == 2


async def test_a_step_that_raises_is_tried_again_and_does_not_end_the_lane() -> None:
    clock = FrozenClock()
    calls = 0

    async def step(user_id: UserId) -> float | None:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise ValueError("a bug")
        return None

    lanes = Lanes("test", step, clock, retry_s=1.0)
    async with asyncio.timeout(5):
        lanes.wake([ANA])
        await lanes.idle()
        await clock.advance(1)
        await lanes.idle()
    assert calls == 2


async def test_closing_lets_a_running_step_end_and_starts_no_other() -> None:
    work = Work()
    work.gate.clear()
    lanes = Lanes("test", work.step, FrozenClock())
    work.todo[ANA] = ["first", "second"]
    lanes.wake([ANA])
    async with asyncio.timeout(5):
        await work.started.wait()
        closing = asyncio.create_task(lanes.aclose(5.0))
        await asyncio.sleep(0)
        work.gate.set()
        await closing
    lanes.wake([BEN])
    assert work.done == ["first"]
    assert lanes.active_count == 0
    assert not lanes.is_open


@pytest.mark.parametrize("grace_s", [0.01])
async def test_closing_cancels_what_does_not_end_in_time(grace_s: float) -> None:
    work = Work()
    work.gate.clear()
    lanes = Lanes("test", work.step, FrozenClock())
    work.todo[ANA] = ["stuck"]
    lanes.wake([ANA])
    async with asyncio.timeout(5):
        await work.started.wait()
        await lanes.aclose(grace_s)
    assert work.done == []
    assert lanes.active_count == 0
