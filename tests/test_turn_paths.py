"""The path of one message, as the simulator's drawer asks for it, after real turns."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.database.db import Database
from app.database.repositories.turn_paths import TurnPath, TurnPaths
from app.domain.chat import ChatResponse, ToolCall, Usage
from app.simulator import payloads
from tests.builders import ALICE, BOB
from tests.fakes.llm import ScriptedChatModel
from tests.harness import PEOPLE, AppUnderTest, running_app


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[AppUnderTest]:
    async with running_app(tmp_path, llm=ScriptedChatModel()) as running:
        running.llm.category = "math"
        yield running


async def path_of(app: AppUnderTest, person: str, message_id: str) -> TurnPath | None:
    async with Database.open(app.database) as db:
        return await TurnPaths(db).find(person, message_id)


async def test_a_finished_turn_shows_what_was_offered_used_spent_and_sent(app: AppUnderTest) -> None:
    call = ToolCall("call-1", "calculate", {"expression": "6*7"})
    app.llm.add(ChatResponse("", (call,), Usage(prompt_tokens=10, completion_tokens=5, calls=1)), "It is 42.")
    asked = await app.say(ALICE, "what is 6*7?")
    path = await path_of(app, ALICE, asked)

    assert path is not None
    assert (path.state, path.lane, path.kind, path.attempts, path.error) == ("done", "turn", "text", 1, None)
    assert path.finished_at is not None
    assert path.trace is not None
    assert path.trace.categories == ("math",)
    assert "calculate" in path.trace.offered
    assert [step.tool for step in path.trace.steps] == ["calculate"]
    assert path.trace.model_calls == 3
    [reply] = path.replies
    assert (reply.state, reply.delivery, reply.attempts, reply.error) == ("sent", "delivered", 1, None)
    assert reply.message_id == app.graph.sends[-1].id


async def test_a_message_that_needs_no_answer_has_a_path_without_trace_and_replies(app: AppUnderTest) -> None:
    receipt = await app.graph.receive(PEOPLE[ALICE], payloads.reaction("wamid.none", "👍"))
    await app.idle()
    path = await path_of(app, ALICE, receipt.id)

    assert path is not None
    assert (path.trace, path.replies) == (None, ())


async def test_nobody_sees_the_path_of_somebody_elses_message(app: AppUnderTest) -> None:
    app.llm.add("hello", "hello")
    asked = await app.say(ALICE, "hi")
    await app.say(BOB, "hi")

    assert await path_of(app, BOB, asked) is None
    assert await path_of(app, ALICE, "wamid.never") is None
