"""From the outbox to WhatsApp: in order for each user, never two sends to one user at once."""

from collections.abc import Awaitable, Callable, Collection, Iterable
from datetime import timedelta
from functools import partial
from typing import Final, Literal

import structlog

from app.database.repositories.outbox import OutboxRow
from app.database.repository import Repository
from app.domain.backoff import growing_delay_s
from app.domain.errors import AccessRevoked, AppError, OutcomeUnknown, Permanent, Transient, WindowClosed
from app.domain.ids import OutboxId, UserId
from app.domain.outbound import Occasion
from app.domain.ports import Clock, MaySend, Messenger
from app.log import user_tag
from app.pipeline.queueing.lanes import AGAIN, Lanes, RushHour
from app.pipeline.queueing.waits import Waits

log = structlog.get_logger(__name__)

Outcome = Callable[[], Awaitable[object]]
"""Writes down what came of a send."""
Waiting = Literal["pending", "unknown", "held"]

UNKNOWN_GRACE_S: Final = 20.0
"""How long a send without an answer waits for its status webhook before it is repeated."""
GIVE_UP_AFTER: Final = timedelta(hours=23)
"""Meta's window is 24 h: what could not be sent until then would be refused."""
PROBE_S: Final = 600.0
"""How often a revoked access is tried again, in case the owner mended it at Meta's side."""
PAIR_RATE_BASE: Final = 4.0
PAIR_RATE_LONGEST_S: Final = 256.0
"""Meta asks for 4^n seconds after error 131056 (per-user rate)."""


class Delivery:
    """Drains the outbox. A failure of the whole sender pauses everybody, once, with one log line."""

    def __init__(self, repository: Repository, messenger: Messenger, clock: Clock, rush: RushHour) -> None:
        self._repository = repository
        self._messenger = messenger
        self._clock = clock
        self._lanes = Lanes("delivery", self._step, clock, rush)
        self._waits = Waits(clock)
        self._paused_until_s: float | None = None
        self._unwritten: dict[OutboxId, Outcome] = {}
        self._begun: set[OutboxId] = set()
        self.limits: list[MaySend] = []
        self._when_lost: Callable[[], None] = _nothing
        self.pause_reason: str | None = None

    def wake(self, user_ids: Iterable[UserId]) -> None:
        """Look at these users' outboxes."""
        self._lanes.wake(user_ids)

    async def may_send(self, occasion: Occasion) -> bool:
        """Tell whether every limit lets a message of that occasion go."""
        for limit in self.limits:
            if not await limit(occasion):
                return False
        return True

    def when_lost(self, call: Callable[[], None]) -> None:
        """Call this whenever something is given up that answered nobody."""
        self._when_lost = call

    def when_over(self, call: Callable[[UserId], None]) -> None:
        """Have `call` called whenever a user's outbox is done with."""
        self._lanes.when_over(call)

    def is_busy(self, user_id: UserId) -> bool:
        """Tell whether anything of that user's is being sent or waits for a time."""
        return self._lanes.is_busy(user_id)

    def is_at_work(self, user_id: UserId) -> bool:
        """Tell whether anything of that user's runs now."""
        return self._lanes.is_at_work(user_id)

    def drop(self, user_ids: Iterable[UserId]) -> None:
        """Leave these users' outboxes to another process, as they are."""
        self._lanes.drop(user_ids)

    async def recover(self, user_ids: Collection[UserId] | None = None) -> None:
        """Note what a crash left in doubt, everybody's or of these users, before they are woken. Sends nothing."""
        until = self._clock.now() + timedelta(seconds=UNKNOWN_GRACE_S)
        await self._repository.outbox_queue.recover(until, user_ids)

    async def take_up(self) -> None:
        """Send what waits; call once, after `recover`."""
        self.wake(await self._repository.outbox_queue.users_with_work())

    async def idle(self) -> None:
        """Wait until nothing is due."""
        await self._lanes.idle()

    @property
    def is_open(self) -> bool:
        """New work is taken up."""
        return self._lanes.is_open

    async def aclose(self, grace_s: float) -> None:
        """Let running sends end within `grace_s` seconds."""
        await self._lanes.aclose(grace_s)

    async def _step(self, user_id: UserId) -> float | None:
        if self._paused_until_s is not None and (left_s := self._paused_until_s - self._clock.elapsed_s()) > 0:
            return left_s
        row = await self._repository.outbox.find_next(user_id)
        if row is None or row.state == "held":
            return None
        if left_s := self._waits.left_s(user_id, row.id, since=row.created_at, until=row.available_at):
            return left_s
        if outcome := self._unwritten.get(row.id):
            await self._settle(row.id, outcome)
            return AGAIN
        if row.state == "sending" and row.id not in self._begun:
            # Another process began it, before or after it lost the person.
            until = self._clock.now() + timedelta(seconds=UNKNOWN_GRACE_S)
            await self._repository.outbox.postpone(
                user_id, row.id, until, state="unknown", error="begun_elsewhere"
            )
            return AGAIN
        if row.state == "pending" and self.limits and not await self.may_send(row.occasion):
            log.warning("outbox.stopped", user=user_tag(user_id), outbox_id=row.id, occasion=row.occasion)
            await self._repository.outbox.stop(user_id, row)
            return AGAIN
        if row.state == "unknown":
            log.warning("outbox.repeated", user=user_tag(user_id), outbox_id=row.id)
        self._begun.add(row.id)
        if await self._repository.outbox.mark_sending(user_id, row):
            await self._send(user_id, row)
        else:
            self._begun.discard(row.id)
        return AGAIN

    async def _send(self, user_id: UserId, row: OutboxRow) -> None:
        try:
            message_id = await self._messenger.send(row.recipient, row.message, tracker=row.tracker)
        except OutcomeUnknown as exc:
            log.warning("outbox.outcome_unknown", user=user_tag(user_id), outbox_id=row.id, code=exc.code)
            await self._postpone(user_id, row, UNKNOWN_GRACE_S, "unknown", exc.code)
        except Transient as exc:
            await self._retry_later(user_id, row, exc)
        except WindowClosed as exc:
            if row.occasion == "unasked":
                # Told with the next answer, instead of coming late as if nothing had happened.
                await self._give_up(user_id, row, exc)
                return
            log.error("outbox.held", user=user_tag(user_id), outbox_id=row.id, code=exc.code, detail=exc.detail)
            await self._postpone(user_id, row, 0, "held", exc.code)
        except AccessRevoked as exc:
            await self._postpone(user_id, row, 0, "pending", exc.code)
            self._pause(PROBE_S, exc.code, exc.detail)
        except Permanent as exc:
            await self._give_up(user_id, row, exc)
        else:
            mark_sent = partial(self._repository.outbox.mark_sent, user_id, row.id, message_id, self._clock.now())
            await self._settle(row.id, mark_sent)
            self._resume()
            log.info("outbox.sent", user=user_tag(user_id), outbox_id=row.id, kind=row.message.type)

    async def _give_up(self, user_id: UserId, row: OutboxRow, exc: AppError) -> None:
        log.error("outbox.failed", user=user_tag(user_id), outbox_id=row.id, code=exc.code, detail=exc.detail)
        await self._settle(row.id, partial(self._repository.outbox.mark_failed, user_id, row.id, exc.code))
        if row.occasion == "unasked":
            self._when_lost()

    async def _settle(self, row_id: OutboxId, outcome: Outcome) -> None:
        """Write down what came of a send. While the disk does not take it, that is tried again, not the send."""
        self._unwritten[row_id] = outcome
        await outcome()
        del self._unwritten[row_id]
        self._begun.discard(row_id)

    async def _retry_later(self, user_id: UserId, row: OutboxRow, exc: Transient) -> None:
        now = self._clock.now()
        if now - row.created_at > GIVE_UP_AFTER:
            await self._give_up(user_id, row, exc)
            return
        failures = row.attempts + 1
        if exc.scope == "recipient":
            delay_s = growing_delay_s(failures, first_s=1, longest_s=PAIR_RATE_LONGEST_S, factor=PAIR_RATE_BASE)
        else:
            delay_s = growing_delay_s(failures, first_s=1, longest_s=60, spread=0.2)
        delay_s = max(delay_s, exc.retry_after_s or 0)
        if exc.scope == "sender":
            self._pause(delay_s, exc.code, exc.detail)
        elif row.attempts == 0:
            log.warning("outbox.retrying", user=user_tag(user_id), outbox_id=row.id, code=exc.code)
        await self._postpone(user_id, row, delay_s, "pending", exc.code)

    async def _postpone(self, user_id: UserId, row: OutboxRow, delay_s: float, state: Waiting, error: str) -> None:
        available_at = self._clock.now() + timedelta(seconds=delay_s)
        postpone = self._repository.outbox.postpone
        await self._settle(row.id, partial(postpone, user_id, row.id, available_at, state=state, error=error))

    def _pause(self, delay_s: float, code: str, detail: str) -> None:
        if self.pause_reason != code:
            log.error("delivery.paused", code=code, detail=detail)
        self.pause_reason = code
        self._paused_until_s = self._clock.elapsed_s() + delay_s

    def _resume(self) -> None:
        if self.pause_reason is not None:
            log.info("delivery.resumed", after=self.pause_reason)
        self.pause_reason = self._paused_until_s = None


def _nothing() -> None:
    """What is called when nobody wants to know."""
