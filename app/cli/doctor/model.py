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
from app.config import Settings
from app.domain.chat import ChatMessage, ChatRequest, ChatResponse, ModelState, ToolSchema
from app.domain.clock import SystemClock
from app.domain.errors import Permanent
from app.llm import protocols
from app.llm.model_store import DEFAULT_MODEL, find_model
from app.llm.profiles import ToolProtocol
from app.llm.providers import ModelBinding, ModelChoice, open_model, open_ollama, open_openai

_POLL_S: Final = 0.2
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
        self._why_not = "left out with --quick" if is_quick else ""

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
                return ok(f"Ollama has {state.name}", state.detail)
            if choice.provider == "ollama":
                return failed(f"{state.name}: {state.detail}", _ollama_step(state))
        if (missing := await self._missing_file()) is not None:
            return missing
        if is_service_running:
            self._why_not = (
                self._why_not
                or "the running service has the bundled model loaded; stop the service to test the model"
            )
            return ok("the bundled model's file is here, and the running service uses it")
        return await self._load()

    async def _present_elsewhere(self, choice: ModelChoice) -> Outcome:
        binding = await self._stack.enter_async_context(open_openai(choice, SystemClock(), self._ollama))
        state = await binding.model.state()
        where = ", ".join(self._settings.openai_base_url)
        if state.state == "ready":
            self._opened = binding
            return ok(f"{where} has {state.name}", state.detail)
        fix = "correct OPENAI_BASE_URL, OPENAI_MODEL and OPENAI_API_KEY in .env, or set LLM_PROVIDER=embedded"
        return failed(f"{state.name}: {state.detail}", fix)

    async def _missing_file(self) -> Outcome | None:
        path, directory = self._settings.llm_model_path, self._settings.data_dir / "models"
        if path is not None:
            if await asyncio.to_thread(path.is_file):
                return None
            fix = "correct LLM_MODEL_PATH in .env, or remove it to use the default model"
            return failed(f"LLM_MODEL_PATH names {path}, which is not a file", fix)
        if await asyncio.to_thread(find_model, directory) is not None:
            return None
        return failed(
            f"the bundled model {DEFAULT_MODEL.name} has not been fetched yet (1.1 GB)",
            f"run: python -m app model fetch (or start Ollama and run: ollama pull {self._settings.ollama_model})",
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
            return ok(f"the bundled model {state.name} is loaded")
        return failed(
            f"the bundled model cannot be loaded: {state.detail}",
            "run: .venv/bin/python -m pip install -c constraints.txt '.[local]' (on Linux also the system's "
            f"libgomp1); {choice.log_path} says more",
        )

    async def tools(self) -> Outcome:
        """The model calls tools with the protocol that its profile names; both are tried."""
        if self._opened is None or self._why_not:
            return skipped(self._why_not)
        passed: dict[ToolProtocol, int] = {
            "native": await self._passed(protocols.NativeProtocol()),
            "constrained": await self._passed(protocols.ConstrainedProtocol()),
        }
        return tool_verdict(self._opened.profile.tool_protocol, passed)

    async def context(self) -> Outcome:
        """A long prompt arrives whole."""
        if self._why_not:
            return skipped(self._why_not)
        wanted = min(_CONTEXT_WORDS, int(self._settings.llm_context_tokens * _CONTEXT_SHARE))
        rate = await self._reading_rate()
        words = min(wanted, int(rate * _CONTEXT_BUDGET_S))
        if rate <= 0:
            return skipped("the provider does not say how many tokens it read")
        if words < _MIN_CONTEXT_WORDS:
            return skipped(f"reading {wanted} tokens to find out would take too long at {rate:.0f} per second")
        return await self._read_whole(words, is_all=words == wanted)

    async def _read_whole(self, words: int, *, is_all: bool) -> Outcome:
        limit = self._settings.llm_context_tokens
        try:
            answer = await self._ask(_counting(words), max_tokens=1)
        except Permanent as exc:
            fix = f"lower LLM_CONTEXT_TOKENS (now {limit}) in .env, or choose another model"
            return failed(f"the model refuses a prompt of {words} words: {exc.detail}", fix)
        read = answer.usage.prompt_tokens
        if read < words * _WHOLE_SHARE:
            return failed(
                f"the model read {read} tokens of a prompt of at least {words}: the beginning was cut off",
                "update Ollama so that it honours num_ctx (LLM_CONTEXT_TOKENS), and set no lower "
                "OLLAMA_CONTEXT_LENGTH; with too little memory lower LLM_CONTEXT_TOKENS",
            )
        more = "" if is_all else "; a longer one would take too long to read here"
        return ok(f"a prompt of {read} tokens arrived whole (LLM_CONTEXT_TOKENS={limit}){more}")

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
            return skipped("the provider does not say how many tokens it read and wrote")
        return speed_verdict(read_per_s, written / written_s)

    async def _reading_rate(self) -> float:
        """Tokens per second of a prompt of which nothing is cached; 0 where it cannot be told."""
        began = self._timer()
        reading = await self._ask(_counting(_READ_WORDS), max_tokens=1)
        read_s = self._timer() - began
        read = reading.usage.prompt_tokens - reading.usage.cached_tokens
        return max(read, 0) / read_s if read_s > 0 else 0.0

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
        if self._opened is None:
            raise Permanent("no_model", "there is no model to ask")
        return await self._opened.model.chat(replace(request, max_tokens=max_tokens, temperature=0.0))


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


def _ollama_step(state: ModelState) -> str:
    if "ollama pull" in state.detail:
        return f"run: ollama pull {state.name}"
    return "start it (ollama serve), correct OLLAMA_BASE_URL in .env, or set LLM_PROVIDER=embedded"
