"""The bundled model: its process is supervised, its words are understood, its failures are named."""

import asyncio
import json
import os
import select
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from app.domain.chat import ChatMessage, ChatRequest, ModelState, Purpose, ToolCall, ToolSchema, Usage
from app.domain.clock import SystemClock
from app.domain.errors import AppError, NotReady, Permanent, Transient
from app.llm import llamacpp_server
from app.llm.llamacpp import BundledModel, BundledSettings, ModelSource, own_file
from app.llm.model_store import OnProgress
from app.llm.openai_wire import AnswerStream
from tests.fakes.llamacpp import Start, fake_server

NAME = "tiny.gguf"


class PacedClock:
    """Tells each wait to the test and ends it when the test says so."""

    def __init__(self) -> None:
        self.time = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
        self.waits: asyncio.Queue[float] = asyncio.Queue()
        self._go_on = asyncio.Event()

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.time, UTC)

    def elapsed_s(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self._go_on.clear()
        self.waits.put_nowait(seconds)
        await self._go_on.wait()
        self.time += seconds

    async def next_wait(self) -> float:
        async with asyncio.timeout(5):
            return await self.waits.get()

    def end_wait(self) -> None:
        self._go_on.set()


class Bench:
    """A model over fake servers, run by the test."""

    def __init__(self, tmp_path: Path, start: Start = "well", source: ModelSource | None = None) -> None:
        self.file = tmp_path / NAME
        self.file.write_bytes(b"GGUF")
        self.log_path = tmp_path / "logs" / "llamacpp.log"
        self.clock = PacedClock()
        self.model = BundledModel(
            source or own_file(self.file),
            BundledSettings(
                name=NAME, log_path=self.log_path, threads=2, command=fake_server(start), stop_grace_s=2.0
            ),
            clock=self.clock,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[BundledModel]:
        run = asyncio.create_task(self.model.run())
        try:
            yield self.model
        finally:
            run.cancel()
            with suppress(asyncio.CancelledError):
                async with asyncio.timeout(5):
                    await run


async def until(model: BundledModel, state: str, *, timeout_s: float = 5) -> ModelState:
    async with asyncio.timeout(timeout_s):
        async for now in model.states():
            if now.state == state:
                return now
    raise AssertionError("the states ended")


def ask(text: str, **changes: Any) -> ChatRequest:
    return replace(ChatRequest(messages=(ChatMessage("user", text),)), **changes)


async def config_of(model: BundledModel) -> dict[str, Any]:
    config: dict[str, Any] = json.loads((await model.chat(ask("tell config"))).text)
    return config


@pytest.fixture
async def ready(tmp_path: Path) -> AsyncIterator[BundledModel]:
    async with Bench(tmp_path).running() as model:
        await until(model, "ready")
        yield model


async def refusal(model: BundledModel, text: str = "hello") -> AppError:
    with pytest.raises(AppError) as caught:
        async with asyncio.timeout(5):
            await model.chat(ask(text))
    return caught.value


async def test_a_request_reaches_the_server_in_its_words(ready: BundledModel) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    request = ChatRequest(
        messages=(
            ChatMessage("system", "Be brief."),
            ChatMessage("assistant", "", tool_calls=(ToolCall("c1", "add", {"a": "ñ"}),)),
            ChatMessage("tool", "4", tool_call_id="c1", name="add"),
            ChatMessage("user", "lone \ud800 surrogate"),
        ),
        tools=(ToolSchema("add", "Adds.", schema),),
        response_schema=schema,
        max_tokens=12,
        temperature=0.0,
    )

    response = await ready.chat(request)

    body = json.loads(response.text)
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert body["messages"][1]["tool_calls"] == [
        {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": "ñ"}'}}
    ]
    assert body["messages"][2] == {"role": "tool", "content": "4", "tool_call_id": "c1", "name": "add"}
    assert body["tools"][0]["function"] == {"name": "add", "description": "Adds.", "parameters": schema}
    assert body["response_format"]["json_schema"]["schema"] == schema
    assert (body["max_tokens"], body["temperature"], body["cache_prompt"]) == (12, 0.0, True)
    assert response.usage == Usage(prompt_tokens=542, cached_tokens=527, completion_tokens=10, calls=1)


async def test_words_to_be_avoided_get_lower_odds(ready: BundledModel) -> None:
    avoiding = json.loads((await ready.chat(ask("a", avoided=("pero", "help")))).text)
    plain = json.loads((await ready.chat(ask("a"))).text)

    assert [word for word, odds in avoiding["logit_bias"] if odds < 0] == [" pero", " help"]
    assert "logit_bias" not in plain


async def test_each_purpose_has_a_slot_of_its_own_and_short_calls_the_lowest(ready: BundledModel) -> None:
    purposes: tuple[Purpose, ...] = ("short", "closing", "turn")
    slots = [json.loads((await ready.chat(ask("a", purpose=purpose))).text)["id_slot"] for purpose in purposes]

    # The server serves the lower slot first.
    assert slots == [0, 1, 2]


async def test_an_answer_without_a_limit_of_its_own_is_limited(ready: BundledModel) -> None:
    assert json.loads((await ready.chat(ask("a"))).text)["max_tokens"] == 1024


async def test_the_server_is_told_what_to_load_and_asks_for_its_key(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    async with bench.running() as model:
        await until(model, "ready")
        config = await config_of(model)

    assert config["model_path"] == str(bench.file)
    assert (config["model_name"], config["context_tokens"], config["threads"]) == (NAME, 8192, 2)
    assert len(config["api_key"]) >= 32
    assert config["spin"] == "1000"
    fields = {name: config[name] for name in llamacpp_server.ServerConfig.__dataclass_fields__}
    assert llamacpp_server.ServerConfig(**fields).threads == 2


@pytest.mark.parametrize(
    ("said", "text"),
    [("think", "Four."), ("separate", "one\u2028two\u0085three")],
    ids=["without its thinking", "with unusual line separators"],
)
async def test_an_answer_arrives(ready: BundledModel, said: str, text: str) -> None:
    assert (await ready.chat(ask(said))).text == text


async def test_an_answer_that_hit_its_limit_says_so(ready: BundledModel) -> None:
    assert (await ready.chat(ask("run on"))).is_truncated
    assert not (await ready.chat(ask("hello"))).is_truncated


async def test_tool_calls_are_joined_from_their_pieces(ready: BundledModel) -> None:
    response = await ready.chat(ask("call tools"))

    assert response.tool_calls == (ToolCall("c0", "get_time", {"x": 0}), ToolCall("c1", "calculate", {"x": 1}))


@pytest.mark.parametrize(
    ("said", "kind", "code"),
    [
        ("overflow", Permanent, "llm_prompt_too_long"),
        ("bad schema", Permanent, "llm_refused"),
        ("loading", NotReady, "model_loading"),
        ("fail", Transient, "llm_failed"),
        ("fail plainly", Transient, "llm_failed"),
        ("fail midway", Transient, "llm_failed"),
        ("babble", Transient, "llm_bad_answer"),
        ("call badly", Transient, "llm_bad_answer"),
        ("stop short", Transient, "llm_crashed"),
    ],
)
async def test_a_failure_is_named(ready: BundledModel, said: str, kind: type[AppError], code: str) -> None:
    error = await refusal(ready, said)

    assert (type(error), error.code) == (kind, code)


async def actions_of(model: BundledModel) -> list[str]:
    return cast("list[str]", json.loads((await model.chat(ask("tell actions", purpose="short"))).text))


async def test_cancelling_a_call_closes_its_connection(ready: BundledModel) -> None:
    hanging = asyncio.create_task(ready.chat(ask("hang", purpose="short")))
    async with asyncio.timeout(5):
        await ready.chat(ask("wait until hanging"))
        hanging.cancel()
        assert (await ready.chat(ask("wait until left"))).text == "left"
    with pytest.raises(asyncio.CancelledError):
        await hanging


async def test_a_slot_that_was_left_is_asked_again_when_the_server_let_go_of_it(ready: BundledModel) -> None:
    hanging = asyncio.create_task(ready.chat(ask("hang", purpose="call")))
    async with asyncio.timeout(5):
        await ready.chat(ask("wait until hanging"))
        hanging.cancel()
        await ready.chat(ask("wait until left"))
        await ready.chat(ask("hello"))
        done = json.loads((await ready.chat(ask("tell actions", purpose="call"))).text)

    assert set(done) == {"look at slots"}
    assert len(done) >= 3


async def test_no_request_reaches_a_slot_that_is_at_work(ready: BundledModel) -> None:
    hanging = asyncio.create_task(ready.chat(ask("hang", purpose="call")))
    async with asyncio.timeout(5):
        await ready.chat(ask("wait until hanging"))
        waiting = asyncio.create_task(ready.chat(ask("hello", purpose="closing")))  # the slot of calls
        await ready.chat(ask("hello"))
        assert not waiting.done()
        hanging.cancel()
        assert json.loads((await waiting).text)["id_slot"] == 1
        assert "spoil 1" not in await actions_of(ready)


async def test_a_request_that_is_cancelled_on_its_way_begins_before_the_next_one_is_sent(
    ready: BundledModel,
) -> None:
    late = asyncio.create_task(ready.chat(ask("begin late", purpose="call")))
    async with asyncio.timeout(5):
        await ready.chat(ask("wait until hanging"))
        late.cancel()
        with pytest.raises(asyncio.CancelledError):
            await late
        waiting = asyncio.create_task(ready.chat(ask("hello", purpose="call")))
        await ready.chat(ask("let begin"))
        await waiting
        assert "spoil 1" not in await actions_of(ready)


async def test_an_answer_that_repeats_itself_without_end_is_cut(ready: BundledModel) -> None:
    async with asyncio.timeout(5):
        answer = await ready.chat(ask("get stuck"))
        assert (await ready.chat(ask("wait until left"))).text == "left"

    assert answer.text.startswith("So ¡¡")
    assert len(answer.text) < 250
    assert answer.is_truncated


async def test_a_server_that_dies_in_an_answer_is_started_again(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    async with bench.running() as model:
        await until(model, "ready")
        before = (await config_of(model))["pid"]

        error = await refusal(model, "crash")
        assert (type(error), error.code) == (Transient, "llm_crashed")
        assert await bench.clock.next_wait() == 1
        assert (await refusal(model)).code == "model_loading"
        bench.clock.end_wait()

        await until(model, "ready")
        assert (await config_of(model))["pid"] != before


async def test_a_server_that_is_killed_is_started_again_with_another_key(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    async with bench.running() as model:
        await until(model, "ready")
        before = await config_of(model)

        os.kill(before["pid"], signal.SIGKILL)
        await bench.clock.next_wait()
        bench.clock.end_wait()

        await until(model, "ready")
        after = await config_of(model)
    assert after["pid"] != before["pid"]
    assert after["api_key"] != before["api_key"]


@pytest.mark.parametrize("start", ["dies", "unloadable", "babbles"])
async def test_a_crash_loop_backs_off_and_shows(tmp_path: Path, start: Start) -> None:
    bench = Bench(tmp_path, start)
    async with bench.running() as model:
        waits = []
        for _ in range(7):
            waits.append(await bench.clock.next_wait())
            state = await model.state()
            bench.clock.end_wait()
        assert waits == [1, 2, 4, 8, 16, 30, 30]
        assert state.state == "unavailable"
        assert state.detail
        error = await refusal(model)
        assert (type(error), error.code) == (Transient, "llm_crashed")


async def test_a_server_that_lived_long_starts_its_back_off_anew(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    async with bench.running() as model:
        waits = []
        for lived_s in (0, 0, 61):
            await until(model, "ready")
            pid = (await config_of(model))["pid"]
            bench.clock.time += lived_s
            os.kill(pid, signal.SIGKILL)
            waits.append(await bench.clock.next_wait())
            bench.clock.end_wait()
            await until(model, "loading")
    assert waits == [1, 2, 1]


async def test_a_missing_package_is_the_operators_to_fix(tmp_path: Path) -> None:
    bench = Bench(tmp_path, "not_installed")
    async with bench.running() as model:
        await bench.clock.next_wait()
        error = await refusal(model)

        assert (type(error), error.code) == (Permanent, "llm_model_missing")
        assert "xllamacpp" in (await model.state()).detail


async def test_a_command_that_does_not_exist_is_named(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    settings = BundledSettings(NAME, bench.log_path, command=("no-such-server",))
    bench.model = BundledModel(own_file(bench.file), settings, clock=bench.clock)
    async with bench.running() as model:
        await bench.clock.next_wait()
        assert "no-such-server" in (await model.state()).detail


async def test_while_the_model_is_fetched_calls_are_told_how_far_it_is(tmp_path: Path) -> None:
    go_on = asyncio.Event()

    async def slow(on_progress: OnProgress) -> Path:
        on_progress(430, 1000)
        await go_on.wait()
        return tmp_path / NAME

    async with Bench(tmp_path, source=slow).running() as model:
        assert (await until(model, "fetching")).progress == 0.43
        error = await refusal(model)
        assert isinstance(error, NotReady)
        assert (error.code, error.progress) == ("model_fetching", 0.43)
        go_on.set()
        await until(model, "ready")


async def test_a_model_that_cannot_be_fetched_is_said_and_asked_for_again(tmp_path: Path) -> None:
    failures = [Permanent("model_unfetchable", "no network"), Permanent("model_checksum", "damaged")]

    async def flaky(on_progress: OnProgress) -> Path:
        if failures:
            raise failures.pop(0)
        return tmp_path / NAME

    bench = Bench(tmp_path, source=flaky)
    async with bench.running() as model:
        assert await bench.clock.next_wait() == 60
        error = await refusal(model)
        assert (type(error), error.code, error.detail) == (Permanent, "llm_model_missing", "no network")
        assert await model.state() == ModelState(NAME, "unavailable", "no network")
        bench.clock.end_wait()

        assert await bench.clock.next_wait() == 86_400
        bench.clock.end_wait()
        await until(model, "ready")


async def test_a_model_file_of_ones_own_that_is_missing_names_the_setting(tmp_path: Path) -> None:
    with pytest.raises(Permanent, match="LLM_MODEL_PATH"):
        await own_file(tmp_path / "none.gguf")(lambda done, total: None)


@pytest.mark.parametrize("start", ["well", "deaf"])
async def test_stopping_leaves_no_process_behind(tmp_path: Path, start: Start) -> None:
    bench = Bench(tmp_path, start)
    bench.model = BundledModel(
        own_file(bench.file),
        BundledSettings(NAME, bench.log_path, command=fake_server(start), stop_grace_s=0.1),
        clock=bench.clock,
    )
    async with bench.running() as model:
        await until(model, "ready")
        pid = (await config_of(model))["pid"]

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert (await refusal(bench.model)).code == "model_loading"


async def test_what_the_server_prints_goes_to_its_log(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    script = "import sys; sys.stderr.write('no memory'); sys.exit(1)"
    settings = BundledSettings(NAME, bench.log_path, command=(sys.executable, "-c", script))
    bench.log_path.parent.mkdir()
    bench.log_path.write_bytes(bytes(1_000_001))
    bench.model = BundledModel(own_file(bench.file), settings, clock=bench.clock)
    async with bench.running():
        await bench.clock.next_wait()

    assert bench.log_path.read_text() == "no memory"


@given(text=st.text(max_size=80), cuts=st.lists(st.integers(0, 80), max_size=6))
def test_an_answer_is_the_sum_of_its_pieces(text: str, cuts: list[int]) -> None:
    stream = AnswerStream()
    edges = [0, *sorted(cuts), len(text)]
    for start, end in pairwise(edges):
        delta = {"choices": [{"index": 0, "delta": {"content": text[start:end]}}]}
        stream.feed(f"data: {json.dumps(delta, ensure_ascii=False)}")
        stream.feed("")
    stream.feed("data: [DONE]")

    assert stream.is_complete
    assert stream.response().text == text


@given(line=st.text(max_size=60) | st.binary(max_size=40).map(lambda data: f"data: {data!r}"))
def test_whatever_a_server_sends_only_named_errors_come_out(line: str) -> None:
    with suppress(AppError):
        AnswerStream().feed(line)


async def test_the_real_server_says_in_one_line_why_it_cannot_serve(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *BundledSettings(NAME, tmp_path / "log").command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    config = llamacpp_server.ServerConfig(str(tmp_path / "none.gguf"), NAME, 512, 1, "key")
    assert process.stdin
    assert process.stdout
    async with asyncio.timeout(20):
        process.stdin.write(json.dumps(asdict(config)).encode() + b"\n")
        await process.stdin.drain()
        # Its input is still open here: the end of it would end the process before it can say anything.
        said = await process.stdout.read()
        status = await process.wait()
    process.stdin.close()

    (line,) = said.splitlines()
    expected, word = (4, "cannot be loaded") if llamacpp_server.IS_INSTALLED else (3, "xllamacpp")
    assert status == expected
    assert word in json.loads(line)["error"]


@pytest.fixture
async def real(tmp_path: Path) -> AsyncIterator[BundledModel]:
    """The real server over the real model, whose file WASAP_TEST_MODEL names."""
    path = os.environ.get("WASAP_TEST_MODEL")
    if not path:
        pytest.skip("WASAP_TEST_MODEL does not name a GGUF file")
    settings = BundledSettings(NAME, tmp_path / "llamacpp.log", context_tokens=4096)
    model = BundledModel(own_file(Path(path)), settings, clock=SystemClock())
    run = asyncio.create_task(model.run())
    await until(model, "ready", timeout_s=120)
    yield model
    run.cancel()
    with suppress(asyncio.CancelledError):
        await run


@pytest.mark.live
async def test_the_real_model_answers_and_reads_only_what_is_new(real: BundledModel) -> None:
    first = ask("What is 2+2? Answer with the number only.", temperature=0.0, max_tokens=8)
    answer = await real.chat(first)
    assert answer.text.strip() == "4"

    said = (ChatMessage("assistant", answer.text), ChatMessage("user", "And times 3? Number only."))
    await real.chat(ask("A short call in between.", purpose="short", max_tokens=4))
    later = await real.chat(replace(first, messages=(*first.messages, *said)))

    assert later.usage.cached_tokens >= answer.usage.prompt_tokens
    assert later.usage.prompt_tokens - later.usage.cached_tokens < 30


@pytest.mark.live
async def test_a_short_call_does_not_wait_until_a_long_prompt_is_read(real: BundledModel) -> None:
    reading = asyncio.create_task(real.chat(ask("tree " * 3500, max_tokens=1)))

    await real.chat(ask("Say hi.", purpose="short", max_tokens=3))

    assert not reading.done()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading


@pytest.mark.live
async def test_the_real_model_keeps_to_a_schema(real: BundledModel) -> None:
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "kind": {"const": "weather"}},
        "required": ["city", "kind"],
    }

    answer = await real.chat(ask("Weather in Lima?", response_schema=schema, purpose="short", max_tokens=60))

    assert json.loads(answer.text)["kind"] == "weather"


@pytest.mark.live
async def test_the_real_model_refuses_a_prompt_that_is_too_long(real: BundledModel) -> None:
    assert (await refusal(real, "word " * 5000)).code == "llm_prompt_too_long"


@pytest.mark.live
@pytest.mark.parametrize(
    "prompt", ["Count from 1 to 900, one number per line.", "tree " * 3500], ids=["writing", "reading"]
)
async def test_cancelling_frees_the_slot_of_the_real_model(real: BundledModel, prompt: str) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1.5):
            await real.chat(ask(prompt))

    async with asyncio.timeout(6):
        assert (await real.chat(ask("Say hi.", max_tokens=4))).text


@pytest.mark.live
async def test_the_real_server_that_is_killed_comes_back(real: BundledModel, tmp_path: Path) -> None:
    with capture_logs() as logs:
        os.kill(child_of_this_process("llamacpp_server"), signal.SIGKILL)
        await until(real, "loading")
        await until(real, "ready", timeout_s=60)

    assert [entry["event"] for entry in logs] == ["model.crashed", "model.loaded"]
    assert (await real.chat(ask("Say hi.", max_tokens=4))).text


@pytest.mark.live
async def test_the_real_server_ends_with_its_parent(tmp_path: Path) -> None:
    path = os.environ.get("WASAP_TEST_MODEL")
    if not path:
        pytest.skip("WASAP_TEST_MODEL does not name a GGUF file")
    command = BundledSettings(NAME, tmp_path / "log").command
    config = asdict(llamacpp_server.ServerConfig(path, NAME, 512, 1, "key"))
    middleman = await asyncio.create_subprocess_exec(
        sys.executable, "-c", MIDDLEMAN, json.dumps(config), *command, stdout=asyncio.subprocess.PIPE
    )
    assert middleman.stdout
    async with asyncio.timeout(60):
        server = os.pidfd_open(int(await middleman.stdout.readline()))
        middleman.kill()
        await middleman.wait()
        await asyncio.to_thread(select.select, [server], [], [])  # a pidfd is readable once its process ended
    os.close(server)


# Starts a server, says its process id once it serves, and waits to be killed.
MIDDLEMAN: Final = """
import subprocess, sys, threading
config, *command = sys.argv[1:]
server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
print(config, file=server.stdin, flush=True)
server.stdout.readline()
print(server.pid, flush=True)
threading.Event().wait()
"""


def child_of_this_process(word: str) -> int:
    """Find a child by a word of its command line."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return next(int(pid) for pid in children if word in Path(f"/proc/{pid}/cmdline").read_text())
