"""The composition root: the only package that knows concrete classes and settings."""

import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

import httpx
from fastapi import APIRouter
from starlette.types import ASGIApp

from app.bootstrap.account import choose_account, open_simulator
from app.bootstrap.connections import Connections, Ports, StopLimits, connect, connect_templates, connect_whatsapp
from app.bootstrap.pipeline import Pipeline, build_pipeline, start_pipeline, start_web, start_worker
from app.bootstrap.watching import build_metrics_routes
from app.config import Settings
from app.database.db import Database, Leases, Running
from app.database.lock import single_process
from app.database.migrate import migrate
from app.database.repositories.turn_paths import TurnPaths
from app.domain.chat import ModelState
from app.domain.clock import SystemClock
from app.domain.connecting import Reception
from app.domain.errors import ConfigError, Transient
from app.domain.ports import ChatModel, Clock
from app.domain.roles import Role
from app.llm.elsewhere import AnsweredElsewhere
from app.llm.profiles import profile_for
from app.llm.providers import ModelBinding
from app.pipeline.queueing.together import CHIEF
from app.simulator.clock import OffsetClock
from app.simulator.graph import SimulatedGraph
from app.simulator.page import PAGE, Due
from app.simulator.page import create_router as create_simulator_router
from app.simulator.people import Phones
from app.skills.kit import Process
from app.skills.tools.reminders.repository import ReminderQueue
from app.web.guard import Guard, read_token
from app.web.routes import PlainRoute
from app.webhook.health import Readiness
from app.webhook.health import create_routes as create_health_routes
from app.webhook.router import WebhookSecrets
from app.webhook.router import create_routes as create_webhook_routes

__all__ = ("Ports", "Services", "require_role", "running")

PROJECT_ROOT: Final = Path(__file__).resolve().parents[2]
# In a rush more than httpx's 20 idle connections to Meta are wanted again at once; each new one costs a handshake.
_TO_GRAPH: Final = httpx.Limits(max_connections=100, max_keepalive_connections=100, keepalive_expiry=5)


@dataclass(frozen=True, slots=True)
class Services:
    """All that HTTP may touch, and what tests wait for."""

    routes: tuple[PlainRoute, ...]
    idle: Callable[[], Awaitable[None]]
    model_state: Callable[[], Awaitable[ModelState]]
    close_streams: Callable[[], None]
    simulator: SimulatedGraph | None = None
    simulator_router: APIRouter | None = None
    simulator_path: str = ""
    """Where a person opens the simulator: with the token that lets them in."""
    home_path: str = ""
    """Where whoever runs the service opens the home, on this machine."""


@asynccontextmanager
async def running(settings: Settings, ports: Ports, app: ASGIApp, role: Role = "all") -> AsyncIterator[Services]:
    """Open everything in order, and close it in reverse order when the block ends.

    Raises:
        ConfigError: a setting is wrong, or another process works in the same data directory.
    """
    require_role(settings, role)
    async with AsyncExitStack() as stack:
        clock = ports.clock or _clock(settings)
        db = await _open_database(settings, role, stack)
        if role == "web" and ports.chat is None:
            ports = replace(ports, chat=ModelBinding(AnsweredElsewhere(), profile_for("")))
        account = choose_account(settings)
        simulator = await open_simulator(settings, account, app, stack, clock)
        transport = ports.graph_transport or (httpx.ASGITransport(simulator.app) if simulator else None)
        http = await stack.enter_async_context(httpx.AsyncClient(transport=transport, limits=_TO_GRAPH))
        connections = await connect(settings, ports, db, connect_whatsapp(http, account), clock, stack)
        templates = connect_templates(http, account)
        model = connections.chat.model
        guard = Guard(read_token(settings.data_dir), is_remote=settings.is_simulated and settings.simulator_remote)
        reception = Reception()

        async def list_processes() -> list[Running]:
            return [] if leases is None else await leases.list_processes(but=CHIEF)

        process = Process(
            PROJECT_ROOT,
            ports.logs,
            lambda: _health(pipeline, model),
            guard,
            ports.examine,
            ports.connect,
            reception,
            is_chief=lambda: pipeline.together is None or pipeline.together.is_chief,
            list_all=None if role == "all" else list_processes,
        )
        pipeline = build_pipeline(
            settings, account, replace(connections, templates=templates), clock, process, role
        )
        leases = await _start(pipeline, ports.stop, role, db, stack)

        async def probe() -> Readiness:
            return await _readiness(connections, pipeline, role)

        routes = (
            *create_webhook_routes(
                pipeline.ingest, WebhookSecrets(account.verify_token, (account.app_secret,)), clock, reception
            ),
            *create_health_routes(probe, clock.elapsed_s),
            *build_metrics_routes(settings, ports.meter, connections, pipeline, clock, role),
            *pipeline.kit.routes,
        )
        close_streams, pages, path, home = _nothing, None, "", f"/?token={guard.token}"
        if simulator is not None:
            phones = Phones(settings.data_dir / "simulator-people.json")
            pages = _simulator_router(simulator, guard, phones, model, db, clock)
            close_streams, path = simulator.close_streams, f"{PAGE}?token={guard.token}"
        idle = partial(_idle, pipeline)
        yield Services(routes, idle, model.state, close_streams, simulator, pages, path, home)


async def _open_database(settings: Settings, role: Role, stack: AsyncExitStack) -> Database:
    """Keep other processes away, or let them in that serve together, and bring the schema up to date."""
    lock = settings.data_dir / "app.lock"
    stack.enter_context(single_process(lock, database=settings.own_database_file, is_shared=role != "all"))
    db = await stack.enter_async_context(Database.open(settings.database))
    await (db.serve_alone() if role == "all" else db.serve_together())
    async with db.starting():
        await migrate(db, backup_dir=settings.data_dir / "backups")
    return db


def require_role(settings: Settings, role: Role) -> None:
    """Tell before anything is opened that a role does not fit the settings.

    Raises:
        ConfigError: several processes need a PostgreSQL and a WhatsApp account.
    """
    if role == "all":
        return
    if settings.own_database_file is not None:
        raise ConfigError(
            "DATABASE_URL",
            f"--role {role} is for several processes on one PostgreSQL: set it to postgresql://…;"
            " with SQLite one process does everything, without --role",
        )
    if settings.is_simulated:
        raise ConfigError(
            "WHATSAPP_ACCESS_TOKEN",
            f"--role {role} needs a WhatsApp account; the simulator is in one process, without --role",
        )


async def _start(
    pipeline: Pipeline, limits: StopLimits, role: Role, db: Database, stack: AsyncExitStack
) -> Leases | None:
    """Begin what the role is for; returns what is agreed on with other processes."""
    if pipeline.together is None:
        await start_pipeline(pipeline, limits, stack)
        return None
    leases = await stack.enter_async_context(db.share(_label(role), pipeline.together.hear))
    if role == "web":
        await start_web(pipeline, pipeline.together, leases, stack)
    else:
        await start_worker(pipeline, pipeline.together, leases, limits, stack)
    return leases


def _label(role: Role) -> str:
    """Return what a process is called in /status: its role, machine and number."""
    return f"{role} {socket.gethostname()[:30]}:{os.getpid()}"


def _simulator_router(
    simulator: SimulatedGraph, guard: Guard, phones: Phones, model: ChatModel, db: Database, clock: Clock
) -> APIRouter:
    async def due_soon() -> list[Due]:
        return [Due(*one) for one in await ReminderQueue().list_next(db)]

    return create_simulator_router(
        simulator,
        guard,
        phones,
        describe=_describe(model),
        turn_path=TurnPaths(db).find,
        due_soon=due_soon,
        clock=clock if isinstance(clock, OffsetClock) else None,
    )


async def _idle(pipeline: Pipeline) -> None:
    await pipeline.dispatcher.idle()
    await pipeline.delivery.idle()
    await pipeline.kit.jobs.idle()
    for idle in pipeline.kit.idles:
        await idle()
    await pipeline.delivery.idle()


def _clock(settings: Settings) -> Clock:
    """In the simulator, time can be moved on."""
    return OffsetClock(settings.data_dir / "simulator-clock.json") if settings.is_simulated else SystemClock()


async def _health(pipeline: Pipeline, model: ChatModel) -> Mapping[str, str]:
    state = await model.state()
    return {
        "model": f"{state.name}: {state.state}",
        "turns running": str(pipeline.dispatcher.active_count),
        "sending": pipeline.delivery.pause_reason or "open",
    }


def _nothing() -> None:
    """What closes when there is no stream to close."""


async def _readiness(connections: Connections, pipeline: Pipeline, role: Role) -> Readiness:
    db, repository, model = connections.db, connections.repository, connections.chat.model
    is_usable, oldest_pending_at, last_sent_at = True, None, None
    try:
        await db.probe_write()
        oldest_pending_at = await repository.inbox_queue.oldest_pending_at()
        last_sent_at = await repository.outbox_queue.last_sent_at()
    except Transient:
        is_usable = False
    return Readiness(
        is_database_writable=is_usable,
        are_loops_alive=pipeline.dispatcher.is_open and pipeline.delivery.is_open,
        model=await model.state(),
        role=role,
        vector_index="sqlite-vec" if db.has_vectors else "brute force",
        oldest_pending_at=oldest_pending_at,
        last_webhook_at=pipeline.ingest.last_received_at,
        last_sent_at=last_sent_at,
        delivery_pause=pipeline.delivery.pause_reason,
    )


def _describe(model: ChatModel) -> Callable[[], Awaitable[dict[str, str]]]:
    async def describe() -> dict[str, str]:
        state = await model.state()
        facts = {"model": state.name, "state": state.state, "detail": state.detail}
        return facts if state.progress is None else {**facts, "progress": f"{state.progress:.3f}"}

    return describe
