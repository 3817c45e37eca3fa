"""A sum that is asked behind a story: "3 hours at the bank and no pen. whats 18 x 23"."""

import re
from collections.abc import Iterator
from typing import Final

from app.domain.errors import ToolFault
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.skills.tools.calculator.alone import answer_alone
from app.skills.tools.calculator.at_once import answer_at_once
from app.skills.tools.calculator.conversions import answer_conversion, with_units
from app.skills.tools.calculator.goods import read_priced
from app.skills.tools.calculator.lexicon import BEFORE, FOR_ONE, OPENING, PHRASES, WORDS
from app.skills.tools.calculator.markups import read_marked
from app.skills.tools.calculator.measures import Amount, amounts, measured_ways, unit_named
from app.skills.tools.calculator.spoken import (
    PERCENT_SIGN,
    WORD,
    behind,
    first_read,
    has_number,
    has_word,
    says,
    ways,
    wishes,
)
from app.skills.tools.calculator.two_asked import answer_two, leaves_one

_MAX_CHARS: Final = 600
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])\s+|\n+")
_EACH: Final = "each"
# "…, the waiter was kind", "… es que la tabla viene así": its first word is part of the reason.
_EXPLAINS: Final = LatePattern(
    rf" ?,? (?={COMMON_WORDS.pattern('giving_reason')})|(?:, |(?<=\d) )(?={WORDS.pattern('told.tells')} )"
    rf"|(?<=[\d%]) ?,? (?={WORDS.pattern('told.says_why')} )"
)
_CENTS: Final = re.compile(r"[.,]\d\d\Z")
_OF_BOTH: Final = ("left.asks", "left.asks_missing", "told.change")
_ROLES: Final = ("note", "taxes", "bought", "sold", "put_together")


def find_sum(text: str, ctx: TurnContext) -> tuple[str, Reply] | None:
    """Return what of a message asks for a sum, with the answer to that; None where it is not sure.

    That is all of it, its last sentence, where what stands before is a story that says nothing of the sum, or what
    stands before such a story. Of two sums it is the second, with the answers to both.
    """
    if (reply := answer_alone(text, ctx) or answer_at_once(text, ctx)) is not None:
        return text, reply
    if (both := answer_two(text, ctx)) is not None or leaves_one(text, ctx):
        return both
    for story, asked, is_sentence in _parted(text) if len(text) <= _MAX_CHARS else ():
        reply = answer_at_once(asked, ctx) or _told(story, asked, ctx, is_sentence=is_sentence)
        if reply is not None and not wishes(story):
            return asked, reply
    return next(filter(None, (_apart(asked, reason, ctx) for asked, reason in explained(text))), None)


def _apart(asked: str, reason: str, ctx: TurnContext) -> tuple[str, Reply] | None:
    """Answer a plain calculation or conversion with a reason behind it, which says nothing of a sum."""
    if not is_free(reason):
        return None
    is_asked = "?" in asked or "%" in ways(asked)[0] or OPENING.match(fold(asked)) is not None
    reply = answer_at_once(asked, ctx) if is_asked else None
    return (asked, reply) if (reply := reply or _converted(asked, ctx)) is not None else None


def is_free(reason: str) -> bool:
    """Whether what is told behind a sum says something, and nothing of a sum, nor wishes anything."""
    said = ways(reason)[0]
    is_of_sum = has_number(said) or says(said, "told.sum_goes_on")
    return not is_of_sum and WORD.search(said) is not None and not wishes(reason)


def _converted(asked: str, ctx: TurnContext) -> Reply | None:
    try:
        told = first_read(lambda way: answer_conversion(way, ctx), measured_ways(with_units(asked)))
    except ToolFault:
        return None
    return Reply(literal=told) if told else None


def explained(text: str) -> Iterator[tuple[str, str]]:
    """Yield a question and what a message says behind it: sentences of their own, or a reason."""
    plain = " ".join(text.split()) if len(text) <= _MAX_CHARS else ""
    for found in (_SENTENCE_END.search(plain), _EXPLAINS.search(plain.lower())):
        if found is not None and found.start():
            yield plain[: found.start()], plain[found.end() :]


def _parted(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield story and question; whether the question is a sentence of its own."""
    plain = text.strip()
    ends = list(_SENTENCE_END.finditer(plain))
    if ends:
        yield plain[: ends[-1].start()], plain[ends[-1].end() :], True
    openings = list(PHRASES["asks_last"].finditer(plain))
    if openings and openings[-1].start():
        yield plain[: openings[-1].start()], plain[openings[-1].start() :], False


def _told(story: str, asked: str, ctx: TurnContext, *, is_sentence: bool) -> Reply | None:
    """Answer a question that tells all of its sum, where no number of the story may belong to it."""
    folded = ways(asked)[0]
    is_of_both = has_word(folded, "told.points_back") or any(says(folded, topic) for topic in _OF_BOTH)
    is_less = says(folded, "told.asks_hours") and says(fold(story), "told.pause")
    is_loose = not is_sentence and read_priced(asked) is None and read_marked(asked) is None
    way = measured_ways(story)[0]
    if is_of_both or is_less or is_loose or any(_is_of_a_sum(way, one) for one in amounts(way)):
        return None
    reply = answer_alone(asked, ctx)
    is_shared = reply is not None and not {"×", "/"}.isdisjoint(reply.literal or "")
    return reply if is_shared or _EACH not in WORD.findall(folded) else None


def _is_of_a_sum(text: str, one: Amount) -> bool:
    """Whether a number is a price, a share, what is paid with, or so much for each."""
    if PERCENT_SIGN.match(text, one.end) or text[one.start] in "$€£" or behind("money", text, one.end):
        return True
    per = FOR_ONE.match(text, one.end)
    is_priced = _CENTS.search(one.value) is not None or (per is not None and unit_named(per["thing"]) != "")
    return is_priced or any(BEFORE[f"told.{role}"].search(text[: one.start]) for role in _ROLES)
