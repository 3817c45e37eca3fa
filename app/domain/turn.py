"""Who is asking, and in which turn: passed down as an argument, never remembered."""

from dataclasses import dataclass
from datetime import datetime

from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.phrases import Language


@dataclass(frozen=True, slots=True)
class TurnContext:
    turn_id: TurnId
    user_id: UserId
    conversation_id: ConversationId
    attempt: int
    received_at: datetime
    language: Language
    is_admin: bool
