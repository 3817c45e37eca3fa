"""How much waits in the two queues, and since when."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from app.database.db import Database
from app.domain.clock import from_ms


@dataclass(frozen=True, slots=True)
class Queues:
    """`pending` messages should have their turn; `unsent` counts by state what is not sent, held ones included.

    The times are when the oldest came in, and when the oldest was written that can be sent; None: nothing waits.
    """

    pending: int
    oldest_pending_at: datetime | None
    unsent: Mapping[str, int]
    oldest_unsent_at: datetime | None


async def look_at_queues(db: Database) -> Queues:
    """Count everybody's; messages of the untrusted wait for a human, and are not counted."""
    pending = await db.fetch_one(
        "SELECT count(*) AS n, min(i.received_at) AS at FROM inbox i INDEXED BY inbox_open"
        " JOIN users u USING (user_id) WHERE i.state = 'pending' AND u.trust = 'trusted'"
    )
    unsent = await db.fetch_all(
        "SELECT state, count(*) AS n, min(created_at) AS at FROM outbox INDEXED BY outbox_open"
        " WHERE state = 'pending' OR state = 'sending' OR state = 'unknown' OR state = 'held' GROUP BY state"
    )
    oldest_pending = None if pending is None else pending["at"]
    oldest_unsent = min((int(row["at"]) for row in unsent if row["state"] != "held"), default=None)
    return Queues(
        pending=0 if pending is None else int(pending["n"]),
        oldest_pending_at=None if oldest_pending is None else from_ms(oldest_pending),
        unsent={str(row["state"]): int(row["n"]) for row in unsent},
        oldest_unsent_at=None if oldest_unsent is None else from_ms(oldest_unsent),
    )
