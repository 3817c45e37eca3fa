"""How a model asks for calls, and a person answers the questions about them."""

import asyncio
from collections.abc import Mapping

from app.domain.chat import ChatResponse, ToolCall, Usage
from app.simulator import payloads
from app.simulator.transcript import RecordedSend
from tests.harness import PEOPLE, WAIT_S, AppUnderTest


def calls(*named: tuple[str, Mapping[str, object]]) -> ChatResponse:
    """A model's answer that asks for these calls."""
    wanted = tuple(ToolCall(f"call-{n}", name, arguments) for n, (name, arguments) in enumerate(named))
    return ChatResponse("", wanted, Usage(prompt_tokens=10, completion_tokens=5, calls=1))


async def until_asked(app: AppUnderTest, person: str, number: int = 1) -> str:
    """Wait for the person's n-th approval question and return the id of its buttons, less the answer."""
    async with asyncio.timeout(WAIT_S):
        while len(asked := [s for s in app.graph.sends if is_question(s) and s.recipient == person]) < number:
            await asyncio.sleep(0)
    return button_of(asked[number - 1])


def is_question(send: RecordedSend) -> bool:
    return send.type == "interactive"


def button_of(question: RecordedSend) -> str:
    interactive = question.payload["interactive"]
    assert isinstance(interactive, dict)
    return str(interactive["action"]["buttons"][0]["reply"]["id"]).removesuffix(":y")  # type: ignore[index,call-overload]  # JSON


def titles_of(question: RecordedSend) -> list[str]:
    interactive = question.payload["interactive"]
    assert isinstance(interactive, dict)
    return [str(one["reply"]["title"]) for one in interactive["action"]["buttons"]]  # type: ignore[index,call-overload,union-attr]  # JSON


async def press(app: AppUnderTest, person: str, button: str) -> None:
    await app.graph.receive(PEOPLE[person], payloads.button_reply(button, "x"))


def results(app: AppUnderTest) -> list[str]:
    """What the model read of its calls, in the last prompt it was shown."""
    return [message.content for message in app.llm.requests[-1].messages if message.role == "tool"]
