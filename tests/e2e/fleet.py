"""The service as several real processes on one PostgreSQL, between a simulated Graph and a fake model."""

import asyncio
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from app.simulator.graph import SimulatedGraph, new_message_id
from app.simulator.payloads import SimUser, text
from app.simulator.transcript import RecordedSend, Transcript
from tests.builders import APP_SECRET, PHONE_NUMBER_ID, encode, signed_headers, text_message, webhook_payload
from tests.e2e.crash_world import (
    ACCESS_TOKEN,
    POLL_S,
    EchoingOllama,
    FarAway,
    environment,
    free_port,
    serving,
)

asyncpg: Any = pytest.importorskip("asyncpg")

_MOST_EVENTS: Final = 100_000
WEB_AND_WORKERS: Final = ("web", "web", "worker", "worker", "worker")


def people(count: int) -> tuple[SimUser, ...]:
    return tuple(SimUser(f"5491155{number:06}", f"Person {number}") for number in range(count))


class Member:
    """One process of the service, `python -m app serve --role …`."""

    def __init__(self, role: str, directory: Path, env: Mapping[str, str], number: int) -> None:
        self.role = role
        self.port = free_port()
        self.base_url = f"http://127.0.0.1:{self.port}"
        self.log = directory / f"{role}-{number}.log"
        self._directory = directory
        self._env = {**os.environ, **env, "PORT": str(self.port), "DATA_DIR": str(directory / "data")}
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start the process; returns before it answers."""
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "app", "serve", "--verbose", "--role", self.role),
                cwd=self._directory,
                env=self._env,
                stdout=log,
                stderr=log,
            )

    @property
    def is_gone(self) -> bool:
        return self._process is None or self._process.returncode is not None

    async def up(self) -> None:
        """Wait until it answers."""
        async with httpx.AsyncClient(base_url=self.base_url, timeout=5) as client:
            while True:
                with suppress(httpx.HTTPError):
                    if (await client.get("/health/live")).is_success:
                        return
                if self.is_gone:
                    raise AssertionError(f"{self.role} is gone: {self.log.read_text()[-2000:]}")
                await asyncio.sleep(POLL_S)

    async def answers(self) -> bool:
        """Tell whether it answers now."""
        async with httpx.AsyncClient(base_url=self.base_url, timeout=1) as client:
            with suppress(httpx.HTTPError):
                return (await client.get("/health/live")).is_success
        return False

    async def end(self, how: signal.Signals) -> int:
        """Send a signal, and wait until the process is gone; returns how it ended."""
        if self._process is None:
            raise AssertionError("it was never started")
        if self._process.returncode is None:
            self._process.send_signal(how)
        return await self._process.wait()


@dataclass
class Fleet:
    """The processes and what surrounds them.

    `answers` counts what the address in front of them answered, `unreached` why it could not hand on a message.
    """

    members: list[Member]
    graph: SimulatedGraph
    ollama: EchoingOllama
    url: str
    rng: random.Random
    first: SimUser
    answers: Counter[int] = field(default_factory=Counter)
    unreached: Counter[str] = field(default_factory=Counter)

    @property
    def workers(self) -> list[Member]:
        return [member for member in self.members if member.role == "worker"]

    @property
    def webs(self) -> list[Member]:
        return [member for member in self.members if member.role == "web"]

    async def write(self, sender: SimUser, bodies: Sequence[str]) -> None:
        """Let a person write, each message after the one before was taken; Meta repeats what was not."""
        for body in bodies:
            message_id = new_message_id()
            while (await self.graph.receive(sender, text(body), message_id=message_id)).webhook_status != 200:
                await asyncio.sleep(POLL_S)

    async def answered(self, count: int) -> None:
        """Wait until that many different messages have an answer."""
        while len({send.text for send in self.graph.sends}) < count:
            await self.graph.transcript.wait_beyond(self.graph.transcript.last_seq)

    async def answered_to(self, person: SimUser, body: str) -> None:
        """Wait until that person has the answer to that message."""
        while all(send.text != f"re: {body}" for send in self.replies_to(person)):
            await self.graph.transcript.wait_beyond(self.graph.transcript.last_seq)

    async def post_something(self) -> int:
        """Bring a message of the first person's, once; returns what the service answers."""
        body = encode(webhook_payload(text_message("are you there?", sender=self.first.wa_id)))
        async with httpx.AsyncClient(timeout=20) as http:
            url = f"{self.webs[0].base_url}/webhook"
            return (await http.post(url, content=body, headers=signed_headers(body))).status_code

    async def settled(self) -> None:
        """Wait until every status was taken and nobody is owed anything."""
        await self.graph.idle()
        while {*await self.states("inbox"), *await self.states("outbox")} != {"done", "sent"}:
            await asyncio.sleep(POLL_S)

    async def states(self, table: str) -> Counter[str]:
        """Count the rows of `inbox` or `outbox` by state."""
        rows = await self.query(f"SELECT state, count(*) AS n FROM {table} GROUP BY state")
        return Counter({row["state"]: row["n"] for row in rows})

    async def query(self, sql: str) -> list[Any]:
        connection = await asyncpg.connect(self.url, timeout=10)
        try:
            return list(await connection.fetch(sql))
        finally:
            await connection.close()

    def replies_to(self, person: SimUser) -> list[RecordedSend]:
        return [send for send in self.graph.sends if send.recipient == person.wa_id]

    def complaints(self) -> list[str]:
        """What was logged as an error."""
        lines = [line for one in self.members for line in one.log.read_text("utf-8", "replace").splitlines()]
        return [line for line in lines if '"level": "error"' in line or "Traceback" in line]


@asynccontextmanager
async def open_fleet(
    directory: Path,
    url: str,
    *,
    roles: Sequence[str] = WEB_AND_WORKERS,
    users: Sequence[SimUser],
    ollama: EchoingOllama | None = None,
    seed: int = 1,
    **env: str,
) -> AsyncIterator[Fleet]:
    """Start the fakes and the processes, and wait until they answer; all is gone when the block ends."""
    rng = random.Random(seed)
    ollama = ollama or EchoingOllama(rng)
    graph = SimulatedGraph(PHONE_NUMBER_ID, access_token=ACCESS_TOKEN)
    graph.transcript = Transcript(max_events=_MOST_EVENTS)
    fakes = Starlette(routes=[Mount("/graph", FarAway(graph.app, rng)), Mount("/ollama/{number:int}", ollama.app)])
    async with serving(fakes) as fakes_url, httpx.AsyncClient(timeout=20) as http:
        allowed = ",".join(user.wa_id for user in users)
        values = {**environment(fakes_url), "DATABASE_URL": url, "ALLOWED_PHONE_NUMBERS": allowed, **env}
        members = []
        for number, role in enumerate(roles):
            # Whoever answers knows who asks.
            own = {"OLLAMA_BASE_URL": f"{fakes_url}/ollama/{number}"}
            members.append(Member(role, directory, {**values, **own}, number))
        fleet = Fleet(members, graph, ollama, url, rng, users[0])

        async def balance(body: bytes, headers: Mapping[str, str]) -> int:
            """A proxy: any web process, another one where nobody listens; 502 where nobody does at all."""
            for member in rng.sample(fleet.webs, len(fleet.webs)):
                try:
                    response = await http.post(f"{member.base_url}/webhook", content=body, headers=dict(headers))
                except (httpx.ConnectError, httpx.ConnectTimeout) as exc:
                    fleet.unreached[type(exc).__name__] += 1
                else:
                    fleet.answers[response.status_code] += 1
                    return response.status_code
            fleet.answers[502] += 1
            return 502

        graph.connect(balance, APP_SECRET)
        try:
            async with graph.running():
                for member in members:
                    await member.start()
                await asyncio.gather(*(member.up() for member in members))
                yield fleet
        finally:
            ollama.release()
            for member in members:
                if not member.is_gone:
                    await member.end(signal.SIGKILL)
