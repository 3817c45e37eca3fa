"""MCP servers for tests: the SDK's own over in-memory streams, and scripts as child processes."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final

from mcp import types
from mcp.client._transport import TransportStreams
from mcp.server import MCPServer
from mcp.server.mcpserver import Context, Elicit, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel

from app.asking.forms.model import Answer, Question
from app.domain.clock import SystemClock
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.mcp.config import ServerConfig
from app.mcp.connecting.confinement import Confinement
from app.mcp.connecting.connection import State
from app.mcp.connecting.elicitation import Asker, Nobody
from app.mcp.connecting.ending import Ending, ending_here
from app.mcp.connecting.host import Host, OnProgress, Retries
from app.mcp.connecting.resolve import ServerSpec, resolve
from app.mcp.connecting.transports import Connector, Transports
from app.mcp.files import ConfigFile
from app.mcp.manager import McpManager, OnState, ServerInfo

SCRIPT: Final = Path(__file__).with_name("mcp_server.py")
QUICK: Final = Retries(first_s=0.01, longest_s=0.05)
ANN: Final = UserId("ann")
BOB: Final = UserId("bob")


def turn_of(user_id: UserId = ANN) -> TurnContext:
    return TurnContext(TurnId(1), user_id, ConversationId(1), 1, datetime.now(UTC), "en", is_admin=False)


def script(*switches: str, **more: Any) -> ServerConfig:
    """The script as a server; `-I -S` because it needs nothing that is installed."""
    return ServerConfig(command=sys.executable, args=("-I", "-S", str(SCRIPT), *switches), **more)


def text_of(result: CallToolResult) -> str:
    return "".join(block.text for block in result.content if isinstance(block, TextContent))


class Confirm(BaseModel):
    ok: bool


def sdk_server() -> MCPServer:
    """A server made with the SDK; it speaks both eras."""
    server = MCPServer("sdk", version="1.0")

    @server.tool()
    def echo(text: str) -> str:
        """Echo text back."""
        return text

    @server.tool()
    def fail(reason: str) -> str:
        """Fail."""
        raise ToolError(reason)

    @server.tool()
    async def work(steps: int, ctx: Context[Any]) -> str:
        """Report progress, then wait to be cancelled, or end."""
        for step in range(steps):
            await ctx.report_progress(step + 1, steps, f"step {step + 1}")
        return f"done {steps}"

    @server.tool()
    async def grow(ctx: Context[Any]) -> str:
        """Bring one more tool, and announce it in the way of both eras."""
        server.add_tool(lambda: "extra!", name="extra", description="More.")
        await ctx.notify_tools_changed()
        await ctx.session.send_tool_list_changed()
        return "grown"

    async def ask(item: str) -> Elicit[Confirm]:
        return Elicit(f"Really delete {item}?", Confirm)

    @server.tool()
    async def delete_item(item: str, answer: Annotated[Confirm, Resolve(ask)]) -> str:
        """Ask first."""
        return f"deleted {item}" if answer.ok else f"kept {item}"

    return server


class LegacyEar:
    """The read side of a server that answers `server/discover` as one of the handshake era does."""

    def __init__(self, inner: Any, answers: Any) -> None:
        self._inner = inner
        self._answers = answers

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def __aenter__(self) -> "LegacyEar":
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *exc: Any) -> None:
        await self._inner.__aexit__(*exc)

    def __aiter__(self) -> "LegacyEar":
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        while True:
            item: SessionMessage | Exception = await self._inner.__anext__()
            message = item.message if isinstance(item, SessionMessage) else None
            if not isinstance(message, types.JSONRPCRequest) or message.method != "server/discover":
                return item
            error = types.ErrorData(code=types.METHOD_NOT_FOUND, message="Method not found")
            await self._answers.send(SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=message.id, error=error)))


class MemoryConnector:
    """A `Connector` to SDK servers in this process; `crash` ends one as a killed process would.

    A "legacy" one refuses what the handshake era did not know, so that clients fall back to it.
    """

    def __init__(self, era: str = "modern", /, **servers: Callable[[], MCPServer]) -> None:
        self.servers = servers
        self._is_legacy = era == "legacy"
        self.opened: list[str] = []
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @asynccontextmanager
    async def open(self, spec: ServerSpec) -> AsyncIterator[TransportStreams]:
        server = self.servers[spec.name]()._lowlevel_server
        self.opened.append(spec.name)
        async with create_client_server_memory_streams() as (ours, (server_read, server_write)):
            ear: Any = LegacyEar(server_read, server_write) if self._is_legacy else server_read
            task = asyncio.create_task(
                server.run(ear, server_write, server.create_initialization_options()),
                name=f"fake-server:{spec.name}",
            )
            self._tasks[spec.name] = task
            try:
                yield ours
            finally:
                task.cancel()
                await asyncio.wait({task})

    def crash(self, name: str) -> None:
        self._tasks[name].cancel()


@dataclass
class Person:
    """An `Asker` that notes who was asked what, and answers by the user's wish; without one, never."""

    wishes: Mapping[UserId, Answer] = field(default_factory=dict)
    asked: list[tuple[UserId, Question]] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    closed: int = 0

    async def ask(self, ctx: TurnContext, question: Question) -> Answer:
        self.asked.append((ctx.user_id, question))
        self.arrived.set()
        if ctx.user_id in self.wishes:
            await asyncio.sleep(0)
            return self.wishes[ctx.user_id]
        try:
            await asyncio.Event().wait()
        finally:
            self.closed += 1
        raise AssertionError("nobody sets that event")


class States:
    """An `OnState` that keeps what it hears, and on which one can wait."""

    def __init__(self) -> None:
        self.heard: list[ServerInfo] = []
        self._news = asyncio.Event()

    def __call__(self, info: ServerInfo) -> None:
        self.heard.append(info)
        self._news.set()

    async def next(self, name: str, state: State) -> ServerInfo:
        """Wait until a server gets into a state from now on."""
        seen = len(self.heard)
        async with asyncio.timeout(10):
            while True:
                for info in self.heard[seen:]:
                    if (info.name, info.state) == (name, state):
                        return info
                seen = len(self.heard)
                self._news.clear()
                await self._news.wait()


async def until(condition: Callable[[], bool], *, timeout_s: float = 60) -> None:
    """Wait for a state of processes and sockets, which tell nobody of their changes."""
    async with asyncio.timeout(timeout_s):
        while not condition():
            await asyncio.sleep(0.01)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def is_reaped(pid: int) -> bool:
    """Tell whether a process is gone for good: neither running nor waiting for somebody to take its exit code."""
    return not Path(f"/proc/{pid}").exists()


def children() -> set[int]:
    """Processes below this one that are not waiting to be reaped."""
    found: set[int] = set()
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                stat = (entry / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
                if stat[0] != "Z":
                    parents[int(entry.name)] = int(stat[1])
    waiting = [os.getpid()]
    while waiting:
        parent = waiting.pop()
        below = [pid for pid, its in parents.items() if its == parent]
        found.update(below)
        waiting += below
    return found


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def our_tasks() -> list[str]:
    return sorted(task.get_name() for task in asyncio.all_tasks() if task.get_name().startswith("mcp:"))


@asynccontextmanager
async def running_manager(
    home: Path,
    *,
    connector: Connector | None = None,
    asker: Asker | None = None,
    on_progress: OnProgress = lambda ctx, text: None,
    clock: Clock | None = None,
    secrets: Mapping[str, str] | None = None,
    environ: Mapping[str, str] | None = None,
    retries: Retries = QUICK,
    on_state: OnState = lambda info: None,
    ending: Ending | None = None,
) -> AsyncIterator[McpManager]:
    """A manager over an own file; afterwards neither a task nor a child nor an open file is left."""
    before, files = children(), open_files()
    given = secrets or {}
    env = {"PATH": os.environ["PATH"], "HOME": str(home)} if environ is None else environ
    confinement = Confinement((home / "mcp_servers.json",)) if ending is None else None
    host = Host(
        connector or Transports(home / "mcp", confinement=confinement, ending=ending or ending_here(0.3)),
        lambda name, config: resolve(name, config, find_secret=given.get, environ=env),
        clock or SystemClock(),
        asker or Nobody(),
        on_progress,
        retries,
    )
    manager = McpManager(ConfigFile(home / "mcp_servers.json"), host, on_state=on_state)
    try:
        yield manager
    finally:
        await manager.aclose()
    assert our_tasks() == []
    assert children() - before == set()
    await until(lambda: open_files() <= files)
