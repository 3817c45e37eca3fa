"""Ollama's JSON to and from `domain.chat`, and the removal of thinking."""

import base64
import json
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, ConfigDict

from app.domain.chat import ChatMessage, ChatRequest, ChatResponse, ToolCall, ToolSchema, Usage

_BYTES_PER_TOKEN: Final = 3.5
_TOKENS_PER_MESSAGE: Final = 6

_TAG: Final = r"<(?P<slash>/?)(?:thinking|think|reasoning|thought)(?:\s[^<>]{0,80}|/)?>"
_FENCE: Final = r"^[ \t>]*(?P<fence>`{3,}|~{3,})[^`\n]*$"
_SPAN: Final = r"(?<!`)(?P<ticks>`+)(?!`)[^\n]*?(?<!`)(?P=ticks)(?!`)"
_THINKING_TAG: Final = re.compile(_TAG, re.IGNORECASE)
_NEXT_STOP: Final = re.compile(f"{_FENCE}|{_SPAN}|{_TAG}", re.IGNORECASE | re.MULTILINE)
_LINE_CLOSER: Final = re.compile(
    r"^[ \t]*</(?:thinking|think|reasoning|thought)[ \t]*>", re.IGNORECASE | re.MULTILINE
)


def strip_thinking(text: str) -> str:
    """Remove what a model wrote in `<think>`, `<thinking>`, `<reasoning>` or `<thought>`, in any case.

    - Blocks nest, and any of the four names closes any other.
    - After an opening tag that is never closed, everything is thinking.
    - Before a closing tag that was never opened, everything is thinking: some chat templates open the
      block in the prompt, so that only its end is in the answer.
    - Tags in fenced code and in inline code (on one line) are text, because people ask about them. A fence
      that is never closed runs to the end. One exception, on the side of hiding: a closing tag that begins
      a line inside a fence which holds no opening tag ends thinking that contained the start of a fence.
    - Inside thinking, code hides nothing, except a tag that stands alone between two backticks.

    A text without such tags is returned as it is; otherwise the rest is trimmed at both ends.
    What is left when pieces join up is examined again, so that no tag outside code survives.
    """
    while True:
        rest = _strip_once(text)
        if rest == text:
            return text
        text = rest.strip()


def _strip_once(text: str) -> str:
    kept: list[str] = []
    at = 0
    while found := _NEXT_STOP.search(text, at):
        if found["ticks"]:
            at = found.end()
        elif found["fence"]:
            at = _fence_end(text, found)
            stray_end = _stray_closer_end(text[found.end() : at])
            if stray_end is not None:
                kept, text, at = [], text[found.end() + stray_end :], 0
        elif found["slash"]:
            kept, text, at = [], text[found.end() :], 0
        else:
            kept.append(text[: found.start()])
            # Cut off rather than skipped, so that what is left begins a line.
            text, at = text[_thinking_end(text, found) :], 0
    return "".join([*kept, text])


def _fence_end(text: str, opening: re.Match[str]) -> int:
    fence = opening["fence"]
    closing = re.compile(rf"^[ \t>]*{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$", re.MULTILINE)
    found = closing.search(text, opening.end())
    return found.end() if found else len(text)


def _stray_closer_end(code: str) -> int | None:
    closer = _LINE_CLOSER.search(code)
    if closer is None or any(not tag["slash"] for tag in _THINKING_TAG.finditer(code)):
        return None
    return closer.end()


def _thinking_end(text: str, opening: re.Match[str]) -> int:
    if opening[0].endswith("/>"):
        return opening.end()
    depth = 1
    for tag in _THINKING_TAG.finditer(text, opening.end()):
        is_mention = text[tag.start() - 1] == "`" and text[tag.end() : tag.end() + 1] == "`"
        if is_mention or tag[0].endswith("/>"):
            continue
        depth += -1 if tag["slash"] else 1
        if depth == 0:
            return tag.end()
    return len(text)


def estimate_tokens(messages: Sequence[ChatMessage], tools: Sequence[ToolSchema] = ()) -> int:
    """Guess roughly how many tokens a prompt has, without a tokenizer.

    Counts UTF-8 bytes rather than characters, because scripts that need three bytes for a character
    also need about one token for it.
    """
    parts = [message.content + _calls_text(message.tool_calls) for message in messages]
    parts += [tool.name + tool.description + _json(tool.parameters) for tool in tools]
    size_bytes = sum(len(part.encode("utf-8", "surrogatepass")) for part in parts)
    return round(size_bytes / _BYTES_PER_TOKEN) + _TOKENS_PER_MESSAGE * len(parts)


def _calls_text(calls: Sequence[ToolCall]) -> str:
    return "".join(call.name + _json(call.arguments) for call in calls)


def _json(value: Mapping[str, object]) -> str:
    return json.dumps(dict(value), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class OllamaSettings:
    """What every call of one model has in common.

    `context_tokens` never varies between calls, because Ollama loads the model anew when it does.
    """

    model: str
    context_tokens: int
    keep_alive: str
    think: bool | str


def to_ollama(request: ChatRequest, settings: OllamaSettings) -> dict[str, object]:
    """Build the body of `POST /api/chat` (Ollama's docs/api.md), streaming.

    `think` is always sent: where it is absent, Ollama lets every model think that can.
    """
    options: dict[str, object] = {
        "num_ctx": settings.context_tokens,
        "temperature": request.temperature,
    }
    if request.max_tokens is not None:
        options["num_predict"] = request.max_tokens
    body: dict[str, object] = {
        "model": settings.model,
        "messages": [_to_message(message) for message in request.messages],
        "stream": True,
        "think": settings.think,
        "keep_alive": settings.keep_alive,
        "options": options,
    }
    if request.tools:
        body["tools"] = [to_tool(tool) for tool in request.tools]
    if request.response_schema is not None:
        body["format"] = plain(request.response_schema)
    return body


def to_tool(tool: ToolSchema) -> dict[str, object]:
    """Write a tool the way Ollama and OpenAI's API share; the schema goes out untouched."""
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": plain(tool.parameters),
        },
    }


def _to_message(message: ChatMessage) -> dict[str, object]:
    body: dict[str, object] = {"role": message.role, "content": well_formed(message.content)}
    if message.tool_calls:
        body["tool_calls"] = [
            {"id": call.id, "function": {"name": call.name, "arguments": dict(call.arguments)}}
            for call in message.tool_calls
        ]
    if message.role == "tool":
        body["tool_name"] = message.name or ""
        body["tool_call_id"] = message.tool_call_id or ""
    if message.images:
        body["images"] = [base64.b64encode(image).decode() for image in message.images]
    return body


def well_formed(text: str) -> str:
    """Join surrogate pairs and replace lone surrogates by U+FFFD: neither HTTP nor SQLite can hold them."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class WirePart(BaseModel):
    """A part of a provider's JSON; what we do not know in it is left out."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class _WireFunction(WirePart):
    name: str
    arguments: object = None


class _WireCall(WirePart):
    id: str | None = None
    function: _WireFunction


class _WireMessage(WirePart):
    content: str | None = None
    tool_calls: tuple[_WireCall, ...] | None = None


class OllamaChunk(WirePart):
    """One line of a streamed answer.

    `prompt_eval_count` is the whole prompt, cached part included, and is missing where a (by now old)
    server found all of it in its cache; `prompt_eval_cached_count` comes from recent servers only.
    """

    message: _WireMessage = _WireMessage()
    done: bool = False
    done_reason: str | None = None
    prompt_eval_count: int | None = None
    prompt_eval_cached_count: int | None = None
    eval_count: int | None = None


def from_ollama(chunks: Sequence[OllamaChunk]) -> ChatResponse:
    """Join the lines of a finished answer, thinking removed. The last one carries the counts.

    Raises:
        ValueError: the arguments of a tool call are not a JSON object, or there is no line at all.
    """
    if not chunks:
        raise ValueError("an answer without a single line")
    last = chunks[-1]
    calls = [call for chunk in chunks for call in chunk.message.tool_calls or ()]
    text = "".join(chunk.message.content or "" for chunk in chunks)
    return ChatResponse(
        text=strip_thinking(well_formed(text)),
        tool_calls=tuple(to_call(call.function.name, call.function.arguments, call_id=call.id) for call in calls),
        usage=Usage(
            prompt_tokens=last.prompt_eval_count or 0,
            cached_tokens=last.prompt_eval_cached_count or 0,
            completion_tokens=last.eval_count or 0,
            calls=1,
        ),
        is_truncated=last.done_reason == "length",
    )


def plain(value: object) -> object:
    """Copy a schema into what JSON is written from: read-only mappings and tuples become dicts and lists."""
    if isinstance(value, Mapping):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


def to_call(name: str, arguments: object, *, call_id: str | None = None) -> ToolCall:
    """Read one call as providers write it: `arguments` an object, its JSON text, or missing.

    A call without an id gets one that no other call has.

    Raises:
        ValueError: the arguments are anything else. Half of a JSON text is not repaired, because a tool
            whose arguments are all optional would run with other ones than the model meant.
    """
    if isinstance(arguments, str):
        arguments = json.loads(arguments) if arguments.strip() else None
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, Mapping):
        raise ValueError(f"the arguments of {name!r} are {type(arguments).__name__}, not an object")
    return ToolCall(id=call_id or f"call_{uuid.uuid4().hex[:12]}", name=name, arguments=dict(arguments))
