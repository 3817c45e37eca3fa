"""The order of the round, and what each hop needs."""

import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import httpx

from app.cli.doctor.account import AccountChecks
from app.cli.doctor.dates import check_clock, check_version
from app.cli.doctor.graph import GraphReader
from app.cli.doctor.mcp import check_mcp
from app.cli.doctor.model import ModelChecks
from app.cli.doctor.outcome import Hop, Outcome, skipped
from app.cli.doctor.probes import ModelProbes
from app.cli.doctor.public import PublicAddress
from app.cli.doctor.settings import Loaded, SettingsChecks
from app.cli.doctor.skills import check_skills
from app.cli.doctor.storage import StorageChecks, vectors_load
from app.cli.doctor.whatsapp import Credentials, TokenChecks
from app.config import Settings

SETTINGS = "settings"
MODEL = "model"
TOKEN = "access token"  # noqa: S105 - the name of a hop
PERMISSIONS = "permissions"
NUMBER = "phone number id"
_LOAD_S = 180.0
_PROBE_S = 300.0


def _now() -> datetime:
    return datetime.now(UTC)


def _free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free


@dataclass(frozen=True, slots=True)
class World:
    """What a test may put in place of the outside; the defaults are the real thing."""

    graph: httpx.AsyncBaseTransport | None = None
    public: httpx.AsyncBaseTransport | None = None
    ollama: httpx.AsyncBaseTransport | None = None
    now: Callable[[], datetime] = _now
    timer: Callable[[], float] = time.monotonic
    free_bytes: Callable[[Path], int] = _free_bytes
    has_vectors: Callable[[], Awaitable[bool]] = vectors_load


@asynccontextmanager
async def open_hops(loaded: Loaded, world: World, *, is_quick: bool) -> AsyncIterator[list[Hop]]:
    """Yield the hops in order; what they open is closed when the block ends."""
    settings = loaded.settings
    storage = StorageChecks(
        settings.data_dir, settings.database_file, free_bytes=world.free_bytes, has_vectors=world.has_vectors
    )
    own = SettingsChecks(loaded)
    is_running = storage.is_service_running
    async with AsyncExitStack() as stack:
        yield [
            Hop(SETTINGS, own.whole),
            Hop("people", own.people, (SETTINGS,)),
            Hop("disk", storage.disk, (SETTINGS,)),
            Hop("database", storage.database, ("disk",)),
            Hop("vector extension", storage.vectors, (SETTINGS,)),
            *_model_hops(settings, world, stack, is_quick=is_quick, is_running=is_running),
            Hop("skills", partial(check_skills, settings.skills_dir), (SETTINGS,)),
            Hop("MCP servers", partial(check_mcp, settings.mcp_config_file), (SETTINGS,)),
            *await _whatsapp_hops(settings, world, stack, is_running=is_running),
        ]


def _model_hops(
    settings: Settings, world: World, stack: AsyncExitStack, *, is_quick: bool, is_running: bool
) -> list[Hop]:
    model = ModelChecks(settings, stack, ollama=world.ollama, is_service_running=is_running)
    probes = ModelProbes(
        model.patient, context_tokens=settings.llm_context_tokens, timer=world.timer, is_quick=is_quick
    )
    return [
        Hop(MODEL, model.present, (SETTINGS,), _LOAD_S),
        Hop("tool calls", probes.tools, (MODEL,), _PROBE_S),
        Hop("context size", probes.context, (MODEL,), _PROBE_S),
        Hop("speed", probes.speed, (MODEL,), _PROBE_S),
    ]


async def _whatsapp_hops(
    settings: Settings, world: World, stack: AsyncExitStack, *, is_running: bool
) -> list[Hop]:
    graph_http = await stack.enter_async_context(httpx.AsyncClient(transport=world.graph))
    public_http = await stack.enter_async_context(httpx.AsyncClient(transport=world.public))
    credentials = _credentials(settings)
    now = world.now()
    root = f"{settings.whatsapp_api_base_url.rstrip('/')}/{settings.whatsapp_api_version}"
    graph = GraphReader(graph_http, root=root, now=world.now)
    tokens = TokenChecks(graph, credentials, now)
    people = (*settings.allowed_phone_numbers, *settings.admin_phone_numbers)
    account = AccountChecks(graph, credentials, tokens, people=people)
    verify = settings.whatsapp_verify_token
    public = PublicAddress(
        public_http,
        settings.public_url,
        verify.get_secret_value() if verify else "",
        is_service_running=is_running,
    )
    hops = [
        Hop(TOKEN, tokens.token, (SETTINGS,)),
        Hop(PERMISSIONS, tokens.permissions, (TOKEN,)),
        Hop(NUMBER, account.number, (PERMISSIONS,)),
        Hop("app secret", tokens.secret, (TOKEN,)),
        Hop("public address", public.check, (SETTINGS,)),
        Hop("subscription", account.subscribed, (PERMISSIONS,)),
        Hop("test recipients", account.recipients, (NUMBER,)),
        Hop("clock", partial(check_clock, graph), (SETTINGS,)),
        Hop("API version", partial(check_version, settings.whatsapp_api_version, now.date()), (SETTINGS,)),
    ]
    if settings.has_whatsapp:
        return hops
    return [Hop(hop.name, _simulated, (SETTINGS,)) for hop in hops]


async def _simulated() -> Outcome:
    return skipped("simulator: no WhatsApp account is set")


def _credentials(settings: Settings) -> Credentials:
    token, secret = settings.whatsapp_access_token, settings.whatsapp_app_secret
    return Credentials(
        token=token.get_secret_value() if token else "",
        app_secret=secret.get_secret_value() if secret else "",
        phone_number_id=settings.whatsapp_phone_number_id or "",
        app_id=settings.whatsapp_app_id or "",
        account_id=settings.whatsapp_business_account_id or "",
    )
