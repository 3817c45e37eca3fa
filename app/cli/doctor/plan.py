"""python -m app doctor: every hop from the settings to Meta, and the fix for each that fails."""

import asyncio
import os
import shutil
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import httpx
import typer
from rich.console import Console

from app.cli.doctor.account import AccountChecks, check_public_address
from app.cli.doctor.files import check_files
from app.cli.doctor.machine import (
    Loaded,
    check_database,
    check_disk,
    check_mcp,
    check_memory,
    check_people,
    check_settings,
    check_skills,
    check_vectors,
    is_service_running,
    read_settings,
    secrets_of,
    vectors_load,
)
from app.cli.doctor.model import ModelChecks
from app.cli.doctor.report import JsonReport, TextReport, is_healthy
from app.cli.doctor.round import Cleaner, Hop, Outcome, Unwatched, run_hops, skipped
from app.cli.doctor.senses import SenseChecks
from app.cli.doctor.texts import DOCTOR
from app.cli.language import terminal_language
from app.cli.models import memory_of_machine
from app.config import Settings
from app.domain.health import Checked
from app.language.catalogue import lazy
from app.log import setup_logging
from app.mcp.connecting import landlock

_LOAD_S = 180.0
_PROBE_S = 300.0


@dataclass(frozen=True, slots=True)
class World:
    """What a test may put in place of the outside; the defaults are the real thing."""

    graph: httpx.AsyncBaseTransport | None = None
    public: httpx.AsyncBaseTransport | None = None
    ollama: httpx.AsyncBaseTransport | None = None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    timer: Callable[[], float] = time.monotonic
    free_bytes: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free
    memory_bytes: Callable[[], int] = memory_of_machine
    has_vectors: Callable[[], Awaitable[bool]] = vectors_load
    can_confine: Callable[[], bool] = lambda: landlock.version() > 0
    tries_samples: bool = True


def doctor(
    is_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    is_quick: Annotated[bool, typer.Option("--quick", help="Do not ask the model anything.")] = False,
) -> None:
    """Check every hop from the settings to Meta, and name the fix for each that fails."""
    loaded = read_settings()
    # The report says what is wrong, once; the log of the failing parts would repeat it.
    setup_logging(level="CRITICAL", is_json=False, is_content_logged=False, secrets=secrets_of(loaded.settings))
    report = (
        JsonReport(sys.stdout) if is_json else TextReport(Console(highlight=False), terminal_language(os.environ))
    )
    if not asyncio.run(examine(loaded, report, World(), is_quick=is_quick)):
        raise typer.Exit(1)


async def examine(loaded: Loaded, report: TextReport | JsonReport, world: World, *, is_quick: bool) -> bool:
    """Run all checks and report them; True when nothing failed.

    Needs no running service and changes nothing of one that runs. With `is_quick` the model is not asked.
    """
    async with open_hops(loaded, world, is_quick=is_quick) as hops:
        findings = await run_hops(hops, report, Cleaner(secrets_of(loaded.settings)))
    report.close(findings)
    return is_healthy(findings)


async def examine_beside(settings: Settings) -> list[Checked]:
    """Check every hop from within the running service, which is asked nothing that takes its model's time."""
    async with open_hops(Loaded(settings), World(), is_quick=True) as hops:
        return await run_hops(hops, Unwatched(), Cleaner(secrets_of(settings)))


@asynccontextmanager
async def open_hops(loaded: Loaded, world: World, *, is_quick: bool) -> AsyncIterator[list[Hop]]:
    """Yield the hops in order; what they open is closed when the block ends."""
    settings = loaded.settings
    is_running, stores = is_service_running(settings), settings.bucket is not None
    first = ("settings",)
    async with AsyncExitStack() as stack:
        graph = await stack.enter_async_context(httpx.AsyncClient(transport=world.graph))
        public = await stack.enter_async_context(httpx.AsyncClient(transport=world.public))
        model = ModelChecks(settings, stack, ollama=world.ollama, timer=world.timer, is_quick=is_quick)
        address = partial(check_public_address, settings, public, is_service_running=is_running)
        account = _account_hops(AccountChecks(settings, graph, world.now), address)
        yield [
            Hop("settings", lazy(DOCTOR.hop_settings), partial(check_settings, loaded)),
            Hop("people", lazy(DOCTOR.hop_people), partial(check_people, settings), first),
            Hop("disk", lazy(DOCTOR.hop_disk), partial(check_disk, settings.data_dir, world.free_bytes), first),
            Hop("database", lazy(DOCTOR.hop_database), partial(check_database, settings), ("disk",)),
            *([Hop("files", lazy(DOCTOR.hop_files), partial(check_files, settings), ("disk",))] if stores else []),
            Hop("vector extension", lazy(DOCTOR.hop_vectors), partial(check_vectors, world.has_vectors), first),
            Hop("memory", lazy(DOCTOR.hop_memory), partial(check_memory, settings, world.memory_bytes()), first),
            Hop(
                "model",
                lazy(DOCTOR.hop_model),
                partial(model.present, is_service_running=is_running),
                first,
                _LOAD_S,
            ),
            Hop("tool calls", lazy(DOCTOR.hop_tools), model.tools, ("model",), _PROBE_S),
            Hop("context size", lazy(DOCTOR.hop_context), model.context, ("model",), _PROBE_S),
            Hop("speed", lazy(DOCTOR.hop_speed), model.speed, ("model",), _PROBE_S),
            *_sense_hops(SenseChecks(settings, is_quick=is_quick or not world.tries_samples, ollama=world.ollama)),
            Hop("skills", lazy(DOCTOR.hop_skills), partial(check_skills, settings.skills_dir), first),
            Hop(
                "MCP servers",
                lazy(DOCTOR.hop_mcp),
                partial(check_mcp, settings.mcp_config_file, world.can_confine()),
                first,
            ),
            *(
                account
                if settings.has_whatsapp
                else [Hop(hop.name, hop.title, _simulated, first) for hop in account]
            ),
        ]


def _sense_hops(senses: SenseChecks) -> list[Hop]:
    return [
        Hop("documents", lazy(DOCTOR.hop_documents), senses.documents, ("settings",), _PROBE_S),
        Hop("pictures", lazy(DOCTOR.hop_pictures), senses.pictures, ("settings",), _PROBE_S),
        Hop("what pictures show", lazy(DOCTOR.hop_sight), senses.sight, ("settings",), _PROBE_S),
        Hop("voice notes", lazy(DOCTOR.hop_hearing), senses.hearing, ("settings",), _PROBE_S),
        Hop("spoken answers", lazy(DOCTOR.hop_speaking), senses.speaking, ("settings",)),
        Hop("charts", lazy(DOCTOR.hop_charts), senses.drawing, ("settings",)),
    ]


def _account_hops(account: AccountChecks, address: Callable[[], Awaitable[Outcome]]) -> list[Hop]:
    return [
        Hop("access token", lazy(DOCTOR.hop_token), account.token, ("settings",)),
        Hop("permissions", lazy(DOCTOR.hop_permissions), account.permissions, ("access token",)),
        Hop("phone number id", lazy(DOCTOR.hop_number), account.number, ("permissions",)),
        Hop("app secret", lazy(DOCTOR.hop_secret), account.secret, ("access token",)),
        Hop("public address", lazy(DOCTOR.hop_address), address, ("settings",)),
        Hop("subscription", lazy(DOCTOR.hop_subscription), account.subscription, ("permissions",)),
        Hop("test recipients", lazy(DOCTOR.hop_recipients), account.recipients, ("phone number id",)),
        Hop("clock", lazy(DOCTOR.hop_clock), account.clock, ("settings",)),
        Hop("API version", lazy(DOCTOR.hop_version), account.version, ("settings",)),
    ]


async def _simulated() -> Outcome:
    return skipped(lazy(DOCTOR.account_simulated))
