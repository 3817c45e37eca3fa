"""A price that goes up or down by a percentage, and one that is shared as it is told, are computed by code."""

from pathlib import Path

import pytest

from app.skills.tools.calculator.alone import read_alone as read_story
from app.skills.tools.calculator.markups import read_following, read_marked
from tests.abilities.calculator.test_going_on import told_without_a_model
from tests.builders import ALICE, BOB


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("si a un pantalón que tengo en 80000 le subo el 12, a cuánto queda?", "80000 + 12%"),
        ("tengo un mueble a 45000, si le bajo el 20 cuánto sale", "45000 - 20%"),
        ("cuánto queda una campera de 90000 con 15 de descuento", "90000 - 15%"),
        ("a una torta de 22000 le quiero subir un 10, en cuánto la dejo", "22000 + 10%"),
        ("what's 20% off a 90 coat", "90 - 20%"),
        ("25% off 180", "180 - 25%"),
        ("if I mark up a 450 sofa by 15 what does it sell for", "450 + 15%"),
        ("how much is a 900 bike if I knock it down by 10", "900 - 10%"),
        # 5 on 40 may as well be an amount
        ("si a un café de 40 le subo 5 cuánto queda", None),
        ("what's 5 off 30", None),
        ("la nena subió 2 puntos de 10", None),
        ("subo al bondi 60 y bajo en la 40, cuánto tarda?", None),
        ("i raised 450 by 15 people's donations", None),
        ("bajale el volumen al 12", None),
    ],
)
def test_a_price_that_goes_up_or_down_is_read(message: str, expected: str | None) -> None:
    assert read_marked(message) == expected


@pytest.mark.parametrize(
    "message",
    ["y a la de 5 le doy clases", "and the 45 minute walk to school", "bajale el volumen", "y a las 8 me voy"],
)
def test_what_names_no_price_goes_on_from_none(message: str) -> None:
    assert read_following(message) is None


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("dinner was 126, between the 4 of us how much each?", "126 / 4"),
        ("la heladera sale 840000, si la pago en 6 cuotas iguales cuánto es cada una?", "840000 / 6"),
        ("salió 54000 el asado y somos 9, cuánto pone cada uno", "54000 / 9"),
        ("the hotel is 540 for us all, so in 3 equal payments how much is each?", "540 / 3"),
        ("tengo 3 hijos y 2 perros, cuánto comen?", None),
        ("we walked 12 miles in 3 hours, how fast is that?", None),
        ("compré 12 huevos, cuántos para los 3?", None),
    ],
)
def test_an_amount_told_with_its_shares_is_read(message: str, expected: str | None) -> None:
    assert read_story(message) == expected


@pytest.mark.needs("calculator")
async def test_other_prices_and_other_percentages_go_on_from_it_without_a_model(tmp_path: Path) -> None:
    talks = {
        ALICE: (
            ("si a un pantalón que tengo en 80000 le subo el 12, a cuánto queda?", "80000 + 12% = 89600"),
            ("y a la de 25000?", "25000 + 12% = 28000"),
            ("y si le subo solo el 8", "25000 + 8% = 27000"),
            ("y si después le bajo el 10?", "27000 - 10% = 24300"),
        ),
        BOB: (
            ("what's 20% off a 90 coat", "90 - 20% = 72"),
            ("and the 45 one?", "45 - 20% = 36"),
            ("and with just 10% off", "45 - 10% = 40.5"),
            ("split that between the 3 of us", "40.5 / 3 = 13.5"),
        ),
    }
    await told_without_a_model(tmp_path, talks)
