"""Wishes for one more whose thing is named by what is other about it: "and the brown one", "y el azul"."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from app.domain.wording import fold
from app.language.catalogue import Language
from app.skills.tools.reminders import lexicon
from app.skills.tools.reminders.lexicon import flat, spoken
from app.skills.tools.reminders.repository import Reminder
from app.when.meanings import Habits, When, likely_of, says_hour
from app.when.reading import read_wish

_ONE: Final = re.compile(r"(?:the|my|our) ([^\W\d_]+) one", re.IGNORECASE)
_NOUN: Final = re.compile(
    r"(?P<lead>.*\b(?:the|my|our)) (?:(?P<which>[^\W\d_]+) )?(?P<noun>[^\W\d_]+)", re.IGNORECASE
)
_ARTICLE_BEFORE: Final = 2


def in_full(what: str, newest: str) -> str:
    """Return what one more is to say, with the thing of the newest where it only tells which other one is meant:
    "put out the brown bin", of "the brown one", behind "put out the green bin". Any other thing as it is."""
    if (one := _ONE.fullmatch(what.strip())) is not None:
        noun = _NOUN.fullmatch(newest)
        return what if noun is None else f"{noun['lead']} {one[1]} {noun['noun']}"
    return _by_adjective(what, newest)


def is_other_one(text: str, newest: str, now: datetime, language: Language) -> bool:
    """Tell whether a text only says which other one of the newest's kind is wanted, and when: "and the brown one
    on Friday". `now` is local."""
    opening = lexicon.AND_ANOTHER.match(flat(text))
    if opening is None or "?" in text:
        return False
    wish = read_wish(text[opening.end() :], now, language)
    return bool(likely_of(wish.when)) and in_full(wish.what, newest) != wish.what


def other_one(
    what: str, found: When | None, newest: Reminder, said: str, now: datetime, language: Language
) -> tuple[str, When | None]:
    """Return what one more says, and when it comes: at the hour of the newest, where it only tells which other one
    is meant, and no hour."""
    full = in_full(what, newest.text)
    if full == what or says_hour(found) or not likely_of(found):
        return full, found
    hour = newest.due.time()
    return full, read_wish(said, now, language, Habits(hour, near=hour)).when or found


def _by_adjective(what: str, newest: str) -> str:
    """Put the last word of the newest right by a bare one like it: "sacar el tacho azul", of "el azul"."""
    said, old = spoken(what), newest.split()
    is_bare = len(said) == _ARTICLE_BEFORE and said[0] in lexicon.ARTICLES and said[1] in lexicon.TELLS_WHICH
    if not is_bare or len(old) <= _ARTICLE_BEFORE or not _is_same_article(said[0], old):
        return what
    kept = old[:-1] if fold(old[-1]) in lexicon.TELLS_WHICH else old
    return " ".join((*kept, what.split()[-1]))


def _is_same_article(article: str, words: Sequence[str]) -> bool:
    """Tell whether the last thing of a text has that article: "el" of "sacar el tacho verde"."""
    found = [fold(word) for word in words if fold(word) in lexicon.ARTICLES]
    return bool(found) and found[-1] == article
