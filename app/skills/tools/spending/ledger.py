"""What Meta charged everybody, and what the model was used: counted by the database itself, read by month."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from app.database.db import Database, Transaction
from app.domain.clock import to_ms
from app.domain.ids import UserId
from app.domain.phone_zones import country_of

SERVICE: Final = "service"
_PAGE: Final = 500
_COUNT: Final = (
    "SELECT user_id, sent_to, category, is_billable, is_free, (at - ?1) / 86400000 AS day, count(*) AS count FROM"
    # What is free for another reason uses up none of the free messages of the month.
    " (SELECT *, category = 'service' AND kind <> 'free_entry_point' AND row_number() OVER"
    " (PARTITION BY category, kind = 'free_entry_point' ORDER BY at, id) <= ?3 AS is_free FROM"
    " (SELECT message_id AS id, user_id, sent_to, at, category, kind, is_billable"
    " FROM charges INDEXED BY charges_at WHERE at >= ?1 AND at < ?2 UNION ALL"
    " SELECT CAST(id AS TEXT), NULL, sent_to, at, category, kind, is_billable"
    " FROM charges_of_nobody INDEXED BY charges_of_nobody_at WHERE at >= ?1 AND at < ?2) AS priced) AS counted"
    " GROUP BY user_id, sent_to, category, is_billable, is_free, day"
)


@dataclass(frozen=True, slots=True)
class Month:
    """From its first moment to that of the next, where the service runs."""

    start: datetime
    end: datetime

    def share(self, now: datetime) -> float:
        """Return how much of it is over, from 0 to 1."""
        return (now - self.start) / (self.end - self.start)


@dataclass(frozen=True, slots=True)
class Charged:
    """So many delivered messages of one kind to one person; `user_id` is None for those who were forgotten.

    `day` counts from 0 at the beginning of the month.
    """

    user_id: UserId | None
    country: str
    category: str
    is_billable: bool
    is_free: bool
    count: int
    day: int = 0


@dataclass(frozen=True, slots=True)
class ModelUse:
    turns: int = 0
    tokens: int = 0
    seconds: float = 0


class Ledger:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def charged(self, month: Month, free: int) -> list[Charged]:
        """Return all that was delivered in a month. The first `free` service messages are marked as free."""
        rows = await self._db.fetch_all(_COUNT, to_ms(month.start), to_ms(month.end), free)
        return [
            Charged(
                None if row["user_id"] is None else UserId(row["user_id"]),
                country_of(row["sent_to"]),
                row["category"],
                bool(row["is_billable"]),
                bool(row["is_free"]),
                row["count"],
                row["day"],
            )
            for row in rows
        ]

    async def model_use(self, month: Month) -> dict[UserId, ModelUse]:
        rows = await self._db.fetch_all(
            "SELECT user_id, sum(turns) AS turns, sum(tokens) AS tokens, sum(used_ms) AS used_ms"
            " FROM model_use INDEXED BY model_use_hour WHERE hour_at >= ? AND hour_at < ? GROUP BY user_id",
            to_ms(month.start),
            to_ms(month.end),
        )
        return {
            UserId(row["user_id"]): ModelUse(row["turns"], row["tokens"], row["used_ms"] / 1000) for row in rows
        }

    async def note_warning(self, month: Month, percent: int, limited: str, *, tx: Transaction) -> bool:
        """Note that this warning is given; False when it was given before."""
        changed = await tx.execute(
            "INSERT INTO spending_warnings(month, percent, limited) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            to_ms(month.start),
            percent,
            limited,
        )
        return changed == 1

    async def delete_before(self, at: datetime) -> int:
        """Forget a page of what is older: charges, use of the model, warnings; returns how many rows."""
        async with self._db.transaction() as tx:
            count = await tx.execute(
                "DELETE FROM charges WHERE message_id IN"
                " (SELECT message_id FROM charges INDEXED BY charges_at WHERE at < ? LIMIT ?)",
                to_ms(at),
                _PAGE,
            )
            # Those of the page, too: who deletes a charge leaves one of nobody.
            await tx.execute("DELETE FROM charges_of_nobody WHERE at < ?", to_ms(at))
            count += await tx.execute("DELETE FROM model_use WHERE hour_at < ?", to_ms(at))
            await tx.execute("DELETE FROM spending_warnings WHERE month < ?", to_ms(at))
        return count
