"""A server that is kept open: opened anew when it is lost, whoever asked for it and whatever they do since."""

import asyncio
import contextvars
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final, Literal

import anyio
import httpx2
import structlog
from mcp import MCPError, types

from app.domain.clock import first_of
from app.domain.errors import AppError
from app.domain.turn import TurnContext
from app.domain.wording import one_line
from app.mcp.config import ServerConfig
from app.mcp.connecting.calls import CallFailed
from app.mcp.connecting.host import WAITING_FOR_CONSENT, Host, Verdict
from app.mcp.connecting.resolve import ServerSpec, Unusable
from app.mcp.connecting.session import Mode, Session

log = structlog.get_logger(__name__)

State = Literal["connecting", "ready", "waiting", "failed", "stopped"]
"""`waiting`: lost or not reached, tried again soon; `failed`: somebody has to change something first."""

_ERROR_CHARS: Final = 200
_STEADY_S: Final = 60.0
_CLOSING_S: Final = 15.0
_MAY_HAVE_HAPPENED: Final = (
    "It may or may not have taken effect: look first, or ask the person, before trying again."
)
_BROKEN: Final = (
    MCPError,
    RuntimeError,
    ValueError,
    OSError,
    httpx2.HTTPError,
    httpx2.StreamError,
    anyio.ClosedResourceError,
    anyio.BrokenResourceError,
)
"""What the SDK lets through while a connection breaks under a call."""
_HOPELESS: Final = (Unusable, AppError, FileNotFoundError, PermissionError)
"""What no further try would mend."""
_MOST_CONSENTS: Final = 3
"""In a row, before a server is ready: one to be let in, another for more rights."""
_CONSENT_NEEDED: Final = (
    "The server {server} wants the consent of an admin first, who was sent a link. Nothing was done. "
    "Tell the person; it can be tried again once that is given."
)


class McpConnection:
    """One server, from `start` to `stop`. All methods may be used from any task.

    Two tasks own it. One at a time runs a `Session`; the other starts it, waits, and starts the next.
    Neither inherits anything of the task that called `start`. `on_change` is told, synchronously, of each
    change of the tools or the state.
    """

    def __init__(
        self, name: str, config: ServerConfig, host: Host, *, on_change: Callable[["McpConnection"], None]
    ) -> None:
        self.name = name
        self.config = config
        self.state: State = "connecting"
        self.error: str | None = None
        self.restarts = 0
        self.tools: tuple[types.Tool, ...] = ()
        self.protocol = ""
        self.is_consent_granted = False
        """It became ready because an admin had consented."""
        self._host = host
        self._on_change = on_change
        self._session: Session | None = None
        self._spec: ServerSpec | None = None
        self._owner: asyncio.Task[None] | None = None
        self._attempt: asyncio.Task[None] | None = None
        self._mode: Mode = "auto"
        self._was_ready = False
        self._is_opened = False
        self._consents_given = 0
        self._asks_consent = False
        self._settled = asyncio.Event()
        self._stopping = asyncio.Event()

    @property
    def is_consent_pending(self) -> bool:
        """Whether it is not ready only because an admin was asked: it goes on by itself when they answer."""
        return self.state == "connecting" and (self._asks_consent or self._consents_given > 0)

    def start(self) -> None:
        """Begin to connect; returns at once."""
        self._owner = asyncio.create_task(self._own(), name=f"mcp:{self.name}", context=contextvars.Context())

    async def settled(self) -> State:
        """Wait for the first outcome: ready, or the first failure."""
        await self._settled.wait()
        return self.state

    async def stop(self) -> None:
        """End the server and everything that belongs to it; its tools are gone at once. May be repeated.

        Cancelling the wait does not stop the ending.
        """
        if not self._stopping.is_set():
            self._stopping.set()
            self._end_attempt()
            self._publish(())
        if self._owner is None:
            return
        done, _ = await asyncio.wait({self._owner}, timeout=_CLOSING_S)
        if not done:
            log.error("mcp.closing_hangs", server=self.name)
            self._owner.cancel()
            await asyncio.wait({self._owner}, timeout=_CLOSING_S)

    def _end_attempt(self) -> None:
        """Have the session close. Once only: a second cancellation would interrupt what the first one ends."""
        session, attempt = self._session, self._attempt
        if session is not None and session.phase != "opening":
            session.end("stopped")
        elif attempt is not None:
            attempt.cancel()

    async def call(self, tool: str, arguments: Mapping[str, object], ctx: TurnContext) -> types.CallToolResult:
        """Call a tool by the server's own name for it.

        Raises:
            CallFailed: there is no result; the sentence says what to do, and names nothing of this machine.
        """
        session = self._session
        if session is None or not session.is_open:
            raise CallFailed(f"The server {self.name} is not available now. Tell the person, or try another way.")
        try:
            return await session.call(tool, arguments, ctx)
        except TimeoutError as exc:
            raise self._timed_out() from exc
        except (MCPError, *_BROKEN) as exc:
            if self._host.consents.is_open(self.name):
                raise CallFailed(_CONSENT_NEEDED.format(server=self.name)) from exc
            if isinstance(exc, MCPError):
                raise self._refused(exc) from exc
            log.warning("mcp.call_broke", server=self.name, tool=tool, error=type(exc).__name__)
            raise self._cut_off() from exc

    def _timed_out(self) -> CallFailed:
        waited = f"{self.config.timeout_s:g} s"
        return CallFailed(
            f"The server {self.name} did not answer within {waited}. {_MAY_HAVE_HAPPENED}", "timeout"
        )

    def _refused(self, exc: MCPError) -> CallFailed:
        if exc.code == types.REQUEST_TIMEOUT:
            return self._timed_out()
        if exc.code == types.CONNECTION_CLOSED:
            return self._cut_off()
        return CallFailed(f"The server {self.name} refused the call: {self._clean(exc.message)}")

    def _cut_off(self) -> CallFailed:
        return CallFailed(
            f"The connection to {self.name} was cut off during the call. {_MAY_HAVE_HAPPENED}", "uncertain"
        )

    async def _own(self) -> None:
        failures = 0
        try:
            while not self._stopping.is_set():
                opened_at = self._host.clock.now()
                fault = await self._unmended(await self._one_session())
                if fault is None or self._stopping.is_set():
                    continue
                failures = 1 if self._was_steady(opened_at) else failures + 1
                self.error = self._reason(fault)
                log.warning("mcp.lost", server=self.name, error=self.error, failures=failures)
                if isinstance(fault, _HOPELESS) or failures == self._host.retries.give_up_after:
                    self._set("failed")
                    await self._stopping.wait()
                    continue
                self._set("waiting")
                await first_of(self._host.clock.sleep(self._host.retries.delay_s(failures)), self._stopping.wait())
                self.restarts += 1
        finally:
            self._host.consents.drop(self.name)
            self._set("stopped")

    async def _unmended(self, fault: BaseException | str) -> BaseException | str | None:
        """Return what is wrong once an admin was waited for; None to try again at once."""
        verdict = await self._verdict()
        if verdict is None:
            return None if self._falls_back(fault) else fault
        if not verdict.is_granted:
            return Unusable(verdict.reason) if verdict.is_final else verdict.reason
        self._consents_given += 1
        return None if self._consents_given <= _MOST_CONSENTS else Unusable("it wants consent again and again")

    async def _verdict(self) -> Verdict | None:
        """Wait for the admin without whom the server cannot be opened; None where none is needed."""
        consents = self._host.consents
        if not consents.is_open(self.name):
            if not self._is_opened:
                return await consents.verdict(self.name)
            # It was about a call, whose person was told.
            consents.drop(self.name)
            return None
        self.error, self._asks_consent = WAITING_FOR_CONSENT, True
        self._on_change(self)
        found = asyncio.create_task(consents.verdict(self.name), name=f"mcp:{self.name}:consent")
        await first_of(found, self._stopping.wait())
        self._asks_consent = False
        return None if found.cancelled() else found.result()

    async def _one_session(self) -> BaseException | str:
        """Run one session in a task of its own, and return how it ended."""
        self._is_opened = False
        self._set("connecting")
        attempt = self._attempt = asyncio.create_task(self._serve(), name=f"mcp:{self.name}:session")
        try:
            await asyncio.wait({attempt})
        finally:
            if not attempt.done():
                attempt.cancel()
                await asyncio.wait({attempt})
            session, self._session, self._attempt = self._session, None, None
            self._publish(())
        if attempt.cancelled():
            return "it was interrupted"
        return attempt.exception() or (session.end_reason if session is not None else "")

    async def _serve(self) -> None:
        self._spec = await asyncio.to_thread(self._host.resolve, self.name, self.config)
        session = Session(self._spec, self.config, self._host, mode=self._mode, on_tools=self._on_tools)
        self._session = session
        await session.serve()

    def _falls_back(self, fault: BaseException | str) -> bool:
        """Try the older handshake once, at once, with a server that has never been reached: some of them end
        at the first request they do not know. It is remembered if it helps."""
        is_hopeless = isinstance(fault, (*_HOPELESS, OSError)) and not isinstance(fault, TimeoutError)
        if self._was_ready or self._mode == "legacy" or is_hopeless:
            self._mode = self._mode if self._was_ready else "auto"
            return False
        self._mode = "legacy"
        return True

    def _on_tools(self, tools: Sequence[types.Tool] | None) -> None:
        """Hear from the session: its tools, or None the moment it is lost."""
        if tools is None:
            self.state = "waiting"
            self._publish(())
            return
        if self._stopping.is_set() or self._session is None:
            return
        self.protocol = self._session.protocol
        self._was_ready = self._is_opened = True
        self.is_consent_granted, self._consents_given = self._consents_given > 0, 0
        self.error = None
        if self.state != "ready":
            log.info("mcp.connected", server=self.name, tools=len(tools), protocol=self.protocol)
            self.state = "ready"
        self._publish(tools)
        self._settled.set()

    def _publish(self, tools: Sequence[types.Tool]) -> None:
        """Swap all tools at once."""
        self.tools = tuple(tools)
        self._on_change(self)

    def _set(self, state: State) -> None:
        self.state = state
        self._on_change(self)
        if state != "connecting":
            self._settled.set()

    def _was_steady(self, opened_at: datetime) -> bool:
        return (self._host.clock.now() - opened_at).total_seconds() > _STEADY_S

    def _reason(self, fault: BaseException | str) -> str:
        return self._clean(fault if isinstance(fault, str) else describe(fault, self.config))

    def _clean(self, text: str) -> str:
        """Return a text of the server's, or about it, on one line and without what it was given in confidence."""
        return one_line(text if self._spec is None else self._spec.redact(text), _ERROR_CHARS)


def describe(fault: BaseException, config: ServerConfig) -> str:
    """Say for its owner why a server could not be opened."""
    while isinstance(fault, BaseExceptionGroup):
        fault = fault.exceptions[0]
    match fault:
        case TimeoutError():
            return f"it was not ready within {config.opening_timeout_s:g} s"
        case FileNotFoundError():
            return f"the command {config.command} was not found"
        case PermissionError():
            return f"the command {config.command} may not be run"
        case httpx2.HTTPStatusError():
            return f"it answered HTTP {fault.response.status_code}"
        case httpx2.HTTPError():
            return f"it cannot be reached ({type(fault).__name__})"
        case MCPError(code=types.CONNECTION_CLOSED):
            return "it ended before it was ready; its log says more"
        case MCPError() | Unusable():
            return str(fault) or type(fault).__name__
        case AppError():
            return f"{fault.code} {fault.detail}"
        case _:
            return f"{type(fault).__name__}: {fault}"
