"""The questions on disk: who may answer which, and how each ended. Every change leaves the state `pending`.

Only a restart also ends as `expired` what it cancelled when it cut a turn off.
"""

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from app.database.db import Database, Row, Transaction
from app.database.repositories.inbox import IS_RUNNING
from app.domain.clock import from_ms, to_ms
from app.domain.errors import Conflict
from app.domain.ids import TurnId, UserId, WaMessageId
from app.domain.outbound import OutboundMessage, decode_outbound

State = Literal["pending", "answered", "expired", "cancelled"]

_MOST_SHOWN: Final = 20
_GOES_ON: Final = (
    "EXISTS (SELECT 1 FROM inbox i WHERE i.turn_id = questions.turn_id AND i.user_id = questions.user_id"
    " AND i.state IN ('pending', 'running'))"
)


@dataclass(frozen=True, slots=True)
class NewQuestion:
    """`bound_to` is what the answer is about; `turn_id` is None where no turn waits for it."""

    token: str
    kind: str
    bound_to: str
    asked_at: datetime
    expires_at: datetime | None = None
    turn_id: TurnId | None = None
    claim_id: str = ""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    token: str
    user_id: UserId
    kind: str
    bound_to: str


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """An open question as its person was shown it: its messages in order, of which the last has the buttons.

    `is_waited_for`: a turn waits for the answer.
    """

    token: str
    kind: str
    expires_at: datetime | None
    messages: tuple[OutboundMessage, ...]
    is_waited_for: bool = False


@dataclass(frozen=True, slots=True)
class LastAsked:
    """The question that was put to a person last, and the message that asks."""

    kind: str
    message_id: WaMessageId
    messages: tuple[OutboundMessage, ...]


@dataclass(frozen=True, slots=True)
class Closed:
    """How a question ended; `was_sent` is False when its message never left for WhatsApp.

    `pressed` is the key of the button by which another process took the answer.
    """

    state: State
    was_sent: bool
    pressed: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """The message that asks; it has no id while Meta has not accepted it."""

    message_id: WaMessageId | None
    is_sent: bool


class Questions:
    """The questions of one person at a time."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def has_written_since(self, user_id: UserId, since: datetime) -> bool:
        """Tell whether the user exists and wrote after `since`, so that Meta lets us write to them."""
        row = await self._db.fetch_one(
            "SELECT 1 FROM users WHERE user_id = ? AND last_inbound_at > ?", user_id, to_ms(since)
        )
        return row is not None

    async def add(self, user_id: UserId, new: NewQuestion, *, tx: Transaction) -> None:
        """Store a pending question; the message last added to the user's outbox asks what a turn waits for.

        Raises:
            Conflict: another process has that turn now.
        """
        if new.claim_id and not await tx.fetch_one(
            f"SELECT 1 FROM inbox WHERE user_id = ? AND turn_id = ? AND {IS_RUNNING} LIMIT 1",
            user_id,
            new.turn_id,
            *(new.claim_id, new.claim_id),
        ):
            raise Conflict("turn_not_running")
        await tx.execute(
            "INSERT INTO questions(token, user_id, kind, bound_to, turn_id, outbox_id, asked_at, expires_at)"
            " SELECT ?1, ?2, ?3, ?4, ?5, max(id), ?6, ?7 FROM outbox"
            " WHERE user_id = ?2 AND CAST(?5 AS BIGINT) IS NOT NULL",
            new.token,
            user_id,
            new.kind,
            new.bound_to,
            new.turn_id,
            to_ms(new.asked_at),
            None if new.expires_at is None else to_ms(new.expires_at),
        )

    async def cancel(self, user_id: UserId, kind: str, bound_to: str, *, tx: Transaction) -> None:
        """Close the user's open questions of that kind about that."""
        await tx.execute(
            "UPDATE questions SET state = 'cancelled' WHERE user_id = ? AND kind = ? AND bound_to = ?"
            " AND state = 'pending'",
            user_id,
            kind,
            bound_to,
        )

    async def answer(self, user_id: UserId, token: str, at: datetime, *, tx: Transaction) -> bool:
        """Take the user's answer; False when that question is not open to them, or is over."""
        changed = await tx.execute(
            "UPDATE questions SET state = 'answered', answered_at = ?1 WHERE token = ?2 AND user_id = ?3"
            " AND state = 'pending' AND coalesce(expires_at > ?1, true)",
            to_ms(at),
            token,
            user_id,
        )
        return changed == 1

    async def press(self, user_id: UserId, kind: str, token: str, key: str, at: datetime) -> bool:
        """Take the user's answer to what a turn waits for in another process; False when it is not open."""
        async with self._db.transaction() as tx:
            changed = await tx.execute(
                "UPDATE questions SET state = 'answered', answered_at = ?1, pressed = ?2"
                " WHERE token = ?3 AND user_id = ?4 AND kind = ?5 AND state = 'pending'"
                " AND turn_id IS NOT NULL AND coalesce(expires_at > ?1, true)"
                " AND EXISTS (SELECT 1 FROM inbox i WHERE i.turn_id = questions.turn_id AND i.state = 'running')",
                to_ms(at),
                key,
                token,
                user_id,
                kind,
            )
        return changed == 1

    async def find_pressed(self, user_id: UserId, token: str) -> str | None:
        """Return the key of the button that was pressed in another process."""
        row = await self._db.fetch_one(
            "SELECT pressed FROM questions WHERE token = ? AND user_id = ? AND state = 'answered'", token, user_id
        )
        return None if row is None else row["pressed"]

    async def rebind(
        self, user_id: UserId, token: str, bound_to: str, at: datetime, expires_at: datetime, *, tx: Transaction
    ) -> bool:
        """Let an open question be about something else from now on; False when it is not open, or is already."""
        changed = await tx.execute(
            "UPDATE questions SET bound_to = ?1, expires_at = ?2 WHERE token = ?3 AND user_id = ?4"
            " AND state = 'pending' AND coalesce(expires_at > ?5, true) AND bound_to <> ?1",
            bound_to,
            to_ms(expires_at),
            token,
            user_id,
            to_ms(at),
        )
        return changed == 1

    async def close(self, user_id: UserId, token: str, state: Literal["expired", "cancelled"]) -> Closed:
        """End a question that is still open, and return how it ended in fact."""
        async with self._db.transaction() as tx:
            await tx.execute(
                "UPDATE questions SET state = ? WHERE token = ? AND user_id = ? AND state = 'pending'",
                state,
                token,
                user_id,
            )
            row = await tx.fetch_one(
                "SELECT q.state, q.pressed, o.state AS sending FROM questions q"
                " LEFT JOIN outbox o ON o.id = q.outbox_id WHERE q.token = ? AND q.user_id = ?",
                token,
                user_id,
            )
        if row is None:
            return Closed(state, was_sent=False)
        return Closed(row["state"], row["sending"] in {"sending", "unknown", "sent"}, row["pressed"])

    async def find_open(
        self, user_id: UserId, kind: str, at: datetime, token: str | None = None
    ) -> OpenQuestion | None:
        """Return the question with that token, or the newest of that kind, if the user may answer it now."""
        row = await self._db.fetch_one(
            "SELECT token, bound_to FROM questions WHERE user_id = ?1 AND state = 'pending' AND kind = ?2"
            " AND coalesce(expires_at > ?3, true) AND token = coalesce(?4, token) ORDER BY asked_at DESC LIMIT 1",
            user_id,
            kind,
            to_ms(at),
            token,
        )
        return None if row is None else OpenQuestion(row["token"], user_id, kind, row["bound_to"])

    async def list_bound(self, user_id: UserId, kind: str, at: datetime) -> list[OpenQuestion]:
        """Return all of that kind that the user may answer now, the newest first."""
        rows = await self._db.fetch_all(
            "SELECT token, bound_to FROM questions WHERE user_id = ? AND state = 'pending' AND kind = ?"
            " AND coalesce(expires_at > ?, true) ORDER BY asked_at DESC, token",
            user_id,
            kind,
            to_ms(at),
        )
        return [OpenQuestion(row["token"], user_id, kind, row["bound_to"]) for row in rows]

    async def list_open(self, user_id: UserId, at: datetime) -> list[ShownQuestion]:
        """Return what the user may answer now and was sent, the newest first; no more than some."""
        rows = await self._db.fetch_all(
            "SELECT token, kind, turn_id, outbox_id, asked_at, expires_at FROM questions WHERE user_id = ?"
            " AND state = 'pending' AND coalesce(expires_at > ?, true) ORDER BY asked_at DESC, token LIMIT ?",
            user_id,
            to_ms(at),
            _MOST_SHOWN,
        )
        return [
            ShownQuestion(
                row["token"],
                row["kind"],
                None if row["expires_at"] is None else from_ms(row["expires_at"]),
                messages,
                is_waited_for=row["turn_id"] is not None,
            )
            for row in rows
            if (messages := await self._messages(user_id, row))
        ]

    async def find_last_asked(self, user_id: UserId, at: datetime, but_for: WaMessageId) -> LastAsked | None:
        """Return the newest open question that no turn waits for, if Meta has accepted it and its person has
        written nothing since; the message `but_for` does not count."""
        asked = await self._db.fetch_one(
            "SELECT token, kind, turn_id, asked_at FROM questions WHERE user_id = ?1 AND state = 'pending'"
            " AND coalesce(expires_at > ?2, true) ORDER BY asked_at DESC LIMIT 1",
            user_id,
            to_ms(at),
        )
        if asked is None or asked["turn_id"] is not None:
            return None
        said = await self._db.fetch_one(
            "SELECT received_at FROM inbox WHERE user_id = ? AND message_id <> ? ORDER BY id DESC LIMIT 1",
            user_id,
            but_for,
        )
        if said is not None and said["received_at"] > asked["asked_at"]:
            return None
        shown = await self._db.fetch_one(
            "SELECT payload, message_id FROM outbox WHERE user_id = ? AND created_at >= ? AND payload LIKE ?"
            " AND state = 'sent' AND message_id IS NOT NULL ORDER BY id DESC LIMIT 1",
            user_id,
            asked["asked_at"],
            f"%:{asked['token']}:%",
        )
        if shown is None:
            return None
        return LastAsked(asked["kind"], WaMessageId(shown["message_id"]), (decode_outbound(shown["payload"]),))

    async def _messages(self, user_id: UserId, row: Row) -> tuple[OutboundMessage, ...]:
        """Return the messages that ask: what was put into the outbox with the one that has the buttons."""
        last = await self._db.fetch_one(
            "SELECT id, turn_id, seq FROM outbox WHERE user_id = ?1 AND id = ?2 UNION ALL"
            " SELECT * FROM (SELECT id, turn_id, seq FROM outbox WHERE user_id = ?1 AND CAST(?2 AS BIGINT) IS NULL"
            " AND created_at >= ?3 AND payload LIKE ?4 ORDER BY id DESC LIMIT 1) AS newest",
            user_id,
            row["outbox_id"],
            row["asked_at"],
            f"%:{row['token']}:%",
        )
        if last is None:
            return ()
        found = await self._db.fetch_all(
            "SELECT payload FROM outbox WHERE user_id = ? AND id BETWEEN ? AND ? AND turn_id IS ? ORDER BY id",
            user_id,
            last["id"] - last["seq"],
            last["id"],
            last["turn_id"],
        )
        return tuple(decode_outbound(one["payload"]) for one in found)

    async def find_message(self, user_id: UserId, token: str) -> Asked | None:
        """Return the message that asks; None while it is not even on its way."""
        row = await self._db.fetch_one(
            "SELECT o.state, o.message_id FROM questions q JOIN outbox o ON o.id = q.outbox_id"
            " WHERE q.token = ? AND q.user_id = ? AND o.state IN ('sending', 'sent')",
            token,
            user_id,
        )
        if row is None:
            return None
        message_id = None if row["message_id"] is None else WaMessageId(row["message_id"])
        return Asked(message_id, is_sent=row["state"] == "sent")


class QuestionQueue:
    """The side of the questions that serves all users at once: recovery, and what is asked of several."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def find_asked(self, user_ids: Collection[UserId], at: datetime) -> frozenset[UserId]:
        """Return those of these people who have an open question that no turn waits for."""
        rows = await self._db.fetch_all(
            "SELECT DISTINCT user_id FROM questions WHERE user_id IN (SELECT value FROM json_each(?))"
            " AND state = 'pending' AND turn_id IS NULL AND coalesce(expires_at > ?, true)",
            json.dumps(list(user_ids)),
            to_ms(at),
        )
        return frozenset(UserId(row["user_id"]) for row in rows)

    async def cancel(self, kind: str, bound_to: str, *, tx: Transaction) -> None:
        """Close every open question of that kind about the same thing, whoever was asked."""
        await tx.execute(
            "UPDATE questions SET state = 'cancelled' WHERE kind = ? AND bound_to = ? AND state = 'pending'",
            kind,
            bound_to,
        )

    async def expire_leftovers(
        self, user_ids: Collection[UserId] | None = None, *, tx: Transaction
    ) -> list[tuple[UserId, TurnId]]:
        """End every question that a turn of an earlier process waited for; none of them is sent from now on.

        Everybody's, or those of these users.

        Returns, oldest first, whose turns go on and who may have seen the question: nobody waits for it any more.
        """
        rows = await tx.fetch_all(
            "UPDATE questions SET state = 'expired' WHERE token IN (SELECT token FROM questions"
            " INDEXED BY questions_waited_for WHERE turn_id IS NOT NULL AND state = 'pending'"
            " AND (CAST(?1 AS TEXT) IS NULL OR user_id IN (SELECT value FROM json_each(?1))) UNION ALL"
            " SELECT q.token FROM inbox i INDEXED BY inbox_open CROSS JOIN questions q ON q.user_id = i.user_id"
            " AND q.state = 'cancelled' AND q.turn_id = i.turn_id"
            " WHERE (i.state = 'pending' OR i.state = 'running')"
            " AND (CAST(?1 AS TEXT) IS NULL OR i.user_id IN (SELECT value FROM json_each(?1))))"
            " RETURNING token, outbox_id",
            None if user_ids is None else json.dumps(list(user_ids)),
        )
        outbox_ids = json.dumps([row["outbox_id"] for row in rows])
        seen = await tx.fetch_all(
            "SELECT questions.user_id, questions.turn_id FROM questions JOIN outbox o ON o.id = outbox_id"
            " WHERE token IN (SELECT value FROM json_each(?)) AND o.state IN ('sending', 'unknown', 'sent')"
            f" AND {_GOES_ON} GROUP BY questions.user_id, questions.turn_id ORDER BY questions.turn_id",
            json.dumps([row["token"] for row in rows]),
        )
        await tx.execute(
            "UPDATE outbox SET state = 'failed', error = 'question_expired'"
            " WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))"
            " AND state IN ('pending', 'held', 'sending', 'unknown')",
            outbox_ids,
        )
        return [(UserId(row["user_id"]), TurnId(row["turn_id"])) for row in seen]
