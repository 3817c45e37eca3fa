"""The `.env` file: read as the service reads it, changed line by line, written whole or not at all.

Ours and not python-dotenv's `set_key`, which writes once for each variable, sets every duplicate, puts a file in
place of a link, ends all lines with \\n, and leaves the example's commented line standing beside the new one.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic_settings import DotEnvSettingsSource

from app.cli.connect.texts import CONNECT
from app.config import Settings
from app.disk import replace_file
from app.domain.errors import AppError
from app.language.catalogue import lazy

_PLAIN: Final = re.compile(
    r"[A-Za-z0-9_./:@%+=,|~()*!?&;^<>{}\[\]-]+(?: [A-Za-z0-9_./:@%+=,|~()*!?&;^<>{}\[\]-]+)*"
)


class EnvFileError(AppError):
    """The file cannot be read or changed safely; nothing was written."""


@dataclass(frozen=True, slots=True)
class EnvFile:
    """The file as it was read; `text` is None when there was none."""

    path: Path
    text: str | None
    values: Mapping[str, str]

    @classmethod
    def read(cls, path: Path) -> "EnvFile":
        """Read the file, following a link to where it really lies.

        Raises:
            EnvFileError: it is there and cannot be read as UTF-8.
        """
        real = path.resolve()
        try:
            text = real.read_bytes().decode()
        except FileNotFoundError:
            return cls(real, None, {})
        except (OSError, UnicodeDecodeError) as exc:
            unread = lazy(CONNECT.env_unreadable, file=path.name, detail=type(exc).__name__)
            raise EnvFileError("env_unreadable", unread) from None
        return cls(real, text, _values(real))

    def changes(self, wanted: Mapping[str, str]) -> dict[str, str]:
        """Return those of the wanted values that the file does not have yet."""
        return {name: value for name, value in wanted.items() if self.values.get(name) != value}

    def describe(self, changes: Mapping[str, str], secret: Iterable[str]) -> list[str]:
        """Return a line for each change, without secrets: `+` for a new value, `~` for another one."""
        hidden = frozenset(secret)
        lines: list[str] = []
        for name, value in changes.items():
            old = self.values.get(name)
            if name in hidden:
                lines.append(lazy(CONNECT.change_hidden, sign="~" if old else "+", name=name, count=len(value)))
            elif old:
                lines.append(lazy(CONNECT.change_from, name=name, value=value, old=old))
            else:
                lines.append(f"+ {name}={value}")
        return lines

    def write(self, changes: Mapping[str, str]) -> "EnvFile":
        """Put the changes into the file, readable by its owner alone; every other line stays as it is.

        The new file takes the place of the old one in one step, after it read back as wanted. Whatever happens
        before leaves the old one untouched.

        Raises:
            EnvFileError: a value cannot be written plainly, the file was changed by somebody else since it was
                read, it would not read back as wanted, or the disk refuses.
        """
        try:
            current = self.path.read_bytes().decode() if self.path.exists() else None
            if current != self.text:
                raise EnvFileError("env_changed", lazy(CONNECT.env_changed, file=self.path.name))
            text = apply_changes(self.text or "", changes)
            expected = {**self.values, **changes}
            replace_file(self.path, text.encode(), check=lambda fresh: self._check(fresh, expected))
        except OSError as exc:
            raise EnvFileError("env_not_written", f"{self.path.name}: {exc.strerror}") from None
        return EnvFile(self.path, text, _values(self.path))

    def _check(self, fresh: Path, expected: Mapping[str, str]) -> None:
        if _values(fresh) != expected:
            raise EnvFileError("env_ambiguous", lazy(CONNECT.env_ambiguous, file=self.path.name))


def apply_changes(text: str, changes: Mapping[str, str]) -> str:
    """Return the text with each variable set: in its line, else in place of its commented line, else at the end.

    Raises:
        EnvFileError: a value needs quotes; Docker's `--env-file` takes quotes literally.
    """
    lines = text.splitlines(keepends=True)
    ending = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    for name, value in changes.items():
        if not _PLAIN.fullmatch(value):
            raise EnvFileError("env_value", lazy(CONNECT.env_value, name=name))
        _set(lines, name, f"{name}={value}", ending)
    return "".join(lines)


def _set(lines: list[str], name: str, line: str, ending: str) -> None:
    assigned = re.compile(rf"\s*(?:export\s+)?{name}\s*=")
    commented = re.compile(rf"#\s?{name}=")
    # The last assignment is the one that counts.
    places = [n for n, old in enumerate(lines) if assigned.match(old)][-1:]
    places = places or [n for n, old in enumerate(lines) if commented.match(old)][:1]
    if places:
        lines[places[0]] = line + ending
        return
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += ending
    lines.append(line + ending)


def _values(path: Path) -> dict[str, str]:
    """Read a file with the reader of the settings themselves."""
    found = DotEnvSettingsSource(Settings, env_file=path, case_sensitive=True).env_vars
    return {name: value for name, value in found.items() if value}
