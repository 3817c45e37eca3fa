"""What every `ChatModel` promises, run on the fake that other tests trust and on the real adapters.

A new provider is one more class with the methods of `Provider`, and one more line in `PROVIDERS`.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final, Literal, Protocol, cast

import pytest

from app.domain.chat import ChatMessage, ChatRequest, ChatResponse, ModelState, ToolCall, ToolSchema, Usage
from app.domain.errors import AppError, Permanent, Transient
from app.domain.ports import ChatModel
from app.llm.ollama import OllamaClient
from app.llm.openai_server import OpenAIServer, OpenAISettings
from app.llm.profiles import profile_for
from tests.fakes import openai_server
from tests.fakes.llm import ScriptedChatModel
from tests.fakes.ollama import FakeOllama, Fault, call
from tests.fakes.openai_server import FakeOpenAI

Failure = Literal["missing", "refused", "unreachable", "busy", "failed", "bad_answer"]

CODES: Final[Mapping[Failure, tuple[type[AppError], str]]] = MappingProxyType(
    {
        "missing": (Permanent, "llm_model_missing"),
        "refused": (Permanent, "llm_refused"),
        "unreachable": (Transient, "llm_unreachable"),
        "busy": (Transient, "llm_busy"),
        "failed": (Transient, "llm_failed"),
        "bad_answer": (Transient, "llm_bad_answer"),
    }
)


@dataclass(frozen=True)
class Seen:
    """What reached the provider, in neutral terms."""

    contents: list[str]
    tool_names: list[str]
    has_schema: bool


class Provider(Protocol):
    @property
    def model(self) -> ChatModel: ...
    @property
    def started(self) -> asyncio.Event: ...
    def will_answer(self, response: ChatResponse) -> None: ...
    def will_fail(self, failure: Failure) -> None: ...
    def recover(self) -> None: ...
    def hold(self) -> None: ...
    def let_go(self) -> None: ...
    def last_seen(self) -> Seen: ...
    async def aclose(self) -> None: ...


class Scripted:
    def __init__(self) -> None:
        self.model = ScriptedChatModel()
        self.started = self.model.started

    def will_answer(self, response: ChatResponse) -> None:
        self.model.add(response)

    def will_fail(self, failure: Failure) -> None:
        kind, code = CODES[failure]
        self.model.add(kind(code))
        if failure in ("missing", "unreachable"):
            self.model.model_state = ModelState("scripted", "unavailable", "start it")

    def recover(self) -> None:
        self.model.model_state = ModelState("scripted", "ready")

    def hold(self) -> None:
        self.model.block()

    def let_go(self) -> None:
        self.model.release()

    def last_seen(self) -> Seen:
        request = self.model.requests[-1]
        return Seen(
            contents=[message.content for message in request.messages],
            tool_names=[tool.name for tool in request.tools],
            has_schema=request.response_schema is not None,
        )

    async def aclose(self) -> None:
        return None


class Ollama:
    _FAULTS: Final[Mapping[Failure, Fault]] = MappingProxyType(
        {
            "refused": "bad_request",
            "unreachable": "refuse",
            "busy": "overloaded",
            "failed": "crash",
            "bad_answer": "half_json",
        }
    )

    def __init__(self) -> None:
        self._server = FakeOllama("qwen3:8b")
        self.started = self._server.started
        self.model = OllamaClient(
            "http://ollama.test",
            "qwen3:8b",
            context_tokens=8192,
            profile=profile_for("qwen3:8b"),
            transport=self._server.transport(),
        )

    def will_answer(self, response: ChatResponse) -> None:
        self._server.will_say(
            response.text,
            calls=[call(c.name, dict(c.arguments), id=c.id) for c in response.tool_calls],
            prompt_eval_count=response.usage.prompt_tokens,
            eval_count=response.usage.completion_tokens,
            done_reason="length" if response.is_truncated else "stop",
        )

    def will_fail(self, failure: Failure) -> None:
        if failure == "missing":
            self._server.models.clear()
        else:
            self._server.fault = self._FAULTS[failure]

    def recover(self) -> None:
        self._server.fault = None
        self._server.models[:] = ["qwen3:8b"]

    def hold(self) -> None:
        self._server.fault = "hang"

    def let_go(self) -> None:
        self._server.fault = None
        self._server.released.set()

    def last_seen(self) -> Seen:
        body = self._server.requests[-1]
        messages = cast("list[dict[str, str]]", body["messages"])
        tools = cast("list[dict[str, dict[str, str]]]", body.get("tools", []))
        return Seen(
            contents=[message["content"] for message in messages],
            tool_names=[tool["function"]["name"] for tool in tools],
            has_schema="format" in body,
        )

    async def aclose(self) -> None:
        await self.model.aclose()


class OpenAI:
    _FAULTS: Final[Mapping[Failure, openai_server.Fault]] = MappingProxyType(
        {
            "refused": "bad_request",
            "unreachable": "refuse",
            "busy": "overloaded",
            "failed": "crash",
            "bad_answer": "half_json",
        }
    )

    def __init__(self, owner: str = "organization") -> None:
        self._server = FakeOpenAI("some-model", owner=owner)
        self.started = self._server.started
        settings = OpenAISettings("http://openai.test", "some-model")
        self.model = OpenAIServer(settings, transport=self._server.transport())

    def will_answer(self, response: ChatResponse) -> None:
        self._server.will_answer(response)

    def will_fail(self, failure: Failure) -> None:
        if failure == "missing":
            self._server.models[:] = ["another-model"]
        else:
            self._server.fault = self._FAULTS[failure]

    def recover(self) -> None:
        self._server.fault = None
        self._server.models[:] = ["some-model"]

    def hold(self) -> None:
        self._server.fault = "hang"
        self._server.released.clear()

    def let_go(self) -> None:
        self._server.fault = None
        self._server.released.set()

    def last_seen(self) -> Seen:
        body = self._server.requests[-1]
        return Seen(
            contents=[message["content"] for message in body["messages"]],
            tool_names=[tool["function"]["name"] for tool in body.get("tools", [])],
            has_schema="response_format" in body or "structured_outputs" in body,
        )

    async def aclose(self) -> None:
        await self.model.aclose()


PROVIDERS: Final[Mapping[str, Callable[[], Provider]]] = MappingProxyType(
    {"scripted": Scripted, "ollama": Ollama, "openai": OpenAI, "vllm": partial(OpenAI, "vllm")}
)

QUESTION: Final = ChatRequest(
    messages=(ChatMessage("system", "Be brief."), ChatMessage("user", "¿Qué hora es? 🕒"))
)
CLOCK_TOOL: Final = ToolSchema("get_time", "Tell the time.", {"type": "object", "properties": {}})


@pytest.fixture(params=sorted(PROVIDERS))
async def provider(request: pytest.FixtureRequest) -> AsyncIterator[Provider]:
    made = PROVIDERS[request.param]()
    yield made
    await made.aclose()


async def test_an_answer_comes_back_with_its_counts(provider: Provider) -> None:
    provider.will_answer(ChatResponse("Son las tres.", usage=Usage(30, 0, 6, 1)))

    response = await provider.model.chat(QUESTION)

    assert response == ChatResponse("Son las tres.", usage=Usage(30, 0, 6, 1))


async def test_tool_calls_come_back_in_order_with_ids_and_arguments(provider: Provider) -> None:
    calls = (ToolCall("a", "get_time", {}), ToolCall("b", "add", {"x": 1, "y": [2.5, "ñ"]}))
    provider.will_answer(ChatResponse("", calls))

    response = await provider.model.chat(QUESTION)

    assert response.tool_calls == calls


async def test_an_answer_that_hit_the_limit_says_so(provider: Provider) -> None:
    provider.will_answer(ChatResponse("Son las", is_truncated=True))

    assert (await provider.model.chat(QUESTION)).is_truncated


async def test_messages_tools_and_schema_reach_the_provider(provider: Provider) -> None:
    provider.will_answer(ChatResponse("{}"))

    await provider.model.chat(
        ChatRequest(QUESTION.messages, tools=(CLOCK_TOOL,), response_schema={"type": "object"})
    )

    assert provider.last_seen() == Seen(["Be brief.", "¿Qué hora es? 🕒"], ["get_time"], has_schema=True)


async def test_a_plain_question_carries_neither_tools_nor_schema(provider: Provider) -> None:
    provider.will_answer(ChatResponse("Hola"))

    await provider.model.chat(QUESTION)

    assert provider.last_seen() == Seen(["Be brief.", "¿Qué hora es? 🕒"], [], has_schema=False)


@pytest.mark.parametrize("failure", sorted(CODES))
async def test_every_failure_has_its_name_and_passes(provider: Provider, failure: Failure) -> None:
    kind, code = CODES[failure]
    provider.will_fail(failure)

    with pytest.raises(kind) as raised:
        await provider.model.chat(QUESTION)
    assert raised.value.code == code

    provider.recover()
    provider.will_answer(ChatResponse("de vuelta"))
    assert (await provider.model.chat(QUESTION)).text == "de vuelta"


async def test_a_cancelled_call_ends_at_once_and_the_next_one_works(provider: Provider) -> None:
    provider.hold()
    async with asyncio.timeout(5):
        task = asyncio.create_task(provider.model.chat(QUESTION))
        await provider.started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        provider.let_go()
        provider.will_answer(ChatResponse("sigo aquí"))
        assert (await provider.model.chat(QUESTION)).text == "sigo aquí"


async def test_a_model_that_can_answer_is_ready(provider: Provider) -> None:
    assert (await provider.model.state()).state == "ready"


@pytest.mark.parametrize("failure", ["missing", "unreachable"])
async def test_a_model_that_cannot_answer_names_the_next_step(provider: Provider, failure: Failure) -> None:
    provider.will_fail(failure)

    state = await provider.model.state()

    assert state.state == "unavailable"
    assert state.detail
