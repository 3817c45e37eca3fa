"""Times in cron's notation, against a calculation that tries every day."""

from datetime import datetime, time, timedelta
from itertools import takewhile
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.when.cron import find_cron, read_cron
from app.when.meanings import Point, Repeat, Unsure
from app.when.reading import read_when, read_wish
from app.when.rules import occurrences, rule_of, rule_text
from tests.examples import some

NOW: Final = datetime(2026, 11, 18, 10, 30)
_SPAN: Final = timedelta(days=70)


def _stands_for(field: str, low: int, high: int) -> set[int]:
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, _, last = (f"{low}-{high}" if span == "*" else span).partition("-")
        end = int(last or (high if step else first))
        found |= {value for value in range(int(first), end + 1) if (value - int(first)) % int(step or 1) == 0}
    return found


def every_time(notation: str, begin: datetime, end: datetime) -> list[datetime]:
    """Try each day, as cron does: with days of the month and of the week either is enough."""
    minutes, hours, days, months, weekdays = notation.split()
    wanted = _stands_for(minutes, 0, 59), _stands_for(hours, 0, 23), _stands_for(months, 1, 12)
    month_days, week = _stands_for(days, 1, 31), {day % 7 for day in _stands_for(weekdays, 0, 7)}
    days_ahead = [begin.date() + timedelta(days=ahead) for ahead in range((end - begin).days + 1)]
    found = []
    for day in days_ahead:
        on_day, on_weekday = day.day in month_days, day.isoweekday() % 7 in week
        fits = on_day or on_weekday if "*" not in (days[0], weekdays[0]) else on_day and on_weekday
        if fits and day.month in wanted[2]:
            found += [datetime.combine(day, time(h, m)) for h in sorted(wanted[1]) for m in sorted(wanted[0])]
    return [at for at in found if begin < at <= end]


def field(low: int, high: int) -> st.SearchStrategy[str]:
    number = st.integers(low, high)
    span = st.tuples(number, number).map(lambda two: f"{min(two)}-{max(two)}")
    step = st.tuples(st.sampled_from(["*", f"{low}-{high}"]), st.integers(1, 30)).map(
        lambda two: f"{two[0]}/{two[1]}"
    )
    listed = st.lists(number, min_size=2, max_size=4).map(lambda some_of: ",".join(map(str, some_of)))
    return st.one_of(st.just("*"), number.map(str), span, step, listed)


@some(150, by_day=10)
@given(
    st.one_of(st.integers(0, 59).map(str), field(0, 59)), field(0, 23), field(1, 31),
    st.one_of(st.just("*"), field(1, 12)), field(0, 7),
)  # fmt: skip
def test_a_rule_comes_at_the_minutes_of_its_notation(
    minutes: str, hours: str, days: str, months: str, weekdays: str
) -> None:
    notation = f"{minutes} {hours} {days} {months} {weekdays}"
    read = read_cron(notation, NOW)
    if isinstance(read, Unsure):
        assert not read.likely
        return
    assert isinstance(read, Repeat)
    assert rule_of(rule_text(read.rule)) == read.rule
    wanted = every_time(notation, NOW, NOW + _SPAN)
    theirs = list(takewhile(lambda at: at <= NOW + _SPAN, occurrences(read.rule, read.first)))
    assert theirs == wanted


@pytest.mark.parametrize(
    "notation",
    ["0 8 * * 1-5", "30 6 1 * *", "0 9 1 12 *", "0 8,20 * * *", "0 */4 * * *", "5 * * * *", "*/15 * * * *",
     "0 10 * * mon,wed", "0 7 * * 7", "@daily"],
)  # fmt: skip
def test_what_is_one_rule_is_read(notation: str) -> None:
    assert isinstance(read_when(notation, NOW, "es"), Repeat)


@pytest.mark.parametrize(
    ("notation", "why"),
    [
        ("0 8 1,15 * *", "notation"),
        ("0 9 31 * *", "notation"),
        ("0 8 * 6 *", "notation"),
        ("0 8 1 * 1", "notation"),
        ("0 0 8 * * 1-5", "notation"),
        ("0,10 8 * * *", "notation"),
        ("*/5 * * * *", "too_often"),
        ("* * * * *", "too_often"),
        ("0 25 * * *", "impossible"),
        ("0 8 31-2 * *", "impossible"),
    ],
)
def test_what_is_not_one_rule_is_refused_and_says_why(notation: str, why: str) -> None:
    assert read_when(notation, NOW, "en") == Unsure(why)  # type: ignore[arg-type]  # one of those that there are


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('recordame con cron "0 8 * * 1-5" tomar la pastilla', "recordame tomar la pastilla"),
        ("remind me to stretch, cron: 0 8 * * 1-5", "remind me to stretch"),
        ("de lunes a viernes a las 8 (0 8 * * 1-5) regar", "regar"),
    ],
)
def test_a_notation_is_taken_out_of_a_wish_with_what_only_says_that_it_is_one(text: str, what: str) -> None:
    wish = read_wish(text, NOW, "es")
    assert wish.what == what
    assert isinstance(wish.when, Repeat)
    assert rule_text(wish.when.rule) == "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"


def test_words_and_a_notation_that_disagree_are_asked_about() -> None:
    when = read_wish("recordame todos los días a las 9 con cron 0 8 * * 1-5 regar", NOW, "es").when
    assert isinstance(when, Unsure)
    assert len(when.likely) == 2


def test_a_product_of_numbers_beside_a_time_is_no_notation() -> None:
    wish = read_wish("mañana a las 9 anotar que 2 * 3 * 4 = 24", NOW, "es")
    assert wish.what == "anotar que 2 * 3 * 4 = 24"
    assert isinstance(wish.when, Point)


@pytest.mark.parametrize("text", ["1 2 3 4 5", "el 11 4444 5555 6 7", "* * *", "a, b * c"])
def test_what_only_looks_alike_is_no_notation(text: str) -> None:
    assert find_cron(text) is None


@pytest.mark.parametrize(
    ("text", "what", "days"),
    [
        ("every weekday but friday at 7am take the bread out", "take the bread out", "MO,TU,WE,TH"),
        ("todos los días menos el domingo a las 8 tomar la pastilla", "tomar la pastilla", "MO,TU,WE,TH,FR,SA"),
        ("every day except saturday and sunday at 8pm lock the shed", "lock the shed", "MO,TU,WE,TH,FR"),
        ("de lunes a viernes excepto los miercoles a las 13 retirar a Tomi", "retirar a Tomi", "MO,TU,TH,FR"),
    ],
)
def test_days_may_be_left_out_of_what_comes_again(text: str, what: str, days: str) -> None:
    wish = read_wish(text, NOW, "es")
    assert wish.what == what
    assert isinstance(wish.when, Repeat)
    assert rule_text(wish.when.rule) == f"FREQ=WEEKLY;BYDAY={days}"


@pytest.mark.parametrize("text", ["every day except holidays at 8", "todos los dias menos los feriados a las 8"])
def test_what_cannot_be_left_out_is_asked_about(text: str) -> None:
    assert isinstance(read_wish(text, NOW, "es").when, Unsure)
