"""The facade over the core's aggregates: one attribute each, no SQL. Abilities have repositories of their own."""

from functools import partial

from app.database.db import Database
from app.database.repositories.acts import Acts, recorded
from app.database.repositories.audit import AuditEvents, ToolJournal
from app.database.repositories.changes import Changes
from app.database.repositories.conversations import Conversations
from app.database.repositories.deaths import Deaths
from app.database.repositories.embeddings import Embeddings
from app.database.repositories.inbox import Inbox, InboxQueue
from app.database.repositories.outbox import Outbox, OutboxQueue
from app.database.repositories.summaries import Summaries
from app.database.repositories.tool_index import ToolIndexRows
from app.database.repositories.tool_rules import ToolRules
from app.database.repositories.traces import Traces
from app.database.repositories.users import Directory, Users


class Repository:
    """Per-user aggregates take `user_id` first; `directory` and the queues serve all.

    `transaction` begins one atomic write over several of them; see `Database.transaction`. `recorded` begins one
    that can be undone.
    """

    def __init__(self, db: Database) -> None:
        self.transaction = db.transaction
        self.recorded = partial(recorded, db)
        self.users = Users(db)
        self.directory = Directory(db)
        self.inbox = Inbox(db)
        self.inbox_queue = InboxQueue(db)
        self.deaths = Deaths(db)
        self.changes = Changes(db)
        self.outbox = Outbox(db)
        self.outbox_queue = OutboxQueue(db)
        self.conversations = Conversations(db)
        self.summaries = Summaries(db)
        self.audit_events = AuditEvents(db)
        self.tool_journal = ToolJournal(db)
        self.traces = Traces(db)
        self.tool_index = ToolIndexRows(db)
        self.tool_rules = ToolRules(db)
        self.embeddings = Embeddings(db)
        self.acts = Acts(db)
