"""Wishes to be woken, poked or shouted at, which ask to be reminded where a time is said, and else are talk."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final

from app.domain.wording import fold
from app.language.catalogue import Language
from app.skills.tools.reminders.lexicon import (
    REMINDING,
    ROUSING_FIRST,
    is_question,
    may_rouse,
    says_something,
    what_to_say,
)
from app.when.meanings import Point, Repeat
from app.when.reading import read_wish

_PART: Final = re.compile(r"[,;!?\n]+|[.:](?=\s)")
_SENTENCE: Final = re.compile(r"(?<=[.!?;\n])\s+|\n+")
_MAX_CHARS: Final = 1_000
_MOST: Final = 24


def rouses(text: str, now: datetime, language: Language) -> bool:
    """Tell whether a text has a time, and "poke me" or the like where a wish begins. `now` is local."""
    if len(text) > _MAX_CHARS or not may_rouse(fold(text)) or read_wish(text, now, language).when is None:
        return False
    return any(_opens_so(part, now, language) for part in _PART.split(text, maxsplit=_MOST))


def _opens_so(part: str, now: datetime, language: Language) -> bool:
    what = read_wish(part, now, language).what
    return ROUSING_FIRST.match(" ".join(fold(what).split())) is not None


def own_words(text: str, called: str, now: datetime, language: Language) -> tuple[str, str]:
    """Return the sentence of a text that asks to be reminded, where it says by itself on which day, and of what;
    else the whole text: "I'm on nights till Sunday. Tomorrow at 5 poke me to pack food". And the words of a call,
    which are the sentence where they are not from it."""
    own = _own_sentence(text, now, language) if len(text) <= _MAX_CHARS else text
    return own, called if own == text or fold(called) in fold(own) else own


def _own_sentence(text: str, now: datetime, language: Language) -> str:
    sentences = [one for one in _SENTENCE.split(text, maxsplit=_MOST) if one.strip()]
    asking = list(_asking(sentences, now, language)) if len(sentences) > 1 else []
    if len(asking) != 1 or not _is_whole(asking[0], now, language):
        return text
    # "… will you remind me a bit before? About 7": what comes behind may say when.
    behind = " ".join(sentences[sentences.index(asking[0]) + 1 :])
    return asking[0] if not behind or read_wish(behind, now, language).when is None else text


def _asking(sentences: list[str], now: datetime, language: Language) -> Iterator[str]:
    return (one for one in sentences if REMINDING.search(fold(one)) or rouses(one, now, language))


def _is_whole(sentence: str, now: datetime, language: Language) -> bool:
    wish = read_wish(sentence, now, language)
    is_sure = isinstance(wish.when, Repeat) or (isinstance(wish.when, Point) and wish.when.has_day)
    thing = what_to_say(wish.what, _MAX_CHARS)
    return is_sure and says_something(thing) and not is_question(wish.what)
