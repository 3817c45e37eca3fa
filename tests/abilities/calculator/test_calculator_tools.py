"""The calculator: reads what people write, answers exactly, never takes long, never raises anything else."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.domain.errors import ToolFault
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.turn import TurnContext
from app.language.catalogue import Language
from app.skills.loader import load_builtin
from app.skills.registry import SkillRegistry
from app.skills.tools.calculator import calculator_tools
from app.skills.tools.calculator.arithmetic import evaluate
from app.skills.tools.calculator.calculator_tools import calculate


def turn(language: Language = "en") -> TurnContext:
    return TurnContext(
        TurnId(1), UserId("ann"), ConversationId(1), 1, datetime(2026, 8, 4, tzinfo=UTC), language, is_admin=False
    )


def outcome(expression: str) -> str:
    """The fault's code, or "ok"."""
    try:
        return "ok" if answer(expression) else "empty"
    except ToolFault as fault:
        return fault.code if fault.detail.endswith(".") else f"no sentence: {fault.detail}"


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("7400 / 3", "7400 / 3 ≈ 2466.67"),
        ("10 / 3", "10 / 3 ≈ 3.33"),
        ("1 / 3", "1 / 3 ≈ 0.3333"),
        ("2 / 700", "2 / 700 ≈ 0.002857"),
        ("-100 / 7", "-100 / 7 ≈ -14.29"),
        ("8999 / 9", "8999 / 9 ≈ 999.89"),
        ("299.9999 / 3.1", "299.9999 / 3.1 ≈ 96.77"),
        ("1 / 3e9", "1 / 3e9 ≈ 3.333e-10"),
        ("2e25 / 3", "2e25 / 3 ≈ 6.66666666667e+24"),
        ("square root of 2", "sqrt(2) ≈ 1.4142"),
        ("1 / 16", "1 / 16 = 0.0625"),
    ],
)
def test_what_never_ends_is_told_with_the_digits_that_people_read(written: str, told: str) -> None:
    assert calculate(written, ctx=turn("en")).reply == told.replace("*", "×")


def answer(expression: str, language: Language = "en") -> str:
    return calculate(expression, ctx=turn(language)).output


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("914 * 377 - 12", "914 * 377 - 12 = 344566"),
        ("0.1+0.2", "0.1 + 0.2 = 0.3"),
        ("18.75*4", "18.75 * 4 = 75"),
        ("2**64", "2 ^ 64 = 18446744073709551616"),
        ("10/4", "10 / 4 = 2.5"),
        ("7 // 2", "7 // 2 = 3"),
        ("-2**2", "-2 ^ 2 = -4"),
        ("10 / 3", "10 / 3 ≈ 3.33333333333"),
        ("12% of 950", "12% of 950 = 114"),
        ("12% de 950", "12% of 950 = 114"),
        ("12% * 950", "12% * 950 = 114"),
        ("950 + 12%", "950 + 12% = 1064"),
        ("950 - 12%", "950 - 12% = 836"),
        ("12% + 5%", "12% + 5% = 0.17"),
        ("50 + 12% de 950", "50 + 12% of 950 = 164"),
        ("¿Cuánto es el 23% de 1560?", "23% of 1560 = 358.8"),
        ("15 por ciento de 80", "15% of 80 = 12"),
        ("10 % 3", "10 mod 3 = 1"),
        ("10 mod 3", "10 mod 3 = 1"),
        ("1/2 de 80", "1 / 2 of 80 = 40"),
        ("la mitad de 80", "0.5 * 80 = 40"),
        ("3×4÷2", "3 * 4 / 2 = 6"),
        ("3x4", "3 * 4 = 12"),
        ("2^10", "2 ^ 10 = 1024"),
        ("5²", "5 ^ 2 = 25"),
        ("2 al cubo", "2 ^ 3 = 8"),
        ("5 elevado al cuadrado", "5 ^ 2 = 25"),
        ("3 elevado a la 15", "3 ^ 15 = 14348907"),
        ("2 to the power of 8", "2 ^ 8 = 256"),
        ("raíz cuadrada de 5184", "sqrt(5184) = 72"),
        ("sqrt 5184", "sqrt(5184) = 72"),
        ("√16 + 1", "sqrt(16) + 1 = 5"),
        ("square root of 2", "sqrt(2) ≈ 1.41421356237"),
        ("raiz cubica de 27", "cbrt(27) = 3"),
        ("15 dividido 3", "15 / 3 = 5"),
        ("15 dividido entre 3", "15 / 3 = 5"),
        ("3 más 4 menos 1", "3 + 4 - 1 = 6"),
        ("7 multiplicado por 8 =", "7 * 8 = 56"),
        ("2(3+4)", "2 * (3 + 4) = 14"),
        ("2pi", "2 * pi ≈ 6.28318530718"),
        ("5!", "5! = 120"),
        ("sin(30°)", "sin(30°) = 0.5"),
        ("sin(pi)", "sin(pi) = 0"),
        ("math.sqrt(16)", "sqrt(16) = 4"),
        ("round(18.755, 2)", "round(18.755, 2) = 18.76"),
        ("round(2.5)", "round(2.5) = 3"),
        ("log(100, 10)", "log(100, 10) = 2"),
        ("ln(e)", "ln(e) = 1"),
        ("gcd(12, 18)", "gcd(12, 18) = 6"),
        ("sum([1,2,3]) / 3", "sum((1, 2, 3)) / 3 = 2"),
        ("promedio(3, 5)", "mean(3, 5) = 4"),
        ("max(1,5)", "max(1, 5) = 5"),
        ("max(1,5; 2,5)", "max(1.5, 2.5) = 2.5"),
        ("min(3)", "min(3) = 3"),
        ("1,5 * 2", "1.5 * 2 = 3"),
        ("1.560,50 + 1", "1560.50 + 1 = 1561.5"),
        ("1,560.50 + 1", "1560.50 + 1 = 1561.5"),
        ("1.000.000 + 1", "1000000 + 1 = 1000001"),
        ("1'000'000 + 1", "1000000 + 1 = 1000001"),
        ("$20 * 3", "20 * 3 = 60"),
        ("007 + 1", "7 + 1 = 8"),
        ("1e3 * 2", "1e3 * 2 = 2000"),
        ("4^0.5", "4 ^ 0.5 = 2"),
    ],
)
def test_a_calculation_is_understood_and_exact(written: str, expected: str) -> None:
    assert answer(written) == expected


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("", "nothing to calculate"),
        ("3 +", "not a complete calculation"),
        ("(2 + 3", "not a complete calculation"),
        ("2 + 3)", "without its"),
        ("2 3", "operator is missing before 3"),
        ("20 euros * 3", "'euros' is not understood"),
        ("__import__('os')", "not understood"),
        ("1 / 0", "Division by zero"),
        ("10 mod 0", "Division by zero"),
        ("sqrt(-1)", "no real square root"),
        ("(-8)^0.5", "no real power"),
        ("log(0)", "positive number"),
        ("tan(90°)", "tangent is not defined"),
        ("asin(2)", "outside of where it is defined"),
        ("gcd(1.5, 2)", "whole numbers"),
        ("factorial(2.5)", "whole number"),
        ("1 << 100000", "not understood"),
        ("max(1,000, 2,000)", "read in two ways"),
        ("round(3,14159, 2)", "decimals with a point"),
        ("1.2.3 + 1", "read in two ways"),
        ("12 of 950", "after a percentage"),
    ],
)
def test_what_cannot_be_computed_says_why(written: str, reason: str) -> None:
    with pytest.raises(ToolFault) as caught:
        answer(written)
    assert reason in caught.value.detail


@pytest.mark.parametrize(
    "written",
    [
        "9**9**9",
        "9^9^9^9",
        "10**1001",
        "2 ** -99999999",
        "factorial(401)",
        "99999999!",
        "5!!!",
        "exp(99999)",
        "1e999",
        "0.5 ** 99999999999",
        "999 ** 300 * 999 ** 300",
        "1" * 501,
        "(" * 31 + "1" + ")" * 31,
    ],
)
def test_what_is_too_large_is_refused_at_once(written: str) -> None:
    assert outcome(written) in {"too_large", "too_long", "too_deep"}


def test_a_thousand_digits_are_the_limit() -> None:
    assert answer("10 ** 999").endswith("= 1" + "0" * 999)
    with pytest.raises(ToolFault, match="too_large"):
        answer("10 ** 1003")


def test_a_long_sum_is_computed() -> None:
    assert answer("+".join(["1.1"] * 100)).endswith("= 110")


def test_one_and_its_like_take_any_exponent() -> None:
    assert answer("(-1) ** 99999999999999999999").endswith("= -1")
    assert answer("1 ** 99999999999999999999").endswith("= 1")
    assert answer("(-1) ** -99999999999999999998").endswith("= 1")


def test_a_number_with_two_readings_is_told_in_spanish() -> None:
    assert answer("1.560 * 2", "es") == "1.560 * 2 = 3.12 (1.560 was read as 1.56)"
    assert answer("1,560 * 2", "es") == "1560 * 2 = 3120 (1,560 was read as 1560)"
    assert answer("1.560 * 2", "en") == "1.560 * 2 = 3.12"


def test_only_listed_syntax_is_evaluated() -> None:
    for source in (
        "lambda: 1",
        "[1][0]",
        "().__class__",
        "1 if 1 else 2",
        "'a'",
        "True",
        "1 .real",
        "f(2)",
        "1 < 2",
    ):
        with pytest.raises(ToolFault):
            evaluate(source)


NUMBERS = st.integers(-999, 999).map(lambda number: f"({number})" if number < 0 else str(number))
INTEGER_EXPRESSIONS = st.recursive(
    NUMBERS,
    lambda inner: st.builds(
        lambda left, operator, right: f"({left} {operator} {right})",
        inner,
        st.sampled_from(["+", "-", "*", "//", "%"]),
        inner,
    ),
    max_leaves=8,
)


@given(INTEGER_EXPRESSIONS)
def test_arithmetic_on_whole_numbers_agrees_with_python(expression: str) -> None:
    try:
        expected = eval(expression)
    except ZeroDivisionError:
        with pytest.raises(ToolFault, match="division_by_zero"):
            answer(expression)
        return
    assert answer(expression).rpartition(" = ")[2] == str(expected)


@given(st.decimals(-(10**6), 10**6, places=3), st.decimals(-(10**6), 10**6, places=3))
def test_sums_of_decimals_are_exact(left: Decimal, right: Decimal) -> None:
    assert Decimal(answer(f"({left:f}) + ({right:f})").rpartition("= ")[2]) == left + right


PIECES = st.one_of(
    st.sampled_from(["1", "23", "4,5", "1.560", "1,000", "0", "e", "pi", "factorial(9)", "1e300", "9**99"]),
    st.sampled_from(["(", ")", "[", "]", "+", "-", "*", "/", "//", "**", "^", "%", "!", ";", ",", "°", "²", "="]),
    st.sampled_from(["de", "of", "x", "por", "mas", "raiz", "sqrt", "sin", "max", "round", "mod", "al cubo", " "]),
)


@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=15).map(" ".join), st.lists(PIECES).map("".join)))
@example("x" * 10_000)
@example("1e" * 100)
@example("²³½")
@example("\x00")
@example("٣ + 4")
def test_any_text_is_a_result_or_a_fault(text: str) -> None:
    assert not outcome(text).startswith(("empty", "no sentence"))


async def test_the_tool_answers_through_the_registry() -> None:
    registry = SkillRegistry()
    calculator_tools.register(registry)
    tool = registry.tools.get("calculate")
    result = await tool.execute(tool.validate_args({"expression": "27*31"}), ctx=turn())
    assert (result.success, result.content) == (True, "27 * 31 = 837")
    failed = await tool.execute(tool.validate_args({"expression": "1/0"}), ctx=turn())
    assert (failed.success, failed.content) == (False, "Error: Division by zero is not defined.")


def test_the_skill_folder_is_readable() -> None:
    assert "calculator" in {skill.name for skill in load_builtin()[0]}
