"""What a tool is, whoever brings it: builtin function, file tool or MCP server."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal, Protocol

from pydantic import BaseModel

from app.domain.chat import ToolSchema
from app.domain.ids import UserId
from app.domain.outbound import OutMedia
from app.domain.turn import TurnContext
from app.language.catalogue import Language

ResultKind = Literal[
    "ok",
    "unknown",
    "invalid",
    "blocked",
    "refused",
    "expired",
    "no_channel",
    "aborted",
    "timeout",
    "failed",
    "uncertain",
    "dry_run",
    "unsaid",
]
"""How a call ended. `uncertain`: an earlier attempt was cut off and may have taken effect. `unsaid`: it did not
run, because it holds what the person did not write."""


@dataclass(frozen=True, slots=True)
class Words:
    """Marks a parameter of a tool whose value is what the person said, word for word.

    What they did not say is refused. With `is_loose` it is taken as it is: the model may have put it together.
    With `is_read_anew` it is left empty: the tool reads the message itself. With `is_sum` it is the model's own,
    but for its numbers.
    """

    is_loose: bool = False
    is_read_anew: bool = False
    is_sum: bool = False


def _as_it_came(value: object) -> object:
    return value


@dataclass(frozen=True, slots=True)
class Alias:
    """Another name of the parameter `of`; `reword` makes its value of the one that came under the other name."""

    of: str
    reword: Callable[[object], object] = _as_it_came


OwnWords = Annotated[str, Words()]
LooseWords = Annotated[str, Words(is_loose=True)]
ReadAnew = Annotated[str, Words(is_read_anew=True)]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`output` is for success, `error` for failure; both are text that a model can act on.

    `reply` is for the person: complete, in their language. Empty where a model has something to add, as when a
    question is answered out of what was found; a failure has one if it is "unsaid", the person said no, or what
    they named is not there.
    `attachments` go to them with the answer; only tools that are `read_only` have some, because what was uploaded
    may be uploaded again. `is_nothing`: it looked, and there was nothing. `shows`: the end of `reply`, which tells
    how something with a name is now; where a later result shows the same, only that one does.
    """

    success: bool
    output: str = ""
    error: str | None = None
    kind: ResultKind = "ok"
    reply: str = ""
    attachments: tuple[OutMedia, ...] = ()
    is_nothing: bool = False
    shows: tuple[str, str] = ("", "")

    @classmethod
    def ok(cls, output: str, reply: str = "", *attachments: OutMedia) -> "ToolResult":
        return cls(True, output, reply=reply, attachments=attachments)

    @classmethod
    def nothing(cls, output: str, reply: str = "") -> "ToolResult":
        return cls(True, output, reply=reply, is_nothing=True)

    @classmethod
    def failed(cls, error: str, kind: ResultKind = "failed") -> "ToolResult":
        return cls(False, error=error or "the tool gave no reason", kind=kind)

    @property
    def content(self) -> str:
        """The only text of a result that a model reads; never empty, never "None"."""
        if self.success:
            return self.output or "Done."
        return f"Error: {self.error or self.output or 'the tool gave no reason'}"


def shown_once(results: Sequence[ToolResult]) -> Iterator[str]:
    """Yield what results tell the person, without what a later one shows again."""
    for number, one in enumerate(results):
        is_again = one.shows[0] and any(later.shows[0] == one.shows[0] for later in results[number + 1 :])
        said = one.reply.removesuffix(one.shows[1]).rstrip() if is_again else one.reply
        if said or not is_again:
            yield said


class BaseTool(ABC):
    """One tool.

    `sensitive`: it changes something outside the user's own data, so a person is asked first.
    `admin_only`: nobody else is offered it, and it runs for nobody else.
    `read_only`: it changes nothing. `skill` names the category it belongs to.
    `examples` are messages that want this tool, for the tool search; never shown to the model.
    `trigger_pattern`: a small model, which else takes the tool for a similar one and makes its arguments up, is
    offered it only where what the person says matches.
    `word_parameters`: the parameters that hold the person's own words; `loose_parameters` are those of them
    that may hold other words, too, `parameters_read_anew` those that stay empty without them; `sums` are others,
    whose numbers are the person's. Never shown to the model. `owner` is whose server brings it, where it is a
    person's. `also_named` and `aliases` are what other assistants call the tool and its parameters: understood,
    never shown.
    """

    name: str
    description: str
    args_model: type[BaseModel]
    sensitive: bool = False
    admin_only: bool = False
    read_only: bool = False
    skill: str = ""
    timeout_s: float = 30.0
    examples: tuple[str, ...] = ()
    trigger_pattern: re.Pattern[str] | None = None
    word_parameters: tuple[str, ...] = ()
    loose_parameters: frozenset[str] = frozenset()
    parameters_read_anew: frozenset[str] = frozenset()
    sums: frozenset[str] = frozenset()
    also_named: tuple[str, ...] = ()
    aliases: Mapping[str, Alias] = MappingProxyType({})
    owner: UserId | None = None
    kind: ClassVar[str] = "builtin"

    def is_for(self, user_id: UserId | None, *, is_admin: bool) -> bool:
        """Tell whether a person may be offered it and run it; None stands for nobody in particular."""
        return is_admin or not self.admin_only

    @abstractmethod
    async def execute(self, arguments: Mapping[str, object], *, ctx: TurnContext) -> ToolResult:
        """Run with validated arguments. Failures are results; the engine catches what escapes."""

    async def is_evident(self, arguments: Mapping[str, object], ctx: TurnContext) -> bool:
        """Tell whether what the person has makes the wish certain: bread that is on their list was bought."""
        return False

    async def there(self, arguments: Mapping[str, object], ctx: TurnContext) -> Mapping[str, object]:
        """Return arguments with only those things that are really there, for the question whether to run."""
        return arguments

    def describe_call(self, arguments: Mapping[str, object], language: Language) -> str | None:
        """Return the question whether to run with these arguments, in the person's words, ready to be shown.

        It tells all that the call does, and lets no argument draw anything. None: the call is shown as it is.
        """
        return None

    @abstractmethod
    def get_schema(self) -> ToolSchema:
        """Return the small copy of the schema that is shown to the model."""

    @abstractmethod
    def validate_args(self, arguments: object) -> Mapping[str, object]:
        """Return the arguments as they will be sent, coerced where a small model erred.

        Raises:
            ToolArgumentError: a sentence for each field: which, what was expected, what came.
        """


class ToolSource(Protocol):
    """Something that brings tools: the builtin registry, or the MCP servers."""

    @property
    def version(self) -> int:
        """Grows with every change of the tools."""
        ...

    def list_tools(self) -> tuple[BaseTool, ...]: ...
