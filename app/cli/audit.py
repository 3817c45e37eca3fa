"""Check the audit trail from a terminal, beside a running service or without it."""

from pathlib import Path

from app.database.db import Database
from app.database.repositories.audit import AuditEvents
from app.domain.errors import ConfigError
from app.security.audit import verify_chain


async def verify_audit(database_file: Path, head_file: Path, key: bytes | None = None) -> list[str]:
    """Return a sentence for each record that was edited, removed or moved; empty when the trail is whole.

    Raises:
        ConfigError: there is no database.
        Transient: the database cannot be read, or is older than the audit trail.
    """
    _check_exists(database_file)
    async with Database.open(database_file) as db:
        return await verify_chain(AuditEvents(db), head_file, key)


def _check_exists(database_file: Path) -> None:
    # Opening would make a new, empty one, whose trail is whole.
    if not database_file.is_file():
        raise ConfigError("DATABASE_PATH", "there is no database to verify")
