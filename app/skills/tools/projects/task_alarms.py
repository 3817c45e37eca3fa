"""People are told when a task is due, as long as it is to be done."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from app.database.db import Transaction
from app.domain.ids import UserId
from app.skills.alarms import Alarm, Alarms
from app.skills.tools.projects.due import Due

_SUBJECT: Final = "task:"


class TaskAlarms:
    """Brings the alarms in line with a task that changed, in the transaction that changed it."""

    def __init__(self, alarms: Sequence[Alarms] = ()) -> None:
        self._alarms = alarms

    async def keep(self, user_id: UserId, task_id: int, at: datetime, *, tx: Transaction) -> None:
        """Have one for what is due, open and in an active project, and none for anything else."""
        row = await tx.fetch_one(
            "SELECT t.title, t.due, t.due_zone FROM project_tasks AS t JOIN projects AS p ON p.id = t.project_id"
            " WHERE t.user_id = ? AND t.id = ? AND t.due IS NOT NULL AND t.status <> 'done'"
            " AND p.status = 'active'",
            user_id,
            task_id,
        )
        subject = f"{_SUBJECT}{task_id}"
        for one in self._alarms:
            if row is None:
                await one.drop(user_id, subject, tx=tx)
                continue
            due = Due.read(row["due"])
            alarm = Alarm(subject, row["title"], due.at, row["due_zone"], due.hour is not None)
            await one.put(user_id, alarm, at, tx=tx)

    async def reword(self, user_id: UserId, task_id: int, title: str, *, tx: Transaction) -> None:
        for one in self._alarms:
            await one.reword(user_id, f"{_SUBJECT}{task_id}", title, tx=tx)

    @staticmethod
    def task_of(subject: str) -> int | None:
        """Return the id of the task that an alarm is about; None where it is about something else."""
        return int(subject.removeprefix(_SUBJECT)) if subject.startswith(_SUBJECT) else None
