"""A language model that says what the test wrote down."""

import asyncio
from collections import deque
from collections.abc import Callable

from app.domain.chat import ChatRequest, ChatResponse, ModelState, Usage
from app.pipeline.answering.builder import NOTE_OPENING

Line = ChatResponse | str | Exception | Callable[[ChatRequest], ChatResponse]


class ScriptedChatModel:
    """`ChatModel` that plays its lines in order and records what it was asked.

    A line is an answer, its text, an exception to raise, or a function of the request. When the lines are
    used up, `echo=True` answers "echo: <last user text>"; otherwise the call fails the test loudly, and is
    kept in `unexpected` in case somebody swallows the AssertionError.

    Short calls, which sort messages into categories, are answered with `category`, where it is set, and
    kept apart.
    `block()` holds the calls that come after it until `release()`; `started` is set by every call that
    begins. `cancelled` counts the calls that were cancelled while held.
    """

    def __init__(self, *lines: Line, echo: bool = False) -> None:
        self.requests: list[ChatRequest] = []
        self.short_requests: list[ChatRequest] = []
        self.category: str | None = None
        self.unexpected: list[ChatRequest] = []
        self.cancelled = 0
        self.started = asyncio.Event()
        self.model_state = ModelState(name="scripted", state="ready")
        self._lines = deque(lines)
        self._echo = echo
        self._open = asyncio.Event()
        self._open.set()

    @property
    def lines_left(self) -> int:
        return len(self._lines)

    def add(self, *lines: Line) -> None:
        self._lines.extend(lines)

    def drop_lines(self) -> None:
        self._lines.clear()

    def block(self) -> None:
        self.started.clear()
        self._open.clear()

    def release(self) -> None:
        self._open.set()

    async def chat(self, request: ChatRequest) -> ChatResponse:
        if request.purpose == "short" and self.category is not None:
            self.short_requests.append(request)
            return answer(self.category)
        self.requests.append(request)
        self.started.set()
        try:
            await self._open.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return self._play(request)

    async def state(self) -> ModelState:
        return self.model_state

    def _play(self, request: ChatRequest) -> ChatResponse:
        if not self._lines:
            if self._echo:
                return answer(f"echo: {last_user_text(request)}")
            self.unexpected.append(request)
            raise AssertionError(f"unexpected call number {len(self.requests)} of the model: {request!r}")
        line = self._lines.popleft()
        if isinstance(line, Exception):
            raise line
        if isinstance(line, str):
            return answer(line)
        return line if isinstance(line, ChatResponse) else line(request)


def answer(text: str) -> ChatResponse:
    """A plain answer of one call."""
    return ChatResponse(text=text, usage=Usage(prompt_tokens=10, completion_tokens=5, calls=1))


def last_user_text(request: ChatRequest) -> str:
    """The newest user message without what the application put beside it, or an empty text."""
    newest = next((m.content for m in reversed(request.messages) if m.role == "user"), "")
    return newest.partition(f"\n\n{NOTE_OPENING}")[0]
