"""Acknowledgement and reply speed under a burst, next to a bare route; then search: `python -m tests.bench`.

Exit code 1 when a message was lost, repeated or answered out of order; slowness does not fail.
"""

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.bench import memory_quality, memory_search, tool_search
from tests.bench.load import Chats, collect, write_all
from tests.bench.processes import Ports, all_running
from tests.bench.report import Round, show

USERS: Final = tuple(f"54911555{n:05}" for n in range(50))
EACH: Final = 6
ROUNDS: Final = 3


async def measure(directory: Path) -> list[Round]:
    """Warm everything up, then put the same load on the bare route and on the service, in turns."""
    async with all_running(directory, USERS) as ports:
        await _round(ports, _chats("warm", USERS[:5], 2))
        return [await _round(ports, _chats(f"round{number}", USERS, EACH)) for number in range(ROUNDS)]


async def _round(ports: Ports, chats: Chats) -> Round:
    bare = await write_all(ports.bare, chats)
    service = await write_all(ports.service, chats)
    return Round(bare, service, await collect(ports.fakes, chats, service.started_at))


def _chats(name: str, people: tuple[str, ...], each: int) -> Chats:
    return {person: [f"{name} {person[-3:]} {n}" for n in range(each)] for person in people}


def main() -> int:
    """Measure, print, and return the exit code."""
    with tempfile.TemporaryDirectory() as directory:
        rounds = asyncio.run(measure(Path(directory)))
    title = f"{len(USERS) * EACH} messages of {len(USERS)} people on {len(USERS)} connections"
    show(title, rounds)
    memory_search.run()
    memory_quality.run()
    tool_search.run()
    return 0 if all(one.is_flawless for one in rounds) else 1


if __name__ == "__main__":
    sys.exit(main())
