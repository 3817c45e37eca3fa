"""The clock that service and simulated Graph share, and what its jumps do."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import Rejected
from app.simulator.clock import MAX_OFFSET, OffsetClock

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def still(path: Path | None = None) -> OffsetClock:
    """A clock that moves by jumps only."""
    return OffsetClock(path, base=lambda: NOW)


def test_it_tells_the_systems_time_until_it_jumps() -> None:
    clock = still()
    assert clock.now() == NOW
    clock.jump(timedelta(hours=25))
    clock.jump(timedelta(minutes=1))
    assert clock.now() == NOW + timedelta(hours=25, minutes=1)


@given(st.lists(st.timedeltas(timedelta(seconds=1), timedelta(days=300)), max_size=10))
def test_jumps_add_up(jumps: list[timedelta]) -> None:
    clock = still()
    for one in jumps:
        clock.jump(one)
    assert clock.offset == sum(jumps, timedelta(0))


async def test_a_jump_wakes_the_sleepers_that_are_due_and_no_others() -> None:
    clock = still()
    async with asyncio.timeout(5):
        hour = asyncio.create_task(clock.sleep(3600))
        day = asyncio.create_task(clock.sleep(86_400))
        await asyncio.sleep(0)
        clock.jump(timedelta(hours=2))
        await hour
        assert not day.done()
        clock.jump(timedelta(hours=22))
        await day


@pytest.mark.parametrize("seconds", [0, -5])
async def test_a_sleep_of_no_time_lets_others_run_once(seconds: float) -> None:
    async with asyncio.timeout(5):
        await still().sleep(seconds)


async def test_a_short_sleep_ends_by_itself() -> None:
    async with asyncio.timeout(5):
        await OffsetClock().sleep(0.001)


@pytest.mark.parametrize("ahead", [timedelta(0), timedelta(seconds=-1), MAX_OFFSET + timedelta(seconds=1)])
def test_it_never_stands_still_goes_back_or_runs_away(ahead: timedelta) -> None:
    clock = still()
    with pytest.raises(Rejected):
        clock.jump(ahead)
    assert clock.offset == timedelta(0)


def test_the_offset_outlives_the_process(tmp_path: Path) -> None:
    path = tmp_path / "clock.json"
    still(path).jump(timedelta(hours=25))
    assert still(path).now() == NOW + timedelta(hours=25)
    assert not path.with_suffix(".tmp").exists()


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"offset_s": "x"}', '{"offset_s": null}', '{"offset_s": 1e300}', "nan"]
)
def test_a_damaged_file_counts_as_no_offset(tmp_path: Path, content: str) -> None:
    path = tmp_path / "clock.json"
    path.write_text(content)
    assert still(path).offset == timedelta(0)


def test_a_file_from_elsewhere_cannot_turn_the_time_back(tmp_path: Path) -> None:
    path = tmp_path / "clock.json"
    path.write_text('{"offset_s": -3600}')
    assert still(path).offset == timedelta(0)
