"""The gate: order, limits, time-outs, retries, and that no slot is ever lost."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from structlog.testing import capture_logs

from app.domain.chat import ChatMessage, ChatRequest, ChatResponse, ModelState, Purpose, Usage
from app.domain.errors import AppError, NotReady, OutcomeUnknown, Permanent, Transient
from app.domain.ports import ChatModel
from app.llm.gate import LimitedChatModel
from tests.fakes.llm import ScriptedChatModel, answer, last_user_text


class InstantClock:
    """Waits no time and remembers how long it should have."""

    def __init__(self) -> None:
        self.sleeps: list[float] = []

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC)

    def elapsed_s(self) -> float:
        return sum(self.sleeps)

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)


class Stage:
    """Answers one call at a time, when the test says so; tells how many run at once."""

    def __init__(self) -> None:
        self.running: list[str] = []
        self.most_at_once = 0
        self.order: list[str] = []
        self._doors: dict[str, asyncio.Event] = {}

    async def chat(self, request: ChatRequest) -> ChatResponse:
        text = last_user_text(request)
        self.order.append(text)
        self.running.append(text)
        self.most_at_once = max(self.most_at_once, len(self.running))
        try:
            await self._door(text).wait()
            return answer(text)
        finally:
            self.running.remove(text)

    async def state(self) -> ModelState:
        return ModelState("stage", "loading", progress=0.5)

    def let_out(self, text: str) -> None:
        self._door(text).set()

    def _door(self, text: str) -> asyncio.Event:
        return self._doors.setdefault(text, asyncio.Event())


def ask(text: str, purpose: Purpose = "turn") -> ChatRequest:
    return ChatRequest((ChatMessage("user", text),), purpose=purpose)


def make_gate(inner: ChatModel, clock: InstantClock | None = None, **limits: float) -> LimitedChatModel:
    return LimitedChatModel(
        inner,
        clock=clock or InstantClock(),
        max_concurrent=int(limits.get("max_concurrent", 1)),
        max_waiting=int(limits.get("max_waiting", 50)),
        timeout_s=limits.get("timeout_s", 60.0),
    )


async def settle() -> None:
    """Let every task run until it waits for something."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_calls_run_in_the_order_they_came() -> None:
    stage = Stage()
    gate = make_gate(stage)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        for name in "abcd":
            group.create_task(gate.chat(ask(name)))
            stage.let_out(name)

    assert stage.order == ["a", "b", "c", "d"]
    assert stage.most_at_once == 1


async def test_as_many_turns_run_at_once_as_there_are_slots() -> None:
    stage = Stage()
    gate = make_gate(stage, max_concurrent=2)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        for name in "abc":
            group.create_task(gate.chat(ask(name)))
        await settle()
        assert stage.running == ["a", "b"]

        stage.let_out("b")
        await settle()
        assert stage.running == ["a", "c"]
        stage.let_out("a")
        stage.let_out("c")


async def test_short_calls_neither_wait_for_turns_nor_for_more_than_one_another() -> None:
    stage = Stage()
    gate = make_gate(stage)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        for name in ("turn", "next turn"):
            group.create_task(gate.chat(ask(name)))
        for name in ("short", "next short"):
            group.create_task(gate.chat(ask(name, "short")))
        await settle()
        assert stage.running == ["turn", "short"]
        for name in ("turn", "next turn", "short", "next short"):
            stage.let_out(name)


async def test_a_full_queue_turns_newcomers_away_at_once() -> None:
    stage = Stage()
    gate = make_gate(stage, max_waiting=2)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        for name in "abc":
            group.create_task(gate.chat(ask(name)))
        await settle()

        with pytest.raises(Transient) as raised:
            await gate.chat(ask("d"))
        assert raised.value.code == "llm_busy"

        for name in "abc":
            stage.let_out(name)
    assert stage.order == ["a", "b", "c"]


async def test_a_cancelled_waiter_leaves_the_queue() -> None:
    stage = Stage()
    gate = make_gate(stage, max_waiting=1)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(gate.chat(ask("a")))
        waiter = group.create_task(gate.chat(ask("b")))
        await settle()
        waiter.cancel()
        await settle()

        heir = group.create_task(gate.chat(ask("c")))
        await settle()
        stage.let_out("a")
        stage.let_out("c")
    assert stage.order == ["a", "c"]
    assert heir.result().text == "c"


async def test_a_cancelled_call_ends_and_frees_its_slot() -> None:
    stage = Stage()
    gate = make_gate(stage)
    async with asyncio.timeout(5):
        running = asyncio.create_task(gate.chat(ask("a")))
        waiting = asyncio.create_task(gate.chat(ask("b")))
        await settle()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await settle()
        assert stage.running == ["b"]
        stage.let_out("b")
        assert (await waiting).text == "b"


async def test_no_slot_is_lost_whenever_the_cancel_comes() -> None:
    for steps in range(12):
        stage = Stage()
        gate = make_gate(stage)
        async with asyncio.timeout(5):
            tasks = [asyncio.create_task(gate.chat(ask(name))) for name in "ab"]
            for _ in range(steps):
                await asyncio.sleep(0)
            stage.let_out("a")
            tasks[1].cancel()
            await asyncio.sleep(0)
            tasks[0].cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            stage.let_out("c")
            assert (await gate.chat(ask("c"))).text == "c"


async def test_a_call_that_takes_too_long_is_stopped_before_the_next_one_starts() -> None:
    stage = Stage()
    gate = make_gate(stage, timeout_s=0.02)
    async with asyncio.timeout(5):
        with pytest.raises(Transient) as raised:
            await gate.chat(ask("a"))

    assert raised.value.code == "llm_timeout"
    assert stage.running == []
    assert stage.order == ["a"]
    stage.let_out("b")
    assert (await gate.chat(ask("b"))).text == "b"


async def test_waiting_for_a_slot_does_not_count_as_answering() -> None:
    stage = Stage()
    gate = make_gate(stage, timeout_s=0.05)
    async with asyncio.timeout(5):
        slow = asyncio.create_task(gate.chat(ask("a")))
        patient = asyncio.create_task(gate.chat(ask("b")))
        stage.let_out("b")

        with pytest.raises(Transient):
            await slow
        assert (await patient).text == "b"


async def test_what_time_may_fix_is_tried_up_to_three_times() -> None:
    clock = InstantClock()
    model = ScriptedChatModel(Transient("llm_unreachable"), Transient("llm_failed"), "por fin")

    with capture_logs() as logs:
        response = await make_gate(model, clock).chat(ask("hola"))

    assert response.text == "por fin"
    assert [(line["attempt"], line["code"]) for line in logs if line["event"] == "llm.retried"] == [
        (1, "llm_unreachable"),
        (2, "llm_failed"),
    ]
    assert len(clock.sleeps) == 2
    assert all(0 < seconds <= 2 for seconds in clock.sleeps)


async def test_the_last_of_three_failures_is_the_one_reported() -> None:
    last = Transient("llm_bad_answer", "third")
    model = ScriptedChatModel(Transient("llm_failed"), Transient("llm_failed"), last)

    with pytest.raises(Transient) as raised:
        await make_gate(model).chat(ask("hola"))

    assert raised.value is last
    assert len(model.requests) == 3


@pytest.mark.parametrize(
    "failure",
    [
        Transient("llm_timeout"),
        Transient("llm_busy"),
        Transient("llm_failed", retry_after_s=30),
        NotReady("model_loading", progress=0.5),
        OutcomeUnknown("llm_failed"),
        Permanent("llm_model_missing"),
        AssertionError("a bug"),
    ],
)
async def test_what_trying_again_cannot_fix_is_reported_at_once(failure: Exception) -> None:
    model = ScriptedChatModel(failure)

    with pytest.raises(type(failure)) as raised:
        await make_gate(model).chat(ask("hola"))

    assert raised.value is failure
    assert len(model.requests) == 1


async def test_a_failed_call_frees_its_slot() -> None:
    gate = make_gate(ScriptedChatModel(Permanent("llm_refused"), "hola"))

    with pytest.raises(AppError):
        await gate.chat(ask("a"))

    async with asyncio.timeout(5):
        assert (await gate.chat(ask("b"))).text == "hola"


async def test_an_empty_answer_is_asked_for_once_more() -> None:
    empty = ChatResponse(" \n", usage=Usage(10, 0, 1, 1))
    model = ScriptedChatModel(empty, ChatResponse("hola", usage=Usage(10, 9, 2, 1)))

    response = await make_gate(model).chat(ask("hola"))

    assert response == ChatResponse("hola", usage=Usage(20, 9, 3, 2))


async def test_a_second_empty_answer_is_handed_over() -> None:
    model = ScriptedChatModel("", "")

    assert (await make_gate(model).chat(ask("hola"))).text == ""
    assert len(model.requests) == 2


async def test_one_line_tells_what_a_call_cost() -> None:
    model = ScriptedChatModel(ChatResponse("hola", usage=Usage(100, 80, 7, 1)))

    with capture_logs() as logs:
        await make_gate(model).chat(ask("secret words", "short"))

    (line,) = [line for line in logs if line["event"] == "llm.called"]
    assert line["wait_ms"] >= 0
    assert line["duration_ms"] >= 0
    del line["wait_ms"], line["duration_ms"]
    assert line == {
        "event": "llm.called",
        "log_level": "debug",
        "purpose": "short",
        "waiting": 0,
        "prompt_tokens": 100,
        "cached_tokens": 80,
        "completion_tokens": 7,
    }


async def test_the_state_is_that_of_the_model_and_waits_for_nobody() -> None:
    stage = Stage()
    gate = make_gate(stage)
    async with asyncio.timeout(5):
        task = asyncio.create_task(gate.chat(ask("a")))
        await settle()
        assert await gate.state() == ModelState("stage", "loading", progress=0.5)
        stage.let_out("a")
        await task


async def test_of_those_who_wait_whoever_has_used_the_model_least_is_next() -> None:
    stage = Stage()
    gate = make_gate(stage)
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(gate.chat(replace(ask("ana's first"), asker="ana")))
        await settle()
        # A second of the model, without waiting for it: the loop's own clock is what is read.
        later = loop.time() + 1
        for asker, text in (("ana", "ana's second"), ("ana", "ana's third"), ("eva", "eva's first")):
            group.create_task(gate.chat(replace(ask(text), asker=asker)))
        await settle()
        while loop.time() < later:
            await asyncio.sleep(0)
        for text in ("ana's first", "eva's first", "ana's second", "ana's third"):
            stage.let_out(text)

    assert stage.order == ["ana's first", "eva's first", "ana's second", "ana's third"]


async def test_somebody_who_leaves_the_queue_leaves_no_gap() -> None:
    stage = Stage()
    gate = make_gate(stage)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(gate.chat(ask("first")))
        await settle()
        leaving = group.create_task(gate.chat(ask("leaving")))
        group.create_task(gate.chat(ask("last")))
        await settle()
        assert gate.waiting == 2
        leaving.cancel()
        await settle()
        assert gate.waiting == 1
        stage.let_out("first")
        stage.let_out("last")

    assert stage.order == ["first", "last"]
