"""What an ability wants its people to be told at a time, without knowing who tells them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from app.database.db import Transaction
from app.domain.ids import UserId


@dataclass(frozen=True, slots=True)
class Alarm:
    """What a person is told at `at` on the wall clock of `zone`. `subject` names the row that it is about.

    `is_exact`: an hour was said, so that quiet hours do not hold it back.
    """

    subject: str
    text: str
    at: datetime
    zone: str
    is_exact: bool


class Alarms(Protocol):
    """Keeps at most one alarm for each subject of a person. Changes are part of the caller's transaction."""

    async def put(self, user_id: UserId, alarm: Alarm, now: datetime, *, tx: Transaction) -> None:
        """Let this one take the place of the one that the subject has; what is over already is not told."""
        ...

    async def reword(self, user_id: UserId, subject: str, text: str, *, tx: Transaction) -> None: ...

    async def drop(self, user_id: UserId, subject: str, *, tx: Transaction) -> None: ...


class AlarmDone(Protocol):
    async def __call__(self, user_id: UserId, subject: str, now: datetime, *, tx: Transaction) -> None:
        """The person tapped that what they were told about is done."""
        ...
