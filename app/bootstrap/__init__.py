"""The composition root: the only package that knows concrete classes and settings."""

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
from app.bootstrap.connections import Connections, Ports, connect, connect_templates, connect_whatsapp
from app.bootstrap.pipeline import Pipeline, build_pipeline, start_pipeline
from app.config import Settings
from app.database.db import Database
from app.database.lock import single_process
from app.database.migrate import migrate
from app.database.repositories.turn_paths import TurnPaths
from app.domain.chat import ModelState
from app.domain.clock import SystemClock
from app.domain.connecting import Reception
from app.domain.errors import Transient
from app.domain.ports import ChatModel, Clock
from app.simulator.clock import OffsetClock
from app.simulator.graph import SimulatedGraph
from app.simulator.page import PAGE, Due
from app.simulator.page import create_router as create_simulator_router
from app.simulator.people import Phones
from app.skills.kit import Process
from app.skills.tools.reminders.repository import ReminderQueue
from app.web.guard import Guard, read_token
from app.webhook.health import Readiness
from app.webhook.health import create_router as create_health_router
from app.webhook.router import WebhookSecrets
from app.webhook.router import create_router as create_webhook_router

__all__ = ("Ports", "Services", "running")

PROJECT_ROOT: Final = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Services:
    """All that HTTP may touch, and what tests wait for."""

    routers: tuple[APIRouter, ...]
    idle: Callable[[], Awaitable[None]]
    model_state: Callable[[], Awaitable[ModelState]]
    close_streams: Callable[[], None]
    simulator: SimulatedGraph | None = None
    simulator_path: str = ""
    """Where a person opens the simulator: with the token that lets them in."""
    home_path: str = ""
    """Where whoever runs the service opens the home, on this machine."""


@asynccontextmanager
async def running(settings: Settings, ports: Ports, app: ASGIApp) -> AsyncIterator[Services]:
    """Open everything in order, and close it in reverse order when the block ends.

    Raises:
        ConfigError: a setting is wrong, or another process works in the same data directory.
    """
    async with AsyncExitStack() as stack:
        stack.enter_context(single_process(settings.data_dir / "app.lock", database=settings.own_database_file))
        clock = ports.clock or _clock(settings)
        db = await stack.enter_async_context(Database.open(settings.database))
        await db.serve_alone()
        await migrate(db, backup_dir=settings.data_dir / "backups")
        account = choose_account(settings)
        simulator = await open_simulator(settings, account, app, stack, clock)
        transport = ports.graph_transport or (httpx.ASGITransport(simulator.app) if simulator else None)
        http = await stack.enter_async_context(httpx.AsyncClient(transport=transport))
        connections = await connect(settings, ports, db, connect_whatsapp(http, account), clock, stack)
        templates = connect_templates(http, account)
        model = connections.chat.model
        guard = Guard(read_token(settings.data_dir), is_remote=settings.is_simulated and settings.simulator_remote)
        reception = Reception()
        process = Process(
            PROJECT_ROOT,
            ports.logs,
            lambda: _health(pipeline, model),
            guard,
            ports.examine,
            ports.connect,
            reception,
        )
        pipeline = build_pipeline(settings, account, replace(connections, templates=templates), clock, process)
        await start_pipeline(pipeline, ports.stop, stack)

        async def probe() -> Readiness:
            return await _readiness(connections, pipeline)

        routers = [
            create_webhook_router(
                pipeline.ingest, WebhookSecrets(account.verify_token, (account.app_secret,)), clock, reception
            ),
            create_health_router(probe, clock.elapsed_s),
            *pipeline.kit.routers,
        ]
        close_streams, path, home = _nothing, "", f"/?token={guard.token}"
        if simulator is not None:
            phones = Phones(settings.data_dir / "simulator-people.json")
            routers.append(_simulator_router(simulator, guard, phones, model, db, clock))
            close_streams, path = simulator.close_streams, f"{PAGE}?token={guard.token}"
        yield Services(tuple(routers), partial(_idle, pipeline), model.state, close_streams, simulator, path, home)


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


async def _readiness(connections: Connections, pipeline: Pipeline) -> Readiness:
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
