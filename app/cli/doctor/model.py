"""Which model answers, is it there, and what it can do: call tools, read all it is sent, at what speed."""

import asyncio
import secrets
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

import httpx

from app.bootstrap.connections import model_choice
from app.cli.doctor.round import Outcome, failed, ok, skipped
from app.cli.doctor.texts import DOCTOR
from app.config import Settings
from app.domain.chat import ChatMessage, ChatRequest, ChatResponse, ModelState, ToolSchema
from app.domain.clock import SystemClock
from app.domain.errors import Permanent
from app.domain.wording import one_line
from app.language.catalogue import Sentence, joined, lazy
from app.llm import protocols
from app.llm.model_store import DEFAULT_MODEL, find_model
from app.llm.profiles import ToolProtocol
from app.llm.providers import ModelBinding, ModelChoice, open_model, open_ollama, open_openai

_POLL_S: Final = 0.2
_SYSTEM: Final = "You help a person. When one of the tools does what the person asks, call it."
_NEEDED: Final = 2
_MAX_ANSWER_TOKENS: Final = 200
_SHOWN_CHARS: Final = 80

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
_WORDS: Final[tuple[tuple[float, Sentence], ...]] = (
    (5.0, DOCTOR.speed_fast),
    (15.0, DOCTOR.speed_fine),
    (40.0, DOCTOR.speed_slow),
)


@dataclass(frozen=True, slots=True)
class _Task:
    """What a person says, and the call that does it: `traces` must all stand in its arguments."""

    said: str
    tool: str
    traces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Answered:
    """What was said to the model, what it made of it, and whether that does it."""

    said: str
    did: str
    is_right: bool


def _schema(name: str, description: str, parameter: str) -> ToolSchema:
    schema = {"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]}
    return ToolSchema(name, description, MappingProxyType(schema))


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


class ModelChecks:
    """Finds the model as the service would, opens it on `stack`, and asks it; fetches nothing.

    With `is_quick` it is not asked anything. `timer` counts seconds; `ollama` replaces the network, for tests.
    """

    def __init__(
        self,
        settings: Settings,
        stack: AsyncExitStack,
        *,
        ollama: httpx.AsyncBaseTransport | None,
        timer: Callable[[], float],
        is_quick: bool,
    ) -> None:
        self._settings = settings
        self._stack = stack
        self._ollama = ollama
        self._timer = timer
        self._opened: ModelBinding | None = None
        self._why_not = lazy(DOCTOR.left_out_quick) if is_quick else None

    async def present(self, *, is_service_running: bool) -> Outcome:
        """The provider answers and has the model.

        Beside a running service the bundled model is not loaded a second time: two may not fit into the memory.
        """
        choice = model_choice(self._settings)
        if choice.provider == "openai":
            return await self._present_elsewhere(choice)
        if choice.provider != "embedded":
            binding = await self._stack.enter_async_context(open_ollama(choice, SystemClock(), self._ollama))
            state = await binding.model.state()
            if state.state == "ready":
                self._opened = binding
                return ok(lazy(DOCTOR.model_there, where="Ollama", model=state.name), state.detail)
            if choice.provider == "ollama":
                return failed(joined(": ", (state.name, state.detail)), _ollama_step(state))
        if (missing := await self._missing_file()) is not None:
            return missing
        if is_service_running:
            self._why_not = self._why_not or lazy(DOCTOR.model_stop_first)
            return ok(lazy(DOCTOR.model_in_use))
        return await self._load()

    async def _present_elsewhere(self, choice: ModelChoice) -> Outcome:
        binding = await self._stack.enter_async_context(open_openai(choice, SystemClock(), self._ollama))
        state = await binding.model.state()
        where = ", ".join(self._settings.openai_base_url)
        if state.state == "ready":
            self._opened = binding
            return ok(lazy(DOCTOR.model_there, where=where, model=state.name), state.detail)
        return failed(joined(": ", (state.name, state.detail)), lazy(DOCTOR.model_server_step))

    async def _missing_file(self) -> Outcome | None:
        path, directory = self._settings.llm_model_path, self._settings.data_dir / "models"
        if path is not None:
            if await asyncio.to_thread(path.is_file):
                return None
            return failed(lazy(DOCTOR.model_path_wrong, file=path), lazy(DOCTOR.model_path_step))
        if await asyncio.to_thread(find_model, directory) is not None:
            return None
        return failed(
            lazy(DOCTOR.model_unfetched, model=DEFAULT_MODEL.name),
            lazy(DOCTOR.model_unfetched_step, model=self._settings.ollama_model),
        )

    async def _load(self) -> Outcome:
        choice = replace(model_choice(self._settings), provider="embedded")
        self._opened = await self._stack.enter_async_context(open_model(choice, SystemClock()))
        # The check's time-out bounds the wait. A failed model is tried again by itself: here that is the answer.
        state = await self._opened.model.state()
        while state.state in {"loading", "fetching"} and not state.detail:
            await asyncio.sleep(_POLL_S)
            state = await self._opened.model.state()
        if state.state == "ready":
            return ok(lazy(DOCTOR.model_loaded, model=state.name))
        return failed(
            lazy(DOCTOR.model_unloaded, detail=state.detail),
            lazy(DOCTOR.model_unloaded_step, file=choice.log_path),
        )

    async def tools(self) -> Outcome:
        """The model calls tools with the protocol that its profile names; both are tried."""
        if self._opened is None or self._why_not:
            return skipped(self._why_not or "")
        answered: dict[ToolProtocol, list[_Answered]] = {
            "native": await self._answers(protocols.NativeProtocol()),
            "constrained": await self._answers(protocols.ConstrainedProtocol()),
        }
        named = self._opened.profile.tool_protocol
        passed = {protocol: sum(one.is_right for one in found) for protocol, found in answered.items()}
        return tool_verdict(named, passed, shown=next(iter(answered[named]), None))

    async def context(self) -> Outcome:
        """A long prompt arrives whole."""
        if self._why_not:
            return skipped(self._why_not)
        wanted = min(_CONTEXT_WORDS, int(self._settings.llm_context_tokens * _CONTEXT_SHARE))
        rate = await self._reading_rate()
        words = min(wanted, int(rate * _CONTEXT_BUDGET_S))
        if rate <= 0:
            return skipped(lazy(DOCTOR.context_untold))
        if words < _MIN_CONTEXT_WORDS:
            return skipped(lazy(DOCTOR.context_too_slow, wanted=wanted, rate=f"{rate:.0f}"))
        return await self._read_whole(words, is_all=words == wanted)

    async def _read_whole(self, words: int, *, is_all: bool) -> Outcome:
        limit = self._settings.llm_context_tokens
        try:
            answer = await self._ask(_counting(words), max_tokens=1)
        except Permanent as exc:
            fix = lazy(DOCTOR.context_refused_step, limit=limit)
            return failed(lazy(DOCTOR.context_refused, words=words, detail=exc.detail), fix)
        read = answer.usage.prompt_tokens
        if read < words * _WHOLE_SHARE:
            return failed(lazy(DOCTOR.context_cut, read=read, words=words), lazy(DOCTOR.context_cut_step))
        sentence = DOCTOR.context_whole if is_all else DOCTOR.context_whole_so_far
        return ok(lazy(sentence, read=read, limit=limit))

    async def speed(self) -> Outcome:
        """How fast the model reads and writes, with a plain word for it."""
        if self._why_not:
            return skipped(self._why_not)
        read_per_s = await self._reading_rate()
        began = self._timer()
        writing = await self._ask("Write the numbers from one to fifty in words.", max_tokens=_WRITTEN_TOKENS)
        written_s = self._timer() - began
        written = writing.usage.completion_tokens
        if read_per_s <= 0 or written <= 0 or written_s <= 0:
            return skipped(lazy(DOCTOR.speed_untold))
        return speed_verdict(read_per_s, written / written_s)

    async def _reading_rate(self) -> float:
        """Tokens per second of a prompt of which nothing is cached; 0 where it cannot be told."""
        began = self._timer()
        reading = await self._ask(_counting(_READ_WORDS), max_tokens=1)
        read_s = self._timer() - began
        read = reading.usage.prompt_tokens - reading.usage.cached_tokens
        return max(read, 0) / read_s if read_s > 0 else 0.0

    async def _answers(self, protocol: protocols.ToolProtocol) -> list[_Answered]:
        tools = _tools()
        answers = []
        for task in _TASKS:
            messages = (ChatMessage("system", _SYSTEM), ChatMessage("user", task.said))
            request = protocol.prepare(messages, tools, language="en")
            try:
                answer = protocol.read(await self._chat(request, _MAX_ANSWER_TOKENS), tools)
            except Permanent:
                # Ollama refuses tools outright for models whose template has no place for them.
                continue
            answers.append(_Answered(task.said, _shown(answer), _does(task, answer)))
        return answers

    async def _ask(self, text: str, *, max_tokens: int) -> ChatResponse:
        # A beginning that no prompt had before, so that nothing of it is in the model's cache.
        return await self._chat(ChatRequest((ChatMessage("user", f"{secrets.token_hex(4)} {text}"),)), max_tokens)

    async def _chat(self, request: ChatRequest, max_tokens: int) -> ChatResponse:
        if self._opened is None:
            raise Permanent("no_model", "there is no model to ask")
        return await self._opened.model.chat(replace(request, max_tokens=max_tokens, temperature=0.0))


def tool_verdict(
    named: ToolProtocol, passed: Mapping[ToolProtocol, int], shown: _Answered | None = None
) -> Outcome:
    """Judge by how many of the tiny tasks each protocol solved; `named` is what the profile says.

    `shown` is one of the answers, for people to see.
    """
    other: ToolProtocol = "constrained" if named == "native" else "native"
    count = len(_TASKS)
    found = lazy(
        DOCTOR.tools_passed, passed=passed[named], tasks=count, named=named, others=passed[other], other=other
    )
    if shown is not None:
        judged = lazy(DOCTOR.right if shown.is_right else DOCTOR.wrong)
        found = lazy(DOCTOR.tools_asked, found=found, said=shown.said, did=shown.did, judged=judged)
    if passed[named] >= _NEEDED:
        return ok(lazy(DOCTOR.tools_ok, found=found))
    if passed[other] >= _NEEDED:
        return failed(
            lazy(DOCTOR.tools_other, other=other, found=found),
            lazy(DOCTOR.tools_other_step, other=other, known_good=lazy(DOCTOR.known_good)),
        )
    return failed(lazy(DOCTOR.tools_none, found=found), lazy(DOCTOR.known_good))


def speed_verdict(read_per_s: float, written_per_s: float) -> Outcome:
    """Name the speed by how long a typical answer takes: 800 tokens read anew, 120 written."""
    answer_s = _TYPICAL_READ / read_per_s + _TYPICAL_WRITTEN / written_per_s
    word = next((word for limit_s, word in _WORDS if answer_s <= limit_s), None)
    found = lazy(
        DOCTOR.speed_found,
        word=lazy(word or DOCTOR.speed_very_slow),
        read=f"{read_per_s:.0f}",
        written=f"{written_per_s:.0f}",
        seconds=f"{max(answer_s, 1):.0f}",
    )
    return ok(found) if word else failed(found, lazy(DOCTOR.speed_step))


def _shown(answer: ChatResponse) -> str:
    if not answer.tool_calls:
        return f"“{one_line(answer.text, _SHOWN_CHARS)}”"
    call = answer.tool_calls[0]
    given = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
    return one_line(f"{call.name}({given})", _SHOWN_CHARS)


def _does(task: _Task, answer: ChatResponse) -> bool:
    """The first call is the right one, with what the person named in its arguments."""
    call = answer.tool_calls[0] if answer.tool_calls else None
    told = " ".join(map(str, call.arguments.values())).lower() if call is not None else ""
    return call is not None and call.name == task.tool and all(trace in told for trace in task.traces)


def _counting(words: int) -> str:
    repeated = (_NUMBERS[n % len(_NUMBERS)] for n in range(words))
    return f"Answer with one word. Which word comes last: {' '.join(repeated)}"


def _ollama_step(state: ModelState) -> str:
    if "ollama pull" in str(state.detail):
        return lazy(DOCTOR.run_this, command=f"ollama pull {state.name}")
    return lazy(DOCTOR.ollama_start)
