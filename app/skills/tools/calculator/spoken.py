"""Numbers in what people write around a calculation, and that text in the ways it can be read."""

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache, partial
from typing import Final, TypeVar

from app.domain.errors import ToolFault
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.catalogue import LANGUAGES
from app.language.written_numbers import group_sign, in_digits, locale_at
from app.skills.tools.calculator.lexicon import (
    A_NOTE,
    AS_PERCENT,
    CENTS,
    IN_FULL,
    IN_TALK,
    NUMBERS,
    ONE_MORE,
    ONE_WITH,
    PERCENT,
    PHRASES,
    THOUSAND,
    WORDS,
    with_parts,
)
from app.skills.tools.calculator.written_numbers import has_two_readings, plain_number

DIGITS: Final = r"\d{1,9}(?:[.,]\d{1,9}){0,4}+(?![.,]?\d)"
# It stands alone: no time, date, code, and no letters at it.
NUMBER: Final = re.compile(
    rf"(?<![\w.,:/#+-])(?:[$€£] ?)?(?P<number>{DIGITS})(?! ?[€£$]\w)(?![\w:/]|-\w)(?: ?[€£$])?"
)
WORD: Final = re.compile(r"[^\W_]+")
PERCENT_SIGN: Final = re.compile(r" ?%(?!\w)")
_T = TypeVar("_T")
_SMALL: Final = 2
_WE_ARE: Final = "somos"
_CENTS: Final = re.compile(r"[.,]\d{1,2}\Z")
_ALONE: Final = re.compile(DIGITS)
_END: Final = re.compile(r"\s*(?:\Z|[^\w\s%])")
_ONE: Final = re.compile(r"\b1\b")
_MONEY: Final = re.compile(r"(?<!\w)(?:R|(?:Rs\.?|rs\.?|US\$|A\$|AU\$|S/\.?|₹) ?)(?=\d)")
_CLAUSE: Final = re.compile(r"[,.;:!?\n]")
_EACH_SIGN: Final = re.compile(r"\bc/u\b")


def first_read(read: Callable[[str], _T | None], ways: Iterable[str]) -> _T | None:
    """Return what a reader makes of a text in the first of its ways that it understands; None where of none."""
    return next((found for one in ways if (found := read(one)) is not None), None)


@lru_cache(maxsize=16)
def ways(text: str) -> tuple[str, ...]:
    """Return a folded text, then the same with the numbers in digits that are said in words.

    It is kept for a while: steps, corrections and prices are looked for in the same message.
    """
    plain = PHRASES["each"].sub(
        "each",
        _EACH_SIGN.sub("each", with_parts(fold(PERCENT.sub(" %", with_dollars(text)))).replace("@", " at ")),
    )
    plain = CENTS.sub(lambda one: f"{one['whole'] or 0}.{one['cents']:0>2}", plain)
    spoken = THOUSAND.sub(r"\g<1>000", " ".join(plain.split()))
    for pattern in AS_PERCENT:
        spoken = " ".join(pattern.sub(r"\g<head> \g<share>%", spoken).split())
    spoken = _in_full(spoken)
    digits = dict.fromkeys(_in_full(in_digits(spoken, language)) for language in LANGUAGES)
    # "One" and "una" seldom count anything: "take that one off".
    ones = len(_ONE.findall(spoken))
    read = (spoken, *(said for said in digits if said != spoken and len(_ONE.findall(said)) == ones))
    return tuple(dict.fromkeys(map(_with_one_more, read)))


def _with_one_more(text: str) -> str:
    """Write "we're 7" for "we're 6 plus a baby", and for who goes with 6 friends, where they pay and eat alike."""
    found = ONE_MORE.search(text) or ONE_WITH.search(text)
    if found is None or PHRASES["apiece.unpaid"].search(text):
        return text
    rest = f"{text[: found.start()]} {text[found.end() :]}"
    if found[0].split()[-1] in WORD.findall(rest):
        return text
    head = found.groupdict().get("head") or _WE_ARE
    return f"{text[: found.start()]}{head} {int(found['count']) + 1}{text[found.end() :]}"


def with_dollars(text: str) -> str:
    """Write one sign for money that is written before its number: "R35", "Rs 40", "S/ 12"."""
    return _MONEY.sub("$", text)


def _in_full(text: str) -> str:
    """Write "2 grand", "3 lakh", "a tenner" in full; the first not where a small number may be told so, too."""
    text = A_NOTE.sub("1 ", text)
    for pattern, worth in IN_FULL:
        text = pattern.sub(partial(_times, worth), text)
    rest = text
    for pattern, _ in IN_TALK:
        rest = pattern.sub(" ", rest)
    if rest == text or any(len(re.sub(r"\D", "", one["number"])) <= _SMALL for one in NUMBER.finditer(rest)):
        return text
    for pattern, worth in IN_TALK:
        text = pattern.sub(partial(_times, worth), text)
    return text


def _times(worth: int, found: re.Match[str]) -> str:
    value = Fraction(found[1]) * worth
    return str(value.numerator) if value.denominator == 1 else found[0]


def has_word(text: str, *topics: str) -> bool:
    """Whether one of the words of such topics is in a folded text."""
    words = WORD.findall(text)
    return any(not WORDS[topic].isdisjoint(words) for topic in topics)


def says(text: str, topic: str) -> bool:
    """Whether a phrase of a topic is in a folded text."""
    return PHRASES[topic].search(text) is not None


def wishes(story: str) -> bool:
    """Whether something is asked or wished in what stands before a question."""
    folded, loose = fold(story), WORDS["told.loose_wishes"]
    openers = WORDS["told.before_people"] | WORDS["around"]
    clauses = [[word for word in WORD.findall(one) if word not in openers] for one in _CLAUSE.split(folded)]
    is_begun = any(words and words[0] in loose | WORDS["told.wishes"] for words in clauses)
    is_said = not (WORDS["told.wishes"] - loose).isdisjoint(WORD.findall(folded))
    return not {"?", "¿"}.isdisjoint(story) or is_begun or is_said or says(folded, "wishes_anywhere")


def word_at(text: str, at: int) -> str:
    """Return the word that follows there behind a blank; "" where none does."""
    follows = WORD.match(text, at + 1) if text[at : at + 1] == " " else None
    return follows[0] if follows else ""


def ends_at(text: str, at: int) -> bool:
    """Whether a text, or a part of its sentence, ends there."""
    return _END.match(text, at) is not None


def has_number(text: str) -> bool:
    """Whether a folded text holds a number, in digits or in words."""
    return any(char.isdecimal() for char in text) or not NUMBERS.keys().isdisjoint(WORD.findall(text))


def behind(topic: str, text: str, at: int) -> int:
    """Return where such words end that follow there; 0 where others do."""
    found = PHRASES[f"behind.{topic}"].match(text, at + 1) if text[at : at + 1] == " " else None
    return found.end() if found else 0


def with_plain_numbers(text: str, ctx: TurnContext) -> str | None:
    """Write each number with a decimal point and no groups; None where one can be read in two ways."""
    try:
        return _ALONE.sub(lambda found: _plain(found[0], ctx), text)
    except ToolFault:
        return None


def plain_value(number: str, ctx: TurnContext) -> Fraction:
    """Return how much a number is.

    Raises:
        ToolFault: it can be read in two ways.
    """
    return Fraction(_plain(number, ctx))


def size(number: str) -> int:
    """Return about how much a number is, however its thousands are written."""
    return int(re.sub("[.,]", "", _CENTS.sub("", number)) or 0)


def is_grouped(text: str, ctx: TurnContext) -> bool:
    """Whether a number is written with a point between thousands by somebody who does so."""
    return _sign(ctx) == "." and any(
        ("." in one and has_two_readings(one)) or one.count(".") > 1 for one in _ALONE.findall(text)
    )


def _plain(number: str, ctx: TurnContext) -> str:
    if not has_two_readings(number):
        return plain_number(number)
    if _sign(ctx) in number:
        return number.replace(_sign(ctx), "")
    if ctx.language == "en":
        return plain_number(number)
    raise ToolFault("ambiguous_number", f"'{number}' can be read in two ways.")


def _sign(ctx: TurnContext) -> str:
    return group_sign(locale_at(ctx.language, ctx.timezone))
