"""A server as a child process: JSON-RPC lines over its standard streams, and an end of all that it started."""

import asyncio
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

import anyio
import structlog
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage

from app.mcp.connecting.confinement import Confinement
from app.mcp.connecting.ending import Ending, is_over
from app.mcp.connecting.resolve import ServerSpec
from app.mcp.connecting.server_log import ServerLog
from app.mcp.connecting.wire import LineReader, Pace, parse_line

_GONE_S: Final = 10.0
"""For how long a killed server may take to be gone; a busy machine needs its time for that."""
_CHUNK_BYTES: Final = 65_536
_LINES_PER_S: Final = 1_000
_LOG_BYTES_PER_S: Final = 4_000_000
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
    ending: Ending,
    server_log: ServerLog,
) -> AsyncIterator[TransportStreams]:
    """Run a server, and end it with all that it started when the block ends.

    The SDK's own transport leaves a server's children alive when the server itself is gone (`npx` and `uvx`
    always have one), gives six of our variables to every server, and reads lines of any length. This one
    ends input, waits, sends SIGTERM, waits, sends SIGKILL, to all of them; a cancelled close skips the waiting.

    `folder` is the server's own: its home, and where it runs without a `cwd`. Whoever writes faster than we can
    take it waits: the pipe is full.

    Raises:
        OSError: the command or its folder cannot be used.
    """
    async with AsyncExitStack() as stack:
        own = _made(folder)
        cwd = spec.cwd or own
        start = asyncio.to_thread(stack.enter_context, confinement.confine(spec, own, cwd))
        ruleset = await _outlast(start)
        command = ending.command((spec.command, *spec.args), ruleset)
        descriptors = () if ruleset is None else (ruleset,)
        process = await _started(
            asyncio.create_subprocess_exec(
                *command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                env={**(_homes(own) if spec.is_confined else {}), **spec.env},
                cwd=cwd,
                pass_fds=descriptors,
                start_new_session=True,
            ),
            ending,
        )
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
            await ending.end_gently(process)
        finally:
            ending.kill(process)
            to_us.close()
            from_us.close()
            await _outlast(_buried(process, tasks))


async def _started(start: Coroutine[None, None, Process], ending: Ending) -> Process:
    """Start a server. Whoever is cancelled meanwhile leaves when it is gone again.

    A cancelled `create_subprocess_exec` would kill the process alone, and leave it to itself at the next
    cancellation.
    """
    starting = asyncio.create_task(start, name="mcp:start")
    try:
        return await _outlast(starting)
    except asyncio.CancelledError:
        if starting.exception() is None:
            ending.kill(starting.result())
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
    if not await is_over(process, _GONE_S):
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
