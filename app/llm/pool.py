"""Several servers of one model as one: who is asked, who rests, and what happens when one dies or hangs."""

import asyncio
import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import structlog

from app.domain.backoff import growing_delay_s
from app.domain.chat import ChatRequest, ChatResponse, ModelState
from app.domain.errors import AppError, NotReady, Permanent, Transient
from app.domain.ports import ChatModel, Clock

log = structlog.get_logger()

_FIRST_REST_S: Final = 1.0
_LONGEST_REST_S: Final = 60.0
_PROBE_S: Final = 5.0
# A person's own server holds their conversation in its cache: reading it anew elsewhere costs more than waiting as
# long again as the least busy one would take.
_FAVOUR: Final = 2.0
_QUICK_S: Final = 1.0
_PATIENCE: Final = 3.0
_NEWEST: Final = 0.3
_FORGETTING: Final = 0.02
_SAME_EVERYWHERE: Final = frozenset({"llm_prompt_too_long"})
_OF_THE_REQUEST: Final = frozenset({"llm_prompt_too_long", "llm_refused"})


@dataclass(slots=True)
class _Member:
    """One server: how busy, how fast, how well. `is_doubtful` since a failure, until an answer or a good state."""

    name: str
    model: ChatModel
    running: int = 0
    answered: int = 0
    seconds: float = _QUICK_S
    failures: int = 0
    is_doubtful: bool = False
    rests_until: float | None = None

    @property
    def busyness(self) -> float:
        """How long a call more would take here; what is quick is not told apart."""
        return (self.running + 1) * max(self.seconds, _QUICK_S)


class ModelPool:
    """A `ChatModel` over several others that are interchangeable.

    Each call goes to the person's own server while that is about as little busy as any, else to the least busy
    one. One that fails rests, and its call goes on elsewhere. One that has not answered after `patience_s`, or
    three times what it takes else, is raced by a free one, and rests if it loses. At most `per_server` calls run
    on each; others wait for a place.
    """

    def __init__(
        self, members: Mapping[str, ChatModel], *, clock: Clock, per_server: int = 2, patience_s: float = 20.0
    ) -> None:
        self._members = [_Member(name, model) for name, model in members.items()]
        self._clock = clock
        self._per_server = per_server
        self._patience_s = patience_s
        self._waiting = 0
        self._changed = asyncio.Event()

    @property
    def shares(self) -> Mapping[str, int]:
        """How many calls each server answered."""
        return {member.name: member.answered for member in self._members}

    async def chat(self, request: ChatRequest) -> ChatResponse:
        """Answer as whichever server does so first.

        Raises:
            NotReady, Transient, Permanent: what the servers raised, when each of them failed. A prompt that is too
                long is so everywhere, and raised at once.
        """
        untried = list(self._members)
        calls: dict[asyncio.Task[ChatResponse], _Member] = {}
        failures: list[AppError] = []
        try:
            while untried or calls:
                member = self._choose(request.asker, untried, is_race=bool(calls))
                if member is not None:
                    untried.remove(member)
                    calls[self._start(member, request)] = member
                for call in await self._next_event(calls, is_more_possible=bool(untried)):
                    failed = calls.pop(call)
                    if (failure := call.exception()) is None:
                        self._note_losers(calls.values(), winner=failed)
                        return call.result()
                    if not isinstance(failure, AppError) or failure.code in _SAME_EVERYWHERE:
                        raise failure
                    failures.append(failure)
            raise _gravest(failures)
        finally:
            await _end(calls)

    async def state(self) -> ModelState:
        """Ready when one of them is; `detail` tells of the others, and of the shares."""
        states = await asyncio.gather(*(member.model.state() for member in self._members))
        ready = [state for state in states if state.state == "ready"]
        best = ready[0] if ready else next((one for one in states if one.state != "unavailable"), states[0])
        told = [f"{len(ready)} of {len(states)} servers answer"]
        told += [
            f"{member.name}: {state.detail or state.state}"
            for member, state in zip(self._members, states, strict=True)
            if state.state != "ready"
        ]
        if total := sum(self.shares.values()):
            shares = (f"{member.name} {100 * member.answered // total} %" for member in self._members)
            told.append(f"answered: {', '.join(shares)}")
        return ModelState(best.name, best.state, "; ".join(told), best.progress, waiting=self._waiting)

    async def watch(self) -> None:
        """Ask those that failed, once they have rested, how they are; ends only when cancelled."""
        while True:
            await self._clock.sleep(_PROBE_S)
            for member in self._members:
                if member.is_doubtful and not self._rests(member):
                    state = await member.model.state()
                    member.is_doubtful = state.state != "ready"
                    if member.is_doubtful:
                        self._rest(member, state.detail)
                    self._tell()

    def _choose(self, asker: str, untried: Sequence[_Member], *, is_race: bool) -> _Member | None:
        """The server for a call, or None when all that may take it are full.

        A race is for sound servers only. When none is sound, the one that has rested longest is asked.
        """
        free = [member for member in untried if member.running < self._per_server]
        sound = [member for member in free if not member.is_doubtful]
        if sound:
            return self._nearest(asker, sound)
        if is_race or any(not member.is_doubtful for member in untried):
            return None
        return min(free, key=lambda member: member.rests_until or self._clock.elapsed_s(), default=None)

    def _nearest(self, asker: str, sound: Sequence[_Member]) -> _Member:
        least_busy = min(sound, key=lambda member: (member.busyness, member.answered))
        if not asker:
            return least_busy
        own = max(sound, key=lambda member: _affinity(asker, member.name))
        return own if own.busyness <= _FAVOUR * least_busy.busyness else least_busy

    def _start(self, member: _Member, request: ChatRequest) -> asyncio.Task[ChatResponse]:
        """Take a place on a server at once, and give it back however the call ends."""

        def leave(call: asyncio.Task[ChatResponse]) -> None:
            member.running -= 1
            self._tell()

        member.running += 1
        call = asyncio.create_task(self._ask(member, request))
        call.add_done_callback(leave)
        return call

    async def _ask(self, member: _Member, request: ChatRequest) -> ChatResponse:
        now = asyncio.get_running_loop().time
        began_at = now()
        try:
            response = await member.model.chat(request)
        except AppError as exc:
            if exc.code not in _OF_THE_REQUEST:
                self._rest(member, exc.code, at_least_s=getattr(exc, "retry_after_s", None) or 0.0)
            raise
        self._note_answer(member, now() - began_at)
        return response

    async def _next_event(
        self, calls: Mapping[asyncio.Task[ChatResponse], _Member], *, is_more_possible: bool
    ) -> set[asyncio.Task[ChatResponse]]:
        """Wait for an answer; while another server could be asked, also for patience to end or a free place."""
        others: set[asyncio.Task[None] | asyncio.Task[Literal[True]]] = set()
        if is_more_possible and calls:
            longest_s = max(_PATIENCE * member.seconds for member in calls.values())
            others.add(asyncio.create_task(self._clock.sleep(max(self._patience_s, longest_s))))
        elif is_more_possible:
            others.add(asyncio.create_task(self._changed.wait()))
        self._waiting += not calls
        try:
            await asyncio.wait({*calls, *others}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._waiting -= not calls
            await _end(others)
        return {call for call in calls if call.done()}

    def _note_answer(self, member: _Member, seconds: float) -> None:
        member.answered += 1
        member.failures = 0
        member.is_doubtful = False
        member.rests_until = None
        member.seconds += _NEWEST * (seconds - member.seconds)
        # What was slow once gets another chance, little by little.
        fastest = min(one.seconds for one in self._members)
        for other in self._members:
            other.seconds += _FORGETTING * (fastest - other.seconds)

    def _note_losers(self, losers: Collection[_Member], *, winner: _Member) -> None:
        for loser in losers:
            log.warning("llm.server_outrun", server=loser.name, by=winner.name)
            self._rest(loser, "outrun")

    def _rest(self, member: _Member, reason: str, *, at_least_s: float = 0.0) -> None:
        member.failures += 1
        rest_s = growing_delay_s(member.failures, first_s=_FIRST_REST_S, longest_s=_LONGEST_REST_S)
        member.is_doubtful = True
        member.rests_until = self._clock.elapsed_s() + max(rest_s, at_least_s)
        log.warning("llm.server_rests", server=member.name, reason=reason, failures=member.failures)

    def _rests(self, member: _Member) -> bool:
        return member.rests_until is not None and self._clock.elapsed_s() < member.rests_until

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def _affinity(asker: str, server: str) -> bytes:
    """Highest for a person's own server: stable across restarts and processes, and spread evenly over people."""
    return hashlib.blake2b(f"{asker}\n{server}".encode(), digest_size=8).digest()


def _gravest(failures: Sequence[AppError]) -> AppError:
    """What to tell when all failed: what time can fix, if any of it is; a model that is coming first of all."""
    for kind in (NotReady, Transient, Permanent):
        for failure in failures:
            if isinstance(failure, kind):
                return failure
    return Transient("llm_unreachable", "there is no server")


async def _end(tasks: Collection[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    # Also takes note of their failures, which nobody needs any more.
    await asyncio.gather(*tasks, return_exceptions=True)
