"""Words that are wanted in another language: those of courtesy, and what is said to somebody who is described."""

import re
from typing import Final

from app.language.folding import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.pipeline.lexicon import WORDS

_LETTERS: Final = re.compile(r"[^\W\d_]+")
_POINTED: Final = re.compile(r"[:,]\s*")
_COURTESIES: Final = WORDS["courtesies"]


def tongue() -> str:
    return rf"(?P<tongue>{WORDS.pattern('tongue')})(?!\w)"


def into_tongue() -> str:
    return rf"{WORDS.pattern('into')} {tongue()}"


ASKED: Final = (
    LatePattern(rf"{WORDS.pattern('asks_saying')},? {into_tongue()}[:,]? (?P<said>[^?]{{1,300}})"),
    LatePattern(rf"{WORDS.pattern('asks_saying')}[:,]? (?P<said>[^?]{{1,300}}?),? {into_tongue()}"),
    LatePattern(rf"{into_tongue()},? {WORDS.pattern('asks_saying')}[:,]? (?P<said>[^?]{{1,300}})"),
    LatePattern(rf"{WORDS.pattern('asks_word')} {tongue()} {WORDS.pattern('word_for')} (?P<said>[^?,.;]{{1,60}})"),
)
"""Words that are wanted in a language that is named."""
COURTESY: Final = LatePattern(
    rf"\W{{0,9}}(?:(?:and|y) )?(?P<said>[^?¿,.;:]{{1,40}}?) {into_tongue()} ?\?\W{{0,9}}\Z"
)
"""A question of nothing but words, and a language: "thank you in French?"."""
_SPOKEN_BADLY: Final = LatePattern(
    rf"(?<!\w)(?:{WORDS.pattern('own_tongue')} (?P<own>{WORDS.pattern('tongue')}) {WORDS.pattern('is_poor')}"
    rf"|{WORDS.pattern('speaking_badly')} {tongue()})"
)
_BEHIND_JOY: Final = re.compile(
    r"[^?¿\d]{1,40}?\W(?:and|y|e) (?P<said>[^?¿,.;:!]{2,40})\?\W{0,9}\Z", re.IGNORECASE
)
_MOST_JOY: Final = 5
TO_WHOM: Final = LatePattern(
    rf"{WORDS.pattern('to_whom_said')} \w+ {WORDS.pattern('who_does')} (?:\w+ ){{1,2}}?"
    rf"{WORDS.pattern('going_to')} \w+[,:]? (?:{into_tongue()}[,:]? )?(?P<said>\w.*\w)"
)
"""Who is spoken to, and behind that what is said: "to a guest who comes to the desk the lift is broken"."""


def is_courtesy(said: str) -> bool:
    return _COURTESIES.issuperset(_LETTERS.findall(fold(said)))


def behind_pointing(text: str) -> str:
    """Return the words that others point to: those behind "this: …"."""
    head, *rest = _POINTED.split(text, maxsplit=1)
    is_pointing = rest and COMMON_WORDS["pointing"].issuperset(_LETTERS.findall(fold(head)))
    return rest[0] if is_pointing else text


def courtesy_behind_joy(text: str) -> str:
    """Return the courtesy that a short reaction goes on to ask for: "aw, so sweet! And goodbye?"; else ""."""
    found = _BEHIND_JOY.match(text)
    is_asked = found is not None and len(text[: found.start("said")].split()) <= _MOST_JOY + 1
    return found["said"].strip() if found is not None and is_asked and is_courtesy(found["said"]) else ""


def spoken_badly(text: str) -> str:
    """Return the language that whoever writes hardly speaks: "my French is poor"; "" where none is told."""
    found = _SPOKEN_BADLY.search(text)
    return "" if found is None else found["own"] or found["tongue"]
