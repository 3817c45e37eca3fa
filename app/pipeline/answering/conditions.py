"""What somebody adds right behind advice that they asked for ("no oven though", "que no sea caro"), and what a
story asks of a book.

Shown the advice, or the story, a small model answers such a message as news; asked the question again with what
was added, or alone, it does not.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final

from app.database.repositories.conversations import StoredMessage
from app.domain.wording import fold
from app.pipeline.answering.conversation import Conversation
from app.pipeline.answering.perceiving import Question
from app.pipeline.answering.quoting import questions_in
from app.pipeline.lexicon import adds_condition, asks_for_kept, is_small_talk, wants_done
from app.pipeline.lexicon.limits import kind_asked
from app.pipeline.lexicon.stories import opens_wish
from app.pipeline.lexicon.world import asks_of_those, goes_on_asking, is_whole, stands_alone
from app.skills.picking.lexicon import PICKING
from app.skills.sources.sources import Source
from app.skills.unusable import is_news

_LEAST_ADVICE: Final = 12
"""Words of an answer that may be advice."""
_MOST_ADDED: Final = 3
_MOST_CHARS: Final = 500
_MOST_ASKED: Final = 4
_MAY_BE: Final = 0.5
_WORD: Final = re.compile(r"[^\W_]+")
_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s+|\n+")


def with_condition(text: str, history: Sequence[StoredMessage]) -> str | None:
    """Return the question just answered, with what a message adds to it; None where it adds nothing to one."""
    added = [text]
    for asked, answered in _exchanges(history)[:_MOST_ADDED]:
        if not adds_condition(added[0]) or len(answered.split()) < _LEAST_ADVICE:
            return None
        added.insert(0, asked)
        if adds_condition(asked):
            continue
        whole = "\n".join(added)
        is_question = not is_news(asked) and not is_small_talk(asked)
        return whole if is_question and len(whole) <= _MOST_CHARS else None
    return None


def _exchanges(history: Sequence[StoredMessage]) -> list[tuple[str, str]]:
    """Return what was asked and answered, the newest first, as far as one message had one answer."""
    found = []
    pairs = list(zip(history[-2::-2], history[::-2], strict=False))
    for asked, answered in pairs:
        if (asked.role, answered.role) != ("user", "assistant"):
            break
        found.append((asked.text, answered.text))
    return found


async def book_in(text: str, source: Source, source_of: Callable[[str], Awaitable[Source]]) -> tuple[str, Source]:
    """Return the question that a text of a `source` asks of a book, without the story around it, and its source.

    "They asked me which metal is the heaviest, I said I'd look": the text itself, where there is no such question,
    or where what stands around it may wish for something, too, or points to what was told before.
    """
    if source.is_live or source.is_own or source.of_errand >= _MAY_BE or asks_of_those(text):
        return text, source
    parts = dict.fromkeys(part for one in _SENTENCE.split(text) for part in questions_in(one))
    asked = [one for one in parts if one != text and is_whole(one) and _is_in_story(one, text)][:_MOST_ASKED]
    read = [(await source_of(one), one) for one in asked]
    book, question = max(read, key=lambda one: one[0].probability * one[0].is_book, default=(Source(), text))
    return (question, book) if book.is_book else (text, source)


def _is_in_story(question: str, text: str) -> bool:
    """Tell whether nothing around a question wishes for anything: "put seed on the list, and how many …"."""
    before, _, behind = text.partition(question)
    lead = _WORD.findall(re.split(r"[,;:.!?]", before)[-1])
    beside = (lead[:1], lead[-1:], _WORD.findall(question)[:1], _WORD.findall(behind)[:1])
    is_joined = any(not PICKING["joining"].isdisjoint(map(fold, one)) for one in beside)
    is_told = all(map(_only_tells, filter(str.strip, (before, behind))))
    return question in text and is_told and not is_joined


def _only_tells(text: str) -> bool:
    is_wish = wants_done(text) or opens_wish(fold(text)) or asks_for_kept(text) or kind_asked(text) is not None
    return is_news(text) and not is_wish


def asked_of_book(
    text: str, alone: str, question: Question, before: Conversation
) -> tuple[str, Question, Conversation]:
    """Return what is asked of a book, and below what: where it stands `alone`, below nothing."""
    before = before.below_book(is_alone=alone != question.asked or stands_alone(text))
    if alone == text or question.shown != question.asked:  # A file that came with it may hold the answer.
        return text, question, before
    return alone, replace(question, asked=alone, shown=alone), before


async def book_before(said_before: Sequence[str], source_of: Callable[[str], Awaitable[Source]]) -> Source | None:
    """Return the source of the question that those behind it go on from; None where that is no book."""
    asked = next((one for one in reversed(said_before) if not goes_on_asking(one)), "")
    source = await source_of(asked) if asked else Source()
    return source if source.is_book else None
