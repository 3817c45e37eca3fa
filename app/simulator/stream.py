"""The page's one stream of server-sent events: chats, wire, model, clock and faults."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from app.simulator.graph import SimulatedGraph
from app.simulator.transcript import SimEvent
from app.simulator.wire import NOBODY, Exchange

PING_S: Final = 15.0
"""A comment now and then keeps the connection from looking dead."""
MODEL_PING_S: Final = 2.0
"""While the model is on its way, a person wants to see it move."""

Describe = Callable[[], Awaitable[Mapping[str, str]]]
Controls = Callable[[], dict[str, JsonValue]]


@dataclass(slots=True)
class Cursor:
    """What the page has seen: the last event and the last exchange (None: it wants no exchanges)."""

    event: int = 0
    exchange: int | None = None


class Feed:
    """Builds the stream of one page.

    Unnamed events are those of the chats, and carry the id to resume after. "wire" is an exchange, "facts"
    tells about the model, "controls" about clock and faults; the last two come whenever they have changed.
    """

    def __init__(self, graph: SimulatedGraph, *, describe: Describe, controls: Controls) -> None:
        self._graph = graph
        self._describe = describe
        self._controls = controls

    async def follow(
        self, users: frozenset[str], cursor: Cursor, *, in_view: frozenset[str]
    ) -> AsyncGenerator[str, None]:
        """Yield frames until the graph closes its streams; those `in_view` count as looking at their chats."""
        yield ": open\n\n"
        facts: Mapping[str, str] | None = None
        controls: dict[str, JsonValue] | None = None
        is_due = True
        with self._graph.looking(in_view):
            while not self._graph.is_closed:
                if frames := self._news(users, cursor):
                    yield frames
                elif controls != (controls := self._controls()):
                    yield _named("controls", json.dumps(controls))
                elif is_due:
                    is_due = False
                    known, facts = facts, await self._describe()
                    yield ": ping\n\n" if facts == known else _named("facts", json.dumps(dict(facts)))
                else:
                    is_due = not await self._graph.transcript.wait_beyond(cursor.event, timeout_s=_ping_s(facts))

    def _news(self, users: frozenset[str], cursor: Cursor) -> str:
        news = self._graph.transcript.since(cursor.event)
        frames = [_event(event) for event in news if event.user in users]
        cursor.event = news[-1].seq if news else cursor.event
        if cursor.exchange is not None:
            exchanges = self._graph.wire.since(cursor.exchange)
            frames += [_exchange(one) for one in exchanges if one.user in users or one.user == NOBODY]
            cursor.exchange = exchanges[-1].seq if exchanges else cursor.exchange
        return "".join(frames)


def _ping_s(facts: Mapping[str, str] | None) -> float:
    return PING_S if facts is None or facts.get("state", "ready") == "ready" else MODEL_PING_S


def _event(event: SimEvent) -> str:
    return f"id: {event.seq}\ndata: {event.to_json()}\n\n"


def _exchange(exchange: Exchange) -> str:
    return _named("wire", exchange.to_json())


def _named(name: str, data: str) -> str:
    return f"event: {name}\ndata: {data}\n\n"
