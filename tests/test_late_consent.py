"""A server whose consent comes later than anybody waits for it is kept, comes up by itself, and is told of."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from app.domain.errors import ToolFault
from app.mcp.connecting.host import WAITING_FOR_CONSENT
from app.mcp.files import ConfigFile
from app.mcp.installed import InstalledServers
from app.mcp.installing.installer import START_WAIT_S, Installer
from app.mcp.installing.registries import RegistryClient
from app.mcp.manager import ServerInfo
from app.mcp.signing_in.consent import LINK_LIFE_S
from app.security.egress import EgressGate
from tests.fakes.clock import FrozenClock
from tests.fakes.mcp import text_of, turn_of, until
from tests.fakes.oauth import URL, Remote, Running, running_sign_ins
from tests.fakes.registries import OFFICIAL, SMITHERY, Names, Registries, entry

LISTED = "io.github.acme/echo"


@dataclass
class World:
    """An installer over a remote server that wants consent; `let_in` are those that the admins are told of."""

    running: Running
    installer: Installer
    servers: InstalledServers
    file: ConfigFile
    clock: FrozenClock
    states: list[ServerInfo] = field(default_factory=list)

    @property
    def let_in(self) -> list[str]:
        return [info.name for info in self.states if info.state == "ready" and info.is_consent_granted]

    @property
    def kept(self) -> list[str]:
        return list(self.file.load().servers)

    def info(self) -> ServerInfo:
        info = self.running.manager.find_server("echo")
        assert info is not None
        return info

    async def install(self) -> ServerInfo:
        preview = await self.installer.preview(LISTED)
        async with asyncio.timeout(10):
            return await self.installer.install(preview.name, preview.digest)


@asynccontextmanager
async def world(home: Path, *, does: str = "nothing") -> AsyncIterator[World]:
    clock, states = FrozenClock(), list[ServerInfo]()
    registries = Registries([entry(remotes=[{"type": "streamable-http", "url": URL}])])
    async with (
        running_sign_ins(home, Remote(), clock, does=does, on_state=states.append) as running,
        httpx.AsyncClient(transport=httpx.MockTransport(registries.answer)) as http,
    ):
        file = ConfigFile(home / "mcp_servers.json")
        servers = InstalledServers(
            running.manager,
            file,
            running.secrets,
            lambda name: home / f"{name}.log",
            forget_folder=lambda name: None,
        )
        registry = RegistryClient(http, official_url=OFFICIAL, smithery_url=SMITHERY)
        installer = Installer(registry, servers, EgressGate(Names()), clock)
        yield World(running, installer, servers, file, clock, states)


async def install_without_consent(opened: World) -> None:
    """Install, and let more time pass than anybody waits for an admin."""
    installing = asyncio.create_task(opened.install())
    await until_asked(opened)
    await opened.clock.advance(START_WAIT_S + 1)
    with pytest.raises(ToolFault, match="an admin was sent a link") as raised:
        await installing
    assert raised.value.code == "consent_pending"


async def until_asked(opened: World) -> None:
    await until(lambda: any(one.is_consent_pending for one in opened.running.manager.list_servers()))


async def test_consent_after_the_installer_gave_up_brings_the_server_up_and_the_admins_hear_of_it(
    tmp_path: Path,
) -> None:
    async with world(tmp_path) as opened:
        await install_without_consent(opened)
        assert (opened.info().state, opened.info().error) == ("connecting", WAITING_FOR_CONSENT)
        assert opened.kept == ["echo"]
        assert await opened.running.consent() == "taken"
        await until(lambda: opened.let_in == ["echo"])
        assert opened.info().tools == ("mcp_echo_count",)
        result = await opened.running.manager.call("echo", "count", {}, turn_of())
        assert text_of(result) == "call 1"
        assert len(opened.running.admin.links) == 1


async def test_consent_in_time_is_no_news_as_whoever_installs_it_hears_at_once(tmp_path: Path) -> None:
    async with world(tmp_path) as opened:
        installing = asyncio.create_task(opened.install())
        await until_asked(opened)
        assert opened.kept == []
        assert await opened.running.consent() == "taken"
        assert (await installing).state == "ready"
        assert opened.kept == ["echo"]
        assert opened.let_in == []
        assert not opened.info().is_consent_pending


async def test_a_server_that_waits_for_consent_cannot_be_installed_twice_and_can_be_undone(tmp_path: Path) -> None:
    async with world(tmp_path) as opened:
        await install_without_consent(opened)
        with pytest.raises(ToolFault, match="There is a server named echo already"):
            await opened.install()
        assert await opened.servers.undo() == "echo"
        assert opened.kept == []
        assert await opened.running.consent() == "unknown"


async def test_a_refusal_while_somebody_waits_keeps_nothing(tmp_path: Path) -> None:
    async with world(tmp_path, does="no") as opened:
        with pytest.raises(ToolFault, match="did not allow it"):
            await opened.install()
        assert opened.kept == []
        assert opened.running.manager.list_servers() == ()


async def test_a_link_that_ran_out_leaves_a_server_that_failed_and_can_be_asked_for_again(tmp_path: Path) -> None:
    async with world(tmp_path) as opened:
        await install_without_consent(opened)
        await opened.clock.advance(LINK_LIFE_S + 1)
        await until(lambda: opened.info().state == "failed")
        assert "while the link was good" in str(opened.info().error)
        assert not opened.info().is_consent_pending
        assert opened.kept == ["echo"]
        assert opened.let_in == []
        # As `/mcp login` does it.
        await opened.running.manager.hot_remove_server("echo")
        await opened.running.manager.hot_add_server("echo", opened.file.load().servers["echo"], wait_s=0)
        await until(lambda: opened.info().is_consent_pending and len(opened.running.admin.links) == 2)
        assert await opened.running.consent() == "taken"
        await until(lambda: opened.let_in == ["echo"])
