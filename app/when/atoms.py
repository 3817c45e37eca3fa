"""What a text about time is made of, before it is put on a calendar."""

from dataclasses import dataclass
from typing import Literal

from dateutil.relativedelta import relativedelta

from app.when.meanings import Frequency

Edge = Literal["start", "middle", "end", "last_day", "first_day"]


@dataclass(frozen=True, slots=True)
class InDays:
    """So many days from today."""

    days: int


@dataclass(frozen=True, slots=True)
class OnWeekday:
    """`which`: as said ("" the coming one, "this": today's, too; "other": that or the one after it). `weeks` are
    added."""

    weekday: int
    which: Literal["", "this", "next", "next_week", "other"] = ""
    weeks: int = 0


@dataclass(frozen=True, slots=True)
class OnDate:
    """A day of a month; 0 where month or year were not said. `weekday` was said beside it, -1 if not."""

    day: int
    month: int = 0
    year: int = 0
    months_ahead: int = -1
    weekday: int = -1
    is_doubtful: bool = False


@dataclass(frozen=True, slots=True)
class OnNth:
    """The nth weekday of a month, the last one where `nth` is -1."""

    nth: int
    weekday: int
    month: int = 0
    months_ahead: int = -1


@dataclass(frozen=True, slots=True)
class AtEdge:
    """Begin, middle or end of a week, month or year."""

    edge: Edge
    unit: str
    month: int = 0
    ahead: int = 0


@dataclass(frozen=True, slots=True)
class Loosely:
    """A span of which no day was said: "next_week", "next_month", "next_year", "weekend"."""

    span: str


DayAtom = InDays | OnWeekday | OnDate | OnNth | AtEdge | Loosely


@dataclass(frozen=True, slots=True)
class Clock:
    """A time as said. `half` is "am", "pm" or a part of the day; `is_24h`: the hour means one thing only."""

    hour: int
    minute: int = 0
    half: str = ""
    is_24h: bool = False


@dataclass(frozen=True, slots=True)
class PartOfDay:
    name: str
    is_today: bool = False


@dataclass(frozen=True, slots=True)
class Ahead:
    """A distance from now."""

    minutes: int = 0
    days: int = 0
    months: int = 0

    @property
    def span(self) -> relativedelta:
        return relativedelta(minutes=self.minutes, days=self.days, months=self.months)


@dataclass(frozen=True, slots=True)
class Earlier:
    """So long before what else is said: "the day before at 10", "una hora antes"; `span` is None where it is only
    "before Friday". `is_asked`: it is said of the reminding itself, not of what is to be done."""

    span: Ahead | None
    clock: Clock | None = None
    part: PartOfDay | None = None
    is_asked: bool = False


@dataclass(frozen=True, slots=True)
class Each:
    """`times_a_day`: as many hours are to be said with it; 0 where that was left open."""

    frequency: Frequency
    interval: int = 1
    weekdays: tuple[tuple[int, int], ...] = ()
    month_day: int = 0
    month: int = 0
    part: str = ""
    times_a_day: int = 0


@dataclass(frozen=True, slots=True)
class Until:
    day: DayAtom


@dataclass(frozen=True, slots=True)
class Since:
    day: DayAtom


@dataclass(frozen=True, slots=True)
class Except:
    """Days of the week on which what comes again does not come."""

    weekdays: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class During:
    span: Ahead


@dataclass(frozen=True, slots=True)
class Times:
    count: int


@dataclass(frozen=True, slots=True)
class Vaguely:
    kind: str


Atom = DayAtom | Clock | PartOfDay | Ahead | Earlier | Each | Until | Since | Except | During | Times | Vaguely
