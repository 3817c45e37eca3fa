"""The time tools: any way of naming a place, today's rules, the day said when it differs."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo, available_timezones

import pytest
from babel.core import get_global
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import ToolFault
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.place_names import CITIES, PRINCIPAL_ZONES
from app.domain.places import Places
from app.domain.tools import ToolResult
from app.domain.turn import Said, TurnContext
from app.skills.loader import load_builtin
from app.skills.registry import SkillRegistry
from app.skills.tools.datetime import datetime_tools
from app.skills.tools.datetime.datetime_tools import read_day, read_time
from tests.fakes.clock import FrozenClock

NOW = datetime(2026, 11, 21, 22, 14, tzinfo=UTC)
HOME = "America/Montevideo"
MADRID = ZoneInfo("Europe/Madrid")


@pytest.fixture(scope="module")
def places() -> Places:
    return Places()


async def call(tool_name: str, places: Places, *, now: datetime = NOW, **arguments: object) -> ToolResult:
    registry = SkillRegistry()
    datetime_tools.register(registry, FrozenClock(now), places)
    tool = registry.tools.get(tool_name)
    ctx = TurnContext(TurnId(1), UserId("ann"), ConversationId(1), 1, now, "es", is_admin=False, timezone=HOME)
    return await tool.execute(tool.validate_args(arguments), ctx=ctx)


async def now_in(places: Places, timezone: str) -> str:
    return (await call("get_current_datetime", places, timezone=timezone)).content


async def convert(places: Places, time: str, source: str, target: str, *, now: datetime = NOW) -> str:
    result = await call("convert_timezone", places, now=now, time=time, from_timezone=source, to_timezone=target)
    return result.content


async def test_the_time_of_a_city_is_one_line_with_zone_weekday_and_date(places: Places) -> None:
    assert await now_in(places, "Sydney") == "Sydney (Australia/Sydney): Sunday 2026-11-22, 09:14"


async def test_no_place_means_where_the_user_is(places: Places) -> None:
    result = await call("get_current_datetime", places)
    assert result.output == "Montevideo (America/Montevideo): Saturday 2026-11-21, 19:14"


async def test_a_country_with_several_times_says_which_was_assumed(places: Places) -> None:
    answer = await now_in(places, "Estados Unidos")
    assert answer.endswith("17:14. Estados Unidos has several time zones; America/New_York was assumed.")


async def test_a_country_whose_zones_agree_has_no_note(places: Places) -> None:
    assert await now_in(places, "Argentina") == (
        "Argentina (America/Argentina/Buenos_Aires): Saturday 2026-11-21, 19:14"
    )


async def test_an_unknown_place_names_the_nearest_ones(places: Places) -> None:
    answer = await now_in(places, "Barcelina")
    assert answer.startswith("Error: No time zone is known for 'Barcelina'. Nearest: Barcelona")


async def test_a_place_written_as_it_sounds_is_that_place(places: Places) -> None:
    assert await now_in(places, "Balparaíso") == "Valparaíso (America/Santiago): Saturday 2026-11-21, 19:14"


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("Paris", "Europe/Paris"),
        ("París", "Europe/Paris"),
        ("Lima", "America/Lima"),
        ("Nueva York", "America/New_York"),
        ("Ciudad de México", "America/Mexico_City"),
        ("Mexico City", "America/Mexico_City"),
        ("Japón", "Asia/Tokyo"),
        ("Japan", "Asia/Tokyo"),
        ("TOKIO", "Asia/Tokyo"),
        ("Reino Unido", "Europe/London"),
        ("England", "Europe/London"),
        ("la paz", "America/La_Paz"),
        ("La Habana", "America/Havana"),
        ("hora de Madrid", "Europe/Madrid"),
        ("Tokyo time", "Asia/Tokyo"),
        ("Madrid, España", "Europe/Madrid"),
        ("Madrid (Spain)", "Europe/Madrid"),
        ("Paris, Texas", "America/Chicago"),
        ("Kingston Jamaica", "America/Jamaica"),
        ("Córdoba, Argentina", "America/Argentina/Cordoba"),
        ("Córdoba, España", "Europe/Madrid"),
        ("San Francisco", "America/Los_Angeles"),
        ("Pekín", "Asia/Shanghai"),
        ("EE.UU.", "America/New_York"),
        ("EST", "America/New_York"),
        ("america/mexico city", "America/Mexico_City"),
        ("Etc/GMT+5", "Etc/GMT+5"),
        ("here", HOME),
        ("aquí", HOME),
        ("UTC", "UTC"),
        ("GMT", "UTC"),
        ("UTC-3", "UTC-03:00"),
        ("GMT+2", "UTC+02:00"),
        ("utc +5:30", "UTC+05:30"),
        ("−03:00", "UTC-03:00"),
    ],
)
def test_a_place_is_found_as_people_write_it(places: Places, written: str, key: str) -> None:
    assert places.zone(written, default=HOME).key == key


@pytest.mark.parametrize("written", ["Atlantis", "UTC+25", "../etc/passwd", "x" * 200, "localtime/", "🙂"])
def test_what_is_no_place_is_refused(places: Places, written: str) -> None:
    with pytest.raises(ToolFault):
        places.zone(written, default=HOME)


def test_every_zone_in_our_tables_exists() -> None:
    assert {*CITIES, *PRINCIPAL_ZONES.values()} <= available_timezones()


def test_every_country_with_several_times_has_a_principal_zone() -> None:
    known = available_timezones()
    for code, keys in get_global("territory_zones").items():
        offsets = {NOW.astimezone(ZoneInfo(key)).utcoffset() for key in keys if key in known}
        assert len(offsets) < 2 or code in PRINCIPAL_ZONES or code in ("001", "ZZ"), code


@given(st.text(max_size=90))
def test_any_text_is_a_zone_or_a_fault(places: Places, text: str) -> None:
    with suppress(ToolFault):
        assert places.zone(text, default=HOME).key


async def test_a_time_is_converted_on_todays_date(places: Places) -> None:
    assert await convert(places, "18:15", "Madrid", "Mexico City") == (
        "Saturday 2026-11-21, 18:15 in Madrid (Europe/Madrid) is 11:15 in Mexico City (America/Mexico_City), "
        "the same day (Saturday 2026-11-21)."
    )


async def test_daylight_saving_of_today_decides(places: Places) -> None:
    july = datetime(2026, 7, 1, 12, tzinfo=UTC)
    assert "is 13:30 in Lima" in await convert(places, "14:30", "New York", "Lima", now=july)
    assert "is 14:30 in Lima" in await convert(places, "14:30", "New York", "Lima")


async def test_another_day_at_the_target_is_said(places: Places) -> None:
    assert "06:30 in Tokio (Asia/Tokyo), the next day (Sunday 2026-11-22)" in await convert(
        places, "18:30", "Buenos Aires", "Tokio"
    )
    assert "the day before (Friday 2026-11-20)" in await convert(
        places, "01:00", "Madrid", "Lima", now=datetime(2026, 11, 21, 10, tzinfo=UTC)
    )


async def test_today_is_the_date_in_the_source_zone(places: Places) -> None:
    assert (await convert(places, "8am", "Sydney", "UTC")).startswith("Sunday 2026-11-22, 08:00 in Sydney")


async def test_a_time_that_the_clocks_skip_is_said(places: Places) -> None:
    answer = await convert(places, "02:30", "Madrid", "UTC", now=datetime(2026, 3, 29, 12, tzinfo=UTC))
    assert "03:30 in Madrid" in answer
    assert "Clocks in Madrid skip 02:30 that day; 03:30 was used." in answer


async def test_a_time_that_comes_twice_is_said(places: Places) -> None:
    answer = await convert(places, "02:30", "Madrid", "UTC", now=datetime(2026, 10, 25, 12, tzinfo=UTC))
    assert "is 00:30 in UTC" in answer
    assert "02:30 comes twice" in answer


@pytest.mark.parametrize(
    ("written", "clock"),
    [
        ("18:15", "18:15"),
        ("6:15 pm", "18:15"),
        ("6:15 P.M.", "18:15"),
        ("6pm", "18:00"),
        ("12am", "00:00"),
        ("12 pm", "12:00"),
        ("18h15", "18:15"),
        ("18.15", "18:15"),
        ("1815", "18:15"),
        ("18:15:30", "18:15"),
        ("a las 18 hs", "18:00"),
        ("las 6 y media de la tarde", "18:30"),
        ("6 y cuarto", "06:15"),
        ("9 de la noche", "21:00"),
        ("12 de la noche", "00:00"),
        ("8 de la mañana", "08:00"),
        ("at 6 in the evening", "18:00"),
        ("6 o'clock", "06:00"),
        ("mediodía", "12:00"),
        ("noon", "12:00"),
        ("midnight", "00:00"),
        ("ahora", "23:14"),
    ],
)
def test_a_time_is_read_as_people_write_it(written: str, clock: str) -> None:
    read = read_time(written, NOW.astimezone(MADRID))
    assert (f"{read:%H:%M}", read.date(), read.tzinfo) == (clock, NOW.astimezone(MADRID).date(), MADRID)


def test_a_date_in_the_text_wins_over_today() -> None:
    assert read_time("2026-07-01T18:15", NOW.astimezone(MADRID)) == datetime(2026, 7, 1, 18, 15, tzinfo=MADRID)


@pytest.mark.parametrize(
    "written", ["", "25:00", "18:60", "soon", "2026-02-30 10:00", "6 xm", "-1", "99999", "1 " * 100]
)
def test_what_is_no_time_is_refused_with_the_form_wanted(written: str) -> None:
    with pytest.raises(ToolFault, match="HH:MM"):
        read_time(written, NOW)


@given(st.text(alphabet="0123456789:.hpam yt-TZ", max_size=25))
def test_any_text_is_a_time_or_a_fault(text: str) -> None:
    with suppress(ToolFault):
        assert read_time(text, NOW).tzinfo is not None


def test_the_skill_folder_is_readable() -> None:
    assert "datetime" in {skill.name for skill in load_builtin()[0]}


@pytest.mark.parametrize(
    ("said", "is_given"),
    [
        ("It's 18:15 in Madrid, what time is that in Mexico City?", True),
        ("si en Madrid son las 6 y media", True),
        ("3pm London in New York time", True),
        ("a las nueve de Bogotá", True),
        ("al mediodía de Lima", True),
        ("¿qué diferencia horaria hay con Tokio?", True),
        ("What's 64 * 15 and what time is it in Paris?", False),
        ("¿qué hora es en Lisboa?", False),
        ("What day is it today?", False),
    ],
)
def test_a_conversion_is_wanted_where_a_time_is_given(said: str, *, is_given: bool) -> None:
    registry = SkillRegistry()
    datetime_tools.register(registry, FrozenClock(NOW), Places())
    pattern = next(tool for tool in registry.list_tools() if tool.name == "convert_timezone").trigger_pattern
    assert pattern is not None
    assert bool(pattern.search(said)) is is_given


@pytest.mark.parametrize(
    ("day", "told"),
    [
        ("el 3 de mayo", "lunes, 3 de mayo de 2027: faltan 163 días (23 semanas y 2 días)."),
        ("el martes", "martes, 24 de noviembre de 2026: faltan 3 días."),
        ("mañana", "domingo, 22 de noviembre de 2026: falta 1 día."),
        ("21/11", "sábado, 21 de noviembre de 2026: es hoy."),
        ("Christmas", "viernes, 25 de diciembre de 2026: faltan 34 días (4 semanas y 6 días)."),
        ("el 20 de julio de 1969", "domingo, 20 de julio de 1969: pasaron 20943 días (2991 semanas y 6 días)."),
        ("5 de diciembre de 2026", "sábado, 5 de diciembre de 2026: faltan 14 días (2 semanas)."),
        ("el día de la marmota", None),
        ("", None),
    ],
)
async def test_a_day_is_told_with_its_weekday_and_how_far_it_is(
    places: Places, day: str, told: str | None
) -> None:
    result = await call("look_up_date", places, day=day)

    assert result.success == (told is not None)
    assert result.reply == (told or "")


@given(st.dates(min_value=date(1900, 1, 1), max_value=date(2099, 12, 31)))
def test_a_full_date_is_read_as_it_is_written(day: date) -> None:
    assert read_day(f"{day:%d/%m/%Y}", NOW.replace(tzinfo=None), "es") == day


@pytest.mark.parametrize(
    ("said", "zone"),
    [
        ("¿y acá?", "Montevideo"),
        ("qué hora es en El Cairo?", "Cairo"),
        # the place that is named wins; one that somebody else is in does not
        ("and here in Cairo, what time is it", "Cairo"),
        ("acá ya oscureció, qué hora es en Cairo", "Cairo"),
        ("what time is it here, my sister's off to Cairo", "Montevideo"),
    ],
)
async def test_here_is_where_the_person_is_whatever_the_model_makes_of_it(
    places: Places, said: str, zone: str
) -> None:
    registry = SkillRegistry()
    datetime_tools.register(registry, FrozenClock(NOW), places)
    ctx = TurnContext(TurnId(1), UserId("ann"), ConversationId(1), 1, NOW, "es", is_admin=False, timezone=HOME)
    tool = registry.tools.get("get_current_datetime")

    told = await tool.execute({"timezone": "Cairo"}, ctx=replace(ctx, said=Said(now=(said,))))

    assert told.reply.startswith(zone)


@pytest.mark.parametrize(
    ("said", "day", "is_looked_up"),
    [("qué día y a qué hora quedó?", "25 de mayo", False), ("qué día cae el 25 de mayo?", "25 de mayo", True)],
)
async def test_a_date_that_nobody_said_is_not_looked_up(
    places: Places, said: str, day: str, is_looked_up: bool
) -> None:
    registry = SkillRegistry()
    datetime_tools.register(registry, FrozenClock(NOW), places)
    tool = registry.tools.get("look_up_date")
    ctx = TurnContext(TurnId(1), UserId("ann"), ConversationId(1), 1, NOW, "es", is_admin=False, timezone=HOME)
    told = await tool.execute({"day": day}, ctx=replace(ctx, said=Said(now=(said,))))
    assert told.success is is_looked_up
