"""Questions about the world, which nothing that is kept answers: where a city is, at what heat one bakes."""

import re
from typing import Final

from app.domain.places import Places
from app.domain.wording import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.pipeline.lexicon import TELLING_ME, WORDS, without_lead

_MAX_CHARS: Final = 240
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_CLAUSE: Final = re.compile(r"[,;:.!?\n]")
_WORD: Final = re.compile(r"[^\W_]+")
# Where a clause begins, also one that says why.
_WHY: Final = re.compile(r"[,;:.!\n]| (?:que|porque|because|cos|cause|as|so|y|and) ")
_IF: Final = frozenset({"if", "si", "will", "whether"})
_LEAST_WORDS: Final = 6
_FEW_WORDS: Final = 4
_MANY_WORDS: Final = 12
# Behind these a word says what is spoken of, but for one that compares, or tells which.
_ARTICLE: Final = LatePattern(
    rf"(?<!\w){WORDS.pattern('world.definite')} (?!{WORDS.pattern('world.telling_which')})"
)
_ANY_OF_A_KIND: Final = LatePattern(
    rf"(?<!\w){WORDS.pattern('world.indefinite')} (?!{WORDS.pattern('world.telling_which')})\w"
)
_EXTREME: Final = LatePattern(
    rf"(?<!\w)(?:{WORDS.pattern('world.definite')} )?{WORDS.pattern('world.telling_which')}(?!\w)"
)
_OF_A_KIND: Final = LatePattern(
    rf"(?<!\w)(?:{WORDS.pattern('world.of_what_kind')} (?!{WORDS.pattern('world.no_kind')})\w+"
    rf"|{WORDS.pattern('world.definite')} (?!{WORDS.pattern('world.telling_which')})\w+"
    rf" {WORDS.pattern('world.telling_which')})(?!\w)"
)
_GOING_ON: Final = LatePattern(rf"\W*{COMMON_WORDS.pattern('going_on')}(?!\w)")
_GOES_ON: Final = LatePattern(
    rf"\W*(?:{COMMON_WORDS.pattern('leading_on')}\W+){{0,2}}{COMMON_WORDS.pattern('going_on')}(?!\w)"
)
_OF_THOSE: Final = LatePattern(rf"\W*(?:\w+\W+){{0,5}}?{WORDS.pattern('world.of_those')}(?!\w)")
_OF_WORLD: Final = LatePattern(rf"\W*{WORDS.pattern('world.asks')}")
_FIXED: Final = LatePattern(rf"\W*{WORDS.pattern('world.fixed')}(?!\w)")
_FAR: Final = LatePattern(rf"\W*{WORDS.pattern('world.far')}(?!\w)")
_WHERE: Final = LatePattern(rf"\W*{WORDS.pattern('world.where')} (?P<place>[^,;:.!?]+)")
_SUPPOSING: Final = LatePattern(rf"\W{{0,3}}{WORDS.pattern('supposing')}(?!\w)", flags=0)
_MOST_SUPPOSED: Final = 6


def asks_world(text: str) -> bool:
    """Tell whether a text asks what is so for everybody, maybe behind a story: "how many notes in an octave"."""
    parts = [part for one in _SENTENCE.split(text) for part in (one, *_CLAUSE.split(one)[1:])]
    return len(text) <= _MAX_CHARS and any(map(_asks, filter(None, parts)))


def only_tells_weather(text: str) -> bool:
    """Tell whether a text names rain or sun and asks for neither: "text her, the rain has stopped the job"."""
    said = fold(text)
    words = _WORD.findall(said)
    if "?" in text or len(words) < _LEAST_WORDS or not WORDS["world.weather_asked"].isdisjoint(words):
        return False
    clauses = map(_WORD.findall, _WHY.split(said))
    asking = COMMON_WORDS["interrogatives"] | TELLING_ME | _IF
    return all(WORDS["world.weather_told"].isdisjoint(one) or asking.isdisjoint(one) for one in clauses)


def is_whole(question: str) -> bool:
    """Tell whether a question points to nothing outside of it: "which metal is the heaviest", no "which is it"."""
    said = _ARTICLE.sub(" ", fold(question))
    # "The heaviest" of which nothing is told; "which metal is the heaviest" tells it.
    said = _EXTREME.sub(" ", said) if _OF_A_KIND.search(fold(question)) is not None else said
    is_long = len(_WORD.findall(question)) >= _FEW_WORDS
    return is_long and (COMMON_WORDS["pointing"] | WORDS["world.referring"]).isdisjoint(_WORD.findall(said))


def stands_alone(text: str) -> bool:
    """Tell whether a question of general knowledge has words enough to be answered without what was said before:
    beside small talk, a small model goes on with that. "An eclipse" stands alone, "the smallest" does not."""
    said = _WORD.findall(fold(text))
    if _GOING_ON.match(text) is not None or asks_of_those(text):
        return False
    if len(said) >= _MANY_WORDS:
        return True
    is_long = len(said) >= _LEAST_WORDS or _ANY_OF_A_KIND.search(fold(text)) is not None
    return is_long and is_whole(text)


def asks_of_those(text: str) -> bool:
    """Tell whether a question is about some of those that were just told of: "and of those, which still run?"."""
    said = fold(text)
    is_asked = "?" in text or not COMMON_WORDS["interrogatives"].isdisjoint(_WORD.findall(said))
    return is_asked and _OF_THOSE.match(said) is not None


def supposes(text: str) -> bool:
    """Tell whether a few words only suppose something else: "y si llueve?", "what if she is late"."""
    said = " ".join(fold(text).split())
    return len(said.split()) <= _MOST_SUPPOSED and _SUPPOSING.match(said) is not None


def goes_on_asking(text: str) -> bool:
    """Tell whether a text is a short question that goes on from another one: "ok and the smallest?"."""
    is_going_on = _GOES_ON.match(fold(text)) is not None or asks_of_those(text)
    return len(_WORD.findall(text)) < _MANY_WORDS and is_going_on


def _asks(sentence: str) -> bool:
    asked = without_lead(fold(" ".join(sentence.split())))
    if (where := _WHERE.match(asked)) is not None:
        return Places().is_named(where["place"])
    found = _OF_WORLD.match(asked) or _FIXED.match(asked)
    if found is None and (found := _FAR.match(asked)) is not None:  # "From my place" is known to nobody here.
        return WORDS["world.of_oneself"].isdisjoint(_WORD.findall(asked))
    said = _WORD.findall(_CLAUSE.split(asked[found.end() :])[0]) if found else []
    return found is not None and WORDS["world.of_weather"].isdisjoint(said)
