"""What servers need to know and nobody else may: tokens and keys by name, in a file of their own."""

import re
from pathlib import Path
from typing import Final

from app.domain.errors import ConfigError
from app.mcp.files import read_object, write_object

MAX_VALUE_CHARS: Final = 8192
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")


def is_variable_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


class SecretStore:
    """Variables for servers, kept in one JSON file (0600) and in no log.

    Each method reads the file anew: an owner may edit it while we run, and it is read only when a server
    is connected.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

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
        if not is_variable_name(name):
            raise ValueError("a variable's name has letters, digits and _ only, and begins with no digit")
        if not value or len(value) > MAX_VALUE_CHARS or any(char in value for char in "\0\r\n"):
            raise ValueError(f"the value of {name} is empty, too long, or more than one line")
        write_object(self._path, {**self._load(), name: value})

    def remove(self, name: str) -> bool:
        """Forget a value; returns whether there was one. Raises as `set`."""
        values = self._load()
        if name not in values:
            return False
        del values[name]
        write_object(self._path, values)
        return True

    def _load(self) -> dict[str, str]:
        raw = read_object(self._path)
        values = {name: value for name, value in raw.items() if isinstance(value, str)}
        if values.keys() != raw.keys():
            raise ConfigError(self._path.name, "has a value that is not text")
        return values
