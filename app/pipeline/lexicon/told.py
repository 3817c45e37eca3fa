"""How what was told is asked for: by another word, a wider one, its time or place, or the other one of two."""

import re
from types import MappingProxyType
from typing import Final

from app.domain.wording import fold
from app.language.late import LatePattern
from app.pipeline.lexicon import OWN, WORDS, says_recall

SAME: Final = MappingProxyType(
    {word: f"{name}kind" for name, said in WORDS.table("same").items() for word in said}
)
"""One word for what is called so, or is a form of it: "kids" and "children", "drove" and "drives"."""
WIDER: Final = MappingProxyType(
    {
        word: frozenset(f"{one}kind" if one in WORDS.table("same") else one for one in name.split("_"))
        for name, said in WORDS.table("wider").items()
        for word in (*said, *(f"{one}kind" for one in said))
    }
)
"""What a thing is asked for as that is told by a narrower word: a make as a car, a trade as work."""
THE_OTHER: Final = LatePattern(rf"\W*{WORDS.pattern('the_other')}\W*")
SECOND_HALF: Final = LatePattern(rf"[,;]? (?={WORDS.pattern('second_half')})")
WHEN_OR_WHERE: Final = LatePattern(
    rf"(?P<when>{WORDS.pattern('asking_when')})|(?P<where>{WORDS.pattern('asking_where')})"
)
TOLD_AS: Final = LatePattern(
    rf"{WORDS.pattern('is_so')} (?=(?P<when>.{{0,40}}?(?:\d|{WORDS.pattern('a_day')}))?)"
    rf"(?=(?P<where>.{{0,40}}?{WORDS.pattern('at_a_place')})?)"
)
"""What stands between a thing and where or when it is; its groups say whether that follows."""
GENERAL: Final = LatePattern(WORDS.pattern("general"))
"""Asks what is so of every such thing: "what does a nurse earn"."""
ASKS_AGE: Final = LatePattern(WORDS.pattern("asks_age"))
TELLS_AGE: Final = LatePattern(rf"(?=(?P<said>{WORDS.pattern('tells_age')}))\W?\w+ (?P<age>\w+)")
CHANGED: Final = LatePattern(rf"\W{{0,3}}{WORDS.pattern('changed')}(?!\w)")
"""Tells of whom was just spoken of, unnamed, that they are elsewhere now."""
HOUR: Final = WORDS["hour"]
YEAR: Final = WORDS["year"]
ONCE_MORE: Final = WORDS["once_more"]
OF_NUMBERS: Final = WORDS["of_numbers"]
NAMING: Final = WORDS["naming"]
ASKS_NAMED: Final = LatePattern(rf"(?<!\w){WORDS.pattern('asks_named')}(?!\w)")
PRONOUNS: Final = WORDS["pronouns"]
RANKING: Final = WORDS["ranking"]
ASKER: Final = LatePattern(rf"{WORDS.pattern('asker')}|{WORDS.pattern('asker_last')}(?=[ .!?]{{0,3}}\Z)")
"""Who wants to know, beside a question."""
ENDINGS: Final = WORDS["endings"]
SEXES: Final = WORDS["sexes"]
TITLES: Final = WORDS["titles"]
_WORD: Final = re.compile(r"\w+")


def recalls_own(text: str) -> bool:
    """Tell whether a text asks for what its author told, as "do you remember when the war began" does not."""
    return says_recall(text) and not OWN.isdisjoint(_WORD.findall(fold(text)))
