"""The Ollama adapter: what it sends, how it fails, and that cancelling stops the generation."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from structlog.testing import capture_logs

from app.domain.chat import ChatMessage, ChatRequest, ToolSchema, Usage
from app.domain.errors import AppError, Permanent, Transient
from app.llm.ollama import OllamaClient
from app.llm.profiles import profile_for
from tests.fakes.ollama import FakeOllama, Fault, SlowOllama, call, chunk, last_chunk

QUESTION = ChatRequest((ChatMessage("user", "hola"),))
TOOL = ToolSchema("add", "Add.", {"type": "object", "properties": {"x": {"type": "integer"}}})


def make_client(
    transport: httpx.AsyncBaseTransport | None,
    *,
    base_url: str = "http://ollama.test",
    model: str = "qwen3:8b",
    context_tokens: int = 8192,
) -> OllamaClient:
    return OllamaClient(
        base_url, model, context_tokens=context_tokens, profile=profile_for(model), transport=transport
    )


def answering(respond: Callable[[httpx.Request], httpx.Response]) -> OllamaClient:
    return make_client(httpx.MockTransport(respond))


@pytest.fixture
def server() -> FakeOllama:
    return FakeOllama("qwen3:8b")


@pytest.fixture
async def client(server: FakeOllama) -> AsyncIterator[OllamaClient]:
    made = make_client(server.transport())
    yield made
    await made.aclose()


async def failure_of(client: OllamaClient) -> AppError:
    with pytest.raises(AppError) as raised:
        await client.chat(QUESTION)
    await client.aclose()
    return raised.value


async def test_context_size_is_the_same_for_every_call_of_the_model(
    server: FakeOllama, client: OllamaClient
) -> None:
    await client.chat(QUESTION)
    await client.chat(ChatRequest(QUESTION.messages, tools=(TOOL,), max_tokens=8, purpose="short"))

    sent = [(body["options"], body["keep_alive"], body["stream"]) for body in server.requests]
    assert sent == [
        ({"num_ctx": 8192, "temperature": 0.2}, "30m", True),
        ({"num_ctx": 8192, "temperature": 0.2, "num_predict": 8}, "30m", True),
    ]


async def test_nested_schemas_reach_the_server_whole(server: FakeOllama, client: OllamaClient) -> None:
    nested = {
        "type": "object",
        "$defs": {"p": {"type": "object", "properties": {"x": {"type": "number", "minimum": 0}}}},
        "properties": {"where": {"anyOf": [{"$ref": "#/$defs/p"}, {"type": "null"}]}, "raw": True},
    }

    await client.chat(ChatRequest(QUESTION.messages, tools=(ToolSchema("go", "Go.", nested),)))

    assert json.loads(json.dumps(server.requests[0]["tools"]))[0]["function"]["parameters"] == nested


@pytest.mark.parametrize(
    ("model", "think"),
    [
        ("qwen3:8b", False),
        ("deepseek-r1:8b", False),
        ("llama3.1:8b", False),
        ("new:8b", False),
        ("gpt-oss:20b", "low"),
    ],
)
@pytest.mark.parametrize("tools", [(), (TOOL,)])
async def test_nobody_is_left_to_think_by_default(
    server: FakeOllama, model: str, think: object, tools: tuple[ToolSchema, ...]
) -> None:
    server.models.append(model)
    client = make_client(server.transport(), model=model)

    await client.chat(ChatRequest(QUESTION.messages, tools=tools))

    assert server.requests[0]["think"] == think
    await client.aclose()


async def test_thinking_never_shows_even_unclosed(server: FakeOllama, client: OllamaClient) -> None:
    server.will_say("Hola. <think>The user ", "wants", " me to")
    server.will_say("planning…", "</thi", "nk>\n\nHola.")

    assert (await client.chat(QUESTION)).text == "Hola."
    assert (await client.chat(QUESTION)).text == "Hola."


async def test_arguments_sent_as_text_or_left_out_are_understood(server: FakeOllama, client: OllamaClient) -> None:
    server.will_say(calls=[call("add", '{"x": 1}'), call("now", None), {"function": {"name": "later"}}])

    response = await client.chat(QUESTION)

    assert [(c.name, c.arguments) for c in response.tool_calls] == [("add", {"x": 1}), ("now", {}), ("later", {})]


async def test_cached_tokens_are_counted_where_the_server_tells(server: FakeOllama, client: OllamaClient) -> None:
    server.will_say("hola", prompt_eval_count=900, prompt_eval_cached_count=850, eval_count=2)

    assert (await client.chat(QUESTION)).usage == Usage(900, 850, 2, 1)


@pytest.mark.parametrize(("fault", "code"), [("broken_off", "llm_bad_answer"), ("error_in_stream", "llm_failed")])
async def test_an_answer_that_goes_wrong_halfway_is_transient(
    server: FakeOllama, client: OllamaClient, fault: Fault, code: str
) -> None:
    server.fault = fault

    failure = await failure_of(client)

    assert isinstance(failure, Transient)
    assert failure.code == code


async def test_a_busy_server_says_when_to_come_back(server: FakeOllama, client: OllamaClient) -> None:
    server.fault = "overloaded"

    failure = await failure_of(client)

    assert isinstance(failure, Transient)
    assert failure.retry_after_s == 7.0


async def test_a_missing_model_names_the_command_that_fetches_it(server: FakeOllama, client: OllamaClient) -> None:
    server.models.clear()

    failure = await failure_of(client)

    assert isinstance(failure, Permanent)
    assert failure.code == "llm_model_missing"
    assert "ollama pull qwen3:8b" in failure.detail


@pytest.mark.parametrize(
    ("message", "kind", "code"),
    [
        ("model 'qwen3:8b' not found", Permanent, "llm_model_missing"),
        ("server busy, please try again", Transient, "llm_busy"),
        ("the prompt exceeds the available context size", Permanent, "llm_prompt_too_long"),
        ("this model does not support tools", Permanent, "llm_refused"),
        ("unexpected EOF", Transient, "llm_failed"),
        ({"message": "an object"}, Transient, "llm_bad_answer"),
    ],
)
async def test_an_error_inside_the_stream_is_named_by_its_words(
    message: object, kind: type[AppError], code: str
) -> None:
    lines = json.dumps(chunk("Ho")) + "\n" + json.dumps({"error": message}) + "\n"

    failure = await failure_of(answering(lambda _: httpx.Response(200, text=lines)))

    assert isinstance(failure, kind)
    assert failure.code == code


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (400, '{"error": "exceed_context_size_error: 9000 > 8192 tokens of context"}', "llm_prompt_too_long"),
        (401, "", "llm_refused"),
        (404, "404 page not found", "llm_refused"),
        (408, "", "llm_timeout"),
        (429, "[]", "llm_busy"),
        (500, "null", "llm_failed"),
        (502, "<html>bad gateway</html>", "llm_failed"),
        (503, '{"error": {"message": "busy"}}', "llm_busy"),
        (504, "", "llm_timeout"),
    ],
)
async def test_a_failed_status_is_named_whatever_its_body(status: int, body: str, code: str) -> None:
    failure = await failure_of(answering(lambda _: httpx.Response(status, text=body)))

    assert failure.code == code


@pytest.mark.parametrize(
    "body",
    [
        "",
        "not json\n",
        "[]\n",
        "7\n",
        "null\n",
        '{"message": 7, "done": true}\n',
        '{"done": true, "message": {"tool_calls": [{}]}}\n',
        "\n",
    ],
)
async def test_a_body_that_ollama_never_sends_is_a_bad_answer(body: str) -> None:
    failure = await failure_of(answering(lambda _: httpx.Response(200, text=body)))

    assert isinstance(failure, Transient)
    assert failure.code == "llm_bad_answer"


async def test_half_a_call_is_a_bad_answer_and_not_a_guess(server: FakeOllama, client: OllamaClient) -> None:
    server.will_say(calls=[call("add", '{"x": 1, "y"')])

    assert (await failure_of(client)).code == "llm_bad_answer"


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (httpx.ReadTimeout("slow"), "llm_timeout"),
        (httpx.PoolTimeout("full"), "llm_timeout"),
        (httpx.ConnectTimeout("nobody"), "llm_unreachable"),
        (httpx.ConnectError("refused"), "llm_unreachable"),
        (httpx.ReadError("reset"), "llm_unreachable"),
        (httpx.RemoteProtocolError("server disconnected without sending a response"), "llm_unreachable"),
        (ConnectionResetError("reset"), "llm_unreachable"),
    ],
)
async def test_a_failing_network_is_transient(raised: Exception, code: str) -> None:
    def respond(request: httpx.Request) -> httpx.Response:
        raise raised

    failure = await failure_of(answering(respond))

    assert isinstance(failure, Transient)
    assert failure.code == code


async def test_nothing_after_the_last_line_is_waited_for() -> None:
    text = "".join(json.dumps(line) + "\n" for line in (chunk("hola"), last_chunk())) + "garbage\n"
    client = answering(lambda _: httpx.Response(200, text=text))

    assert (await client.chat(QUESTION)).text == "hola"
    await client.aclose()


async def test_cancelling_closes_the_connection_so_that_the_generation_stops() -> None:
    slow = SlowOllama()
    async with asyncio.timeout(5), slow.listening():
        client = make_client(None, base_url=slow.base_url)
        task = asyncio.create_task(client.chat(QUESTION))
        await slow.started.wait()

        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        await slow.hung_up.wait()
        await client.aclose()


async def test_a_connection_that_breaks_in_the_middle_is_a_bad_answer() -> None:
    slow = SlowOllama()
    slow.breaks_off = True
    async with asyncio.timeout(5), slow.listening():
        assert (await failure_of(make_client(None, base_url=slow.base_url))).code == "llm_bad_answer"


async def test_nobody_listening_is_unreachable_and_names_the_next_step() -> None:
    slow = SlowOllama()
    async with slow.listening():
        pass
    client = make_client(None, base_url=slow.base_url)

    state = await client.state()
    failure = await failure_of(client)

    assert failure.code == "llm_unreachable"
    assert "ollama serve" in failure.detail
    assert state.state == "unavailable"
    assert "ollama serve" in state.detail


async def test_a_proxy_in_the_environment_is_not_asked_for_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    slow = SlowOllama()
    slow.breaks_off = True
    async with asyncio.timeout(5), slow.listening():
        client = make_client(None, base_url=slow.base_url)

        assert (await failure_of(client)).code == "llm_bad_answer"
        assert slow.started.is_set()


@pytest.mark.parametrize(
    ("prompt_chars", "counted", "is_warned"),
    [
        (100, 40, False),
        (100, None, False),
        (100, 1, False),
        (9_000, 1_100, True),
        (9_000, None, True),
        (2_000, 1_024, True),
    ],
)
async def test_a_prompt_that_does_not_fit_is_shouted_about(
    server: FakeOllama, prompt_chars: int, counted: int | None, is_warned: bool
) -> None:
    client = make_client(server.transport(), context_tokens=1024)
    server.will_say("hola", prompt_eval_count=counted)

    with capture_logs() as logs:
        await client.chat(ChatRequest((ChatMessage("user", "a" * prompt_chars),)))

    warnings = [line for line in logs if line["event"] == "llm.prompt_truncated"]
    assert bool(warnings) is is_warned
    for line in warnings:
        assert (line["log_level"], line["context_tokens"], line["prompt_tokens"]) == ("warning", 1024, counted)
        assert line["estimated_tokens"] > prompt_chars / 4
    await client.aclose()


@pytest.mark.parametrize(
    ("configured", "present", "expected"),
    [
        ("qwen3:8b", ["llama3.1:8b", "qwen3:8b"], "ready"),
        ("llava", ["llava:latest"], "ready"),
        ("llava:latest", ["llava:latest"], "ready"),
        ("LLaVA", ["llava:latest"], "ready"),
        ("hub.example:5000/me/llava", ["hub.example:5000/me/llava:latest"], "ready"),
        ("qwen3:8b", ["qwen3:4b"], "unavailable"),
        ("qwen3", ["qwen3:8b"], "unavailable"),
        ("qwen3:8b", [], "unavailable"),
    ],
)
async def test_the_model_is_found_with_or_without_its_tag(
    configured: str, present: list[str], expected: str
) -> None:
    client = make_client(FakeOllama(*present).transport(), model=configured)

    state = await client.state()

    assert (state.name, state.state) == (configured, expected)
    assert ("ollama pull" in state.detail) is (expected == "unavailable")
    await client.aclose()


@pytest.mark.parametrize("fault", ["refuse", "crash", "overloaded", "half_json"])
async def test_asking_for_the_state_never_raises(server: FakeOllama, client: OllamaClient, fault: Fault) -> None:
    server.fault = fault

    state = await client.state()

    assert state.state == "unavailable"
    assert state.detail


@pytest.mark.parametrize("body", ["", "[]", "null", '{"models": null}', '{"models": [{"model": 7}]}'])
async def test_a_listing_that_ollama_never_sends_is_unavailable(body: str) -> None:
    client = answering(lambda _: httpx.Response(200, text=body))

    assert (await client.state()).state == "unavailable"
    await client.aclose()


async def test_a_server_that_hangs_is_unavailable_within_two_seconds(
    server: FakeOllama, client: OllamaClient
) -> None:
    server.fault = "hang"

    async with asyncio.timeout(2):
        state = await client.state()

    assert state.state == "unavailable"
    assert "in time" in state.detail


async def test_several_calls_at_once_do_not_mix(server: FakeOllama, client: OllamaClient) -> None:
    for word in ("uno", "dos", "tres"):
        server.will_say(word, " ", word)

    answers = await asyncio.gather(*(client.chat(QUESTION) for _ in range(3)))

    assert sorted(answer.text for answer in answers) == ["dos dos", "tres tres", "uno uno"]
