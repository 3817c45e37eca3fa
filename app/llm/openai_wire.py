"""OpenAI's chat JSON to and from `domain.chat`, and what llama.cpp's server adds to it."""

import json
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from types import MappingProxyType
from typing import Final

import httpx
from pydantic import ValidationError

from app.domain.chat import ChatMessage, ChatRequest, ChatResponse, Purpose, ToolCall, Usage
from app.domain.errors import AppError, NotReady, Permanent, Transient
from app.domain.wording import end_of_sentences
from app.llm.wire import WirePart, plain, strip_thinking, to_call, to_tool, well_formed

# llama.cpp fills each batch slot by slot, lowest first: in the higher slot, a short call would wait until
# the whole prompt of a turn was read (measured: 61 s beside 1,200 tokens, against 6 s in the lower one).
_SLOTS: Final[Mapping[Purpose, int]] = MappingProxyType({"short": 0, "closing": 1, "turn": 2, "call": 1})
# A small model can repeat itself until the context is full; this many tokens fill four bubbles.
_MAX_TOKENS: Final = 1024
_DETAIL_CHARS: Final = 300
# The end of an answer that a fast compressor makes so small repeats itself. Measured: a model that is stuck 34 to
# 41 bytes, the rows of a table 84, prose 147.
_END_CHARS: Final = 200
_STUCK_BYTES: Final = 48
_LOOKED_AT_EVERY: Final = 20
# A small model may get stuck on one token ("¡¡¡¡"). The DRY sampler (llama.cpp, tools/server/README.md) ends that;
# it looks at the last tokens only, so that copying a tool's result word by word stays free.
_NO_LOOPS: Final[Mapping[str, float]] = MappingProxyType(
    {"dry_multiplier": 0.8, "dry_allowed_length": 6, "dry_penalty_last_n": 48}
)

# On thirty pieces of news: at -6 the words are gone unless nothing else fits (`logit_bias` takes words, too).
_AVOIDED: Final = -6.0


def to_openai(request: ChatRequest, *, model: str) -> dict[str, object]:
    """Build the streaming body of `POST /v1/chat/completions` with what every server of that API knows."""
    body: dict[str, object] = {
        "model": model,
        "messages": [_to_message(message) for message in request.messages],
        "temperature": request.temperature,
        "max_tokens": request.max_tokens or _MAX_TOKENS,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.tools:
        body["tools"] = [to_tool(tool) for tool in request.tools]
    if request.response_schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": plain(request.response_schema)},
        }
    return body


def to_llamacpp(request: ChatRequest, *, model: str, can_think: bool = False) -> dict[str, object]:
    """Build the body for the bundled model (llama.cpp's tools/server/README.md).

    Each purpose has a slot of its own, so that none evicts the cached prompt of another; calls and closing words
    share one, as their prompts are short and wait in the server's memory meanwhile. A call copies the words right
    before it: what ends loops would change them ("45.300" became "45.30", "BX-2291" "BX-2281").
    A model that `can_think` is told not to: thinking that nobody sees is waited for.
    """
    slot = {"id_slot": _SLOTS[request.purpose], "cache_prompt": True}
    sampling = {} if request.purpose == "call" else _NO_LOOPS
    thinking = {"chat_template_kwargs": {"enable_thinking": False}} if can_think else {}
    odds = {"logit_bias": [[f" {word}", _AVOIDED] for word in request.avoided]} if request.avoided else {}
    return {**to_openai(request, model=model), **slot, **sampling, **thinking, **odds}


def _to_message(message: ChatMessage) -> dict[str, object]:
    body: dict[str, object] = {"role": message.role, "content": well_formed(message.content)}
    if message.tool_calls:
        body["tool_calls"] = [_to_wire_call(call) for call in message.tool_calls]
    if message.role == "tool":
        body["tool_call_id"] = message.tool_call_id or ""
        body["name"] = message.name or ""
    return body


def _to_wire_call(call: ToolCall) -> dict[str, object]:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


class _Function(WirePart):
    name: str | None = None
    arguments: str | None = None


class _CallDelta(WirePart):
    index: int = 0
    id: str | None = None
    function: _Function = _Function()


class _Delta(WirePart):
    content: str | None = None
    tool_calls: tuple[_CallDelta, ...] | None = None


class _Choice(WirePart):
    delta: _Delta = _Delta()
    finish_reason: str | None = None


class _PromptDetails(WirePart):
    cached_tokens: int | None = None


class _Usage(WirePart):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: _PromptDetails | None = None


class WireError(WirePart):
    """What a server says about a failure; `code` is a status, or a word."""

    code: int | str | None = None
    message: str = ""
    type: str | None = None


class _Chunk(WirePart):
    choices: tuple[_Choice, ...] = ()
    usage: _Usage | None = None
    error: WireError | None = None


class _ErrorBody(WirePart):
    error: WireError


Classify = Callable[[WireError, int], AppError]
"""Names a failure by what the server says and its HTTP status, which is 0 inside a stream."""


class AnswerStream:
    """Put an answer together from the lines of its event stream; `classify` names failures in it.

    `has_begun`: the server works on it. `is_stuck`: the end repeats itself so much that nothing new will come.
    `is_enough`: it has `max_sentences`.
    """

    def __init__(self, classify: Classify | None = None, *, max_sentences: int | None = None) -> None:
        self._classify = classify or classify_llamacpp
        self._max_sentences = max_sentences
        self.has_begun = False
        self.is_complete = False
        self.is_stuck = False
        self.is_enough = False
        self._end = ""
        self._unseen = 0
        self._text: list[str] = []
        self._calls: dict[int, list[_CallDelta]] = {}
        self._finish_reason: str | None = None
        self._usage = Usage(calls=1)

    def feed(self, line: str) -> None:
        """Take one line; those that carry no data (keep-alive comments, blank ones) change nothing.

        Raises:
            AppError: the line tells of a failure, or is not what the server sends ("llm_bad_answer").
        """
        field, _, value = line.partition(":")
        value = value.strip()
        if value == "[DONE]":
            self.is_complete = True
        elif field == "error":
            raise self._classify(read_error(value.encode()), 0)
        elif field == "data":
            self._take(value)

    def response(self) -> ChatResponse:
        """Return the whole answer, thinking removed.

        Raises:
            Transient: "llm_bad_answer", a tool call's arguments are not a JSON object.
        """
        try:
            calls = tuple(_join(deltas) for _, deltas in sorted(self._calls.items()))
        except ValueError as exc:
            raise Transient("llm_bad_answer", str(exc)[:_DETAIL_CHARS]) from exc
        return ChatResponse(
            text=strip_thinking(well_formed("".join(self._text))),
            tool_calls=calls,
            usage=self._usage,
            is_truncated=self.is_stuck or self._finish_reason == "length",
        )

    def _take_text(self, text: str) -> None:
        self._text.append(text)
        self._end = (self._end + text)[-_END_CHARS:]
        self._unseen += len(text)
        if self._unseen >= _LOOKED_AT_EVERY and len(self._end) == _END_CHARS:
            self._unseen = 0
            self.is_stuck = len(zlib.compress(self._end.encode(errors="replace"), 1)) < _STUCK_BYTES
        if self._max_sentences is not None and text[:1].isspace():
            self.is_enough = end_of_sentences("".join(self._text), self._max_sentences) is not None

    def _take(self, value: str) -> None:
        try:
            chunk = _Chunk.model_validate_json(value)
        except ValidationError as exc:
            raise Transient("llm_bad_answer", f"not a chunk of an answer: {exc}"[:_DETAIL_CHARS]) from exc
        if chunk.error:
            raise self._classify(chunk.error, 0)
        self.has_begun = True
        for choice in chunk.choices:
            self._finish_reason = choice.finish_reason or self._finish_reason
            self._take_text(choice.delta.content or "")
            for delta in choice.delta.tool_calls or ():
                self._calls.setdefault(delta.index, []).append(delta)
        if chunk.usage:
            details = chunk.usage.prompt_tokens_details
            self._usage = Usage(
                prompt_tokens=chunk.usage.prompt_tokens,
                cached_tokens=(details.cached_tokens if details else None) or 0,
                completion_tokens=chunk.usage.completion_tokens,
                calls=1,
            )


def _join(deltas: list[_CallDelta]) -> ToolCall:
    name = "".join(delta.function.name or "" for delta in deltas)
    arguments = "".join(delta.function.arguments or "" for delta in deltas)
    return to_call(name, arguments, call_id=next((delta.id for delta in deltas if delta.id), None))


def read_error(body: bytes) -> WireError:
    """Read the body of a failed call, in either of the forms in use, or take it as plain words."""
    for form in (_ErrorBody, WireError):
        try:
            read = form.model_validate_json(body)
        except ValidationError:
            continue
        error = read.error if isinstance(read, _ErrorBody) else read
        if error.message:
            return error
    return WireError(message=body.decode(errors="replace"))


def classify_llamacpp(error: WireError, status: int) -> AppError:
    """Name the failure that llama.cpp's server answered with; `status` is 0 for one inside a stream."""
    status = status or (error.code if isinstance(error.code, int) else 0)
    detail = f"{status}: {error.message}"[:_DETAIL_CHARS]
    if error.type == "exceed_context_size_error" or "exceeds the available context" in error.message:
        return Permanent("llm_prompt_too_long", detail)
    if status == 503:
        return NotReady("model_loading", detail)
    if 400 <= status < 500:
        return Permanent("llm_refused", detail)
    return Transient("llm_failed", detail)


async def read_lines(response: httpx.Response) -> AsyncIterator[str]:
    """Split at line feeds only: `aiter_lines` also splits at U+2028 and others, which answers may hold."""
    rest = b""
    async for data in response.aiter_bytes():
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            yield line.decode(errors="replace")
