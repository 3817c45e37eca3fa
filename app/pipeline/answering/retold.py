"""Which of a person's own messages tells what they ask back: "which bus did I tell you I take to the clinic"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.domain.wording import fold, stem, words
from app.language.late import LatePattern
from app.pipeline.answering import quoting
from app.pipeline.answering.counted import is_of_them, number_told
from app.pipeline.answering.wishes import QUOTED_CHARS, Known, put_right, quoted
from app.pipeline.lexicon import OWN, WORDS, asks_for_kept, wants_done
from app.pipeline.lexicon.counted import asks_number_told, kinds_in
from app.pipeline.lexicon.retold import AskedBack, asked_back, holds_kind, kinds_called, opens_asking
from app.pipeline.lexicon.told import with_kin
from app.pipeline.texts import PIPELINE

_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s+|\n+")
_CLAUSE: Final = LatePattern(rf"(?<=[,;:]) +| (?={WORDS.pattern('retold.joins')} )", flags=0)
_WORD: Final = re.compile(r"[^\W\d_]+")
_SHORT_FORM: Final = 4
_SUBJECT: Final = 3
_CLEARLY: Final = 2
_OF_ITS_KIND: Final = 1.5
_CALLED_SO: Final = 0.5
_A_WISH: Final = 1.0
_HALF: Final = 2
_OF_FEW_WORDS: Final = frozenset({"score", "colour", "language"})


@dataclass(frozen=True, slots=True)
class _Share:
    """How much one thing that was told has of a question: `count` of its words, and what is asked for."""

    told: str
    count: int
    is_of_kind: bool
    score: float


def asks_back(text: str) -> bool:
    """Tell whether a text asks for something that its author told."""
    return asks_number_told(text) or asked_back(text) is not None


def told_back(text: str, said: Sequence[str]) -> Known | None:
    """Return the one thing of what was `said` (oldest first) that clearly tells what a text asks back."""
    if (known := number_told(text, said)) is not None or (asked := asked_back(text)) is None:
        return known
    if asks_number_told(text):
        return number_told(text, [part for one in said for part in _parts(one)])
    content = _content(asked)
    best = _best(asked, content, said)
    return None if best is None or not _is_clear(asked, content, best) else _known(best, said)


def told_near(text: str, said: Sequence[str]) -> Known | None:
    """Return what is nearest to what a text asks back, where some word of it stands in what was said."""
    asked = None if asks_number_told(text) else asked_back(text)
    best = None if asked is None or not asked.is_told else _best(asked, _content(asked), said)
    return None if best is None else _known(best, said)


def _known(best: _Share, said: Sequence[str]) -> Known:
    return Known(PIPELINE.told_before, quoted(quoting.with_gone([best.told], said)))


def _is_clear(asked: AskedBack, content: frozenset[str], best: _Share) -> bool:
    if asked.kind and not best.is_of_kind:
        return False
    if not content:
        return bool(asked.kind)
    if asked.kind and best.count * _HALF >= len(content):
        return True
    least = min(_CLEARLY, len(content)) if asked.is_told or asked.is_again else _CLEARLY
    return best.count >= least


def _content(asked: AskedBack) -> frozenset[str]:
    """Return the stems of what is asked, without the word for the kind of answer."""
    read = quoting.read_question(asked.question)
    called = {stem(word) for word in words(with_kin(" ".join(kinds_called(asked.kind))))} if asked.kind else set()
    return (read.content | read.naming) - called - frozenset(map(stem, OWN))


def _best(asked: AskedBack, content: frozenset[str], said: Sequence[str]) -> _Share | None:
    """Return what shares most with a question, of equals what was told last."""
    names = quoting.read_question(asked.question).names
    is_of_me = not asked.own_words.isdisjoint(WORDS["retold.myself"]) and not kinds_in(asked.own_words)
    shares = [
        share
        for message in put_right(said)
        if not asks_for_kept(message) or not wants_done(message)
        for told in _parts(message)
        if is_of_them(asked.question, asked.own_words, told, names_in=message)
        and (share := _share(asked, content, told)) is not None
        and names <= _stems(message)
        and not (is_of_me and _is_of_another(told))
    ]
    return max(reversed(shares), key=lambda one: one.score, default=None)


def _is_of_another(told: str) -> bool:
    """Tell whether what was told is of somebody else alone: "my brother takes the 88"."""
    said = _WORD.findall(fold(told))
    return bool(kinds_in(frozenset(said[:_SUBJECT]))) and WORDS["retold.myself"].isdisjoint(said)


def _share(asked: AskedBack, content: frozenset[str], told: str) -> _Share | None:
    if "?" in told or told.startswith("/") or opens_asking(told) or asked_back(told) is not None:
        return None
    present = _stems(told)
    count = sum(_is_in(word, present) for word in content)
    is_of_kind = bool(asked.kind) and holds_kind(told, asked.kind)
    called = asked.own_words & kinds_called(asked.kind) if asked.kind else frozenset()
    is_called = any(_is_in(stem(word), present) for word in called)
    if not count and not (is_of_kind and (is_called or not content or asked.kind in _OF_FEW_WORDS)):
        return None
    score = count + _OF_ITS_KIND * is_of_kind + _CALLED_SO * is_called - _A_WISH * wants_done(told)
    return _Share(told, count, is_of_kind, score)


def _is_in(word: str, present: set[str]) -> bool:
    """Tell whether a word, a form of it or its short form ("uni", "facu") stands in what was told."""
    return quoting.holds(present, word) or any(
        min(len(one), len(word)) >= _SHORT_FORM and (one.startswith(word) or word.startswith(one))
        for one in present
    )


def _stems(told: str) -> set[str]:
    return {stem(word) for word in words(with_kin(told))}


def _parts(message: str) -> list[str]:
    """Return a message, or where it is too long to be quoted its sentences and the clauses of long ones, each with
    those around it."""
    flat = " ".join(message.split())
    if len(flat) <= QUOTED_CHARS:
        return [_told_beside(one) for one in _SENTENCE.split(flat)] if "?" in flat else [flat]
    found: list[str] = []
    for sentence in _SENTENCE.split(message):
        found += [sentence] if len(sentence) <= QUOTED_CHARS else _windows(_CLAUSE.split(sentence))
    return found


def _told_beside(sentence: str) -> str:
    """Return what a sentence tells before it asks: "my son is allergic to nuts and we fly tomorrow, what …?"."""
    told = [one for one in _CLAUSE.split(sentence) if one.strip()]
    return " ".join(told[:-1]).strip(" ,;:") if "?" in sentence else sentence


def _windows(clauses: Sequence[str]) -> list[str]:
    """Return each clause with the one behind it where both are short enough to be quoted."""
    found = []
    for place, clause in enumerate(clauses):
        both = " ".join(clauses[place : place + 2])
        found.append((both if len(both) <= QUOTED_CHARS else clause[:QUOTED_CHARS]).strip(" ,;:"))
    return found
