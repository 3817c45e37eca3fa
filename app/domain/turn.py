"""Who is asking, and in which turn: passed down as an argument, never remembered."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from app.domain.ids import ConversationId, TurnId, UserId
from app.language.catalogue import Language

ConfirmationMode = Literal["confirm-all", "confirm-sensitive", "yolo"]


@dataclass(frozen=True, slots=True)
class Said:
    """What a person's words may be taken from: `now` is what they write in this turn, and what that quotes.

    `before` is what they wrote just before, `answers` what they were told; the newest first in each.
    """

    now: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnContext:
    """`timezone` is an IANA name; `workspace` is the user's own directory, which may not exist yet.

    `is_retry`: an earlier attempt at this turn may have done something. `is_by_clock`: nobody wrote just now, so
    the turn may only read. `in_doubt`: whether the person wished for anything to be changed is not certain, so
    they are asked before it is. `is_read`: code read what they wish for, so the arguments of its calls are meant.
    `claim_id` is which taking of the turn this is, where several processes serve.
    """

    turn_id: TurnId
    user_id: UserId
    conversation_id: ConversationId
    attempt: int
    received_at: datetime
    language: Language
    is_admin: bool
    timezone: str = "UTC"
    workspace: Path = Path("data/users/nobody")
    mode: ConfirmationMode = "confirm-sensitive"
    is_retry: bool = False
    said: Said = Said()
    is_by_clock: bool = False
    in_doubt: bool = False
    is_read: bool = False
    claim_id: str = ""
