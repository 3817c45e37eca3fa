"""Three probes of a model: does it call tools, does it read all it is sent, how fast is it."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.cli.doctor.model import Patient
from app.cli.doctor.outcome import Outcome, failed, ok, skipped
from app.domain.chat import ChatMessage, ChatRequest, ChatResponse, ToolSchema
from app.domain.errors import Permanent
from app.llm import protocols
from app.llm.profiles import ToolProtocol

_KNOWN_GOOD: Final = "set OLLAMA_MODEL=qwen3:8b and run: ollama pull qwen3:8b"
_SYSTEM: Final = "You help a person. When one of the tools does what the person asks, call it."
_NEEDED: Final = 2
_MAX_ANSWER_TOKENS: Final = 200

# More than Ollama's own 4,096 (and the 2,048 of old ones), which it falls back to without a word.
_CONTEXT_WORDS: Final = 5000
_CONTEXT_SHARE: Final = 0.7
_WHOLE_SHARE: Final = 0.9
# 13 tokens per second were measured on two busy cores: there a long prompt takes minutes, and is left out.
_CONTEXT_BUDGET_S: Final = 75.0
_MIN_CONTEXT_WORDS: Final = 500
# Each is one token for the tokenizers of all models in use.
_NUMBERS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

_READ_WORDS: Final = 300
_WRITTEN_TOKENS: Final = 64
_TYPICAL_READ: Final = 800
_TYPICAL_WRITTEN: Final = 120
_WORDS: Final = ((5.0, "fast"), (15.0, "fine"), (40.0, "slow"))


@dataclass(frozen=True, slots=True)
class _Task:
    """What a person says, and the call that does it: `traces` must all stand in its arguments."""

    said: str
    tool: str
    traces: tuple[str, ...]


def _schema(name: str, description: str, parameter: str) -> ToolSchema:
    return ToolSchema(
        name,
        description,
        MappingProxyType(
            {"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]}
        ),
    )


def _tools() -> tuple[ToolSchema, ...]:
    return (
        _schema("get_weather", "Tells the weather of a city.", "city"),
        _schema("calculate", "Computes an arithmetic expression.", "expression"),
        _schema("save_note", "Saves a note for the person.", "text"),
    )


_TASKS: Final = (
    _Task("What is the weather in Lima?", "get_weather", ("lima",)),
    _Task("How much is 17 times 23?", "calculate", ("17", "23")),
    _Task("Save a note: buy bread", "save_note", ("bread",)),
)


class ModelProbes:
    """Asks the model itself. `timer` counts seconds."""

    def __init__(
        self, patient: Patient, *, context_tokens: int, timer: Callable[[], float], is_quick: bool
    ) -> None:
        self._patient = patient
        self._context_tokens = context_tokens
        self._timer = timer
        self._is_quick = is_quick

    async def tools(self) -> Outcome:
        """The model calls tools with the protocol that its profile names; both are tried."""
        if (reason := self._reason_to_skip()) is not None or self._patient.opened is None:
            return skipped(reason or "")
        passed: dict[ToolProtocol, int] = {
            "native": await self._passed(protocols.NativeProtocol()),
            "constrained": await self._passed(protocols.ConstrainedProtocol()),
        }
        return tool_verdict(self._patient.opened.profile.tool_protocol, passed)

    async def context(self) -> Outcome:
        """A long prompt arrives whole."""
        if (reason := self._reason_to_skip()) is not None:
            return skipped(reason)
        wanted = min(_CONTEXT_WORDS, int(self._context_tokens * _CONTEXT_SHARE))
        rate = await self._reading_rate()
        words = min(wanted, int(rate * _CONTEXT_BUDGET_S))
        if rate <= 0:
            return skipped("the provider does not tell how many tokens it read")
        if words < _MIN_CONTEXT_WORDS:
            return skipped(f"reading {wanted} tokens to find out would take too long at {rate:.0f} per second")
        try:
            answer = await self._ask(_counting(words), max_tokens=1)
        except Permanent as exc:
            return failed(
                f"the model refuses a prompt of {words} words: {exc.detail}",
                f"lower LLM_CONTEXT_TOKENS (now {self._context_tokens}) in .env, or choose another model",
            )
        read = answer.usage.prompt_tokens
        if read < words * _WHOLE_SHARE:
            return failed(
                f"the model read {read} tokens of a prompt of at least {words}: the beginning was cut off",
                "update Ollama so that it honours num_ctx (LLM_CONTEXT_TOKENS), and set no lower "
                "OLLAMA_CONTEXT_LENGTH; with too little memory lower LLM_CONTEXT_TOKENS",
            )
        more = "" if words == wanted else "; a longer one would take too long to read here"
        return ok(f"a prompt of {read} tokens arrived whole (LLM_CONTEXT_TOKENS={self._context_tokens}){more}")

    async def speed(self) -> Outcome:
        """How fast the model reads and writes, with a plain word for it."""
        if (reason := self._reason_to_skip()) is not None:
            return skipped(reason)
        read_per_s = await self._reading_rate()
        began = self._timer()
        writing = await self._ask("Write the numbers from one to fifty in words.", max_tokens=_WRITTEN_TOKENS)
        written_s = self._timer() - began
        written = writing.usage.completion_tokens
        if read_per_s <= 0 or written <= 0 or written_s <= 0:
            return skipped("the provider does not tell how many tokens it read and wrote")
        return speed_verdict(read_per_s, written / written_s)

    async def _reading_rate(self) -> float:
        """Tokens per second of a prompt that nothing is remembered of; 0 where it cannot be told."""
        began = self._timer()
        reading = await self._ask(_counting(_READ_WORDS), max_tokens=1)
        read_s = self._timer() - began
        read = reading.usage.prompt_tokens - reading.usage.cached_tokens
        return max(read, 0) / read_s if read_s > 0 else 0.0

    def _reason_to_skip(self) -> str | None:
        if self._is_quick:
            return "left out with --quick"
        return self._patient.why if self._patient.opened is None else None

    async def _passed(self, protocol: protocols.ToolProtocol) -> int:
        tools = _tools()
        count = 0
        for task in _TASKS:
            messages = (ChatMessage("system", _SYSTEM), ChatMessage("user", task.said))
            request = protocol.prepare(messages, tools, language="en")
            try:
                answer = protocol.read(await self._chat(request, _MAX_ANSWER_TOKENS), tools)
            except Permanent:
                # Ollama refuses tools outright for models whose template has no place for them.
                continue
            count += _does(task, answer)
        return count

    async def _ask(self, text: str, *, max_tokens: int) -> ChatResponse:
        # A beginning that no prompt had before, so that nothing of it is in the model's cache.
        return await self._chat(ChatRequest((ChatMessage("user", f"{secrets.token_hex(4)} {text}"),)), max_tokens)

    async def _chat(self, request: ChatRequest, max_tokens: int) -> ChatResponse:
        if self._patient.opened is None:
            raise Permanent("no_model", self._patient.why)
        bounded = ChatRequest(
            request.messages, request.tools, request.response_schema, max_tokens=max_tokens, temperature=0.0
        )
        return await self._patient.opened.model.chat(bounded)


def tool_verdict(named: ToolProtocol, passed: Mapping[ToolProtocol, int]) -> Outcome:
    """Judge by how many of the tiny tasks each protocol solved; `named` is what the profile says."""
    other: ToolProtocol = "constrained" if named == "native" else "native"
    count = len(_TASKS)
    found = (
        f"{passed[named]} of {count} tiny tasks with the {named} protocol, {passed[other]} with the {other} one"
    )
    if passed[named] >= _NEEDED:
        return ok(f"calls tools: {found}")
    if passed[other] >= _NEEDED:
        return failed(
            f"this model needs the {other} protocol: {found}",
            f'give its family tool_protocol="{other}" in app/llm/profiles.py, or {_KNOWN_GOOD}',
        )
    return failed(f"the model does not call tools: {found}", _KNOWN_GOOD)


def speed_verdict(read_per_s: float, written_per_s: float) -> Outcome:
    """Name the speed by how long a typical answer takes: 800 tokens read anew, 120 written."""
    answer_s = _TYPICAL_READ / read_per_s + _TYPICAL_WRITTEN / written_per_s
    word = next((word for limit_s, word in _WORDS if answer_s <= limit_s), "very slow")
    found = (
        f"{word}: reads {read_per_s:.0f} and writes {written_per_s:.0f} tokens per second; "
        f"a typical answer takes about {max(answer_s, 1):.0f} s"
    )
    if word == "very slow":
        return failed(
            found, "choose a smaller model (OLLAMA_MODEL, or LLM_PROVIDER=embedded), or a machine with a GPU"
        )
    return ok(found)


def _does(task: _Task, answer: ChatResponse) -> bool:
    """The first call is the right one, with what the person named in its arguments."""
    call = answer.tool_calls[0] if answer.tool_calls else None
    told = " ".join(map(str, call.arguments.values())).lower() if call is not None else ""
    return call is not None and call.name == task.tool and all(trace in told for trace in task.traces)


def _counting(words: int) -> str:
    repeated = (_NUMBERS[n % len(_NUMBERS)] for n in range(words))
    return f"Answer with one word. Which word comes last: {' '.join(repeated)}"
