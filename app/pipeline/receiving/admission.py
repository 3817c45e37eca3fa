"""Who may come in, how late, and how fast."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from app.domain.ids import UserId
from app.domain.inbound import InboundMessage, Sender
from app.domain.phones import bsuid_alias, phone_alias, setting_alias

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


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at_s: float
    is_told: bool = False


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
        self._buckets: dict[UserId, _Bucket] = {}

    def admit(self, user_id: UserId, at_s: float) -> Admission:
        """Count one message and tell how long it must wait; `at_s` by a clock that nobody can set."""
        bucket = self._buckets.setdefault(user_id, _Bucket(self._limit, at_s))
        bucket.tokens = min(self._limit, bucket.tokens + max(0.0, at_s - bucket.at_s) * self._per_s)
        bucket.at_s = at_s
        bucket.tokens -= 1
        if bucket.tokens >= -_ROUNDING:
            bucket.is_told = False
            return Admission()
        admission = Admission(-bucket.tokens / self._per_s, not bucket.is_told)
        bucket.is_told = True
        return admission
