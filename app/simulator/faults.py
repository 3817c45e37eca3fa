"""Switches that make the simulated Graph misbehave."""

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import assert_never

import httpx

from app.simulator.requests import GraphRefusal


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
    `hanging` is set while a send hangs.
    """

    def __init__(self) -> None:
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

    def take(self) -> Fault | None:
        """The fault of the send that just came in."""
        return self._planned.popleft() if self._planned else None

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
