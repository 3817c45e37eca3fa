"""What makes the simulated Graph misbehave: planned for one send, or switched on for all."""

import asyncio
from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, assert_never

import httpx

from app.simulator.requests import GraphRefusal

SLOW_S: Final = 6.0
LATE_S: Final = 8.0


class Switch(StrEnum):
    """What a person can switch on and off; it spoils everything it can until it is off again."""

    TOKEN_EXPIRED = "token_expired"  # noqa: S105 - the name of a fault
    PAIR_RATE = "pair_rate"
    WINDOW_CLOSED = "window_closed"
    UNDELIVERABLE = "undeliverable"
    LATE_WEBHOOKS = "late_webhooks"
    REPEATED_WEBHOOKS = "repeated_webhooks"
    SLOW = "slow"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class Refuse:
    refusal: GraphRefusal


@dataclass(frozen=True, slots=True)
class Hang:
    is_recorded: bool


@dataclass(frozen=True, slots=True)
class Drop:
    is_recorded: bool


@dataclass(frozen=True, slots=True)
class Undeliverable:
    error_code: int


Fault = Refuse | Hang | Drop | Undeliverable


class Faults:
    """What will go wrong. Planned faults spoil sends, one each, in the order they were asked for.

    `latency_s` delays every answer of `/messages`; `is_webhook_doubled` posts every webhook twice.
    `hanging` is set while a send hangs. What is `switched_on` comes after what was planned.
    """

    def __init__(self) -> None:
        self.switched_on: frozenset[Switch] = frozenset()
        self.latency_s = 0.0
        self.is_webhook_doubled = False
        self.hanging = asyncio.Event()
        self._planned: deque[Fault] = deque()
        self._released = asyncio.Event()

    def fail_next(self, code: int, *, status: int = 400, count: int = 1) -> None:
        """Refuse that many sends with this Graph error and HTTP status; they are not recorded."""
        self._planned.extend([Refuse(GraphRefusal(code, "switched on", status=status))] * count)

    def hang_next(self, *, is_recorded: bool) -> None:
        """Leave a send unanswered until `release`, before or after it was recorded."""
        self._planned.append(Hang(is_recorded))

    def drop_next(self, *, is_recorded: bool) -> None:
        """Raise `httpx.RemoteProtocolError` out of the ASGI app: the connection broke before the answer."""
        self._planned.append(Drop(is_recorded))

    def undeliverable_next(self, code: int) -> None:
        """Accept a send, then report it as `failed` with this error code."""
        self._planned.append(Undeliverable(code))

    def release(self) -> None:
        """Let the sends that hang now go on."""
        self._released.set()
        self._released = asyncio.Event()
        self.hanging.clear()

    def set(self, switch: Switch, *, is_on: bool) -> None:
        self.switched_on = self.switched_on | {switch} if is_on else self.switched_on - {switch}

    @property
    def answer_delay_s(self) -> float:
        """How long Graph takes to answer."""
        return max(self.latency_s, SLOW_S if Switch.SLOW in self.switched_on else 0.0)

    @property
    def webhook_delay_s(self) -> float:
        """How long webhooks are on their way."""
        return LATE_S if Switch.LATE_WEBHOOKS in self.switched_on else 0.0

    @property
    def is_webhook_repeated(self) -> bool:
        return self.is_webhook_doubled or Switch.REPEATED_WEBHOOKS in self.switched_on

    def check_access(self) -> None:
        """Called by every request to Graph.

        Raises:
            httpx.ConnectError: Graph is down.
            GraphRefusal: the token has expired.
        """
        if Switch.DOWN in self.switched_on:
            raise httpx.ConnectError("the simulated Graph is switched off")
        if Switch.TOKEN_EXPIRED in self.switched_on:
            raise GraphRefusal(190, "Session has expired (switched on in the simulator)", status=401)

    def take(self) -> Fault | None:
        """The fault of the send that just came in."""
        if self._planned:
            return self._planned.popleft()
        if Switch.PAIR_RATE in self.switched_on:
            return Refuse(GraphRefusal(131056, "too many messages to this person (switched on)"))
        if Switch.WINDOW_CLOSED in self.switched_on:
            return Refuse(GraphRefusal(131047, "more than 24 hours since the person wrote (switched on)"))
        return Undeliverable(131026) if Switch.UNDELIVERABLE in self.switched_on else None

    async def apply(self, fault: Fault | None, *, is_recorded: bool) -> None:
        """Called before and after the recording; carry the fault out if this is its moment.

        Raises:
            GraphRefusal, httpx.RemoteProtocolError: as was asked for.
        """
        match fault:
            case Refuse(refusal):
                raise refusal
            case Hang(when) if when == is_recorded:
                released = self._released
                self.hanging.set()
                await released.wait()
            case Drop(when) if when == is_recorded:
                raise httpx.RemoteProtocolError("the simulator dropped the connection")
            case None | Hang() | Drop() | Undeliverable():
                return
            case _:
                assert_never(fault)
