"""What processes that serve together ask about everybody: who has open work, and what a dead one left."""

import json
from collections.abc import Collection

from app.database.db import Database
from app.domain.ids import InboxId, UserId
from app.domain.inbound import InboundMessage, Lane, decode_message


class SharedWork:
    """Read by every process; what is found is taken up by who holds the person."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def list_people(self) -> list[UserId]:
        """Return the people for whom something is to be done, who waits longest first."""
        rows = await self._db.fetch_all(
            "SELECT w.user_id, min(w.since) AS since FROM ("
            " SELECT i.user_id, i.received_at AS since FROM inbox i INDEXED BY inbox_open"
            " WHERE i.state = 'pending' OR i.state = 'running'"
            " UNION ALL SELECT o.user_id, o.created_at FROM outbox o INDEXED BY outbox_open"
            " WHERE o.state = 'pending' OR o.state = 'sending' OR o.state = 'unknown'"
            ") AS w JOIN users u USING (user_id) WHERE u.trust = 'trusted' GROUP BY w.user_id ORDER BY since"
        )
        return [UserId(row["user_id"]) for row in rows]

    async def find_left(self, user_ids: Collection[UserId]) -> list[UserId]:
        """Return those of whom a process left something half done, that nobody is at work on."""
        rows = await self._db.fetch_all(
            "SELECT user_id FROM inbox INDEXED BY inbox_open"
            " WHERE state = 'running' AND user_id IN (SELECT value FROM json_each(?1))"
            " UNION SELECT user_id FROM outbox INDEXED BY outbox_open"
            " WHERE state = 'sending' AND user_id IN (SELECT value FROM json_each(?1))"
            " UNION SELECT user_id FROM questions INDEXED BY questions_waited_for WHERE turn_id IS NOT NULL"
            " AND state = 'pending' AND user_id IN (SELECT value FROM json_each(?1))"
            # A turn that was cut short, whose question is still on a screen.
            " UNION SELECT i.user_id FROM inbox i INDEXED BY inbox_open CROSS JOIN questions q"
            " ON q.user_id = i.user_id AND q.state = 'cancelled' AND q.turn_id = i.turn_id"
            " WHERE (i.state = 'pending' OR i.state = 'running')"
            " AND i.user_id IN (SELECT value FROM json_each(?1))",
            json.dumps(list(user_ids)),
        )
        return [UserId(row["user_id"]) for row in rows]

    async def list_since_asked(self, user_id: UserId) -> list[tuple[InboxId, InboundMessage, bool]]:
        """Return what a person wrote since their running turn asked, that waits behind it; True: it is talk."""
        rows = await self._db.fetch_all(
            "SELECT id, payload, purpose FROM inbox INDEXED BY inbox_open WHERE user_id = ?1 AND lane = 'turn'"
            " AND state = 'pending' AND turn_id IS NULL AND purpose IN ('conversation', 'command')"
            " AND received_at > (SELECT max(q.asked_at) FROM questions q JOIN inbox t"
            " ON t.user_id = q.user_id AND t.turn_id = q.turn_id AND t.state = 'running' WHERE q.user_id = ?1)"
            " ORDER BY sent_at, id",
            user_id,
        )
        return [
            (InboxId(row["id"]), decode_message(row["payload"]), row["purpose"] == "conversation") for row in rows
        ]

    async def make_answer(self, user_id: UserId, row_id: InboxId, lane: Lane, answers: str) -> None:
        """Note that what waits as talk answers a question."""
        async with self._db.transaction() as tx:
            await tx.execute(
                "UPDATE inbox SET lane = ?, purpose = 'answer', answers = ?, is_mergeable = 0"
                " WHERE id = ? AND user_id = ? AND lane = 'turn' AND state = 'pending'"
                " AND purpose = 'conversation' AND turn_id IS NULL",
                lane,
                answers,
                row_id,
                user_id,
            )
