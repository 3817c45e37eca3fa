"""From arithmetic as people and models write it, in Spanish and English, to one that Python can parse.

Ours like `arithmetic`: the calculation is shown as it was understood, so that nobody trusts a wrong reading.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from app.domain.errors import ToolFault
from app.skills.tools.calculator.math_functions import CONSTANTS, FUNCTIONS, LIST_FUNCTIONS
from app.skills.tools.calculator.written_numbers import ambiguous, has_two_readings, plain_number

MAX_CHARS: Final = 500
_MAX_DEPTH: Final = 30

Kind = Literal["number", "constant", "function", "operator", "postfix", "open", "close", "comma", "of"]

_SYMBOLS: Final = MappingProxyType(
    str.maketrans(
        {
            **dict.fromkeys("×·✕✖∙⋅∗", "*"),
            **dict.fromkeys("÷∕", "/"),
            **dict.fromkeys("−–—", "-"),
            **dict.fromkeys('¿?¡$€£"`', " "),
            **{"²": " ** 2 ", "³": " ** 3 ", "√": " sqrt ", "π": " pi ", "°": " degrees ", "^": " ** "},
            **{"[": "(", "]": ")", "{": "(", "}": ")"},
        }
    )
)
_GROUPED: Final = re.compile(r"(?<=\d)[\u00a0\u202f'’](?=\d{3})")
_PHRASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        r"por favor": " ",
        r"(?:elevado )?al cuadrado|squared": " ** 2 ",
        r"(?:elevado )?al cubo|cubed": " ** 3 ",
        r"raiz cubica(?: de)?|cube root(?: of)?": " cbrt ",
        r"raiz(?: cuadrada)?(?: de)?|square root(?: of)?|root of": " sqrt ",
        r"elevado a la potencia(?: de)?|elevado(?: a(?: la)?)?|a la potencia(?: de)?": " ** ",
        r"(?:raised )?to the power(?: of)?|raised to": " ** ",
        r"por ciento|por cien|percent|per cent": " % ",
        r"dividido(?: por| entre)?|divided by|entre|over": " / ",
        r"multiplicado por|multiplied by|times|por|veces": " * ",
        r"mas|plus": " + ",
        r"menos|minus": " - ",
        r"modulo": " mod ",
        r"mitad de|half of": " 0.5 * ",
        r"doble de|double|twice": " 2 * ",
        r"triple(?: de)?": " 3 * ",
        r"promedio|media|average|avg": " mean ",
        r"suma": " sum ",
        r"sen|seno": " sin ",
        r"coseno": " cos ",
        r"tangente": " tan ",
        r"mcd": " gcd ",
        r"mcm": " lcm ",
        r"piso": " floor ",
        r"techo": " ceil ",
        r"redondear": " round ",
        r"grados": " degrees ",
        r"de|del": " of ",
    }
)
"""Phrases without accents -> symbols; the earlier ones are taken first."""
_FILLER: Final = re.compile(
    r"(?<![a-z])(?:the|el|la|los|las|cuantos?|es|son|what|is|how|much|calculate|calcula|calcular|compute"
    r"|resultado|result|y)(?![a-z])"
)
_TOKEN: Final = re.compile(
    r"(?P<number>(?:\d+(?:[.,]\d+)*|\.\d+)(?:e[+-]?\d{1,4}(?![\w.]))?)"
    r"|(?P<word>log10|log2|[a-z]+)"
    r"|(?P<operator>\*\*|//|[-+*/])"
    r"|(?P<sign>,\s+|[%!(),;])"
    r"|(?P<space>\s+)"
)
_ENDS: Final[frozenset[Kind]] = frozenset({"number", "constant", "close", "postfix"})
_BEGINS: Final[frozenset[Kind]] = frozenset({"number", "constant", "function", "open"})
_POSTFIXES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {"%": (".percent", "%"), "!": (".factorial", "!"), "degrees": (".degrees", "°")}
)


@dataclass(frozen=True, slots=True)
class Token:
    """`code` is Python, `shown` what a person reads."""

    kind: Kind
    code: str
    shown: str


@dataclass(frozen=True, slots=True)
class Expression:
    """`source` is for `arithmetic.evaluate`, `shown` is the calculation as it was understood.

    `doubts` say how numbers were read that another country writes in another way; `kinds` are what it is made of.
    """

    source: str
    shown: str
    doubts: tuple[str, ...] = ()
    kinds: frozenset[Kind] = frozenset()


def read_expression(text: str) -> Expression:
    """Understand `12% de 950`, `raíz cuadrada de 5184`, `3 elevado a la 9`, `2(3+4)`, `1.560,50 × 2`.

    A single comma or point with three digits behind it is ambiguous: the comma is then taken for
    thousands and the point for decimals, as in programs; `shown` tells which.

    Raises:
        ToolFault: too long, nested too deep, or something in it cannot be understood; it is named.
    """
    if len(text) > MAX_CHARS:
        raise ToolFault("too_long", f"The calculation is longer than {MAX_CHARS} characters; split it.")
    reading = _Reading(list(_words(_plain(text))))
    tokens = _completed(reading.tokens())
    if not tokens:
        raise ToolFault("not_an_expression", "There is nothing to calculate; write an expression such as 12 * 7.")
    kinds = frozenset(token.kind for token in tokens)
    return Expression(" ".join(token.code for token in tokens), _shown(tokens), tuple(reading.doubts), kinds)


def _plain(text: str) -> str:
    """Lower case without accents, symbols as ASCII, phrases as operators, fillers gone."""
    letters = unicodedata.normalize("NFD", _GROUPED.sub("", text).translate(_SYMBOLS).casefold())
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    plain = re.sub(r"\bmath\.", "", plain.strip().lstrip("=").rstrip("=.: "))
    for phrase, meaning in _PHRASES.items():
        plain = re.sub(rf"(?<![a-z])(?:{phrase})(?![a-z])", meaning, plain)
    return _FILLER.sub(" ", plain)


def _words(plain: str) -> Iterator[tuple[str, str]]:
    """(group of `_TOKEN`, text), blanks left out."""
    position = 0
    while position < len(plain):
        match = _TOKEN.match(plain, position)
        if match is None or match.lastgroup is None:
            raise ToolFault("not_understood", f"'{plain[position]}' is not understood in a calculation.")
        if match.lastgroup != "space":
            yield match.lastgroup, match[0]
        position = match.end()


class _Reading:
    """Reads words left to right; what a comma, `%`, `x` or "of" means depends on what is around it."""

    def __init__(self, words: Sequence[tuple[str, str]]) -> None:
        self._words = words
        self._has_semicolons = ("sign", ";") in words
        self._tokens: list[Token] = []
        self.doubts: list[str] = []
        # For each open parenthesis: the kinds of comma seen in it, or None where commas do not separate.
        self._open: list[set[str] | None] = []

    def tokens(self) -> list[Token]:
        for position, (group, text) in enumerate(self._words):
            following = self._words[position + 1] if position + 1 < len(self._words) else ("", "")
            match group:
                case "number":
                    self._number(text)
                case "word":
                    self._word(text)
                case "operator":
                    self._add("operator", text, "^" if text == "**" else text)
                case _:
                    self._sign(text.strip(), following, is_spaced=text != text.strip())
        return self._tokens

    def _add(self, kind: Kind, code: str, shown: str = "") -> None:
        self._tokens.append(Token(kind, code, shown or code))

    def _ends_with(self, *kinds: Kind) -> bool:
        return bool(self._tokens) and self._tokens[-1].kind in kinds

    def _number(self, text: str) -> None:
        if "," not in text or not self._open or self._open[-1] is None or self._has_semicolons:
            self._plain(text)
            return
        self._note_comma(self._open[-1], "tight")
        parts = text.split(",")
        if any(len(part) > 1 and part.startswith("0") and not part.startswith("0.") for part in parts):
            raise ambiguous(text)
        for index, part in enumerate(parts):
            if index:
                self._add("comma", ",")
            self._plain(part)

    def _plain(self, text: str) -> None:
        number = plain_number(text)
        if has_two_readings(text):
            self.doubts.append(f"{text} was read as {number.rstrip('0') if '.' in number else number}")
        self._add("number", number)

    def _note_comma(self, seen: set[str], style: str) -> None:
        seen.add(style)
        if len(seen) > 1:
            raise ToolFault(
                "ambiguous_number",
                "Some commas stand between numbers and others inside them; write decimals with a point.",
            )

    def _word(self, text: str) -> None:
        is_after_value = self._ends_with(*_ENDS)
        if text == "x" and is_after_value:
            self._add("operator", "*")
        elif text == "mod" and is_after_value:
            self._add("operator", "%", "mod")
        elif text == "of":
            self._of()
        elif text in _POSTFIXES and is_after_value:
            self._add("postfix", *_POSTFIXES[text])
        elif text in FUNCTIONS:
            self._add("function", text)
        elif text in CONSTANTS:
            self._add("constant", text)
        else:
            raise ToolFault(
                "not_understood",
                f"'{text[:30]}' is not understood in a calculation; use only numbers, operators and functions.",
            )

    def _of(self) -> None:
        if self._ends_with("function"):
            return
        is_share = self._ends_with("postfix") or [token.code for token in self._tokens[-2:-1]] == ["/"]
        if not is_share:
            raise ToolFault(
                "not_understood", "'of' is only understood after a percentage, a fraction or a function."
            )
        self._add("of", "*", "of")

    def _sign(self, sign: str, following: tuple[str, str], *, is_spaced: bool) -> None:
        match sign:
            case "(":
                self._enter()
            case ")":
                if not self._open:
                    raise ToolFault("not_an_expression", "There is a ) without its (.")
                self._open.pop()
                self._add("close", ")")
            case "%" if _is_modulo(following):
                self._add("operator", "%", "mod")
            case "%" | "!":
                self._add("postfix", *_POSTFIXES[sign])
            case _:
                if self._open and self._open[-1] is not None and is_spaced:
                    self._note_comma(self._open[-1], "spaced")
                self._add("comma", ",")

    def _enter(self) -> None:
        if len(self._open) >= _MAX_DEPTH:
            raise ToolFault("too_deep", f"More than {_MAX_DEPTH} parentheses are open at once; simplify it.")
        is_call = self._ends_with("function") and self._tokens[-1].code in LIST_FUNCTIONS
        is_list = bool(self._open) and self._open[-1] is not None and self._ends_with("open")
        self._open.append(set() if is_call or is_list else None)
        self._add("open", "(")


def _is_modulo(following: tuple[str, str]) -> bool:
    group, text = following
    return group == "number" or text == "(" or (group == "word" and (text in FUNCTIONS or text in CONSTANTS))


def _completed(tokens: Sequence[Token]) -> list[Token]:
    """Add what people leave out: `2(3)` is a product, `sqrt 9` a call."""
    done: list[Token] = []
    waiting = False  # a function without parentheses takes the next number and its postfixes
    for index, token in enumerate(tokens):
        following = tokens[index + 1].kind if index + 1 < len(tokens) else None
        if done and done[-1].kind in _ENDS and token.kind in _BEGINS:
            if token.kind == "number":
                raise ToolFault("not_an_expression", f"An operator is missing before {token.shown}.")
            done.append(Token("operator", "*", "*"))
        done.append(token)
        if token.kind == "function" and following != "open":
            if waiting or following not in ("number", "constant"):
                raise ToolFault("not_an_expression", f"{token.code} needs its number in parentheses.")
            waiting = True
            done.append(Token("open", "(", "("))
        elif waiting and token.kind in _ENDS and following != "postfix":
            waiting = False
            done.append(Token("close", ")", ")"))
    return done


def _shown(tokens: Sequence[Token]) -> str:
    parts: list[str] = []
    previous: Kind | None = None
    for token in tokens:
        is_between = token.kind == "of" or (token.kind == "operator" and previous in _ENDS)
        parts.append(f" {token.shown} " if is_between else token.shown + (" " if token.kind == "comma" else ""))
        previous = token.kind
    return "".join(parts)
