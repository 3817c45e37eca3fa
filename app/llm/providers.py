"""Which provider answers: Ollama, a server of OpenAI's API, the bundled model, or whichever is there."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import httpx
import structlog

from app.domain.ports import ChatModel, Clock
from app.language.late import compile_all
from app.llm.llamacpp import BundledModel, BundledSettings, default_threads, own_file
from app.llm.model_store import DEFAULT_MODEL, ModelStore
from app.llm.ollama import OllamaClient
from app.llm.openai_server import OpenAIServer, OpenAISettings
from app.llm.pool import ModelPool
from app.llm.profiles import ModelProfile, profile_for
from app.llm.warm import PrefixSource, nothing_to_warm

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """`threads` 0 takes one for each core; `model_path` is a GGUF file of the owner's.

    Of several servers, each runs `max_concurrent` turns at a time.
    """

    provider: Literal["auto", "ollama", "openai", "embedded"]
    ollama_base_urls: tuple[str, ...]
    ollama_model: str
    model_path: Path | None
    models_dir: Path
    context_tokens: int
    threads: int
    log_path: Path
    openai: tuple[OpenAISettings, ...] = ()
    max_concurrent: int = 1


@dataclass(frozen=True, slots=True)
class ModelBinding:
    """A model that can be asked, and what its family needs. `servers` share the work.

    `keep_warm` takes what gives the beginnings of prompts, to be read before they are needed.
    """

    model: ChatModel
    profile: ModelProfile
    servers: int = 1
    keep_warm: Callable[[PrefixSource], None] = nothing_to_warm


@asynccontextmanager
async def open_model(
    choice: ModelChoice, clock: Clock, *, transport: httpx.AsyncBaseTransport | None = None
) -> AsyncIterator[ModelBinding]:
    """Yield the model that was chosen; "auto" takes Ollama when it answers and has the model.

    `transport` replaces the network, for tests.
    """
    async with _compiling(), AsyncExitStack() as stack:
        if choice.provider == "openai":
            yield await stack.enter_async_context(open_openai(choice, clock, transport))
            return
        if choice.provider != "embedded":
            binding = await stack.enter_async_context(open_ollama(choice, clock, transport))
            state = await binding.model.state()
            if choice.provider == "ollama" or state.state == "ready":
                log.info("model.chosen", provider="ollama", model=choice.ollama_model, state=state.state)
                yield binding
                return
            log.info("model.ollama_passed_over", reason=state.detail)
        bundled = await stack.enter_async_context(_bundled(choice, clock))
        log.info("model.chosen", provider="embedded")
        yield ModelBinding(bundled, profile_for(bundled.name), keep_warm=bundled.keep_warm)


@asynccontextmanager
async def _compiling() -> AsyncIterator[None]:
    """Let another thread compile the patterns that the first messages will need."""
    is_over = threading.Event()
    compiling = asyncio.create_task(asyncio.to_thread(compile_all, is_over.is_set), name="patterns")
    try:
        yield
    finally:
        is_over.set()
        await compiling


@asynccontextmanager
async def open_ollama(
    choice: ModelChoice, clock: Clock, transport: httpx.AsyncBaseTransport | None = None
) -> AsyncIterator[ModelBinding]:
    """Yield Ollama with the chosen model, or several as one; `transport` replaces the network, for tests."""
    profile = profile_for(choice.ollama_model)
    async with AsyncExitStack() as stack:
        clients: dict[str, ChatModel] = {}
        for base_url in choice.ollama_base_urls:
            client = OllamaClient(
                base_url,
                choice.ollama_model,
                context_tokens=choice.context_tokens,
                profile=profile,
                transport=transport,
            )
            clients[_label(base_url)] = await stack.enter_async_context(aclosing(client))
        model = await stack.enter_async_context(_as_one(clients, choice, clock))
        yield ModelBinding(model, profile, len(clients))


@asynccontextmanager
async def open_openai(
    choice: ModelChoice, clock: Clock, transport: httpx.AsyncBaseTransport | None = None
) -> AsyncIterator[ModelBinding]:
    """Yield the server of OpenAI's API, or several as one; `transport` replaces the network, for tests.

    A model without a configured name is known by the first server that tells it; while none does, it is treated
    with the care that unknown models get.
    """
    async with AsyncExitStack() as stack:
        clients: dict[str, ChatModel] = {}
        for settings in choice.openai:
            client = OpenAIServer(settings, transport=transport)
            clients[_label(settings.base_url)] = await stack.enter_async_context(aclosing(client))
        model = await stack.enter_async_context(_as_one(clients, choice, clock))
        state = await model.state()
        log.info("model.chosen", provider="openai", model=state.name, state=state.state, servers=len(clients))
        yield ModelBinding(model, profile_for(state.name), len(clients))


@asynccontextmanager
async def _as_one(clients: Mapping[str, ChatModel], choice: ModelChoice, clock: Clock) -> AsyncIterator[ChatModel]:
    """One server is asked itself; several are asked through a pool, which is watched meanwhile."""
    if len(clients) == 1:
        (model,) = clients.values()
        yield model
        return
    # Beside the turns, one short call at a time for each.
    pool = ModelPool(clients, clock=clock, per_server=choice.max_concurrent + 1)
    watcher = asyncio.create_task(pool.watch(), name="pool of models")
    try:
        yield pool
    finally:
        watcher.cancel()
        with suppress(asyncio.CancelledError):
            await watcher


def _label(base_url: str) -> str:
    """What a server is called where people read it: its address without credentials."""
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"


@asynccontextmanager
async def _bundled(choice: ModelChoice, clock: Clock) -> AsyncIterator[BundledModel]:
    """Fetch, load and watch the model in a task of its own, so that nobody waits for it to start."""
    async with httpx.AsyncClient(follow_redirects=True) as http:
        store = ModelStore(choice.models_dir, http)
        source = own_file(choice.model_path) if choice.model_path else store.fetch
        settings = BundledSettings(
            name=choice.model_path.stem if choice.model_path else Path(DEFAULT_MODEL.name).stem,
            log_path=choice.log_path,
            context_tokens=choice.context_tokens,
            threads=choice.threads or default_threads(),
        )
        model = BundledModel(source, settings, clock=clock)
        watcher = asyncio.create_task(model.run(), name="bundled model")
        try:
            yield model
        finally:
            watcher.cancel()
            with suppress(asyncio.CancelledError):
                await watcher
