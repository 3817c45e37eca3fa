"""Which provider answers: Ollama, the embedded model, or whichever is there."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import structlog

from app.domain.ports import ChatModel, Clock
from app.llm.ollama import OllamaClient
from app.llm.profiles import profile_for

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """`threads` 0 lets the provider decide; `model_path` is a GGUF file of the owner's."""

    provider: Literal["auto", "ollama", "embedded"]
    ollama_base_url: str
    ollama_model: str
    model_path: Path | None
    models_dir: Path
    context_tokens: int
    threads: int
    log_path: Path


@asynccontextmanager
async def open_model(choice: ModelChoice, clock: Clock) -> AsyncIterator[ChatModel]:
    """Yield."""
    yield OllamaClient(
        choice.ollama_base_url,
        choice.ollama_model,
        context_tokens=choice.context_tokens,
        profile=profile_for(choice.ollama_model),
    )
