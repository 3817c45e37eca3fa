"""What lasts of servers, in two files: who they are, and what they need to know and nobody else may."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.disk import replace_file
from app.domain.errors import ConfigError
from app.mcp.config import ServerConfig, check_name, key_prefix, parse_server, refuse_own_environment

MAX_SERVERS: Final = 100
MAX_FILE_BYTES: Final = 1_000_000
MAX_VALUE_CHARS: Final = 8192
_FORMS: Final = ("servers", "mcpServers")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")


@dataclass(frozen=True, slots=True)
class Skipped:
    """An entry that cannot be used; the rest of the file is."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class ServerList:
    servers: Mapping[str, ServerConfig]
    skipped: tuple[Skipped, ...] = ()


class ConfigFile:
    """The file of servers: `{"servers": {…}}`, `{"mcpServers": {…}}` as other clients write it, or both.

    What it does not understand it leaves as it is. Methods block for one small file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def load(self) -> ServerList:
        """Read all entries; of two with one name, that under `servers` counts.

        Raises:
            ConfigError: the file as a whole cannot be used.
        """
        servers: dict[str, ServerConfig] = {}
        skipped: list[Skipped] = []
        for name, entry in self._entries(read_object(self.path)).items():
            try:
                check_name(name)
                if len(servers) == MAX_SERVERS:
                    raise ValueError(f"there are more than {MAX_SERVERS} servers")
                servers[name] = parse_server(entry)
            except ValueError as exc:
                skipped.append(Skipped(name[:80], str(exc)))
        return ServerList(servers, tuple(skipped))

    def put(self, name: str, config: ServerConfig) -> None:
        """Add or replace an entry, in the form in which the file is written.

        Raises:
            ValueError: the name is none, or the entry would read our own environment.
            ConfigError: the file cannot be read or written.
        """
        refuse_own_environment(config)
        self.put_checked(name, config)

    def put_checked(self, name: str, config: ServerConfig) -> None:
        """As `put`, for an entry that may be of the owner's hand."""
        check_name(name)
        document = read_object(self.path)
        groups = self._groups(document)
        form = next((form for form, group in groups.items() if name in group), next(iter(groups), _FORMS[0]))
        document[form] = {**groups.get(form, {}), name: config.as_written()}
        write_object(self.path, document)

    def remove(self, name: str) -> bool:
        """Take an entry out; returns whether there was one. Raises ConfigError as `put`."""
        document = read_object(self.path)
        holding = {form: group for form, group in self._groups(document).items() if name in group}
        for form, group in holding.items():
            document[form] = {key: entry for key, entry in group.items() if key != name}
        if holding:
            write_object(self.path, document)
        return bool(holding)

    def _entries(self, document: Mapping[str, object]) -> dict[str, object]:
        entries: dict[str, object] = {}
        for group in self._groups(document).values():
            entries = {**group, **entries}
        return entries

    def _groups(self, document: Mapping[str, object]) -> dict[str, dict[str, object]]:
        groups: dict[str, dict[str, object]] = {}
        for form in _FORMS:
            group = document.get(form)
            if isinstance(group, dict):
                groups[form] = group
            elif group is not None:
                raise ConfigError(self.path.name, f"{form} is not an object")
        return groups


class SecretStore:
    """Variables for servers, kept in one JSON file (0600) and in no log.

    Each method reads the file anew: an owner may edit it while we run, and it is read only when a server
    is connected.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def find(self, name: str) -> str | None:
        """Return a value, or None when it was never given.

        Raises:
            ConfigError: the file cannot be read.
        """
        return self._load().get(name)

    def names(self) -> tuple[str, ...]:
        """Return the names that have a value, sorted. Raises as `find`."""
        return tuple(sorted(self._load()))

    def set(self, name: str, value: str) -> None:
        """Keep a value, replacing an earlier one.

        Raises:
            ValueError: the name is no variable's, or the value is empty, too long or has a NUL or line break.
            ConfigError: the file cannot be read or written; a damaged one is never overwritten.
        """
        if _NAME.fullmatch(name) is None:
            raise ValueError("a variable's name has letters, digits and _ only, and begins with no digit")
        if not value or len(value) > MAX_VALUE_CHARS or any(char in value for char in "\0\r\n"):
            raise ValueError(f"the value of {name} is empty, too long, or more than one line")
        write_object(self.path, {**self._load(), name: value})

    def remove(self, name: str) -> bool:
        """Forget a value; returns whether there was one. Raises as `set`."""
        values = self._load()
        if name not in values:
            return False
        del values[name]
        write_object(self.path, values)
        return True

    def _load(self) -> dict[str, str]:
        raw = read_object(self.path)
        values = {name: value for name, value in raw.items() if isinstance(value, str)}
        if values.keys() != raw.keys():
            raise ConfigError(self.path.name, "has a value that is not text")
        return values


def forget_values(file: ConfigFile, secrets: SecretStore, name: str) -> None:
    """Forget what was kept for a server that is in the file no more, unless another one asks for it.

    Raises:
        ConfigError: a file cannot be read or written.
    """
    still_wanted = {key for config in file.load().servers.values() for key in config.variables}
    for key in secrets.names():
        if key.startswith(key_prefix(name)) and key not in still_wanted:
            secrets.remove(key)


def read_object(path: Path) -> dict[str, object]:
    """Return the JSON object in a file; empty when there is no file, or nothing in it.

    Raises:
        ConfigError: it cannot be read, is too large, or holds something else. The message quotes nothing.
    """
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise ConfigError(path.name, f"is larger than {MAX_FILE_BYTES} bytes")
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError as exc:
        raise ConfigError(path.name, "is not UTF-8 text") from exc
    except OSError as exc:
        raise ConfigError(path.name, f"cannot be read ({exc.strerror})") from exc
    try:
        value = json.loads(text) if text.strip() else {}
    except json.JSONDecodeError as exc:
        # From None: the decoder's own error carries the whole text, secrets included.
        raise ConfigError(path.name, f"is not JSON (line {exc.lineno}, column {exc.colno})") from None
    except RecursionError as exc:
        raise ConfigError(path.name, "is nested too deep") from exc
    if not isinstance(value, dict):
        raise ConfigError(path.name, "is not a JSON object")
    return value


def write_object(path: Path, value: Mapping[str, object]) -> None:
    """Replace a file: afterwards it holds all of the new text, or still all of the old.

    Raises:
        ConfigError: it cannot be written.
    """
    data = (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data)
    except OSError as exc:
        raise ConfigError(path.name, f"cannot be written ({exc.strerror})") from exc
