"""Which time is meant: what the model passed, what the message says, what was asked about, what there was."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta
from typing import Final

from app.domain.wording import fold
from app.language.catalogue import Language
from app.skills.amending_within import put_right_within
from app.skills.tools.reminders import lexicon
from app.skills.tools.reminders.lexicon import flat, may_ring, opens_with_noun, spoken
from app.skills.tools.reminders.repository import Reminder
from app.when.lexicon import WORDS
from app.when.meanings import MAX_LIKELY, Habits, Point, Repeat, Rule, Unsure, When, likely_of, says_hour
from app.when.reading import read_span, read_when, read_wish
from app.when.rules import occurrences, rule_of

_WEEKDAYS: Final = frozenset(phrase for day in range(7) for phrase in WORDS.phrases(f"weekday.{day}"))
_EACH_WEEKDAY: Final = frozenset(phrase for day in range(7) for phrase in WORDS.phrases(f"weekdays.{day}"))
WEEKDAYS: Final = _WEEKDAYS | _EACH_WEEKDAY
_HALF_DAY: Final = 12
_CLAUSE: Final = re.compile(r"[,;!?\n]+|\.(?!\d)|\b(?:so|asi que)\b")


def time_of_asking(text: str, now: datetime, language: Language) -> When | None:
    """Return when to remind, where that part of a text says an hour of its own: "piano every Tuesday at 5, remind
    me at half past four". The day, or the rule, may be that of the rest. None where it is not clear.
    """
    parts = _CLAUSE.split(fold(text))
    asking = [part for part in parts if lexicon.REMINDING.search(part)]
    if len(asking) != 1:
        return None
    own = read_wish(asking[0], now, language).when
    told = read_wish(", ".join(part for part in parts if part not in asking), now, language)
    # "Wake me on Monday at 6, on Tuesday at 7": the rest is no event, but more times.
    if parts[0] in asking and lexicon.JOINERS.issuperset(spoken(told.what)):
        return None
    event = told.when
    if own is None or event is None or not (says_hour(own) or (isinstance(own, Point) and own.has_day)):
        return None
    if isinstance(own, Point | Repeat) and (isinstance(own, Repeat) or own.has_day):
        return own
    likely = likely_of(event)
    first = next(iter(likely), None)
    if isinstance(first, Repeat) and all(isinstance(one, Repeat) and one.rule == first.rule for one in likely):
        at = read_wish(asking[0], now, language, Habits(day=first.first.date(), near=first.first.time())).when
        return replace(first, first=at.at) if isinstance(at, Point) and at.at < first.first else None
    if isinstance(first, Point) and len(likely) == 1 and first.has_day:
        at = read_wish(asking[0], now, language, Habits(day=first.at.date())).when
        return at if not isinstance(at, Point) or at.at < first.at else None
    return None


def which_time(text: str, when: str, said: str, now: datetime, language: Language) -> When | None:
    """Decide which time is meant: by what the model passed, checked against all that the person wrote.

    A model that drops "on Friday" from "on Friday at ten" would set a wrong time that looks right. So the
    message decides, where it says one time; where it says several, the model may only choose among them.
    """
    passed = read_when(when, now, language) if when.strip() else read_wish(text, now, language).when
    if isinstance(passed, Unsure) and passed.why == "not_time":
        passed = read_wish(f"{when} {text}", now, language).when
    whole = read_wish(said, now, language).when if said else None
    if isinstance(whole, Unsure) and (own := _before_reason(said, now, language)) is not None:
        return own
    if isinstance(whole, Unsure) and (own := time_of_asking(said, now, language)) is not None:
        return own
    if whole is None:
        return passed
    if isinstance(whole, Unsure) and not whole.likely and isinstance(passed, Point | Repeat):
        return whole if whole.why == "notation" else passed
    if isinstance(whole, Unsure) and isinstance(passed, Point | Repeat) and passed in whole.likely:
        return passed
    return whole


def _before_reason(said: str, now: datetime, language: Language) -> When | None:
    """Return the hour that is told before a reason with another one: "at 4:40 because at 5:15 the bus leaves"."""
    before, found, _ = lexicon.SURELY_BECAUSE.sub("\n", fold(said), 1).partition("\n")
    own = read_wish(before, now, language).when if found else None
    is_asked = isinstance(own, Unsure) and bool(own.likely)
    return own if is_asked or (own is not None and says_hour(own)) else None


def answered(asked: str, now: datetime, language: Language) -> When | None:
    """Read a wish that was asked about, with what was said since: "mañana a las 5", "de la tarde"."""
    *before, said = asked.split("\n")
    earlier = read_wish(" ".join(before), now, language).when
    whole = read_wish(" ".join(put_right_within(asked).split("\n")), now, language).when
    if isinstance(whole, Point | Repeat) or not isinstance(earlier, Unsure):
        return whole
    points = [one.at for one in earlier.likely if isinstance(one, Point) and one.has_day]
    days, hours = sorted({at.date() for at in points}), {at.time() for at in points}
    other = read_wish(said, now, language).when
    if isinstance(other, Point) and not other.has_clock:  # "rather Friday, same time"
        likely = [one for at in sorted(hours) for one in _at_hour(said, at, now, language)]
        return Unsure("which", tuple(dict.fromkeys(likely))) if len(set(likely)) > 1 else (*likely, other)[0]
    near = hours.pop() if len(hours) == 1 else None
    each = [read_wish(said, now, language, Habits(day=day, near=near)).when for day in days]
    # Of today and a week later, who only tells another hour means today.
    if len(days) > 1 and days[0] != now.date():
        return Unsure("which", tuple(dict.fromkeys(one for when in each for one in likely_of(when)))[:MAX_LIKELY])
    return each[0] if each else other


def _at_hour(said: str, at: time, now: datetime, language: Language) -> tuple[Point | Repeat, ...]:
    return likely_of(read_wish(said, now, language, Habits(at, near=at)).when)


def beside(newest: Reminder, found: Point, now: datetime) -> Point | Unsure:
    """The time of another one without a day of its own: on that of the one before, or the next such hour."""
    same_day = Point(datetime.combine(newest.due.date(), found.at.time()), found.has_clock)
    if found.has_day or same_day.at.date() == found.at.date() or same_day.at <= now:
        return found
    return Unsure("which", (same_day, found))


def new_time(when: str, said: str, now: datetime, language: Language, habits: Habits) -> When | None:
    """Read the time that takes the place of another: of the message where that says one, else what was passed."""
    whole = read_wish(said, now, language, habits).when if said else None
    if isinstance(whole, Point | Repeat):
        return whole
    found: When | None = read_when(when, now, language, habits)
    if isinstance(found, Unsure) and found.why == "not_time":
        found = read_wish(when, now, language, habits).when or whole
    return found


def same_rule(target: Reminder, when: str, now: datetime, language: Language) -> Repeat | None:
    """A repeating reminder that gets another hour keeps its days."""
    habits = Habits(day=target.due.date(), near=target.due.time())
    later = new_time(when, when, now, language, habits)
    if not isinstance(later, Point) or later.at.date() != target.due.date():
        return None
    rule = rule_of(target.rule)
    if rule.hours:
        return None
    return Repeat(rule, datetime.combine(target.due.date(), later.at.time()))


def changed_time(target: Reminder, when: str, said: str, now: datetime, language: Language) -> When | None:
    """Read the time that one gets instead of its own, which tells what is left open: day, hour or rule."""
    old = target.due.time()
    keeps_day = target.due_at is not None and not target.rule
    habits = Habits(old, day=target.due.date() if keeps_day else None, near=old)
    if keeps_day and (on_its_month := _in_its_month(target, when, said, now, language)) is not None:
        return on_its_month
    found = new_time(when, said, now, language, habits)
    if target.rule and isinstance(found, Point | Unsure):
        return other_day(target, found, said) or same_rule(target, when, now, language) or found
    every = on_its_day(target, found) if isinstance(found, Unsure) else None
    return found if every is None or every.first <= now else every


def _in_its_month(target: Reminder, when: str, said: str, now: datetime, language: Language) -> Point | None:
    """Return the day of its own month that is said, "no, the 26th"; None where anything else is said."""
    due, habits = target.due, Habits(target.due.time(), near=target.due.time())
    firsts = [new_time(when, said, due.replace(day=day, hour=0), language, habits) for day in (1, 2)]
    first = firsts[0]
    is_of_month = isinstance(first, Point) and first.has_day and first == firsts[1]
    is_then = isinstance(first, Point) and (first.at.year, first.at.month) == (due.year, due.month)
    is_named = not _WEEKDAYS.isdisjoint(spoken(said))
    return (
        first if isinstance(first, Point) and is_of_month and is_then and first.at > now and not is_named else None
    )


def on_its_day(target: Reminder, found: Unsure) -> Repeat | None:
    """Return the rule of a bare period, "every week", on the day on which one that comes once would come."""
    match found.likely:
        case (Repeat(rule=rule, first=first),) if target.due_at is not None and not target.rule:
            due = target.due.date()
            on = replace(
                rule,
                weekdays=((0, due.weekday()),) if rule.weekdays else (),
                month_day=due.day if rule.month_day else 0,
                month=due.month if rule.month else 0,
            )
            return Repeat(on, datetime.combine(due, first.time()))
        case _:
            return None


def other_day(target: Reminder, found: Point | Unsure, said: str) -> Repeat | None:
    """Return the rule of one that comes every week, on the day of the week that is said: "make it Saturday only".

    None where that is meant for this once, or is one of its days and not said to be the only one.
    """
    rule, named = rule_of(target.rule), set(spoken(said))
    if not isinstance(found, Point) or not found.has_day or _WEEKDAYS.isdisjoint(named):
        return None
    if rule.frequency != "WEEKLY" or rule.hours or not lexicon.THIS_ONCE.isdisjoint(named):
        return None
    is_one_of_several = len(rule.weekdays) > 1 and (0, found.at.weekday()) in rule.weekdays
    if is_one_of_several and lexicon.ONLY.isdisjoint(named):
        return None
    return Repeat(replace(rule, weekdays=((0, found.at.weekday()),)), found.at, has_clock=found.has_clock)


_NUMBER: Final = re.compile(r"(?<![\w:.,])\d{1,3}(?![\w:.,]*\d|\w)")
_DIGIT: Final = re.compile(r"\d")
_SAID: Final = lexicon.MOVING | lexicon.CORRECTING | lexicon.JOINERS | lexicon.TALK | lexicon.WITHIN
_MINUTES: Final = frozenset(WORDS.phrases("unit.minute"))
_MOST_HOURS: Final = 12
_LOOKED_BACK: Final = 3


def with_unit(text: str, before: Sequence[str], now: datetime, language: Language) -> str:
    """Return a text that gives nothing but another number with its unit, as a span; any other text as it is.

    `before` is what the person wrote, the newest first; `now` is local.
    """
    numbers = list(_NUMBER.finditer(text))
    said = set(spoken(_NUMBER.sub(" ", text)))
    if len(numbers) != 1 or "?" in text or not said <= _SAID or not said.isdisjoint(lexicon.OF_THE_CLOCK):
        return text
    number = numbers[0]
    unit = _unit(int(number[0]), before[:_LOOKED_BACK], now, language)
    for within in ("", *sorted(lexicon.WITHIN)) if unit else ():
        spelt = f"{text[: number.start()]}{within} {number[0]} {unit}{text[number.end() :]}"
        if isinstance(read_wish(spelt, now, language).when, Point):
            return " ".join(spelt.split())
    return text


def with_hour(text: str, hour: int | None) -> str:
    """Return a text that gives nothing but a part of the hour that was said, with that hour: "mejor a y media"."""
    plain = fold(text)
    before, behind = lexicon.PART_BEFORE_HOUR.search(plain), lexicon.PART_BEHIND_HOUR.search(plain)
    part = before or behind
    if hour is None or part is None or len(plain) != len(text) or "?" in text or _DIGIT.search(text):
        return text
    if not _SAID.issuperset(spoken(f"{plain[: part.start()]} {plain[part.end() :]}")):
        return text
    said = " ".join(word for word in part[0].split() if word not in lexicon.HOUR_LEAD)
    told = f"{said} {hour}" if before is not None else f"a las {hour} {said}"
    return " ".join(f"{text[: part.start()]} {told} {text[part.end() :]}".split())


def _unit(count: int, before: Sequence[str], now: datetime, language: Language) -> str:
    """Return what is counted: minutes or hours, as the newest span said; "" where none was."""
    spans = [(one, span) for one in before if (span := read_span(one, language)) is not None]
    if not spans or not any(map(_asks_for_it, before)):
        return ""
    newest, rest = spans[0][1]
    if read_wish(rest, now, language).when is not None or now + newest.span >= now + timedelta(days=1):
        return ""  # "20 minutes before the match at 5"
    is_minutes = any(
        now + span.span < now + timedelta(hours=1) or not _MINUTES.isdisjoint(spoken(one))
        for one, (span, _) in spans
    )
    return "min" if is_minutes or count > _MOST_HOURS else "h"


def _asks_for_it(wish: str) -> bool:
    folded = fold(wish)
    return lexicon.REMINDING.search(folded) is not None or opens_with_noun(folded) or may_ring(folded)


def without_days(target: Reminder, said: str, now: datetime, language: Language) -> Repeat | None:
    """Return the rule of one that comes again without the days that a text leaves out: "los domingos no".

    None where it says anything else, or names a day of one that comes every day only once.
    """
    wish = read_wish(said, now, language)
    known = lexicon.SKIPPING | lexicon.TALK | lexicon.JOINERS | lexicon.CORRECTING | set(spoken(target.text))
    beside = set(spoken(wish.what))
    if not target.rule or "?" in said or lexicon.SKIPPING.isdisjoint(spoken(said)) or not beside <= known:
        return None
    rule = rule_of(target.rule)
    match wish.when:
        case Repeat(rule=Rule(frequency="WEEKLY", weekdays=left_out)):
            pass
        case Unsure(likely=(Repeat(rule=Rule(frequency="WEEKLY", weekdays=left_out)), *_)):
            pass
        case Point() | Unsure() if len(rule.weekdays) > 1 or not _EACH_WEEKDAY.isdisjoint(spoken(said)):
            left_out = tuple({(0, one.at.weekday()) for one in likely_of(wish.when) if isinstance(one, Point)})
        case _:
            return None
    days = tuple((0, day) for day in range(7)) if rule.frequency == "DAILY" else rule.weekdays
    left = tuple(one for one in days if one not in left_out)
    is_by_day = rule.frequency in {"DAILY", "WEEKLY"} and rule.interval == 1 and not rule.hours
    if not is_by_day or not left or len(left) == len(days):
        return None
    less = replace(rule, frequency="WEEKLY", weekdays=left)
    return Repeat(less, next(occurrences(less, target.due)))


def without_joiner(text: str) -> str:
    """Return a text without what joins it to the one before, and without "that same day"."""
    opening = lexicon.AND_ANOTHER.match(flat(text))
    rest = text if opening is None else text[opening.end() :]
    too = lexicon.TOO_AT_END.search(flat(rest))
    rest = rest if opening is None or too is None else rest[: too.start()]
    same = lexicon.SAME_DAY.search(flat(rest))
    return rest if same is None else f"{rest[: same.start()]} {rest[same.end() :]}".strip()


def time_behind(newest: Reminder, said: str, found: When | None, now: datetime, language: Language) -> When | None:
    """Return when another one comes: on the day of the one before where that is said, or asked where it is not."""
    if lexicon.SAME_DAY.search(fold(said)) is None:
        return (
            beside(newest, found, now)
            if isinstance(found, Point)
            else _likely_beside(newest, said, found, now, language)
        )
    day = Habits(day=newest.due.date())
    return read_wish(without_joiner(said), now, language, day).when


def _likely_beside(
    newest: Reminder, said: str, found: When | None, now: datetime, language: Language
) -> When | None:
    """Return the one of several hours that is on the day of the one before, next to its hour: "and one at 11"."""
    if not isinstance(found, Unsure) or newest.due_at is None or newest.rule:
        return found
    habits = Habits(day=newest.due.date(), near=newest.due.time())
    same = read_wish(without_joiner(said), now, language, habits).when
    is_likely = isinstance(same, Point) and any(_at(one) == same.at for one in found.likely)
    return same if is_likely else found


def _at(when: Point | Repeat) -> datetime:
    return when.at if isinstance(when, Point) else when.first


def next_behind(last: When | None, when: When | None) -> When | None:
    """Return the first of several hours that comes within half a day of the one before it: "at 5:20 in the morning
    …, and at 6 …"."""
    if not (isinstance(last, Point) and isinstance(when, Unsure)):
        return when
    near = [
        one
        for one in when.likely
        if isinstance(one, Point) and timedelta() < one.at - last.at <= timedelta(hours=_HALF_DAY)
    ]
    return min(near, key=lambda one: one.at) if near and len(near) < len(when.likely) else when
