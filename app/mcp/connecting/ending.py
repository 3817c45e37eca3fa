"""How a server is ended with all that it started: by its keeper on Linux, elsewhere by its process group."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from app.mcp.connecting import keeper

GRACE_S: Final = 2.0
"""For how long a server may take to end by itself, and again to end when told to."""
_LINGER_S: Final = 0.5
_POLL_S: Final = 0.01


class Ending(Protocol):
    """Starts servers so that it can end them; `process` is what the command started, in a session of its own."""

    def command(self, command: Sequence[str], ruleset: int | None) -> tuple[str, ...]:
        """Return what to start for a server that enters the ruleset behind that descriptor, if there is one."""
        ...

    async def end_gently(self, process: Process) -> None:
        """Close its input, wait, send SIGTERM, wait; twice the grace at most, and it may still be there."""
        ...

    def kill(self, process: Process) -> None:
        """Have killed at once whatever is left."""
        ...


class ByKeeper:
    """Ends whatever a server ever started, also in a session of its own. Linux."""

    def __init__(self, grace_s: float = GRACE_S) -> None:
        self._grace_s = grace_s

    def command(self, command: Sequence[str], ruleset: int | None) -> tuple[str, ...]:
        given = "-" if ruleset is None else str(ruleset)
        script = str(Path(keeper.__file__).absolute())
        return (sys.executable, "-I", "-S", script, given, str(self._grace_s), *command)

    async def end_gently(self, process: Process) -> None:
        _close_input(process)
        _tell(process, keeper.END)
        await is_over(process, 2 * self._grace_s + _LINGER_S)

    def kill(self, process: Process) -> None:
        _tell(process, keeper.KILL)


class ByGroup:
    """Ends a server and what stayed in its process group."""

    def __init__(self, grace_s: float = GRACE_S) -> None:
        self._grace_s = grace_s

    def command(self, command: Sequence[str], ruleset: int | None) -> tuple[str, ...]:
        if ruleset is not None:
            raise ValueError("only a keeper lets a server enter a ruleset")
        return tuple(command)

    async def end_gently(self, process: Process) -> None:
        _close_input(process)
        if await is_over(process, self._grace_s) and not _is_group_alive(process):
            return
        _signal_group(process, signal.SIGTERM)
        await is_over(process, self._grace_s)
        # Its own children get a moment more, without which orphans that nobody reaps would cost all of it.
        await _until(lambda: not _is_group_alive(process), min(_LINGER_S, self._grace_s))

    def kill(self, process: Process) -> None:
        _signal_group(process, signal.SIGKILL)


def ending_here(grace_s: float = GRACE_S) -> Ending:
    """Return what this system lets us do."""
    return ByKeeper(grace_s) if sys.platform == "linux" else ByGroup(grace_s)


async def is_over(process: Process, timeout_s: float) -> bool:
    """Wait until the process itself is gone. `Process.wait` would also wait for whoever holds its pipes."""
    return await _until(lambda: process.returncode is not None, timeout_s)


async def _until(condition: Callable[[], bool], timeout_s: float) -> bool:
    for _ in range(round(timeout_s / _POLL_S)):
        if condition():
            return True
        await asyncio.sleep(_POLL_S)
    return condition()


def _close_input(process: Process) -> None:
    assert process.stdin is not None, "opened with a pipe"  # noqa: S101
    process.stdin.close()


def _tell(process: Process, number: signal.Signals) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, number)


def _signal_group(process: Process, number: signal.Signals) -> None:
    # The leader's id names the group (`start_new_session`), also after the leader itself was reaped.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _is_group_alive(process: Process) -> bool:
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
