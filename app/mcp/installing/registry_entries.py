"""The entries of the registries' answers, read into listings; what is not understood is left out."""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Final, TypeVar
from urllib.parse import quote, urlsplit

from pydantic import AliasChoices, BaseModel, Field, ValidationError

from app.mcp.installing.listing import Input, Listing, NamedInput, Package, Remote, plain_line

NAME: Final = re.compile(r"@?[A-Za-z0-9][\w.-]{0,120}(?:/[A-Za-z0-9][\w.-]{0,120})?", re.ASCII)
_DESCRIPTION_CHARS: Final = 200
_MAX_TOOLS: Final = 100
_META: Final = "io.modelcontextprotocol.registry/official"
_SMITHERY_HOST: Final = "smithery.ai"


class _Official(BaseModel):
    """What we read of a server.json; packages and remotes are read one by one, later."""

    name: str
    description: str = ""
    version: str = ""
    status: str | None = None
    packages: list[object] | None = None
    remotes: list[object] | None = None


class _Meta(BaseModel):
    status: str | None = None
    is_latest: bool = Field(default=True, validation_alias=AliasChoices("isLatest", "is_latest"))


class _Tool(BaseModel):
    name: str


class _Property(BaseModel):
    description: str = ""


class _ConfigSchema(BaseModel):
    properties: dict[str, _Property] = Field(default_factory=dict)
    required: list[str] = Field(default_factory=list)


class _Connection(BaseModel):
    type: str
    url: str | None = Field(default=None, validation_alias=AliasChoices("deploymentUrl", "url"))
    config: _ConfigSchema | None = Field(default=None, validation_alias="configSchema")


class _Smithery(BaseModel):
    name: str = Field(validation_alias="qualifiedName")
    description: str | None = None
    url: str | None = Field(default=None, validation_alias="deploymentUrl")
    tools: list[_Tool] | None = None
    connections: list[object] | None = None


def read_each(read: Callable[[Mapping[str, object]], Listing | None], entries: object) -> list[Listing]:
    """Read every entry that can be; one that is broken hides no other."""
    listings = []
    for entry in entries if isinstance(entries, list) else ():
        with suppress(ValidationError):
            listing = read(entry) if isinstance(entry, dict) else None
            if listing is not None:
                listings.append(listing)
    return listings


def read_official(entry: Mapping[str, object]) -> Listing | None:
    """Read an entry of today's form, or of the one in which all stood on one level."""
    server = _Official.model_validate(entry.get("server", entry))
    extensions = entry.get("_meta")
    official = extensions.get(_META) if isinstance(extensions, Mapping) else None
    meta = _Meta.model_validate(official or {})
    is_current = meta.is_latest and (meta.status or server.status or "active") == "active"
    if not is_current or NAME.fullmatch(server.name) is None:
        return None
    return Listing(
        server.name,
        "official",
        publisher=_official_publisher(server.name),
        description=_line(server.description),
        version=_line(server.version),
        packages=tuple(_parts(Package, server.packages)),
        remotes=tuple(_parts(Remote, server.remotes)),
    )


def read_smithery(entry: Mapping[str, object]) -> Listing | None:
    server = _Smithery.model_validate(entry)
    if NAME.fullmatch(server.name) is None:
        return None
    connections = _parts(_Connection, server.connections)
    remotes = (_smithery_remote(one, one.url or server.url) for one in connections if one.type == "http")
    return Listing(
        server.name,
        "smithery",
        publisher=server.name.removeprefix("@").split("/", 1)[0] if "/" in server.name else "",
        description=_line(server.description),
        remotes=tuple(remote for remote in remotes if remote is not None),
        tools=tuple(_line(tool.name) for tool in (server.tools or [])[:_MAX_TOOLS]),
    )


def _smithery_remote(connection: _Connection, url: str | None) -> Remote | None:
    """Translate a connection: what its schema requires is asked for and goes into the query."""
    if url is None:
        return None
    config = connection.config or _ConfigSchema()
    variables = {
        key: Input(description=_line(config.properties.get(key, _Property()).description), is_required=True)
        for key in config.required
    }
    query = "&".join(f"{quote(key, safe='')}={{{key}}}" for key in config.required)
    host = urlsplit(url).hostname or ""
    is_hosted = host == _SMITHERY_HOST or host.endswith(f".{_SMITHERY_HOST}")
    account = Input(description="key of your Smithery account", is_required=True, is_secret=True)
    bearer = NamedInput(
        name="Authorization", value="Bearer {SMITHERY_API_KEY}", variables={"SMITHERY_API_KEY": account}
    )
    return Remote(
        type="streamable-http",
        url=f"{url}{'&' if '?' in url else '?'}{query}" if query else url,
        headers=(bearer,) if is_hosted else (),
        variables=variables,
    )


_Model = TypeVar("_Model", bound=BaseModel)


def _parts(model: type[_Model], entries: Iterable[object] | None) -> Iterable[_Model]:
    """Read what can be read; a way of running it that we do not understand leaves the others."""
    for entry in entries or ():
        with suppress(ValidationError):
            yield model.model_validate(entry)


def _line(text: str | None) -> str:
    return plain_line(text, _DESCRIPTION_CHARS)


def _official_publisher(name: str) -> str:
    """Say whose name it is; the registry has it proved by GitHub or by the domain's owner."""
    space = name.split("/", 1)[0]
    if space.startswith("io.github."):
        return f"github.com/{space.removeprefix('io.github.')}"
    return ".".join(reversed(space.split(".")))
