"""Web and worker processes on one PostgreSQL, side by side in one test: what one process does, two do."""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.bootstrap import Ports
from app.domain.clock import SystemClock
from app.domain.errors import ConfigError
from app.domain.roles import Role
from app.language.catalogue import LANGUAGES, say
from app.llm.providers import ModelBinding
from app.main import create_app
from app.pipeline.texts import PIPELINE
from app.simulator import payloads
from app.simulator.graph import SimulatedGraph
from app.skills.tools.reminders.templates import NAME
from tests.builders import ALICE, APP_SECRET, BOB, PHONE_NUMBER_ID
from tests.databases import rows_in
from tests.e2e.asking import calls
from tests.e2e.visiting import ADDRESS, Browser, use
from tests.fakes.embedder import HashEmbedder
from tests.fakes.llm import ScriptedChatModel
from tests.harness import ACCESS_TOKEN, NATIVE, NO_INTERNET, PEOPLE, WAIT_S, lifespan, make_settings
from tests.postgresql import Server

FLOUR = ("write_file", {"path": "flour.txt", "content": "flour\n", "mode": "append"})


def written(data_dir: Path) -> list[str]:
    return [path.read_text() for path in data_dir.glob("users/*/flour.txt")]


@dataclass(frozen=True)
class Door:
    """A process as a browser has it."""

    http: httpx.AsyncClient


@dataclass
class Parts:
    """Processes of the service; `webs` and `workers` are ways to ask them."""

    graph: SimulatedGraph
    models: list[ScriptedChatModel]
    webs: list[httpx.AsyncClient]
    workers: list[httpx.AsyncClient]

    async def receive(self, sender: str, body: str) -> None:
        assert (await self.graph.receive(PEOPLE[sender], payloads.text(body))).webhook_status == 200

    async def told(self, person: str, count: int) -> list[str]:
        """Wait until that person was sent so many messages."""
        async with asyncio.timeout(WAIT_S):
            while len(sent := [one.text for one in self.graph.sends if one.recipient == person]) < count:
                await self.graph.transcript.wait_beyond(self.graph.transcript.last_seq)
        return sent


@asynccontextmanager
async def running(
    data_dir: Path,
    url: str,
    *roles: Role,
    model: ScriptedChatModel | Sequence[ScriptedChatModel],
    users: Sequence[str] = (),
    is_apart: bool = False,
    internet: httpx.AsyncBaseTransport = NO_INTERNET,
    **overrides: Any,
) -> AsyncIterator[Parts]:
    """Start processes of these roles; messages come in at the web ones in turn.

    All workers have one model, or one each. Those that are apart have a `DATA_DIR` each, as on several machines.
    With `users`, each process connects to the database as another one.
    """
    models = iter([model] * len(roles) if isinstance(model, ScriptedChatModel) else model)
    graph = SimulatedGraph(PHONE_NUMBER_ID, access_token=ACCESS_TOKEN)
    parts = Parts(graph, [], [], [])
    posted = 0

    async def post_webhook(body: bytes, headers: Mapping[str, str]) -> int:
        nonlocal posted
        posted += 1
        web = parts.webs[posted % len(parts.webs)]
        return (await web.post("/webhook", content=body, headers=dict(headers))).status_code

    graph.connect(post_webhook, APP_SECRET)
    async with AsyncExitStack() as stack:
        for number, role in enumerate(roles):
            ports = Ports(
                graph_transport=httpx.ASGITransport(graph.app),
                web_transport=internet,
                chat=ModelBinding(next(models), NATIVE) if role == "worker" else None,
                embedder=HashEmbedder(),
                clock=SystemClock(),
            )
            folder = data_dir / f"machine-{number}" if is_apart else data_dir
            place = url.replace("//postgres@", f"//{users[number]}@") if users else url
            settings = make_settings(folder, database_url=place, agent_write_enabled=True, **overrides)
            app = create_app(settings, ports, role)
            transport = httpx.ASGITransport(app)
            http = await stack.enter_async_context(
                httpx.AsyncClient(transport=transport, base_url="http://app.test")
            )
            await stack.enter_async_context(lifespan(app))
            (parts.webs if role == "web" else parts.workers).append(http)
        await stack.enter_async_context(graph.running())
        yield parts


@pytest.fixture
def url(postgresql: Server) -> str:
    return postgresql.clean()


async def test_what_comes_in_at_two_doors_is_answered_by_two_workers_in_order(tmp_path: Path, url: str) -> None:
    model = ScriptedChatModel(echo=True)
    model.category = "none"
    async with running(tmp_path, url, "web", "web", "worker", "worker", model=model) as parts:
        for n in range(6):
            for person in (ALICE, BOB):
                await parts.receive(person, f"good morning {n}")
        for person in (ALICE, BOB):
            assert [text.split()[-1] for text in await parts.told(person, 6)] == [str(n) for n in range(6)]


@pytest.mark.needs("files")
async def test_a_typed_yes_that_another_process_took_in_reaches_the_turn_that_asked(
    tmp_path: Path, url: str
) -> None:
    model = ScriptedChatModel(calls(FLOUR), "Written.")
    model.category = "files"
    async with running(tmp_path, url, "web", "worker", "worker", model=model) as parts:
        await parts.receive(ALICE, "write flour into a file, please")
        await parts.told(ALICE, 1)
        await parts.graph.idle()
        await parts.receive(ALICE, "yes")
        assert (await parts.told(ALICE, 2))[-1] == "Written."
    assert written(tmp_path) == ["flour\n"]


async def test_cancel_stops_a_turn_in_another_process(tmp_path: Path, url: str) -> None:
    model = ScriptedChatModel(echo=True)
    model.category = "none"
    async with running(tmp_path, url, "web", "worker", "worker", model=model) as parts:
        model.block()
        await parts.receive(ALICE, "good morning")
        async with asyncio.timeout(WAIT_S):
            await model.started.wait()
        await parts.receive(ALICE, "/cancel")
        await parts.told(ALICE, 1)
        assert model.cancelled == 1
        model.release()
        await parts.receive(ALICE, "good evening")
        assert (await parts.told(ALICE, 2))[-1] == "echo: good evening"


async def test_status_names_the_processes_and_each_is_ready_for_its_role(tmp_path: Path, url: str) -> None:
    model = ScriptedChatModel(echo=True)
    model.category = "none"
    async with running(tmp_path, url, "web", "worker", model=model) as parts:
        await parts.receive(ALICE, "/status")
        [status] = await parts.told(ALICE, 1)
        ready = [(await one.get("/health/ready")).json() for one in (*parts.webs, *parts.workers)]
    assert [line for line in status.splitlines() if "web " in line and "worker " in line]
    assert [(one["role"], one["status"]) for one in ready] == [("web", "ready"), ("worker", "ready")]


async def test_who_writes_too_fast_at_two_doors_waits_as_at_one_and_is_told_once(tmp_path: Path, url: str) -> None:
    model = ScriptedChatModel(echo=True)
    model.category = "none"
    slow: dict[str, Any] = {"rate_limit_max": 3, "rate_limit_window": 3600}
    async with running(tmp_path, url, "web", "web", "worker", model=model, **slow) as parts:
        for n in range(6):
            await parts.receive(ALICE, f"good morning {n}")
        told = await parts.told(ALICE, 4)
        rows = await rows_in(url, "SELECT available_at - received_at FROM inbox ORDER BY id")
    # The language is that of the number until the first turn has settled it.
    notices = {say(PIPELINE.rate_limited, language) for language in LANGUAGES}
    assert [one for one in told if one not in notices] == [f"echo: good morning {n}" for n in range(3)]
    assert [round(delay_ms / 60_000) for (delay_ms,) in rows] == [0, 0, 0, 20, 40, 60]


async def test_a_worker_takes_up_what_came_in_while_there_was_none(tmp_path: Path, url: str) -> None:
    model = ScriptedChatModel(echo=True)
    model.category = "none"
    async with running(tmp_path, url, "web", model=model) as parts:
        await parts.receive(ALICE, "good morning")
    async with running(tmp_path, url, "web", "worker", model=model) as parts:
        assert await parts.told(ALICE, 1) == ["echo: good morning"]


async def test_a_role_without_postgresql_or_with_the_simulator_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--role worker is for several processes on one PostgreSQL"):
        async with lifespan(create_app(make_settings(tmp_path), Ports(), "worker")):
            pass
    simulated = make_settings(tmp_path, database_url="postgresql://nobody@127.0.0.1:1/x", simulator_enabled=True)
    with pytest.raises(ConfigError, match=r"--role web needs a WhatsApp account"):
        async with lifespan(create_app(simulated, Ports(), "web")):
            pass


@pytest.mark.needs("files", "oversight")
async def test_an_answer_in_the_home_of_a_web_process_reaches_the_worker_that_waits(
    tmp_path: Path, url: str
) -> None:
    model = ScriptedChatModel(calls(FLOUR), "Written.")
    model.category = "files"
    async with running(tmp_path, url, "web", "worker", "worker", model=model, public_url=ADDRESS) as parts:
        await parts.receive(ALICE, "/home")
        link = re.search(rf"{ADDRESS}(/home/in/\S+)", (await parts.told(ALICE, 1))[0])
        assert link is not None
        browser = Browser(Door(parts.webs[0]))
        assert (await use(browser, link[1])).status_code == 303
        await parts.receive(ALICE, "write flour into a file, please")
        await parts.told(ALICE, 2)
        proof = await browser.proof("/home/questions")
        [run, *_] = re.findall(r'name="button" value="([^"]+)"', (await browser.get("/home/questions")).text)
        for _ in range(2):
            assert (await browser.post("/home/questions/answer", proof=proof, button=run)).status_code == 303
        told = await parts.told(ALICE, 4)
        assert told[-1] == "Written.", told
    assert written(tmp_path) == ["flour\n"], "once"


@pytest.mark.needs("reminders")
async def test_what_meta_says_of_a_template_at_one_door_is_asked_about_by_the_worker(
    tmp_path: Path, url: str
) -> None:
    account: dict[str, Any] = {"whatsapp_business_account_id": "1029384756"}
    model = ScriptedChatModel(echo=True)
    async with running(tmp_path, url, "web", "web", "worker", "worker", model=model, **account) as parts:
        await parts.receive(ALICE, "/plantillas crear")
        await parts.told(ALICE, 1)
        parts.graph.decide_template(NAME, "es", "APPROVED")
        assert "(es): aprobada" in (await parts.told(ALICE, 2))[-1]
