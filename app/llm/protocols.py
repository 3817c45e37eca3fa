"""Two ways of offering tools to a model and of reading what it wants, above the same generic messages."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final, Protocol

from app.domain.chat import ChatMessage, ChatRequest, ChatResponse, ToolCall, ToolSchema
from app.domain.wording import one_line
from app.language.catalogue import LANGUAGE_NAMES, Language
from app.llm.answer_grammar import MAX_CALLS, answer_schema, shown_parameters
from app.llm.salvage import distinct_calls, resolve_name, salvage_calls
from app.llm.wire import to_call

# A small model's second choice is rarely better than its first.
_TEMPERATURE: Final = 0.0

_DESCRIPTION_CHARS: Final = 200
_HINT_CHARS: Final = 60
_ASKED_CHARS: Final = 300
_ERROR: Final = "Error:"
_PUNCTUATION_RUN: Final = re.compile(r"([¡!¿?])\1{2,}")
_BROKEN_REPLY: Final = re.compile(r'\A\s*\{\s*"reply"\s*:\s*"(?P<text>(?:[^"\\]|\\.)*)', re.DOTALL)
_SENTENCE_END: Final = re.compile(r"\.\s")
_FENCE: Final = re.compile(r"\A```(?:json)?(?P<inside>.*)```\Z", re.DOTALL)


class ToolProtocol(Protocol):
    """How one model is spoken to about tools."""

    def prepare(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[ToolSchema],
        *,
        language: Language,
        since: Sequence[ChatMessage] = (),
        max_calls: int = MAX_CALLS,
    ) -> ChatRequest:
        """Build the request that offers these tools; with none, plain text is asked for.

        `messages` end with the newest message of the person. `since` is what has happened in this turn
        after it: `assistant` messages with `tool_calls`, `tool` messages with id and name for each of the
        calls, and `assistant` answers followed by `user` messages that ask again. An answer holds at most
        `max_calls` calls where the protocol can bind it.
        """
        ...

    def read(self, response: ChatResponse, tools: Sequence[ToolSchema], seen: Sequence[str] = ()) -> ChatResponse:
        """Return the response with its calls in `tool_calls` and only words for a person in `text`.

        Calls that repeat another one of the same response are left out. What was meant as a call and
        cannot be read stays in `text`: see `salvage.looks_like_call`. So does what stands in the texts that the
        model has `seen` in this turn: it only quotes them. Never raises.
        """
        ...

    def prefixes(self) -> Sequence[ChatRequest]:
        """What requests of its own, apart from the conversation's, begin with."""
        ...


class NativeProtocol:
    """For models that make calls through the provider's own field; calls in the text are salvaged."""

    def prefixes(self) -> Sequence[ChatRequest]:
        """See `ToolProtocol`. Results are put into words in the conversation itself."""
        return ()

    def prepare(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[ToolSchema],
        *,
        language: Language,
        since: Sequence[ChatMessage] = (),
        max_calls: int = MAX_CALLS,
    ) -> ChatRequest:
        """See `ToolProtocol`. The note beside the newest message already names the language."""
        return ChatRequest((*messages, *since), tools=tuple(tools))

    def read(self, response: ChatResponse, tools: Sequence[ToolSchema], seen: Sequence[str] = ()) -> ChatResponse:
        """See `ToolProtocol`."""
        if response.tool_calls:
            return replace(response, tool_calls=distinct_calls(response.tool_calls))
        return _salvaged(response, tools, seen)


class ConstrainedProtocol:
    """For small models: tools are lines beside the newest message, the answer is bound to a JSON Schema.

    Everything before the newest message stays as it
    is, byte for byte, so that the model's prompt cache holds although the tools change each turn; within
    a turn each prompt continues the one before. The lines stand after the note that the context builder
    puts behind the person's text, so that all that is not the person's stays together at the end. Tools
    that a result of `request_more_tools` names are described beside that result.

    With a `closing` text, the words for results are asked for under that text and without the conversation:
    in a long one, a small model repeats what it said before instead of reading what the tools brought.
    """

    def __init__(self, closing: str = "") -> None:
        self._closing = closing

    def prefixes(self) -> Sequence[ChatRequest]:
        """See `ToolProtocol`. Results are put into words under a text of their own."""
        if not self._closing:
            return ()
        opening = (ChatMessage("system", self._closing),)
        return (ChatRequest(opening, temperature=_TEMPERATURE, purpose="closing"),)

    def prepare(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[ToolSchema],
        *,
        language: Language,
        since: Sequence[ChatMessage] = (),
        max_calls: int = MAX_CALLS,
    ) -> ChatRequest:
        """See `ToolProtocol`. `messages` must not be empty when tools are offered."""
        in_language = LANGUAGE_NAMES[language]
        so_far = list(told(since, tools, Wanted(_asked(messages), in_language, is_last=not tools)))
        if not tools:
            return self._closing_request(messages, so_far, since)
        loaded_later = loaded_in(since, tools)
        # What the loop offers first, the way to more tools, is described last: a small model takes the first.
        lines = tool_lines(tool for tool in (*tools[1:], tools[0]) if tool.name not in loaded_later)
        offer = _offer(lines, _asked(messages), in_language, max_calls)
        newest = replace(messages[-1], content=f"{messages[-1].content}\n\n{offer}")
        return ChatRequest(
            (*messages[:-1], newest, *so_far),
            response_schema=answer_schema(tools, max_calls),
            temperature=_TEMPERATURE,
        )

    def _closing_request(
        self, messages: Sequence[ChatMessage], so_far: Sequence[ChatMessage], since: Sequence[ChatMessage]
    ) -> ChatRequest:
        if not self._closing or not any(message.role == "tool" for message in since):
            return ChatRequest((*messages, *so_far), temperature=_TEMPERATURE)
        # Without the note behind the words, too: the results are all that is to be told.
        opening = (ChatMessage("system", self._closing), ChatMessage("user", own_text(messages)))
        return ChatRequest((*opening, *so_far), temperature=_TEMPERATURE, purpose="closing")

    def read(self, response: ChatResponse, tools: Sequence[ToolSchema], seen: Sequence[str] = ()) -> ChatResponse:
        """See `ToolProtocol`. A reply that was cut off is read as far as it goes."""
        if response.tool_calls:
            return replace(response, tool_calls=distinct_calls(response.tool_calls))
        answer = _object_in(response.text)
        if answer is None:
            broken = _BROKEN_REPLY.match(response.text)
            text = _tidied(_unescaped(broken["text"]) if broken else response.text)
            return _salvaged(replace(response, text=text), tools, seen)
        reply = answer.get("reply")
        text = _tidied(reply) if isinstance(reply, str) else ""
        calls = distinct_calls(_calls_in(answer, tools))
        if calls:
            return replace(response, text=text, tool_calls=calls)
        return _salvaged(replace(response, text=text or response.text), tools, seen)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted after results: a small model forgets the second of two requests unless it is repeated."""

    asked: str
    in_language: str
    is_last: bool

    def after(self, failed: Sequence[str], *, has_new_tools: bool) -> str:
        """Say it to the model, with the names of the tools that failed."""
        sentences = []
        if failed:
            way = "say" if self.is_last else "call again with corrected arguments, or say"
            sentences.append(
                f"Failed: {', '.join(failed)}. The person must not see the error text: {way} plainly what "
                "cannot be done."
            )
        if self.is_last:
            sentences.append(f"Reply to the person in {self.in_language} now, in plain words.")
        elif has_new_tools:
            sentences.append(f'The person asked: "{self.asked}" Now call the tool that does it.')
        else:
            sentences.append(
                f'The person asked: "{self.asked}" If a part of that is still missing, call its tool; '
                f"otherwise reply in {self.in_language} with what these results say."
            )
        return " ".join(sentences)


def _tidied(text: str) -> str:
    """What a small model says when it is stuck for some tokens: one mark is left of "¡¡¡¡¡¡"."""
    return _PUNCTUATION_RUN.sub(r"\1", text).rstrip("¡¿ ")


def _salvaged(response: ChatResponse, tools: Sequence[ToolSchema], seen: Sequence[str]) -> ChatResponse:
    calls = salvage_calls(response.text, {tool.name: tool for tool in tools}, seen)
    return replace(response, text="", tool_calls=calls) if calls else response


def _object_in(text: str) -> Mapping[str, object] | None:
    """The answer object, or None for a text that is something else."""
    fenced = _FENCE.match(text.strip())
    try:
        value = json.loads(fenced["inside"] if fenced else text, strict=False)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not value:
        return None
    is_call = all(isinstance(arguments, dict) for arguments in value.values())
    return value if is_call or "reply" in value or "calls" in value else None


def _unescaped(inside: str) -> str:
    """The text that the inside of a JSON string stands for, up to where it was cut."""
    for end in (len(inside), inside.rfind("\\")):
        try:
            return str(json.loads(f'"{inside[: max(end, 0)]}"', strict=False))
        except ValueError:
            continue
    return ""


def _calls_in(answer: Mapping[str, object], tools: Sequence[ToolSchema]) -> Iterator[ToolCall]:
    """The calls of an answer; one of a tool that was not offered stays what it is, for the loop to explain."""
    names = [tool.name for tool in tools]
    entries = answer.get("calls", [] if "reply" in answer else [answer])
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and all(isinstance(arguments, dict) for arguments in entry.values()):
            for name, arguments in entry.items():
                yield to_call(resolve_name(name, names) or name, arguments)


def _offer(lines: str, asked: str, in_language: str, max_calls: int) -> str:
    """Chosen by measuring first calls on a 1.5 B model; see `docs/exec-plans/03-tools.md` for the figures.

    It ends as the examples of the system text begin, with the message itself.
    """
    several = 1 < max_calls < MAX_CALLS
    wanted = f"{max_calls} calls, one for each thing it asks" if several else "the one call that does it"
    return (
        f"[Tools for the message above:\n{lines}\n"
        f'Answer with {wanted}, or, if it is just talk, {{"reply": "…"}} in {in_language}.]\n'
        f'"{asked}" ->'
    )


def tool_lines(tools: Iterator[ToolSchema]) -> str:
    """Describe tools, a line each."""
    return "\n".join(f"- {_signature(tool)}" for tool in tools)


def _signature(tool: ToolSchema) -> str:
    """One line: `name(param, param?: hint): what it does`."""
    required = tool.parameters.get("required")
    needed = required if isinstance(required, list | tuple) else ()
    parameters = [
        f"{name}{'' if name in needed else '?'}{_hint(schema, tool.description)}"
        for name, schema in shown_parameters(tool.parameters).items()
    ]
    return f"{tool.name}({', '.join(parameters)}): {_gist(tool.description)}"


def _hint(schema: object, told: str) -> str:
    if not isinstance(schema, Mapping):
        return ""
    description, choices = schema.get("description"), schema.get("enum")
    if isinstance(description, str) and description.strip():
        return f": {one_line(description, _HINT_CHARS)}"
    if isinstance(choices, list | tuple) and not all(str(choice) in told for choice in choices):
        return f": {one_line('|'.join(map(str, choices)), _HINT_CHARS)}"
    return ""


def _gist(description: str) -> str:
    """The first sentence: what comes after it is in the grammar (values) or in the system text (categories)."""
    return one_line(_SENTENCE_END.split(description, maxsplit=1)[0], _DESCRIPTION_CHARS)


def loaded_in(since: Sequence[ChatMessage], tools: Sequence[ToolSchema]) -> frozenset[str]:
    """Name the tools that were loaded in this turn: they are described beside the result that names them."""
    return frozenset(tool.name for message in since for tool in _loaded_by(message, tools))


def _loaded_by(message: ChatMessage, tools: Sequence[ToolSchema]) -> list[ToolSchema]:
    """The offered tools that a result of the meta-tool, which is always offered first, names."""
    if message.role != "tool" or not tools or message.name != tools[0].name:
        return []
    words = frozenset(re.findall(r"[\w-]+", message.content))
    return [tool for tool in tools[1:] if tool.name in words]


def _asked(messages: Sequence[ChatMessage]) -> str:
    """The beginning of the person's own words, on one line."""
    return one_line(own_text(messages), _ASKED_CHARS)


def own_text(messages: Sequence[ChatMessage]) -> str:
    """Return what the person wrote last: the note in brackets behind it is left out."""
    content = messages[-1].content if messages else ""
    return content.rpartition("\n\n[")[0] or content


def told(since: Sequence[ChatMessage], tools: Sequence[ToolSchema], wanted: Wanted) -> Iterator[ChatMessage]:
    """Tell what has happened in the turn, in the words that the constrained answer has for it."""
    described: set[str] = set()
    groups = [list(group) for _, group in groupby(since, key=lambda message: message.role)]
    for group in groups:
        if group[0].role == "tool":
            fresh = [tool for result in group for tool in _loaded_by(result, tools) if tool.name not in described]
            described.update(tool.name for tool in fresh)
            yield ChatMessage("user", _results(group, fresh, wanted))
        else:
            yield from map(_as_answer, group)


def _as_answer(message: ChatMessage) -> ChatMessage:
    """An answer as the model itself writes it, so that its cached tokens fit."""
    if message.role != "assistant":
        return message
    if not message.tool_calls:
        return ChatMessage("assistant", json.dumps({"reply": message.content}, ensure_ascii=False))
    calls = [{call.name: dict(call.arguments)} for call in message.tool_calls]
    answer = calls[0] if len(calls) == 1 else {"calls": calls}
    return ChatMessage("assistant", json.dumps(answer, ensure_ascii=False))


def _results(results: Sequence[ChatMessage], fresh: Sequence[ToolSchema], wanted: Wanted) -> str:
    """Results in call order, the tools they brought, and what is wanted next."""
    parts = ["Tool results:"]
    parts += [f"{n}. {result.name}: {result.content}" for n, result in enumerate(results, start=1)]
    if fresh:
        parts.append(f"New tools:\n{tool_lines(iter(fresh))}")
    failed = dict.fromkeys(result.name or "" for result in results if result.content.startswith(_ERROR))
    parts.append(f"[{wanted.after(tuple(failed), has_new_tools=bool(fresh))}]")
    return "\n".join(parts)
