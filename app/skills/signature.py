"""What a function says of itself as a tool: its name, what it does, its parameters."""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Annotated, Any, Final, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, Field, create_model

from app.domain.tools import Words

CONTEXT: Final = "ctx"
_BY_KEYWORD: Final = frozenset({inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY})

_ARGS: Final = re.compile(r"^Args:\n((?: .*\n?|\n)*)", re.MULTILINE)
_HINT: Final = re.compile(r"^ {4}(\w+): *(.*(?:\n {5,}.*)*)", re.MULTILINE)


class SignatureArguments(BaseModel):
    """The parameters of a function, one field each. What a model is told of a field is its hint, no more."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=())


@dataclass(frozen=True, eq=False)
class SignatureParameters:
    """The parameters of a function, `ctx` included, and the hint of each that has one.

    What follows from them is found once: a start registers seventy tools.
    """

    declared: tuple[inspect.Parameter, ...]
    hints: Mapping[str, str]

    @property
    def parameters(self) -> tuple[inspect.Parameter, ...]:
        """Those that are for the model."""
        return tuple(each for each in self.declared if each.name != CONTEXT)

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(each.name for each in self.parameters)

    @cached_property
    def takes_context(self) -> bool:
        return any(each.name == CONTEXT for each in self.declared)

    @cached_property
    def are_by_keyword(self) -> bool:
        """Each may be given by its name."""
        return all(each.kind in _BY_KEYWORD for each in self.declared)

    @lru_cache(maxsize=256)  # noqa: B019 - those of our own tools live as long as the process
    def make_model(self, name: str) -> type[SignatureArguments]:
        """Return the class that checks arguments; a start registers seventy tools and calls none."""
        fields: dict[str, Any] = {each.name: _field(each, self.hints.get(each.name)) for each in self.parameters}
        return create_model(f"{name}_arguments", __base__=SignatureArguments, **fields)


class Signature(NamedTuple):
    """The first three arguments of a `FunctionTool`."""

    name: str
    description: str
    parameters: SignatureParameters


def read_signature(function: Callable[..., object]) -> Signature:
    """Read a tool from a function.

    The description is the first paragraph of its docstring, without the full stop. Each parameter but `ctx`
    is one of the tool, of the type that its annotation says, optional if it has a default. Its hint is its
    line under `Args:` in the docstring; without one it has none.

    Raises:
        ValueError: there is no docstring, a parameter has no annotation, or a hint no parameter.
    """
    whole = getattr(function, "__func__", function)
    if "<locals>" in getattr(whole, "__qualname__", "<locals>"):
        return _read(function)
    # A function of a module, or a method of one of its classes, says the same as long as the process lives.
    return _read_once(whole, 0 if whole is function else 1)


@cache
def _read_once(function: Callable[..., object], bound: int) -> Signature:
    return _read(function, bound)


def _read(function: Callable[..., object], bound: int = 0) -> Signature:
    """Read a function whose first `bound` parameters are given already."""
    name = getattr(function, "__name__", type(function).__name__)
    docstring = inspect.getdoc(function) or ""
    section = _ARGS.search(docstring)
    hints = {key: " ".join(hint.split()) for key, hint in _HINT.findall(section[1])} if section else {}
    found = SignatureParameters(
        tuple(inspect.signature(function, eval_str=True).parameters.values())[bound:], hints
    )
    shown = found.parameters
    if untyped := [each.name for each in shown if each.annotation is each.empty]:
        raise ValueError(f"tool {name!r}: no annotation says what {', '.join(untyped)} takes")
    if unknown := hints.keys() - {each.name for each in shown}:
        raise ValueError(f"tool {name!r}: its docstring has hints for no parameter: {', '.join(sorted(unknown))}")
    if not docstring:
        raise ValueError(f"tool {name!r}: it has no docstring that says what it does")
    description = " ".join(docstring.partition("\n\n")[0].split()).removesuffix(".")
    return Signature(name, description, found)


def word_parameters(
    parameters: type[BaseModel], *, only: Callable[[Words], bool] = lambda mark: True
) -> tuple[str, ...]:
    """Return the names of the fields that are marked with `Words`, also inside a list or an alternative."""
    marks = {
        name: [mark for part in (one.annotation, *one.metadata) for mark in _marks(part)]
        for name, one in parameters.model_fields.items()
    }
    return tuple(name for name, found in marks.items() if any(only(one) for one in found))


def _field(parameter: inspect.Parameter, hint: str | None) -> tuple[object, object]:
    default = ... if parameter.default is parameter.empty else parameter.default
    return Annotated[parameter.annotation, Field(description=hint)], default


def _marks(part: object) -> Iterator[Words]:
    if isinstance(part, Words):
        yield part
    for inner in get_args(part):
        yield from _marks(inner)
