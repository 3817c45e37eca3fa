"""A message that is nothing but a calculation is answered without a model; any other is not."""

from pathlib import Path
from typing import Any

import pytest

from app.domain.chat import ToolSchema
from app.llm.answer_grammar import answer_schema
from app.skills.tools.calculator.at_once import read_calculation
from tests.builders import ALICE, BOB
from tests.fakes.llm import ScriptedChatModel
from tests.harness import CONSTRAINED, running_app


@pytest.mark.needs("calculator")
async def test_a_calculation_is_answered_without_a_model(tmp_path: Path) -> None:
    llm = ScriptedChatModel()
    said = (
        (ALICE, "¿Cuánto es 1.234 por 56?", "1.234 × 56 = 69.104"),
        (ALICE, "che, decime la raíz cuadrada de 7056 porfa", "sqrt(7056) = 84"),
        (ALICE, "hola! calculame el 8% de 2.450", "8% de 2.450 = 196"),
        (BOB, "what's 17 times 23 please?", "17 × 23 = 391"),
        (BOB, "how much is half of 91", "0.5 × 91 = 45.5"),
        (ALICE, "cuánto da mil doscientos cuarenta menos setenta y cinco?", "1240 - 75 = 1165"),
        (ALICE, "¿cuánto es el quince por ciento de tres mil?", "15% de 3000 = 450"),
        (BOB, "how much is nine hundred and twelve minus twenty-one", "912 - 21 = 891"),
        (BOB, "what is forty one plus one?", "41 + 1 = 42"),
    )
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        for person, message, result in said:
            await app.say(person, message)
            assert app.replies_to(person)[-1] == result
    assert not [request for request in llm.requests if request.purpose != "short"]


@pytest.mark.needs("calculator")
async def test_what_was_just_told_is_added_up_with_its_parts(tmp_path: Path) -> None:
    llm = ScriptedChatModel(echo=True)
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        for told in ("today 18.40 on groceries", "and 7 on the bus", "nice weather", "how much is that so far?"):
            await app.say(BOB, told)
        assert app.replies_to(BOB)[-1] == "Of what you just told me: 18.40 + 7 = 25.4"
        for told in ("gasté 1.500 en la verdulería", "otros 320,50 de pan", "cuánto llevo gastado?"):
            await app.say(ALICE, told)
        assert app.replies_to(ALICE)[-1] == "De lo que me dijiste recién: 1.500 + 320,5 = 1.820,5"
        for told in ("y 2 cafés por 900", "y en total?"):
            await app.say(ALICE, told)
        assert "900" not in app.replies_to(ALICE)[-1], "two numbers in a message: which of them counts is not sure"


@pytest.mark.needs("calculator")
async def test_what_was_spent_is_added_up_beside_other_numbers(tmp_path: Path) -> None:
    llm = ScriptedChatModel(echo=True)
    async with running_app(tmp_path, llm=llm, profile=CONSTRAINED) as app:
        for told in (
            "paid 9.50 for the ferry at 10:30",
            "the B12 bus was full",
            "spent 4 on tea",
            "how much have I spent?",
        ):
            await app.say(BOB, told)
        assert app.replies_to(BOB)[-1] == "Of what you just told me: 9.50 + 4 = 13.5"
        for told in ("gasté 640 en el pedido 2217", "cuánto he gastado hoy?"):
            await app.say(ALICE, told)
        assert app.replies_to(ALICE)[-1] == "De lo que me dijiste recién: 640"


@pytest.mark.parametrize(
    "message",
    [
        "10/10",
        "14/11",
        "24-7",
        "ganamos 3 - 1",
        "2 por favor",
        "+54 11 5555-1234",
        "de 9 a 5",
        "anotá 5+5",
        "5 + 5 y anotalo",
        "what is 5",
        "20% off",
        "12 cajas a 56 cada una, cuánto es?",
        "what's the time difference, 3 hours?",
        "piso 4",
        "10,000 - 12,000",
        "1,5 + 2,250",
        "cuánto es 1 + mi sueldo",
        "cuánto es 5 / 0 perros",
        "9" * 501,
        "dos por favor",
        "cuánto falta para las tres menos diez?",
        "uno más",
        "one more time please",
        "three of them",
    ],
)
def test_what_is_no_calculation_alone_is_left_to_the_model(message: str) -> None:
    assert read_calculation(message) is None


def test_a_pattern_that_is_one_class_of_characters_binds_the_answer() -> None:
    def bound(pattern: str) -> Any:
        tool = ToolSchema(
            "f", "", {"properties": {"x": {"type": "string", "pattern": pattern}}, "required": ["x"]}
        )
        answer: Any = answer_schema([tool], 1, may_reply=False)
        return answer["anyOf"][0]["properties"]["f"]["properties"]["x"]

    assert bound('^[^"{}]+$') == {"type": "string", "pattern": '^[^"{}]+$'}
    for other in ("^(a+)+$", "[a-z]", "^[a-z]+$|x", r"^[\\d]+$"):
        assert bound(other) == {"type": "string"}


@pytest.mark.parametrize(
    ("message", "calculation"),
    [
        ("solo digame cuanto me da 275 mil por 8 meses", "275000 por 8"),
        ("dime nomas cuanto es 2 mil entre 4 cuotas", "2000 entre 4"),
        ("just tell me how much is 40 times 12 weeks", "40 times 12"),
        ("cuanto es 3 meses", None),
    ],
)
def test_what_the_numbers_count_is_no_part_of_a_sum(message: str, calculation: str | None) -> None:
    assert read_calculation(message) == calculation


@pytest.mark.parametrize(
    "said", ["what's 18 pecent of 400", "whats 18 percnt of 400", "cuanto es el 18 porsiento de 400"]
)
def test_a_slip_in_a_percentage_multiplies_nothing(said: str) -> None:
    assert read_calculation(said) in {"18 % of 400", "18 % de 400"}
