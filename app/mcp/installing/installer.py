"""Installing servers by message: looked up, shown, approved, started, kept; or nothing of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import structlog

from app.domain.errors import NotFound, ToolFault, Transient
from app.domain.ids import UserId
from app.domain.ports import Clock
from app.domain.wording import one_line
from app.mcp.config import ServerConfig, check_name, variable_key, variable_name
from app.mcp.installed import ORIGIN, InstalledServers
from app.mcp.installing.launchers import Unfit, check_environment_name, check_launch, check_text
from app.mcp.installing.listing import Listing
from app.mcp.installing.preview import Preview, address_to_check
from app.mcp.installing.recipe import Recipe, Variable, local_name, make_recipe
from app.mcp.installing.registries import Found, RegistryClient
from app.mcp.manager import ServerInfo
from app.security.egress import EgressGate

log = structlog.get_logger(__name__)

PREVIEW_LIFE: Final = timedelta(hours=1)
START_WAIT_S: Final = 300.0
"""How long somebody waits for a server that they install. One that then still waits for an admin's consent, whose
link is good for longer, is kept all the same and connects by itself."""
_MAX_REMEMBERED: Final = 50
_CONSENT_PENDING: Final = (
    "{name} is installed, but cannot be used yet: an admin was sent a link and has to allow it first. It connects"
    " by itself after that, and the admins are told. Tell the person this; do not install it again."
)


@dataclass(frozen=True, slots=True)
class KeptVariable:
    """`is_seen`: the server has it, or will when it is installed; else it must be started by its owner."""

    server: str
    is_seen: bool


class VariablesMissing(ToolFault):
    """A server lacks `names`, which only a person can give."""

    def __init__(self, server: str, missing: Sequence[Variable]) -> None:
        super().__init__("variables_missing", ask_for(missing))
        self.server = server
        self.names = tuple(one.name for one in missing)


class Installer:
    """Puts servers in, by a listing or by a command line. Whether the asker may do so is the caller's to check.

    A preview counts for an hour and for this process. What is installed is exactly what its hash covers.
    All methods raise ToolFault with a sentence for whoever asked.
    """

    def __init__(
        self,
        registry: RegistryClient,
        servers: InstalledServers,
        gate: EgressGate,
        clock: Clock,
    ) -> None:
        self._registry = registry
        self._servers = servers
        self._gate = gate
        self._clock = clock
        self._listed: dict[str, Listing] = {}
        self._previews: dict[str, Preview] = {}

    async def search(self, query: str) -> Found:
        """Return servers for some words; `preview` knows them by their last part from then on."""
        found = await self._registry.search(query)
        self._listed = {listing.name: listing for listing in reversed(found.listings)}
        return found

    async def preview(self, name: str) -> Preview:
        """Return what would be installed: a full name, or the last part of one that was just found."""
        listing = await self._find(name)
        self._servers.check_free(local_name(listing.name))
        return self._remember(await self._make(listing))

    def pending(self, name: str) -> Preview:
        """Return the preview that stands for a name: the full one, or that which it would get here."""
        found = self._previews.get(name) or next(
            (one for one in self._previews.values() if name in {one.listing.name, one.listing.last_part}), None
        )
        if found is None or self._clock.now() - found.made_at > PREVIEW_LIFE:
            raise ToolFault(
                "not_previewed", f"{one_line(name, 80)} was not previewed: call preview_mcp_server first."
            )
        return found

    async def recall(self, name: str, listed_as: str) -> Preview:
        """As `pending`; what another process showed is made anew; its hash tells whether it is the same."""
        try:
            return self.pending(name)
        except ToolFault:
            return await self.preview(listed_as)

    def missing(self, preview: Preview) -> tuple[Variable, ...]:
        """Return the variables that it cannot do without and that nobody has given."""
        given = self._servers.given()
        return tuple(one for one in preview.variables if one.is_required and one.key not in given)

    async def install(self, name: str, digest: str, *, owner: UserId | None = None) -> ServerInfo:
        """Start and keep what was previewed under that hash, as its owner's; returns it ready.

        ToolFault "consent_pending": it is kept, and connects by itself once an admin has opened the link.
        """
        preview = self.pending(name)
        if preview.digest != digest:
            raise ToolFault(
                "preview_differs",
                f"{preview.name} is not what was approved any more, so nothing was run. Preview it again.",
            )
        return await self._start(preview, owner)

    async def install_from_command(
        self,
        name: str,
        command: str,
        args: Sequence[str],
        variables: Sequence[str] = (),
        *,
        owner: UserId | None = None,
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
        recipe = Recipe("stdio", config, version, wanted)
        return await self._start(Preview(name, Listing(name, "command", ""), recipe, self._clock.now()), owner)

    async def set_variable(
        self, name: str, value: str, server: str | None = None, *, by: UserId | None = None
    ) -> KeptVariable:
        """Keep a value for the one server that wants it, and start that anew; never for somebody else's."""
        wanting = {**self._pending_for(name), **self._servers.wanting(name, by)}
        wanting = {one: key for one, key in wanting.items() if server is None or one == server}
        if not wanting:
            raise ToolFault("variable_unknown", f"No server asks for {one_line(name, 60)}.")
        if len(wanting) > 1:
            raise ToolFault("variable_ambiguous", f"Several servers ask for it: {', '.join(sorted(wanting))}.")
        target, key = next(iter(wanting.items()))
        self._servers.give(key, value)
        log.info("mcp.variable_set", server=target)
        preview = self._previews.get(target)
        if preview is None:
            return KeptVariable(target, await self._servers.restart(target))
        if preview.listing.source != "command":
            # What is optional and given now belongs to what would run, so it is another preview.
            self._previews[target] = await self._make(preview.listing)
        return KeptVariable(target, True)

    def _pending_for(self, name: str) -> dict[str, str]:
        asked = variable_name(name).lower()
        wanted = ((preview.name, one) for preview in self._previews.values() for one in preview.variables)
        return {server: one.key for server, one in wanted if one.name.lower() == asked}

    def _remember(self, preview: Preview) -> Preview:
        self._previews.pop(preview.name, None)
        while len(self._previews) >= _MAX_REMEMBERED:
            del self._previews[next(iter(self._previews))]
        self._previews[preview.name] = preview
        return preview

    async def _find(self, name: str) -> Listing:
        wanted = name.strip().lower()
        close = [one.name for one in self._listed.values() if wanted in {one.name.lower(), one.last_part.lower()}]
        full = close[0] if len(close) == 1 else name.strip()
        try:
            return await self._registry.get(full)
        except NotFound as exc:
            raise ToolFault(
                "server_unlisted", f"No registry lists {one_line(full, 80)}. Search, then use a full name."
            ) from exc
        except Transient as exc:
            raise ToolFault("registries_silent", "The registries do not answer now. Try again later.") from exc

    async def _make(self, listing: Listing) -> Preview:
        name, given = local_name(listing.name), self._servers.given()
        try:
            recipe = make_recipe(listing, name, given.__contains__)
        except Unfit as exc:
            raise ToolFault("server_unfit", f"{listing.name} cannot be installed by message: {exc}.") from exc
        await self._check_address(recipe)
        return Preview(name, listing, recipe, self._clock.now())

    async def _check_address(self, recipe: Recipe) -> None:
        if recipe.transport != "stdio":
            await self._gate.check(address_to_check(recipe.config))

    async def _start(self, preview: Preview, owner: UserId | None) -> ServerInfo:
        if missing := self.missing(preview):
            self._remember(preview)
            raise VariablesMissing(preview.name, missing)
        await self._check_address(preview.recipe)
        info = await self._servers.add(
            preview.name,
            self._entry(preview, owner),
            wait_s=START_WAIT_S,
            secret_keys=[one.key for one in preview.variables],
        )
        log.info("mcp.installed", server=info.name, source=preview.listing.source, version=preview.recipe.version)
        self._previews.pop(preview.name, None)
        if info.is_consent_pending:
            raise ToolFault("consent_pending", _CONSENT_PENDING.format(name=info.name))
        return info

    def _entry(self, preview: Preview, owner: UserId | None) -> ServerConfig:
        """Return the entry for the file; `public_only` makes its connection be checked each time."""
        origin = {
            "source": preview.listing.source,
            "server": preview.listing.name,
            "version": preview.recipe.version,
            "sha256": preview.digest,
            "installed_at": self._clock.now().isoformat(timespec="seconds"),
        }
        is_remote = preview.recipe.transport != "stdio"
        marks = {
            ORIGIN: origin,
            **({"owner": owner} if owner else {}),
            **({"public_only": True} if is_remote else {}),
        }
        return ServerConfig.model_validate({**preview.config.as_written(), **marks})


def ask_for(missing: Sequence[Variable]) -> str:
    """Ask for variables by name; the person sends them in a command whose text is not kept."""
    asked = "; ".join(f"{one.name}{f' ({one.description})' if one.description else ''}" for one in missing)
    lines = "\n".join(f"/mcp set {one.name} VALUE" for one in missing)
    return f"It needs what only the person has: {asked}. Ask them to send, and never to tell you:\n{lines}"
