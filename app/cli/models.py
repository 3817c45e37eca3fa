"""python -m app model: which models there are, what this machine can carry, and how to get one."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final

import httpx
import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from app.bootstrap.connections import model_choice
from app.config import Settings
from app.domain.clock import SystemClock
from app.llm.hub import Hub, pinned_file
from app.llm.model_catalogue import Catalogue, CatalogueModel
from app.llm.model_store import DEFAULT_MODEL, ModelStore, find_model
from app.llm.providers import open_ollama, open_openai

_GIB: Final = 1024**3
_CGROUP_LIMITS: Final = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_WIDTH: Final = 150


def register(cli: typer.Typer, load_settings: Callable[[], Settings]) -> None:
    """Add the commands."""
    model_cli = typer.Typer(no_args_is_help=True, help="The model that answers.")
    cli.add_typer(model_cli, name="model")

    @model_cli.command("list")
    def model_list() -> None:
        """Show the catalogue, what this machine can carry, and who answers now."""
        settings = load_settings()
        console = Console(width=_WIDTH, highlight=False)
        console.print(catalogue_table(settings, memory_of_machine()))
        for line in asyncio.run(_who_answers(settings)):
            console.print(line, markup=False, soft_wrap=True)

    @model_cli.command("fetch")
    def model_fetch(
        name: Annotated[str, typer.Argument(help="A name of `model list`; else the bundled model.")] = "",
    ) -> None:
        """Download a model (the bundled one: about 1.1 GB), verify its checksum, and say how to use it."""
        catalogue, directory = Catalogue.read(), load_settings().data_dir / "models"
        chosen = catalogue.find(name) if name else catalogue.default
        path = asyncio.run(fetch_model(chosen, directory))
        print(path)
        if not chosen.is_default:
            print(f"to answer with it, set LLM_PROVIDER=embedded and LLM_MODEL_PATH={path.absolute()} in .env")


async def fetch_model(
    chosen: CatalogueModel, directory: Path, transport: httpx.AsyncBaseTransport | None = None
) -> Path:
    """Return the verified file, fetching it unless it is there; `transport` replaces the network, for tests.

    Raises:
        Permanent, Transient: see `Hub.file_of` and `ModelStore.fetch`.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    async with httpx.AsyncClient(follow_redirects=True, transport=transport) as http:
        file = DEFAULT_MODEL if chosen.is_default else await Hub(directory, http).file_of(chosen)
        with Progress(*columns, console=Console(stderr=True)) as bar:
            task = bar.add_task(file.name, total=file.size_bytes)
            return await ModelStore(directory, http, model=file).fetch(
                lambda done, total: bar.update(task, completed=done, total=total)
            )


def catalogue_table(settings: Settings, memory_bytes: int) -> Table:
    """Show every model with what it needs, as far as it is known."""
    context = settings.llm_context_tokens
    title = f"memory with LLM_CONTEXT_TOKENS={context}; this machine has {memory_bytes / _GIB:.1f} GiB"
    table = Table("name", "file", "memory", "licence", "languages", "our score", "tried here", "here", title=title)
    catalogue = Catalogue.read()
    best = catalogue.largest_for(memory_bytes, context)
    for model in catalogue.model:
        table.add_row(
            f"{model.name} *" if model == best else model.name,
            f"{model.size_bytes / 1e9:.1f} GB",
            f"{model.memory_bytes(context) / _GIB:.1f} GiB",
            model.licence,
            model.languages,
            model.score or "–",
            "yes" if model.is_tried else "no",
            _presence(settings.data_dir / "models", model),
        )
    table.caption = (
        "* the largest that this machine can carry. Not tried here: figures are from the models' pages."
    )
    return table


def memory_of_machine() -> int:
    """Return how many bytes of memory this process may count on: the machine's, or its container's limit."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limits = (_limit(Path(path)) for path in _CGROUP_LIMITS)
    return min([whole, *(limit for limit in limits if limit)])


def _limit(path: Path) -> int | None:
    try:
        told = path.read_text("ascii").strip()
    except OSError:
        return None
    return int(told) if told.isdecimal() else None


def _presence(directory: Path, model: CatalogueModel) -> str:
    file = DEFAULT_MODEL if model.is_default else pinned_file(directory, model)
    return "verified" if file is not None and find_model(directory, file) is not None else "–"


async def _who_answers(settings: Settings) -> list[str]:
    choice, clock = model_choice(settings), SystemClock()
    lines = []
    async with open_ollama(choice, clock) as ollama:
        state = await ollama.model.state()
        lines.append(f"ollama    {settings.ollama_model}: {state.state} {state.detail}".rstrip())
    if choice.openai:
        async with open_openai(choice, clock) as server:
            state = await server.model.state()
            lines.append(f"openai    {state.name}: {state.state} {state.detail}".rstrip())
    lines.append(f"embedded  {_bundled(settings)}")
    return lines


def _bundled(settings: Settings) -> str:
    if (path := settings.llm_model_path) is not None:
        return f"{path}: {'present' if path.is_file() else 'missing'}"
    is_there = find_model(settings.data_dir / "models") is not None
    how = "present, checksum verified" if is_there else "not fetched; run: python -m app model fetch"
    return f"{DEFAULT_MODEL.name}: {how}"
