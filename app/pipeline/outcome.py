"""What a turn came to, before it is committed."""

from dataclasses import dataclass, field

from app.database.repositories.conversations import NewMessage
from app.domain.chat import Usage
from app.domain.ids import UserId
from app.domain.outbound import Reply


@dataclass(frozen=True, slots=True)
class Outcome:
    """`kind` names the path taken, for the log; `said` is what history keeps.

    `concerned` are the users, besides the author, whose lanes or outboxes may have work now.
    """

    kind: str
    reply: Reply = field(default_factory=Reply)
    said: tuple[NewMessage, ...] = ()
    usage: Usage = field(default_factory=Usage)
    concerned: frozenset[UserId] = frozenset()
