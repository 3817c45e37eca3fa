"""How much each person may send at once, where several processes count it together."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from app.database.db import Transaction
from app.domain.ids import UserId
from app.domain.inbound import Lane


@dataclass(slots=True)
class Bucket:
    """How many messages may come at once at that time; fewer than none where some wait. `is_told`: of the wait."""

    tokens: float
    at_s: float
    is_told: bool = False


class Paces:
    """Read and written in the transaction that stores the messages, so that each counts once for all processes."""

    async def find(self, user_ids: Collection[UserId], *, tx: Transaction) -> dict[tuple[UserId, Lane], Bucket]:
        """Return what is known of these people; nothing of who was never counted."""
        rows = await tx.fetch_all(
            "SELECT user_id, lane, tokens, counted_at, is_told FROM paces"
            " WHERE user_id IN (SELECT value FROM json_each(?))",
            json.dumps(list(user_ids)),
        )
        return {
            (UserId(row["user_id"]), row["lane"]): Bucket(
                row["tokens"], row["counted_at"] / 1000, bool(row["is_told"])
            )
            for row in rows
        }

    async def keep(self, buckets: Mapping[tuple[UserId, Lane], Bucket], *, tx: Transaction) -> None:
        """Write down how it stands with these people."""
        await tx.execute_many(
            "INSERT INTO paces(user_id, lane, tokens, counted_at, is_told) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (user_id, lane) DO UPDATE SET tokens = excluded.tokens,"
            " counted_at = excluded.counted_at, is_told = excluded.is_told",
            [
                (user_id, lane, one.tokens, round(one.at_s * 1000), int(one.is_told))
                for (user_id, lane), one in buckets.items()
            ],
        )
