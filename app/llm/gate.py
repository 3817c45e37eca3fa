"""The one door to the model: who waits, for how long, and what is tried again."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

import structlog
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    stop_after_attempt,
    wait_exponential,
    wait_random,
)

from app.domain.chat import ChatRequest, ChatResponse, ModelState, Usage
from app.domain.errors import NotReady, OutcomeUnknown, Transient
from app.domain.ports import ChatModel, Clock

log = structlog.get_logger()

_MAX_TRIES: Final = 3
_FIRST_WAIT_S: Final = 0.25
_NEVER_AGAIN: Final = frozenset({"llm_timeout", "llm_busy"})


class LimitedChatModel:
    """A `ChatModel` that lets few calls through at a time, first come, first served.

    "turn" calls share `max_concurrent` slots; "short" calls have one of their own. At most `max_waiting`
    calls of each purpose wait. `timeout_s` counts from getting the slot and covers all tries.
    """

    def __init__(
        self,
        inner: ChatModel,
        *,
        clock: Clock,
        max_concurrent: int = 1,
        max_waiting: int = 50,
        timeout_s: float = 300.0,
    ) -> None:
        self._inner = inner
        self._clock = clock
        self._timeout_s = timeout_s
        self._turns = _Lane(max_concurrent, max_waiting)
        self._shorts = _Lane(1, max_waiting)

    async def chat(self, request: ChatRequest) -> ChatResponse:
        """Answer as the inner model does; what time may fix at once is tried up to three times.

        Not tried again: time-outs, a busy or loading model, and failures that name their own earliest
        retry. An empty answer is asked for once more. Usage is that of all answers together.

        Raises:
            Transient: `llm_busy` when too many wait, `llm_timeout`, and whatever the inner model raised last.
            NotReady, Permanent: as the inner model.
        """
        lane = self._shorts if request.purpose == "short" else self._turns
        now = asyncio.get_running_loop().time
        asked_at = now()
        async with lane.slot():
            began_at = now()
            try:
                async with asyncio.timeout(self._timeout_s) as deadline:
                    response = await self._answer(request)
            except TimeoutError as exc:
                if not deadline.expired():
                    raise
                raise Transient("llm_timeout", f"no answer within {self._timeout_s:g} s") from exc
            ended_at = now()
        log.debug(
            "llm.called",
            purpose=request.purpose,
            wait_ms=round((began_at - asked_at) * 1000),
            duration_ms=round((ended_at - began_at) * 1000),
            prompt_tokens=response.usage.prompt_tokens,
            cached_tokens=response.usage.cached_tokens,
            completion_tokens=response.usage.completion_tokens,
        )
        return response

    async def state(self) -> ModelState:
        """Tell what the inner model tells; never waits for a slot."""
        return await self._inner.state()

    async def _answer(self, request: ChatRequest) -> ChatResponse:
        first: ChatResponse = await self._tries()(self._inner.chat, request)
        if first.text.strip() or first.tool_calls:
            return first
        log.warning("llm.answer_empty", purpose=request.purpose, is_truncated=first.is_truncated)
        second: ChatResponse = await self._tries()(self._inner.chat, request)
        return replace(second, usage=first.usage + second.usage)

    def _tries(self) -> AsyncRetrying:
        return AsyncRetrying(
            stop=stop_after_attempt(_MAX_TRIES),
            wait=wait_exponential(multiplier=_FIRST_WAIT_S) + wait_random(0, _FIRST_WAIT_S),
            retry=retry_if_exception(_is_worth_another_try),
            sleep=self._clock.sleep,
            before_sleep=_log_retry,
            reraise=True,
        )


class MeteredModel:
    """A `ChatModel` that adds up the usage of all its calls; one for each turn."""

    def __init__(self, inner: ChatModel) -> None:
        self._inner = inner
        self.usage = Usage()

    async def chat(self, request: ChatRequest) -> ChatResponse:
        """Answer as the inner model does."""
        response = await self._inner.chat(request)
        self.usage += response.usage
        return response

    async def state(self) -> ModelState:
        return await self._inner.state()


class _Lane:
    """Slots and the bounded queue in front of them."""

    def __init__(self, slots: int, max_waiting: int) -> None:
        self._free = asyncio.Semaphore(slots)
        self._waiting = 0
        self._max_waiting = max_waiting

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[None, None]:
        """Hold one slot, after everybody who asked earlier.

        Raises:
            Transient: `llm_busy`, the queue is full.
        """
        if self._free.locked() and self._waiting >= self._max_waiting:
            raise Transient("llm_busy", f"{self._waiting} calls are waiting already")
        self._waiting += 1
        try:
            await self._free.acquire()
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._free.release()


def _is_worth_another_try(exc: BaseException) -> bool:
    return (
        isinstance(exc, Transient)
        and not isinstance(exc, NotReady | OutcomeUnknown)
        and exc.code not in _NEVER_AGAIN
        and exc.retry_after_s is None
    )


def _log_retry(state: RetryCallState) -> None:
    failure = state.outcome.exception() if state.outcome else None
    log.warning(
        "llm.retried",
        attempt=state.attempt_number,
        code=failure.code if isinstance(failure, Transient) else "",
    )
