"""Exact arithmetic over a white list of Python's syntax tree, bounded in size and therefore in time.

Ours, because it is a promise that no library of calculations keeps: fractions stay exact (0.1 + 0.2 is 0.3),
a result that is rounded says so, and an expression from outside cannot take a processor for itself.
"""

import ast
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Final, TypeAlias, TypeVar

from app.domain.errors import ToolFault
from app.skills.tools.calculator.math_functions import (
    CONSTANTS,
    FUNCTIONS,
    LIST_FUNCTIONS,
    Number,
    bounded,
    factorial,
    power,
    too_large,
)

_Value: TypeAlias = Number | tuple[Number, ...]
_T = TypeVar("_T")

_MAX_NODES: Final = 1000
_SMALLEST_SHOWN: Final = -7
_LARGEST_SHOWN: Final = 21
_MAX_EXPONENT: Final = 300
_SHOWN_DIGITS: Final = 12
_SHORT_DIGITS: Final = 6
# Two decimals are what amounts have; a root or a sine has more. Less than one keeps its first four digits.
_DECIMALS: Final = 2
_DECIMALS_OF_FLOAT: Final = 4
_LEAST_DIGITS: Final = 4
_PERCENT: Final = 100
_ALLOWED: Final = "Only numbers, + - * / // % ^, parentheses and functions are allowed."


def evaluate(source: str) -> Number:
    """Compute a Python expression of numbers, + - * / // % **, and the functions and constants below.

    `x.percent`, `x.factorial` and `x.degrees` are postfix operators; a percentage that is added or
    subtracted is one of what stands to its left (`950 + 12 .percent` is 1064). Work is bounded by the
    length of the source and by MAX_DIGITS of every intermediate result.

    Raises:
        ToolFault: not an expression, not allowed, not defined, or too large; the reason is a sentence.
    """
    values: dict[ast.AST, _Value] = {}
    for node in _bottom_up(_parse(source)):
        value = _apply(node, values, source)
        values[node] = value if isinstance(value, tuple) else bounded(value)
    result = values[node]
    if isinstance(result, tuple):
        raise ToolFault("not_a_number", "The expression is a list; write one calculation.")
    return result


def show(value: Number) -> tuple[str, bool]:
    """Return the number as text, and whether that is all of it (else it is rounded to 12 digits)."""
    if isinstance(value, int):
        return str(value), True
    exact = _terminating(value) if isinstance(value, Fraction) else None
    if exact is not None:
        return exact, True
    rounded = _rounded(value, _SHOWN_DIGITS)
    # A float whose digits end early stands for that short number: sin(30°) is 0.5, not almost 0.5.
    is_short = isinstance(value, float) and len(rounded.as_tuple().digits) <= _SHORT_DIGITS
    return _written(rounded), is_short


def show_briefly(value: Number) -> tuple[str, bool]:
    """As `show`, but what is rounded has the digits that a person reads: 2466.67, 0.3333."""
    text, is_exact = show(value)
    if is_exact:
        return text, True
    decimals = _DECIMALS_OF_FLOAT if isinstance(value, float) else _DECIMALS
    above = Decimal(text).adjusted() + 1
    digits = above + decimals if above > 0 else _LEAST_DIGITS
    return _written(_rounded(value, min(digits, _SHOWN_DIGITS))), False


def _rounded(value: Number, digits: int) -> Decimal:
    ratio = Fraction(value)
    context = Context(prec=digits, rounding=ROUND_HALF_EVEN)
    return context.divide(Decimal(ratio.numerator), Decimal(ratio.denominator)).normalize(context)


def _written(rounded: Decimal) -> str:
    is_plain = _SMALLEST_SHOWN < rounded.adjusted() < _LARGEST_SHOWN
    return format(rounded, "f" if is_plain else "e")


def _terminating(value: Fraction) -> str | None:
    """The decimal digits of a fraction that has at most 12 of them after the point."""
    scaled = value * 10**_SHOWN_DIGITS
    if scaled.denominator != 1:
        return None
    sign, (whole, part) = "-" if value < 0 else "", divmod(abs(scaled.numerator), 10**_SHOWN_DIGITS)
    return f"{sign}{whole}.{part:0{_SHOWN_DIGITS}}".rstrip("0").rstrip(".")


def _parse(source: str) -> ast.expr:
    try:
        return ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as exc:
        raise ToolFault(
            "not_an_expression", "That is not a complete calculation; check it and try again."
        ) from exc


def _bottom_up(root: ast.expr) -> Iterator[ast.expr]:
    """Every node after its operands. A loop, because a long sum is a deep tree."""
    pending, ordered = [root], []
    while pending:
        node = pending.pop()
        ordered.append(node)
        if len(ordered) > _MAX_NODES:
            raise ToolFault("too_long", "The calculation has too many parts; split it.")
        pending.extend(_operands(node))
    return reversed(ordered)


def _operands(node: ast.expr) -> Sequence[ast.expr]:
    match node:
        case ast.BinOp(left=left, right=right):
            return (left, right)
        case ast.UnaryOp(operand=operand):
            return (operand,)
        case ast.Attribute(value=value):
            return (value,)
        case ast.Tuple(elts=items) | ast.Call(func=ast.Name(), args=items, keywords=[]):
            return items
        case ast.Constant() | ast.Name():
            return ()
    raise ToolFault("not_allowed", _ALLOWED)


def _apply(node: ast.expr, values: Mapping[ast.AST, _Value], source: str) -> _Value:
    try:
        match node:
            case ast.Constant():
                return _literal(source[node.col_offset : node.end_col_offset])
            case ast.Name(id=name):
                return _lookup(CONSTANTS, name)
            case ast.Tuple(elts=items):
                return tuple(_one(values[item]) for item in items)
            case _:
                return _compute(node, values)
    except ZeroDivisionError as exc:
        raise ToolFault("division_by_zero", "Division by zero is not defined.") from exc
    except OverflowError as exc:
        raise too_large() from exc
    except (ValueError, TypeError) as exc:
        raise ToolFault("undefined", "A function was used outside of where it is defined.") from exc


def _compute(node: ast.expr, values: Mapping[ast.AST, _Value]) -> Number:
    match node:
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _call(name, [values[argument] for argument in arguments])
        case ast.Attribute(value=operand, attr=name):
            return _lookup(_POSTFIX, name)(_one(values[operand]))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_one(values[operand])
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _one(values[operand])
        case ast.BinOp():
            return _binary(node, values)
    raise ToolFault("not_allowed", _ALLOWED)


def _lookup(table: Mapping[str, _T], name: str) -> _T:
    if name not in table:
        raise ToolFault("not_allowed", f"'{name[:30]}' is not known here. Functions: {', '.join(FUNCTIONS)}.")
    return table[name]


def _literal(text: str) -> Number:
    mantissa, _, exponent = text.lower().partition("e")
    if not mantissa.replace(".", "", 1).isdecimal():
        raise ToolFault("not_allowed", f"'{text[:30]}' is not a number.")
    if abs(int(exponent or 0)) > _MAX_EXPONENT:
        raise too_large()
    return Fraction(text)


def _one(value: _Value) -> Number:
    if isinstance(value, tuple):
        raise ToolFault("not_a_number", "A list is only allowed inside min, max, sum and mean.")
    return value


def _binary(node: ast.BinOp, values: Mapping[ast.AST, _Value]) -> Number:
    left, right = _one(values[node.left]), _one(values[node.right])
    if isinstance(node.op, ast.Pow):
        return power(left, right)
    if isinstance(node.op, ast.Add | ast.Sub) and _is_percent(node.right) and not _is_percent(node.left):
        right = left * right
    operation = _OPERATORS.get(type(node.op).__name__)
    if operation is None:
        raise ToolFault("not_allowed", _ALLOWED)
    return operation(left, right)


def _is_percent(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "percent"


def _call(name: str, arguments: Sequence[_Value]) -> Number:
    function = _lookup(FUNCTIONS, name)
    flat: list[Number] = []
    for argument in arguments:
        if isinstance(argument, tuple) and name in LIST_FUNCTIONS:
            flat.extend(argument)
        else:
            flat.append(_one(argument))
    if not flat:
        raise ToolFault("undefined", f"{name} needs a number in its parentheses.")
    return function(*flat)


_OPERATORS: Final[Mapping[str, Callable[[Number, Number], Number]]] = MappingProxyType(
    {
        "Add": operator.add,
        "Sub": operator.sub,
        "Mult": operator.mul,
        "Div": lambda left, right: left / (Fraction(right) if isinstance(right, int) else right),
        "FloorDiv": operator.floordiv,
        "Mod": operator.mod,
    }
)
_POSTFIX: Final[Mapping[str, Callable[[Number], Number]]] = MappingProxyType(
    {"percent": lambda value: value / Fraction(_PERCENT), "factorial": factorial, "degrees": math.radians}
)
