"""The one door to the model: who waits, for how long, and what is tried again."""

import asyncio
from collections import deque
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
_HALF_LIFE_S: Final = 60.0
_GRAIN_S: Final = 0.5
_REMEMBERED: Final = 1_000
_MEASURED_CALLS: Final = 20
_NEVER_AGAIN: Final = frozenset({"llm_timeout", "llm_busy"})


class LimitedChatModel:
    """A `ChatModel` that lets few calls through at a time, in fair shares.

    Of those who wait, whoever has used the model least in the last minutes is next, and first come, first served
    among equals. "turn" calls share `max_concurrent` slots; "short" calls have `max_short` of their own. At most
    `max_waiting` calls of each purpose wait. `timeout_s` counts from getting the slot and covers all tries.
    """

    def __init__(
        self,
        inner: ChatModel,
        *,
        clock: Clock,
        max_concurrent: int = 1,
        max_short: int = 1,
        max_waiting: int = 50,
        timeout_s: float = 300.0,
    ) -> None:
        self._inner = inner
        self._clock = clock
        self._timeout_s = timeout_s
        used = _Used()
        self._turns = _Lane(max_concurrent, max_waiting, used)
        self._shorts = _Lane(max_short, max_waiting, used)
        self._last: deque[tuple[int, float]] = deque(maxlen=_MEASURED_CALLS)

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
        async with lane.slot(request.asker):
            began_at = now()
            try:
                async with asyncio.timeout(self._timeout_s) as deadline:
                    response = await self._answer(request)
            except TimeoutError as exc:
                if not deadline.expired():
                    raise
                raise Transient("llm_timeout", f"no answer within {self._timeout_s:g} s") from exc
            ended_at = now()
        if request.purpose == "turn":
            self._last.append((response.usage.completion_tokens, ended_at - began_at))
        log.debug(
            "llm.called",
            purpose=request.purpose,
            wait_ms=round((began_at - asked_at) * 1000),
            waiting=self.waiting,
            duration_ms=round((ended_at - began_at) * 1000),
            prompt_tokens=response.usage.prompt_tokens,
            cached_tokens=response.usage.cached_tokens,
            completion_tokens=response.usage.completion_tokens,
        )
        return response

    async def state(self) -> ModelState:
        """Tell what the inner model tells, and how many wait; never waits for a slot."""
        state = await self._inner.state()
        written, took_s = sum(tokens for tokens, _ in self._last), sum(seconds for _, seconds in self._last)
        return replace(
            state, waiting=state.waiting + self.waiting, written_per_s=written / took_s if took_s > 0 else None
        )

    @property
    def waiting(self) -> int:
        """How many calls have no slot yet."""
        return self._turns.waiting + self._shorts.waiting

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
    """A `ChatModel` that adds up the usage of all its calls; one for each turn, whose person is the `asker`."""

    def __init__(self, inner: ChatModel, asker: str = "") -> None:
        self._inner = inner
        self._asker = asker
        self.usage = Usage()

    async def chat(self, request: ChatRequest) -> ChatResponse:
        """Answer as the inner model does."""
        response = await self._inner.chat(replace(request, asker=self._asker))
        self.usage += response.usage
        return response

    async def state(self) -> ModelState:
        return await self._inner.state()


class _Used:
    """How many seconds of the model each person has used; after a minute half of them are forgotten."""

    def __init__(self) -> None:
        self._seconds: dict[str, tuple[float, float]] = {}

    def add(self, asker: str, seconds: float, now: float) -> None:
        self._seconds[asker] = (self.of(asker, now) + seconds, now)
        if len(self._seconds) > _REMEMBERED:
            self._seconds = {one: kept for one, kept in self._seconds.items() if self.of(one, now) >= _GRAIN_S}

    def of(self, asker: str, now: float) -> float:
        seconds, at = self._seconds.get(asker, (0.0, now))
        return float(seconds * 0.5 ** ((now - at) / _HALF_LIFE_S))


class _Lane:
    """Slots and the bounded queue in front of them."""

    def __init__(self, slots: int, max_waiting: int, used: _Used) -> None:
        self._free = slots
        self._queue: list[tuple[str, asyncio.Future[None]]] = []
        self._max_waiting = max_waiting
        self._used = used

    @property
    def waiting(self) -> int:
        return len(self._queue)

    @asynccontextmanager
    async def slot(self, asker: str) -> AsyncGenerator[None, None]:
        """Hold one slot, after everybody whose turn is before.

        Raises:
            Transient: `llm_busy`, the queue is full.
        """
        if self._free:
            self._free -= 1
        else:
            await self._wait(asker)
        now = asyncio.get_running_loop().time
        began_at = now()
        try:
            yield
        finally:
            self._used.add(asker, now() - began_at, now())
            self._give_back()

    async def _wait(self, asker: str) -> None:
        if len(self._queue) >= self._max_waiting:
            raise Transient("llm_busy", f"{len(self._queue)} calls are waiting already")
        place = (asker, asyncio.get_running_loop().create_future())
        self._queue.append(place)
        try:
            await place[1]
        except asyncio.CancelledError:
            if place in self._queue:
                self._queue.remove(place)
            else:
                self._give_back()
            raise

    def _give_back(self) -> None:
        if not self._queue:
            self._free += 1
            return
        now = asyncio.get_running_loop().time()
        # `min` takes the first among equals; fractions of a second are no difference between people.
        place = min(self._queue, key=lambda one: self._used.of(one[0], now) // _GRAIN_S)
        self._queue.remove(place)
        place[1].set_result(None)


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
