"""How people ask what is so of a country, in every language."""

import re
from types import MappingProxyType
from typing import Final, Literal

from app.language.late import LatePattern
from app.language.lexicon import Lexicon

Topic = Literal["capital", "currency", "languages", "continent"]
TOPICS: Final[tuple[Topic, ...]] = ("capital", "currency", "languages", "continent")

WORDS: Final = Lexicon.of(__package__)
_CLAUSE: Final = re.compile(r"[.,;:!¿\n]")
ELSEWHERE: Final = WORDS["elsewhere"]
GOES_ON: Final = LatePattern(rf"{WORDS.pattern('goes_on')} ")
NAMED: Final = MappingProxyType(
    {one: LatePattern(rf"(?<!\w){WORDS.pattern(f'named.{one}')}(?!\w)") for one in TOPICS}
)
"""What is named of a country, asked for or not."""
_ASKED: Final = MappingProxyType(
    {one: LatePattern(rf"(?<!\w){WORDS.pattern(f'asked.{one}')}(?!\w)") for one in TOPICS}
)
_OPENS: Final = MappingProxyType({one: LatePattern(rf"{WORDS.pattern(f'opens.{one}')}(?!\w)") for one in TOPICS})
_IS_IT: Final = MappingProxyType(
    {one: LatePattern(rf"(?<!\w){WORDS.pattern(f'is_it.{one}')}(?!\w)") for one in TOPICS}
)
_CITY: Final = r"(?P<city>[^\W\d_]+(?: [^\W\d_]+){0,2}?)"
OF_WHICH: Final = LatePattern(
    rf"(?<!\w){WORDS.pattern('of_which_before')} {_CITY} {WORDS.pattern('of_which_behind')}(?!\w)"
)
# "Which is it?", of what was named before.
_WHICH: Final = LatePattern(
    rf"(?<!\w){WORDS.pattern('which')}(?=\W*\Z|\s?[.,;:!?]| {WORDS.pattern('behind_which')}(?!\w))"
)


def asks(text: str, topic: Topic) -> bool:
    """Tell whether a folded text, which names a topic, asks for it."""
    named = NAMED[topic].search(text)
    is_asked = _ASKED[topic].search(text) or _OPENS[topic].match(text)
    return bool(
        is_asked
        or (named and _WHICH.search(text, named.end()))
        or any(_IS_IT[topic].search(_CLAUSE.split(one)[-1]) for one in text.split("?")[:-1])
    )
