"""What a turn came to, before it is committed."""

from dataclasses import dataclass, field

from app.database.repositories.conversations import NewMessage, ToolState
from app.database.repositories.traces import TurnTrace
from app.domain.chat import Usage
from app.domain.ids import UserId
from app.domain.outbound import Reply


@dataclass(frozen=True, slots=True)
class Outcome:
    """`kind` names the path taken, for the log; `said` is what history keeps.

    `trace` is kept for `/why`, together with `usage`; `tool_state` for the conversation's next turns.
    `is_secret`: the message was for somebody else than us; the inbox forgets its text.
    `concerned` are the users, besides the author, whose lanes or outboxes may have work now.
    """

    kind: str
    reply: Reply = field(default_factory=Reply)
    said: tuple[NewMessage, ...] = ()
    usage: Usage = field(default_factory=Usage)
    concerned: frozenset[UserId] = frozenset()
    is_secret: bool = False
    trace: TurnTrace | None = None
    tool_state: ToolState | None = None
