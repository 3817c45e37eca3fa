"""A tool made of a function."""

import asyncio
import inspect
import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Set
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, Final, TypedDict, Unpack

from pydantic import BaseModel, ValidationError

from app.asking.showing import neutralise
from app.domain.chat import ToolSchema
from app.domain.errors import ToolArgumentError, ToolFault, Unmatched
from app.domain.tools import Alias, BaseTool, ToolResult, Words
from app.domain.turn import TurnContext
from app.language.catalogue import Language, Sentence, say
from app.skills.schema.arguments import ToolArguments, argument_error, arguments_model
from app.skills.schema.sentences import shown_value
from app.skills.schema.shown import project_schema
from app.skills.signature import CONTEXT, SignatureArguments, SignatureParameters, word_parameters
from app.skills.texts import SKILLS

ToolOutput = str | ToolResult
ToolHandler = Callable[..., ToolOutput | Awaitable[ToolOutput]]
Asks = Sentence | Callable[[Mapping[str, object]], Sentence]
"""The question whether to run a tool, or what gives it for the arguments."""
ToolParameters = Mapping[str, object] | type[BaseModel] | SignatureParameters

_PACKED: Final = frozenset({inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD})
_NOT_BY_KEYWORD: Final = frozenset({*_PACKED, inspect.Parameter.POSITIONAL_ONLY})


class ToolFlags(TypedDict, total=False):
    """What is said of a tool when it is registered; see `BaseTool`.

    `asks` is the question whether to run it, or gives it; the person reads the values below it. `evident` takes
    the arguments by keyword, and `ctx`; see `BaseTool.is_evident`. So does `finds`; see `BaseTool.there`.
    """

    sensitive: bool
    read_only: bool
    admin_only: bool
    timeout_s: float
    examples: tuple[str, ...]
    trigger_pattern: re.Pattern[str] | None
    also_named: tuple[str, ...]
    aliases: Mapping[str, Alias]
    asks: Asks | None
    evident: Callable[..., Awaitable[bool]] | None
    finds: Callable[..., Awaitable[Mapping[str, object]]] | None


class FunctionTool(BaseTool):
    """A `BaseTool` over a sync or async function.

    `parameters` is a JSON Schema object, a Pydantic class, or what `read_signature` found; unknown arguments
    are refused unless it says otherwise (`additionalProperties`, `extra`). The function gets the arguments
    by keyword (of a class all fields, defaults included), and `ctx` when it declares that. A sync one runs
    in a thread. It returns text or a `ToolResult`, and may raise `ToolFault` with a sentence for the model.

    Raises:
        ValueError: the function does not take what `parameters` declares, or needs what it does not.
    """

    asks: Asks | None = None
    evident: Callable[..., Awaitable[bool]] | None = None
    finds: Callable[..., Awaitable[Mapping[str, object]]] | None = None

    def __init__(
        self,
        name: str,
        description: str,
        parameters: ToolParameters,
        handler: ToolHandler,
        *,
        skill: str = "",
        **flags: Unpack[ToolFlags],
    ) -> None:
        self.name, self.description, self.skill = name, description, skill
        vars(self).update(flags)
        self._handler = handler
        self._is_async = _is_async(handler)
        self._parameters = parameters
        if isinstance(parameters, Mapping) and self._arguments.problem:
            raise ValueError(f"the parameters of tool {name!r} are no usable schema: {self._arguments.problem}")
        self._takes_context = self._check_signature()

    @cached_property
    def args_model(self) -> type[BaseModel]:  # type: ignore[override]  # made when it is asked for, then kept
        return self._model or arguments_model(self.name, self._arguments)

    @cached_property
    def word_parameters(self) -> tuple[str, ...]:  # type: ignore[override]
        return word_parameters(self._model, only=lambda one: not one.is_sum) if self._model else ()

    @cached_property
    def loose_parameters(self) -> frozenset[str]:  # type: ignore[override]
        return self._words(lambda one: one.is_loose)

    @cached_property
    def parameters_read_anew(self) -> frozenset[str]:  # type: ignore[override]
        return self._words(lambda one: one.is_read_anew)

    @cached_property
    def sums(self) -> frozenset[str]:  # type: ignore[override]
        return self._words(lambda one: one.is_sum)

    def _words(self, only: Callable[[Words], bool]) -> frozenset[str]:
        return frozenset(word_parameters(self._model, only=only)) if self._model else frozenset()

    @cached_property
    def _model(self) -> type[BaseModel] | None:
        """The class of the arguments; None where a schema says what they are."""
        if isinstance(self._parameters, Mapping):
            return None
        if isinstance(self._parameters, SignatureParameters):
            return self._parameters.make_model(self.name)
        return self._parameters

    @cached_property
    def _given(self) -> Mapping[str, object]:
        if isinstance(self._parameters, Mapping):
            return {"additionalProperties": False, **self._parameters}
        return _schema_of(self.args_model)

    @cached_property
    def _schema(self) -> ToolSchema:
        if self._model is None:
            shown = self._arguments.projection()
        else:
            tells_limits = not issubclass(self._model, SignatureArguments)
            shown = project_schema(self._given, tells_limits=tells_limits)
        return ToolSchema(self.name, self.description, shown, self.also_named)

    @cached_property
    def _arguments(self) -> ToolArguments:
        """The schema compiled, which takes 2 ms: of a class, which is valid, when it is first needed."""
        return ToolArguments(self._given, trusted=True)

    async def is_evident(self, arguments: Mapping[str, object], ctx: TurnContext) -> bool:
        """See `BaseTool.is_evident`."""
        return self.evident is not None and await self.evident(**arguments, ctx=ctx)

    async def there(self, arguments: Mapping[str, object], ctx: TurnContext) -> Mapping[str, object]:
        """See `BaseTool.there`."""
        return arguments if self.finds is None else await self.finds(**arguments, ctx=ctx)

    def describe_call(self, arguments: Mapping[str, object], language: Language) -> str | None:
        """See `BaseTool.describe_call`."""
        if self.asks is None:
            return None
        asks = self.asks if isinstance(self.asks, Sentence) else self.asks(arguments)
        values = [_listed(value) for value in arguments.values() if value not in (None, "", [])]
        return "\n".join([say(asks, language), *(f"• {neutralise(value)}" for value in values)])

    def get_schema(self) -> ToolSchema:
        """Return the small copy of the schema, always the same object."""
        return self._schema

    def validate_args(self, arguments: object) -> Mapping[str, object]:
        """Return the arguments, nested objects as dicts; see `BaseTool.validate_args`.

        Those of a class come with its defaults, but for empty texts, which say nothing to who is asked.
        """
        checked = self._arguments.validate(self._renamed(arguments))
        if self._model is None:
            return checked
        filled = self._parsed(self._model, checked).model_dump(by_alias=True)
        return {name: value for name, value in filled.items() if value != "" or name in checked}

    def _renamed(self, arguments: object) -> object:
        """Put the parameter's own name in place of another one; one that is given under both names stays."""
        if not isinstance(arguments, Mapping) or self.aliases.keys().isdisjoint(arguments):
            return arguments
        renamed: dict[str, object] = {}
        for name, value in arguments.items():
            alias = self.aliases.get(name)
            if alias is None or alias.of in arguments or alias.of in renamed:
                renamed[name] = value
            else:
                renamed[alias.of] = alias.reword(value)
        return renamed

    async def execute(self, arguments: Mapping[str, object], *, ctx: TurnContext) -> ToolResult:
        """Run the function. What it raises other than `ToolFault` goes up to the engine."""
        try:
            keywords = dict(arguments if self._model is None else self._parsed(self._model, arguments))
            if self._takes_context:
                keywords[CONTEXT] = ctx
            output = await self._call(keywords)
        except ToolArgumentError as exc:
            return ToolResult.failed(exc.detail or exc.code, "invalid")
        except Unmatched as exc:
            return replace(ToolResult.failed(exc.detail), reply=_told_of(exc, ctx.language))
        except ToolFault as exc:
            return ToolResult.failed(exc.detail or exc.code)
        return output if isinstance(output, ToolResult) else ToolResult.ok(output)

    def _parsed(self, model: type[BaseModel], arguments: Mapping[str, object]) -> BaseModel:
        """Raises ToolArgumentError: they do not fit the class."""
        try:
            return model.model_validate(arguments)
        except ValidationError as exc:
            errors = exc.errors(include_url=False, include_context=False)
            raise argument_error([_sentence(error) for error in errors]) from exc

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
        given, certain = self._given_names()
        if CONTEXT in given:
            raise ValueError(f"tool {self.name!r}: {CONTEXT!r} is not a parameter for the model")
        if given & self.aliases.keys() or any(alias.of not in given for alias in self.aliases.values()):
            raise ValueError(f"tool {self.name!r}: an alias is another name of one of its parameters")
        if isinstance(self._parameters, SignatureParameters) and self._parameters.are_by_keyword:
            return self._parameters.takes_context  # what is given was read from the function itself
        parameters = self._declared()
        taken = {each.name for each in parameters if each.kind not in _NOT_BY_KEYWORD}
        needed = {each.name for each in parameters if each.default is each.empty and each.kind not in _PACKED}
        takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters)
        wrong = (needed - certain - {CONTEXT}) | (set() if takes_any else given - taken)
        if wrong:
            listed = ", ".join(sorted(wrong))
            raise ValueError(f"tool {self.name!r}: its parameters and its function disagree on {listed}")
        return CONTEXT in taken

    def _declared(self) -> Collection[inspect.Parameter]:
        if isinstance(self._parameters, SignatureParameters):
            return self._parameters.declared
        return inspect.signature(self._handler).parameters.values()

    def _given_names(self) -> tuple[Set[str], Set[str]]:
        """Return the names that the function may be called with, and those that it always is."""
        if isinstance(self._parameters, SignatureParameters):
            return self._parameters.names, self._parameters.names
        if self._model is not None:
            return set(self._model.model_fields), set(self._model.model_fields)
        shown: Mapping[str, Any] = self._schema.parameters
        return set(shown["properties"]), set(shown["required"])


def _listed(value: object) -> str:
    """A value for reading: lines and entries one after the other."""
    entries = value if isinstance(value, list) else str(value).splitlines()
    return ", ".join(str(entry).strip() for entry in entries)


@lru_cache(maxsize=256)
def _schema_of(parameters: type[BaseModel]) -> Mapping[str, object]:
    closed = {} if "extra" in parameters.model_config else {"additionalProperties": False}
    return {**closed, **parameters.model_json_schema()}


def _is_async(handler: ToolHandler) -> bool:
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(type(handler).__call__)


def _sentence(error: Any) -> str:
    where = ".".join(map(str, error["loc"])) or "arguments"
    return f"{where}: {error['msg']}, got {shown_value(error['input'])}."


def _told_of(fault: Unmatched, language: Language) -> str:
    if not fault.choices:
        return say(SKILLS.none_called_so, language, wanted=fault.wanted)
    phrase = SKILLS.several_called_so if fault.fits else SKILLS.none_called_so_but
    return say(phrase, language, wanted=fault.wanted, list="\n".join(fault.choices))
