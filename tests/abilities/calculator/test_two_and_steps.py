"""Two questions in one message, steps of a clock, portions in the unit asked for, and hours beyond the usual."""

from pathlib import Path

import pytest

from app.skills.tools.calculator.story import find_sum
from app.skills.tools.calculator.two_asked import asks_elsewhere
from tests.abilities.calculator.test_everyday import _EN
from tests.builders import ALICE
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, running_app


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("what time is 25 minutes after 13:50", "13:50 + 25 min = 14:15"),
        ("what time is 2 hours before half past five", "5:30 - 2 h = 3:30"),
        ("a qué hora es 3 horas después de las 22:30", "22:30 + 3 h = 1:30 (the next day)"),
        ("cuánto es 20 minutos antes de las 4 y cuarto", "4:15 - 20 min = 3:55"),
        ("what's 45 minutes from 11:40 pm", "11:40 pm + 45 min = 12:25 am (the next day)"),
        (
            "what time is 13 hours before 9:20",
            "9:20 am - 13 h = 8:20 pm (the day before)\n9:20 pm - 13 h = 8:20 am",
        ),
        ("90 g each for 20 people, how many kilos is that", "90 × 20 / 1000 = 1.8 kilos"),
        ("120 ml por persona para 30 personas, cuántos litros son?", "120 × 30 / 1000 = 3.6 litros"),
        (
            "me pagan 1200 la hora, hice 36 horas y 4 horas extra al 50%, cuánto cobro?",
            "1200 × 36 + 1200 × 1.5 × 4 = 50400",
        ),
        (
            "I'm on $14 an hour, did 38 hours and 6 hours overtime at double time, what's my pay",
            "14 × 38 + 14 × 2 × 6 = 700",
        ),
        (
            "I did 44 hours, 4 of them overtime at 50% more, at 21 an hour. how much will I get?",
            "21 × (44 - 4) + 21 × 1.5 × 4 = 966",
        ),
        (
            "how many miles is 16 km and what is 30% of 250",
            "16 / 1.609344 ≈ 9.94 miles\n30% of 250 = 75",
        ),
    ],
)
def test_it_is_reckoned_by_code(said: str, told: str) -> None:
    found = find_sum(said, _EN)
    assert found is not None
    assert found[1].literal == told


@pytest.mark.parametrize(
    "said",
    [
        "the ferry leaves 25 minutes after 13:50",
        "what time is 20 minutes after 9 guests arrive",
        "call me 2 hours before 5:30",
        "what time is 3 hours before the match",
        "the score was 24 to 20 after 40 minutes",
        "hice 4 horas extra al doble y no doy más",
        "me pagan 1200 la hora y hice 4 horas extra",
        "how many bags for 30 walls and what is 15% of 340",
        "what's the weather in Quito and how was the 12 to 30 shift",
    ],
)
def test_what_only_sounds_alike_has_no_figure(said: str) -> None:
    assert find_sum(said, _EN) is None


@pytest.mark.parametrize(
    ("said", "is_so"),
    [
        ("how's the weather in Galway and what's 14 times 32?", True),
        ("va a llover mañana en Salta y cuánto es 250 más 90?", True),
        ("cuántos km son 8 millas y qué hora es en Lima", True),
        ("how many pounds is 4 kilos and what's 14 times 32?", False),
        ("what's 14 times 32?", False),
    ],
)
def test_a_question_for_something_else_is_not_lost_beside_a_sum(said: str, is_so: bool) -> None:
    assert asks_elsewhere(said) is is_so


TALKS = [
    (["turn 60 F to C and how many cups is 400 ml", "and 150 of those, how much is it?"], "150 / 236.5882365"),
    (["90 g each for 20 people, how many kilos is that", "and 2 plums each"], "2 × 20 = 40 plums"),
    (["70 g por persona para 16 personas, cuántos kilos son?", "y 3 galletas cada uno"], "3 × 16 = 48 galletas"),
    (["what time is 25 minutes after 13:50", "and if it takes 10 minutes more?"], "13:50 + 35 min = 14:25"),
    (["cuánto es 90 minutos antes de las 17:00", "y si tarda 20 minutos más?"], "17:00 - 1 h 50 min = 15:10"),
]


@pytest.mark.parametrize(("talk", "told"), TALKS)
async def test_what_goes_on_is_of_the_last_question(tmp_path: Path, talk: list[str], told: str) -> None:
    llm = ScriptedChatModel()
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        for message in talk:
            await app.say(ALICE, message)
        assert app.replies_to(ALICE)[-1].startswith(told)
    assert not [request for request in llm.requests if request.purpose != "short"]
