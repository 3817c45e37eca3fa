"""A server of OpenAI's API: what it is sent, what its failures are called, and what the operator is told."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from app.domain.chat import ChatMessage, ChatRequest
from app.domain.errors import AppError, NotReady, Permanent, Transient
from app.llm.llamacpp import BundledSettings
from app.llm.llamacpp_server import ServerConfig
from app.llm.openai_server import OpenAIServer, OpenAISettings
from tests.fakes.openai_server import FakeOpenAI, Fault

SCHEMA = {"type": "object", "properties": {"reply": {"type": "string"}}}


def ask(**changes: Any) -> ChatRequest:
    return ChatRequest((ChatMessage("user", "hola"),), **changes)


@asynccontextmanager
async def connected(
    server: FakeOpenAI, *, base_url: str = "http://openai.test", model: str = "", key: str = ""
) -> AsyncIterator[OpenAIServer]:
    client = OpenAIServer(OpenAISettings(base_url, model, key), transport=server.transport())
    try:
        yield client
    finally:
        await client.aclose()


@pytest.mark.parametrize(
    ("fault", "kind", "code", "hint"),
    [
        ("bad_key", Permanent, "llm_refused", "OPENAI_API_KEY"),
        ("no_credit", Permanent, "llm_refused", "credit"),
        ("too_long", Permanent, "llm_prompt_too_long", "LLM_CONTEXT_TOKENS"),
        ("loading", NotReady, "model_loading", "Loading"),
        ("overloaded", Transient, "llm_busy", "Rate limit"),
        ("error_in_stream", Transient, "llm_failed", "out of luck"),
        ("broken_off", Transient, "llm_bad_answer", "ended"),
        ("refuse", Transient, "llm_unreachable", "OPENAI_BASE_URL"),
    ],
)
async def test_a_failure_has_its_cause_and_the_next_step(
    fault: Fault, kind: type[AppError], code: str, hint: str
) -> None:
    server = FakeOpenAI("m")
    async with connected(server) as model:
        await model.state()
        server.fault = fault
        with pytest.raises(kind) as raised:
            await model.chat(ask())

    assert raised.value.code == code
    assert hint in raised.value.detail


async def test_a_busy_server_says_when_to_come_back() -> None:
    server = FakeOpenAI("m")
    server.fault = "overloaded"
    async with connected(server, model="m") as model:
        with pytest.raises(Transient) as raised:
            await model.chat(ask())

    assert raised.value.retry_after_s == 7


async def test_the_key_is_sent_and_is_in_no_error() -> None:
    server = FakeOpenAI("m")
    async with connected(server, key="k-123") as model:
        await model.chat(ask())
        server.fault = "bad_key"
        with pytest.raises(Permanent) as raised:
            await model.chat(ask())
        state = await model.state()

    assert server.headers[0]["authorization"] == "Bearer k-123"
    assert "k-123" not in f"{raised.value.detail} {state.detail}"


async def test_without_a_key_none_is_sent() -> None:
    server = FakeOpenAI("m")
    async with connected(server) as model:
        await model.chat(ask())

    assert "authorization" not in server.headers[0]


@pytest.mark.parametrize("base_url", ["http://openai.test", "http://openai.test/v1", "http://openai.test/v1/"])
async def test_an_address_works_with_and_without_its_version(base_url: str) -> None:
    async with connected(FakeOpenAI("m"), base_url=base_url) as model:
        assert (await model.chat(ask())).text == "hello"


async def test_without_a_model_the_first_that_is_listed_is_asked() -> None:
    server = FakeOpenAI("first", "second")
    async with connected(server) as model:
        await model.chat(ask())
        assert (await model.state()).name == "first"

    assert server.requests[0]["model"] == "first"


async def test_a_model_that_is_not_there_is_told_with_those_that_are() -> None:
    async with connected(FakeOpenAI("first", "second"), model="third") as model:
        state = await model.state()

    assert state.state == "unavailable"
    for word in ("third", "first", "second", "OPENAI_MODEL"):
        assert word in state.detail


async def test_a_server_without_a_list_is_asked_for_the_named_model() -> None:
    server = FakeOpenAI("m")
    server.lists_models = False
    async with connected(server, model="m") as model:
        assert (await model.state()).state == "ready"
        assert (await model.chat(ask())).text == "hello"


@pytest.mark.parametrize(
    ("version", "read"),
    [
        ("0.11.2", lambda body: body["guided_json"]),
        ("0.12.0", lambda body: body["structured_outputs"]["json"]),
        (None, lambda body: body["structured_outputs"]["json"]),
    ],
    ids=["before 0.12", "since 0.12", "silent"],
)
async def test_vllm_is_bound_by_its_own_guided_decoding(
    version: str | None, read: Callable[[dict[str, Any]], object]
) -> None:
    server = FakeOpenAI("m", owner="vllm", version=version)
    async with connected(server) as model:
        await model.chat(ask(response_schema=SCHEMA))

    assert read(server.requests[0]) == SCHEMA
    assert "response_format" not in server.requests[0]


@pytest.mark.parametrize(("owner", "is_told"), [("vllm", True), ("llamacpp", True), ("openai", False)])
async def test_thinking_is_switched_off_where_the_server_knows_how(owner: str, *, is_told: bool) -> None:
    server = FakeOpenAI("Qwen/Qwen3-8B", owner=owner)
    async with connected(server) as model:
        await model.chat(ask())

    assert ("chat_template_kwargs" in server.requests[0]) is is_told


async def test_a_server_that_is_something_else_is_told() -> None:
    server = FakeOpenAI()
    server.models = [None]  # type: ignore[list-item]  # the wire may hold anything
    async with connected(server) as model:
        state = await model.state()

    assert "OPENAI_BASE_URL" in state.detail


@pytest.mark.live
async def test_the_real_server_of_llamacpp_answers_through_openais_api(tmp_path: Path) -> None:
    path = os.environ.get("WASAP_TEST_MODEL")
    if not path:
        pytest.skip("WASAP_TEST_MODEL does not name a GGUF file")
    process = await asyncio.create_subprocess_exec(
        *BundledSettings("real", tmp_path / "log").command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert process.stdin
    assert process.stdout
    config = ServerConfig(path, "real", 2048, 2, "a-key")
    process.stdin.write(json.dumps(asdict(config)).encode() + b"\n")
    async with asyncio.timeout(120):
        address = json.loads(await process.stdout.readline())["address"]
    for key, state in (("another-key", "unavailable"), ("a-key", "ready")):
        model = OpenAIServer(OpenAISettings(address, api_key=key))
        assert (await model.state()).state == state
    bound = await model.chat(ask(response_schema=SCHEMA | {"required": ["reply"]}, max_tokens=60))
    await model.aclose()
    process.stdin.close()
    await process.wait()

    assert json.loads(bound.text)["reply"]
    assert bound.usage.prompt_tokens > 0
