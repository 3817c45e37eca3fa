"""Small JSON files that only the owner's account may read, replaced as a whole or not at all."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from app.domain.errors import ConfigError

MAX_FILE_BYTES: Final = 1_000_000
_MODE: Final = 0o600


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
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.unlink(missing_ok=True)
        opened = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, _MODE)
        with open(opened, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
        _sync_folder(path.parent)
    except OSError as exc:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise ConfigError(path.name, f"cannot be written ({exc.strerror})") from exc


def _sync_folder(folder: Path) -> None:
    """Make the new name survive a power cut as well."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
