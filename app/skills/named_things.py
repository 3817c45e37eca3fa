"""Whether a message speaks of things that a person has: an item of a list, a task, a project, by their words."""

import re
from collections.abc import Iterable
from typing import Final

from app.domain.wording import fold, stem, words
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS

_DONE: Final = LatePattern(
    rf"{COMMON_WORDS.pattern('telling_done')}|^\W*(?:\w+\W+)??{COMMON_WORDS.pattern('done_first')}",
)
_MAX_CHARS: Final = 300
_SENTENCE: Final = re.compile(r"[^.!?\n]+\??")
_WORD: Final = re.compile(r"\w+")
_WORDS_OF_AN_OPENING: Final = 3
_ASKING: Final = COMMON_WORDS["asking"] | COMMON_WORDS["interrogatives"]
_KINDS: Final = COMMON_WORDS["naming"]
_LEAST_LETTERS: Final = 3


def tells_done(text: str) -> bool:
    """Tell whether a text says that something was done, bought or finished: "la yerba ya la compré"."""
    return len(text) <= _MAX_CHARS and "?" not in text and _DONE.search(fold(text)) is not None


def names_one(text: str, things: Iterable[str]) -> bool:
    """Tell whether a text has a word of the name of one of these things."""
    said = set(map(stem, words(text)))
    return any(not said.isdisjoint(_telling(thing)) for thing in things)


def asked_about(text: str) -> set[str]:
    """Return the stems of what the first question of a text is about; none where it asks nothing, or for a list of
    things by their kind."""
    for sentence in _SENTENCE.findall(text[:_MAX_CHARS]):
        said = words(sentence)
        opening = set(_WORD.findall(fold(sentence))[:_WORDS_OF_AN_OPENING])
        if "?" in sentence or not opening.isdisjoint(COMMON_WORDS["interrogatives"]):
            return {stem(one) for one in said if one not in _ASKING} if _KINDS.isdisjoint(said) else set()
    return set()


def _telling(thing: str) -> set[str]:
    return {stem(word) for word in words(thing) if len(word) >= _LEAST_LETTERS and word.isalpha()}
