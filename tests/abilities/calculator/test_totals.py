"""What was spent so far is told as it was corrected; which amount is meant must be sure."""

from pathlib import Path

import pytest

from app.skills.tools.calculator.totals import read_amounts, read_put_right
from tests.builders import ALICE, BOB
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, running_app


@pytest.mark.parametrize(
    ("told", "is_of_spending", "expected"),
    [
        (["spent 73 at the market", "no 37, I looked at the wrong line"], True, ["37"]),
        (["gasté 530 en la farmacia", "perdón, fueron 290", "y 90 de pan"], True, ["290", "90"]),
        (["90 de pan", "210 de queso", "eran 80, no 90"], False, ["80", "210"]),
        (["12.30 on stamps"], True, ["12.30"]),
        (["12.30 on stamps"], False, []),
        (["tengo 34 años"], True, []),
        (["paid 9 for the 10:30 bus", "no, 8"], True, ["8"]),
        (["gasté 4200 en la ferretería", "mejor ponele 4100"], True, ["4100"]),
        (["pagué 900 de peaje", "que sean 950"], True, ["950"]),
        (["I paid 18 for the tickets", "make it 20"], True, ["20"]),
        (
            ["cargué 510 de gasoil", "y 150 en el cine", "ah no, lo del cine fueron 125, vi la app"],
            True,
            ["510", "125"],
        ),
        (["spent 30 on fuel", "and 12.50 on the wash", "oh no, the wash was 14.50"], True, ["30", "14.50"]),
        (["paid 9 for the bus", "it left at 10:30", "no, 8"], True, []),
    ],
)
def test_a_corrected_amount_takes_the_place_of_the_one_before(
    told: list[str], is_of_spending: bool, expected: list[str]
) -> None:
    assert read_amounts(told, is_of_spending=is_of_spending) == expected


@pytest.mark.parametrize(
    ("said", "correction", "right"),
    [
        (["gasté 4200 en la ferretería"], "mejor ponele 4100", ("4200", "4100")),
        (["hoy pagué 900 de peaje", "no, 950"], "perdón, eran 960", ("950", "960")),
        (["we spent 61 on paint"], "actually make it 65", ("61", "65")),
        (["anotá que gasté 300"], "mejor ponele 350", None),
        (["recordame en 20 min la pava"], "mejor en 35", None),
        (["I spent 61 on paint", "remind me in 20 minutes"], "make it 35", None),
        ([], "no, 950", None),
    ],
)
def test_what_was_just_spent_is_put_right(said: list[str], correction: str, right: tuple[str, str] | None) -> None:
    assert read_put_right(said, correction) == right


@pytest.mark.needs("calculator")
async def test_what_was_spent_is_told_as_corrected(tmp_path: Path) -> None:
    llm = ScriptedChatModel(echo=True)
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        for told in (
            "spent 73 at the market",
            "no 37, I looked at the wrong line",
            "what have we spent so far then?",
        ):
            await app.say(BOB, told)
        assert app.replies_to(BOB)[-1] == "Of what you just told me: 37"
        for told in (
            "gasté 530 en la farmacia",
            "mejor ponele 310",
            "perdón, fueron 290",
            "y 90 de pan",
            "cuánto llevamos gastado hasta ahora?",
        ):
            await app.say(ALICE, told)
        assert app.replies_to(ALICE)[1:3] == ["Bien: 310 en vez de 530.", "Bien: 290 en vez de 310."]
        assert app.replies_to(ALICE)[-1] == "De lo que me dijiste recién: 290 + 90 = 380"
