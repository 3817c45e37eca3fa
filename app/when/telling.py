"""Times told back in full, so that a wrong one is seen at once."""

from datetime import date, datetime, timedelta
from types import MappingProxyType
from typing import Final

from babel.dates import format_date, get_day_names

from app.language.catalogue import Language, say
from app.when.meanings import Point, Repeat, Rule
from app.when.texts import WHEN

_DAY: Final = MappingProxyType({"es": "EEEE d 'de' MMMM", "en": "EEEE, MMMM d"})
_DAY_AND_YEAR: Final = MappingProxyType({"es": "EEEE d 'de' MMMM 'de' y", "en": "EEEE, MMMM d, y"})
_MONTH_DAY: Final = MappingProxyType({"es": "d 'de' MMMM", "en": "MMMM d"})
_SHORT_DAY: Final = "EEE d"
_SHORT_DATE: Final = MappingProxyType({"es": "d MMM", "en": "MMM d"})
_WORKDAYS: Final = tuple((0, day) for day in range(5))
_ORDINALS: Final = MappingProxyType(
    {1: WHEN.nth_1, 2: WHEN.nth_2, 3: WHEN.nth_3, 4: WHEN.nth_4, 5: WHEN.nth_5, -1: WHEN.nth_last}
)
_SOON: Final = 7
_LEAP_YEAR: Final = 2000


def tell(when: Point | Repeat, now: datetime, language: Language) -> str:
    """Say when something is: "mañana, lunes 23 de noviembre, 9:00", or how it comes again and when first."""
    if isinstance(when, Point):
        return tell_moment(when.at, now, language)
    told = tell_rule(when.rule, when.first, language)
    return say(WHEN.next, language, rule=told, first=tell_moment(when.first, now, language))


def tell_moment(at: datetime, now: datetime, language: Language) -> str:
    """Say a local moment in full; `now` is local, too. The year is said where it is another one."""
    return f"{tell_day(at.date(), now.date(), language)}, {clock(at)}"


def tell_short(at: datetime, now: datetime, language: Language) -> str:
    """Say a local moment in at most 20 characters, for a button."""
    distance = (at.date() - now.date()).days
    if distance == 0:
        day = say(WHEN.today_short, language)
    elif distance == 1:
        day = say(WHEN.tomorrow_short, language)
    else:
        pattern = _SHORT_DAY if 0 < distance < _SOON else _SHORT_DATE[language]
        day = format_date(at.date(), pattern, locale=language).replace(".", "")
    return f"{day} {clock(at)}"


def tell_rule(rule: Rule, first: datetime, language: Language) -> str:
    """Say how something comes again: "cada lunes y jueves, 18:00"."""
    told = _rhythm(rule, language)
    if rule.frequency not in {"HOURLY", "MINUTELY"}:
        hours = rule.hours or (first.hour,)
        times = _listed([clock(first.replace(hour=hour)) for hour in hours], language)
        told = f"{told}, {times}"
    if rule.until is not None:
        told = say(
            WHEN.until, language, rule=told, date=tell_day(rule.until, rule.until - timedelta(30), language)
        )
    if rule.count:
        told = say(WHEN.times, language, rule=told, count=rule.count)
    return told


def clock(at: datetime) -> str:
    return f"{at.hour}:{at.minute:02}"


def tell_day(day: date, today: date, language: Language) -> str:
    """Say a day in full, with "tomorrow" before it where it is near."""
    pattern = (_DAY if day.year == today.year else _DAY_AND_YEAR)[language]
    written = format_date(day, pattern, locale=language)
    near = {0: WHEN.today, 1: WHEN.tomorrow, 2: WHEN.day_after}.get((day - today).days)
    return written if near is None else say(near, language, date=written)


def _rhythm(rule: Rule, language: Language) -> str:
    count = rule.interval
    names = get_day_names("wide", locale=language)
    match rule.frequency:
        case "MINUTELY":
            return say(WHEN.minutely, language, count=count)
        case "HOURLY":
            return say(WHEN.hourly, language, count=count)
        case "DAILY":
            return say(WHEN.daily, language, count=count)
        case "WEEKLY" if rule.weekdays == _WORKDAYS and count == 1:
            return say(WHEN.workdays, language)
        case "WEEKLY":
            days = _listed([names[day] for _, day in rule.weekdays], language)
            return say(WHEN.weekly, language, count=count, days=days)
        case "MONTHLY" if rule.weekdays:
            nth, day = rule.weekdays[0]
            ordinal = _ORDINALS[max(nth, -1)]
            return say(WHEN.monthly_weekday, language, count=count, nth=say(ordinal, language), weekday=names[day])
        case "MONTHLY" if rule.month_day < 0:
            return say(WHEN.monthly_last, language, count=count)
        case "MONTHLY":
            return say(WHEN.monthly_day, language, count=count, day=rule.month_day)
        case _:
            day_of_year = date(_LEAP_YEAR, rule.month, rule.month_day)
            written = format_date(day_of_year, _MONTH_DAY[language], locale=language)
            return say(WHEN.yearly, language, count=count, date=written)


def _listed(names: list[str], language: Language) -> str:
    if len(names) == 1:
        return names[0]
    return say(WHEN.both, language, first=", ".join(names[:-1]), last=names[-1])
