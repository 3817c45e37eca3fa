"""Reminders: what, when on whose clock, and what is due; every row belongs to one person."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from app.database.db import Database, Row, Transaction
from app.database.repositories.acts import Act, Undoable, recorded
from app.database.repositories.users import next_number
from app.domain.clock import from_ms, to_ms
from app.domain.ids import UserId
from app.skills.alarms import Alarm
from app.when.rules import to_utc

_KIND: Final = "reminder"
_HOUR_MIN: Final = 60
_PAGE: Final = 500
_FIELDS: Final = (
    "id, number, text, zone, first_local, due_local, rule, due_at, is_exact, fired_at, is_turn, subject,"
    " reminders.created_at"
)

UNDOABLE: Final = Undoable(
    "reminders", ("text", "zone", "first_local", "due_local", "rule", "due_at", "is_exact", "fired_at")
)


@dataclass(frozen=True, slots=True)
class NewReminder:
    """`first` is the wall-clock time in `zone` of the first time; `rule` is empty where it comes once.

    `is_turn`: `text` is a question that the assistant takes up then, in a turn of its own. `subject` names the row
    of another ability that it is about.
    """

    text: str
    zone: str
    first: datetime
    rule: str = ""
    is_exact: bool = True
    is_turn: bool = False
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Reminder:
    """`due_at` is None when it is over; `due` is its wall-clock time."""

    id: int
    number: int
    text: str
    zone: str
    first: datetime
    due: datetime
    rule: str
    due_at: datetime | None
    is_exact: bool
    fired_at: datetime | None
    created_at: datetime
    is_turn: bool = False
    subject: str = ""

    @property
    def spoken_of_at(self) -> datetime:
        """When it was last on the screen: as it came, or as it was made."""
        return max(self.fired_at or self.created_at, self.created_at)

    @property
    def name(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class QuietHours:
    """From when to when nobody is woken; never where both are the same."""

    start: time = time(23)
    end: time = time(7)


class Reminders:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def add(self, user_id: UserId, new: NewReminder, at: datetime, *, tx: Transaction) -> Reminder:
        number = await next_number(user_id, _KIND, tx=tx)
        row = await tx.fetch_one(
            "INSERT INTO reminders(user_id, number, text, zone, first_local, due_local, rule, due_at, is_exact,"
            " created_at, is_turn, subject) VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
            f" RETURNING {_FIELDS}",
            user_id,
            number,
            new.text,
            new.zone,
            new.first.isoformat(),
            new.rule,
            to_ms(to_utc(new.first, ZoneInfo(new.zone))),
            int(new.is_exact),
            to_ms(at),
            int(new.is_turn),
            new.subject,
        )
        assert row is not None, "an insert with RETURNING gives its row"  # noqa: S101
        return _reminder(row)

    async def put(self, user_id: UserId, alarm: Alarm, now: datetime, *, tx: Transaction) -> None:
        """See `Alarms`."""
        await self.drop(user_id, alarm.subject, tx=tx)
        if to_utc(alarm.at, ZoneInfo(alarm.zone)) > now:
            new = NewReminder(alarm.text, alarm.zone, alarm.at, is_exact=alarm.is_exact, subject=alarm.subject)
            await self.add(user_id, new, now, tx=tx)

    async def reword(self, user_id: UserId, subject: str, text: str, *, tx: Transaction) -> None:
        await tx.execute(
            "UPDATE reminders SET text = ? WHERE user_id = ? AND subject = ? AND subject <> ''",
            text,
            user_id,
            subject,
        )

    async def drop(self, user_id: UserId, subject: str, *, tx: Transaction) -> None:
        await tx.execute(
            "DELETE FROM reminders WHERE user_id = ? AND subject = ? AND subject <> ''", user_id, subject
        )

    async def list_active(self, user_id: UserId) -> list[Reminder]:
        """Return what is still to come, the next one first."""
        return await self._select("user_id = ?1 AND due_at IS NOT NULL ORDER BY due_at, id", user_id)

    async def list_fired(self, user_id: UserId, since: datetime) -> list[Reminder]:
        """Return what came once since then and is over, the latest first."""
        over = "user_id = ?1 AND due_at IS NULL AND fired_at >= ?2 ORDER BY fired_at DESC, id DESC"
        return await self._select(over, user_id, to_ms(since))

    async def list_near(self, user_id: UserId, since: datetime) -> list[Reminder]:
        """Return what is still to come, the next one first, and then what came or was made since then."""
        near = (
            "user_id = ?1 AND (due_at IS NOT NULL OR fired_at >= ?2 OR created_at >= ?2)"
            " ORDER BY due_at IS NULL, due_at, id"
        )
        return await self._select(near, user_id, to_ms(since))

    async def list_due(self, user_id: UserId, at: datetime) -> list[Reminder]:
        """Return what should have come by then, the oldest first."""
        return await self._select("user_id = ?1 AND due_at <= ?2 ORDER BY due_at, id", user_id, to_ms(at))

    async def find(self, user_id: UserId, ids: Sequence[int]) -> list[Reminder]:
        """Return those of the person's reminders that are still there."""
        return [found for one in ids for found in await self._select("user_id = ?1 AND id = ?2", user_id, one)]

    async def _select(self, where: str, user_id: UserId, *values: int) -> list[Reminder]:
        rows = await self._db.fetch_all(f"SELECT {_FIELDS} FROM reminders WHERE {where}", user_id, *values)
        return list(map(_reminder, rows))

    async def move(
        self, user_id: UserId, reminder: Reminder, due: datetime, rule: str, *, zone: str, tx: Transaction
    ) -> bool:
        """Let it come next at that wall-clock time, from which its rule counts; False when it changed meanwhile or
        is gone."""
        changed = await tx.execute(
            "UPDATE reminders SET due_local = ?1, first_local = ?1, due_at = ?2, zone = ?3, rule = ?4,"
            " is_exact = 1"
            " WHERE user_id = ?5 AND id = ?6 AND due_at IS ?7",
            due.isoformat(),
            to_ms(to_utc(due, ZoneInfo(zone))),
            zone,
            rule,
            user_id,
            reminder.id,
            None if reminder.due_at is None else to_ms(reminder.due_at),
        )
        return changed == 1

    async def rewrite(self, user_id: UserId, reminder: Reminder, text: str, *, act: Act) -> bool:
        """Give one that is still to come other words; False when it is gone, or nothing changed."""
        async with recorded(self._db, act) as tx:
            changed = await tx.execute(
                "UPDATE reminders SET text = ? WHERE user_id = ? AND id = ? AND text = ? AND due_at IS NOT NULL",
                text,
                user_id,
                reminder.id,
                reminder.text,
            )
        return changed == 1

    async def fire(
        self, user_id: UserId, reminder: Reminder, next_due: datetime | None, at: datetime, *, tx: Transaction
    ) -> bool:
        """Note that it came, and when it comes next (wall clock); False when it changed meanwhile."""
        next_at = None if next_due is None else to_ms(to_utc(next_due, ZoneInfo(reminder.zone)))
        changed = await tx.execute(
            "UPDATE reminders SET due_at = ?1, due_local = coalesce(?2, due_local), fired_at = ?3"
            " WHERE user_id = ?4 AND id = ?5 AND due_at = ?6",
            next_at,
            None if next_due is None else next_due.isoformat(),
            to_ms(at),
            user_id,
            reminder.id,
            to_ms(reminder.due_at) if reminder.due_at is not None else None,
        )
        return changed == 1

    async def cancel(self, user_id: UserId, ids: Sequence[int], *, act: Act) -> None:
        """Delete reminders in a way that can be undone."""
        async with recorded(self._db, act) as tx:
            await self.delete(user_id, ids, tx=tx)

    async def delete(self, user_id: UserId, ids: Sequence[int], *, tx: Transaction) -> int:
        """Delete reminders; returns how many were there."""
        return sum(
            [await tx.execute("DELETE FROM reminders WHERE user_id = ? AND id = ?", user_id, one) for one in ids]
        )

    async def quiet_hours(self, user_id: UserId) -> QuietHours:
        row = await self._db.fetch_one(
            "SELECT quiet_from, quiet_to FROM reminder_habits WHERE user_id = ?", user_id
        )
        return QuietHours() if row is None else QuietHours(_time(row["quiet_from"]), _time(row["quiet_to"]))

    async def set_quiet_hours(self, user_id: UserId, quiet: QuietHours) -> None:
        async with self._db.transaction() as tx:
            await tx.execute(
                "INSERT INTO reminder_habits(user_id, quiet_from, quiet_to) VALUES (?1, ?2, ?3)"
                " ON CONFLICT(user_id) DO UPDATE SET quiet_from = ?2, quiet_to = ?3",
                user_id,
                quiet.start.hour * _HOUR_MIN + quiet.start.minute,
                quiet.end.hour * _HOUR_MIN + quiet.end.minute,
            )

    async def note_offer(self, user_id: UserId, *, tx: Transaction) -> bool:
        """Note that the person was asked to keep this window open; False when they were asked before."""
        changed = await tx.execute(
            "INSERT INTO window_offers(user_id, inbound_at) SELECT user_id, last_inbound_at FROM users"
            " WHERE user_id = ? ON CONFLICT(user_id) DO UPDATE SET inbound_at = excluded.inbound_at"
            " WHERE window_offers.inbound_at <> excluded.inbound_at",
            user_id,
        )
        return changed == 1


class ReminderQueue:
    """The side of the reminders that serves all users at once."""

    async def list_users_due(self, db: Database, at: datetime) -> list[tuple[UserId, datetime]]:
        """Return who is to be reminded of something by then, with when they wrote last.

        Nobody whose trust is in question.
        """
        rows = await db.fetch_all(
            "SELECT DISTINCT r.user_id, u.last_inbound_at FROM reminders r INDEXED BY reminders_due"
            " JOIN users u USING (user_id) WHERE r.due_at <= ? AND u.trust = 'trusted'",
            to_ms(at),
        )
        return [(UserId(row["user_id"]), from_ms(row["last_inbound_at"])) for row in rows]

    async def list_kept_out(
        self, db: Database, at: datetime, window: timedelta, before: timedelta
    ) -> list[tuple[UserId, Reminder]]:
        """Return whose window closes within `before`, and their next reminder after that, if it is due soon."""
        rows = await db.fetch_all(
            f"SELECT user_id, {_FIELDS}"
            " FROM reminders INDEXED BY reminders_due JOIN users u USING (user_id)"
            " WHERE due_at > ?1 AND due_at <= ?2 AND u.trust = 'trusted'"
            " AND u.last_inbound_at > ?3 AND u.last_inbound_at <= ?4 AND due_at >= u.last_inbound_at + ?5"
            " AND NOT EXISTS (SELECT 1 FROM window_offers o WHERE o.user_id = u.user_id"
            " AND o.inbound_at = u.last_inbound_at) ORDER BY due_at DESC",
            to_ms(at),
            to_ms(at + window),
            to_ms(at - window),
            to_ms(at - window + before),
            int(window.total_seconds() * 1000),
        )
        return list({UserId(row["user_id"]): _reminder(row) for row in rows}.items())

    async def list_next(self, db: Database, limit: int = 10) -> list[tuple[str, datetime, str]]:
        """Return what comes next, whoever's it is: number, moment and text. For the simulator's eyes."""
        rows = await db.fetch_all(
            "SELECT u.wa_id, r.due_at, r.text FROM reminders r INDEXED BY reminders_due"
            " JOIN users u USING (user_id) WHERE r.due_at > 0 ORDER BY r.due_at LIMIT ?",
            limit,
        )
        return [(row["wa_id"] or "", from_ms(row["due_at"]), row["text"]) for row in rows]

    async def delete_over(self, db: Database, before: datetime) -> int:
        """Delete a page of those that came before then and do not come again; returns how many."""
        async with db.transaction() as tx:
            return await tx.execute(
                "DELETE FROM reminders WHERE id IN (SELECT id FROM reminders INDEXED BY reminders_over"
                " WHERE due_at IS NULL AND fired_at < ? LIMIT ?)",
                to_ms(before),
                _PAGE,
            )

    async def next_due(self, db: Database, after: datetime) -> datetime | None:
        row = await db.fetch_one("SELECT min(due_at) AS at FROM reminders WHERE due_at > ?", to_ms(after))
        return from_ms(row["at"]) if row is not None and row["at"] is not None else None


def _reminder(row: Row) -> Reminder:
    return Reminder(
        id=row["id"],
        number=row["number"],
        text=row["text"],
        zone=row["zone"],
        first=datetime.fromisoformat(row["first_local"]),
        due=datetime.fromisoformat(row["due_local"]),
        rule=row["rule"],
        due_at=None if row["due_at"] is None else from_ms(row["due_at"]),
        is_exact=bool(row["is_exact"]),
        fired_at=None if row["fired_at"] is None else from_ms(row["fired_at"]),
        created_at=from_ms(row["created_at"]),
        is_turn=bool(row["is_turn"]),
        subject=row["subject"],
    )


def _time(minutes: int) -> time:
    return time(minutes // _HOUR_MIN % 24, minutes % _HOUR_MIN)
