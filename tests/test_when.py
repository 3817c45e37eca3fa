"""What people say about time: the closed grammar, judged on sentences of which half were set aside."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given
from hypothesis import strategies as st

from app.domain.outbound import MAX_BUTTON_TITLE_CHARS
from app.when.meanings import Point, Repeat, Unsure, When, Wish, likely_of
from app.when.parsing import Parser
from app.when.reading import read_when, read_wish
from app.when.rules import occurrences, to_utc
from app.when.telling import tell, tell_short
from tests.examples import some

NOW: Final = datetime(2026, 11, 18, 10, 30)
_DATA: Final = Path(__file__).parent / "data" / "when"
_PIECES: Final = [
    "mañana",
    "lunes",
    "viernes",
    "hoy",
    "ayer",
    "en",
    "5",
    "31",
    "12",
    "0",
    "99",
    "2027",
    "/",
    "-",
    ":",
    "a",
    "las",
    "el",
    "la",
    "de",
    "cada",
    "y",
    "media",
    "cuarto",
    "menos",
    "mes",
    "semana",
    "año",
    "horas",
    "minutos",
    "noche",
    "tarde",
    "hasta",
    "durante",
    "at",
    "on",
    "in",
    "the",
    "of",
    "every",
    "monday",
    "next",
    "week",
    "to",
    "past",
    "half",
    "quarter",
    "day",
    "may",
    "am",
    "pm",
    "último",
    "fin",
    "primer",
    "que",
    "viene",
    "desde",
    "por",
    "veces",
    "29",
    "febrero",
    "first",
    "last",
    "until",
    "for",
    "times",
    "noon",
    "midnight",
]
_FREQUENCIES: Final = {"N": "MINUTELY", "H": "HOURLY", "D": "DAILY", "W": "WEEKLY", "M": "MONTHLY", "Y": "YEARLY"}


def cases(name: str) -> list[tuple[str, str, str]]:
    lines = (_DATA / name).read_text("utf-8").splitlines()
    return [tuple(line.split(" | ")) for line in lines if line and not line.startswith("#")]  # type: ignore[misc]


def fits(expected: str, found: When) -> bool:
    """Tell whether a reading is one of those that the case allows."""
    return any(_fits(one, found) for one in expected.split(" / "))


def _fits(expected: str, found: When) -> bool:
    if expected == "ask":
        return isinstance(found, Unsure)
    if expected.startswith("every "):
        return isinstance(found, Repeat) and _comes_as(expected.split()[1:], found)
    if not isinstance(found, Point):
        return False
    day, _, hours = expected.partition(" ")
    if "T" in day:
        return found.at == datetime.fromisoformat(day)
    low, high = map(int, hours.split("-")) if hours else (0, 23)
    return found.at.date().isoformat() == day and low <= found.at.hour <= high


def _comes_as(words: list[str], found: Repeat) -> bool:
    """Compare the first forty times with those of a rule that the case spells out."""
    frequency, _, interval = words[0].partition("/")
    parts = [f"FREQ={_FREQUENCIES[frequency]}", f"INTERVAL={interval or 1}"]
    clocks: list[tuple[int, int]] = []
    low, high = 0, 23
    for word in words[1:]:
        if word.startswith("until"):
            parts.append(f"UNTIL={word[5:].replace('-', '')}T235959")
        elif ":" in word:
            clocks = [tuple(map(int, clock.split(":"))) for clock in word.split("+")]  # type: ignore[misc]
        elif word.startswith("d"):
            parts.append(f"BYMONTHDAY={word[1:]}")
        elif "/" in word:
            month, day = word.split("/")
            parts += [f"BYMONTH={month}", f"BYMONTHDAY={day}"]
        elif word[-1].isalpha():
            parts.append(f"BYDAY={word}")
        else:
            low, high = map(int, word.split("-"))
    hours = [hour for hour, _ in clocks]
    if frequency in "DWMY":
        hours = hours or [found.first.hour]
        parts += [
            f"BYHOUR={','.join(map(str, hours))}",
            f"BYMINUTE={clocks[0][1] if clocks else found.first.minute}",
        ]
    wanted = rrulestr(";".join(parts), dtstart=found.first)
    theirs = [one for one, _ in zip(occurrences(found.rule, found.first), range(40), strict=False)]
    return (
        theirs == [one for one, _ in zip(wanted, range(40), strict=False)]
        and found.first > NOW
        and low <= found.first.hour <= high
    )


def score(name: str) -> tuple[int, list[str], list[str]]:
    """Return how many are right, those that are wrong without a question, and those that were asked about."""
    right = 0
    silent: list[str] = []
    asked: list[str] = []
    for language, text, expected in cases(name):
        found = read_when(text, NOW, language)
        if fits(expected, found):
            right += 1
        else:
            (asked if isinstance(found, Unsure) else silent).append(f"{text} | {expected} | {found}")
    return right, silent, asked


@pytest.mark.parametrize("name", ["tuned.txt", "aside.txt"])
def test_what_people_say_is_right_or_asked_about_and_never_silently_wrong(name: str) -> None:
    right, silent, asked = score(name)
    assert not silent
    assert right >= 0.9 * len(cases(name)), asked


@pytest.mark.parametrize(
    ("language", "text", "what", "at"),
    [
        ("es", "mañana a las 18 tengo que retirar el traje", "tengo que retirar el traje", "2026-11-19T18:00"),
        ("es", "llevar las 4 cajas a lo de Inés el domingo al mediodía", "llevar las 4 cajas a lo de Inés",
         "2026-11-22T12:00"),
        ("es", "sacar la basura en 40 minutos", "sacar la basura", "2026-11-18T11:10"),
        ("es", "temporizador de 12 minutos", "temporizador", "2026-11-18T10:42"),
        ("es", "mañana después del trabajo comprar pan", "comprar pan", "2026-11-19T19:00"),
        ("es", "mañana después de cenar la pastilla", "la pastilla", "2026-11-19T21:00"),
        ("es", "mañana después de las 17 llamar a Ana", "llamar a Ana", "2026-11-19T17:00"),
        ("en", "buy bread tomorrow after work", "buy bread", "2026-11-19T19:00"),
        ("en", "call Ann tomorrow after 5pm", "call Ann", "2026-11-19T17:00"),
        ("en", "look after 3 kids tomorrow at 17:00", "look after 3 kids", "2026-11-19T17:00"),
        ("en", "pick up 2 parcels tomorrow at 16:45", "pick up 2 parcels", "2026-11-19T16:45"),
        ("en", "timer for 12 minutes", "timer", "2026-11-18T10:42"),
        ("en", "in 3 hours turn the oven off", "turn the oven off", "2026-11-18T13:30"),
        ("en", "comprar leche mañana a las 19", "comprar leche", "2026-11-19T19:00"),
        ("en", "tomorrow at 18:30 choir evening with Sue", "choir evening with Sue", "2026-11-19T18:30"),
        ("es", "el viernes 11 de la mañana pagar la luz", "pagar la luz", "2026-11-20T11:00"),
        ("es", "el jueves 6 de la tarde pagar la luz", "pagar la luz", "2026-11-19T18:00"),
        ("es", "el viernes 11 a la tarde pagar la luz", "pagar la luz", "2026-12-11T16:00"),
        ("es", "el viernes 9.15 control del perro", "control del perro", "2026-11-20T09:15"),
        ("en", "tomorrow 17.30 drinks with Tom", "drinks with Tom", "2026-11-19T17:30"),
        ("es", "mañana 12.50 pesos para el kiosco", "12.50 pesos para el kiosco", "2026-11-19T09:00"),
    ],
)  # fmt: skip
def test_the_time_is_taken_out_of_a_wish_and_the_rest_is_left_as_it_was(
    language: str, text: str, what: str, at: str
) -> None:
    wish = read_wish(text, NOW, language)
    assert isinstance(wish.when, Point)
    assert (wish.what, wish.when.at) == (what, datetime.fromisoformat(at))


@pytest.mark.parametrize(
    ("language", "text", "what", "at"),
    [
        ("es", "regar la huerta el vierens a las 9 d la noche", "regar la huerta", "2026-11-20T21:00"),
        ("es", "mñn 6 y media d la tarde podar el cerco", "podar el cerco", "2026-11-19T18:30"),
        ("es", "pasao mañana a las 11 afilar la sierra", "afilar la sierra", "2026-11-20T11:00"),
        ("es", "mñana 930am comprar una banana", "comprar una banana", "2026-11-19T09:30"),
        ("es", "el juevs 18hrs ver a Ines", "ver a Ines", "2026-11-19T18:00"),
        ("es", "mañana a las 1545 llevar la bici", "llevar la bici", "2026-11-19T15:45"),
        ("en", "feed the goat tomorow 630am", "feed the goat", "2026-11-19T06:30"),
        ("en", "tmrw nite at 9 lock teh shed", "lock teh shed", "2026-11-19T21:00"),
        ("en", "2moro 7pm defrost the soup", "defrost the soup", "2026-11-19T19:00"),
        ("en", "thrusday 5pm the moving van", "the moving van", "2026-11-19T17:00"),
        ("en", "tomorrow evening 8.15 choir", "choir", "2026-11-19T20:15"),
        ("en", "tomorrow 1145 to move the car", "to move the car", "2026-11-19T11:45"),
        ("en", "lock up at 1800 hrs", "lock up", "2026-11-18T18:00"),
        ("en", "swim on saterday at 10am", "swim", "2026-11-21T10:00"),
        ("es", "pasado a las 9 el banco", "el banco", "2026-11-20T09:00"),
        ("es", "de hoy en ocho la garantía", "la garantía", "2026-11-25T09:00"),
        ("en", "tomorrow week to ring Al", "to ring Al", "2026-11-26T09:00"),
        ("en", "a fortnight today the rent", "the rent", "2026-12-02T09:00"),
        ("en", "day after tmrw at 7am the bus", "the bus", "2026-11-20T07:00"),
        ("es", "al cuarto para las seis el té", "el té", "2026-11-18T17:45"),
        ("es", "entre las 5 y las 6 de la tarde la leche", "la leche", "2026-11-18T17:00"),
        ("en", "remind me 1730 get the kids", "remind me get the kids", "2026-11-18T17:30"),
        ("en", "remind me 5ish to start dinner", "remind me to start dinner", "2026-11-18T17:00"),
    ],
)  # fmt: skip
def test_a_time_is_read_as_it_was_meant_and_the_rest_is_left_as_it_was_typed(
    language: str, text: str, what: str, at: str
) -> None:
    wish = read_wish(text, NOW, language)
    assert isinstance(wish.when, Point)
    assert (wish.what, wish.when.at) == (what, datetime.fromisoformat(at))


def test_every_nite_is_every_night() -> None:
    wish = read_wish("every nite at 10 the drops", NOW, "en")
    assert isinstance(wish.when, Repeat)
    assert (wish.what, wish.when.first) == ("the drops", datetime(2026, 11, 18, 22, 0))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "si vienes trae la manzana y las luces de la mesa del domino"),
        ("en", "a sturdy knight was mourning the sundae, moving right by the fridge"),
    ],
)
def test_other_words_that_are_one_letter_away_are_no_times(language: str, text: str) -> None:
    assert read_wish(text, NOW, language).when is None


@pytest.mark.parametrize(
    "text", ["avisame como 10 minutos", "el lunes en 8 minutos", "ha pasado", "el mes pasado", "5 and 6 ducks"]
)
def test_words_of_a_time_that_say_another_one_are_none(text: str) -> None:
    when = read_wish(text, NOW, "es").when
    assert when is None or not isinstance(when, Point) or when.at.date() == NOW.date()


def test_the_other_monday_may_be_either_of_two() -> None:
    when = read_wish("recordame el otro lunes llamar", NOW, "es").when
    assert [one.at.day for one in likely_of(when) if isinstance(one, Point)] == [23, 30]


@pytest.mark.parametrize(
    ("language", "text", "days"),
    [
        ("en", "ring Ann this wednesday at 3pm", [18]),
        ("es", "llamar a Ana este miércoles a las 15", [18]),
        ("en", "ring Ann on wednesday at 3pm", [18, 25]),
        ("en", "ring Ann this coming wednesday at 3pm", [18, 25]),
        ("en", "ring Ann this wednesday at 9am", [25]),
    ],
)
def test_this_wednesday_is_today_where_its_hour_is_still_to_come(
    language: str, text: str, days: list[int]
) -> None:
    when = read_wish(text, NOW, language).when
    assert [one.at.day for one in likely_of(when) if isinstance(one, Point)] == days


def test_an_amount_behind_a_day_is_no_hour_and_what_may_be_one_is_asked_about() -> None:
    assert read_wish("mañana 500 a Juan", NOW, "es").what == "500 a Juan"
    assert isinstance(read_wish("mañana 1530 llamar a Juan", NOW, "es").when, Unsure)


@pytest.mark.parametrize(
    ("language", "text", "at"),
    [
        ("es", "poneme una alarma a las 6:15", "2026-11-19T06:15"),
        ("es", "despertame 6:40", "2026-11-19T06:40"),
        ("es", "levantame el sábado a las 8", "2026-11-21T08:00"),
        ("es", "alarma hoy a las 6", "2026-11-18T18:00"),
        ("es", "despertame a las 19", "2026-11-18T19:00"),
        ("en", "wake me at 5", "2026-11-19T05:00"),
        ("en", "alarm 7:20", "2026-11-19T07:20"),
        ("en", "alarm for 6pm", "2026-11-18T18:00"),
    ],
)
def test_a_bare_hour_at_which_people_get_up_is_one_of_the_morning(language: str, text: str, at: str) -> None:
    when = read_wish(text, NOW, language).when
    assert isinstance(when, Point)
    assert when.at == datetime.fromisoformat(at)


@pytest.mark.parametrize(
    ("language", "text", "at"),
    [
        ("es", "el turno es el lunes a las 10, avisame 2 horas antes", "2026-11-23T08:00"),
        ("es", "avisame 10 minutos antes de las 18", "2026-11-18T17:50"),
        ("es", "vence el 10 de diciembre, recordame con dos días de anticipación", "2026-12-08T09:00"),
        ("es", "el 3 de diciembre cumple Ana, recordame la noche anterior", "2026-12-02T21:00"),
        ("en", "flight on Sunday at 4pm, ping me three hours before", "2026-11-22T13:00"),
        ("en", "the lease ends on December 9th, remind me the day before at 10am", "2026-12-08T10:00"),
        ("en", "call at 5pm today, remind me half an hour before", "2026-11-18T16:30"),
    ],
)
def test_so_long_before_something_is_counted_back_from_it(language: str, text: str, at: str) -> None:
    when = read_wish(text, NOW, language).when
    assert isinstance(when, Point)
    assert when.at == datetime.fromisoformat(at)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "recordame mañana a las 9 salir una hora antes"),
        ("es", "recordame antes del viernes pagar la luz"),
        ("es", "el viernes a las 15 dentista, avisame un día antes"),
        ("es", "todos los viernes a las 15 recordame un día antes"),
        ("en", "remind me tomorrow at 9 to call Ann before 6pm"),
        ("en", "remind me an hour before"),
    ],
)
def test_what_may_be_before_something_or_then_is_asked_about(language: str, text: str) -> None:
    assert isinstance(read_wish(text, NOW, language).when, Unsure | None)


def test_what_comes_again_may_be_told_a_little_before() -> None:
    when = read_wish("every Friday at 3pm piano, remind me an hour before", NOW, "en").when
    assert isinstance(when, Repeat)
    assert when.first == datetime(2026, 11, 20, 14, 0)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "llamar a Domingo el lunes a las 10"),
        ("es", "el viernes avisame que el lunes tengo médico"),
        ("es", "poneme una alarma a las 3"),
        ("en", "wake me at 2"),
        ("en", "on Friday tell me about the meeting on Monday"),
    ],
)
def test_a_wish_with_two_days_or_an_hour_of_either_half_is_asked_about(language: str, text: str) -> None:
    when = read_wish(text, NOW, language).when
    assert isinstance(when, Unsure)
    assert len(when.likely) > 1


@pytest.mark.parametrize("text", ["cada 30 de febrero", "CADA FEBRERO30", "el 31 de abril de cada año"])
def test_a_day_that_no_year_has_does_not_come_again(text: str) -> None:
    assert read_when(text, NOW, "es") == Unsure("impossible")


def test_a_wish_without_a_time_has_none() -> None:
    assert read_wish("comprar 2 kilos de pan", NOW, "es") == Wish("comprar 2 kilos de pan", None)
    assert read_wish("call mum, it's been 3 years", NOW, "en").when is None


@given(st.text(max_size=80) | st.lists(st.sampled_from(_PIECES), max_size=9).map(" ".join))
@some(4)
def test_whatever_is_written_is_read_without_a_crash_and_never_into_the_past(text: str) -> None:
    for language in ("es", "en"):
        found = read_when(text, NOW, language)
        for one in found.likely if isinstance(found, Unsure) else (found,):
            assert (one.at if isinstance(one, Point) else one.first) > NOW, text
            assert tell(one, NOW, language)


def test_a_long_text_takes_no_longer_for_each_word_than_a_short_one() -> None:
    def steps(text: str) -> int:
        parser, count = Parser(text, "es"), 0
        take = parser._take

        def counted(*kinds: str, value: str | None = None) -> str | None:
            nonlocal count
            count += 1
            return take(*kinds, value=value)

        parser._take = counted  # type: ignore[method-assign]
        list(parser.atoms())
        return count

    for word in ("lunes y ", "una hora y ", "el 5 ", "1/", "cada ", "en ", "el ", "a las ", "este el "):
        assert steps(word * 200) < 12 * steps(word * 20), word


@pytest.mark.parametrize(
    ("language", "text", "told"),
    [
        ("es", "mañana a las 10 de la noche", "mañana, jueves 19 de noviembre, 22:00"),
        ("en", "on the 3rd at 10am", "Thursday, December 3, 10:00"),
        ("es", "el 5 de enero a las 8", "martes 5 de enero de 2027, 8:00"),
        ("es", "cada 3 días a las 8",
         "cada 3 días, 8:00; la próxima vez, mañana, jueves 19 de noviembre, 8:00"),
        ("en", "weekdays at 7:30am",
         "Monday to Friday, 7:30; the next time is tomorrow, Thursday, November 19, 7:30"),
    ],
)  # fmt: skip
def test_a_time_is_told_back_in_full(language: str, text: str, told: str) -> None:
    when = read_when(text, NOW, language)
    assert not isinstance(when, Unsure)
    assert tell(when, NOW, language) == told


def test_a_choice_fits_on_a_button() -> None:
    for day in range(400):
        for language in ("es", "en"):
            assert len(tell_short(NOW + timedelta(days=day, minutes=59), NOW, language)) <= MAX_BUTTON_TITLE_CHARS


def test_a_day_that_a_month_lacks_is_its_last_day() -> None:
    found = read_when("el 31 de cada mes a las 10", NOW, "es")
    assert isinstance(found, Repeat)
    days = [one.date().isoformat() for one, _ in zip(occurrences(found.rule, found.first), range(5), strict=False)]
    assert days == ["2026-11-30", "2026-12-31", "2027-01-31", "2027-02-28", "2027-03-31"]


@pytest.mark.parametrize(
    ("local", "zone", "utc"),
    [
        ("2027-03-28T02:30", "Europe/Madrid", "2027-03-28T01:30"),
        ("2027-10-31T02:30", "Europe/Madrid", "2027-10-31T00:30"),
        ("2027-03-14T02:30", "America/New_York", "2027-03-14T07:30"),
        ("2027-11-18T10:30", "America/Argentina/Buenos_Aires", "2027-11-18T13:30"),
    ],
)
def test_a_time_that_the_clocks_skip_comes_later_and_one_that_comes_twice_comes_first(
    local: str, zone: str, utc: str
) -> None:
    moment = to_utc(datetime.fromisoformat(local), ZoneInfo(zone))
    assert moment.replace(tzinfo=None) == datetime.fromisoformat(utc)


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("cada mañana a las 8 regar", "DAILY"),
        ("todos los días hábiles a las 8 regar", "WEEKLY"),
        ("todos los días de semana a las 8 regar", "WEEKLY"),
        ("every Friday at 5pm water the fern", "WEEKLY"),
        ("each weekday at 8am water the fern", "WEEKLY"),
    ],
)
@pytest.mark.parametrize("is_english", [True, False])
def test_what_comes_again_is_never_taken_for_once_in_either_language(
    said: str, rule: str, is_english: bool
) -> None:
    wish = read_wish(said, NOW, "en" if is_english else "es")
    assert isinstance(wish.when, Repeat), wish
    assert wish.when.rule.frequency == rule
    assert len(wish.when.rule.weekdays) in {0, 1, 5}
    assert wish.what in {"regar", "water the fern"}


def test_everybody_tomorrow_is_not_every_morning() -> None:
    assert isinstance(read_wish("avisá a todos mañana a las 8", NOW, "es").when, Point)
