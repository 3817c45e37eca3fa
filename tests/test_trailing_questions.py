"""Questions about what was just told, with "do you remember?" behind them, and what only sounds like them."""

import pytest

from app.pipeline.answering.parting import parts_of_kinds
from app.pipeline.answering.quoting import told_of, with_gone
from app.pipeline.answering.wishes import asks_maybe
from app.pipeline.lexicon import asks_fact, without_recall
from app.pipeline.lexicon.limits import kind_asked
from app.pipeline.lexicon.world import asks_world


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("qué le da alergia a mi tía, te acordás?", "qué le da alergia a mi tía"),
        ("where does Uncle Ted fish, do you remember?", "where does Uncle Ted fish"),
        ("te acuerdas de sacar la ropa?", "te acuerdas de sacar la ropa?"),
        ("do you remember the old mill?", "do you remember the old mill?"),
    ],
)
def test_a_question_whether_it_is_remembered_belongs_to_the_one_before_it(text: str, bare: str) -> None:
    assert without_recall(text) == bare


def test_it_is_no_wish_to_be_reminded() -> None:
    assert parts_of_kinds("qué le hace mal a mi abuela de la leche, te acordás?") == []
    assert asks_fact("qué le pasa a mi abuela con la leche, te acuerdas?")
    assert not asks_fact("qué le pasa a mi abuela con la leche?")


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("grandpa is in room 12", "they moved him to room 15"),
        ("mi tío está en la cama 8", "lo pasaron a la 11"),
        ("mi prima vive en Ituzaingó", "se mudó a Quilmes"),
    ],
)
def test_where_somebody_is_now_comes_before_where_they_were(before: str, now: str) -> None:
    assert with_gone([before], ["hola", before, now]) == [now, before]


@pytest.mark.parametrize(
    "other",
    ["my uncle put his house up for sale", "la tía cambió las cortinas", "they moved the party?", "she is fine"],
)
def test_what_is_told_of_others_does_not_stand_in_its_place(other: str) -> None:
    assert with_gone(["grandpa is in room 12"], ["grandpa is in room 12", other]) == ["grandpa is in room 12"]


@pytest.mark.parametrize(
    ("question", "told", "is_found"),
    [
        ("¿cuántos años tiene?", "mi nieta Abril cumplió tres el lunes", True),
        ("how old is he", "my godson Kit turned nine yesterday", True),
        ("how old is Rosa", "my godson Kit turned nine yesterday", False),
        ("how old is she", "she turned round and left", False),
        ("¿cuántos años tiene?", "mi nieta tiene tres gatos", False),
    ],
)
def test_an_age_is_found_in_numbers_as_words(question: str, told: str, is_found: bool) -> None:
    assert (told_of(question, [told]) is not None) is is_found


def test_who_asks_once_more_of_their_own_hears_what_they_told() -> None:
    told = "my brother-in-law Sid tunes pianos"

    assert told_of("what does my brother-in-law do for work again", [told]) == told


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("my lad wants to know, how many hours has a week", True),
        ("jaja me mató la maestra, cuántos días tiene un año bisiesto", True),
        ("how many weeks are in a year lol", True),
        ("how many days until the party", False),
        ("tengo dos semanas de vacaciones, cuántos días me quedan", False),
    ],
)
def test_what_a_calendar_has_is_so_for_everybody(text: str, is_asked: bool) -> None:
    assert asks_world(text) is is_asked


@pytest.mark.parametrize("text", ["subile a la radio", "bájele a la tele"])
def test_a_thing_in_the_house_is_nothing_for_us(text: str) -> None:
    assert kind_asked(text) == "control"


@pytest.mark.parametrize("text", ["subió la temperatura", "le bajé a la radio anoche"])
def test_what_was_done_at_home_is_no_wish(text: str) -> None:
    assert kind_asked(text) is None


def test_what_is_told_asks_for_no_news() -> None:
    assert not asks_maybe("la pasaron a la 305")
    assert asks_maybe("a cuánto está el dólar")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("ooh its parky in here n im on the sofa, could u switch the lamp on in the hall", "control"),
        ("estoy empapada en el patio, me abris el portón", "control"),
        ("oh no we are nearly in Sligo and the grill is still lit, knock it off for us would you", "control"),
        ("ya estoy tapado hasta las orejas apagame la tele dale", "control"),
        ("mi abuela siempre decía apagame la tele cuando se dormía", None),
        ("she asked me could you switch the lamp on and i had", None),
    ],
)
def test_a_device_is_asked_for_behind_a_story(text: str, kind: str | None) -> None:
    assert kind_asked(text) == kind


def test_a_relative_without_an_apostrophe_is_the_same() -> None:
    told = "my grandads in hospital, room 31 up the top"
    assert told_of("which room is grandad in", [told]) == told
