"""Two hundred random blows at a dozen servers while three people call: nothing stalls, nothing is left."""

import asyncio
import os
import random
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from app.domain.ids import UserId
from app.mcp.config import ServerConfig
from app.mcp.connecting.calls import CallFailed
from app.mcp.connecting.ending import ending_here
from app.mcp.connecting.server_log import MAX_FILE_BYTES
from app.mcp.connecting.transports import Transports
from app.mcp.manager import McpManager
from tests.fakes.mcp import open_files, our_tasks, running_manager, script, text_of, turn_of, until

BLOWS: Final = 200
PEOPLE: Final = (UserId("ann"), UserId("bob"), UserId("eva"))
SHAKEN: Final = ("s1", "s2", "s3", "s4", "s5")
CALM: Final = ("calm1", "calm2")
LONGEST_STALL_S: Final = 1.0
_BEAT_S: Final = 0.02


class Chaos:
    """The blows; each is a coroutine of its own task, as a message in a chat would be."""

    def __init__(self, manager: McpManager, rng: random.Random) -> None:
        self.manager = manager
        self.rng = rng
        self.done: Counter[str] = Counter()
        self.deeds: dict[str, Callable[[str], Awaitable[None]]] = {
            "add": self.add,
            "remove": self.remove,
            "kill": self.kill,
            "freeze": lambda name: self.call(name, "freeze"),
            "crash": lambda name: self.call(name, "crash"),
            "flood_log": lambda name: self.call(name, "flood_log"),
            "flood": lambda name: self.call(name, "flood"),
            "big": lambda name: self.call(name, "big", size=10_000_000),
            "intricate": lambda name: self.call(name, "intricate"),
        }

    async def strike(self) -> None:
        name = self.rng.choice(SHAKEN)
        known = self.manager.find_server(name) is not None
        choices = [*self.deeds, "remove", "kill"] if known else ["add"]
        deed = self.rng.choice([each for each in choices if known == (each != "add")])
        self.done[deed] += 1
        await self.deeds[deed](name)

    async def add(self, name: str) -> None:
        switches = self.rng.choice([(), (), (), ("--stubborn",), ("--die-at-start",), ("--hang-at-start",)])
        try:
            await self.manager.hot_add_server(name, quick(*switches), wait_s=2)
        except ValueError:
            self.done["taken"] += 1

    async def remove(self, name: str) -> None:
        await self.manager.hot_remove_server(name)

    async def kill(self, name: str) -> None:
        try:
            pid = int(text_of(await self.manager.call(name, "pid", {}, turn_of())))
            os.kill(pid, signal.SIGKILL)
        except (CallFailed, ProcessLookupError):
            self.done["missed"] += 1

    async def call(self, name: str, tool: str, **arguments: object) -> None:
        try:
            await self.manager.call(name, tool, arguments, turn_of(self.rng.choice(PEOPLE)))
        except CallFailed:
            self.done["failed"] += 1


def quick(*switches: str) -> ServerConfig:
    return script(*switches, timeout_s=1.0, connect_timeout_s=2.0)


@dataclass
class Stalls:
    """By how much each beat came too late: for so long nobody else was served.

    `ours` leaves out the time in which this thread was ready to run and the machine, busy with the servers
    and whatever else, did not let it (`run_delay`, Linux's Documentation/scheduler/sched-stats.rst).
    """

    felt: list[float] = field(default_factory=list)
    ours: list[float] = field(default_factory=list)


@asynccontextmanager
async def heartbeat() -> AsyncIterator[Stalls]:
    stalls = Stalls()

    async def beat() -> None:
        loop = asyncio.get_running_loop()
        while True:
            at, waited = loop.time(), waited_for_cpu_s()
            await asyncio.sleep(_BEAT_S)
            late = loop.time() - at - _BEAT_S
            stalls.felt.append(late)
            stalls.ours.append(late - (waited_for_cpu_s() - waited))

    task = asyncio.create_task(beat(), name="heartbeat")
    try:
        yield stalls
    finally:
        task.cancel()
        await asyncio.wait({task})


def waited_for_cpu_s() -> float:
    return int(Path("/proc/thread-self/schedstat").read_text("ascii").split()[1]) / 1e9


async def keep_calling(manager: McpManager, user: UserId, outcomes: Counter[str]) -> None:
    """Use all servers in turn; the calm ones must answer each time, with what was asked."""
    for number in range(10**9):
        for name in (*CALM, *SHAKEN):
            text = f"{user} {number}"
            try:
                answer = text_of(await manager.call(name, "echo", {"text": text}, turn_of(user)))
                outcomes["right" if answer == text else "wrong"] += 1
            except CallFailed as exc:
                outcomes["calm failed" if name in CALM else exc.kind] += 1
            await asyncio.sleep(0.01)


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2])
async def test_blows_at_some_servers_stall_nobody_and_leave_nothing(tmp_path: Path, seed: int) -> None:
    files = open_files()
    outcomes: Counter[str] = Counter()
    connector = Transports(tmp_path / "mcp", ending=ending_here(0.3))
    async with running_manager(tmp_path, connector=connector) as manager:
        for name in CALM:
            await manager.hot_add_server(name, script(timeout_s=10))
        calm = {name: text_of(await manager.call(name, "pid", {}, turn_of())) for name in CALM}
        chaos = Chaos(manager, random.Random(seed))
        async with heartbeat() as stalls:
            callers = [asyncio.create_task(keep_calling(manager, user, outcomes)) for user in PEOPLE]
            for _ in range(BLOWS // 4):
                await asyncio.gather(*(asyncio.create_task(chaos.strike()) for _ in range(4)))
            for caller in callers:
                caller.cancel()
            await asyncio.wait(callers)
            for name in CALM:
                assert text_of(await manager.call(name, "pid", {}, turn_of())) == calm[name]
            await manager.aclose()
        figures = f"longest stall felt {max(stalls.felt):.2f} s, ours {max(stalls.ours):.2f} s"
        print(f"seed {seed}: {figures}; {dict(chaos.done)}; {dict(outcomes)}")  # noqa: T201
    assert [str(caller.exception()) for caller in callers if not caller.cancelled()] == []
    assert (outcomes["wrong"], outcomes["calm failed"]) == (0, 0)
    assert outcomes["right"] > BLOWS
    assert max(stalls.ours) < LONGEST_STALL_S
    assert our_tasks() == []
    await until(lambda: open_files() <= files)
    logs = [path.stat().st_size for path in (tmp_path / "mcp" / "logs").iterdir()]
    assert max(logs) <= MAX_FILE_BYTES
