"""A tool made of a function."""

import asyncio
import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from app.domain.chat import ToolSchema
from app.domain.errors import ToolArgumentError, ToolFault
from app.domain.schema import ToolArguments, argument_error, arguments_model
from app.domain.tools import BaseTool, ToolResult
from app.domain.turn import TurnContext

ToolOutput = str | ToolResult
ToolHandler = Callable[..., ToolOutput | Awaitable[ToolOutput]]
ToolParameters = Mapping[str, object] | type[BaseModel]

_CONTEXT: Final = "ctx"


class FunctionTool(BaseTool):
    """A `BaseTool` over a sync or async function.

    `parameters` is a JSON Schema object or a Pydantic class; unknown arguments are refused unless it says
    otherwise (`additionalProperties`, `extra`). The function gets the arguments by keyword (of a Pydantic
    class also its defaults, nested models as dicts), and `ctx` when it declares that. A sync one runs in a
    thread. It returns text or a `ToolResult`, and may raise `ToolFault` with a sentence for the model.

    Raises:
        ValueError: the function does not take what `parameters` declares, or needs what it does not.
    """

    def __init__(  # noqa: PLR0913 - one argument for each attribute of a tool
        self,
        name: str,
        description: str,
        parameters: ToolParameters,
        handler: ToolHandler,
        *,
        skill: str = "",
        sensitive: bool = False,
        read_only: bool = False,
        timeout_s: float = 30.0,
        examples: tuple[str, ...] = (),
        cue: re.Pattern[str] | None = None,
    ) -> None:
        self.name = name
        self.description = description
        self.skill = skill
        self.sensitive = sensitive
        self.read_only = read_only
        self.timeout_s = timeout_s
        self.examples = examples
        self.cue = cue
        self._handler = handler
        self._is_async = _is_async(handler)
        if isinstance(parameters, Mapping):
            self._model: type[BaseModel] | None = None
            self._arguments = ToolArguments(_closed(parameters), trusted=True)
            self.args_model = arguments_model(name, self._arguments)
        else:
            self._model = self.args_model = parameters
            self._arguments = ToolArguments(parameters.model_json_schema(), trusted=True)
        if self._arguments.problem:
            raise ValueError(f"the parameters of tool {name!r} are no usable schema: {self._arguments.problem}")
        self._takes_context = self._check_signature()
        self._schema = ToolSchema(name, description, self._arguments.projection())

    def get_schema(self) -> ToolSchema:
        """Return the small copy of the schema, always the same object."""
        return self._schema

    def validate_args(self, arguments: object) -> Mapping[str, object]:
        """Return the keyword arguments for the function; see `BaseTool.validate_args`."""
        if self._model is None:
            return self._arguments.validate(arguments)
        repaired = self._arguments.coerce(arguments)
        _refuse_unknown(self._model, repaired)
        try:
            return self._model.model_validate(repaired).model_dump()
        except ValidationError as exc:
            raise argument_error(_sentences(exc)) from exc

    async def execute(self, arguments: Mapping[str, object], *, ctx: TurnContext) -> ToolResult:
        """Run the function. What it raises other than `ToolFault` goes up to the engine."""
        keywords = dict(arguments)
        if self._takes_context:
            keywords[_CONTEXT] = ctx
        try:
            output = await self._call(keywords)
        except ToolArgumentError as exc:
            return ToolResult.failed(exc.detail or exc.code, "invalid")
        except ToolFault as exc:
            return ToolResult.failed(exc.detail or exc.code)
        return output if isinstance(output, ToolResult) else ToolResult.ok(output)

    async def _call(self, keywords: Mapping[str, object]) -> ToolOutput:
        if self._is_async:
            output = self._handler(**keywords)
        else:
            output = await asyncio.to_thread(self._handler, **keywords)
        if inspect.isawaitable(output):
            output = await output
        if not isinstance(output, str | ToolResult):
            raise TypeError(f"tool {self.name!r} returned {type(output).__name__}, not text or a ToolResult")
        return output

    def _check_signature(self) -> bool:
        """Tell whether the function takes `ctx`; a mistake of its author shows at start, not in a chat."""
        parameters = inspect.signature(self._handler).parameters
        takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
        given = self._given_names()
        if _CONTEXT in given:
            raise ValueError(f"tool {self.name!r}: {_CONTEXT!r} is not a parameter for the model")
        taken = {each.name for each in parameters.values() if each.kind not in _NOT_BY_KEYWORD}
        surplus = set() if takes_any else given.keys() - taken
        needed = {
            each.name
            for each in parameters.values()
            if each.default is each.empty and each.kind not in {each.VAR_POSITIONAL, each.VAR_KEYWORD}
        }
        lacking = needed - {_CONTEXT} - {name for name, is_sure in given.items() if is_sure}
        if surplus or lacking:
            names = ", ".join(sorted(surplus | lacking))
            raise ValueError(f"tool {self.name!r}: its parameters and its function disagree on {names}")
        return _CONTEXT in taken

    def _given_names(self) -> dict[str, bool]:
        """Return what the function is called with; True for what is always there."""
        if self._model is not None:
            return dict.fromkeys(self._model.model_fields, True)
        shown = self._arguments.projection()
        properties, required = shown["properties"], shown["required"]
        if not isinstance(properties, dict) or not isinstance(required, list):
            return {}
        return {name: name in required for name in properties}


_NOT_BY_KEYWORD: Final = frozenset(
    {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
)


def _is_async(handler: ToolHandler) -> bool:
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(type(handler).__call__)


def _closed(parameters: Mapping[str, object]) -> dict[str, object]:
    """Refuse arguments that the function does not know, where the schema leaves it open."""
    return {"additionalProperties": False, **parameters}


def _refuse_unknown(model: type[BaseModel], arguments: Mapping[str, object]) -> None:
    if "extra" in model.model_config:
        return
    fields = model.model_fields
    known = {*fields, *(field.alias for field in fields.values() if field.alias)}
    if unknown := [name for name in arguments if name not in known]:
        listed = f"the fields are {', '.join(fields)}" if fields else "there are no fields"
        raise argument_error([f"{', '.join(unknown)}: unknown, {listed}."])


def _sentences(exc: ValidationError) -> list[str]:
    return [_sentence(error) for error in exc.errors(include_url=False, include_context=False)]


def _sentence(error: Any) -> str:
    where = ".".join(map(str, error["loc"])) or "arguments"
    if error["type"] == "missing":
        return f"{where}: required, but missing."
    shown = repr(error["input"])
    shown = shown if len(shown) <= 120 else shown[:119] + "…"
    return f"{where}: {error['msg']}, got {shown}."
