"""What a message asks of the calendar: which weekday a date is, how far it is, which date is in so many days."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from types import MappingProxyType
from typing import Final, Literal

from dateutil.relativedelta import relativedelta

from app.language.catalogue import LANGUAGES, Language
from app.language.folding import fold
from app.skills.amending import after_opening, is_correction
from app.skills.tools.datetime.lexicon import (
    BESIDE_A_DAY,
    DAY_GOES_ON,
    DAY_UNITS,
    DAY_WISHES,
    DAYS,
    IN_A_UNIT,
    MONTH_BEFORE,
    MONTH_BEHIND,
    POINTS_TO_DAY,
)
from app.skills.tools.datetime.workdays import workday
from app.when.atoms import (
    Ahead,
    AtEdge,
    DayAtom,
    Each,
    Earlier,
    InDays,
    Loosely,
    OnDate,
    OnNth,
    OnWeekday,
    Since,
    Until,
)
from app.when.finding import DayFinder
from app.when.lexing import clean_text
from app.when.parsing import Found, Parser

Kind = Literal["day", "is_weekday", "until", "since", "between", "moved", "age"]
_DISTANCES: Final = frozenset({"until", "since", "between"})
# From here on they are told beside the days.
_LEAST_DAYS: Final = MappingProxyType({"days": 0, "weeks": 14, "months": 31})
_MAX_CHARS: Final = 240
_AND: Final = MappingProxyType({"en": "and", "es": "y"})
_PAIR: Final = 2
_WORKWEEK: Final = (0, 1, 2, 3, 4)
_WEEKEND: Final = (5, 6)
_WORD: Final = re.compile(r"\w+")
_YEAR: Final = re.compile(r"(?<!\d)(1[89]\d\d|20\d\d)(?!\d)")
_SHORT_YEAR: Final = re.compile(r"(?: (?:del?|of|in))? '?(\d\d)(?!\w)")
_CENTURY: Final = 2000
_COUNT: Final = re.compile(r"(?<!\d)(\d{1,3})(?!\d)\W{1,3}\Z")
_SHORT: Final = re.compile(r"(?: |\A)[qQkK] ")
_OPENS: Final = re.compile(r"\W*(?:(?:so|and|hey|y|che|oye|hola|hi|ok)\W+){0,3}\Z")


@dataclass(frozen=True, slots=True)
class Asked:
    """`days` are the dates that were named, seen from `today`; `weekdays` those that the date may be.

    `span` is how far from the first day, or from today, the date is that is asked for; `workdays` counts those.
    `year` is all that was said of a birth.
    """

    kind: Kind
    days: tuple[date, ...] = ()
    weekdays: tuple[int, ...] = ()
    span: Ahead | None = None
    is_back: bool = False
    workdays: int = 0
    year: int = 0


@dataclass(frozen=True, slots=True)
class _Text:
    """A message with what of it is about days, in the language in which that is most."""

    folded: str
    today: date
    language: Language
    days: tuple[tuple[DayAtom, int, int], ...]
    spans: tuple[tuple[Ahead, int, int], ...]
    is_ahead: bool
    is_earlier: bool
    loosely: tuple[int, ...]

    def asks(self, topic: str) -> bool:
        return DAYS[topic].search(self.folded) is not None

    def dates(self, *kinds: type, is_past: bool = False) -> list[date] | None:
        """Return the dates of such atoms; None where one of them is none, or not sure."""
        is_past = is_past or self.asks("past")
        found = [
            _on(atom, self.today, self.language, is_past=is_past)
            for atom, _, _ in self.days
            if isinstance(atom, kinds)
        ]
        return None if None in found else [one for one in found if one is not None]


def read_asked(text: str, today: date, language: Language) -> Asked | None:
    """Return what a message asks of the calendar; None where it asks nothing, or wishes something else."""
    folded = fold(_SHORT.sub(" que ", clean_text(text)))
    # In most messages nobody needs to look for days.
    is_asked = len(text) <= _MAX_CHARS and any(DAYS[topic].search(folded) for topic in _TOPICS)
    if not is_asked or not DAY_WISHES.isdisjoint(_WORD.findall(folded)):
        return None
    said = _said(_with_months(text) if DAYS["between"].search(folded) else text, today, language)
    return next((asked for read in _READERS if (asked := read(said)) is not None), None)


def _with_months(text: str) -> str:
    """Write the month at both days of "del 5 al 28 de junio", "June 5 to 28"."""
    plain = " ".join(fold(text).split())
    behind = MONTH_BEHIND.sub(r"\g<first> \g<month>\g<to>\g<last> \g<month>", plain)
    return MONTH_BEFORE.sub(r"\g<month> \g<first>\g<to>\g<month> \g<last>", behind)


def read_going_on(text: str, before: Asked, today: date, language: Language) -> Asked | None:
    """Return the question before for another day, or another distance: "y el sábado?", "and in 60 days?"."""
    if is_correction(text):
        text = f"{_AND[language]} {after_opening(text)}"
    folded = fold(text)
    if len(text) > _MAX_CHARS or not DAY_WISHES.isdisjoint(_WORD.findall(folded)):
        return None
    if (told := _day_told(folded, before, today)) is not None:
        return told
    said = _said(text, today, language)
    places = [(first, last) for _, first, last in (*said.days, *said.spans)]
    if (
        not places
        and before.kind in _DISTANCES
        and _is_in_unit(folded, abs(before.days[0] - (*before.days, today)[1]))
    ):
        return before
    if not places or not _is_bare(said.folded, min(places)[0], max(last for _, last in places)):
        return None
    if said.spans and not said.days and len(said.spans) == 1 and before.kind in {"moved", "day"}:
        return Asked(
            "moved", before.days if before.kind == "moved" else (), span=said.spans[0][0], is_back=before.is_back
        )
    dates = said.dates(OnDate, OnNth, OnWeekday, InDays, AtEdge)
    if before.kind == "between" and dates and len(dates) == len(said.days) == 1 and not said.spans:
        return _other_end(said, dates[0], before)
    if not dates or len(dates) != 1 or said.spans or before.kind not in {"day", "is_weekday", "until", "since"}:
        return None
    kind: Kind = "day" if before.kind == "is_weekday" else before.kind
    day = _beside(said.days[0][0], dates[0], before.days[0]) if len(said.days) == 1 and before.days else dates[0]
    return replace(before, kind=kind, days=(day,), weekdays=()) if day else None


def _day_told(folded: str, before: Asked, today: date) -> Asked | None:
    """Return the question for the date that was told last: "how long is that away?", "qué día cae eso?"."""
    points = POINTS_TO_DAY.fullmatch(" ".join(_WORD.findall(folded)))
    if not points or before.kind not in {"day", "is_weekday", "until", "moved"}:
        return None
    day = moved(before, today) if before.kind == "moved" else before.days[0]
    return Asked("day", (day,)) if day else None


def _other_end(said: _Text, named: date, before: Asked) -> Asked | None:
    """Return how far it is between two days where one takes the place of an end: "and until the 4th?"."""
    is_first, is_last = (said.asks(topic) for topic in ("from_day", "to_day"))
    first, last = before.days
    day = _beside(said.days[0][0], named, first if is_first else last)
    if day is None or is_first == is_last:
        return None
    first, last = (day, last) if is_first else (first, day)
    if first > last and not _YEAR.search(said.folded):
        first, last = (
            (first - relativedelta(years=1), last) if is_first else (first, last + relativedelta(years=1))
        )
    return replace(before, days=(first, last)) if first < last else None


def _is_in_unit(text: str, apart: timedelta) -> bool:
    """Tell whether a message asks for the same in another unit, of which it has some: "and in weeks?"."""
    said = {*_WORD.findall(text)}
    units = [name for name, words in DAY_UNITS.items() if said & words]
    known = IN_A_UNIT.union(*(DAY_UNITS[name] for name in units))
    return len(units) == 1 and said <= known and apart.days >= _LEAST_DAYS[units[0]]


def _beside(atom: DayAtom, day: date, before: date) -> date | None:
    """Return a day in the month, or the year, that was spoken of: "and the 21st?"."""
    if not isinstance(atom, OnDate) or atom.year or atom.months_ahead >= 0:
        return day
    try:
        if not atom.month:
            return before.replace(day=atom.day)
        return day.replace(year=max(day.year, before.year))
    except ValueError:
        return None


def _is_bare(text: str, first: int, last: int) -> bool:
    """Whether nothing but words that go on stand around a day."""
    if DAY_GOES_ON.search(text[:first]) is None and DAY_GOES_ON.match(text[:last]) is None:
        return False
    around = _WORD.findall(f"{text[:first]} {text[last:]}")
    return all(word in BESIDE_A_DAY for word in around)


def _said(text: str, today: date, language: Language) -> _Text:
    ways = (_in_language(text, today, one) for one in sorted(LANGUAGES, key=lambda one: one != language))
    return max(ways, key=lambda said: len(said.days) + len(said.spans))


def _in_language(text: str, today: date, language: Language) -> _Text:
    plain = _SHORT.sub(" que ", clean_text(text))
    parser = Parser(plain, language)
    atoms = list(parser.atoms())
    spans = [
        one for one in Parser(plain, language).spans() if isinstance(one.atom, Ahead) and not one.atom.minutes
    ]
    # "6 meses" may be read as the 6th of this month.
    taken = {place for one in spans for place in range(one.first, one.last)}
    days = [(atom, one) for one in atoms if one.last - 1 not in taken and (atom := _day_of(one)) is not None]

    def place(one: Found) -> tuple[int, int]:
        return len(fold(plain[: parser.pieces[one.first].start])), len(
            fold(plain[: parser.pieces[one.last - 1].end])
        )

    return _Text(
        fold(plain),
        today,
        language,
        tuple((atom, *place(one)) for atom, one in days),
        tuple((one.atom, *place(one)) for one in spans if isinstance(one.atom, Ahead)),
        any(isinstance(one.atom, Ahead) for one in atoms),
        any(isinstance(one.atom, Earlier) for one in atoms),
        next((week for one in atoms if (week := _week_of(one)) is not None), ()),
    )


def _week_of(found: Found) -> tuple[int, ...] | None:
    """Return the days of a weekend, or of the week without it."""
    match found.atom:
        case Loosely("weekend"):
            return _WEEKEND
        case Each(weekdays=weekdays) if tuple(day for _, day in weekdays) == _WORKWEEK:
            return _WORKWEEK
    return None


def _day_of(found: Found) -> DayAtom | None:
    atom = found.atom.day if isinstance(found.atom, Until | Since) else found.atom
    return atom if isinstance(atom, InDays | OnWeekday | OnDate | OnNth | AtEdge) else None


def _on(atom: DayAtom, today: date, language: Language, *, is_past: bool) -> date | None:
    """Return the date that is meant; the last one where the past is asked for and no year was said."""
    if isinstance(atom, OnDate):
        return _dated(atom, today, language, is_past=is_past)
    found = DayFinder(datetime.combine(today, time()), language).find(atom, None, None)
    if not found.likely or (not found.is_sure and not (isinstance(atom, OnWeekday) and not atom.which)):
        return None
    return found.likely[0]


def _dated(atom: OnDate, today: date, language: Language, *, is_past: bool) -> date | None:
    if atom.is_doubtful:
        return None
    try:
        if atom.year:
            return date(atom.year, atom.month or today.month, atom.day)
        days = (
            DayFinder(datetime.combine(today, time()), language).find(replace(atom, weekday=-1), None, None).likely
        )
        if not days or not is_past or days[0] == today:
            return days[0] if days else None
        return days[0] - (relativedelta(years=1) if atom.month else relativedelta(months=1))
    except ValueError:
        return None


def _age(said: _Text) -> Asked | None:
    if not said.asks("age") or not said.asks("born"):
        return None
    born = [(atom, _year_of(atom, last, said)) for atom, _, last in said.days if isinstance(atom, OnDate)]
    years = {year for _, year in born if year} | {int(one) for one in _YEAR.findall(said.folded)}
    if len(years) != 1 or len(born) > 1:
        return None
    year = years.pop()
    if not born or born[0][0].is_doubtful or not born[0][1]:
        return Asked("age", year=year)
    day = _dated(replace(born[0][0], year=year), said.today, said.language, is_past=True)
    return Asked("age", (day,)) if day is not None and day <= said.today else None


def _year_of(atom: OnDate, end: int, said: _Text) -> int:
    """Return the year of a birth; "del 90" and "52" behind its day are the last such."""
    short = _SHORT_YEAR.match(said.folded, end)
    year = atom.year or (_CENTURY + int(short[1]) if short else 0)
    return year - 100 if year > said.today.year else year


def _moved(said: _Text) -> Asked | None:
    if not (said.asks("date_of") or said.asks("weekday")):
        return None
    dates = said.dates(OnDate, OnNth, OnWeekday, InDays)
    working = DAYS["working"].search(said.folded)
    if dates is None or len(dates) > 1 or (len(said.spans) != 1 and not working):
        return None
    is_back = said.is_earlier or said.asks("before") or (said.asks("ago") and not dates)
    if not (said.is_ahead or is_back or said.asks("after")) or (dates and said.is_ahead):
        return None
    if working is not None:
        count = _COUNT.search(said.folded[: working.start()])
        return Asked("moved", tuple(dates), workdays=int(count[1]), is_back=is_back) if count else None
    span = said.spans[0][0]
    return Asked("moved", tuple(_latest(said, dates, span)), span=span, is_back=is_back)


def _latest(said: _Text, dates: list[date], span: Ahead) -> list[date]:
    """Return the day that a distance is counted from: the last one, where what follows is to come."""
    earlier = said.dates(OnDate, is_past=True)
    if not dates or not earlier or _YEAR.search(said.folded):
        return dates
    reached = moved(Asked("moved", tuple(earlier), span=span), said.today)
    return earlier if reached is not None and reached >= said.today else dates


def _between(said: _Text) -> Asked | None:
    dates = said.dates(OnDate, OnNth, OnWeekday, InDays) if said.asks("between") else None
    if dates is None or len(dates) != _PAIR:
        return None
    first, last = dates
    while last < first and not _YEAR.search(said.folded):
        last += relativedelta(years=1)
    return Asked("between", (min(first, last), max(first, last)))


def _distance(said: _Text) -> Asked | None:
    for kind in ("since", "until"):
        if said.asks(kind):
            dates = said.dates(OnDate, OnNth, OnWeekday, AtEdge, is_past=kind == "since")
            if dates and len(dates) == 1 and (kind == "until" or dates[0] <= said.today):
                return Asked("since" if kind == "since" else "until", tuple(dates))
    return None


def _is_weekday(said: _Text) -> Asked | None:
    verb = DAYS["is_weekday"].search(said.folded)
    if (
        verb is None
        or said.asks("weekday")
        or not ("?" in said.folded or _OPENS.fullmatch(said.folded[: verb.start()]))
    ):
        return None
    dates = said.dates(OnDate, OnNth)
    weekdays = {atom.weekday for atom, _, _ in said.days if isinstance(atom, OnWeekday)}
    own = {atom.weekday for atom, _, _ in said.days if isinstance(atom, OnDate) and atom.weekday >= 0}
    named = tuple(sorted({*weekdays, *own, *said.loosely}))
    if dates is None or len(dates) != 1 or not named or said.spans:
        return None
    is_choice = len(weekdays | own) > 1
    return Asked("day" if is_choice else "is_weekday", tuple(dates), () if is_choice else named)


def _day(said: _Text) -> Asked | None:
    has_nth = any(isinstance(atom, OnNth) for atom, _, _ in said.days)
    is_asked = said.asks("weekday") or said.asks("date_of") or (has_nth and said.asks("nth_of"))
    if said.spans or said.asks("working") or not is_asked:
        return None
    dates = said.dates(OnDate, OnNth)
    if dates is not None and len(dates) == 1:
        return Asked("day", tuple(dates))
    if dates or dates is None:
        return None
    others = [(first, last) for atom, first, last in said.days if atom != InDays(0)]
    near = said.dates(OnWeekday, InDays)
    if len(others) != 1 or not near or len(near) != 1:
        return None
    around = _WORD.findall(f"{said.folded[: others[0][0]]} {said.folded[others[0][1] :]}")
    return Asked("day", tuple(near)) if all(word in BESIDE_A_DAY for word in around) else None


# Each reader finds something only where one of these is asked.
_TOPICS: Final = ("age", "date_of", "weekday", "between", "since", "until", "is_weekday", "nth_of")
_READERS: Final[Sequence[Callable[[_Text], Asked | None]]] = (_age, _moved, _between, _distance, _is_weekday, _day)


def moved(asked: Asked, today: date) -> date | None:
    """Return the date that is so far from the day that was named, or from today; None beyond the calendar."""
    first = asked.days[0] if asked.days else today
    sign = -1 if asked.is_back else 1
    try:
        if asked.span is not None:
            return first + sign * asked.span.span
        return workday(first, sign, asked.workdays)
    except (OverflowError, ValueError):
        return None
