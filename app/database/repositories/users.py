"""People: which of Meta's ids belong to whom, where to write to them, and who was turned away."""

import json
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.database.db import Database, Row, Transaction
from app.domain.clock import to_ms
from app.domain.errors import NotFound
from app.domain.ids import UserId
from app.domain.inbound import InboundMessage, Sender
from app.domain.outbound import Recipient
from app.domain.phrases import Language

Trust = Literal["trusted", "asked", "blocked"]


@dataclass(frozen=True, slots=True)
class User:
    user_id: UserId
    name: str | None
    language: Language
    trust: Trust
    recipient: Recipient


@dataclass(frozen=True, slots=True)
class Stranger:
    alias: str
    name: str | None
    attempts: int


class Users:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def get(self, user_id: UserId) -> User:
        """Return a user.

        Raises:
            NotFound: there is none with that id.
        """
        user = await self.find(user_id)
        if user is None:
            raise NotFound("user_unknown")
        return user

    async def find(self, user_id: UserId) -> User | None:
        row = await self._db.fetch_one("SELECT * FROM users WHERE user_id = ?", user_id)
        return None if row is None else _user(row)

    async def language(self, user_id: UserId, *, tx: Transaction) -> Language:
        """Return the user's language, inside a transaction."""
        row = await tx.fetch_one("SELECT language FROM users WHERE user_id = ?", user_id)
        if row is None:
            raise NotFound("user_unknown")
        language: Language = row["language"]
        return language

    async def set_language(self, user_id: UserId, language: Language, *, tx: Transaction) -> None:
        await tx.execute("UPDATE users SET language = ? WHERE user_id = ?", language, user_id)

    async def set_trust(self, user_id: UserId, trust: Trust, *, tx: Transaction) -> None:
        await tx.execute("UPDATE users SET trust = ? WHERE user_id = ?", trust, user_id)

    async def add_alias(self, user_id: UserId, alias: str, at: datetime, *, tx: Transaction) -> None:
        """Remember one more id of a person; an id that is taken stays with its owner."""
        await tx.execute(
            "INSERT OR IGNORE INTO identities(alias, user_id, created_at) VALUES (?, ?, ?)",
            alias,
            user_id,
            to_ms(at),
        )

    async def move_address(
        self, user_id: UserId, *, wa_id: str | None, bsuid: str | None, tx: Transaction
    ) -> None:
        """Send to the new address from now on."""
        await tx.execute(
            "UPDATE users SET wa_id = coalesce(?, wa_id), bsuid = coalesce(?, bsuid) WHERE user_id = ?",
            wa_id,
            bsuid,
            user_id,
        )


class Directory:
    """Look-ups that start from Meta's ids and therefore cannot name a user first."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def find(self, aliases: Collection[str]) -> dict[str, UserId]:
        """Return the owners of those aliases that are known."""
        rows = await self._db.fetch_all(
            "SELECT alias, user_id FROM identities WHERE alias IN (SELECT value FROM json_each(?))",
            json.dumps(list(aliases)),
        )
        return {row["alias"]: UserId(row["user_id"]) for row in rows}

    async def find_in(self, aliases: Collection[str], *, tx: Transaction) -> dict[str, UserId]:
        """As `find`, inside a transaction."""
        rows = await tx.fetch_all(
            "SELECT alias, user_id FROM identities WHERE alias IN (SELECT value FROM json_each(?))",
            json.dumps(list(aliases)),
        )
        return {row["alias"]: UserId(row["user_id"]) for row in rows}

    async def aliases_of(self, user_ids: Collection[UserId]) -> dict[UserId, frozenset[str]]:
        """Return every id under which those users were ever seen."""
        rows = await self._db.fetch_all(
            "SELECT alias, user_id FROM identities WHERE user_id IN (SELECT value FROM json_each(?))",
            json.dumps(list(user_ids)),
        )
        found: dict[UserId, frozenset[str]] = {}
        for row in rows:
            user_id = UserId(row["user_id"])
            found[user_id] = found.get(user_id, frozenset()) | {row["alias"]}
        return found

    async def touch(self, newest: Mapping[UserId, InboundMessage], *, tx: Transaction) -> None:
        """Note each author's newest address and name, and that their 24-hour window is open."""
        await tx.execute_many(
            "UPDATE users SET name = coalesce(?, name), wa_id = coalesce(?, wa_id), bsuid = coalesce(?, bsuid),"
            " last_inbound_at = max(last_inbound_at, ?) WHERE user_id = ?",
            [
                (message.sender.name, message.sender.wa_id, message.sender.bsuid, to_ms(message.sent_at), user_id)
                for user_id, message in newest.items()
            ],
        )

    async def create(self, sender: Sender, language: Language, at: datetime, *, tx: Transaction) -> UserId:
        """Make a user for a person who was never seen before."""
        user_id = UserId(uuid.uuid4().hex)
        await tx.execute(
            "INSERT INTO users(user_id, name, language, wa_id, bsuid, last_inbound_at, created_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            user_id,
            sender.name,
            language,
            sender.wa_id,
            sender.bsuid,
            to_ms(at),
            to_ms(at),
        )
        return user_id

    async def record_stranger(self, alias: str, name: str | None, at: datetime, *, tx: Transaction) -> None:
        """Count one message of somebody who may not use the assistant."""
        await tx.execute(
            "INSERT INTO strangers(alias, name, attempts, first_at, last_at) VALUES (?1, ?2, 1, ?3, ?3)"
            " ON CONFLICT(alias) DO UPDATE SET attempts = attempts + 1, last_at = ?3, name = coalesce(?2, name)",
            alias,
            name,
            to_ms(at),
        )

    async def list_strangers(self, limit: int = 10) -> list[Stranger]:
        """Return who was turned away, the latest first."""
        rows = await self._db.fetch_all("SELECT * FROM strangers ORDER BY last_at DESC LIMIT ?", limit)
        return [Stranger(row["alias"], row["name"], row["attempts"]) for row in rows]


def _user(row: Row) -> User:
    return User(
        user_id=UserId(row["user_id"]),
        name=row["name"],
        language=row["language"],
        trust=row["trust"],
        recipient=Recipient(wa_id=row["wa_id"], bsuid=row["bsuid"]),
    )
