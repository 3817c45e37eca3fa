"""What of a server's messages is let through to the SDK, and in which form."""

from collections.abc import Callable, Mapping
from types import MappingProxyType, TracebackType
from typing import Any, Final, Self

from mcp import types
from mcp.client._transport import ReadStream
from mcp.shared.message import SessionMessage

MAX_TOOLS: Final = 500
MAX_BLOCKS: Final = 500
_NO_SCHEMA: Final[Mapping[str, object]] = MappingProxyType({"type": "object"})
_HINTS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_NOTIFICATIONS: Final = frozenset(
    {
        "notifications/tools/list_changed",
        "notifications/progress",
        "notifications/cancelled",
        "notifications/subscriptions/acknowledged",
    }
)
"""All that we act upon. Log messages and the like are dropped: a server could flood us with them."""


class FilteredStream:
    """The read side of a connection: filters, and tells of the end.

    The SDK has no public event for a connection's end, while this notices it in milliseconds; and its
    strict types refuse a whole listing for the sake of one tool.
    """

    def __init__(
        self,
        inner: ReadStream[SessionMessage | Exception],
        *,
        on_end: Callable[[], None],
    ) -> None:
        self._inner = inner
        self._on_end = on_end

    @property
    def last_context(self) -> Any:
        """The sender's context of the SDK's own streams."""
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        while True:
            item = await self._inner.receive()
            if is_wanted(item):
                return item

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        while True:
            try:
                item = await self._inner.__anext__()
            except StopAsyncIteration:
                self._on_end()
                raise
            if is_wanted(item):
                return item

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._inner.__aexit__(kind, exc, trace)


def is_wanted(item: SessionMessage | Exception) -> bool:
    """Tell whether the SDK shall see a message; results are put right in place."""
    if isinstance(item, Exception):
        return True
    message = item.message
    if isinstance(message, types.JSONRPCNotification):
        return message.method in _NOTIFICATIONS and _is_sound(message)
    if isinstance(message, types.JSONRPCResponse):
        tidy_result(message.result)
    return True


def _is_sound(message: types.JSONRPCNotification) -> bool:
    """A malformed one would be logged with a traceback, each time."""
    params = message.params or {}
    if message.method == "notifications/progress":
        return isinstance(params.get("progressToken"), str | int) and isinstance(
            params.get("progress"), int | float
        )
    return True


def tidy_result(result: dict[str, Any]) -> None:
    """Repair a listing of tools, and cut a call's result that has too many blocks."""
    tools, content = result.get("tools"), result.get("content")
    if isinstance(tools, list):
        result["tools"] = [tidy for tool in tools[:MAX_TOOLS] if (tidy := _tidy_tool(tool)) is not None]
    if isinstance(content, list) and len(content) > MAX_BLOCKS:
        rest = len(content) - MAX_BLOCKS
        result["content"] = [*content[:MAX_BLOCKS], {"type": "text", "text": f"[{rest} more parts left out]"}]


def _tidy_tool(tool: object) -> dict[str, Any] | None:
    """Keep what we use of a tool, with the types that the SDK insists on.

    Its output schema goes: the SDK would check each answer against it on the event loop, with regular
    expressions of the server's choice.
    """
    if not isinstance(tool, dict) or not isinstance(tool.get("name"), str) or not tool["name"]:
        return None
    schema = tool.get("inputSchema")
    if not isinstance(schema, dict):
        schema = dict(_NO_SCHEMA)
    elif schema.get("type") != "object":
        schema = {**schema, "type": "object"}
    tidy: dict[str, Any] = {"name": tool["name"], "inputSchema": schema}
    tidy |= {key: tool[key] for key in ("title", "description") if isinstance(tool.get(key), str)}
    hints = tool.get("annotations")
    if isinstance(hints, dict):
        tidy["annotations"] = {key: hints[key] for key in _HINTS if isinstance(hints.get(key), bool)}
    return tidy
