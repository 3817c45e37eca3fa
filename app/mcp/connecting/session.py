"""One opening of a server, from its first byte to its last."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final, Literal

import structlog
from mcp import Client, MCPError, types
from mcp.client._transport import TransportStreams
from mcp.client.context import ClientRequestContext
from mcp.client.session import IncomingMessage
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from app.asking.forms.model import CANCELLED
from app.domain.turn import TurnContext
from app.mcp.config import ServerConfig
from app.mcp.connecting.calls import Call, CallFailed
from app.mcp.connecting.elicitation import to_result
from app.mcp.connecting.filtering import MAX_TOOLS, FilteredStream
from app.mcp.connecting.host import Host
from app.mcp.connecting.resolve import ServerSpec

log = structlog.get_logger(__name__)

Mode = Literal["auto", "legacy"]
OnTools = Callable[[Sequence[types.Tool] | None], None]

CLIENT: Final = ("wasap", "1")
_MAX_PAGES: Final = 50
_SETTLE_S: Final = 0.05
_LONGEST_LISTING_S: Final = 30.0
_LISTEN_AGAIN_S: Final = 5.0
_LOST_SESSION: Final = frozenset({"Session terminated", "Session not found"})


class Session:
    """A server while it is open. `serve` is run by one task, which alone enters and leaves the SDK's scopes
    (anyio binds them to the task); `call` and `end` may be used from any.

    `on_tools` hears of the tools once it is open and whenever they change, and None the moment it is lost.
    """

    def __init__(
        self,
        spec: ServerSpec,
        config: ServerConfig,
        host: Host,
        *,
        mode: Mode,
        on_tools: OnTools,
    ) -> None:
        self._spec = spec
        self._config = config
        self._host = host
        self._mode: Mode = mode
        self._on_tools = on_tools
        self._client: Client | None = None
        self._is_legacy = False
        self._turn = asyncio.Lock()
        self._current: Call | None = None
        self._is_tainted = False
        self._changed = asyncio.Event()
        self._over = asyncio.Event()
        self.phase: Literal["opening", "open", "closing"] = "opening"
        self.protocol = ""
        self.end_reason = ""

    @property
    def is_open(self) -> bool:
        return self.phase == "open"

    async def serve(self) -> None:
        """Open the server, tell its tools, wait for the end, close. What opening raises goes up."""
        client = Client(
            self._transport(),
            mode=self._mode,
            # Also that of the handshake, which a launcher answers only when its download is done.
            read_timeout_seconds=max(_LONGEST_LISTING_S, self._config.opening_timeout_s),
            message_handler=self._on_message,
            elicitation_callback=self._on_question if self._config.questions else None,
            client_info=types.Implementation(name=CLIENT[0], version=CLIENT[1]),
            cache=None,
        )
        async with AsyncExitStack() as stack:
            # asyncio.timeout, because a scope of anyio's would have to be left before those of the client.
            async with asyncio.timeout(self._config.opening_timeout_s):
                await stack.enter_async_context(client)
                tools = await list_all(client)
            stack.callback(self._close)
            self.protocol = client.protocol_version
            self._is_legacy = self.protocol in HANDSHAKE_PROTOCOL_VERSIONS
            helpers = [
                asyncio.create_task(self._listen(client), name=f"mcp:{self._spec.name}:listen"),
                asyncio.create_task(self._relist_when_changed(client), name=f"mcp:{self._spec.name}:relist"),
            ]
            stack.push_async_callback(_ended, helpers)
            self._client = client
            self.phase = "open"
            self._on_tools(tools)
            await self._over.wait()

    def end(self, reason: str) -> None:
        """Let no further call in, and have `serve` close; the first reason stays."""
        if not self._over.is_set():
            self.end_reason = reason
            self._over.set()
        if self.phase == "open":
            self._close()
            self._on_tools(None)

    async def call(self, tool: str, arguments: Mapping[str, object], ctx: TurnContext) -> types.CallToolResult:
        """Call a tool for a turn.

        Before 2026-07-28 a server's question names no call. So with such a server, calls run one at a time
        (unless it may not ask), and once a call was abandoned, nobody is asked any more until the server is
        opened anew: it may still be working on what another person wanted.

        Raises:
            TimeoutError, MCPError, CallFailed: see `Call.run`.
        """
        client = self._client
        if client is None or not self.is_open:
            raise CallFailed("The server has just gone away. Tell the person, or try another way.")
        call = Call(self._spec.name, ctx, self._host, timeout_s=self._config.timeout_s)
        if not (self._is_legacy and self._config.questions):
            return await self._run(call, client, tool, arguments)
        try:
            async with asyncio.timeout(self._config.timeout_s):
                await self._turn.acquire()
        except TimeoutError:
            raise CallFailed("The server is busy with something else. Try again in a while.", "timeout") from None
        self._current, is_done = call, False
        try:
            result = await self._run(call, client, tool, arguments)
            is_done = True
            return result
        except MCPError:
            is_done = True
            raise
        finally:
            self._is_tainted |= not is_done
            self._current = None
            self._turn.release()

    async def _run(
        self, call: Call, client: Client, tool: str, arguments: Mapping[str, object]
    ) -> types.CallToolResult:
        try:
            return await call.run(client, tool, arguments, lambda: list_all(client))
        except TimeoutError:
            # Is it this call, or the server? A listing tells.
            self._changed.set()
            raise
        except MCPError as exc:
            if exc.code == types.INVALID_REQUEST and exc.message in _LOST_SESSION:
                self.end("the server forgot the session")
            raise

    @asynccontextmanager
    async def _transport(self) -> AsyncIterator[TransportStreams]:
        async with self._host.connector.open(self._spec) as (read, write):
            yield (
                FilteredStream(read, on_end=lambda: self.end("the connection was lost")),
                write,
            )

    def _close(self) -> None:
        self._client = None
        self.phase = "closing"

    async def _on_message(self, message: IncomingMessage) -> None:
        """Up to 2025-11-25, servers announce a changed list by themselves."""
        if isinstance(message, types.ToolListChangedNotification):
            self._changed.set()

    async def _on_question(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        if self._current is None or self._is_tainted:
            log.warning("mcp.question_of_nobody", server=self._spec.name)
            return to_result(CANCELLED)
        return await self._current.answer(params)

    async def _listen(self, client: Client) -> None:
        """Since 2026-07-28, changes are announced only on a subscription, which replays nothing."""
        while True:
            try:
                async with client.listen(tools_list_changed=True) as subscription:
                    self._changed.set()
                    async for _ in subscription:
                        self._changed.set()
            except ListenNotSupportedError:
                return
            except (MCPError, SubscriptionLost, TimeoutError) as exc:
                if isinstance(exc, MCPError) and exc.code == types.METHOD_NOT_FOUND:
                    return
                log.debug("mcp.listen_ended", server=self._spec.name, error=type(exc).__name__)
            await asyncio.sleep(_LISTEN_AGAIN_S)

    async def _relist_when_changed(self, client: Client) -> None:
        """Fetch the tools after each change, many changes at once; a server that does not answer is lost."""
        while True:
            await self._changed.wait()
            await asyncio.sleep(_SETTLE_S)
            self._changed.clear()
            try:
                async with asyncio.timeout(min(_LONGEST_LISTING_S, self._config.timeout_s)):
                    tools = await list_all(client)
            except TimeoutError:
                self.end("it does not answer")
                return
            except (MCPError, ValueError, RuntimeError) as exc:
                if isinstance(exc, MCPError) and exc.code == types.REQUEST_TIMEOUT:
                    self.end("it does not answer")
                    return
                log.warning("mcp.listing_failed", server=self._spec.name, error=type(exc).__name__)
            else:
                if self.is_open:
                    self._on_tools(tools)


async def list_all(client: Client) -> list[types.Tool]:
    """Return the tools of all pages, `MAX_TOOLS` at most; a paginator that never ends is cut off."""
    tools: list[types.Tool] = []
    cursor: str | None = None
    for _ in range(_MAX_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        cursor = page.next_cursor
        if not cursor or len(tools) >= MAX_TOOLS:
            break
    return tools[:MAX_TOOLS]


async def _ended(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    done, _ = await asyncio.wait(tasks)
    for task in done:
        if not task.cancelled() and (exc := task.exception()) is not None:
            log.error("mcp.helper_failed", task=task.get_name(), error=repr(exc))
