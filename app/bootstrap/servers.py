"""Wires the servers that bring tools, and what installs them and skills by message."""

import os
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass

import httpx

from app.bootstrap.ground import Ground
from app.mcp.calls import Audience
from app.mcp.config import ConfigFile
from app.mcp.connection import Means
from app.mcp.guarded_http import GuardedTransport
from app.mcp.installer import Installer, ServerHome
from app.mcp.manager import McpManager, ServerInfo
from app.mcp.registry_client import RegistryClient
from app.mcp.resolve import resolve
from app.mcp.secrets import SecretStore
from app.mcp.transports import Transports
from app.security.egress import EgressGate
from app.web.safe_fetch import SafeFetcher, SystemResolver


@dataclass(frozen=True, slots=True)
class Servers:
    """Who runs them, what puts them in and takes them out, and what fetches a skill from an address."""

    manager: McpManager
    installer: Installer
    fetcher: SafeFetcher


def build_servers(
    ground: Ground, web: httpx.AsyncClient, audience: Audience, *, on_state: Callable[[ServerInfo], None]
) -> Servers:
    """Build the manager and the installer; nothing is started yet."""
    settings = ground.settings
    gate = EgressGate(SystemResolver())
    secrets = SecretStore(settings.data_dir / "mcp_secrets.json")
    file = ConfigFile(settings.mcp_config_file)
    transports = Transports(settings.data_dir / "mcp", guard=lambda: GuardedTransport(gate))
    means = Means(
        transports,
        lambda name, config: resolve(name, config, find_secret=secrets.find, environ=os.environ),
        ground.clock,
        audience,
    )
    manager = McpManager(file, means, on_state=on_state)
    registry = RegistryClient(
        web, official_url=settings.mcp_registry_url, smithery_url=settings.smithery_registry_url
    )
    home = ServerHome(manager, file, secrets, transports.log_path)
    return Servers(manager, Installer(registry, home, gate, ground.clock), SafeFetcher(gate))


def start_servers(servers: Servers, stack: AsyncExitStack) -> None:
    """Bring them up in the background; one that hangs or fails keeps nobody waiting."""
    stack.push_async_callback(servers.manager.aclose)
    servers.manager.start()
