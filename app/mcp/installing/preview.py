"""What a person sees before a server is installed, bound by a hash to what would run."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final

from app.mcp.config import ServerConfig
from app.mcp.installing.listing import Listing, Source
from app.mcp.installing.recipe import Recipe, Variable

SOURCES: Final[Mapping[Source, str]] = MappingProxyType(
    {"official": "official MCP registry", "smithery": "Smithery", "command": "typed by an admin"}
)
_SHOWN_TOOLS: Final = 12
_REFERENCE: Final = re.compile(r"\$\{[^{}]*\}")
_DIGEST_CHARS: Final = 32


@dataclass(frozen=True, slots=True)
class Preview:
    """A server as it would be installed under `name`. `config` holds references in place of secrets."""

    name: str
    listing: Listing
    recipe: Recipe
    made_at: datetime

    @property
    def config(self) -> ServerConfig:
        return self.recipe.config

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.recipe.variables

    @property
    def runs(self) -> str:
        """The exact command line, or the address."""
        if self.recipe.transport != "stdio":
            return self.config.url or ""
        return " ".join([self.config.command or "", *map(_quoted, self.config.args)])

    @property
    def digest(self) -> str:
        """SHA-256 over all that decides what runs and in whose name it was offered."""
        listing = self.listing
        text = json.dumps(
            [self.name, listing.name, listing.source, listing.publisher, self.config.as_written()], sort_keys=True
        )
        return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_CHARS]

    def facts(self) -> dict[str, object]:
        """Return what is approved, as the arguments of the call that installs: name first, hash last."""
        given = {**self.config.env, **self.config.headers}
        wanted = [f"{one.name}{' (secret)' if one.is_secret else ''}" for one in self.variables if one.is_required]
        facts: dict[str, object] = {
            "name": self.name,
            "server": self.listing.name,
            "source": SOURCES[self.listing.source],
            "publisher": self.listing.publisher,
            "version": self.recipe.version,
            "transport": self.recipe.transport,
            "runs": self.runs,
            "environment": [f"{name}={value}" for name, value in given.items()],
            "needs": wanted,
            "tools": list(self.listing.tools[:_SHOWN_TOOLS]),
            "preview": self.digest,
        }
        return {name: value for name, value in facts.items() if value}

    def lines(self) -> list[str]:
        """Return the facts as lines `name: value`; the values are strangers' words."""
        return [
            f"{name}: {', '.join(map(str, value)) if isinstance(value, list) else value}"
            for name, value in self.facts().items()
        ]


def address_to_check(config: ServerConfig) -> str:
    """Return a server's URL with something harmless in place of what a person gives; never part of its host."""
    return _REFERENCE.sub("x", config.url or "")


def _quoted(arg: str) -> str:
    """Show where an argument begins and ends; nothing here is ever given to a shell."""
    return arg if arg and not any(char.isspace() or char in "\"'" for char in arg) else json.dumps(arg)
