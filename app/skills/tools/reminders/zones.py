"""A person's time zone, for good or for some days."""

import calendar
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from app.database.db import Database
from app.database.repositories.users import Users
from app.domain.clock import to_ms
from app.domain.ids import UserId
from app.language.catalogue import Language
from app.skills.tools.reminders.lexicon import FOR_SO_LONG, THIS_MONTH, THIS_WEEK, TODAY, UNTIL, WEEKEND, WITHIN
from app.when.meanings import Point
from app.when.reading import read_when
from app.when.rules import to_utc

_A_WEEK: Final = 6
_FRIDAY: Final = 4


@dataclass(frozen=True, slots=True)
class Stay:
    """Where somebody is, and until the end of which day; None: for good. `is_clear`: the day was understood."""

    place: str
    until: date | None = None
    is_clear: bool = True


def read_stay(text: str, now: datetime, language: Language) -> Stay:
    """Read "Madrid", "Madrid esta semana", "Madrid hasta el viernes", "Madrid por 3 días"; `now` is local."""
    text = " ".join(text.split())
    to_sunday = _A_WEEK - now.weekday()
    month_days = calendar.monthrange(now.year, now.month)[1] - now.day
    for pattern, days in ((THIS_WEEK, to_sunday), (TODAY, 0), (THIS_MONTH, month_days), (WEEKEND, to_sunday)):
        if found := pattern.search(text):
            place = text[: found.start()].strip()
            # Before Friday, the weekend is not yet the time to set a clock.
            if pattern is WEEKEND and now.weekday() < _FRIDAY:
                return Stay(place, is_clear=False)
            return Stay(place, now.date() + timedelta(days=days))
    if found := UNTIL.search(text):
        when = read_when(text[found.end() :], now, language)
        place = text[: found.start()].strip()
        is_day = isinstance(when, Point) and when.has_day
        return Stay(place, when.at.date()) if is_day and isinstance(when, Point) else Stay(place, is_clear=False)
    if (found := FOR_SO_LONG.search(text)) and (last := _last_day(text[found.end() :], now, language)):
        return Stay(text[: found.start()].strip(), last)
    return Stay(text.strip())


def _last_day(span: str, now: datetime, language: Language) -> date | None:
    """Read "3 days", "dos semanas": the day that is so far away; None where it is no day, or this one."""
    for within in WITHIN:
        when = read_when(f"{within} {span}", now, language)
        if isinstance(when, Point) and when.at.date() > now.date():
            return when.at.date()
    return None


class Zones:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._users = Users(db)

    async def set(self, user_id: UserId, zone: str, until: date | None) -> None:
        """Let a zone count from now on: until the end of that day there, or for good."""
        async with self._db.transaction() as tx:
            if until is None:
                await tx.execute("DELETE FROM zone_spans WHERE user_id = ?", user_id)
            else:
                end = to_utc(datetime.combine(until + timedelta(days=1), time()), ZoneInfo(zone))
                await tx.execute(
                    # Where another stay is not over yet, home is where it was before that.
                    "INSERT INTO zone_spans(user_id, back_to, until_at) SELECT user_id, timezone, ?2 FROM users"
                    " WHERE user_id = ?1 ON CONFLICT(user_id) DO UPDATE SET until_at = ?2",
                    user_id,
                    to_ms(end),
                )
            await self._users.set_timezone(user_id, zone, tx=tx)


class ZoneQueue:
    """The side of the stays that serves all users at once."""

    async def end_stays(self, db: Database, at: datetime) -> int:
        """Bring home whose stay is over; returns how many."""
        over = await db.fetch_all("SELECT user_id FROM zone_spans WHERE until_at <= ?", to_ms(at))
        if not over:
            return 0
        async with db.transaction() as tx:
            for row in over:
                await tx.execute(
                    "UPDATE users SET timezone ="
                    " (SELECT back_to FROM zone_spans z WHERE z.user_id = users.user_id) WHERE user_id = ?",
                    row["user_id"],
                )
                await tx.execute("DELETE FROM zone_spans WHERE user_id = ?", row["user_id"])
        return len(over)
