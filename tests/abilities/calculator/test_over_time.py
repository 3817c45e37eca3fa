"""What so many a day, week or month come to over another time, and the same with another time or number."""

from pathlib import Path

import pytest

from app.skills.tools.calculator.alone import read_alone
from app.skills.tools.calculator.story import find_sum
from tests.abilities.calculator.test_everyday import _EN, _ES
from tests.abilities.calculator.test_going_on import told_without_a_model
from tests.builders import ALICE, BOB


@pytest.mark.parametrize(
    ("message", "calculation"),
    [
        ("we get 140 letters a day at the depot, how many letters is that in a week", "140 * 7"),
        ("coso treinta y dos botones por día, cuántos me dan en un mes, es para la patrona", "32 * 30"),
        ("our hens lay 14 eggs a day and they are lovely. how many eggs will I have in 3 weeks", "14 * 7 * 3"),
        ("they burn three sacks of coal every two days, how many for a month", "3 * 30 / 2"),
        ("se me van 2 rollos cada 5 días, para un mes cuántos rollos compro", "2 * 30 / 5"),
        ("the dog eats 1.5 kg of kibble every other day, how much kibble for 30 days", "1.5 * 30 / 2"),
        ("every day I fill 44 jars with jam, how many jars will that be in a fortnight", "44 * 14"),
        ("cada día ordeño 60 litros, ¿cuántos litros son al mes?", "60 * 30"),
        ("cuántas tortillas hago en una quincena si hago 120 por día", "120 * 15"),
        ("in 6 weeks how many scarves will I have if I knit 2 a week", "2 * 6"),
        ("tengo 72 años y camino 3 km todos los días, cuántos km son en un año", "3 * 365"),
        ("la impresora saca 15 hojas por minuto, cuántas hojas saca en una hora", "15 * 60"),
        ("uso dos pañales cada tres horas, cuántos en un día", "2 * 24 / 3"),
        ("vendo 25 helados diarios, ¿cuántos vendo por semana?", "25 * 7"),
        ("I read 30 pages a night, how many pages in a week", "30 * 7"),
        ("produzco 200 ladrillos por semana, cuántos ladrillos en un mes", "200 * 52 / 12"),
    ],
)
def test_what_a_rate_comes_to_over_a_time_is_computed(message: str, calculation: str) -> None:
    assert read_alone(message) == calculation


@pytest.mark.parametrize(
    "message",
    [
        "the bakery bakes 200 rolls a day and everyone loves them, how are you",
        "I eat 3 apples a day, how many calories in a week",
        "I have 20 hens and they lay 5 eggs a week, how many in a month",
        "I fill 44 jars a day, 5 days a week, how many in a month",
        "I fill 44 jars a day except sundays, how many in a week",
        "we are 4 and each drinks 2 litres a day, how many litres in a week",
        "tomo 2 pastillas por día, ¿cuántas puedo tomar en una semana?",
        "I take 20 mg a day, how many mg in a week",
        "I eat 2 eggs a day, how many eggs should I eat in a week",
        "cuántos días me dura una bolsa de 20 kilos si gasto 2 por día",
        "I work 8 hours a day, how many hours in a week",
        "hago 30 empanadas por día y las vendo a 200, cuánto gano en una semana",
        "pasa el bus 3 veces por día, cuánto cuesta en una semana",
        "how many times a week should I water 3 plants a day",
        "I smoke 20 a day, how many a day is too many",
        "remind me to fill 44 jars a day, how many is that in a week",
        "subió 3% por mes, cuánto en un año",
        "compré 38 sillas, cuántas me quedan en una semana si vendo 4 por día",
        "how many jars a day do I need to fill to get 500 in a month",
        "la mitad de los días junto 12 conchas, cuántas caben en un balde en una semana",
    ],
)
def test_what_asks_for_something_else_over_a_time_is_left_alone(message: str) -> None:
    assert read_alone(message) is None
    assert find_sum(message, _ES) is None
    assert find_sum(message, _EN) is None


@pytest.mark.needs("calculator")
async def test_another_time_or_number_goes_on_without_a_model(tmp_path: Path) -> None:
    english = [
        ("we use three bags of sand every two days how many bags for a month", "3 × 30 / 2 = 45"),
        ("and in a fortnight?", "3 × 14 / 2 = 21"),
        ("and for 6 weeks?", "3 × 7 × 6 / 2 = 63"),
        ("and if we use 4?", "4 × 7 × 6 / 2 = 84"),
    ]
    spanish = [
        ("si junto 26 tapas por día cuántas son a la semana, le digo a mi nieto", "26 × 7 = 182"),
        ("y en 30 días?", "26 × 30 = 780"),
        ("y en 10?", "26 × 10 = 260"),
        ("y si junto 40?", "40 × 10 = 400"),
        ("y por mes?", "40 × 30 = 1200"),
    ]
    await told_without_a_model(tmp_path, {ALICE: english, BOB: spanish})
