"""Servers that last: started and written down, given their variables, started anew, taken out again."""

import asyncio
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import structlog

from app.domain.errors import ConfigError, ToolFault, Transient
from app.domain.ids import UserId
from app.domain.recollection import Former
from app.domain.wording import one_line
from app.mcp.config import Access, ServerConfig, key_prefix, refuse_own_environment, variable_name
from app.mcp.connecting.server_log import last_lines, log_size
from app.mcp.files import ConfigFile, SecretStore, forget_values
from app.mcp.manager import McpManager, ServerInfo

log = structlog.get_logger(__name__)

ORIGIN: Final = "origin"
"""Under this an entry says what was installed, and when."""


class InstalledServers:
    """The servers as they run and as they are written down, with their secrets and their logs.

    A server is changed by one at a time. All methods raise ToolFault with a sentence for whoever asked.
    """

    def __init__(
        self,
        manager: McpManager,
        file: ConfigFile,
        secrets: SecretStore,
        log_path: Callable[[str], Path],
        *,
        forget_folder: Callable[[str], None],
    ) -> None:
        self.manager = manager
        self._file = file
        self._secrets = secrets
        self._log_path = log_path
        self._forget_folder = forget_folder
        self._busy: set[str] = set()
        self.connected: dict[str, object] = {}
        """As what each server was connected last, where that is known."""

    def find(self, name: str) -> ServerConfig | None:
        """Return what is written down of a server."""
        with _files():
            return self._file.load().servers.get(name)

    def written(self) -> dict[str, ServerConfig]:
        """Return the servers that are to run, as they are written down."""
        with _files():
            return {name: config for name, config in self._file.load().servers.items() if config.is_enabled}

    def state_of(self, config: ServerConfig) -> object:
        """Return what is another when a server must be connected anew: its entry, its variables' values."""
        with _files():
            values = tuple(self._secrets.find(name) for name in config.variables)
        return config.model_copy(update={"owner": None, "shared_with": ()}), values

    def is_busy(self, name: str) -> bool:
        """Tell whether a server is being changed at this moment."""
        return name in self._busy

    def check_free(self, name: str) -> None:
        """Refuse a name that is taken. Of two with one prefix, each would be given the other's secrets."""
        with _files():
            known = {*self._file.load().servers, *(one.name for one in self.manager.list_servers())}
        if any(key_prefix(one) == key_prefix(name) for one in known):
            raise ToolFault(
                "server_exists", f"There is a server named {name} already, or too much alike. Remove it first."
            )

    def given(self) -> frozenset[str]:
        """Return the keys of the variables that have a value."""
        with _files():
            return frozenset(self._secrets.names())

    def give(self, key: str, value: str) -> None:
        """Keep the value of a variable."""
        try:
            with _files():
                self._secrets.set(key, value)
        except ValueError as exc:
            raise ToolFault("variable_refused", f"It was not kept: {exc}.") from None

    def wanting(self, name: str, by: UserId | None = None) -> dict[str, str]:
        """Return which servers ask for a variable, each with the key under which it is kept.

        Left out are those of other people than `by`.
        """
        asked = variable_name(name).lower()
        with _files():
            return {
                server: key
                for server, config in self._file.load().servers.items()
                if config.owner in {None, by}
                for key in config.variables
                if asked in {key.lower(), key.removeprefix(key_prefix(server)).lower()}
            }

    async def add(
        self, name: str, config: ServerConfig, *, wait_s: float, secret_keys: Collection[str]
    ) -> ServerInfo:
        """Start a server and write it down once it is ready, or lacks nothing but an admin's consent.

        When it does not come so far within `wait_s`, nothing of it is kept; the fault ends with its log, without
        the values under `secret_keys`.
        """
        with self._alone(name):
            self.check_free(name)
            # Somebody may have taken out a server of that name by hand.
            if not await self._is_folder_gone(name):
                raise ToolFault("server_refused", f"What an earlier {name} left in its folder cannot be removed.")
            log_start, is_kept = log_size(self._log_path(name)), False
            try:
                info = await self.manager.hot_add_server(name, config, wait_s=wait_s)
                if info.state != "ready" and not info.is_consent_pending:
                    raise ToolFault("server_failed", self._why(info, log_start, secret_keys))
                self._file.put(name, config)
                self.connected[name], is_kept = self.state_of(config), True
            except ValueError as exc:
                raise ToolFault("server_refused", f"{name} was not installed: {exc}.") from exc
            finally:
                if not is_kept:
                    await self.manager.hot_remove_server(name)
                    await self._is_folder_gone(name)
        return info

    async def remove(self, name: str) -> None:
        """End a server, take it out of the file, and forget what was kept for it alone."""
        with self._alone(name):
            is_known = name in self._file.load().servers
            was_running = await self.manager.hot_remove_server(name)
            was_written = self._file.remove(name)
            if not was_running and not was_written:
                raise ToolFault("server_unknown", f"There is no server named {one_line(name, 80)}.")
            await self._is_folder_gone(name)
            if is_known:
                forget_values(self._file, self._secrets, name)
        log.info("mcp.removed", server=name)

    async def _is_folder_gone(self, name: str) -> bool:
        try:
            await asyncio.to_thread(self._forget_folder, name)
        except OSError:
            return False
        return True

    def set_access(self, name: str, access: Access) -> None:
        """Write down who may use a server, and let it count at once."""
        with self._alone(name):
            config = self._file.load().servers.get(name)
            if config is None:
                raise ToolFault("server_unknown", f"There is no server named {one_line(name, 80)}.")
            shared = {"shared_with": tuple(sorted(access.shared_with))}
            self._file.put_checked(name, config.model_copy(update=shared))
            self.manager.set_access(name, access)
        log.info("mcp.access_changed", server=name, people=len(access.shared_with))

    async def forget(self, former: Former) -> None:
        """Remove the servers of a person who is being forgotten, and what others shared with them.

        Raises:
            Transient: a server is being changed at this moment, or a file cannot be used.
        """
        try:
            with _files():
                servers = self._file.load().servers
            for name, config in servers.items():
                if config.owner == former.user_id:
                    await self.remove(name)
                elif former.user_id in config.shared_with:
                    self.set_access(
                        name, replace(config.access, shared_with=config.access.shared_with - {former.user_id})
                    )
        except ToolFault as exc:
            raise Transient(exc.detail) from exc

    async def undo(self, by: UserId | None = None) -> str:
        """Remove the server that `by`, or nobody that is known, installed last; returns its name."""
        name = self.newest(by)
        await self.remove(name)
        return name

    def newest(self, by: UserId | None = None) -> str:
        """Return the name of the server that `by`, or nobody that is known, installed last."""
        with _files():
            servers = self._file.load().servers
        theirs = {name: config for name, config in servers.items() if config.owner in {None, by}}
        installed = {name: at for name, config in theirs.items() if (at := _installed_at(config))}
        if not installed:
            raise ToolFault("nothing_to_undo", "No server was installed by message.")
        return max(installed, key=lambda one: installed[one])

    async def restart(self, name: str) -> bool:
        """Connect a server anew, in the background; False when only its owner may start it as it is written."""
        config = self.find(name)
        if config is None or not config.is_enabled:
            return False
        try:
            refuse_own_environment(config)
            with self._alone(name):
                await self.manager.hot_remove_server(name)
                self.connected[name] = self.state_of(config)
                await self.manager.hot_add_server(name, config, wait_s=0)
        except ValueError:
            return False
        return True

    def last_lines(self, name: str) -> list[str]:
        """Return what a server said last on its standard error; secrets were blanked when it was written."""
        return last_lines(self._log_path(name), 0, ())

    def _why(self, info: ServerInfo, log_start: int, secret_keys: Collection[str]) -> str:
        hidden = [value for key in secret_keys if (value := self._secrets.find(key))]
        lines = last_lines(self._log_path(info.name), log_start, hidden)
        reason = f"{info.name} did not start, so nothing was kept: {info.error or 'it was not ready in time'}."
        return "\n".join([reason, *(["Its log ends with:", *lines] if lines else [])])

    @contextmanager
    def _alone(self, name: str) -> Iterator[None]:
        if name in self._busy:
            raise ToolFault("server_busy", f"{name} is being changed at this moment. Wait for that.")
        self._busy.add(name)
        try:
            with _files():
                yield
        finally:
            self._busy.discard(name)


def _installed_at(config: ServerConfig) -> str:
    """Return when a server was installed by message, ISO 8601 in UTC; empty when it was not."""
    origin = (config.model_extra or {}).get(ORIGIN)
    at = origin.get("installed_at") if isinstance(origin, dict) else None
    return at if isinstance(at, str) else ""


@contextmanager
def _files() -> Iterator[None]:
    """Turn a file that cannot be used into a sentence; it names the file without its folder."""
    try:
        yield
    except ConfigError as exc:
        raise ToolFault("files_unusable", f"{exc.code} {exc.detail}.") from exc
