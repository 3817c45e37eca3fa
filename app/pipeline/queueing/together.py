"""Several processes that serve together: a person is one process's at a time, as long as anything of theirs runs.

Whoever holds the person's lease runs their turns, control rows and sends, so that order, questions and /cancel
work as in one process. New work is told to all; who has least to do takes it first. What a process leaves behind
that dies is found by the others, since the server frees its leases.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final

import structlog

from app.database.db import LOST, Leases
from app.domain.clock import first_of
from app.domain.errors import Transient
from app.domain.ids import UserId
from app.domain.ports import Clock
from app.jobs import beside
from app.pipeline.queueing.handover import Handover
from app.pipeline.queueing.roll import Roll
from app.pipeline.queueing.trial import Trial, pause_s
from app.pipeline.queueing.work import Here, NewWork

log = structlog.get_logger(__name__)

SWEEP_S: Final = 1.0
"""How soon what nobody was told of is found, and how often a process shows that it lives."""
RETRY_S: Final = 0.25
REGAIN_S: Final = 2.0
"""How long those who lost their leases with the server have to take them back, before others do."""
YIELD_S: Final = 0.03
"""How much longer a process waits before it takes a person, each time that all its places are taken."""
_CLOSE_S: Final = 5.0
_PERSON: Final = "person "
CHIEF: Final = "chief"
"""Who holds this name does what is done once for all."""
_JOBS: Final = "jobs"
_NOTICE: Final = "notice "


class Together:
    """A `Desk` beside others.

    `places` is how many turns the model answers at once; without any this process takes nobody, and only tells.
    """

    def __init__(
        self,
        here: Here,
        handover: Handover,
        roll: Roll,
        clock: Clock,
        *,
        wake_jobs: Callable[[], None],
        places: int,
    ) -> None:
        self._here = here
        self._roll = roll
        self._clock = clock
        self._handover = handover
        self._wake_jobs = wake_jobs
        self._places = places
        self._epoch = 0
        self._held: set[UserId] = set()
        self._over: set[UserId] = set()
        self._wanted: dict[UserId, float] = {}
        self._suspects: dict[UserId, int] = {}
        self._trial = Trial(clock)
        self._answering: dict[UserId, NewWork] = {}
        self._news = NewWork()
        self._notices: list[str] = []
        self._on_notice: Callable[[str], None] = lambda field: None
        self._has_jobs = False
        self._sweep_at_s: float = 0.0
        self._regain_until_s: float = 0.0
        self._woken, self._closed = asyncio.Event(), asyncio.Event()
        self._is_closing = self._is_full = False
        self.is_chief = False
        here.when_over(self._note_over)

    def begin(self, work: NewWork) -> None:
        """See `Desk`."""
        self._begin_here(work.of(self._held))
        self._news |= work.of(work.people - self._held)
        self._woken.set()

    def begin_jobs(self) -> None:
        """Have the background looked at by the process that has it."""
        if self.is_chief:
            self._wake_jobs()
        else:
            self._has_jobs = True
            self._woken.set()

    def when_noticed(self, call: Callable[[str], None]) -> None:
        """Have `call` called with what each notice is about that Meta gave any process."""
        self._on_notice = call

    def tell_notice(self, field: str) -> None:
        """Let all processes hear that Meta said something about that."""
        self._notices.append(field)
        self._woken.set()

    def hear(self, news: str) -> None:
        """Take in what a process told."""
        if news == LOST:
            # Others may take the people now: what they got is dropped here before anything else.
            self._sweep_at_s = 0.0
            self._woken.set()
        elif news == _JOBS:
            if self.is_chief:
                self._wake_jobs()
        elif news.startswith(_NOTICE):
            self._on_notice(news.removeprefix(_NOTICE))
        elif self._places:
            work = NewWork.decode(news)
            self._begin_here(work.of(self._held))
            self._want(work.people)

    @asynccontextmanager
    async def running(self, leases: Leases) -> AsyncIterator[None]:
        """Take part while the block runs; what is held at its end is given back."""
        async with beside(self._run(leases), "together"):
            try:
                yield
            finally:
                self._is_closing = True
                self._woken.set()
                with suppress(TimeoutError):
                    async with asyncio.timeout(_CLOSE_S):
                        await self._closed.wait()

    def _begin_here(self, work: NewWork) -> None:
        """Have work of people looked at whom this process holds; what may be an answer is read first."""
        for user_id in work.people:
            is_asking = user_id in work.turns and self._handover.is_waiting(user_id)
            if is_asking or user_id in self._answering:
                self._answering[user_id] = self._answering.get(user_id, NewWork()) | work.of({user_id})
                self._woken.set()
        self._over -= work.people
        self._here.begin(work.of(work.people - self._answering.keys()))

    def _note_over(self, user_id: UserId) -> None:
        if user_id in self._held:
            self._over.add(user_id)
            self._woken.set()

    def _want(self, people: Collection[UserId]) -> None:
        """Try to take these people, the sooner the fewer there are here."""
        load = len(self._at_work()) // self._places
        due_s = max(self._clock.elapsed_s() + load * YIELD_S, self._regain_until_s)
        for user_id in people:
            if user_id not in self._held and user_id != self._trial.person:
                later_s = pause_s(self._suspects[user_id]) if user_id in self._suspects else 0.0
                self._wanted.setdefault(user_id, due_s + later_s)
        self._woken.set()

    def _at_work(self) -> list[UserId]:
        """Return for whom something runs here; who is asked, or has to wait for a time, takes no place."""
        return [one for one in self._held if self._here.is_at_work(one) and not self._handover.is_waiting(one)]

    async def _run(self, leases: Leases) -> None:
        while True:
            self._woken.clear()
            try:
                await self._step(leases)
                if self._is_closing and not self._held and not self._news:
                    await self._roll.leave()
                    self._closed.set()
                delay_s = self._delay_s()
            except Transient as exc:
                log.warning("together.postponed", reason=exc.code)
                self.is_chief = False
                # The next step begins with what was lost.
                self._sweep_at_s, delay_s = 0.0, RETRY_S
            await first_of(self._woken.wait(), self._clock.sleep(delay_s))

    def _delay_s(self) -> float:
        due_s = self._sweep_at_s if self._is_full else min([self._sweep_at_s, *self._wanted.values()])
        return max(due_s - self._clock.elapsed_s(), 0.0)

    async def _step(self, leases: Leases) -> None:
        await self._keep(leases)
        await self._tell(leases)
        if self._places:
            await self._read_answers()
            await self._give_back(leases)
            await self._take(leases)

    async def _keep(self, leases: Leases) -> None:
        """Show that this process lives, take back what was lost with the connection, and look for work."""
        if self._clock.elapsed_s() < self._sweep_at_s and not self._is_closing:
            return
        can_lead = self._places and not self.is_chief and not self._is_closing
        taken = await leases.take([CHIEF] if can_lead else [])
        if leases.epoch != self._epoch:
            await self._take_back(leases)
        elif CHIEF in taken:
            self.is_chief = True
            self._wake_jobs()
            log.info("together.leads")
        if not self._roll.has_signed(leases):
            self._here.sign(await self._roll.sign(leases))
        if self.is_chief and self._clock.elapsed_s() >= self._regain_until_s:
            await self._roll.note_dead(leases)
        if self._places and not self._is_closing and self._clock.elapsed_s() >= self._regain_until_s:
            self._suspects = await self._roll.list_suspects()
            self._want(await self._handover.list_people())
        self._sweep_at_s = self._clock.elapsed_s() + SWEEP_S

    async def _take_back(self, leases: Leases) -> None:
        is_first, self._epoch = not self._epoch, leases.epoch
        self.is_chief = False
        self._trial.forget()
        await leases.give_back({CHIEF})
        if not is_first:
            self._regain_until_s = self._clock.elapsed_s() + REGAIN_S
        held = {_PERSON + user_id: user_id for user_id in self._held}
        kept = {held[name] for name in await leases.take(list(held))}
        lost = self._held - kept
        self._held = kept
        self._over -= lost
        self._here.drop(sorted(lost))
        # What was told meanwhile was not heard.
        for user_id in filter(self._handover.is_waiting, kept):
            self._answering.setdefault(user_id, NewWork())
        if held:
            log.warning("together.taken_back", kept=len(kept), lost=len(lost))

    async def _tell(self, leases: Leases) -> None:
        news, notices, has_jobs = self._news, self._notices, self._has_jobs
        if not news and not notices and not has_jobs:
            return
        # What comes in meanwhile is told the next time; where this fails, everybody finds it.
        self._news, self._notices, self._has_jobs = NewWork(), [], False
        told = [f"{_NOTICE}{field}" for field in dict.fromkeys(notices)]
        await leases.tell([*news.encode(), *told, *([_JOBS] if has_jobs else [])])

    async def _read_answers(self) -> None:
        while self._answering:
            user_id = next(iter(self._answering))
            await self._handover.read_again(user_id)
            self._here.begin(self._answering.pop(user_id) | NewWork(controls=frozenset({user_id})))

    async def _give_back(self, leases: Leases) -> None:
        over = {user_id for user_id in self._over if not self._here.is_busy(user_id)}
        self._over -= over
        if over:
            # First, so that work which comes meanwhile is told to everybody.
            self._held -= over
            await leases.give_back([_PERSON + user_id for user_id in over])

    async def _take(self, leases: Leases) -> None:
        """Take people that are wanted and free, up to twice as many as there are places: the next are at hand."""
        now_s = self._clock.elapsed_s()
        if self._is_closing or not self._here.is_open or now_s < self._regain_until_s:
            return
        due = [user_id for user_id, at_s in self._wanted.items() if at_s <= now_s]
        if await self._try([one for one in due if one in self._suspects], leases):
            self._is_full = True
            return
        room = 2 * self._places + 2 - len(self._at_work())
        self._is_full = room <= 0
        names = {_PERSON + user_id: user_id for user_id in due if user_id not in self._suspects}
        if not names or self._is_full:
            return
        taken = frozenset(names[name] for name in await leases.take(list(names), at_most=room))
        for user_id in taken if len(taken) == room else names.values():
            del self._wanted[user_id]
        await self._welcome(taken, leases)

    async def _try(self, suspects: Sequence[UserId], leases: Leases) -> bool:
        """Let what processes died with run alone; returns whether nobody else may be taken meanwhile."""
        trial, at_work = self._trial, self._at_work()
        person = trial.person
        if person is None:
            if not suspects:
                return False
            for user_id in suspects:
                self._wanted[user_id] = self._clock.elapsed_s() + RETRY_S
            person = await trial.choose(leases, suspects, _PERSON)
            if person is None:
                return False
            del self._wanted[person]
        elif trial.has_begun:
            if person in at_work:
                return True
            await trial.end(leases)
            return False
        if trial.may_begin(len(at_work)):
            trial.has_begun = True
            log.info("together.tried_alone", beside=len(at_work))
            await self._welcome(frozenset({person}), leases)
        return True

    async def _welcome(self, taken: frozenset[UserId], leases: Leases) -> None:
        """Begin with people that are held from now on; whose turn must run alone is let go again."""
        if leases.epoch != self._epoch:
            # Another connection, on which the rest must be taken back first.
            await leases.give_back([_PERSON + user_id for user_id in taken])
            self._sweep_at_s = 0.0
            return
        if not taken:
            return
        self._held |= taken
        await self._settle(taken)
        suspects = frozenset(one for one in taken if one in self._suspects and one != self._trial.person)
        if suspects:
            self._held -= suspects
            await leases.give_back([_PERSON + user_id for user_id in suspects])
            self._want(suspects)
        self._over |= taken - suspects
        self._here.begin(NewWork.all_of(taken - suspects))

    async def _settle(self, taken: frozenset[UserId]) -> None:
        """Put in order what was left half done; without that nothing of these people's may run."""
        try:
            if left := await self._handover.recover(taken):
                log.info("together.recovered", users=left)
                self._suspects = await self._roll.list_suspects()
        except Transient:
            self._over |= taken
            raise
