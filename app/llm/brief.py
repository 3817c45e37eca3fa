"""How a small model is asked for calls where a message was sorted beforehand: a short text for each set of tools.

The text holds the tools that may fit and examples of these alone, and is the same whenever they are offered: each
set has a beginning of its own in the server's cache, and about 40 tokens are read anew in a turn. Measured in
`docs/exec-plans/12-everyday.md`.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from app.domain.chat import ChatMessage, ChatRequest, ChatResponse, ToolSchema
from app.language.catalogue import LANGUAGE_NAMES, Language
from app.llm.answer_grammar import MAX_CALLS, answer_schema
from app.llm.protocols import ConstrainedProtocol, Wanted, loaded_in, own_text, told, tool_lines

_TEMPERATURE: Final = 0.0


class CallExample(NamedTuple):
    """A message with the calls that it wants, as one line, and the tools that it takes."""

    line: str
    tools: frozenset[str]


class BriefProtocol:
    """A `ToolProtocol`. `head` opens each text. What follows the calls is `rest`'s."""

    def __init__(self, head: str, examples: Sequence[CallExample], rest: ConstrainedProtocol) -> None:
        self._head = head
        self._examples = examples
        self._rest = rest

    def prefixes(self) -> Sequence[ChatRequest]:
        """See `ToolProtocol`."""
        return self._rest.prefixes()

    def opening(self, tools: Sequence[ToolSchema]) -> ChatRequest:
        """Return what a request for calls of these tools begins with."""
        return ChatRequest((self._system(tools),), temperature=_TEMPERATURE, purpose="call")

    def prepare(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[ToolSchema],
        *,
        language: Language,
        since: Sequence[ChatMessage] = (),
        max_calls: int = MAX_CALLS,
    ) -> ChatRequest:
        """See `ToolProtocol`. Of `messages` only the last is read where tools are offered."""
        if not tools:
            return self._rest.prepare(messages, tools, language=language, since=since, max_calls=max_calls)
        callable_now = _at_hand(tools, since)
        later = loaded_in(since, tools)
        wanted = Wanted(own_text(messages), LANGUAGE_NAMES[language], is_last=False)
        return ChatRequest(
            (
                self._system([tool for tool in callable_now if tool.name not in later]),
                _question(messages[-1], max_calls),
                *told(since, tools, wanted),
            ),
            # A call is wanted: who sorted the message is surer of that than the model. Later, words may do.
            response_schema=answer_schema(callable_now, max_calls, may_reply=bool(since)),
            temperature=_TEMPERATURE,
            purpose="call",
        )

    def read(self, response: ChatResponse, tools: Sequence[ToolSchema], seen: Sequence[str] = ()) -> ChatResponse:
        """See `ToolProtocol`."""
        return self._rest.read(response, tools, seen)

    def _system(self, tools: Sequence[ToolSchema]) -> ChatMessage:
        names = frozenset(tool.name for tool in tools)
        examples = [one.line for one in self._examples if one.tools <= names]
        return ChatMessage("system", "\n".join([self._head, tool_lines(iter(tools)), *examples]))


def _at_hand(tools: Sequence[ToolSchema], since: Sequence[ChatMessage]) -> Sequence[ToolSchema]:
    """What the loop offers first, the way to more tools, is left out until a call came to nothing.

    A small model that sees it takes it where a tool at hand would do. Later it is described last.
    """
    return (*tools[1:], tools[0]) if since or len(tools) == 1 else tools[1:]


def _question(newest: ChatMessage, max_calls: int) -> ChatMessage:
    """The message as the examples write it, below what came before it."""
    text = own_text([newest])
    before = newest.content[len(text) :].strip("\n[]")
    several = f"({max_calls} calls, one for each thing it asks)\n" if 1 < max_calls < MAX_CALLS else ""
    return replace(newest, content=f'{before}\n{several}"{text}" ->'.lstrip())
