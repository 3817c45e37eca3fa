"""The last lines of what a server said, for the one who has to find out why it did not start."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from app.domain.wording import one_line

_LINES: Final = 6
_LINE_CHARS: Final = 160
_TAIL_BYTES: Final = 4_000


def log_size(path: Path) -> int:
    """Return how long a log is now; 0 when there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def last_lines(path: Path, start: int, hidden: Iterable[str]) -> list[str]:
    """Return up to six last lines written since a log was `start` bytes long, short and printable.

    `hidden` texts are blanked, the home folder is written as `~`. A log that cannot be read has no lines.
    """
    try:
        with path.open("rb") as file:
            # A log that became shorter was begun anew meanwhile.
            end = path.stat().st_size
            file.seek(max(start if start <= end else 0, end - _TAIL_BYTES))
            text = file.read(_TAIL_BYTES).decode("utf-8", "replace")
    except OSError:
        return []
    for secret in sorted(filter(None, hidden), key=len, reverse=True):
        text = text.replace(secret, "[secret]")
    text = text.replace(str(Path.home()), "~")
    lines = ("".join(char if char.isprintable() else " " for char in line) for line in text.splitlines())
    return [one_line(line, _LINE_CHARS) for line in lines if line.strip()][-_LINES:]
