"""A sum that is asked behind a story: "3 hours at the bank and no pen. whats 18 x 23"."""

import re
from collections.abc import Iterator
from typing import Final

from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.skills.tools.calculator.alone import answer_alone
from app.skills.tools.calculator.at_once import answer_at_once
from app.skills.tools.calculator.goods import read_priced
from app.skills.tools.calculator.lexicon import BEFORE, FOR_ONE, PHRASES, WORDS
from app.skills.tools.calculator.markups import read_marked
from app.skills.tools.calculator.measures import Amount, amounts, measured_ways, unit_named
from app.skills.tools.calculator.spoken import PERCENT_SIGN, WORD, behind, has_word, says, ways

_MAX_CHARS: Final = 600
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])\s+|\n+")
_CLAUSE: Final = re.compile(r"[,.;:!?\n]")
_EACH: Final = "each"
_CENTS: Final = re.compile(r"[.,]\d\d\Z")
_OF_BOTH: Final = ("left.asks", "left.asks_missing", "told.change")
_ROLES: Final = ("note", "taxes", "bought", "sold", "put_together")


def find_sum(text: str, ctx: TurnContext) -> tuple[str, Reply] | None:
    """Return what of a message asks for a sum, with the answer to that; None where it is not sure.

    That is all of it, or its last sentence, where what stands before is a story that says nothing of the sum.
    """
    if (reply := answer_alone(text, ctx) or answer_at_once(text, ctx)) is not None:
        return text, reply
    for story, asked, is_sentence in _parted(text) if len(text) <= _MAX_CHARS else ():
        reply = answer_at_once(asked, ctx) or _told(story, asked, ctx, is_sentence=is_sentence)
        if reply is not None and not _wishes(story):
            return asked, reply
    return None


def _parted(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield story and question; whether the question is a sentence of its own."""
    plain = text.strip()
    ends = list(_SENTENCE_END.finditer(plain))
    if ends:
        yield plain[: ends[-1].start()], plain[ends[-1].end() :], True
    openings = list(PHRASES["asks_last"].finditer(plain))
    if openings and openings[-1].start():
        yield plain[: openings[-1].start()], plain[openings[-1].start() :], False


def _wishes(story: str) -> bool:
    """Whether something is asked or wished in what stands before a question."""
    folded, loose = fold(story), WORDS["told.loose_wishes"]
    openers = WORDS["told.before_people"] | WORDS["around"]
    clauses = [[word for word in WORD.findall(one) if word not in openers] for one in _CLAUSE.split(folded)]
    is_begun = any(words and words[0] in loose | WORDS["told.wishes"] for words in clauses)
    is_said = not (WORDS["told.wishes"] - loose).isdisjoint(WORD.findall(folded))
    return not {"?", "¿"}.isdisjoint(story) or is_begun or is_said or says(folded, "wishes_anywhere")


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
