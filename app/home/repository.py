"""Links and sessions: hashed, each of one person, each with an end."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from app.database.db import Database, Transaction
from app.domain.clock import to_ms
from app.domain.ids import UserId

LINK_LIFE: Final = timedelta(minutes=10)
SESSION_LIFE: Final = timedelta(days=7)
_BYTES: Final = 32
_LONGEST_KEY: Final = 100


@dataclass(frozen=True, slots=True)
class Session:
    """`key` is what the cookie holds; the database knows its hash only."""

    key: str
    user_id: UserId
    is_local: bool
    notice: str = ""


class Doors:
    """One person's links and sessions."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def add_link(self, user_id: UserId, at: datetime) -> str:
        """Make the person's only link and return its key."""
        # No character in it may be a mark of WhatsApp's: one link in thousands would be broken by what keeps it
        # from being read as one.
        key = secrets.token_hex(_BYTES)
        async with self._db.transaction() as tx:
            await tx.execute("DELETE FROM home_links WHERE user_id = ?", user_id)
            await tx.execute(
                "INSERT INTO home_links(link_hash, user_id, created_at, expires_at) VALUES (?, ?, ?, ?)",
                _digest(key),
                user_id,
                to_ms(at),
                to_ms(at + LINK_LIFE),
            )
        return key

    async def open_local(self, user_id: UserId, at: datetime) -> Session:
        """Open a session that is good on this machine only."""
        async with self._db.transaction() as tx:
            return await _open(user_id, at, is_local=True, tx=tx)

    async def set_notice(self, user_id: UserId, session: Session, notice: str) -> None:
        """Keep what the next page says; or that it was said, with ""."""
        async with self._db.transaction() as tx:
            await tx.execute(
                "UPDATE home_sessions SET notice = ? WHERE session_hash = ? AND user_id = ?",
                notice,
                _digest(session.key),
                user_id,
            )

    async def close(self, user_id: UserId, session: Session) -> None:
        async with self._db.transaction() as tx:
            await tx.execute(
                "DELETE FROM home_sessions WHERE session_hash = ? AND user_id = ?", _digest(session.key), user_id
            )

    async def close_all(self, user_id: UserId) -> int:
        """End every session of a person and their link; returns how many sessions there were."""
        async with self._db.transaction() as tx:
            await tx.execute("DELETE FROM home_links WHERE user_id = ?", user_id)
            return await tx.execute("DELETE FROM home_sessions WHERE user_id = ?", user_id)


class Keys:
    """The side that starts from a key, and therefore cannot name a user first."""

    async def find_link(self, db: Database, key: str, at: datetime) -> UserId | None:
        """Return whose a link is that is still good."""
        row = await db.fetch_one(
            "SELECT user_id FROM home_links WHERE link_hash = ? AND expires_at > ?", _digest(key), to_ms(at)
        )
        return None if row is None else UserId(row["user_id"])

    async def take_link(self, db: Database, key: str, at: datetime) -> Session | None:
        """Use a link up and open a session of its person; None when it is used, old or unknown."""
        async with db.transaction() as tx:
            row = await tx.fetch_one(
                "DELETE FROM home_links WHERE link_hash = ? AND expires_at > ? RETURNING user_id",
                _digest(key),
                to_ms(at),
            )
            return None if row is None else await _open(UserId(row["user_id"]), at, is_local=False, tx=tx)

    async def find_session(self, db: Database, key: str, at: datetime) -> Session | None:
        row = await db.fetch_one(
            "SELECT user_id, is_local, notice FROM home_sessions WHERE session_hash = ? AND expires_at > ?",
            _digest(key),
            to_ms(at),
        )
        return None if row is None else Session(key, UserId(row["user_id"]), bool(row["is_local"]), row["notice"])


async def _open(user_id: UserId, at: datetime, *, is_local: bool, tx: Transaction) -> Session:
    session = Session(secrets.token_urlsafe(_BYTES), user_id, is_local)
    await tx.execute("DELETE FROM home_sessions WHERE expires_at <= ?", to_ms(at))
    await tx.execute(
        "INSERT INTO home_sessions(session_hash, user_id, is_local, created_at, expires_at)"
        " VALUES (?, ?, ?, ?, ?)",
        _digest(session.key),
        user_id,
        int(is_local),
        to_ms(at),
        to_ms(at + SESSION_LIFE),
    )
    return session


def _digest(key: str) -> str:
    return hashlib.sha256(key[:_LONGEST_KEY].encode("utf-8", "replace")).hexdigest()
