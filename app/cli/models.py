"""Fetch the embedded model, and list what there is."""

from pathlib import Path

import httpx
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from app.config import Settings
from app.llm.model_store import DEFAULT_MODEL, ModelStore
from app.llm.ollama import OllamaClient
from app.llm.profiles import profile_for


async def fetch_model(directory: Path) -> Path:
    """Fetch the default model with a progress bar and return its path.

    Raises:
        Permanent: no source works, the disk is full, or what came is not the model.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    async with httpx.AsyncClient(follow_redirects=True) as http:
        with Progress(*columns, console=Console(stderr=True)) as bar:
            task = bar.add_task(DEFAULT_MODEL.name, total=DEFAULT_MODEL.size_bytes)
            return await ModelStore(directory, http).fetch(
                lambda done, total: bar.update(task, completed=done, total=total)
            )


async def list_models(settings: Settings) -> list[str]:
    """Return a line for each provider: which model, and whether it is there."""
    ollama = OllamaClient(
        settings.ollama_base_url,
        settings.ollama_model,
        context_tokens=settings.llm_context_tokens,
        profile=profile_for(settings.ollama_model),
    )
    state = await ollama.state()
    await ollama.aclose()
    lines = [f"ollama    {settings.ollama_model}: {state.state} {state.detail}".rstrip()]
    if settings.llm_model_path is not None:
        is_there = "present" if settings.llm_model_path.is_file() else "missing"
        lines.append(f"embedded  {settings.llm_model_path}: {is_there}")
        return lines
    async with httpx.AsyncClient() as http:
        found = ModelStore(settings.data_dir / "models", http).find()
    how = "present, checksum verified" if found else "not fetched; run: python -m app model fetch"
    return [*lines, f"embedded  {DEFAULT_MODEL.name}: {how}"]
