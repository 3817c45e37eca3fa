"""A server's tool as one of ours, under a name of its own."""

import hashlib
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import cached_property
from typing import ClassVar, Final

import structlog
from mcp import types
from pydantic import BaseModel

from app.domain.chat import ToolSchema
from app.domain.ids import UserId
from app.domain.tools import BaseTool, ToolResult
from app.domain.turn import TurnContext
from app.domain.wording import one_line
from app.mcp.config import Access, safe, slug
from app.mcp.connecting.calls import MAX_CALL_S, CallFailed
from app.mcp.content import shorten_schema, to_text
from app.skills.schema.arguments import ToolArguments, arguments_model
from app.skills.schema.compiled import MAX_SCHEMA_CHARS as GIVEN_SCHEMA_CHARS
from app.skills.schema.shown import project_schema

log = structlog.get_logger(__name__)

MAX_DESCRIPTION_CHARS: Final = 400
MAX_SCHEMA_CHARS: Final = 6_000
_MAX_ERROR_CHARS: Final = 4_000
MAX_TOOL_NAME_CHARS: Final = 64
_HASH_CHARS: Final = 8

CallTool = Callable[[str, Mapping[str, object], TurnContext], Awaitable[types.CallToolResult]]
"""Call a tool by the server's own name for it. Raises CallFailed."""


class MCPToolAdapter(BaseTool):
    """A tool of an MCP server, offered as `name`.

    It is sensitive: a person is asked before each call. Only where the owner said that the server's
    annotations may be trusted (`trusts_annotations`), one that the server calls read-only is not.

    Arguments reach the server as the model gave them, repaired where they did not fit the server's own
    schema: no name changed, no null or default added. The model is shown a small copy of that schema.
    Its texts are the server's, so they are data: one line, cut to a length.

    The connection keeps time (`timeout_s` of the server), as only it knows of progress and of questions;
    the tool's own limit is the last resort.
    """

    kind: ClassVar[str] = "mcp"

    def __init__(
        self,
        tool: types.Tool,
        *,
        name: str,
        server: str,
        call: CallTool,
        trusts_annotations: bool = False,
        access: Callable[[], Access] = Access,
    ) -> None:
        self.name = name
        self.skill = slug(server)
        self.server = server
        self.tool_name = tool.name
        self.description = _description(tool, server)
        self.read_only = _is_read_only(tool, trusts_annotations=trusts_annotations)
        self.sensitive = not self.read_only
        self.timeout_s = MAX_CALL_S
        self._call = call
        self._access = access
        self.owner = access().owner
        self._tool = tool
        self._schema = ToolSchema(name, self.description, _shown_schema(tool.input_schema))

    @cached_property
    def _arguments(self) -> ToolArguments:
        """The schema compiled, which takes 12 ms: too much for a server that brings 500 tools at once."""
        arguments = ToolArguments(self._tool.input_schema)
        if arguments.problem is not None:
            log.info("mcp.schema_unchecked", tool=self.name, problem=arguments.problem)
        return arguments

    @cached_property
    def args_model(self) -> type[BaseModel]:  # type: ignore[override]  # made when it is asked for, then kept
        return arguments_model(self.name, self._arguments)

    def is_for(self, user_id: UserId | None, *, is_admin: bool) -> bool:
        """See `BaseTool.is_for`; asked at each call, as a server may be shared no more by then."""
        return self._access().allows(user_id, is_admin=is_admin)

    def is_same(self, tool: types.Tool, name: str) -> bool:
        """Tell whether an adapter made of these would be no other than this one."""
        return self.name == name and self._tool == tool

    def get_schema(self) -> ToolSchema:
        """Return the small copy of the schema, always the same object."""
        return self._schema

    def validate_args(self, arguments: object) -> Mapping[str, object]:
        """Return the arguments as they will be sent; see `BaseTool.validate_args`."""
        return self._arguments.validate(arguments)

    async def execute(self, arguments: Mapping[str, object], *, ctx: TurnContext) -> ToolResult:
        """Call the server. What the tool itself calls an error is a failure, as is everything in between."""
        try:
            result = await self._call(self.tool_name, arguments, ctx)
        except CallFailed as exc:
            return ToolResult.failed(exc.detail, exc.kind)
        text = to_text(result)
        if result.is_error:
            return ToolResult.failed(text[:_MAX_ERROR_CHARS] or "the tool failed and gave no reason")
        return ToolResult.ok(text)


def _is_read_only(tool: types.Tool, *, trusts_annotations: bool) -> bool:
    return trusts_annotations and tool.annotations is not None and bool(tool.annotations.read_only_hint)


def _shown_schema(given: Mapping[str, object]) -> dict[str, object]:
    try:
        if len(json.dumps(given)) <= GIVEN_SCHEMA_CHARS:
            return shorten_schema(project_schema(given), MAX_SCHEMA_CHARS)
    except (RecursionError, ValueError, TypeError):
        log.info("mcp.schema_not_shown")
    return {"type": "object", "properties": {}, "required": []}


def _description(tool: types.Tool, server: str) -> str:
    given = tool.description or tool.title or (tool.annotations.title if tool.annotations else None) or ""
    printable = "".join(char if char.isprintable() else " " for char in given)
    return one_line(printable, MAX_DESCRIPTION_CHARS) or f"{one_line(tool.name, 80)} of the server {server}"


def tool_names(offered: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
    """Return the name under which each (server, tool) is offered: `mcp_SERVER_TOOL`.

    All names are distinct, at most `MAX_TOOL_NAME_CHARS` long, of letters, digits, `_` and `-`. They depend
    on the set of tools only, not on who came first: a name that had to be changed or cut ends in a hash of
    the pair, and of several pairs that would share a name (`a_b` with `c`, `a` with `b_c`) the first in
    alphabetical order keeps it.
    """
    names: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for pair in sorted(set(offered)):
        plain = f"mcp_{slug(pair[0])}_{safe(pair[1])}"
        is_itself = plain == f"mcp_{pair[0]}_{pair[1]}" and len(plain) <= MAX_TOOL_NAME_CHARS
        name = plain if is_itself and plain not in taken else _hashed(plain, pair)
        if name not in taken:
            taken.add(name)
            names[pair] = name
    return names


def _hashed(plain: str, pair: tuple[str, str]) -> str:
    digest = hashlib.blake2s("\0".join(pair).encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_CHARS]
    return f"{plain[: MAX_TOOL_NAME_CHARS - _HASH_CHARS - 1]}_{digest}"
