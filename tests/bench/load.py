"""People who write without pause, and whether each was answered once and in order."""

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final

from tests.bench.wire import Connection, connected, encode_request
from tests.builders import encode, signed_headers, text_message, webhook_payload

OK: Final = 200
REPLIES_S: Final = 60
STRAGGLER_S: Final = 0.5
"""How long to look out for one reply too many."""

Chats = Mapping[str, Sequence[str]]
"""What each person (wa_id) writes, in order."""


@dataclass(frozen=True, slots=True)
class Burst:
    """What the webhook answered: `ack_ms` of each message that got its 200. Times are seconds since 1970."""

    started_at: float
    ack_ms: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Answers:
    """What became of the messages; `late_s` from the first message to the last reply.

    `unexpected` counts replies said twice, to somebody else, or saying something else.
    """

    expected: int
    answered: int
    out_of_order: int
    unexpected: int
    late_s: float

    @property
    def is_flawless(self) -> bool:
        return self.answered == self.expected and not self.out_of_order and not self.unexpected


async def write_all(port: int, chats: Chats) -> Burst:
    """Let everybody write at once, each on a connection of their own, each message after the last ack."""
    letters = {person: [_letter(person, body) for body in bodies] for person, bodies in chats.items()}
    async with AsyncExitStack() as stack:
        lines = [await stack.enter_async_context(connected(port)) for _ in letters]
        started_at = time.time()
        acks = await asyncio.gather(*map(_write, lines, letters.values()))
    return Burst(started_at, tuple(ack for one in acks for ack in one))


async def collect(fakes_port: int, chats: Chats, started_at: float) -> Answers:
    """Wait until as many replies as messages went out, or time is up, and compare."""
    expected = sum(map(len, chats.values()))
    if await _has_sent(fakes_port, expected, within_s=REPLIES_S):
        await _has_sent(fakes_port, expected + 1, within_s=STRAGGLER_S)
    async with connected(fakes_port) as line:
        sends = json.loads((await line.exchange(encode_request("GET", "/sends/0"))).body)
        await line.exchange(encode_request("POST", "/forget"))
    heard: dict[str, list[str]] = {person: [] for person in chats}
    for person, text, _ in sends:
        heard.setdefault(person, []).append(text)
    answered = sum(len({f"re: {body}" for body in bodies} & set(heard[who])) for who, bodies in chats.items())
    return Answers(
        expected=expected,
        answered=answered,
        out_of_order=sum(_count_out_of_order(bodies, heard[who]) for who, bodies in chats.items()),
        unexpected=len(sends) - answered,
        late_s=max((at for _, _, at in sends), default=started_at) - started_at,
    )


async def _has_sent(fakes_port: int, count: int, *, within_s: float) -> bool:
    async with connected(fakes_port) as line:
        try:
            async with asyncio.timeout(within_s):
                await line.exchange(encode_request("GET", f"/sends/{count}"))
        except TimeoutError:
            return False
    return True


async def _write(line: Connection, letters: Sequence[bytes]) -> list[float]:
    """Send one after the other; the milliseconds until each 200."""
    acks = []
    for letter in letters:
        began = time.perf_counter()
        answer = await line.exchange(letter)
        if answer.status == OK:
            acks.append((time.perf_counter() - began) * 1000)
    return acks


def _letter(person: str, body: str) -> bytes:
    content = encode(webhook_payload(text_message(body, sender=person), names={person: f"Person {person[-3:]}"}))
    return encode_request("POST", "/webhook", content, signed_headers(content))


def _count_out_of_order(bodies: Sequence[str], heard: Sequence[str]) -> int:
    """How many replies came after the reply to a later message."""
    places = {f"re: {body}": place for place, body in enumerate(bodies)}
    latest, count = -1, 0
    for text in dict.fromkeys(heard):
        place = places.get(text, -1)
        count += place < latest
        latest = max(latest, place)
    return count
