"""A time that is told late, in slips or only in part; what an appointment is called; talk of days off."""

from pathlib import Path

import pytest

from app.asking.texts import ASKING
from app.language.catalogue import say as tell
from app.llm.local_embedder import LocalEmbedder
from tests.abilities.reminders.test_everyday_talk import have, say
from tests.abilities.reminders.test_reminders import rows
from tests.builders import ALICE
from tests.e2e.asking import press, until_asked
from tests.e2e.small import small_app
from tests.e2e.test_brief import encoder
from tests.harness import AppUnderTest

__all__ = ["encoder"]


@pytest.mark.parametrize(
    ("wished", "said", "text", "at"),
    [
        (
            "remind me at 7 to take out the bins",
            "no thats too late make it 6.40 pm",
            "take out the bins",
            "18T18:40",
        ),
        ("recordame mañana a las 3 ver a Eva", "mejor a las 4 de la tarde", "ver a Eva", "19T16:00"),
        ("recordame llamar a la modista", "el viernes 17.20", "llamar a la modista", "20T17:20"),
    ],
)
async def test_a_time_that_is_told_while_a_card_asks_sets_it(
    app: AppUnderTest, wished: str, said: str, text: str, at: str
) -> None:
    await say(app, wished, "set")
    assert rows(app) == []
    await say(app, said, "set")
    assert rows(app) == [(text, f"2026-11-{at}:00", "")]


@pytest.mark.parametrize(
    ("wished", "said"),
    [
        ("remind me at 7 to take out the bins", ["make it 6.40 pm"]),
        ("recordame mañana a las 3 ver a Eva", ["a las 4 de la tarde"]),
        ("recordame mañana a las 3 ver a Eva", ["mañana a las 4", "a las 5 de la tarde"]),
        ("recordame mañana a las 3 ver a Eva", ["recordame mañana a las 17 ver a Eva"]),
    ],
)
async def test_a_tap_on_a_card_that_was_answered_in_words_sets_nothing_more(
    app: AppUnderTest, wished: str, said: list[str]
) -> None:
    await say(app, wished, "set")
    card = await until_asked(app, ALICE)
    for one in said:
        await say(app, one, "set")
    assert len(rows(app)) == 1
    told = len(app.replies_to(ALICE))
    await press(app, ALICE, card)
    await app.idle()
    assert len(rows(app)) == 1
    assert app.replies_to(ALICE)[told:] == [tell(ASKING.stale_question, "en" if "remind" in wished else "es")]


async def test_a_tap_on_a_card_of_a_move_that_was_answered_in_words_moves_nothing_back(app: AppUnderTest) -> None:
    await have(app, "remind me tomorrow at 15:00 to see Eva")
    await say(app, "move it to Friday at 7", "change")
    card = await until_asked(app, ALICE)
    await say(app, "to friday at 20:00", "change")
    moved = rows(app)
    assert [due for _, due, _ in moved] == ["2026-11-20T20:00:00"]
    await press(app, ALICE, card)
    await app.idle()
    assert rows(app) == moved


@pytest.mark.parametrize(
    ("first", "said", "at"),
    [
        ("recordame el viernes a las 7 llevar el auto", "mejor a y media", "20T07:30"),
        ("recordame el viernes a las 19 llevar el auto", "a menos cuarto mejor", "20T18:45"),
        ("remind me tomorrow at 6 pm to bring in the washing", "make it half past", "19T18:30"),
        ("remind me tomorrow at 6 pm to bring in the washing", "acutally 7 pm", "19T19:00"),
        ("recordame mañana a las 9 regar", "mjeor a las 10", "19T10:00"),
    ],
)
async def test_a_part_of_the_hour_or_a_slip_moves_the_last_one(
    app: AppUnderTest, first: str, said: str, at: str
) -> None:
    await have(app, first)
    await say(app, said, "change")
    assert [due[:16] for _, due, _ in rows(app)] == [f"2026-11-{at}"]


@pytest.mark.parametrize(
    ("said", "text", "at"),
    [
        ("on an early shift tmrw, remind me at 5am to take my badge", "take my badge", "19T05:00"),
        ("im up early tomorrow remind me at 6 am to feed the cat", "feed the cat", "19T06:00"),
        ("mañana entro temprano, avisame a las 5 y media que ponga la pava", "ponga la pava", "19T05:30"),
        (
            "got the optician thursday at 4, remind me an hour before so i can leave the shop",
            "optician",
            "19T15:00",
        ),
        (
            "tengo turno con la podologa el viernes a las 10, avisame una hora antes asi pido permiso",
            "turno con la podologa",
            "20T09:00",
        ),
        (
            "uff. i have the physio on monday at 2pm. remind me two hours before so that someone covers me",
            "physio",
            "23T12:00",
        ),
    ],
)
async def test_a_story_before_the_wish_is_neither_its_name_nor_its_day(
    app: AppUnderTest, said: str, text: str, at: str
) -> None:
    await say(app, said, "set")
    assert rows(app) == [(text, f"2026-11-{at}:00", "")]


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("la del banco ya no, me acaban de llamar ellos. la otra si eh", "buscar los lentes"),
        ("lo del banco ya esta, deja la otra", "buscar los lentes"),
        ("la de los lentes no hace falta al final, el otro si", "llamar al banco"),
        ("the one about the lentes is off, the other stays", "llamar al banco"),
    ],
)
async def test_of_two_the_named_one_goes_and_the_other_stays(app: AppUnderTest, said: str, left: str) -> None:
    await say(app, "recuerdame mañana a las 9 llamar al banco y a las 13 buscar los lentes", "set")
    assert len(rows(app)) == 2
    await say(app, said, "cancel")
    assert [text for text, *_ in rows(app)] == [left]


@pytest.mark.parametrize(
    "said",
    [
        "mañana libro al menos",
        "el viernes no trabajo, por fin",
        "tengo franco el domingo",
        "no tengo guardia mañana",
        "im off tomorrow at least",
        "got the day off friday",
        "no school tomorrow, the kids are thrilled",
    ],
)
async def test_talk_of_a_day_off_asks_for_nothing(tmp_path: Path, encoder: LocalEmbedder, said: str) -> None:
    async with small_app(tmp_path, encoder, *["Qué bien."] * 3) as (app, _):
        await app.say(ALICE, "recuerdame mañana a las 9 llamar al banco y a las 13 buscar los lentes")
        await app.say(ALICE, said)
        assert len(rows(app)) == 2
        assert app.replies_to(ALICE)[-1] == "Qué bien."


@pytest.mark.parametrize(
    "asked",
    ["what time did you say for the bank one?", "and when is the bank one", "para que hora tenes lo del bank?"],
)
async def test_when_one_comes_is_told_by_code_after_another_question(
    tmp_path: Path, encoder: LocalEmbedder, asked: str
) -> None:
    lines = '{"set_reminder": {"text": "ring the bank", "when": "tomorrow at 9"}}'
    async with small_app(tmp_path, encoder, lines) as (app, _):
        await app.say(ALICE, "remind me tomorrow at 9 to ring the bank")
        await app.say(ALICE, "what is 12 times 8?")
        await app.say(ALICE, asked)
        assert "9:00" in app.replies_to(ALICE)[-1]
