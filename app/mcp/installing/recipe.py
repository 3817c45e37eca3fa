"""From what a registry lists to what would run: an exact command or address, and the variables it wants."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

from app.mcp.config import ServerConfig, Transport, parse_server, variable_key, variable_name
from app.mcp.installing.launchers import (
    Unfit,
    check_environment_name,
    check_launch,
    check_text,
    npx_args,
    uvx_args,
)
from app.mcp.installing.listing import Argument, Input, Listing, NamedInput, Package, Remote, plain_line

_TEMPLATE: Final = re.compile(r"\{([^{}]+)\}")
_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9]+")
_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_LOCAL_NAME_CHARS: Final = 40
_DESCRIPTION_CHARS: Final = 160
_LAUNCHED: Final = ("npm", "pypi")
_HOMES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "npm": ("", "https://registry.npmjs.org"),
        "pypi": ("", "https://pypi.org", "https://pypi.org/simple"),
    }
)
"""The registries that the launchers ask; a package said to be elsewhere would be another one here."""


@dataclass(frozen=True, slots=True)
class Variable:
    """Something that a person has to give. `key` is where it is kept: each server has keys of its own, so that
    none gets what was given to another by asking for the same name."""

    name: str
    key: str
    description: str = ""
    is_required: bool = True
    is_secret: bool = False


@dataclass(frozen=True, slots=True)
class Recipe:
    """`version` is exact for what runs here; what runs elsewhere has none that could be held to."""

    transport: Transport
    config: ServerConfig
    version: str
    variables: tuple[Variable, ...]


def local_name(listing_name: str) -> str:
    """Return the name that a server gets here: the last part of its own, in small letters, digits and `-`."""
    last = listing_name.rsplit("/", 1)[-1].lower()
    return _NOT_IN_A_NAME.sub("-", last)[:_LOCAL_NAME_CHARS].strip("-") or "server"


def make_recipe(listing: Listing, server: str, has_value: Callable[[str], bool]) -> Recipe:
    """Return how to run a listed server: a package for npx or uvx, else streamable HTTP, else SSE.

    `has_value` tells for which keys something is kept; what is optional and has none is left out.

    Raises:
        Unfit: none of its ways can be taken; the sentence says why for the first of them.
    """
    problems: list[Unfit] = []
    packages: list[Package] = sorted(
        (one for one in listing.packages if one.registry_type in _LAUNCHED),
        key=lambda one: _LAUNCHED.index(one.registry_type),
    )
    remotes = sorted(listing.remotes, key=lambda one: one.type == "sse")
    ways: list[Package | Remote] = [*packages, *remotes]
    for way in ways:
        texts = _Texts(server, has_value)
        try:
            return _of_package(way, texts) if isinstance(way, Package) else _of_remote(way, texts)
        except ValueError as exc:
            problems.append(Unfit(str(exc)))
    if problems:
        raise problems[0]
    kinds = sorted({one.registry_type for one in listing.packages})
    raise Unfit(f"it comes only as {', '.join(kinds)}" if kinds else "its registry does not say how to run it")


@dataclass(slots=True)
class _Texts:
    """Fills in a registry's texts and notes which variables that takes."""

    server: str
    has_value: Callable[[str], bool]
    variables: dict[str, Variable] = field(default_factory=dict)

    def want(self, name: str, given: Input) -> str:
        """Return the reference to a variable that a person gives."""
        key = variable_key(self.server, name)
        self.variables[key] = Variable(
            variable_name(name),
            key,
            plain_line(given.description, _DESCRIPTION_CHARS),
            given.is_required and given.default is None,
            given.is_secret,
        )
        return f"${{{key}}}"

    def of(self, name: str, given: Input) -> str | None:
        """Return the text for an input; None when it is optional and nobody gave it."""
        if given.value is not None:
            return self.fill(given.value, given.variables, given)
        reference = self.want(name, given)
        if self.has_value(variable_key(self.server, name)):
            return reference
        if given.default is not None:
            return check_text(given.default)
        return reference if given.is_required else None

    def fill(self, template: str, variables: Mapping[str, Input], whole: Input) -> str | None:
        """Return a template with its `{NAME}`s replaced; None when an optional one lacks a value."""
        check_text(template)
        parts: list[str] = []
        end = 0
        for match in _TEMPLATE.finditer(template):
            parts.append(template[end : match.start()])
            end = match.end()
            given = variables.get(match[1])
            if given is None:
                parts.append(match[0])
                continue
            # What is said of a header holds for its parts.
            marks = {
                "is_secret": given.is_secret or whole.is_secret,
                "is_required": given.is_required or whole.is_required,
            }
            text = self.of(match[1], given.model_copy(update=marks))
            if text is None:
                return None
            parts.append(text)
        return "".join([*parts, template[end:]])


def _of_package(package: Package, texts: _Texts) -> Recipe:
    if package.registry_base_url.rstrip("/") not in _HOMES[package.registry_type]:
        raise Unfit("its package is in a registry of its own")
    if package.transport is not None and package.transport.type != "stdio":
        raise Unfit("its package serves HTTP instead of standard input and output")
    if any((one.name or one.value or "") not in {"-y", "--yes"} for one in package.runtime_arguments):
        raise Unfit("it wants special arguments for the launcher")
    launch = npx_args if package.registry_type == "npm" else uvx_args
    command = "npx" if package.registry_type == "npm" else "uvx"
    own = [part for one in package.package_arguments for part in _argument(one, texts)]
    args = (*launch(package.identifier, package.version), *own)
    check_launch(command, args)
    env = _named(package.environment_variables, texts, check_environment_name)
    config = parse_server({"command": command, "args": args, **({"env": env} if env else {})})
    return Recipe("stdio", config, package.version, tuple(texts.variables.values()))


def _of_remote(remote: Remote, texts: _Texts) -> Recipe:
    if remote.type == "stdio":
        raise Unfit("its registry does not say where it is")
    named = {name: one.model_copy(update={"is_required": True}) for name, one in remote.variables.items()}
    url = texts.fill(remote.url, named, Input())
    if url is None or _TEMPLATE.search(url.replace("${", "")) or "${" in (urlsplit(url).netloc or "${"):
        raise Unfit("its host is not fixed")
    headers = _named(remote.headers, texts, _check_header)
    kind: Transport = "sse" if remote.type == "sse" else "http"
    config = parse_server({"type": kind, "url": url, **({"headers": headers} if headers else {})})
    return Recipe(kind, config, "", tuple(texts.variables.values()))


def _argument(given: Argument, texts: _Texts) -> tuple[str, ...]:
    """Return the words for one argument: none when it is optional and not given."""
    text = texts.of(given.value_hint or given.name or "ARGUMENT", given)
    if text is None:
        return ()
    if given.type == "positional":
        return (text,)
    return (check_text(given.name), text) if text else (check_text(given.name),)


def _named(given: tuple[NamedInput, ...], texts: _Texts, check: Callable[[str], str]) -> dict[str, str]:
    found = {check(one.name): texts.of(one.name, one) for one in given}
    return {name: text for name, text in found.items() if text is not None}


def _check_header(name: str) -> str:
    if _HEADER.fullmatch(name) is None or name.lower() in {"host", "content-length", "transfer-encoding"}:
        raise Unfit("it wants a header that cannot be set")
    return name
