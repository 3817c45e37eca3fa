"""The composition root: the only package that knows concrete classes and settings."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import httpx
from fastapi import APIRouter
from starlette.types import ASGIApp

from app.bootstrap.account import Account, choose_account, open_simulator
from app.bootstrap.ground import Ground, Meanings
from app.bootstrap.pipeline import Outside, Pipeline, build_pipeline, start_pipeline
from app.config import Settings
from app.database.db import Database
from app.database.lock import single_process
from app.database.migrate import migrate
from app.database.repositories.turn_paths import TurnPaths
from app.database.repository import Repository
from app.database.vectors import BruteForceIndex, open_index
from app.domain.chat import ModelState
from app.domain.clock import SystemClock
from app.domain.errors import Transient
from app.domain.ports import ChatModel, Clock, Embedder
from app.llm.embedders import open_embedder
from app.llm.gate import LimitedChatModel
from app.llm.local_embedder import LOCAL_MODEL
from app.llm.providers import ModelBinding, ModelChoice, open_model
from app.log import LogRing
from app.simulator.clock import OffsetClock
from app.simulator.graph import SimulatedGraph
from app.simulator.page import create_router as create_simulator_router
from app.skills.kit import Process
from app.webhook.health import Readiness
from app.webhook.health import create_router as create_health_router
from app.webhook.router import WebhookSecrets
from app.webhook.router import create_router as create_webhook_router
from app.whatsapp.graph import GraphClient

PROJECT_ROOT: Final = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Ports:
    """What a test may put in place of the outside world; an empty slot is filled from settings."""

    graph_transport: httpx.AsyncBaseTransport | None = None
    web_transport: httpx.AsyncBaseTransport | None = None
    chat: ModelBinding | None = None
    embedder: Embedder | None = None
    clock: Clock | None = None
    logs: LogRing = field(default_factory=LogRing)


@dataclass(frozen=True, slots=True)
class Services:
    """All that HTTP may touch, and what tests wait for."""

    routers: tuple[APIRouter, ...]
    idle: Callable[[], Awaitable[None]]
    model_state: Callable[[], Awaitable[ModelState]]
    close_streams: Callable[[], None]
    simulator: SimulatedGraph | None = None


@asynccontextmanager
async def running(settings: Settings, ports: Ports, app: ASGIApp) -> AsyncIterator[Services]:
    """Open everything in order, and close it in reverse order when the block ends.

    Raises:
        ConfigError: a setting is wrong, or another process works in the same data directory.
    """
    async with AsyncExitStack() as stack:
        stack.enter_context(single_process(settings.data_dir / "app.lock", database=settings.database_file))
        clock = ports.clock or _clock(settings)
        db = await stack.enter_async_context(Database.open(settings.database_file))
        await migrate(db, backup_dir=settings.data_dir / "backups")
        repository = Repository(db)
        account = choose_account(settings)
        simulator = await open_simulator(settings, account, app, stack, clock)
        transport = ports.graph_transport or (httpx.ASGITransport(simulator.app) if simulator else None)
        http = await stack.enter_async_context(httpx.AsyncClient(transport=transport))
        opened = ports.chat
        if opened is None:
            opened = await stack.enter_async_context(open_model(model_choice(settings), clock))
        model = opened.model
        web = await stack.enter_async_context(httpx.AsyncClient(transport=ports.web_transport))
        ground = Ground(settings, repository, clock)
        voice = ModelBinding(_gated(model, settings, clock), opened.profile)
        outside = Outside(
            Process(PROJECT_ROOT, ports.logs, lambda: _health(pipeline, model)),
            db,
            web,
            await _open_meanings(settings, ports.embedder, db, stack),
        )
        pipeline = build_pipeline(ground, account, voice, _messenger(http, account), outside=outside)
        await start_pipeline(pipeline, stack)

        async def probe() -> Readiness:
            return await _readiness(db, repository, pipeline, model)

        routers = [
            create_webhook_router(
                pipeline.ingest, WebhookSecrets(account.verify_token, (account.app_secret,)), clock
            ),
            create_health_router(probe),
            *pipeline.routers,
        ]
        if simulator is not None:
            routers.append(_simulator_router(simulator, model, db, clock))
        close_streams = simulator.close_streams if simulator else _nothing
        yield Services(tuple(routers), partial(_idle, pipeline), model.state, close_streams, simulator)


def _simulator_router(simulator: SimulatedGraph, model: ChatModel, db: Database, clock: Clock) -> APIRouter:
    return create_simulator_router(
        simulator,
        describe=_describe(model),
        turn_path=TurnPaths(db).find,
        clock=clock if isinstance(clock, OffsetClock) else None,
    )


async def _idle(pipeline: Pipeline) -> None:
    await pipeline.dispatcher.idle()
    await pipeline.delivery.idle()
    await pipeline.jobs.idle()
    await pipeline.delivery.idle()


def _clock(settings: Settings) -> Clock:
    """In the simulator, time can be moved on."""
    return OffsetClock(settings.data_dir / "simulator-clock.json") if settings.is_simulated else SystemClock()


def _gated(model: ChatModel, settings: Settings, clock: Clock) -> ChatModel:
    return LimitedChatModel(
        model, clock=clock, max_concurrent=settings.llm_max_concurrent, timeout_s=settings.llm_timeout_s
    )


def _messenger(http: httpx.AsyncClient, account: Account) -> GraphClient:
    return GraphClient(
        http,
        base_url=account.base_url,
        version=account.version,
        phone_number_id=account.phone_number_id,
        access_token=account.access_token,
    )


async def _open_meanings(
    settings: Settings, embedder: Embedder | None, db: Database, stack: AsyncExitStack
) -> Meanings | None:
    """Open what turns texts into vectors, and the index over them; it empties the index when there is nothing."""
    if embedder is None:
        ollama = None if settings.llm_provider == "embedded" else settings.ollama_base_url
        embedder = await stack.enter_async_context(open_embedder(ollama, settings.embedding_model))
    index = await open_index(db, None if embedder is None else embedder.model)
    # The exact scan needs no table of its own, so it can follow a step down at any moment; after the next start
    # `open_index` has the faster one for the model that is chosen then.
    return None if embedder is None else Meanings(embedder, index, BruteForceIndex(db, LOCAL_MODEL))


async def _health(pipeline: Pipeline, model: ChatModel) -> Mapping[str, str]:
    state = await model.state()
    return {
        "model": f"{state.name}: {state.state}",
        "turns running": str(pipeline.dispatcher.active_count),
        "sending": pipeline.delivery.pause_reason or "open",
    }


def _nothing() -> None:
    """What closes when there is no stream to close."""


def model_choice(settings: Settings) -> ModelChoice:
    """Return which model the settings choose."""
    return ModelChoice(
        provider=settings.llm_provider,
        ollama_base_url=settings.ollama_base_url,
        ollama_model=settings.ollama_model,
        model_path=settings.llm_model_path,
        models_dir=settings.data_dir / "models",
        context_tokens=settings.llm_context_tokens,
        threads=settings.llm_threads,
        log_path=settings.data_dir / "model.log",
    )


async def _readiness(db: Database, repository: Repository, pipeline: Pipeline, model: ChatModel) -> Readiness:
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
