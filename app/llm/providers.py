"""Which provider answers: Ollama, the bundled model, or whichever is there."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import httpx
import structlog

from app.domain.ports import ChatModel, Clock
from app.llm.llamacpp import BundledModel, BundledSettings, default_threads, own_file
from app.llm.model_store import DEFAULT_MODEL, ModelStore
from app.llm.ollama import OllamaClient
from app.llm.profiles import ModelProfile, profile_for

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """`threads` 0 takes one for each core; `model_path` is a GGUF file of the owner's."""

    provider: Literal["auto", "ollama", "embedded"]
    ollama_base_url: str
    ollama_model: str
    model_path: Path | None
    models_dir: Path
    context_tokens: int
    threads: int
    log_path: Path


@dataclass(frozen=True, slots=True)
class ModelBinding:
    """A model that can be asked, and what its family needs."""

    model: ChatModel
    profile: ModelProfile


@asynccontextmanager
async def open_model(choice: ModelChoice, clock: Clock) -> AsyncIterator[ModelBinding]:
    """Yield the model that was chosen; "auto" takes Ollama when it answers and has the model."""
    async with AsyncExitStack() as stack:
        if choice.provider != "embedded":
            ollama = await stack.enter_async_context(open_ollama(choice))
            state = await ollama.state()
            if choice.provider == "ollama" or state.state == "ready":
                log.info("model.chosen", provider="ollama", model=choice.ollama_model, state=state.state)
                yield ModelBinding(ollama, profile_for(choice.ollama_model))
                return
            log.info("model.ollama_passed_over", reason=state.detail)
        bundled = await stack.enter_async_context(_bundled(choice, clock))
        log.info("model.chosen", provider="embedded")
        yield ModelBinding(bundled, profile_for(bundled.name))


@asynccontextmanager
async def open_ollama(
    choice: ModelChoice, transport: httpx.AsyncBaseTransport | None = None
) -> AsyncIterator[OllamaClient]:
    """Yield a client of Ollama for the chosen model; `transport` replaces the network, for tests."""
    client = OllamaClient(
        choice.ollama_base_url,
        choice.ollama_model,
        context_tokens=choice.context_tokens,
        profile=profile_for(choice.ollama_model),
        transport=transport,
    )
    try:
        yield client
    finally:
        await client.aclose()


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
