"""The two registries of servers as they answer, and a world in which what they list can be installed."""

import os
import shutil
import stat
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx

from app.asking.asking import Asking
from app.database.db import MEMORY
from app.database.repository import Repository
from app.database.sqlite import SqliteConnection, SqliteDatabase, sqlite
from app.domain.ids import UserId
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.mcp.commands import Answers, ServerCommands
from app.mcp.connecting.ending import ending_here
from app.mcp.connecting.host import Host
from app.mcp.connecting.resolve import resolve
from app.mcp.connecting.transports import Transports
from app.mcp.files import ConfigFile, SecretStore
from app.mcp.installed import InstalledServers
from app.mcp.installing.cards import InstallCards
from app.mcp.installing.installer import Installer
from app.mcp.installing.preview import Preview
from app.mcp.installing.registries import RegistryClient
from app.mcp.manager import McpManager
from app.mcp.sharing import Sharing
from app.mcp.signing_in.consent import Answered
from app.security.audit import AuditTrail
from app.security.egress import EgressGate
from app.security.oversight import Oversight
from app.security.policy import PolicyEngine
from tests.databases import migrated
from tests.fakes.clock import FrozenClock
from tests.fakes.mcp import QUICK, SCRIPT, States, children, our_tasks

OFFICIAL: Final = "https://official.test"
SMITHERY: Final = "https://smithery.test"
ADMIN: Final = UserId("ann")
"""Who is known where servers are installed."""
_META: Final = "io.modelcontextprotocol.registry/official"


def package(
    kind: str = "npm", identifier: str = "@acme/echo", version: str = "1.2.3", **more: object
) -> dict[str, Any]:
    return {
        "registryType": kind,
        "identifier": identifier,
        "version": version,
        "transport": {"type": "stdio"},
        **more,
    }


def variable(name: str, **more: object) -> dict[str, Any]:
    return {"name": name, "isRequired": True, "isSecret": True, **more}


def entry(
    name: str = "io.github.acme/echo", *, status: str = "active", is_latest: bool = True, **more: object
) -> dict[str, Any]:
    """Build an entry of `/v0/servers`: a package for npx unless it says otherwise."""
    server = {"name": name, "description": "Says what it hears.", "version": "1.2.3", **more}
    if "remotes" not in more:
        server.setdefault("packages", [package()])
    return {"server": server, "_meta": {_META: {"status": status, "isLatest": is_latest}}}


@dataclass
class Registries:
    """Both registries behind one transport; a status other than 200 is what they answer with."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    smithery: list[dict[str, Any]] = field(default_factory=list)
    official_status: int = 200
    smithery_status: int = 200
    requests: list[httpx.Request] = field(default_factory=list)

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        path = request.url.path
        if request.url.host == "official.test":
            text = request.url.params["search"]
            found = [one for one in self.entries if text in one["server"]["name"]]
            return httpx.Response(self.official_status, json={"servers": found, "metadata": {"count": len(found)}})
        if path == "/servers":
            return httpx.Response(self.smithery_status, json={"servers": self.smithery})
        known = {f"/servers/{one['qualifiedName']}": one for one in self.smithery}
        return httpx.Response(self.smithery_status if path in known else 404, json=known.get(path, {}))


class Names:
    """A resolver for which every name is public, but those that say they are not."""

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        if host.replace(".", "").isdigit() or ":" in host:
            return (host,)
        return ("10.0.0.8",) if host.startswith("inside") else ("93.184.215.14",)


class NoAnswers:
    """Nobody waits for a sign-in."""

    async def answer(self, url: str, *, by: UserId | None = None) -> Answered:
        return "unknown"


@dataclass
class World:
    """An installer over real processes; the launchers are scripts that note how they were called."""

    registries: Registries
    installer: Installer
    servers: InstalledServers
    manager: McpManager
    states: States
    file: ConfigFile
    secrets: SecretStore
    clock: FrozenClock
    home: Path
    asking: Asking
    repository: Repository

    @property
    def oversight(self) -> Oversight:
        return oversight_over(self.repository, self.clock, self.home)

    @property
    def commands(self) -> ServerCommands:
        return ServerCommands(
            self.installer,
            self.servers,
            NoAnswers(),
            InstallCards(self.installer, self.asking, self.oversight).ask,
            Sharing(self.servers, self.repository),
            self.oversight,
        )

    @property
    def runs(self) -> list[str]:
        """The command lines that were run, in order for each server that is still there."""
        noted = sorted((self.home / "mcp" / "work").glob("*/runs.txt"))
        return [line for file in noted for line in file.read_text("utf-8").splitlines()]


def oversight_over(repository: Repository, clock: FrozenClock, home: Path) -> Oversight:
    audit = AuditTrail(repository, clock, head_file=home / "audit.head")
    return Oversight(PolicyEngine.load(home / "security_policies.toml"), repository.tool_rules, audit, clock)


def make_launchers(home: Path, *, dies_saying: str = "") -> Path:
    """Put `npx` and `uvx` into a folder: they start the test server, or complain and end."""
    folder, beside = home / "bin", home / "lib"
    for one in (folder, beside):
        one.mkdir(parents=True, exist_ok=True)
    shutil.copy(SCRIPT, beside)
    for name in ("npx", "uvx"):
        then = (
            f"echo '{dies_saying}' >&2; exit 1"
            if dies_saying
            else f"exec {sys.executable} -I -S {beside / SCRIPT.name}"
        )
        script = folder / name
        script.write_text(f'#!/bin/sh\necho "{name} $*" >> "$HOME/runs.txt"\n{then}\n', "utf-8")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return folder


@asynccontextmanager
async def installing_world(
    home: Path, *entries: dict[str, Any], dies_saying: str = "", environ: Mapping[str, str] | None = None
) -> AsyncIterator[World]:
    """Open a world in which these servers are listed; afterwards no task and no process is left."""
    before = children()
    folder = make_launchers(home, dies_saying=dies_saying)
    env = {"PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(home), **(environ or {})}
    file, secrets = ConfigFile(home / "mcp_servers.json"), SecretStore(home / "mcp_secrets.json")
    transports, clock = Transports(home / "mcp", ending=ending_here(0.3)), FrozenClock()
    host = Host(
        transports,
        lambda name, config: resolve(name, config, find_secret=secrets.find, environ=env),
        clock,
        retries=QUICK,
    )
    states = States()
    manager = McpManager(file, host, on_state=states)
    registries = Registries(list(entries))
    async with (
        httpx.AsyncClient(transport=httpx.MockTransport(registries.answer)) as http,
        migrated() as db,
    ):
        async with db.transaction() as tx:
            await tx.execute(
                "INSERT INTO users(user_id, language, last_inbound_at, created_at) VALUES (?, 'en', 0, 0)", ADMIN
            )
        client = RegistryClient(http, official_url=OFFICIAL, smithery_url=SMITHERY)
        servers = InstalledServers(manager, file, secrets, transports.log_path, forget_folder=transports.forget)
        installer = Installer(client, servers, EgressGate(Names()), clock)
        try:
            yield World(
                registries,
                installer,
                servers,
                manager,
                states,
                file,
                secrets,
                clock,
                home,
                Asking(db, clock, wake_delivery=lambda _: None),
                Repository(db),
            )
        finally:
            await manager.aclose()
    assert our_tasks() == []
    assert children() - before == set()


def commands_over(
    manager: McpManager,
    file: ConfigFile | None = None,
    answers: Answers | None = None,
    *,
    repository: Repository | None = None,
    home: Path = Path("nowhere"),
) -> ServerCommands:
    """The commands over an installer that finds nothing; only `/mcp search` and `/mcp install` would ask it.

    What is recorded goes into the `repository`, and its head into `home`: needed by what changes servers.
    """
    nothing = httpx.AsyncClient(transport=httpx.MockTransport(lambda request: httpx.Response(404)))
    registry = RegistryClient(nothing, official_url=OFFICIAL, smithery_url=SMITHERY)
    folder = home
    kept, secrets = file or ConfigFile(folder / "a.json"), SecretStore(folder / "b.json")
    servers = InstalledServers(manager, kept, secrets, folder.joinpath, forget_folder=lambda name: None)
    installer = Installer(registry, servers, EgressGate(Names()), FrozenClock())

    async def show_nothing(preview: Preview, ctx: TurnContext) -> Reply:
        return Reply()

    never_opened = SqliteConnection(partial(sqlite.connect, MEMORY), iter_chunk_size=64)
    nobody = repository or Repository(SqliteDatabase(never_opened, never_opened, has_vectors=False))
    sharing, oversight = Sharing(servers, nobody), oversight_over(nobody, FrozenClock(), folder)
    return ServerCommands(installer, servers, answers or NoAnswers(), show_nothing, sharing, oversight)
