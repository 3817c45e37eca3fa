"""Who may come in, how late, and how fast."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Protocol

from app.database.db import Transaction
from app.database.repositories.paces import Bucket, Paces
from app.domain.ids import UserId
from app.domain.inbound import InboundMessage, Lane, Sender
from app.domain.phones import bsuid_alias, phone_alias, setting_alias
from app.domain.ports import Clock

REPLY_WINDOW: Final = timedelta(hours=24)
"""Meta refuses free-form replies to a person who last wrote longer ago (error 131047)."""


class AllowList:
    """Who may use the assistant; empty means nobody."""

    def __init__(self, allowed: tuple[str, ...], admins: tuple[str, ...]) -> None:
        self._allowed = frozenset(map(setting_alias, allowed)) | frozenset(map(setting_alias, admins))
        self._admins = frozenset(map(setting_alias, admins or allowed[:1]))

    @property
    def admins(self) -> frozenset[str]:
        return self._admins

    @property
    def allowed(self) -> frozenset[str]:
        return self._allowed

    def is_allowed(self, aliases: frozenset[str]) -> bool:
        return not self._allowed.isdisjoint(aliases)

    def is_admin(self, aliases: frozenset[str]) -> bool:
        return not self._admins.isdisjoint(aliases)


def sender_aliases(sender: Sender) -> tuple[str, ...]:
    """The identities under which a message's author may be known, the most specific first."""
    aliases = []
    if sender.bsuid:
        aliases.append(bsuid_alias(sender.bsuid))
    if sender.wa_id:
        aliases.append(phone_alias(sender.wa_id))
    return tuple(aliases)


def is_too_late(message: InboundMessage, now: datetime) -> bool:
    """Tell whether Meta's window for answering this message has closed."""
    return now - message.sent_at >= REPLY_WINDOW


_ROUNDING: Final = 1e-6
"""Refills are sums of fractions: what lacks less than this of a whole message lacks nothing."""


Asked = tuple[UserId, Lane]
"""Whose message it is, and where it waits: what runs beside a turn is counted apart."""


@dataclass(frozen=True, slots=True)
class Admission:
    """`delay_s` until the message's turn may begin; `is_first_delay` when the user should be told."""

    delay_s: float = 0.0
    is_first_delay: bool = False


class RateLimiter:
    """A burst of `limit` messages, and `limit` more in each `window_s` seconds, refilled evenly.

    Token bucket with debt (ITU-T I.371, "leaky bucket as a meter"): the n-th message too many waits for n
    refills, so that the order is kept. In a span of t seconds at most `limit * (1 + t / window_s)` messages
    begin: right after a pause that is twice the limit within one window.
    """

    def __init__(self, limit: int, window_s: float) -> None:
        self._limit = limit
        self._per_s = limit / window_s

    def count(self, bucket: Bucket | None, at_s: float) -> tuple[Bucket, Admission]:
        """Count one message and tell how long it must wait; without a bucket it is the first."""
        tokens, is_told = (self._limit, False) if bucket is None else (bucket.tokens, bucket.is_told)
        passed_s = 0.0 if bucket is None else max(0.0, at_s - bucket.at_s)
        tokens = min(self._limit, tokens + passed_s * self._per_s) - 1
        if tokens >= -_ROUNDING:
            return Bucket(tokens, at_s), Admission()
        return Bucket(tokens, at_s, is_told=True), Admission(-tokens / self._per_s, not is_told)


class Pace(Protocol):
    """Counts the messages that are answered."""

    async def admit(self, asked: Sequence[Asked], *, tx: Transaction) -> list[Admission]:
        """Count one message for each and tell how long it must wait."""
        ...


class PaceHere:
    """Counts in this process, which serves alone, by a clock that nobody can set."""

    def __init__(self, limiter: RateLimiter, clock: Clock) -> None:
        self._limiter = limiter
        self._clock = clock
        self._buckets: dict[Asked, Bucket] = {}

    async def admit(self, asked: Sequence[Asked], *, tx: Transaction) -> list[Admission]:
        """See `Pace`."""
        return _admit(self._limiter, self._buckets, asked, self._clock.elapsed_s())


class PaceOfAll:
    """Counts together with other processes, which have only the time of day in common."""

    def __init__(self, limiter: RateLimiter, clock: Clock) -> None:
        self._limiter = limiter
        self._clock = clock
        self._paces = Paces()

    async def admit(self, asked: Sequence[Asked], *, tx: Transaction) -> list[Admission]:
        """See `Pace`."""
        if not asked:
            return []
        buckets = await self._paces.find({user_id for user_id, _ in asked}, tx=tx)
        admitted = _admit(self._limiter, buckets, asked, self._clock.now().timestamp())
        await self._paces.keep({one: buckets[one] for one in asked}, tx=tx)
        return admitted


def _admit(
    limiter: RateLimiter, buckets: dict[Asked, Bucket], asked: Sequence[Asked], at_s: float
) -> list[Admission]:
    admitted = []
    for one in asked:
        buckets[one], admission = limiter.count(buckets.get(one), at_s)
        admitted.append(admission)
    return admitted
