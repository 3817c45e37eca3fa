"""A conversation as a language model sees it, whatever the provider."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

Role = Literal["system", "user", "assistant", "tool"]
Purpose = Literal["turn", "call", "short", "closing"]

ANSWER_TOKENS: Final = 1024
"""What is kept free for the answer; in a small context, a quarter of it."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that a model asked for; `arguments` as the model gave them, not yet validated."""

    id: str
    name: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """`name` and `tool_call_id` are set on `tool` messages only; `images` (JPEG, PNG) are for who sees."""

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None
    images: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool as it is offered: `parameters` is a JSON Schema object; `also_named` is not shown, but understood."""

    name: str
    description: str
    parameters: Mapping[str, object]
    also_named: tuple[str, ...] = ()

    @classmethod
    def read(cls, definition: Mapping[str, Any]) -> "ToolSchema":
        """Read `{"type": "function", "function": {…}}`, as Ollama and OpenAI's API take a tool."""
        return cls(**definition["function"])


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One call of a model.

    `purpose` "short" is for classification and the like: such calls have a slot of their own, so that
    they neither wait behind a long answer nor evict its prompt cache. "closing" is the part of a turn that
    puts results into words without the conversation: it does not evict that one's cache either. "call" asks for
    calls under one of several short texts, each with a cached beginning of its own.
    `response_schema` constrains the answer to a JSON Schema where the provider can.
    `max_sentences`: more need not be written; who cannot stop there writes on.
    `avoided` are words that the answer should rather not have: their odds are lowered by who can.
    `asker` is for whom it is asked, "" for nobody in particular: it decides whose turn it is and which server has
    their conversation in its cache, and goes to no provider.
    """

    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSchema, ...] = ()
    response_schema: Mapping[str, object] | None = None
    max_tokens: int | None = None
    max_sentences: int | None = None
    avoided: tuple[str, ...] = ()
    temperature: float = 0.2
    purpose: Purpose = "turn"
    asker: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts. `cached_tokens` of the prompt were not evaluated anew; 0 where unknown."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    calls: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.completion_tokens + other.completion_tokens,
            self.calls + other.calls,
        )


@dataclass(frozen=True, slots=True)
class ChatResponse:
    """`text` holds no thinking. `is_truncated`: the answer hit the token limit."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    is_truncated: bool = False


@dataclass(frozen=True, slots=True)
class ModelState:
    """What a provider says about itself; `detail` is for the operator and names the next step.

    `waiting` calls have not begun. `written_per_s` is how many tokens the last calls wrote in a second, with the
    reading of their prompts; None before the first one.
    """

    name: str
    state: Literal["ready", "fetching", "loading", "unavailable"]
    detail: str = ""
    progress: float | None = None
    waiting: int = 0
    written_per_s: float | None = None


def exchanges(pairs: Iterable[tuple[str, str]]) -> tuple[ChatMessage, ...]:
    """Return (asked, answered) as messages that were exchanged."""
    return tuple(
        message
        for asked, answered in pairs
        for message in (ChatMessage("user", asked), ChatMessage("assistant", answered))
    )
