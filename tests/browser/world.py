"""The real application with the simulator's page, served on loopback, and a script for its model."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx
import uvicorn
from fastapi import FastAPI

from app.bootstrap import Ports, Services
from app.cli.connect.guide import connect_inside
from app.database.db import Database
from app.database.repositories.turn_paths import TurnPaths
from app.domain.chat import ModelState
from app.llm.providers import ModelBinding
from app.main import create_app
from app.simulator.clock import OffsetClock
from app.simulator.graph import SimulatedGraph
from app.simulator.page import create_router
from app.simulator.people import DEFAULT_USERS, SPARE_USERS
from app.web.guard import Guard
from tests.browser.play import MAX_LINES, play
from tests.builders import APP_SECRET, PHONE_NUMBER_ID
from tests.fakes.embedder import HashEmbedder
from tests.fakes.llm import ScriptedChatModel
from tests.harness import ACCESS_TOKEN, NATIVE, lifespan, make_settings

ANA, BEN = DEFAULT_USERS
TOKEN = "a-token-that-only-the-browser-knows"


@dataclass
class BrowserWorld:
    """Where the page is, and the hands of the one who directs the play."""

    url: str
    graph: SimulatedGraph
    llm: ScriptedChatModel
    clock: OffsetClock
    http: httpx.AsyncClient

    async def send(self, to: str, **payload: object) -> str:
        """Send as the assistant would, through the Graph API; the id of the message."""
        body = {"messaging_product": "whatsapp", "to": to, **payload}
        response = await self.http.post(f"/v26.0/{PHONE_NUMBER_ID}/messages", json=body)
        return str(response.raise_for_status().json()["messages"][0]["id"])

    async def try_send(self, to: str) -> int:
        """Send a text and tell how Graph answered: 200, its error code, or 0 when nobody was there."""
        body = {"messaging_product": "whatsapp", "to": to, "type": "text", "text": {"body": "a try"}}
        try:
            response = await self.http.post(f"/v26.0/{PHONE_NUMBER_ID}/messages", json=body)
        except httpx.ConnectError:
            return 0
        return 200 if response.is_success else int(response.json()["error"]["code"])


@asynccontextmanager
async def browser_world(data_dir: Path, model: ModelBinding | None = None) -> AsyncIterator[BrowserWorld]:
    """Serve the page; Ana and Ben are allowed, and without a `model` one speaks as in `play`."""
    clock = OffsetClock(data_dir / "clock.json")
    graph = SimulatedGraph(
        PHONE_NUMBER_ID,
        access_token=ACCESS_TOKEN,
        log_path=data_dir / "simulator.jsonl",
        media_dir=data_dir / "media",
        now=clock.now,
        sleep=clock.sleep,
    )
    llm = ScriptedChatModel(*[play] * MAX_LINES)
    llm.category = "math, files"
    llm.model_state = ModelState(name="scripted", state="ready")
    transport = httpx.ASGITransport(graph.app)
    numbers = tuple(user.wa_id for user in (*DEFAULT_USERS, *SPARE_USERS))
    settings = make_settings(
        data_dir, allowed_phone_numbers=numbers, admin_phone_numbers=numbers[:1], agent_write_enabled=True
    )
    app = create_app(
        settings,
        Ports(
            graph_transport=transport,
            chat=model or ModelBinding(llm, NATIVE),
            embedder=None if model else HashEmbedder(),
            clock=clock,
            connect=partial(connect_inside, env_path=data_dir / ".env"),
        ),
    )
    async with AsyncExitStack() as stack:
        stack.callback(graph.close_streams)
        services = await stack.enter_async_context(lifespan(app))
        db = await stack.enter_async_context(Database.open(settings.database_file))
        app.include_router(
            create_router(
                graph, Guard(TOKEN), describe=_describer(services), turn_path=TurnPaths(db).find, clock=clock
            )
        )
        url = await stack.enter_async_context(serving(app))
        door = await stack.enter_async_context(httpx.AsyncClient(base_url=url))

        async def post_webhook(body: bytes, headers: Mapping[str, str]) -> int:
            return (await door.post("/webhook", content=body, headers=dict(headers))).status_code

        graph.connect(post_webhook, APP_SECRET)
        await stack.enter_async_context(graph.running())
        http = await stack.enter_async_context(
            httpx.AsyncClient(
                transport=transport,
                base_url="http://graph.test",
                headers={"Authorization": f"Bearer {ACCESS_TOKEN}"},
            )
        )
        yield BrowserWorld(url, graph, llm, clock, http)


@asynccontextmanager
async def serving(app: FastAPI) -> AsyncIterator[str]:
    """Serve on a free loopback port while the block runs; its lifespan is somebody else's."""
    config = uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    listening = socket.create_server(("127.0.0.1", 0))
    task = asyncio.create_task(server.serve([listening]), name="page")
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task


def _describer(services: Services) -> Callable[[], Awaitable[dict[str, str]]]:
    async def describe() -> dict[str, str]:
        state = await services.model_state()
        return {"model": state.name, "state": state.state, "detail": state.detail}

    return describe
