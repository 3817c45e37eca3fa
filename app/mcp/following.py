"""Servers that another process installed, changed or removed: this one does the same, without a restart."""

from collections.abc import Sequence
from pathlib import Path

import structlog

from app.domain.errors import ToolFault
from app.domain.ports import Clock
from app.jobs import follow_files
from app.mcp.config import ServerConfig
from app.mcp.installed import InstalledServers

log = structlog.get_logger(__name__)


class Following:
    """Keeps the servers of this process as they are written down.

    A server is connected anew when its entry or one of its variables changed; who may use it counts at once.
    """

    def __init__(self, servers: InstalledServers, files: Sequence[Path], clock: Clock) -> None:
        self._servers = servers
        self._files = files
        self._clock = clock

    async def run(self) -> None:
        """Follow the files until cancelled."""
        await follow_files(lambda: self._files, self._follow, self._clock)

    async def _follow(self) -> bool:
        """Do as the files say; returns whether nothing is left to do."""
        try:
            wanted = self._servers.written()
        except ToolFault as exc:
            log.warning("mcp.not_followed", reason=exc.detail)
            return True
        running = {one.name for one in self._servers.manager.list_servers()}
        is_done = True
        for name in sorted(wanted.keys() | running):
            if self._servers.is_busy(name):
                is_done = False
            elif (config := wanted.get(name)) is None:
                self._servers.connected.pop(name, None)
                if await self._servers.manager.hot_remove_server(name):
                    log.info("mcp.followed", server=name, change="removed")
            else:
                await self._keep(name, config, is_running=name in running)
        return is_done

    async def _keep(self, name: str, config: ServerConfig, *, is_running: bool) -> None:
        manager, known, state = self._servers.manager, self._servers.connected, self._servers.state_of(config)
        if is_running and manager.access_of(name) != config.access:
            manager.set_access(name, config.access)
        # What was connected at the start is as the file was then.
        is_new = name not in known and not (is_running and manager.config_of(name) == config)
        is_changed = name in known and known[name] != state
        known[name] = state
        if not is_new and not is_changed:
            return
        try:
            await manager.renew(name, config)
        except ValueError as exc:
            log.warning("mcp.server_skipped", server=name, reason=str(exc))
        else:
            log.info("mcp.followed", server=name, change="connected")
