"""One call of a server's tool: its time, its progress, and the questions that come up while it runs."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from mcp import Client, MCPError, types

from app.domain.errors import ToolFault
from app.domain.tools import ResultKind
from app.domain.turn import TurnContext
from app.mcp.connecting.elicitation import Questions
from app.mcp.connecting.host import Host

MAX_CALL_S: Final = 1800.0
"""However much progress a tool reports and however long people think: then it is over."""
_MAX_ROUNDS: Final = 10
_STATE_PAUSE_S: Final = 0.2
_PROGRESS_EVERY_S: Final = 1.0


class CallFailed(ToolFault):
    """The call did not succeed; `detail` is for the model, `kind` says how it ended."""

    def __init__(self, detail: str, kind: ResultKind = "failed") -> None:
        super().__init__("mcp_call_failed", detail)
        self.kind: ResultKind = kind


Relist = Callable[[], Awaitable[object]]
"""Fetch the tools anew."""


class Call:
    """A call on its way, for exactly one turn: who asks is its argument, in both protocol eras.

    The server has `timeout_s` to answer or show progress; that time stands still while a person is asked.

    Since 2026-07-28 a server puts its questions into the result of a call, so whose call it is, is plain.
    Before, it sends a request of its own that names no call: then the connection lets one call run at a
    time, and hands `answer` what comes in.
    """

    def __init__(self, server: str, ctx: TurnContext, host: Host, *, timeout_s: float) -> None:
        self._ctx = ctx
        self._on_progress = host.on_progress
        self._questions = Questions(server, ctx, host.asker)
        self._timeout_s = timeout_s
        self._over_at = asyncio.get_running_loop().time() + MAX_CALL_S
        self._limit: asyncio.Timeout | None = None
        self._shown_at = 0.0

    async def run(
        self, client: Client, tool: str, arguments: Mapping[str, object], relist: Relist
    ) -> types.CallToolResult:
        """Call and wait for the result, which may well be an error of the tool's.

        Raises:
            TimeoutError: the server was silent for too long, and has been told to stop.
            MCPError: the server refused, or the connection ended.
            CallFailed: the server wants something that we do not offer.
        """
        try:
            async with asyncio.timeout(self._timeout_s) as self._limit:
                try:
                    return await self._rounds(client, tool, arguments)
                except MCPError as exc:
                    if exc.code != types.HEADER_MISMATCH:
                        raise
                # Our listing of the tool is stale; the protocol's way out is a new one (2026-07-28, HTTP).
                await relist()
                return await self._rounds(client, tool, arguments)
        finally:
            self._limit = None
            await self._questions.aclose()

    async def answer(self, params: types.ElicitRequestParams) -> types.ElicitResult:
        """Put a question to the person of this call; its time does not count."""
        self._allow(MAX_CALL_S)
        try:
            return await self._questions.ask(params)
        finally:
            self._allow(self._timeout_s)

    def _allow(self, seconds: float) -> None:
        """Give it more time. Progress may still come in when the call is over: then nothing happens."""
        if self._limit is not None and not self._limit.expired():
            self._limit.reschedule(min(asyncio.get_running_loop().time() + seconds, self._over_at))

    async def _rounds(self, client: Client, tool: str, arguments: Mapping[str, object]) -> types.CallToolResult:
        responses: types.InputResponses | None = None
        state: str | None = None
        for _ in range(_MAX_ROUNDS):
            result = await client.session.call_tool(
                tool,
                dict(arguments),
                read_timeout_seconds=MAX_CALL_S,
                progress_callback=self._progress,
                input_responses=responses,
                request_state=state,
                allow_input_required=True,
            )
            if isinstance(result, types.CallToolResult):
                return result
            state = result.request_state
            responses = await self._respond(result.input_requests or {})
        raise CallFailed("The server asked again and again and did not come to a result.")

    async def _respond(self, requests: Mapping[str, types.InputRequest]) -> types.InputResponses | None:
        """Answer one question after the other, as a person reads them."""
        responses: types.InputResponses = {}
        for key, request in requests.items():
            if not isinstance(request, types.ElicitRequest):
                raise CallFailed(f"The server asked for {request.method}, which is not offered here.")
            responses[key] = await self.answer(request.params)
        if not responses:
            await asyncio.sleep(_STATE_PAUSE_S)
        return responses or None

    async def _progress(self, progress: float, total: float | None, message: str | None) -> None:
        self._allow(self._timeout_s)
        now = asyncio.get_running_loop().time()
        if now - self._shown_at >= _PROGRESS_EVERY_S:
            self._shown_at = now
            self._on_progress(self._ctx, (message or "")[:200])
