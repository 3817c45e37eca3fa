"""Opens what the application works with: its database, the models, WhatsApp and the web."""

from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field, replace
from typing import Final

import httpx

from app.bootstrap.account import Account
from app.config import Settings
from app.database.db import Database
from app.database.repository import Repository
from app.database.vectors import BruteForceIndex, open_index
from app.domain.connecting import Connect
from app.domain.health import Examine
from app.domain.ports import ChatModel, Children, Clock, Embedder, PeoplesFiles, Templates
from app.embeddings.indexer import Indexer
from app.files.bucket import Bucket
from app.files.opening import opened_files
from app.llm.embedders import open_embedder
from app.llm.gate import LimitedChatModel
from app.llm.local_embedder import LOCAL_MODEL
from app.llm.ollama import OllamaClient
from app.llm.openai_server import OpenAISettings
from app.llm.profiles import profile_for
from app.llm.providers import ModelBinding, ModelChoice, open_model
from app.llm.warm import nothing_to_warm
from app.log import LogRing
from app.telemetry.router import Meter
from app.whatsapp.admin import GraphAdmin
from app.whatsapp.graph import GraphClient
from app.whatsapp.templates import AccountTemplates

_VISION_TOKENS: Final = 4096
"""A picture takes about a thousand."""


@dataclass(frozen=True, slots=True)
class StopLimits:
    """How long what runs may go on when the program stops; what is cut short is taken up at the next start."""

    turns_s: float = 20.0
    jobs_s: float = 5.0
    sends_s: float = 5.0


@dataclass(frozen=True, slots=True)
class Ports:
    """What a test may put in place of the outside world; an empty slot is filled from settings."""

    graph_transport: httpx.AsyncBaseTransport | None = None
    web_transport: httpx.AsyncBaseTransport | None = None
    chat: ModelBinding | None = None
    embedder: Embedder | None = None
    clock: Clock | None = None
    children: Children | None = None
    logs: LogRing = field(default_factory=LogRing)
    meter: Meter | None = None
    stop: StopLimits = StopLimits()
    examine: Examine | None = None
    connect: Connect | None = None


@dataclass(frozen=True, slots=True)
class Connections:
    """What was opened, and is closed by who opened it.

    `chat` takes one call after the other, as many at once as the settings allow. `embedder` and `indexer` are None
    where nothing turns texts into vectors, and words must do.
    """

    db: Database
    repository: Repository
    chat: ModelBinding
    embedder: Embedder | None
    indexer: Indexer | None
    messenger: GraphClient
    web: httpx.AsyncClient
    vision: ChatModel
    files: PeoplesFiles
    children: Children | None = None
    templates: Templates | None = None


async def connect(
    settings: Settings,
    ports: Ports,
    db: Database,
    messenger: GraphClient,
    clock: Clock,
    stack: AsyncExitStack,
) -> Connections:
    """Open the models and the web, or take what `ports` brings instead."""
    repository = Repository(db)
    chat = ports.chat
    if chat is None:
        chat = await stack.enter_async_context(open_model(model_choice(settings), clock))
    gate = LimitedChatModel(
        chat.model,
        clock=clock,
        max_concurrent=settings.llm_max_concurrent * chat.servers,
        max_short=chat.servers,
        timeout_s=settings.llm_timeout_s,
    )
    web = await stack.enter_async_context(httpx.AsyncClient(transport=ports.web_transport))
    embedder = ports.embedder
    if embedder is None:
        is_asked = settings.llm_provider in ("auto", "ollama")
        ollama = settings.ollama_base_url[0] if is_asked else None
        # Beside a model that is kept warm, who writes first would wait for it.
        embedder = await stack.enter_async_context(
            open_embedder(
                ollama, settings.embedding_model, is_loaded_at_once=chat.keep_warm is not nothing_to_warm
            )
        )
    indexer = await _open_indexer(db, repository, embedder, clock)
    vision = OllamaClient(
        settings.ollama_base_url[0],
        settings.vision_model,
        context_tokens=_VISION_TOKENS,
        profile=profile_for(settings.vision_model),
        transport=ports.web_transport,
    )
    await stack.enter_async_context(aclosing(vision))
    files = stack.enter_context(opened_files(settings.users_dir, bucket_of(settings), data_dir=settings.data_dir))
    return Connections(
        db, repository, replace(chat, model=gate), embedder, indexer, messenger, web, vision, files, ports.children
    )


def bucket_of(settings: Settings) -> Bucket | None:
    """Return the object store of the settings; None: people's files are in a folder."""
    if settings.bucket is None:
        return None
    name, prefix = settings.bucket
    key_id, secret, token = (
        "" if value is None else value.get_secret_value()
        for value in (settings.aws_access_key_id, settings.aws_secret_access_key, settings.aws_session_token)
    )
    return Bucket(
        name,
        prefix,
        endpoint=settings.aws_endpoint_url or "",
        region=settings.aws_region or "",
        key_id=key_id,
        secret=secret,
        session_token=token,
    )


def connect_whatsapp(http: httpx.AsyncClient, account: Account) -> GraphClient:
    return GraphClient(
        http,
        base_url=account.base_url,
        version=account.version,
        phone_number_id=account.phone_number_id,
        access_token=account.access_token,
    )


def connect_templates(http: httpx.AsyncClient, account: Account) -> Templates | None:
    """Open the templates of the WhatsApp account; None where nobody said which account it is."""
    if not account.account_id:
        return None
    admin = GraphAdmin(http, base_url=account.base_url, version=account.version)
    return AccountTemplates(admin, account.account_id, account.access_token)


async def _open_indexer(
    db: Database, repository: Repository, embedder: Embedder | None, clock: Clock
) -> Indexer | None:
    """Open the index over vectors; without an embedder it is emptied."""
    index = await open_index(db, None if embedder is None else embedder.model)
    if embedder is None:
        return None
    # The exact scan needs no table of its own, so it can follow a step down at any moment; after the next start
    # `open_index` has the faster one for the model that is chosen then.
    return Indexer(repository, index, embedder, clock, spare=BruteForceIndex(db, LOCAL_MODEL))


def model_choice(settings: Settings) -> ModelChoice:
    """Return which model the settings choose."""
    key = settings.openai_api_key
    return ModelChoice(
        provider=settings.llm_provider,
        ollama_base_urls=settings.ollama_base_url,
        ollama_model=settings.ollama_model,
        model_path=settings.llm_model_path,
        models_dir=settings.data_dir / "models",
        context_tokens=settings.llm_context_tokens,
        threads=settings.llm_threads,
        log_path=settings.data_dir / "model.log",
        max_concurrent=settings.llm_max_concurrent,
        openai=tuple(
            OpenAISettings(base_url, settings.openai_model, key.get_secret_value() if key else "")
            for base_url in settings.openai_base_url
        ),
    )
