"""Words that are wanted in another language: those of courtesy, and what is said to somebody who is described."""

import re
from typing import Final

from app.language.folding import fold
from app.language.late import LatePattern
from app.pipeline.lexicon import WORDS

_LETTERS: Final = re.compile(r"[^\W\d_]+")
_COURTESIES: Final = WORDS["courtesies"]


def tongue() -> str:
    return rf"(?P<tongue>{WORDS.pattern('tongue')})(?!\w)"


def into_tongue() -> str:
    return rf"{WORDS.pattern('into')} {tongue()}"


COURTESY: Final = LatePattern(
    rf"\W{{0,9}}(?:(?:and|y) )?(?P<said>[^?¿,.;:]{{1,40}}?) {into_tongue()} ?\?\W{{0,9}}\Z"
)
"""A question of nothing but words, and a language: "thank you in French?"."""
TO_WHOM: Final = LatePattern(
    rf"{WORDS.pattern('to_whom_said')} \w+ {WORDS.pattern('who_does')} (?:\w+ ){{1,2}}?"
    rf"{WORDS.pattern('going_to')} \w+[,:]? (?:{into_tongue()}[,:]? )?(?P<said>\w.*\w)"
)
"""Who is spoken to, and behind that what is said: "to a guest who comes to the desk the lift is broken"."""


def is_courtesy(said: str) -> bool:
    return _COURTESIES.issuperset(_LETTERS.findall(fold(said)))
