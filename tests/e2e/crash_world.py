"""The service as a real process, between a simulated Graph and a fake Ollama, all on loopback sockets."""

import asyncio
import json
import os
import random
import shutil
import signal
import socket
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.database.sqlite import sqlite
from app.pipeline.answering.builder import NOTE_OPENING
from app.simulator.graph import SimulatedGraph, new_message_id
from app.simulator.payloads import SimUser, text
from app.simulator.transcript import RecordedSend
from tests.builders import APP_SECRET, PHONE_NUMBER_ID, VERIFY_TOKEN
from tests.databases import beside, lay_down, place_of, rows_in, settings_of
from tests.fakes.ollama import chunk, last_chunk

USERS: Final = tuple(SimUser(f"54911555502{n:02}", f"Person {n}") for n in range(8))
MODEL: Final = "fake:1b"
ACCESS_TOKEN: Final = "an-access-token-that-only-tests-know"
REPOSITORY: Final = Path(__file__).resolve().parents[2]
POLL_S: Final = 0.03
GRACE_S: Final = 5.0
_IS_THERE: Final = "SELECT 1 FROM information_schema.tables WHERE table_name = 'outbox'"


class EchoingOllama:
    """Answers "re: <newest text>" after a random part of `delay_s`; keeps every prompt it was shown.

    `hold()` keeps the answers that come after it back until `release()`; `started` is set by each call.
    """

    def __init__(self, rng: random.Random, *, delay_s: float = 0.15) -> None:
        self.prompts: list[str] = []
        self.started = asyncio.Event()
        self._rng = rng
        self._delay_s = delay_s
        self._open = asyncio.Event()
        self._open.set()
        self.app = Starlette(
            routes=[Route("/api/chat", self._chat, methods=["POST"]), Route("/api/tags", self._tags)]
        )

    def hold(self) -> None:
        self.started.clear()
        self._open.clear()

    def release(self) -> None:
        self._open.set()

    async def _chat(self, request: Request) -> Response:
        body = json.loads(await request.body())
        self.prompts.append("\n".join(message["content"] for message in body["messages"]))
        self.started.set()
        return StreamingResponse(self._lines(self.answer_to(body)), media_type="application/x-ndjson")

    def answer_to(self, body: Mapping[str, Any]) -> str:
        """Echo the person's words, below what is known and above the note that belongs to them."""
        newest: str = body["messages"][-1]["content"].partition(f"\n\n{NOTE_OPENING}")[0]
        return "re: " + newest.rpartition("\n\n")[2]

    async def _lines(self, answer: str) -> AsyncIterator[str]:
        await asyncio.sleep(self._rng.uniform(0, self._delay_s))
        await self._open.wait()
        for line in (chunk(answer), last_chunk()):
            yield json.dumps(line) + "\n"

    async def _tags(self, request: Request) -> Response:
        return JSONResponse({"models": [{"name": MODEL, "model": MODEL, "size": 1}]})


class FarAway:
    """Puts a random distance before and after an ASGI application.

    A request that has arrived is carried out, also when its sender dies meanwhile and nobody reads the
    answer: the Graph edge.
    """

    def __init__(self, app: ASGIApp, rng: random.Random, *, delay_s: float = 0.03) -> None:
        self._app = app
        self._rng = rng
        self._delay_s = delay_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        arrived: list[Message] = [await receive()]
        while arrived[-1].get("more_body"):
            arrived.append(await receive())

        async def receive_arrived() -> Message:
            return arrived.pop(0) if arrived else await receive()

        async def send_later(message: Message) -> None:
            if message["type"] == "http.response.start":
                await self._travel()
            await send(message)

        await self._travel()
        await self._app(scope, receive_arrived, send_later)

    async def _travel(self) -> None:
        await asyncio.sleep(self._rng.uniform(0, self._delay_s))


class Service:
    """`python -m app serve` over one data directory; it can be killed and started again.

    `module` may be set to another than `app`, which then does as `app` does and spoils something.

    `up` is set while it answers. `photographs` holds, for each kill, the outbox rows whose outcome nobody
    knew at that moment.
    """

    def __init__(self, directory: Path, env: Mapping[str, str], port: int, up: asyncio.Event) -> None:
        self.base_url = f"http://127.0.0.1:{port}"
        self.database = place_of(directory / "data")
        self.log = directory / "service.log"
        self.up = up
        self.module = "app"
        self.photographs: list[frozenset[str]] = []
        self._directory = directory
        own = {"PORT": str(port), "DATA_DIR": str(directory / "data"), **settings_of(directory / "data")}
        self._env = {**os.environ, **own, **env}
        self._process: asyncio.subprocess.Process | None = None
        self._watch: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start the process; returns before it answers."""
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                self.module,
                "serve",
                "--verbose",
                cwd=self._directory,
                env=self._env,
                stdout=log,
                stderr=log,
            )
        self._watch = asyncio.create_task(self._notice_up(), name="service watch")

    async def kill(self) -> None:
        """End the process without a word, and photograph what it left on disk."""
        await self._end(signal.SIGKILL)
        self.photographs.append(await self._rows_in_doubt())

    async def stop(self) -> int:
        """Ask the process to end, and return how it did; see `asyncio.subprocess.Process.returncode`."""
        return await self._end(signal.SIGTERM)

    def ask_to_stop(self) -> None:
        """Send SIGTERM without waiting."""
        self._signal(signal.SIGTERM)

    async def aclose(self) -> None:
        """Leave no process behind, however the test ended."""
        if not self.is_gone:
            await self._end(signal.SIGKILL)

    @property
    def is_gone(self) -> bool:
        """The process ended, or was never started; the end of `log` may tell why."""
        return self._process is None or self._process.returncode is not None

    async def states(self, table: str) -> Counter[str]:
        """Count the rows of `inbox` or `outbox` by state; empty while there is no schema."""
        return Counter(state for (state,) in await _read(self.database, f"SELECT state FROM {table}"))

    async def attempts(self) -> list[tuple[str, int]]:
        """The state and the counted attempts of every inbox row, oldest first."""
        rows = await _read(self.database, "SELECT state, attempts FROM inbox ORDER BY id")
        return [(str(state), int(n)) for state, n in rows]

    def complaints(self) -> list[str]:
        """What the service logged as an error."""
        lines = self.log.read_text("utf-8", "replace").splitlines()
        return [line for line in lines if '"level": "error"' in line or "Traceback" in line]

    async def _end(self, how: signal.Signals) -> int:
        self._signal(how)
        if self._process is None:
            raise AssertionError("the service was never started")
        status = await self._process.wait()
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.wait([self._watch])
        # The watch may have read a last answer of the process that was dying.
        self.up.clear()
        return status

    def _signal(self, how: signal.Signals) -> None:
        self.up.clear()
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(how)

    async def _notice_up(self) -> None:
        """Another process starts, and tells nobody: ask until it answers."""
        async with httpx.AsyncClient(base_url=self.base_url, timeout=1) as client:
            while not self.up.is_set() and not self.is_gone:
                with suppress(httpx.HTTPError):
                    if (await client.get("/health/live")).is_success:
                        self.up.set()
                await asyncio.sleep(POLL_S)

    async def _rows_in_doubt(self) -> frozenset[str]:
        copy = self._copied(self.database) if isinstance(self.database, Path) else self.database
        if isinstance(copy, str):
            await _nobody_is_connected(copy)
        rows = await _read(copy, "SELECT tracker FROM outbox WHERE state IN ('sending', 'unknown')")
        return frozenset(str(row_id) for (row_id,) in rows)

    def _copied(self, file: Path) -> Path:
        """Copy the file: opening the real one would tidy up what the crash left for the next start."""
        album = self._directory / f"photograph-{len(self.photographs)}"
        album.mkdir()
        for name in (file.name, f"{file.name}-wal"):
            if (file.parent / name).exists():
                shutil.copy2(file.parent / name, album / name)
        return album / file.name


@dataclass
class World:
    """A service and what surrounds it."""

    service: Service
    graph: SimulatedGraph
    ollama: EchoingOllama
    rng: random.Random

    async def write(self, sender: SimUser, bodies: list[str]) -> None:
        """Let a person write, each message after the one before was taken; Meta repeats what was not."""
        for body in bodies:
            message_id = new_message_id()
            while (await self.graph.receive(sender, text(body), message_id=message_id)).webhook_status != 200:
                await asyncio.sleep(POLL_S)
                await self.service.up.wait()

    async def progress(self, steps: int) -> None:
        """Wait until that many messages have been written or answered, counted together."""
        while self._steps() < steps:
            await self.graph.transcript.wait_beyond(self.graph.transcript.last_seq)

    async def answered(self, count: int) -> None:
        """Wait until that many different messages have an answer."""
        while len({send.text for send in self.graph.sends}) < count:
            await self.graph.transcript.wait_beyond(self.graph.transcript.last_seq)

    async def settled(self) -> None:
        """Wait until every status was taken and the service owes nobody anything."""
        await self.graph.idle()
        finished = {"done", "sent"}
        while {*await self.service.states("inbox"), *await self.service.states("outbox")} != finished:
            await asyncio.sleep(POLL_S)

    def replies_to(self, person: SimUser) -> list[RecordedSend]:
        return [send for send in self.graph.sends if send.recipient == person.wa_id]

    def _steps(self) -> int:
        written = sum(event.kind == "inbound" for event in self.graph.transcript.events)
        return written + len({send.text for send in self.graph.sends})


@asynccontextmanager
async def open_world(
    directory: Path, seed: int, *, ollama: EchoingOllama | None = None, module: str = "app", **env: str
) -> AsyncIterator[World]:
    """Start the fakes and the service, and wait until it answers; everything is gone when the block ends."""
    rng = random.Random(seed)
    port = free_port()
    ollama = ollama or EchoingOllama(rng)
    up = asyncio.Event()

    async def until_up(seconds: float) -> None:
        """The courier's pause: Meta's minutes shrink to the time until somebody answers again."""
        await asyncio.sleep(POLL_S)
        await up.wait()

    graph = SimulatedGraph(PHONE_NUMBER_ID, access_token=ACCESS_TOKEN, sleep=until_up)
    fakes = Starlette(routes=[Mount("/graph", FarAway(graph.app, rng)), Mount("/ollama", ollama.app)])
    async with serving(fakes) as fakes_url, httpx.AsyncClient(timeout=10) as webhook:
        await lay_down(place_of(directory / "data"), is_migrated=False)
        service = Service(directory, {**environment(fakes_url), **env}, port, up)
        service.module = module

        async def post_webhook(body: bytes, headers: Mapping[str, str]) -> int:
            url = f"{service.base_url}/webhook"
            return (await webhook.post(url, content=body, headers=dict(headers))).status_code

        graph.connect(post_webhook, APP_SECRET)
        try:
            async with graph.running():
                await service.start()
                await service.up.wait()
                yield World(service, graph, ollama, rng)
        finally:
            ollama.release()
            await service.aclose()


@asynccontextmanager
async def serving(app: ASGIApp) -> AsyncIterator[str]:
    """Serve an application on a free loopback port while the block runs; yields its base URL."""
    config = uvicorn.Config(
        app, log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=int(GRACE_S)
    )
    server = _Server(config)
    listening = socket.create_server(("127.0.0.1", 0))
    task = asyncio.create_task(server.serve([listening]), name="fakes")
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task


class _Server(uvicorn.Server):
    """Leaves the signals of the test process to pytest."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def environment(fakes_url: str) -> dict[str, str]:
    return {
        "PYTHONPATH": str(REPOSITORY),
        "WHATSAPP_ACCESS_TOKEN": ACCESS_TOKEN,
        "WHATSAPP_PHONE_NUMBER_ID": PHONE_NUMBER_ID,
        "WHATSAPP_VERIFY_TOKEN": VERIFY_TOKEN,
        "WHATSAPP_APP_SECRET": APP_SECRET,
        "WHATSAPP_API_BASE_URL": f"{fakes_url}/graph",
        "ALLOWED_PHONE_NUMBERS": ",".join(user.wa_id for user in USERS),
        "LLM_PROVIDER": "ollama",
        "LLM_MAX_CONCURRENT": "4",
        "OLLAMA_BASE_URL": f"{fakes_url}/ollama",
        "OLLAMA_MODEL": MODEL,
        "DEBOUNCE_MS": "0",
        "RATE_LIMIT_MAX": "1000",
        "LOG_LEVEL": "INFO",
        "LOG_JSON": "true",
    }


def free_port() -> int:
    """A port below the range from which the kernel serves clients: nobody takes it while the service is dead."""
    for port in random.SystemRandom().sample(range(20_000, 32_000), 50):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError("no free port in fifty tries")


async def _nobody_is_connected(url: str) -> None:
    """Wait until the server noticed the death of the service: it still ends what it was told to do."""
    others = "SELECT 1 FROM pg_stat_activity WHERE datname = ? AND backend_type = 'client backend'"
    name = url.partition("?")[0].rpartition("/")[2]
    while await rows_in(beside(url), others, name):
        await asyncio.sleep(POLL_S)


async def _read(database: Path | str, query: str) -> list[tuple[Any, ...]]:
    """Run a query; nothing when the database or its tables do not exist yet."""
    if isinstance(database, Path):
        return _read_file(database, query)
    return await rows_in(database, query) if await rows_in(database, _IS_THERE) else []


def _read_file(file: Path, query: str) -> list[tuple[Any, ...]]:
    if not file.exists():
        return []
    with closing(sqlite.connect(file)) as connection:
        try:
            return list(connection.execute(query))
        except sqlite.OperationalError:
            return []
