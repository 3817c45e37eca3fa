"""Acknowledgement and reply speed under a burst, next to a bare route; then search: `python -m tests.bench`.

`python -m tests.bench --beside CHECKOUT` puts the same load on the service of another checkout, in turns;
`--beside postgresql` on this one over a PostgreSQL that writes to the disk (SQLite here commits to it, too).
Exit code 1 when a message was lost, repeated or answered out of order; slowness does not fail.
"""

import argparse
import asyncio
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final

from rich.console import Console

from tests.bench import memory_quality, memory_search, tool_search
from tests.bench.load import Chats, collect, write_all
from tests.bench.processes import REPOSITORY, Ports, all_running
from tests.bench.report import Round, percentile, replies_per_second, show
from tests.postgresql import running_server

USERS: Final = tuple(f"54911555{n:05}" for n in range(50))
EACH: Final = 6
ROUNDS: Final = 3


async def measure(directory: Path) -> list[Round]:
    """Warm everything up, then put the same load on the bare route and on the service, in turns."""
    async with all_running(directory, USERS) as ports:
        await _round(ports, _chats("warm", USERS[:5], 2))
        return [await _round(ports, _chats(f"round{number}", USERS, EACH)) for number in range(ROUNDS)]


async def compare(directory: Path, checkout: Path, database_url: str) -> tuple[list[Round], list[Round]]:
    """Put the same load on the service and on the other one, in turns; returns the rounds of each."""
    this, other = directory / "this", directory / "other"
    this.mkdir()
    other.mkdir()
    async with (
        all_running(this, USERS) as ours,
        all_running(other, USERS, checkout=checkout, database_url=database_url) as theirs,
    ):
        both = ((ours, list[Round]()), (theirs, list[Round]()))
        for ports, _ in both:
            await _round(ports, _chats("warm", USERS[:5], 2))
        for number in range(2 * ROUNDS):
            # Who comes first takes turns, too.
            for ports, rounds in both if number % 2 else reversed(both):
                rounds.append(await _round(ports, _chats(f"round{number}", USERS, EACH)))
    return both[0][1], both[1][1]


async def _round(ports: Ports, chats: Chats) -> Round:
    bare = await write_all(ports.bare, chats)
    service = await write_all(ports.service, chats)
    return Round(bare, service, await collect(ports.fakes, chats, service.started_at))


def _chats(name: str, people: tuple[str, ...], each: int) -> Chats:
    return {person: [f"{name} {person[-3:]} {n}" for n in range(each)] for person in people}


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(prog="tests.bench")
    parser.add_argument("--beside", help="a folder with another checkout, or: postgresql")
    beside = parser.parse_args().beside
    title = f"{len(USERS) * EACH} messages of {len(USERS)} people on {len(USERS)} connections"
    with tempfile.TemporaryDirectory() as directory:
        if beside is not None:
            return _beside(Path(directory), beside, title)
        rounds = asyncio.run(measure(Path(directory)))
    show(title, rounds)
    memory_search.run()
    memory_quality.run()
    tool_search.run()
    return 0 if all(one.is_flawless for one in rounds) else 1


def _beside(directory: Path, beside: str, title: str) -> int:
    with ExitStack() as stack:
        if beside == "postgresql":
            url, checkout = stack.enter_context(running_server(is_durable=True)).create(), REPOSITORY
        else:
            url, checkout = "", Path(beside).resolve()
        ours, theirs = asyncio.run(compare(directory, checkout, url))
    show(title, ours)
    show(f"{title}, {beside}", theirs)
    console = Console(width=110)
    for name, figure in (("acknowledged at the median", _ack_ms), ("replies per second", replies_per_second)):
        ratio = median(map(figure, ours)) / median(map(figure, theirs))
        console.print(f"{name}, this by the other: {ratio:.2f}")
    return 0 if all(one.is_flawless for one in (*ours, *theirs)) else 1


def _ack_ms(one: Round) -> float:
    return percentile(one.service, 50)


if __name__ == "__main__":
    sys.exit(main())
