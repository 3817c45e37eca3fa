"""What the words right behind a reminder do: a new time and its reason, a question; and slips in hours."""

from datetime import datetime

import pytest

from app.language.catalogue import Language
from app.skills.tools.reminders.asked_times import answered
from app.skills.tools.reminders.lexicon import when_asked_of
from app.skills.tools.reminders.moving import read_moved
from app.skills.tools.reminders.pending import hour_told, of_the_one
from app.skills.tools.reminders.titles import titled
from app.when.meanings import Point, Repeat, Unsure, likely_of
from app.when.reading import read_wish

NOW = datetime(2026, 11, 26, 12)


@pytest.mark.parametrize(
    ("text", "language", "said"),
    [
        ("change that to half six the train is delayed", "en", "change that to half six"),
        ("make it 7 instead the boiler man rang", "en", "make it 7 instead"),
        ("tell you what make it ten past 9 kids are asleep", "en", "tell you what make it ten past 9"),
        ("mejor a las 7 vengo tarde del taller", "es", "mejor a las 7"),
        ("perdón a las 8 nos cambiaron la reunión", "es", "perdon a las 8"),
    ],
)
def test_a_reason_behind_a_new_time_needs_no_comma(text: str, language: Language, said: str) -> None:
    moved = read_moved(text, NOW, language)

    assert moved is not None
    assert not moved.names
    assert moved.said == "at 7" or moved.said.startswith(said)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("actually 7 pears and 2 plums", "en"),
        ("make it 8 slices", "en"),
        ("mejor a las 7 comprar harina", "es"),
        ("make it half 6 for the vet", "en"),
        ("pasalo a las 7 para la modista", "es"),
        ("y pasado mañana a las 8 que llame al herrero", "es"),
        ("actually at 6 we see the bishop, what should we bring", "en"),
        ("en realidad a las 6 viene el cura, qué le cocino?", "es"),
    ],
)
def test_what_goes_on_with_a_thing_moves_nothing(text: str, language: Language) -> None:
    moved = read_moved(text, NOW, language)

    assert moved is None or moved.names


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("wat time hav u got that doen for", True),
        ("what time's this one set for pal", True),
        ("q hora le pusiste jefa", True),
        ("wot time did i tell ya", True),
        ("sorry what time did i ask for", True),
        ("espera q hora te había pedido", True),
        ("para que hora te lo dije", True),
        ("what time is it, love", False),
        ("qué hora es", False),
    ],
)
def test_what_was_set_is_asked_in_any_wording(text: str, is_asked: bool) -> None:
    asked = when_asked_of(text, is_asked=True)

    assert (asked is not None and asked.is_sure) is is_asked


@pytest.mark.parametrize(
    ("text", "language", "hour"),
    [
        ("tomorrow at haf past 9 in the morning ring Joe", "en", (9, 30)),
        ("tomorrow at quater to 9 in the morning ring Joe", "en", (8, 45)),
        ("tomorrow morning at 9 oclok ring Joe", "en", (9, 0)),
        ("mañana a las 9 y medai de la mañana llamar a Joel", "es", (9, 30)),
        ("mañana a las 9 ymedia de la mañana llamar a Joel", "es", (9, 30)),
        ("tomorrow at 9am ring Joe about half a dozen pies", "en", (9, 0)),
    ],
)
def test_a_slip_in_an_hour_is_read(text: str, language: Language, hour: tuple[int, int]) -> None:
    when = read_wish(text, NOW, language).when

    assert isinstance(when, Point)
    assert (when.at.hour, when.at.minute) == hour


def test_a_word_before_the_hour_that_is_not_understood_is_asked_about() -> None:
    assert isinstance(read_wish("tomorrow morning at zorf 9 ring Joe", NOW, "en").when, Unsure)
    assert isinstance(read_wish("tomorrow at work 9am ring Joe", NOW, "en").when, Point)


def test_the_clause_of_the_wish_alone_is_the_thing() -> None:
    said = "mañana a las 8 de la noche es la cena. a las 6 de la tarde avísame para ubicarlo, solo eso"

    assert titled(said, said, NOW, "es") == "ubicarlo"


def test_what_comes_later_as_a_reason_is_no_time() -> None:
    wish = read_wish("los martes a las 8 de la noche regar, q después mi vieja se queja", NOW, "es")

    assert isinstance(wish.when, Repeat)
    assert wish.what == "regar, q después mi vieja se queja"


@pytest.mark.parametrize(
    ("wish", "said", "hours"),
    [
        ("remind me wednesday 4pm to ring Jo", "rather friday, same time", ["20T16:00"]),
        ("remind me wednesday 4pm to ring Jo", "friday morning", ["20T09:00"]),
        ("remind me wednesday 4pm to ring Jo", "friday at 6pm", ["20T18:00"]),
        ("remind me wednesday at 4 to ring Jo", "friday instead, same time", ["20T04:00", "20T16:00"]),
    ],
)
def test_another_day_keeps_the_hour_that_was_said(wish: str, said: str, hours: list[str]) -> None:
    found = likely_of(answered(f"{wish}\n{said}", datetime(2026, 11, 18, 10, 30), "en"))

    assert [f"{one.at:%dT%H:%M}" for one in found if isinstance(one, Point)] == hours


@pytest.mark.parametrize(
    ("wish", "said", "language", "hours"),
    [
        ("remind me thursday at 4 to ring the roofer", "no make it friday same time", "en", {4, 16}),
        ("remind me thursday at 4 to ring the roofer", "tuesday sorry", "en", {4, 16}),
        ("recordame el lunes a las 9 podar la parra", "pasalo al martes", "es", {9, 21}),
        ("recordame el lunes a las 9 podar la parra", "mejor el martes a las 10", "es", {10}),
        (
            "remind me thursday at 4pm to ring the roofer",
            "make it 3.30pm instead, he knocks off early",
            "en",
            {15},
        ),
    ],
)
def test_another_day_said_while_it_is_asked_about_keeps_the_hour(
    wish: str, said: str, language: Language, hours: set[int]
) -> None:
    found = likely_of(read_wish(hour_told(said, wish, NOW, language), NOW, language).when)
    assert {one.at.hour for one in found if isinstance(one, Point)} <= hours
    assert found


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("the one about the kiln, make it Saturday", "make it saturday"),
        ("the one about the loom, make it Saturday", None),
        ("make it Saturday, Ann's the one with the van", "make it Saturday, Ann's the one with the van"),
        ("at 5 in the afternoon", "at 5 in the afternoon"),
    ],
)
def test_an_answer_about_another_reminder_is_none_for_the_one_asked_about(said: str, told: str | None) -> None:
    assert of_the_one(said, "remind me on Friday at 5 to fire the kiln", NOW, "en") == told


@pytest.mark.parametrize(
    ("text", "beside"),
    [
        ("not the kiln one, the loom one, make it noon", {"loom"}),
        ("the kiln one, make it noon", {"kiln"}),
    ],
)
def test_the_one_that_is_denied_is_not_moved(text: str, beside: set[str]) -> None:
    moved = read_moved(text, NOW, "en")

    assert moved is not None
    assert moved.beside == beside
