"""People: which of Meta's ids belong to whom, where to write to them, and who was turned away."""

import json
import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from app.database.db import Database, Row, Transaction
from app.domain.clock import from_ms, to_ms
from app.domain.errors import NotFound
from app.domain.ids import UserId
from app.domain.inbound import InboundMessage, Sender
from app.domain.outbound import Recipient
from app.domain.phone_zones import zone_of_number
from app.domain.phones import is_business_scoped, phone_alias
from app.domain.turn import ConfirmationMode
from app.language.catalogue import Language

Trust = Literal["trusted", "asked", "blocked"]
_IS_BSUID: Final = "substr(alias, 1, 6) = 'bsuid:'"


@dataclass(frozen=True, slots=True)
class User:
    user_id: UserId
    name: str | None
    language: Language
    trust: Trust
    recipient: Recipient
    mode: ConfirmationMode | None
    timezone: str | None = None
    is_language_settled: bool = False

    def zone(self, default: str) -> str:
        """Return the zone they live in: as they said, else as their number says, else the default."""
        return self.timezone or zone_of_number(self.recipient.wa_id, default)


@dataclass(frozen=True, slots=True)
class Author:
    """Who wrote a message, as far as taking it in needs to know."""

    user_id: UserId
    trust: Trust = "trusted"


@dataclass(frozen=True, slots=True)
class FormerIdentity:
    """An id that a person gave up at `ended_at`; somebody else may have it now."""

    author: Author
    ended_at: datetime


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

    async def set_language(
        self, user_id: UserId, language: Language, *, is_settled: bool = False, tx: Transaction
    ) -> None:
        """Keep the language in which to answer; `is_settled`: whatever the person writes in."""
        await tx.execute(
            "UPDATE users SET language = ?, is_language_settled = ? WHERE user_id = ?",
            language,
            int(is_settled),
            user_id,
        )

    async def set_mode(self, user_id: UserId, mode: ConfirmationMode, *, tx: Transaction) -> None:
        await tx.execute("UPDATE users SET mode = ? WHERE user_id = ?", mode, user_id)

    async def set_timezone(self, user_id: UserId, timezone: str | None, *, tx: Transaction) -> None:
        """Note the zone that a person named; None: their number tells it again."""
        await tx.execute("UPDATE users SET timezone = ? WHERE user_id = ?", timezone, user_id)

    async def move_trust(
        self, user_id: UserId, trust: Trust, *, leaving: tuple[Trust, ...], tx: Transaction
    ) -> bool:
        """Change whether a person is trusted; False when it was none of the states to be left."""
        changed = await tx.execute(
            "UPDATE users SET trust = ? WHERE user_id = ? AND trust IN (SELECT value FROM json_each(?))",
            trust,
            user_id,
            json.dumps(list(leaving)),
        )
        return changed == 1

    async def add_alias(self, user_id: UserId, alias: str, at: datetime, *, tx: Transaction) -> None:
        """Remember one more id of a person; an id that is taken stays with its owner."""
        await tx.execute(
            "INSERT INTO identities(alias, user_id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            alias,
            user_id,
            to_ms(at),
        )


class Directory:
    """Look-ups that start from Meta's ids and therefore cannot name a user first."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def list_all(self) -> list[UserId]:
        """Return everybody, in the order of their ids."""
        rows = await self._db.fetch_all("SELECT user_id FROM users ORDER BY user_id")
        return [UserId(row["user_id"]) for row in rows]

    async def find_authors(self, aliases: Collection[str], *, tx: Transaction) -> dict[str, Author]:
        """Return whom each of those ids identifies now, for the ids that are known."""
        rows = await tx.fetch_all(
            "SELECT alias, user_id, trust FROM identities JOIN users USING (user_id)"
            " WHERE alias IN (SELECT value FROM json_each(?))",
            json.dumps(list(aliases)),
        )
        return {row["alias"]: Author(UserId(row["user_id"]), row["trust"]) for row in rows}

    async def find_former(self, aliases: Collection[str], *, tx: Transaction) -> dict[str, FormerIdentity]:
        """Return who moved away from those ids."""
        rows = await tx.fetch_all(
            "SELECT alias, user_id, trust, ended_at FROM former_identities JOIN users USING (user_id)"
            " WHERE alias IN (SELECT value FROM json_each(?))",
            json.dumps(list(aliases)),
        )
        return {
            row["alias"]: FormerIdentity(Author(UserId(row["user_id"]), row["trust"]), from_ms(row["ended_at"]))
            for row in rows
        }

    async def aliases_of(
        self, user_ids: Collection[UserId], *, tx: Transaction | None = None
    ) -> dict[UserId, frozenset[str]]:
        """Return the ids by which ALLOWED_PHONE_NUMBERS and ADMIN_PHONE_NUMBERS mean those users.

        An entry follows the person who moved to another number: it is theirs, and never that of whoever
        gets the number after them.
        """
        rows = await (tx or self._db).fetch_all(
            "SELECT alias, user_id FROM entries_meant WHERE user_id IN (SELECT value FROM json_each(?))",
            json.dumps(list(user_ids)),
        )
        found: dict[UserId, frozenset[str]] = {}
        for row in rows:
            user_id = UserId(row["user_id"])
            found[user_id] = found.get(user_id, frozenset()) | {row["alias"]}
        return found

    async def get_with_entries(self, user_id: UserId) -> tuple[User, frozenset[str]]:
        """Return a user, and the ids by which the settings mean them; see `aliases_of`."""
        row = await self._db.fetch_one(
            "SELECT *, (SELECT json_group_array(alias) FROM entries_meant WHERE user_id = ?1) AS entries"
            " FROM users WHERE user_id = ?1",
            user_id,
        )
        if row is None:
            raise NotFound("user_unknown")
        return _user(row), frozenset(json.loads(row["entries"]))

    async def list_unsettled(self, kind: str, *, tx: Transaction) -> list[User]:
        """Return those who wait for trust and about whom no question of that kind is open."""
        rows = await tx.fetch_all(
            "SELECT * FROM users WHERE trust = 'asked' AND NOT EXISTS (SELECT 1 FROM questions q"
            " WHERE q.kind = ? AND q.bound_to = users.user_id AND q.state = 'pending') ORDER BY user_id",
            kind,
        )
        return [_user(row) for row in rows]

    async def list_meant(self, aliases: Collection[str], *, tx: Transaction) -> list[User]:
        """Return the users for whom entries of the settings stand (see `aliases_of`), ordered by id."""
        rows = await tx.fetch_all(
            "SELECT * FROM users WHERE user_id IN (SELECT user_id FROM entries_meant"
            " WHERE alias IN (SELECT value FROM json_each(?))) ORDER BY user_id",
            json.dumps(list(aliases)),
        )
        return [_user(row) for row in rows]

    async def get_in(self, user_id: UserId, *, tx: Transaction) -> User:
        """As `Users.get`, inside a transaction."""
        row = await tx.fetch_one("SELECT * FROM users WHERE user_id = ?", user_id)
        if row is None:
            raise NotFound("user_unknown")
        return _user(row)

    async def move(
        self, user_id: UserId, aliases: Collection[str], to: Recipient, at: datetime, *, tx: Transaction
    ) -> None:
        """Let new ids identify a person from `at` on, and send to the new address.

        The person's other ids of the same kind become former ones. An id that identified somebody else
        does so no longer: they moved away without our hearing of it, and nothing is sent to them there.
        """
        for alias in aliases:
            kind = alias.partition(":")[0]
            await tx.execute(
                "INSERT INTO former_identities(alias, user_id, ended_at)"
                " SELECT alias, user_id, ?1 FROM identities WHERE (alias = ?2 AND user_id <> ?3)"
                " OR (alias <> ?2 AND user_id = ?3 AND substr(alias, 1, length(?4)) = ?4) ON CONFLICT DO NOTHING",
                to_ms(at),
                alias,
                user_id,
                f"{kind}:",
            )
            await self._leave_address(alias, user_id, tx)
            await tx.execute(
                "DELETE FROM identities WHERE alias = ?1 OR (user_id = ?2 AND substr(alias, 1, length(?3)) = ?3)",
                alias,
                user_id,
                f"{kind}:",
            )
            await tx.execute("DELETE FROM former_identities WHERE alias = ? AND user_id = ?", alias, user_id)
            await tx.execute(
                "INSERT INTO identities(alias, user_id, created_at) VALUES (?, ?, ?)", alias, user_id, to_ms(at)
            )
        await tx.execute(
            "UPDATE users SET wa_id = coalesce(?, wa_id), bsuid = coalesce(?, bsuid) WHERE user_id = ?",
            to.wa_id,
            to.bsuid,
            user_id,
        )

    async def has_bsuid(self, user_id: UserId, *, tx: Transaction) -> bool:
        """Tell whether a business-scoped id identifies a person now."""
        row = await tx.fetch_one(f"SELECT 1 FROM identities WHERE user_id = ? AND {_IS_BSUID} LIMIT 1", user_id)
        return row is not None

    async def give_up_bsuid(self, user_id: UserId, at: datetime, *, tx: Transaction) -> None:
        """Let a person's business-scoped ids identify nobody from `at` on."""
        await tx.execute(
            "INSERT INTO former_identities(alias, user_id, ended_at)"
            f" SELECT alias, user_id, ? FROM identities WHERE user_id = ? AND {_IS_BSUID} ON CONFLICT DO NOTHING",
            to_ms(at),
            user_id,
        )
        await tx.execute(f"DELETE FROM identities WHERE user_id = ? AND {_IS_BSUID}", user_id)
        await tx.execute("UPDATE users SET bsuid = NULL WHERE user_id = ?", user_id)

    async def _leave_address(self, alias: str, new_owner: UserId, tx: Transaction) -> None:
        """Stop sending to an id on behalf of whoever had it before its new owner."""
        row = await tx.fetch_one(
            "SELECT user_id, wa_id FROM users JOIN identities USING (user_id) WHERE alias = ? AND user_id <> ?",
            alias,
            new_owner,
        )
        if row is None:
            return
        is_number = row["wa_id"] is not None and phone_alias(row["wa_id"]) == alias
        column = "wa_id" if is_number else "bsuid"
        if is_number or is_business_scoped(alias):
            await tx.execute(f"UPDATE users SET {column} = NULL WHERE user_id = ?", row["user_id"])

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
            " ON CONFLICT(alias) DO UPDATE SET attempts = strangers.attempts + 1, last_at = ?3,"
            " name = coalesce(?2, strangers.name)",
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
        mode=row["mode"],
        timezone=row["timezone"],
        is_language_settled=bool(row["is_language_settled"]),
    )


async def next_number(user_id: UserId, kind: str, *, tx: Transaction) -> int:
    """Return the owner's next number for that kind of thing."""
    row = await tx.fetch_one(
        "INSERT INTO user_numbers(user_id, kind, last) VALUES (?, ?, 1)"
        " ON CONFLICT (user_id, kind) DO UPDATE SET last = user_numbers.last + 1 RETURNING last",
        user_id,
        kind,
    )
    assert row is not None, "an upsert with RETURNING gives its row"  # noqa: S101
    return int(row["last"])
