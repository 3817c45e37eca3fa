"""Questions that leave out what was just asked, written out where one reading is certain."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.language.ellipsis import in_full, written_out


@pytest.mark.parametrize(
    ("before", "text", "meant"),
    [
        ("what time is it in Oslo?", "and in Quito?", "what time is it in Quito?"),
        ("what time is it in Oslo?", "grand. and in Quito?", "what time is it in Quito?"),
        ("how do you say please in Welsh?", "brill, thanks! and in Dutch?", "how do you say please in Dutch?"),
        ("how do you say please in Welsh?", "and sorry?", "how do you say sorry in Welsh?"),
        ("translate the bill please into Greek", "now in Polish please", "translate the bill please into Polish"),
        ("traduce al ruso: tengo frío", "y en alemán?", "traduce al alemán: tengo frío"),
        (
            "cómo digo hasta luego en ruso",
            "en chino también porfa que mi jefe es de allá",
            "cómo digo hasta luego en chino",
        ),
        ("how do you say sorry in Welsh", "and irish?", "how do you say sorry in irish"),
        ("cómo se dice permiso en ruso?", "y salud?", "cómo se dice salud en ruso?"),
        ("is it going to snow in Oslo tomorrow?", "and in Bergen?", "is it going to snow in Bergen tomorrow?"),
        ("what's the capital of Norway?", "what about Finland?", "what's the capital of Finland?"),
        ("¿qué hora es en Quito?", "¿y en Managua?", "¿qué hora es en Managua?"),
        ("qué hora es en Quito", "Y Managua?", "qué hora es en Managua"),
        ("¿cuánto es el 40% de 950?", "¿y el 5%?", "¿cuánto es el 5% de 950?"),
        ("cuánto es el 40% de 950?", "y de 100?", "cuánto es el 40% de 100?"),
        ("cuánto es 6 x 3,75", "y si son 11?", "cuánto es 11 x 3,75"),
        ("cuánto es 18 por 40?", "y por 55?", "cuánto es 18 por 55?"),
        (
            "cómo se dice en francés 'hasta mañana'",
            "y en alemán? que viene mi tía",
            "cómo se dice en alemán 'hasta mañana'",
        ),
        (
            "how do you say in welsh that dinner is ready",
            "and in irish?",
            "how do you say in irish that dinner is ready",
        ),
        (
            "cómo digo en francés tengo una mesa reservada",
            "genial gracias, y en griego?",
            "cómo digo en griego tengo una mesa reservada",
        ),
        ("how far is Lyon from Paris?", "and from Nice?", "how far is Lyon from Nice?"),
    ],
)
def test_the_part_that_is_named_anew_takes_its_place(before: str, text: str, meant: str) -> None:
    assert written_out(text, before) == meant


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("cuánto es 18 por 40?", "y si le sumo 7?"),
        ("what's 3 + 4?", "and 9?"),
        ("what time is it?", "and remind me to water the plants"),
        ("qué hora es?", "y anotá comprar velas"),
        ("anotá pan para el lunes", "y para el martes?"),
        ("is it cold in Oslo?", "and what is the capital of Norway?"),
        ("is it cold in Oslo?", "thanks"),
        ("", "and in Quito?"),
        ("va a llover mañana?", "y el jueves?"),
    ],
)
def test_what_may_mean_several_things_stays_as_it_is(before: str, text: str) -> None:
    assert written_out(text, before) is None
    assert in_full(text, [before]) == text


def test_a_question_goes_on_from_one_that_went_on() -> None:
    assert in_full("and in Lagos?", ["what time is it in Oslo?", "and in Quito?"]) == "what time is it in Lagos?"


@given(st.text(max_size=200), st.lists(st.text(max_size=200), max_size=5))
def test_any_text_is_read(text: str, before: list[str]) -> None:
    assert isinstance(in_full(text, before), str)


def test_the_time_grows_no_faster_than_the_text() -> None:
    def took(length: int) -> float:
        began = time.process_time()
        in_full("and in " * length, ["what is 1,1 in X Y " * length])
        return time.process_time() - began

    assert took(40_000) < 20 * took(4_000) + 0.5
