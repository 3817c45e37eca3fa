"""Installing servers by message: looked up, shown, approved, started, kept; or nothing of it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

import structlog

from app.domain.errors import ConfigError, NotFound, ToolFault, Transient
from app.domain.ports import Clock
from app.domain.wording import one_line
from app.mcp.config import ServerConfig, check_name, refuse_own_environment
from app.mcp.connecting.resolve import list_variables
from app.mcp.connecting.server_log import last_lines, log_size
from app.mcp.files import ConfigFile, SecretStore
from app.mcp.installing.launchers import Unfit, check_environment_name, check_launch, check_text
from app.mcp.installing.listing import Listing
from app.mcp.installing.preview import Preview, address_to_check, make_preview
from app.mcp.installing.recipe import (
    Recipe,
    Variable,
    forget_values,
    key_prefix,
    local_name,
    make_recipe,
    variable_key,
    variable_name,
)
from app.mcp.installing.registries import Found, RegistryClient
from app.mcp.manager import McpManager, ServerInfo
from app.security.egress import EgressGate

log = structlog.get_logger(__name__)

PREVIEW_LIFE: Final = timedelta(hours=1)
START_WAIT_S: Final = 300.0
"""How long somebody waits for a server that they install. One that then still waits for an admin's consent, whose
link is good for longer, is kept all the same and connects by itself."""
_MAX_REMEMBERED: Final = 50
_ORIGIN: Final = "origin"
_CONSENT_PENDING: Final = (
    "{name} is installed, but cannot be used yet: an admin was sent a link and has to allow it first. It connects"
    " by itself after that, and the admins are told. Tell the person this; do not install it again."
)


@dataclass(frozen=True, slots=True)
class ServerHome:
    """Where servers live: who runs them, where they are written down, their secrets and their logs."""

    manager: McpManager
    file: ConfigFile
    secrets: SecretStore
    log_path: Callable[[str], Path]


@dataclass(frozen=True, slots=True)
class KeptVariable:
    """`is_seen`: the server has it, or will when it is installed; else it must be started by its owner."""

    server: str
    is_seen: bool


@dataclass(frozen=True, slots=True)
class _Pending:
    """`listing` is what the preview was made of; None when an admin typed the command."""

    preview: Preview
    listing: Listing | None


class Installer:
    """Puts servers in and takes them out. Whether the asker may do so is the caller's to check.

    A preview counts for an hour and for this process. What is installed is exactly what its hash covers.
    All methods raise ToolFault with a sentence for whoever asked.
    """

    def __init__(
        self,
        registry: RegistryClient,
        home: ServerHome,
        gate: EgressGate,
        clock: Clock,
        *,
        start_wait_s: float = START_WAIT_S,
    ) -> None:
        self._registry = registry
        self._home = home
        self._gate = gate
        self._clock = clock
        self._start_wait_s = start_wait_s
        self._listed: dict[str, Listing] = {}
        self._pending: dict[str, _Pending] = {}
        self._busy: set[str] = set()

    async def search(self, query: str) -> Found:
        """Return servers for some words; `preview` knows them by their last part from then on."""
        found = await self._registry.search(query)
        self._listed = {listing.name: listing for listing in reversed(found.listings)}
        return found

    async def preview(self, name: str) -> Preview:
        """Return what would be installed: a full name, or the last part of one that was just found."""
        listing = await self._find(name)
        local = local_name(listing.name)
        if self._home.manager.find_server(local) is not None:
            raise ToolFault(
                "server_exists", f"There is a server named {local} already. It would have to be removed first."
            )
        pending = await self._pend(listing)
        self._remember(pending)
        return pending.preview

    def pending(self, name: str) -> Preview:
        """Return the preview that stands for a name: the full one, or that which it would get here."""
        found = self._pending.get(name) or next(
            (
                one
                for one in self._pending.values()
                if name in {one.preview.listing, one.preview.listing.rsplit("/", 1)[-1]}
            ),
            None,
        )
        if found is None or self._clock.now() - found.preview.made_at > PREVIEW_LIFE:
            raise ToolFault(
                "not_previewed", f"{one_line(name, 80)} was not previewed: call preview_mcp_server first."
            )
        return found.preview

    def missing(self, preview: Preview) -> tuple[Variable, ...]:
        """Return the variables that it cannot do without and that nobody has given."""
        given = self._given()
        return tuple(one for one in preview.variables if one.is_required and one.key not in given)

    async def install(self, name: str, digest: str) -> ServerInfo:
        """Start and keep what was previewed under that hash; returns it ready.

        ToolFault "consent_pending": it is kept, and connects by itself once an admin has opened the link.
        """
        preview = self.pending(name)
        if preview.digest != digest:
            raise ToolFault(
                "preview_differs",
                f"{preview.name} is not what was approved any more, so nothing was run. Preview it again.",
            )
        if missing := self.missing(preview):
            raise ToolFault("variables_missing", ask_for(missing))
        info = await self._start_and_keep(preview)
        del self._pending[preview.name]
        if info.is_consent_pending:
            raise ToolFault("consent_pending", _CONSENT_PENDING.format(name=info.name))
        return info

    async def install_from_command(
        self, name: str, command: str, args: Sequence[str], variables: Sequence[str] = ()
    ) -> ServerInfo:
        """Start and keep what an admin typed: npx or uvx with an exact version, as `check_launch` has it.

        Of the variables it gets those named, from what was kept for this server.
        """
        try:
            check_name(name)
            _, version = check_launch(command, args)
            for arg in args:
                check_text(arg)
            env = {check_environment_name(one): f"${{{variable_key(name, one)}}}" for one in variables}
            config = ServerConfig(command=command, args=tuple(args), **({"env": env} if env else {}))
        except ValueError as exc:
            raise ToolFault("command_refused", f"This cannot be run: {exc}.") from exc
        wanted = tuple(Variable(one, variable_key(name, one)) for one in variables)
        preview = Preview(
            name, name, "command", "", "", Recipe("stdio", config, version, wanted), (), self._clock.now()
        )
        if missing := self.missing(preview):
            self._remember(_Pending(preview, None))
            raise ToolFault("variables_missing", ask_for(missing))
        info = await self._start_and_keep(preview)
        self._pending.pop(name, None)
        return info

    async def remove(self, name: str) -> None:
        """End a server, take it out of the file, and forget what was kept for it alone."""
        with self._alone(name), _files():
            config = self._home.file.load().servers.get(name)
            was_running = await self._home.manager.hot_remove_server(name)
            was_written = self._home.file.remove(name)
            if not was_running and not was_written:
                raise ToolFault("server_unknown", f"There is no server named {one_line(name, 80)}.")
            if config is not None:
                forget_values(self._home.file, self._home.secrets, name)
        log.info("mcp.removed", server=name)

    async def undo(self) -> str:
        """Remove the server that was installed last; returns its name."""
        with _files():
            servers = self._home.file.load().servers
        installed = {name: at for name, config in servers.items() if (at := _installed_at(config))}
        if not installed:
            raise ToolFault("nothing_to_undo", "No server was installed by message.")
        name = max(installed, key=lambda one: installed[one])
        await self.remove(name)
        return name

    async def set_variable(self, name: str, value: str, server: str | None = None) -> KeptVariable:
        """Keep a value for the one server that wants it, and start that anew."""
        with _files():
            wanting = self._wanting(name, server)
            if not wanting:
                raise ToolFault("variable_unknown", f"No server asks for {one_line(name, 60)}.")
            if len(wanting) > 1:
                raise ToolFault("variable_ambiguous", f"Several servers ask for it: {', '.join(sorted(wanting))}.")
            target, key = next(iter(wanting.items()))
            try:
                self._home.secrets.set(key, value)
            except ValueError as exc:
                raise ToolFault("variable_refused", f"It was not kept: {exc}.") from None
        log.info("mcp.variable_set", server=target)
        pending = self._pending.get(target)
        if pending is None:
            return KeptVariable(target, await self._restart(target))
        if pending.listing is not None:
            # What is optional and given now belongs to what would run, so it is another preview.
            self._pending[target] = await self._pend(pending.listing)
        return KeptVariable(target, True)

    def _remember(self, pending: _Pending) -> None:
        self._pending.pop(pending.preview.name, None)
        while len(self._pending) >= _MAX_REMEMBERED:
            del self._pending[next(iter(self._pending))]
        self._pending[pending.preview.name] = pending

    async def _find(self, name: str) -> Listing:
        wanted = name.strip()
        close = [
            one for one in self._listed.values() if wanted.lower() in {one.name.lower(), one.last_part.lower()}
        ]
        full = close[0].name if len(close) == 1 else wanted
        try:
            return await self._registry.get(full)
        except NotFound as exc:
            raise ToolFault(
                "server_unlisted", f"No registry lists {one_line(full, 80)}. Search, then use a full name."
            ) from exc
        except Transient as exc:
            raise ToolFault("registries_silent", "The registries do not answer now. Try again later.") from exc

    async def _pend(self, listing: Listing) -> _Pending:
        given = self._given()
        try:
            recipe = make_recipe(listing, local_name(listing.name), given.__contains__)
        except Unfit as exc:
            raise ToolFault("server_unfit", f"{listing.name} cannot be installed by message: {exc}.") from exc
        if recipe.transport != "stdio":
            await self._gate.check(address_to_check(recipe.config))
        return _Pending(make_preview(listing, recipe, self._clock.now()), listing)

    async def _start_and_keep(self, preview: Preview) -> ServerInfo:
        name, home = preview.name, self._home
        with self._alone(name), _files():
            known = {*home.file.load().servers, *(one.name for one in home.manager.list_servers())}
            # Of two names with one prefix, each would be given the other's secrets.
            if any(key_prefix(one) == key_prefix(name) for one in known):
                raise ToolFault(
                    "server_exists",
                    f"There is a server named {name}, or too much alike, already. Remove it first.",
                )
            if preview.recipe.transport != "stdio":
                await self._gate.check(address_to_check(preview.config))
            config = self._to_keep(preview)
            log_start = log_size(home.log_path(name))
            is_kept = False
            try:
                info = await home.manager.hot_add_server(name, config, wait_s=self._start_wait_s)
                if info.state != "ready" and not info.is_consent_pending:
                    raise ToolFault("server_failed", self._why(preview, info, log_start))
                home.file.put(name, config)
                is_kept = True
            except ValueError as exc:
                raise ToolFault("server_refused", f"{name} was not installed: {exc}.") from exc
            finally:
                if not is_kept:
                    await home.manager.hot_remove_server(name)
        log.info("mcp.installed", server=name, source=preview.source, version=preview.recipe.version)
        return info

    def _to_keep(self, preview: Preview) -> ServerConfig:
        """Return the entry for the file; `public_only` makes its connection be checked each time."""
        origin = {
            "source": preview.source,
            "server": preview.listing,
            "version": preview.recipe.version,
            "sha256": preview.digest,
            "installed_at": self._clock.now().isoformat(timespec="seconds"),
        }
        is_remote = preview.recipe.transport != "stdio"
        marks = {_ORIGIN: origin, **({"public_only": True} if is_remote else {})}
        return ServerConfig.model_validate({**preview.config.as_written(), **marks})

    def _why(self, preview: Preview, info: ServerInfo, log_start: int) -> str:
        reason = f"{preview.name} did not start, so nothing was kept: {info.error or 'it was not ready in time'}."
        hidden = [value for one in preview.variables if (value := self._home.secrets.find(one.key))]
        lines = last_lines(self._home.log_path(preview.name), log_start, hidden)
        return "\n".join([reason, *(["Its log ends with:", *lines] if lines else [])])

    async def _restart(self, name: str) -> bool:
        """Let a server see a changed variable; False when only its owner may start it as it is written."""
        with _files():
            config = self._home.file.load().servers.get(name)
        if config is None or not config.is_enabled:
            return False
        try:
            refuse_own_environment(config)
            with self._alone(name):
                await self._home.manager.hot_remove_server(name)
                await self._home.manager.hot_add_server(name, config, wait_s=0)
        except ValueError:
            return False
        return True

    def _wanting(self, name: str, server: str | None) -> dict[str, str]:
        """Return which servers ask for a variable, each with the key under which it is kept."""
        asked = variable_name(name).lower()
        found: dict[str, str] = {}
        for one in self._pending.values():
            for variable in one.preview.variables:
                if variable.name.lower() == asked:
                    found[one.preview.name] = variable.key
        for local, config in self._home.file.load().servers.items():
            for key in list_variables(config):
                if asked in {key.lower(), key.removeprefix(key_prefix(local)).lower()}:
                    found[local] = key
        return {local: key for local, key in found.items() if server is None or local == server}

    def _given(self) -> frozenset[str]:
        with _files():
            return frozenset(self._home.secrets.names())

    @contextmanager
    def _alone(self, name: str) -> Iterator[None]:
        if name in self._busy:
            raise ToolFault("server_busy", f"{name} is being changed at this moment. Wait for that.")
        self._busy.add(name)
        try:
            yield
        finally:
            self._busy.discard(name)


def ask_for(missing: Sequence[Variable]) -> str:
    """Ask for variables by name; the person sends them in a command whose text is not kept."""
    asked = "; ".join(f"{one.name}{f' ({one.description})' if one.description else ''}" for one in missing)
    lines = "\n".join(f"/mcp set {one.name} VALUE" for one in missing)
    return f"It needs what only the person has: {asked}. Ask them to send, and never to tell you:\n{lines}"


def _installed_at(config: ServerConfig) -> str:
    """Return when a server was installed by message, ISO 8601 in UTC; empty when it was not."""
    origin = (config.model_extra or {}).get(_ORIGIN)
    at = origin.get("installed_at") if isinstance(origin, dict) else None
    return at if isinstance(at, str) else ""


@contextmanager
def _files() -> Iterator[None]:
    """Turn a file that cannot be used into a sentence; it names the file without its folder."""
    try:
        yield
    except ConfigError as exc:
        raise ToolFault("files_unusable", f"{exc.code} {exc.detail}.") from exc
