"""The facade over all aggregates: one attribute each, no SQL."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.database.db import Database, Transaction
from app.database.repositories.conversations import Conversations
from app.database.repositories.inbox import Inbox, InboxQueue
from app.database.repositories.outbox import Outbox, OutboxQueue
from app.database.repositories.users import Directory, Users


class Repository:
    """Per-user aggregates take `user_id` first; `inbox_queue`, `outbox_queue` and `directory` serve all."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.users = Users(db)
        self.directory = Directory(db)
        self.inbox = Inbox(db)
        self.inbox_queue = InboxQueue(db)
        self.outbox = Outbox(db)
        self.outbox_queue = OutboxQueue(db)
        self.conversations = Conversations(db)

    @asynccontextmanager
    async def transaction(self, *, is_urgent: bool = False) -> AsyncIterator[Transaction]:
        """One atomic write over several aggregates; see `Database.transaction`."""
        async with self._db.transaction(is_urgent=is_urgent) as tx:
            yield tx
