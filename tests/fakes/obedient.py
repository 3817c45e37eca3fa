"""A language model that does, for each message, what the test wrote down for it, and then says what came back."""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.domain.chat import ChatMessage, ChatRequest, ChatResponse, ModelState, ToolCall, Usage
from app.llm.prompts import load_prompt
from app.pipeline.answering.builder import NOTE_OPENING

Calls = tuple[tuple[str, Mapping[str, object]], ...]

_LABEL: Final = re.compile(r"\[(\d+)\]")
_USAGE: Final = Usage(prompt_tokens=10, completion_tokens=5, calls=1)


@dataclass(frozen=True, slots=True)
class Plan:
    """What the model makes of a message: the category it is sorted into, and the calls of each round."""

    category: str = "none"
    rounds: tuple[Calls, ...] = ()


class ObedientModel:
    """`ChatModel` that finds its plan by the label, a number in brackets, that stands in each message.

    `requests` are the prompts of turns, by the label of their newest message; `side_requests` are all others:
    sorting, summaries, titles, extraction. Each call lets others run before it answers. Extraction finds nothing
    that its patterns did not find, a summary is `summary`, and a title the same for everybody.
    """

    def __init__(self, *, summary: str = "They talked about this and that, and about how the days go by.") -> None:
        self.plans: dict[int, Plan] = {}
        self.requests: list[tuple[int, ChatRequest]] = []
        self.side_requests: list[ChatRequest] = []
        self.summary = summary

    async def chat(self, request: ChatRequest) -> ChatResponse:
        await asyncio.sleep(0)
        if request.purpose == "short":
            self.side_requests.append(request)
            return ChatResponse(self._aside(request), usage=_USAGE)
        newest = max(at for at, one in enumerate(request.messages) if one.role == "user")
        label = _label_in(request.messages[newest].content)
        self.requests.append((label, request))
        return self._play(self.plans.get(label, Plan()), request.messages[newest + 1 :])

    async def state(self) -> ModelState:
        return ModelState(name="obedient", state="ready")

    def _aside(self, request: ChatRequest) -> str:
        system = request.messages[0].content
        if system == load_prompt("app.memory", "summarize"):
            return self.summary
        if system == load_prompt("app.memory", "title"):
            return "What we talked about"
        if system == load_prompt("app.memory", "extract"):
            return json.dumps({"facts": [], "events": []})
        return self.plans.get(_label_in(request.messages[-1].content), Plan()).category

    @staticmethod
    def _play(plan: Plan, since: tuple[ChatMessage, ...]) -> ChatResponse:
        done = sum(bool(one.tool_calls) for one in since)
        if done < len(plan.rounds):
            calls = tuple(
                ToolCall(f"call-{done}-{n}", name, arguments)
                for n, (name, arguments) in enumerate(plan.rounds[done])
            )
            return ChatResponse("", calls, _USAGE)
        results = [one.content for one in since if one.role == "tool"]
        return ChatResponse(" / ".join(results) or "All right.", usage=_USAGE)


def labelled(text: str, label: int) -> str:
    """Return the message by which the model finds its plan."""
    return f"{text} [{label}]"


def _label_in(text: str) -> int:
    """Return the last label in what the person wrote; 0 where there is none."""
    found = _LABEL.findall(text.partition(NOTE_OPENING)[0])
    return int(found[-1]) if found else 0
