"""Adds up what a person has just told, one amount a message: a small model adds wrong, and does not say so."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.domain.errors import ToolFault
from app.domain.outbound import Reply
from app.domain.turn import Said, TurnContext
from app.domain.wording import fold
from app.language.catalogue import say
from app.skills.tools.calculator.calculator_tools import calculate
from app.skills.tools.calculator.corrections import Correction, read_correction, read_named
from app.skills.tools.calculator.lexicon import PHRASES, WORDS
from app.skills.tools.calculator.spoken import NUMBER, WORD, behind, ends_at
from app.skills.tools.calculator.texts import CALCULATOR

_LEAST: Final = 2
_EDGES: Final = " .!?¡¿"
_DIGITS: Final = re.compile(r"\d")
# A number that stands alone: no time, date, share, weight or code, and nothing that is counted.
_AMOUNT: Final = re.compile(
    r"(?<![\w.,:/+-])[$€£]?\s?(?P<number>\d{1,9}(?:[.,]\d{1,3}){0,3})(?![\w.,:/%-]*\d)(?![:/%\w])(?=[.,;!?)]*(?:\s|\Z))"
)


def answer_total(asked: str, said: Sequence[str], ctx: TurnContext) -> Reply | None:
    """Return the sum that "how much is that so far?" asks for, with its parts; `said`: what they wrote before.

    Where not each message before has one number alone, those count that tell what was spent. An amount just
    told that is put right is told as such. None for every other message, and where there is no amount.
    """
    if PHRASES["total"].fullmatch(fold(asked).strip(_EDGES)) is None:
        right = None if read_correction(asked) is None else read_put_right(said, asked)
        return right and Reply(literal=say(CALCULATOR.corrected, ctx.language, old=right[0], new=right[1]))
    told = [one for one in said if _DIGITS.search(one)]
    if not (parts := read_amounts(told, is_of_spending=PHRASES["spent_so_far"].search(fold(asked)) is not None)):
        return None
    if len(parts) < _LEAST:
        return Reply(literal=say(CALCULATOR.total, ctx.language, sum=parts[0]))
    try:
        result = calculate(" + ".join(parts), ctx=replace(ctx, said=Said(now=tuple(told))))
    except ToolFault:
        return None
    return Reply(literal=say(CALCULATOR.total, ctx.language, sum=result.reply)) if result.reply else None


def read_amounts(told: Sequence[str], *, is_of_spending: bool) -> list[str]:
    """Return the amounts of messages with numbers, oldest first; none where it is not sure which of them count.

    A single one counts where the question `is_of_spending` and it was spent, or looks like a price.
    """
    told = _put_right(told)
    parts = _corrected(told, [_amount(text) for text in told], is_each_told=True)
    is_one_enough = is_of_spending and any(_spent(text) or _looks_like_price(text) for text in told)
    if parts and len(parts) >= (1 if is_one_enough else _LEAST):
        return parts
    return _corrected(told, [_spent(text) for text in told], is_each_told=False) or []


def read_put_right(said: Sequence[str], correction: str) -> tuple[str, str] | None:
    """Return the amount that was told as spent last and the one that takes its place; None where none was.

    `said`: what the person wrote before, oldest first; nothing but corrections may stand between.
    """
    first = next((n for n in reversed(range(len(said))) if read_correction(said[n]) is None), 0)
    told = said[first:]
    if not told or not _tells_spending(told[0]):
        return None
    before, after = (read_amounts(one, is_of_spending=True) for one in (told, [*told, correction]))
    return (before[0], after[0]) if len(before) == len(after) == 1 and before != after else None


def _tells_spending(text: str) -> bool:
    """Tell whether a text begins with an amount that was spent: one that is to be noted is kept elsewhere."""
    verb = PHRASES["money_out"].search(fold(text))
    return (
        verb is not None
        and WORDS["before_money_out"].issuperset(WORD.findall(fold(text)[: verb.start()]))
        and bool(_spent(text))
    )


def _put_right(told: Sequence[str]) -> list[str]:
    """Return the messages without those that name again what one before told, which has their number instead."""
    kept: list[str] = []
    for text in told:
        named = read_named(text)
        place = None if named is None else _place_of(named[0], kept)
        if named is None or place is None:
            kept.append(text)
        else:
            kept[place] = _AMOUNT.sub(named[1], kept[place])
    return kept


def _place_of(thing: str, told: Sequence[str]) -> int | None:
    """Return which message told one amount of such a thing, the newest first."""
    return next(
        (n for n in reversed(range(len(told))) if thing in WORD.findall(fold(told[n])) and _amount(told[n])), None
    )


def _looks_like_price(text: str) -> bool:
    plain = fold(text)
    found = NUMBER.search(plain)
    return found is not None and (
        found[0] != found["number"] or ends_at(plain, found.end()) or behind("amount", plain, found.end()) > 0
    )


def _corrected(told: Sequence[str], amounts: Sequence[str | None], *, is_each_told: bool) -> list[str] | None:
    """Return the amounts of messages, oldest first; one that corrects takes the place of the one it is about.

    `amounts` are those of the messages in `told`. None where a message has no amount and each should have one, or
    corrects nobody knows what.
    """
    parts: list[str] = []
    was_amount = False
    for text, amount in zip(told, amounts, strict=True):
        correction = read_correction(text)
        place = _place(parts, correction, was_amount=was_amount) if correction else None
        if correction and place is not None:
            parts[place] = correction.new
        elif amount is not None:
            parts.append(amount)
        elif is_each_told or correction:
            return None
        was_amount = place is not None or amount is not None
    return parts


def _place(parts: Sequence[str], correction: Correction, *, was_amount: bool) -> int | None:
    """Return which amount is corrected: the one that is named, else that of the message before."""
    if correction.old is None:
        return len(parts) - 1 if parts and was_amount else None
    return next((place for place in reversed(range(len(parts))) if parts[place] == correction.old), None)


def _spent(text: str) -> str | None:
    """Return the first amount behind the word that tells of spending: "I spent 12.80 on parking"."""
    verb = PHRASES["spent"].search(fold(text))
    found = None if verb is None else _AMOUNT.search(text, verb.end())
    return None if found is None else found["number"]


def _amount(text: str) -> str | None:
    """Return the only number of a message, if it is an amount."""
    found = _AMOUNT.findall(text)
    return found[0] if len(found) == 1 and len(_DIGITS.findall(text)) == len(_DIGITS.findall(found[0])) else None
