"""Jobs run when woken or when their time comes; one that fails holds up nobody else."""

import asyncio
from collections.abc import Callable

import pytest
from structlog.testing import capture_logs

from app.domain.errors import Transient
from app.jobs import Job, JobRunner
from tests.fakes.clock import FrozenClock


class Counter:
    """A job that finds the given amounts of work, then none."""

    def __init__(self, *amounts: int | Exception) -> None:
        self.amounts = list(amounts)
        self.runs = 0

    async def run(self) -> int:
        self.runs += 1
        amount = self.amounts.pop(0) if self.amounts else 0
        if isinstance(amount, Exception):
            raise amount
        return amount


async def settled(runner: JobRunner) -> None:
    async with asyncio.timeout(5):
        await runner.idle()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not condition():
            await asyncio.sleep(0)


async def test_jobs_run_at_the_start_and_again_while_there_is_work() -> None:
    first, second = Counter(3, 1), Counter()
    runner = JobRunner([Job("first", first.run), Job("second", second.run)], FrozenClock())
    async with runner.running():
        await settled(runner)
    assert (first.runs, second.runs) == (3, 3)


async def test_a_wake_up_looks_for_work_at_once_and_the_timer_later() -> None:
    clock, job = FrozenClock(), Counter()
    runner = JobRunner([Job("job", job.run)], clock, every_s=60)
    async with runner.running():
        await settled(runner)
        assert job.runs == 1
        runner.wake()
        await settled(runner)
        assert job.runs == 2
        await clock.advance(59)
        assert job.runs == 2
        await clock.advance(2)
        await until(lambda: job.runs == 3)


async def test_a_wake_up_during_a_round_is_not_missed() -> None:
    runs = 0

    async def wake_once() -> int:
        nonlocal runs
        runs += 1
        if runs == 1:
            runner.wake()
        return 0

    runner = JobRunner([Job("job", wake_once)], FrozenClock())
    async with runner.running():
        await settled(runner)
    assert runs == 2


@pytest.mark.parametrize("failure", [Transient("llm_busy"), RuntimeError("a bug")])
async def test_a_job_that_fails_waits_alone_and_longer_each_time(failure: Exception) -> None:
    clock, bad, good = FrozenClock(), Counter(failure, failure), Counter()
    runner = JobRunner([Job("bad", bad.run), Job("good", good.run)], clock, every_s=1)
    with capture_logs() as logs:
        async with runner.running():
            await settled(runner)
            assert (bad.runs, good.runs) == (1, 1)
            await clock.advance(4)
            await until(lambda: good.runs == 2)
            assert bad.runs == 1
            await clock.advance(1.5)
            await until(lambda: bad.runs == 2)
            await clock.advance(6)
            await until(lambda: good.runs == 4)
            assert bad.runs == 2
            await clock.advance(5)
            await until(lambda: bad.runs == 3)
    failed = [entry for entry in logs if entry["event"] in {"job.failed", "job.postponed"}]
    assert [entry["delay_s"] for entry in failed] == [5, 10]
    assert {entry["log_level"] for entry in failed} == {"warning" if isinstance(failure, Transient) else "error"}


async def test_closing_waits_for_the_running_job_and_starts_no_other() -> None:
    begun, may_end, second = asyncio.Event(), asyncio.Event(), Counter()

    async def slow() -> int:
        begun.set()
        await may_end.wait()
        return 1

    runner = JobRunner([Job("slow", slow), Job("second", second.run)], FrozenClock())
    async with asyncio.timeout(5), runner.running():
        await begun.wait()
        may_end.set()
    assert second.runs == 0


async def test_a_job_that_outlasts_the_grace_is_cancelled() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def endless() -> int:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return 0

    runner = JobRunner([Job("endless", endless)], FrozenClock())
    async with asyncio.timeout(5), runner.running(grace_s=0):
        await begun.wait()
    assert ended.is_set()
