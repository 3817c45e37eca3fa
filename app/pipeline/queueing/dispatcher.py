"""From stored messages to running turns: one lane per user, control rows beside it."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from math import inf
from typing import Final, Protocol

import structlog

from app.database.repositories.inbox import TAKEN, Claim, PendingRow
from app.database.repository import Repository
from app.domain.backoff import growing_delay_s
from app.domain.errors import Conflict, NotReady, Transient
from app.domain.ids import InboxId, TurnId, UserId
from app.domain.inbound import Edit, Lane
from app.domain.ports import Clock
from app.log import user_tag
from app.pipeline.queueing.lanes import AGAIN, Lanes, RushHour
from app.pipeline.queueing.presence import Presence
from app.pipeline.queueing.waits import Waits

log = structlog.get_logger(__name__)

MAX_ATTEMPTS: Final = 3
_NOT_SEEN: Final = frozenset({"change", "system", "clock"})
"""Purposes of rows that are no message which a person waits to see read."""
MAX_MERGED: Final = 20
"""How many messages one turn may hold."""


class Handler(Protocol):
    async def handle(self, claim: Claim) -> frozenset[UserId]:
        """Run a turn or a control row and commit it; returns whose lanes may have new work."""
        ...

    async def explain_wait(self, claim: Claim, reason: NotReady) -> None:
        """Tell the user, once for each turn, that the answer will come later."""
        ...

    async def give_up(self, user_id: UserId, turn_id: TurnId, error: str, *, claim_id: str = "") -> None:
        """Close a turn that failed for good, with an honest sentence."""
        ...


@dataclass(frozen=True, slots=True)
class Take:
    turn_id: TurnId
    ids: tuple[InboxId, ...]


@dataclass(frozen=True, slots=True)
class Wait:
    seconds: float


def plan_turn(
    rows: Sequence[PendingRow], now: datetime, debounce: timedelta, *, delay_s: float = 0.0
) -> Take | Wait | None:
    """Decide what a user's lane does next; `rows` are pending, in the order in which they were sent.

    `delay_s` is how long the first of them has to wait. Where the clock was set back, nothing more is waited for.
    A retried turn is taken again as it was. Texts that came within `debounce` of one another become one
    turn, which begins when no more can join: the pause is over, or something follows that cannot merge.
    """
    if not rows:
        return None
    head = rows[0]
    if delay_s > 0:
        return Wait(delay_s)
    if head.turn_id is not None:
        return Take(head.turn_id, tuple(row.id for row in rows if row.turn_id == head.turn_id))
    joined = _rapid_rows(rows, debounce)
    is_open = len(joined) == len(rows) and len(joined) < MAX_MERGED and head.is_mergeable
    pause_s = (joined[-1].received_at + debounce - now).total_seconds()
    if is_open and 0 < pause_s <= debounce.total_seconds():
        return Wait(pause_s)
    return Take(TurnId(head.id), tuple(row.id for row in joined))


def _rapid_rows(rows: Sequence[PendingRow], debounce: timedelta) -> list[PendingRow]:
    joined = [rows[0]]
    for row in rows[1:MAX_MERGED]:
        previous = joined[-1]
        is_rapid = abs(row.received_at - previous.received_at) < debounce
        if not (previous.is_mergeable and row.is_mergeable and is_rapid) or row.turn_id is not None:
            break
        joined.append(row)
    return joined


def _task_name(turn_id: TurnId) -> str:
    return f"turn:{turn_id}"


def _left_s(waits: Waits, user_id: UserId, row: PendingRow) -> float:
    return waits.left_s(user_id, row.id, since=row.received_at, until=row.available_at)


class Dispatcher:
    """Owns the lanes and the turns that run in them."""

    def __init__(
        self,
        repository: Repository,
        presence: Presence,
        clock: Clock,
        rush: RushHour,
        *,
        debounce: timedelta,
    ) -> None:
        self._repository = repository
        self._handler: Handler
        self._presence = presence
        self._clock = clock
        self._debounce = debounce
        self._process_id: str | None = None
        self._turns: dict[UserId, asyncio.Task[bool]] = {}
        self._dropped: set[UserId] = set()
        self._unwritten: dict[tuple[UserId, Lane], Callable[[], Awaitable[None]]] = {}
        self._found: Callable[[frozenset[UserId]], None] = self.notify
        self._waits, self._control_waits = Waits(clock), Waits(clock)
        self._lanes = Lanes("turns", self._next_turn, clock, rush)
        self._control_lanes = Lanes("control", self._next_control, clock)

    def serve(self, handler: Handler) -> None:
        """Have turns run by it; call once, before anything begins."""
        self._handler = handler

    def sign(self, process_id: str) -> None:
        """Mark what is taken from now on with the name of this process."""
        self._process_id = process_id

    def when_idle(self, call: Callable[[], None]) -> None:
        """Have `call` called whenever no turn is left."""
        self._lanes.when_idle(call)

    def when_over(self, call: Callable[[UserId], None]) -> None:
        """Have `call` called whenever a lane ends."""
        self._lanes.when_over(call)
        self._control_lanes.when_over(call)

    def when_found(self, call: Callable[[frozenset[UserId]], None]) -> None:
        """Have `call` called, instead of `notify`, with those for whom a turn may have left work."""
        self._found = call

    def is_busy(self, user_id: UserId) -> bool:
        """Tell whether anything of that user's runs or waits for a time."""
        return self._lanes.is_busy(user_id) or self._control_lanes.is_busy(user_id)

    def is_at_work(self, user_id: UserId) -> bool:
        """Tell whether anything of that user's runs now."""
        return self._lanes.is_at_work(user_id) or self._control_lanes.is_at_work(user_id)

    def drop(self, user_ids: Iterable[UserId]) -> None:
        """Stop what runs for these users, and leave its rows as they are: another process takes them up."""
        for user_id in user_ids:
            if user_id in self._turns:
                self._dropped.add(user_id)
            self._presence.hide(user_id)
            self._unwritten.pop((user_id, "turn"), None)
            self._unwritten.pop((user_id, "control"), None)
        self._lanes.drop(user_ids)
        self._control_lanes.drop(user_ids)

    def notify(self, user_ids: Iterable[UserId]) -> None:
        """Look for new rows of these users, of either kind."""
        user_ids = tuple(user_ids)
        self.take_up(user_ids, user_ids)

    def take_up(self, turns: Iterable[UserId], controls: Iterable[UserId]) -> None:
        """Look for turns of these users, and for control rows of those."""
        self._control_lanes.wake(controls)
        self._lanes.wake(turns)

    async def cancel(self, user_id: UserId, before: TurnId) -> bool:
        """Stop what the user sent before that row: running or waiting. False when there was nothing.

        The database decides first: a turn that commits at the same moment finds its rows cancelled and
        undoes its commit, or has committed and is no longer there to cancel.
        """
        async with self._repository.transaction() as tx:
            count = await self._repository.inbox.cancel_open(user_id, before, self._clock.now(), tx=tx)
        if count and (task := self._turns.get(user_id)) is not None:
            task.cancel()
        return count > 0

    def stop(self, turns: Iterable[tuple[UserId, TurnId]]) -> None:
        """Stop turns whose rows were taken from them."""
        for user_id, turn_id in turns:
            task = self._turns.get(user_id)
            if task is not None and task.get_name() == _task_name(turn_id):
                task.cancel()

    async def recover(self) -> None:
        """Put back what a crash left behind, before anything runs."""
        queue = self._repository.inbox_queue
        for user_id, turn_id in await queue.recover(self._clock.now(), MAX_ATTEMPTS):
            await self._end_loop(user_id, turn_id)

    async def take_over(self, user_ids: Collection[UserId]) -> None:
        """Put back what another process left running of these users, before anything of theirs runs here."""
        convicted = [one for one in await self._repository.deaths.judge(user_ids) if one.is_convicted]
        await self._repository.inbox_queue.put_back(
            self._clock.now(), user_ids, but=[one.turn_id for one in convicted]
        )
        for one in convicted:
            await self._end_loop(one.user_id, one.turn_id)

    async def _end_loop(self, user_id: UserId, turn_id: TurnId) -> None:
        log.error("turn.crash_loop", turn_id=turn_id, user=user_tag(user_id))
        await self._handler.give_up(user_id, turn_id, "crash_loop")

    async def begin_all(self) -> None:
        """Take up all there is; call once, after `recover`."""
        users = await self._repository.inbox_queue.users_with_work()
        if users:
            log.info("inbox.recovered", users=len(users))
        self.notify(users)

    async def idle(self) -> None:
        """Wait until nothing runs and nothing is due."""
        await self._control_lanes.idle()
        await self._lanes.idle()

    @property
    def active_count(self) -> int:
        return self._lanes.active_count

    @property
    def is_open(self) -> bool:
        """New work is taken up."""
        return self._lanes.is_open

    async def aclose(self, grace_s: float) -> None:
        """Let running turns end within `grace_s` seconds; what is cut short goes back in the queue."""
        await self._lanes.aclose(grace_s)
        await self._control_lanes.aclose(1.0)

    async def _settle(self, user_id: UserId, lane: Lane, write: Callable[[], Awaitable[None]]) -> None:
        """Write down how a turn ended; while the database does not take it, nothing of that lane goes on."""
        self._unwritten[user_id, lane] = write
        is_over = True
        try:
            await write()
        except Conflict:
            log.debug("turn.settled_before", user=user_tag(user_id))
        except Transient:
            is_over = False
            raise
        finally:
            if is_over:
                del self._unwritten[user_id, lane]

    async def _next_control(self, user_id: UserId) -> float | None:
        if unwritten := self._unwritten.get((user_id, "control")):
            await self._settle(user_id, "control", unwritten)
        rows = await self._repository.inbox.list_pending(user_id, "control", limit=1)
        if not rows:
            return None
        if left_s := _left_s(self._control_waits, user_id, rows[0]):
            return left_s
        claim = await self._claim(user_id, Take(TurnId(rows[0].id), (rows[0].id,)))
        if not isinstance(claim, Claim):
            return claim
        if claim.rows[0].purpose not in _NOT_SEEN:
            self._presence.see(user_id, claim.rows[0].message.id)
        await self._guarded(claim)
        return AGAIN

    async def _next_turn(self, user_id: UserId) -> float | None:
        if unwritten := self._unwritten.get((user_id, "turn")):
            await self._settle(user_id, "turn", unwritten)
        rows = await self._repository.inbox.list_pending(user_id, "turn")
        delay_s = _left_s(self._waits, user_id, rows[0]) if rows else 0.0
        match plan_turn(rows, self._clock.now(), self._debounce, delay_s=delay_s):
            case None:
                self._presence.hide(user_id)
                return None
            case Wait(seconds):
                if not delay_s:
                    self._presence.show(user_id, rows[0].message_id)
                return seconds
            case Take() as take:
                claim = await self._claim(user_id, take, is_retry=rows[0].turn_id is not None)
        return await self._run_turn(user_id, claim) if isinstance(claim, Claim) else claim

    async def _claim(self, user_id: UserId, take: Take, *, is_retry: bool = False) -> Claim | float | None:
        """Take rows for a turn, or return what the lane does without them."""
        try:
            return await self._repository.inbox.claim(
                user_id, take.turn_id, take.ids, is_retry=is_retry, taken_by=self._process_id
            )
        except Conflict as exc:
            if exc.code != TAKEN:
                return AGAIN  # edited or revoked meanwhile: look again
            # The lease was lost, or what another process left must be put in order: whoever takes the person does.
            log.warning("turn.taken_elsewhere", user=user_tag(user_id))
            return None

    async def _run_turn(self, user_id: UserId, claim: Claim) -> float | None:
        task = asyncio.create_task(self._guarded(claim), name=_task_name(claim.turn_id))
        self._turns[user_id] = task
        newest = claim.rows[-1]
        if newest.purpose not in _NOT_SEEN:
            content = newest.message.content
            self._presence.show(user_id, content.original_id if isinstance(content, Edit) else newest.message.id)
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            # The lane is being closed: the turn goes back in the queue, and its attempt with it.
            task.cancel()
            await asyncio.wait({task})
            if user_id not in self._dropped:
                await asyncio.shield(self._release(claim))
            raise
        finally:
            self._dropped.discard(user_id)
            del self._turns[user_id]
        if task.cancelled():
            # Whoever stopped it took its rows, unless it was begun anew in that moment.
            await self._release(claim)
        if task.cancelled() or task.result():
            self._presence.hide(user_id)
        return AGAIN

    async def _release(self, claim: Claim) -> None:
        await self._repository.inbox.release(
            claim.user_id, claim.turn_id, self._clock.now(), is_attempt_kept=False, claim_id=claim.claim_id
        )

    async def _guarded(self, claim: Claim) -> bool:
        """Run a turn; whatever goes wrong, its rows end in a state that somebody takes up.

        Returns whether the turn is over; if not, it is back in the queue.
        """
        try:
            self._found(await self._handler.handle(claim))
        except Conflict as exc:
            log.info("turn.superseded", turn_id=claim.turn_id, reason=str(exc))
        except NotReady as exc:
            await self._handler.explain_wait(claim, exc)
            await self._retry(claim, exc.retry_after_s or 1.0, is_attempt_kept=False, error=exc.code)
            return False
        except Exception as exc:
            error = exc.code if isinstance(exc, Transient) else type(exc).__name__
            is_last = claim.attempt >= MAX_ATTEMPTS
            log.exception("turn.failed", turn_id=claim.turn_id, attempt=claim.attempt, is_last=is_last)
            if is_last:
                give_up = partial(
                    self._handler.give_up, claim.user_id, claim.turn_id, error, claim_id=claim.claim_id
                )
                await self._settle(claim.user_id, claim.rows[0].lane, give_up)
            else:
                delay_s = growing_delay_s(claim.attempt, first_s=1, longest_s=inf, factor=4, spread=0.2)
                await self._retry(claim, delay_s, is_attempt_kept=True, error=error)
                return False
        return True

    async def _retry(self, claim: Claim, delay_s: float, *, is_attempt_kept: bool, error: str) -> None:
        available_at = self._clock.now() + timedelta(seconds=delay_s)
        release = partial(
            self._repository.inbox.release,
            claim.user_id,
            claim.turn_id,
            available_at,
            is_attempt_kept=is_attempt_kept,
            error=error,
            claim_id=claim.claim_id,
        )
        await self._settle(claim.user_id, claim.rows[0].lane, release)
