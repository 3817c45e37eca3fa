"""The whole application under test: signed webhooks in, Graph calls out, nothing in between replaced."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from pydantic import BaseModel
from starlette.types import Message, Scope

from app.bootstrap import Ports, Services
from app.bootstrap.connections import StopLimits
from app.config import Settings
from app.database.db import Value
from app.domain.health import Examine
from app.domain.ports import ChatModel, Children, Embedder
from app.llm.profiles import ModelProfile
from app.llm.providers import ModelBinding
from app.main import create_app
from app.simulator.graph import SimulatedGraph
from app.simulator.payloads import SimUser, text
from app.telemetry.router import Meter
from tests.builders import (
    ALICE,
    APP_SECRET,
    BOB,
    PHONE_NUMBER_ID,
    VERIFY_TOKEN,
    encode,
    signed_headers,
    webhook_payload,
)
from tests.databases import is_on_server, lay_down, place_of, rows_in
from tests.fakes.clock import FrozenClock
from tests.fakes.embedder import HashEmbedder
from tests.fakes.llm import ScriptedChatModel

ACCESS_TOKEN = "an-access-token-that-only-tests-know"
PEOPLE: Mapping[str, SimUser] = {ALICE: SimUser(ALICE, "Alice"), BOB: SimUser(BOB, "Bob")}
WAIT_S = 60
"""Nothing waits that long: it ends a test that would never end, and no turn that a busy machine delays."""
NATIVE = ModelProfile("scripted", tool_protocol="native", leaves_meta_tool_alone=False)
CONSTRAINED = ModelProfile("scripted")


def _unreachable(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("tests have no internet", request=request)


IN_GOOD_ORDER = StopLimits()
AT_ONCE = StopLimits(turns_s=0, jobs_s=0, sends_s=0)
"""For a stop that finds something running which never ends: nobody waits for it."""
NO_INTERNET = httpx.MockTransport(_unreachable)


class GivenSettings(Settings):
    """Settings that nothing outside of a test changes: neither the environment nor a file is looked for."""

    def __init__(self, **values: Any) -> None:
        BaseModel.__init__(self, **values)


def make_settings(data_dir: Path, **overrides: Any) -> Settings:
    """Settings with a WhatsApp account, two allowed people (Alice is the admin), and no debounce."""
    values: dict[str, Any] = {
        "whatsapp_access_token": ACCESS_TOKEN,
        "whatsapp_phone_number_id": PHONE_NUMBER_ID,
        "whatsapp_verify_token": VERIFY_TOKEN,
        "whatsapp_app_secret": APP_SECRET,
        "allowed_phone_numbers": (ALICE, BOB),
        "admin_phone_numbers": (ALICE,),
        "whatsapp_api_base_url": "http://graph.test",
        "data_dir": data_dir,
        "debounce_ms": 0,
        "rate_limit_max": 1000,
    }
    if is_on_server() and "database_path" not in overrides:
        values["database_url"] = place_of(data_dir)
    return GivenSettings(**{**values, **overrides})


@dataclass
class AppUnderTest:
    """A running application and the world around it."""

    http: httpx.AsyncClient
    graph: SimulatedGraph
    llm: ScriptedChatModel
    clock: FrozenClock
    services: Services
    data_dir: Path
    database: Path | str

    async def rows(self, query: str, *values: Value) -> list[tuple[Any, ...]]:
        """Look into the database of the service, whichever it is."""
        return await rows_in(self.database, query, *values)

    async def post(self, *messages: dict[str, Any], statuses: tuple[dict[str, Any], ...] = ()) -> int:
        """Deliver one webhook as Meta would; returns the HTTP status."""
        return await self.post_raw(encode(webhook_payload(*messages, statuses=statuses)))

    async def post_raw(self, body: bytes, headers: Mapping[Any, Any] | None = None) -> int:
        response = await self.http.post(
            "/webhook", content=body, headers=signed_headers(body) if headers is None else headers
        )
        return response.status_code

    async def receive(self, sender: str, body: str, *, quote: str | None = None) -> str:
        """Let a person write from their phone; returns the id of their message."""
        receipt = await self.graph.receive(PEOPLE[sender], text(body), quote_id=quote)
        assert receipt.webhook_status == 200
        return receipt.id

    async def say(self, sender: str, body: str, *, quote: str | None = None) -> str:
        """As `receive`, then wait until everything that follows is done."""
        message_id = await self.receive(sender, body, quote=quote)
        await self.idle()
        return message_id

    async def idle(self) -> None:
        async with asyncio.timeout(WAIT_S):
            await self.services.idle()
            await self.graph.idle()
            await self.services.idle()

    async def let_time_pass(self) -> None:
        """As `idle`, moving the clock meanwhile for those who wait inside a turn."""
        async with asyncio.timeout(WAIT_S):
            done = asyncio.ensure_future(self.services.idle())
            while not done.done():
                await self.clock.advance(0.5)

    def replies_to(self, person: str) -> list[str]:
        """What the person can read from us, in order."""
        return [send.text for send in self.graph.sends if send.recipient == person]


@asynccontextmanager
async def running_app(
    data_dir: Path,
    *,
    llm: ChatModel | ModelBinding | None = None,
    clock: FrozenClock | None = None,
    profile: ModelProfile = NATIVE,
    web: httpx.AsyncBaseTransport | None = None,
    meta: httpx.AsyncBaseTransport | None = None,
    children: Children | None = None,
    embedder: Embedder | None = None,
    stop: StopLimits = IN_GOOD_ORDER,
    examine: Examine | None = None,
    meter: Meter | None = None,
    **overrides: Any,
) -> AsyncIterator[AppUnderTest]:
    """Start the application over a data directory; a second start over the same one is a restart.

    A new directory gets a copy of a database that the migrations made once, instead of running them again.
    `web` answers for the rest of the internet: the registries of servers, the weather; without it nobody does.
    `meta` answers instead of the simulated Graph. Without an `embedder`, one that knows no meaning: then the
    model sorts messages.
    """
    clock = clock or FrozenClock()
    llm = llm or ScriptedChatModel(echo=True)
    if isinstance(llm, ScriptedChatModel) and llm.category is None:
        llm.category = "none"
    graph = SimulatedGraph(PHONE_NUMBER_ID, access_token=ACCESS_TOKEN, now=clock.now, sleep=clock.sleep)
    opened = llm if isinstance(llm, ModelBinding) else ModelBinding(llm, profile)
    ports = Ports(
        graph_transport=meta or httpx.ASGITransport(graph.app),
        web_transport=web or NO_INTERNET,
        chat=opened,
        embedder=embedder or HashEmbedder(),
        clock=clock,
        children=children,
        stop=stop,
        examine=examine,
        meter=meter,
    )
    settings = make_settings(data_dir, **overrides)
    if settings.database in (settings.own_database_file, place_of(data_dir)):
        await lay_down(settings.database)
    async with AsyncExitStack() as stack:
        app = create_app(settings, ports)
        http = await stack.enter_async_context(
            httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://app.test")
        )

        graph.connect(partial(_post_webhook, app), APP_SECRET)
        services = await stack.enter_async_context(lifespan(app))
        await stack.enter_async_context(graph.running())
        running: Any = (http, graph, llm, clock, services, data_dir, settings.database)  # any fake will do
        yield AppUnderTest(*running)


async def _post_webhook(app: FastAPI, body: bytes, headers: Mapping[str, str]) -> int:
    """Hand a webhook to the application as a server would; a client of HTTP is a tenth of the time of a turn."""
    arriving: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
    told: list[int] = []
    named = {"host": "app.test", "content-length": str(len(body)), **headers}

    async def receive() -> Message:
        return arriving.pop() if arriving else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            told.append(message["status"])

    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/webhook",
        "raw_path": b"/webhook",
        "query_string": b"",
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in named.items()],
        "client": ("127.0.0.1", 123),
        "server": ("app.test", None),
    }
    await app(scope, receive, send)
    return told[0]


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[Services]:
    """Open the application's lifespan, as a server would."""
    async with app.router.lifespan_context(app):
        yield app.state.services
