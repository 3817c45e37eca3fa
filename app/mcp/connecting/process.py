"""A server as a child process: JSON-RPC lines over its standard streams, and an end that kills its whole group."""

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

import anyio
import structlog
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage

from app.mcp.connecting.confinement import Confined, Confinement
from app.mcp.connecting.resolve import ServerSpec
from app.mcp.connecting.server_log import ServerLog
from app.mcp.connecting.wire import LineReader, Pace, parse_line

GRACE_S: Final = 2.0
"""For how long a server may take to end by itself, and again to end when told to."""
_LINGER_S: Final = 0.5
_GONE_S: Final = 10.0
"""For how long a killed server may take to be gone; a busy machine needs its time for that."""
_CHUNK_BYTES: Final = 65_536
_LINES_PER_S: Final = 1_000
_LOG_BYTES_PER_S: Final = 4_000_000
_POLL_S: Final = 0.01
_TEMPORARY: Final = "tmp"

log = structlog.get_logger(__name__)

_Inbound = MemoryObjectSendStream[SessionMessage | Exception]
_Outbound = MemoryObjectReceiveStream[SessionMessage]
_Result = TypeVar("_Result")


@asynccontextmanager
async def open_process(
    spec: ServerSpec,
    *,
    folder: Path,
    confinement: Confinement,
    server_log: ServerLog,
    grace_s: float = GRACE_S,
) -> AsyncIterator[TransportStreams]:
    """Run a server in a process group of its own, and end the whole group when the block ends.

    The SDK's own transport leaves a server's children alive when the server itself is gone (`npx` and `uvx`
    always have one), gives six of our variables to every server, and reads lines of any length. This one
    ends input, waits, sends SIGTERM, waits, sends SIGKILL; a cancelled close skips the waiting.

    `folder` is the server's own: its home, and where it runs without a `cwd`. Whoever writes faster than we can
    take it waits: the pipe is full.

    Raises:
        OSError: the command or its folder cannot be used.
    """
    async with AsyncExitStack() as stack:
        own = _made(folder)
        cwd = spec.cwd or own
        start = asyncio.to_thread(stack.enter_context, confinement.confine(spec, own, cwd))
        process = await _started(spec, await _outlast(start), own, cwd)
    to_us, inbound = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outbound, from_us = anyio.create_memory_object_stream[SessionMessage](0)
    tasks = {
        asyncio.create_task(_read(process, to_us), name=f"mcp:{spec.name}:stdout"),
        asyncio.create_task(_write(process, from_us, to_us), name=f"mcp:{spec.name}:stdin"),
        asyncio.create_task(_keep_log(process, server_log), name=f"mcp:{spec.name}:stderr"),
    }
    try:
        yield inbound, outbound
    finally:
        inbound.close()
        outbound.close()
        try:
            await _end_gently(process, grace_s)
        finally:
            _signal_group(process, signal.SIGKILL)
            to_us.close()
            from_us.close()
            await _outlast(_buried(process, tasks))


async def _started(spec: ServerSpec, confined: Confined, own: Path, cwd: Path) -> Process:
    """Start a server. Whoever is cancelled meanwhile leaves when it is gone again.

    A cancelled `create_subprocess_exec` would kill the process without its group, and leave it to itself at
    the next cancellation.
    """
    start = asyncio.create_subprocess_exec(
        *confined.command,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        env={**(_homes(own) if spec.is_confined else {}), **spec.env},
        cwd=cwd,
        pass_fds=confined.descriptors,
        start_new_session=True,
    )
    starting = asyncio.create_task(start, name=f"mcp:{spec.name}:start")
    try:
        return await _outlast(starting)
    except asyncio.CancelledError:
        if starting.exception() is None:
            _signal_group(starting.result(), signal.SIGKILL)
            await _outlast(_buried(starting.result(), set()))
        raise


async def _outlast(work: Awaitable[_Result]) -> _Result:
    """Await something to its end, however often this is cancelled; the cancellation is raised after that."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as exc:
            cancelled = exc
    if cancelled is not None:
        raise cancelled
    return task.result()


def _made(folder: Path) -> Path:
    own = folder.absolute()
    (own / _TEMPORARY).mkdir(mode=0o700, parents=True, exist_ok=True)
    return own


def _homes(own: Path) -> dict[str, str]:
    """Return where launchers keep their caches, and programs what is for a moment: with no other server."""
    return {"HOME": str(own), "TMPDIR": str(own / _TEMPORARY)}


async def _buried(process: Process, tasks: set[asyncio.Task[None]]) -> None:
    """Wait until a killed process is gone, and with it what reads and writes its pipes."""
    for task in tasks:
        task.cancel()
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(outcome, Exception):
            log.error("mcp.pipe_failed", error=repr(outcome))
    if not await _is_over(process, _GONE_S):
        log.error("mcp.process_stays", pid=process.pid)
    # Its pipes may be held by somebody who left the group; nothing public closes our ends then.
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()
        # The ends of the pipes are closed by callbacks of the loop.
        await asyncio.sleep(0)


async def _read(process: Process, to_us: _Inbound) -> None:
    """Hand over what the server writes; once nobody listens, drain it, so that it is not stuck in its end."""
    assert process.stdout is not None, "opened with a pipe"  # noqa: S101
    lines, pace = LineReader(), Pace(_LINES_PER_S)
    with to_us:
        while chunk := await process.stdout.read(_CHUNK_BYTES):
            for line, is_cut in lines.feed(chunk):
                if (wait_s := pace.take(1)) > 0:
                    await asyncio.sleep(wait_s)
                if (message := parse_line(line, is_cut=is_cut)) is not None:
                    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                        await to_us.send(message)


async def _write(process: Process, from_us: _Outbound, to_us: _Inbound) -> None:
    assert process.stdin is not None, "opened with a pipe"  # noqa: S101
    try:
        async for message in from_us:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            process.stdin.write(text.encode() + b"\n")
            await process.stdin.drain()
    except (ConnectionError, RuntimeError, ValueError):
        # It may go on living with its input closed; those who wait for an answer must not.
        to_us.close()


async def _keep_log(process: Process, server_log: ServerLog) -> None:
    assert process.stderr is not None, "opened with a pipe"  # noqa: S101
    pace = Pace(_LOG_BYTES_PER_S, burst_s=0.1)
    while chunk := await process.stderr.read(_CHUNK_BYTES):
        server_log.write(chunk)
        if (wait_s := pace.take(len(chunk))) > 0:
            await asyncio.sleep(wait_s)


async def _end_gently(process: Process, grace_s: float) -> None:
    assert process.stdin is not None, "opened with a pipe"  # noqa: S101
    process.stdin.close()
    if await _is_over(process, grace_s) and not _is_group_alive(process):
        return
    _signal_group(process, signal.SIGTERM)
    await _is_over(process, grace_s)
    # Its own children get a moment more, without which orphans that nobody reaps would cost all of it.
    await _until(lambda: not _is_group_alive(process), min(_LINGER_S, grace_s))


async def _is_over(process: Process, timeout_s: float) -> bool:
    """Wait until the process itself is gone. `Process.wait` would also wait for whoever holds its pipes."""
    return await _until(lambda: process.returncode is not None, timeout_s)


async def _until(condition: Callable[[], bool], timeout_s: float) -> bool:
    for _ in range(round(timeout_s / _POLL_S)):
        if condition():
            return True
        await asyncio.sleep(_POLL_S)
    return condition()


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
