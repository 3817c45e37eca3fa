"""Wires the servers that bring tools, and what installs them and skills by message."""

import os
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial

import httpx
import structlog
from fastapi import APIRouter

from app.bootstrap.ground import Ground
from app.mcp.commands import ServerCommands
from app.mcp.connecting.elicitation import Asker
from app.mcp.connecting.guarded_http import GuardedTransport
from app.mcp.connecting.host import Host, OnProgress
from app.mcp.connecting.resolve import resolve
from app.mcp.connecting.transports import Transports
from app.mcp.consent import ConsentAsker
from app.mcp.files import ConfigFile, SecretStore
from app.mcp.installed import InstalledServers
from app.mcp.installing.installer import Installer
from app.mcp.installing.registries import RegistryClient
from app.mcp.manager import McpManager, ServerInfo
from app.mcp.signing_in.callback import OurClient, create_router
from app.mcp.signing_in.grants import GrantStore
from app.mcp.signing_in.http import SignInHttp
from app.mcp.signing_in.sign_ins import SignIns
from app.security.egress import EgressGate
from app.web.safe_fetch import SafeFetcher, SystemResolver

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Servers:
    """Who runs them, what puts them in and takes them out, and what fetches a skill from an address."""

    manager: McpManager
    installer: Installer
    installed: InstalledServers
    fetcher: SafeFetcher
    sign_ins: SignIns
    commands: ServerCommands
    router: APIRouter
    lacking: tuple[str, ...]
    """Which of the variables that every server may see are not in our own environment."""


def build_servers(
    ground: Ground,
    web: httpx.AsyncClient,
    asker: Asker,
    consent_asker: ConsentAsker,
    *,
    on_progress: OnProgress,
    on_state: Callable[[ServerInfo], None],
) -> Servers:
    """Build the manager and the installer; nothing is started yet."""
    settings = ground.settings
    gate = EgressGate(SystemResolver())
    secrets = SecretStore(settings.data_dir / "mcp_secrets.json")
    file = ConfigFile(settings.mcp_config_file)
    # A browser on this machine finds its way back without PUBLIC_URL.
    client = OurClient.at(settings.public_url or f"http://localhost:{settings.port}")

    def guard() -> GuardedTransport:
        return GuardedTransport(gate)

    sign_ins = SignIns(
        GrantStore(secrets, client.redirect_url), SignInHttp(guard), consent_asker, ground.clock, client
    )
    transports = Transports(settings.data_dir / "mcp", guard=guard, sign_in=sign_ins.auth)
    host = Host(
        transports,
        partial(resolve, find_secret=secrets.find, environ=os.environ, passed=settings.mcp_passed_env),
        ground.clock,
        asker,
        on_progress,
        consents=sign_ins,
    )
    manager = McpManager(file, host, on_state=on_state)
    registry = RegistryClient(
        web, official_url=settings.mcp_registry_url, smithery_url=settings.smithery_registry_url
    )
    servers = InstalledServers(manager, file, secrets, transports.log_path)
    installer = Installer(registry, servers, gate, ground.clock)
    return Servers(
        manager,
        installer,
        servers,
        SafeFetcher(gate),
        sign_ins,
        ServerCommands(installer, servers, sign_ins),
        create_router(sign_ins.answer, client),
        tuple(name for name in settings.mcp_passed_env if name not in os.environ),
    )


def start_servers(servers: Servers, stack: AsyncExitStack) -> None:
    """Bring them up in the background; one that hangs or fails keeps nobody waiting."""
    if servers.lacking:
        # What stands in `.env` alone is a setting of ours and in nobody's environment.
        log.warning("mcp.passed_env_absent", names=servers.lacking, effect="servers run without them")
    stack.push_async_callback(servers.sign_ins.aclose)
    stack.push_async_callback(servers.manager.aclose)
    servers.manager.start()
