"""What one message costs each part of the service, on PostgreSQL: `python -m tests.bench.costs`.

A web and a worker process, a model that answers at once, and a server that writes to the disk. Processor time is
told by /metrics of each process, what the database does by its own log. `tests/bench/sizing.py` takes the figures.
"""

import asyncio
import re
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from random import Random
from string import ascii_lowercase
from typing import Final

import httpx

from app.simulator.payloads import SimUser
from tests.e2e.crash_world import EchoingOllama
from tests.e2e.fleet import Fleet, Member, open_fleet, people
from tests.postgresql import running_server

USERS: Final = people(10)
EACH: Final = 10
PATIENCE_S: Final = 400
_LINE: Final = re.compile(r"(?P<at>\S+ \S+) \S+ (?P<pid>\d+) LOG:  duration: (?P<ms>[\d.]+) ms  (?P<said>.*)")
_CPU: Final = re.compile(r"^process_cpu_seconds_total (\S+)$", re.MULTILINE)
_LOGGED: Final = ("log_min_duration_statement=0", "log_line_prefix=%m %p ", "log_timezone=UTC")


@dataclass(frozen=True, slots=True)
class Writes:
    """Of all processes: transactions that write, how long all of them kept others waiting, and all statements.

    `quiet_ms` is how long that would be, if each took as long as the quickest of those with as many statements: on
    a busy machine the others waited for a core in the middle.
    """

    count: int
    held_ms: float
    quiet_ms: float
    statements: int


def read_log(text: str) -> Writes:
    """Read who held the lock of all writers from when to when.

    A line is written when its statement has ended: the lock is held from the end of BEGIN to that of COMMIT.
    """
    began: dict[str, datetime] = {}
    inside: Counter[str] = Counter()
    held_ms: dict[int, list[float]] = defaultdict(list)
    statements = 0
    for line in text.splitlines():
        if (found := _LINE.match(line)) is None or found["said"].startswith(("parse", "bind")):
            continue
        at, pid, said = datetime.fromisoformat(found["at"]), found["pid"], found["said"]
        statements += 1
        inside[pid] += 1
        if "pg_advisory_xact_lock" in said:
            began[pid], inside[pid] = at, 0
        elif re.search(r": (COMMIT|ROLLBACK)", said) and pid in began:
            held_ms[inside[pid]].append((at - began.pop(pid)).total_seconds() * 1000)
    whole = [one for group in held_ms.values() for one in group]
    quiet = sum(len(group) * min(group) for group in held_ms.values())
    return Writes(len(whole), sum(whole), quiet, statements)


async def measure(directory: Path, url: str, log: Path) -> tuple[str, ...]:
    """Let people talk to processes on that database, whose server writes that log; returns the lines to print."""
    model = EchoingOllama(Random(1), delay_s=0.0)
    async with open_fleet(directory, url, roles=("web", "worker"), users=USERS, ollama=model) as fleet:
        await _talk(fleet, "once", 3)
        before = [await _cpu_s(member) for member in fleet.members]
        start, wal_before = log.stat().st_size, await _wal_bytes(fleet)  # noqa: ASYNC240 - nobody waits meanwhile
        await _talk(fleet, "again", EACH)
        wal = await _wal_bytes(fleet) - wal_before
        web, worker = [await _cpu_s(one) - was for one, was in zip(fleet.members, before, strict=True)]
        writes = read_log(log.read_bytes()[start:].decode("utf-8", "replace"))  # noqa: ASYNC240 - the same
    return _told(len(USERS) * EACH, web, worker, writes, wal)


def _told(count: int, web_s: float, worker_s: float, writes: Writes, wal: int) -> tuple[str, ...]:
    return (
        f"{count} messages of plain talk, one turn each",
        f"web      {1000 * web_s / count:.1f} ms of a core for each",
        f"worker   {1000 * worker_s / count:.1f} ms of a core for each",
        f"database {writes.count / count:.2f} writing transactions, {writes.statements / count:.0f} statements,"
        f" {wal / count / 1024:.1f} KiB of log for each",
        f"         {writes.held_ms / count:.1f} ms are others kept waiting for each message,"
        f" {writes.quiet_ms / count:.1f} if all were as quick as the quickest of their kind",
    )


async def _talk(fleet: Fleet, word: str, each: int) -> None:
    """Let everybody write, one message after the other's answer."""
    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as tasks:
        for person in USERS:
            tasks.create_task(_write(fleet, person, word, each))
    await fleet.settled()


async def _write(fleet: Fleet, person: SimUser, word: str, each: int) -> None:
    for number in range(each):
        body = f"good morning from {ascii_lowercase[USERS.index(person)]} {word} {ascii_lowercase[number] * 3}"
        await fleet.write(person, [body])
        await fleet.answered_to(person, body)


async def _cpu_s(member: Member) -> float:
    async with httpx.AsyncClient(base_url=member.base_url.replace("127.0.0.1", "localhost"), timeout=20) as http:
        found = _CPU.search((await http.get("/metrics")).text)
    if found is None:
        raise RuntimeError("no figures at /metrics: pip install 'wasap[metrics]'")
    return float(found[1])


async def _wal_bytes(fleet: Fleet) -> int:
    [row] = await fleet.query("SELECT (pg_current_wal_lsn() - '0/0')::bigint AS n")
    return int(row["n"])


def main() -> int:
    """Measure and print."""
    with running_server(*_LOGGED, is_durable=True) as server, tempfile.TemporaryDirectory() as directory:
        url = server.create(is_migrated=True)
        told = asyncio.run(measure(Path(directory), url, server.folder / "log"))
    sys.stdout.write("\n".join(told) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
