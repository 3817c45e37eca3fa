"""A person's time zone, for good or for some days."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from app.database.db import Database
from app.database.repositories.users import Users
from app.domain.clock import to_ms
from app.domain.ids import UserId
from app.language.catalogue import Language
from app.skills.tools.reminders.lexicon import THIS_WEEK, TODAY, UNTIL
from app.when.meanings import Point
from app.when.reading import read_when
from app.when.rules import to_utc

_A_WEEK: Final = 6


@dataclass(frozen=True, slots=True)
class Stay:
    """Where somebody is, and until the end of which day; None: for good. `is_clear`: the day was understood."""

    place: str
    until: date | None = None
    is_clear: bool = True


def read_stay(text: str, now: datetime, language: Language) -> Stay:
    """Read "Madrid", "Madrid esta semana", "Madrid hasta el viernes"; `now` is local."""
    text = " ".join(text.split())
    for pattern, days in ((THIS_WEEK, _A_WEEK - now.weekday()), (TODAY, 0)):
        if found := pattern.search(text):
            return Stay(text[: found.start()].strip(), now.date() + timedelta(days=days))
    if found := UNTIL.search(text):
        when = read_when(text[found.end() :], now, language)
        place = text[: found.start()].strip()
        return Stay(place, when.at.date()) if isinstance(when, Point) else Stay(place, is_clear=False)
    return Stay(text.strip())


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
