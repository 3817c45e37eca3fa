"""Small JSON files that only the owner's account may read, replaced as a whole or not at all."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from app.disk import replace_file
from app.domain.errors import ConfigError

MAX_FILE_BYTES: Final = 1_000_000


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
