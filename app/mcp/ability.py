"""Servers that bring tools, over the Model Context Protocol: connected, installed by message, signed in at."""

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import structlog

from app.asking.admins import Admins
from app.asking.forms.asker import ChatAsker
from app.config import ENV_FILE, Settings
from app.domain.ids import UserId
from app.jobs import beside
from app.mcp import home
from app.mcp.commands import ServerCommands
from app.mcp.connecting.confinement import Confinement
from app.mcp.connecting.guarded_http import GuardedTransport
from app.mcp.connecting.host import Host
from app.mcp.connecting.resolve import resolve
from app.mcp.connecting.transports import Transports
from app.mcp.files import ConfigFile, SecretStore
from app.mcp.following import Following
from app.mcp.installed import InstalledServers
from app.mcp.installing import expand_tools
from app.mcp.installing.cards import InstallCards
from app.mcp.installing.installer import Installer
from app.mcp.installing.registries import RegistryClient
from app.mcp.installing.remote_skills import RemoteSkills
from app.mcp.manager import McpManager
from app.mcp.news import ServerNews
from app.mcp.sharing import Sharing
from app.mcp.signing_in.callback import OurClient, create_routes
from app.mcp.signing_in.consent import ChatConsents
from app.mcp.signing_in.grants import GrantStore
from app.mcp.signing_in.http import SignInHttp
from app.mcp.signing_in.sign_ins import SignIns
from app.security.egress import EgressGate
from app.skills.kit import Kit
from app.web.safe_fetch import SafeFetcher, SystemResolver

log = structlog.get_logger(__name__)


def register(kit: Kit) -> None:
    """Add the servers' tools, those that install servers and skills, and /mcp; nothing is connected yet."""
    settings, channel = kit.settings, kit.channel
    gate = EgressGate(SystemResolver())
    file, secrets = ConfigFile(settings.mcp_config_file), SecretStore(settings.data_dir / "mcp_secrets.json")
    admins = Admins(kit.repository, kit.clock, channel.admins, wake_delivery=channel.wake)

    def owner_of(server: str) -> UserId | None:
        return manager.access_of(server).owner

    sign_ins = _sign_ins(kit, ChatConsents(admins, owner_of, is_pasted=settings.public_url is None), secrets, gate)
    guard = partial(GuardedTransport, gate)
    transports = Transports(
        settings.data_dir / "mcp", confinement=_confinement(settings), guard=guard, sign_in=sign_ins.auth
    )
    host = Host(
        transports,
        partial(resolve, find_secret=secrets.find, environ=os.environ, passed=settings.mcp_passed_env),
        kit.clock,
        ChatAsker(kit.asking),
        on_progress=lambda ctx, text: channel.show_typing(ctx.user_id),
        consents=sign_ins,
    )
    news = ServerNews(admins, kit.clock)
    manager = McpManager(file, host, on_state=news.tell_admin)
    servers = InstalledServers(manager, file, secrets, transports.log_path, forget_folder=transports.forget)
    registries = RegistryClient(
        kit.web, official_url=settings.mcp_registry_url, smithery_url=settings.smithery_registry_url
    )
    installer = Installer(registries, servers, gate, kit.clock)
    kit.catalog.add(manager)
    expand_tools.register(kit.tools, installer, servers, _remote_skills(kit, gate))
    cards, sharing = InstallCards(installer, kit.asking, kit.oversight), Sharing(servers, kit.repository)
    commands = ServerCommands(installer, servers, sign_ins, cards.ask, sharing, kit.oversight)
    commands.register(kit.commands)
    kit.home.append(home.ServersRoom(servers, installer, commands, cards, kit.asking).part())
    kit.forgetting.append(servers.forget)
    kit.routes.extend(create_routes(sign_ins.answer, sign_ins.client))
    following = None
    if kit.process.list_all is not None:
        following = Following(servers, (file.path, secrets.path), kit.clock)
    kit.running.append(_running(manager, sign_ins, news, following, passed_env=settings.mcp_passed_env))


def _confinement(settings: Settings) -> Confinement:
    place = Path.cwd()
    database = settings.database_file
    beside = (database.with_name(database.name + end) for end in ("", "-wal", "-shm", "-journal"))
    ours = (place / ENV_FILE, settings.data_dir, settings.mcp_config_file, *beside)
    return Confinement(ours, workplace=place)


def _sign_ins(kit: Kit, asker: ChatConsents, secrets: SecretStore, gate: EgressGate) -> SignIns:
    public_url = kit.settings.public_url
    # A browser on this machine finds its way back without PUBLIC_URL; any other ends at a page that is pasted.
    client = OurClient.at(public_url or f"http://localhost:{kit.settings.port}")
    http = SignInHttp(partial(GuardedTransport, gate))
    return SignIns(GrantStore(secrets, client.redirect_url), http, asker, kit.clock, client)


def _remote_skills(kit: Kit, gate: EgressGate) -> RemoteSkills:
    def tools_of(skill: str) -> list[str]:
        return [tool.name for tool in kit.catalog.snapshot().tools.values() if tool.skill == skill]

    folder = kit.settings.data_dir / "skills"
    remote = RemoteSkills(
        SafeFetcher(gate), folder, kit.clock, skills_now=kit.tools.list_skills, tools_of=tools_of
    )
    kit.tools.use_outside(remote.load, folder)
    return remote


@asynccontextmanager
async def _running(
    manager: McpManager,
    sign_ins: SignIns,
    news: ServerNews,
    following: Following | None,
    *,
    passed_env: tuple[str, ...],
) -> AsyncIterator[None]:
    """Bring the servers up in the background; one that hangs or fails keeps nobody waiting."""
    if lacking := tuple(name for name in passed_env if name not in os.environ):
        # What stands in `.env` alone is a setting of ours and in nobody's environment.
        log.warning("mcp.passed_env_absent", names=lacking, effect="servers run without them")
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(beside(news.run(), "server_news"))
        stack.push_async_callback(sign_ins.aclose)
        stack.push_async_callback(manager.aclose)
        manager.start()
        if following is not None:
            await stack.enter_async_context(beside(following.run(), "mcp_following"))
        yield
