"""A server's question to the person whose call it is working on."""

import asyncio
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Protocol

import structlog
from mcp import types

from app.asking.forms.model import CANCELLED, FORMATS, Answer, Choice, Field, FieldKind, Limits, Question
from app.domain.errors import AppError, ToolArgumentError
from app.domain.turn import TurnContext
from app.domain.wording import cut
from app.skills.schema.arguments import ToolArguments

log = structlog.get_logger(__name__)

MAX_FIELDS: Final = 10
MAX_CHOICES: Final = 50
MAX_MESSAGE_CHARS: Final = 1000
_LABEL_CHARS: Final = 120
_HINT_CHARS: Final = 300
_URL_CHARS: Final = 2000
_BOUNDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "string": ("minLength", "maxLength"),
        "integer": ("minimum", "maximum"),
        "number": ("minimum", "maximum"),
        "array": ("minItems", "maxItems"),
    }
)
_HUGE: Final = 1e300


class Asker(Protocol):
    async def ask(self, ctx: TurnContext, question: Question) -> Answer:
        """Put a question to the person of that turn, and to nobody else.

        Waits for as long as people are given, then returns "cancel". Cancelling the wait closes the question.

        Raises:
            AppError: the person cannot be reached.
        """
        ...


class Nobody:
    """The `Asker` where nobody can be asked."""

    async def ask(self, ctx: TurnContext, question: Question) -> Answer:
        return Answer("cancel")


async def elicit(
    params: types.ElicitRequestParams, *, server: str, ctx: TurnContext, asker: Asker
) -> types.ElicitResult:
    """Answer a server's question through the person; everything that goes wrong is "cancel".

    A field that the person leaves out gets the server's own default (SEP-1034). Answers are checked against
    the server's schema before they leave.
    """
    question = read_question(server, params)
    if question is None:
        return to_result(CANCELLED)
    try:
        answer = await asker.ask(ctx, question)
    except AppError as exc:
        log.warning("mcp.question_not_asked", server=server, code=exc.code)
        return to_result(CANCELLED)
    if answer.action != "accept" or isinstance(params, types.ElicitRequestURLParams):
        return types.ElicitResult(action=answer.action)
    defaults = {each.name: each.default for each in question.fields if each.default is not None}
    try:
        values: Any = ToolArguments(params.requested_schema).validate({**defaults, **answer.values})
        return types.ElicitResult(action="accept", content=values)
    except (ToolArgumentError, ValueError) as exc:
        log.warning("mcp.answer_does_not_fit", server=server, error=type(exc).__name__)
        return to_result(CANCELLED)


def to_result(answer: Answer) -> types.ElicitResult:
    """Return an answer without values in the form of the protocol."""
    return types.ElicitResult(action=answer.action)


def read_question(server: str, params: types.ElicitRequestParams) -> Question | None:
    """Read what the server asks; None when it cannot be put to a person.

    The schema of a form is flat: text, numbers, truth values, one or several of a list (MCP 2025-11-25 and
    2026-07-28, "Elicitation").
    """
    message = _shown(params.message, MAX_MESSAGE_CHARS)
    if isinstance(params, types.ElicitRequestURLParams):
        is_web = params.url.startswith(("https://", "http://")) and len(params.url) <= _URL_CHARS
        return Question(server, message, url=params.url) if is_web and params.url.isprintable() else None
    properties = params.requested_schema.get("properties")
    required = params.requested_schema.get("required")
    if not isinstance(properties, dict):
        properties = {}
    if len(properties) > MAX_FIELDS:
        return None
    names = required if isinstance(required, list) else []
    fields = [_read_field(str(name), schema, is_required=name in names) for name, schema in properties.items()]
    return Question(server, message, tuple(fields))


def read_limits(node: Mapping[str, Any]) -> Limits:
    """Read the limits of a primitive schema (MCP 2025-11-25, "Elicitation", and SEP-1330 for lists).

    What is no number, or a format that the specification does not know, limits nothing. A `pattern` is left
    to the server: a hostile one would keep Python's `re` busy for minutes.
    """
    lower, upper = _BOUNDS.get(str(node.get("type")), ("", ""))
    known = next((one for one in FORMATS if node.get("format") == one), None)
    return Limits(
        _bound(node.get(lower)), _bound(node.get(upper)), known if node.get("type") == "string" else None
    )


def _read_field(name: str, schema: object, *, is_required: bool) -> Field:
    node: Mapping[str, Any] = schema if isinstance(schema, Mapping) else {}
    items = node.get("items")
    is_list = node.get("type") == "array" and isinstance(items, Mapping)
    choices = _read_choices(items if is_list and isinstance(items, Mapping) else node)
    default = node.get("default")
    return Field(
        name=name,
        label=_shown(str(node.get("title") or name), _LABEL_CHARS),
        kind=_kind_of(node, is_list=is_list, has_choices=bool(choices)),
        hint=_shown(str(node.get("description") or ""), _HINT_CHARS),
        choices=choices,
        is_required=is_required,
        default=default if isinstance(default, str | int | float | bool | list) else None,
        limits=read_limits(node),
    )


def _kind_of(node: Mapping[str, Any], *, is_list: bool, has_choices: bool) -> FieldKind:
    if has_choices:
        return "choices" if is_list else "choice"
    match node.get("type"):
        case "boolean":
            return "boolean"
        case "integer":
            return "integer"
        case "number":
            return "number"
        case _:
            return "text"


def _read_choices(node: Mapping[str, Any]) -> tuple[Choice, ...]:
    """Read `enum` with optional `enumNames`, or `oneOf`/`anyOf` of const and title."""
    words = node.get("enum")
    if isinstance(words, list):
        labels = node.get("enumNames")
        labels = labels if isinstance(labels, list) and len(labels) == len(words) else words
        pairs = list(zip(words, labels, strict=True))
    else:
        options = node.get("oneOf") or node.get("anyOf")
        options = options if isinstance(options, list) else []
        pairs = [
            (o["const"], o.get("title") or o["const"]) for o in options if isinstance(o, dict) and "const" in o
        ]
    return tuple(Choice(str(value), _shown(str(label), _LABEL_CHARS)) for value, label in pairs[:MAX_CHOICES])


def _shown(text: str, limit: int) -> str:
    return cut("".join(char for char in text if char.isprintable() or char == "\n").strip(), limit)


def _bound(value: object) -> float | None:
    """A bound as it was given; none for what is no number, and for one that no value could ever reach."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return value if -_HUGE < value < _HUGE else None


class Questions:
    """The questions of one call while it runs: each asked in a task that ends with the call."""

    def __init__(self, server: str, ctx: TurnContext, asker: Asker) -> None:
        self._server = server
        self._ctx = ctx
        self._asker = asker
        self._open: set[asyncio.Task[types.ElicitResult]] = set()
        self._is_closed = False

    async def ask(self, params: types.ElicitRequestParams) -> types.ElicitResult:
        """Ask one question at a time; a second one meanwhile, or after the end, is cancelled."""
        if self._open or self._is_closed:
            return to_result(CANCELLED)
        task = asyncio.create_task(
            elicit(params, server=self._server, ctx=self._ctx, asker=self._asker),
            name=f"mcp:{self._server}:question",
        )
        self._open.add(task)
        try:
            await asyncio.wait({task})
        finally:
            await self._end(task)
        return to_result(CANCELLED) if task.cancelled() else task.result()

    async def aclose(self) -> None:
        """Close what is open; the server hears "cancel"."""
        self._is_closed = True
        for task in tuple(self._open):
            await self._end(task)

    async def _end(self, task: asyncio.Task[types.ElicitResult]) -> None:
        task.cancel()
        await asyncio.wait({task})
        self._open.discard(task)
