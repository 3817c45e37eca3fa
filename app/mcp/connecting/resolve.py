"""From what is written down to what is run: references replaced by values, and nothing inherited unasked."""

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from app.mcp.config import REFERENCE, ServerConfig, Transport
from app.mcp.installing.launchers import search_path

BASE_VARIABLES: Final = ("PATH",)
"""What a child gets of our own environment unasked: launchers do not find node without. Its home is its folder."""
_BASE_UNCONFINED: Final = (*BASE_VARIABLES, "HOME")

_UNKNOWN: Final = re.compile(r"\$\{([^{}]*)\}")
_SECRET_NAME: Final = re.compile(r"token|key|secret|pass|auth|credential|cookie", re.IGNORECASE)
_SHORTEST_SECRET: Final = 4


class Unusable(Exception):
    """The server cannot be run until somebody changes something; the message says what, without a value."""


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """A server ready to be opened. What may be secret is in no `repr`; `secrets` is what no text may show."""

    name: str
    transport: Transport
    command: str = ""
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: Path | None = None
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    is_confined: bool = True
    folders: tuple[str, ...] = ()
    given: tuple[str, ...] = field(default=(), repr=False)
    """What its own variables hold: paths among that may be changed by it, as those in `args` and `folders`."""
    reads: tuple[str, ...] = field(default=(), repr=False)
    """What the variables that all servers see hold: paths among that may be read."""
    is_public_only: bool = False
    """Installed by message: its address may lead to nothing but the public internet, each time anew."""

    def redact(self, text: str) -> str:
        """Return a text without the values that this server was given in confidence."""
        for secret in self.secrets:
            text = text.replace(secret, "[secret]")
        return text


class _References:
    """Puts values in the place of references, and keeps which secrets were used and which values are missing."""

    def __init__(self, find_secret: Callable[[str], str | None], environ: Mapping[str, str]) -> None:
        self.used: dict[str, str] = {}
        self.missing: list[str] = []
        self._find_secret = find_secret
        self._environ = environ

    def filled(self, text: str) -> str:
        for unknown in _UNKNOWN.finditer(text):
            if REFERENCE.fullmatch(unknown[0]) is None:
                raise Unusable(f"the reference ${{{unknown[1][:40]}}} is not known here")
        return REFERENCE.sub(self._value_of, text)

    def _value_of(self, match: re.Match[str]) -> str:
        value = self._environ.get(match[2]) if match[1] else self._find_secret(match[2])
        if value is None:
            if match[3] is None:
                self.missing.append(match[2])
            return match[3] or ""
        self.used[match[2]] = value
        return value


def resolve(
    name: str,
    config: ServerConfig,
    *,
    find_secret: Callable[[str], str | None],
    environ: Mapping[str, str],
    passed: Collection[str] = (),
) -> ServerSpec:
    """Replace the references of a configuration; `environ` is our own environment.

    A child's environment holds `BASE_VARIABLES` (and `HOME`, if it is not confined), `LANG` for UTF-8, what of
    `passed` we have ourselves, and what the configuration gives; of two with one name, the later. `PATH` is as
    `search_path` has it.

    Raises:
        Unusable: a variable has no value, or a reference is of a kind that we do not know.
        ConfigError: the secrets cannot be read.
    """
    references = _References(find_secret, environ)
    filled = references.filled
    names = BASE_VARIABLES if config.confined else _BASE_UNCONFINED
    base = {key: environ[key] for key in names if key in environ}
    handed_on = {key: environ[key] for key in passed if key in environ}
    given = {key: filled(value) for key, value in config.env.items()}
    env = {**base, "LANG": "C.UTF-8", **handed_on, **given}
    path = env.get("PATH", os.defpath)
    if (wider := search_path(config.command or "", path)) != path:
        env["PATH"] = wider
    spec = ServerSpec(
        name=name,
        transport=config.transport,
        command=config.command or "",
        args=tuple(filled(arg) for arg in config.args),
        env=env,
        cwd=Path(filled(config.cwd)) if config.cwd else None,
        url=filled(config.url or ""),
        headers={key: filled(value) for key, value in config.headers.items()},
        is_confined=config.confined,
        folders=tuple(map(filled, config.folders)),
        given=tuple(given.values()),
        reads=tuple(handed_on.values()),
        is_public_only=(config.model_extra or {}).get("public_only") is True,
    )
    if references.missing:
        raise Unusable(f"it has no value for {', '.join(dict.fromkeys(references.missing))}")
    if spec.transport != "stdio" and not spec.url.startswith(("http://", "https://")):
        raise Unusable("its url does not begin with http:// or https://")
    return replace(spec, secrets=_secrets(spec, references.used.values()))


def _secrets(spec: ServerSpec, used: Iterable[str]) -> tuple[str, ...]:
    """Return what to hide, longest first; what stands in the file in the clear may be a secret as well."""
    parts = urlsplit(spec.url)
    named = (value for name, value in spec.env.items() if _SECRET_NAME.search(name))
    logins = (_password(value) for value in spec.env.values())
    found = {*used, *named, *logins, *spec.headers.values(), parts.query, parts.password or ""}
    return tuple(sorted((text for text in found if len(text) >= _SHORTEST_SECRET), key=len, reverse=True))


def _password(value: str) -> str:
    """Return the password in an address, such as that of a proxy or of an index of packages; else nothing."""
    try:
        return urlsplit(value).password or ""
    except ValueError:
        return ""
