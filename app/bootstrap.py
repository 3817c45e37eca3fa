"""The composition root: the only module that knows concrete classes and settings."""

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import httpx
import structlog
from fastapi import APIRouter
from pydantic import SecretStr
from starlette.types import ASGIApp

from app.commands.builtin import register_builtin_commands
from app.commands.registry import CommandRegistry
from app.config import Settings
from app.context.builder import ContextBuilder
from app.context.language import LanguageDetector
from app.context.prompts import load_prompt
from app.database.db import Database
from app.database.lock import single_process
from app.database.migrate import migrate
from app.database.repository import Repository
from app.domain.chat import ModelState
from app.domain.clock import SystemClock
from app.domain.errors import Transient
from app.domain.ids import UserId
from app.domain.ports import ChatModel, Clock
from app.health.router import Readiness
from app.health.router import create_router as create_health_router
from app.llm.gate import LimitedChatModel
from app.llm.providers import ModelChoice, open_model
from app.pipeline.admission import AllowList
from app.pipeline.assistant import Assistant
from app.pipeline.closing import TurnCloser
from app.pipeline.delivery import Delivery
from app.pipeline.dispatcher import Dispatcher
from app.pipeline.handler import MessageHandler
from app.pipeline.identity import IdentityKeeper
from app.pipeline.ingest import Ingest
from app.pipeline.intake import Intake
from app.pipeline.opening import TurnOpener
from app.pipeline.presence import Presence
from app.pipeline.rate_limit import RateLimiter
from app.pipeline.routing import TurnRouter
from app.pipeline.rush import RushHour
from app.pipeline.settlement import Settlement
from app.simulator.graph import SimulatedGraph
from app.simulator.page import DEFAULT_USERS
from app.simulator.page import create_router as create_simulator_router
from app.webhook.router import WebhookSecrets
from app.webhook.router import create_router as create_webhook_router
from app.whatsapp.graph import GraphClient

log = structlog.get_logger(__name__)

DRAIN_S: Final = 20.0
FLUSH_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Ports:
    """What a test may put in place of the outside world; an empty slot is filled from settings."""

    graph_transport: httpx.AsyncBaseTransport | None = None
    chat: ChatModel | None = None
    clock: Clock | None = None


@dataclass(frozen=True, slots=True)
class Services:
    """All that HTTP may touch, and what tests wait for."""

    routers: tuple[APIRouter, ...]
    idle: Callable[[], Awaitable[None]]
    model_state: Callable[[], Awaitable[ModelState]]
    close_streams: Callable[[], None]


@dataclass(frozen=True, slots=True)
class _Account:
    """The WhatsApp side: Meta's, or the simulator's with secrets made up for this run."""

    base_url: str
    version: str
    phone_number_id: str
    access_token: str
    verify_token: str
    app_secret: str
    allow_list: AllowList


@dataclass(frozen=True, slots=True)
class _Pipeline:
    ingest: Ingest
    dispatcher: Dispatcher
    delivery: Delivery
    presence: Presence


@asynccontextmanager
async def running(settings: Settings, ports: Ports, app: ASGIApp) -> AsyncIterator[Services]:
    """Open everything in order, and close it in reverse order when the block ends.

    Raises:
        ConfigError: a setting is wrong, or another process works in the same data directory.
    """
    clock = ports.clock or SystemClock()
    async with AsyncExitStack() as stack:
        stack.enter_context(single_process(settings.data_dir / "app.lock"))
        db = await stack.enter_async_context(Database.open(settings.database_file))
        await migrate(db, backup_dir=settings.data_dir / "backups")
        repository = Repository(db)
        account = _account(settings)
        simulator = await _simulator(settings, account, app, stack)
        transport = ports.graph_transport or (httpx.ASGITransport(simulator.app) if simulator else None)
        http = await stack.enter_async_context(httpx.AsyncClient(transport=transport))
        model = ports.chat
        if model is None:
            model = await stack.enter_async_context(open_model(_model_choice(settings), clock))
        gated = LimitedChatModel(
            model, clock=clock, max_concurrent=settings.llm_max_concurrent, timeout_s=settings.llm_timeout_s
        )
        messenger = GraphClient(
            http,
            base_url=account.base_url,
            version=account.version,
            phone_number_id=account.phone_number_id,
            access_token=account.access_token,
        )
        pipeline = _pipeline(settings, account, repository, gated, messenger, clock)
        await _start(pipeline, stack)

        async def idle() -> None:
            await pipeline.dispatcher.idle()
            await pipeline.delivery.idle()

        async def probe() -> Readiness:
            return await _readiness(db, repository, pipeline, model)

        routers = [
            create_webhook_router(
                pipeline.ingest, WebhookSecrets(account.verify_token, (account.app_secret,)), clock
            ),
            create_health_router(probe),
        ]
        if simulator is not None:
            routers.append(create_simulator_router(simulator, describe=_describe(model)))
        yield Services(tuple(routers), idle, model.state, simulator.close_streams if simulator else _nothing)


def _nothing() -> None:
    """What closes when there is no stream to close."""


def _account(settings: Settings) -> _Account:
    if settings.is_simulated:
        numbers = tuple(user.wa_id for user in DEFAULT_USERS)
        return _Account(
            base_url="http://graph.simulator",
            version=settings.whatsapp_api_version,
            phone_number_id="100000000000000",
            access_token=secrets.token_urlsafe(24),
            verify_token=secrets.token_urlsafe(24),
            app_secret=secrets.token_hex(16),
            allow_list=AllowList(numbers, numbers[:1]),
        )
    return _Account(
        base_url=settings.whatsapp_api_base_url,
        version=settings.whatsapp_api_version,
        phone_number_id=settings.whatsapp_phone_number_id or "",
        access_token=_reveal(settings.whatsapp_access_token),
        verify_token=_reveal(settings.whatsapp_verify_token),
        app_secret=_reveal(settings.whatsapp_app_secret),
        allow_list=AllowList(settings.allowed_phone_numbers, settings.admin_phone_numbers),
    )


def _reveal(secret: SecretStr | None) -> str:
    return secret.get_secret_value() if secret is not None else ""


async def _simulator(
    settings: Settings, account: _Account, app: ASGIApp, stack: AsyncExitStack
) -> SimulatedGraph | None:
    """Stand in for Meta: our client sends to it, and it posts signed webhooks to our own routes."""
    if not settings.is_simulated:
        return None
    graph = SimulatedGraph(
        account.phone_number_id,
        access_token=account.access_token,
        log_path=settings.data_dir / "simulator.jsonl",
    )
    webhook = await stack.enter_async_context(
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app, raise_app_exceptions=False), base_url="http://localhost"
        )
    )

    async def post_webhook(body: bytes, headers: Mapping[str, str]) -> int:
        response = await webhook.post("/webhook", content=body, headers=dict(headers))
        return response.status_code

    graph.connect(post_webhook, account.app_secret)
    await stack.enter_async_context(graph.running())
    return graph


def _model_choice(settings: Settings) -> ModelChoice:
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


def _pipeline(
    settings: Settings,
    account: _Account,
    repository: Repository,
    model: ChatModel,
    messenger: GraphClient,
    clock: Clock,
) -> _Pipeline:
    """Wire the path of one message, from the last station to the first."""
    allow_list = account.allow_list
    rush = RushHour()
    delivery = Delivery(repository, messenger, clock, rush)
    presence = Presence(messenger, clock)
    commands = CommandRegistry()
    builder = ContextBuilder(load_prompt("system"), settings.llm_context_tokens)
    router = TurnRouter(
        repository,
        commands,
        IdentityKeeper(repository, allow_list, clock),
        Assistant(repository, model, builder),
        clock,
    )
    handler = MessageHandler(
        TurnOpener(repository, allow_list, LanguageDetector(), clock),
        router,
        TurnCloser(repository, clock, wake_delivery=delivery.wake),
        clock,
    )
    dispatcher = Dispatcher(
        repository, handler, presence, clock, rush, debounce=timedelta(milliseconds=settings.debounce_ms)
    )
    register_builtin_commands(
        commands,
        repository=repository,
        control=dispatcher,
        model=model,
        clock=clock,
        pause_reason=lambda: delivery.pause_reason,
    )

    def notify(user_ids: frozenset[UserId]) -> None:
        dispatcher.notify(user_ids)
        delivery.wake(user_ids)

    intake = Intake(
        repository,
        allow_list,
        RateLimiter(settings.rate_limit_max, settings.rate_limit_window),
        clock,
        phone_number_id=account.phone_number_id,
        is_control_text=commands.is_control,
    )
    ingest = Ingest(repository, intake, Settlement(repository, clock), clock, rush, notify=notify)
    return _Pipeline(ingest, dispatcher, delivery, presence)


async def _start(pipeline: _Pipeline, stack: AsyncExitStack) -> None:
    """Take up what the last run left; at the end drain the turns first, then what they have to say."""
    stack.push_async_callback(pipeline.presence.aclose)
    stack.push_async_callback(pipeline.delivery.aclose, FLUSH_S)
    stack.push_async_callback(pipeline.dispatcher.aclose, DRAIN_S)
    await pipeline.delivery.recover()
    await pipeline.dispatcher.recover()


async def _readiness(db: Database, repository: Repository, pipeline: _Pipeline, model: ChatModel) -> Readiness:
    try:
        async with db.transaction():
            is_writable = True
    except Transient:
        is_writable = False
    return Readiness(
        is_database_writable=is_writable,
        are_loops_alive=pipeline.dispatcher.is_open and pipeline.delivery.is_open,
        model=await model.state(),
        vector_index="sqlite-vec" if db.has_vectors else "brute force",
        oldest_pending_at=await repository.inbox_queue.oldest_pending_at(),
        last_webhook_at=pipeline.ingest.last_received_at,
        last_sent_at=await repository.outbox_queue.last_sent_at(),
        delivery_pause=pipeline.delivery.pause_reason,
    )


def _describe(model: ChatModel) -> Callable[[], Awaitable[dict[str, str]]]:
    async def describe() -> dict[str, str]:
        state = await model.state()
        facts = {"model": state.name, "state": state.state, "detail": state.detail}
        return facts if state.progress is None else {**facts, "progress": f"{state.progress:.3f}"}

    return describe
