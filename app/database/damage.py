"""Is a database whole, before anything works with it."""

from contextlib import closing
from pathlib import Path
from typing import Final

from app.database.sqlite import DATABASE_ERRORS, sqlite

AT_ONCE_BYTES: Final = 256 * 1024 * 1024
"""What is read whole in a second or two."""


def find_damage(database: Path, *, at_most_bytes: int | None = None) -> str | None:
    """Return what is wrong with a file in SQLite's words; None where nothing is, or there is no file.

    Blocks while it reads the whole file, but for one that is larger than `at_most_bytes`.
    """
    try:
        size = database.stat().st_size
    except FileNotFoundError:
        return None
    if size == 0 or (at_most_bytes is not None and size > at_most_bytes):
        return None
    try:
        with closing(sqlite.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()
    except DATABASE_ERRORS as exc:
        return str(exc) if "malformed" in str(exc) or "not a database" in str(exc) else None
    return None if found is None or found[0] == "ok" else " ".join(str(found[0]).split())[:200]
