"""How what was told is asked for: by another word, a wider one, its time or place, or the other one of two."""

import re
from collections.abc import Collection
from types import MappingProxyType
from typing import Final

from app.domain.wording import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS, STOP_WORDS
from app.pipeline.lexicon import KIN, OWN, WORDS, says_recall

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
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_MARRIED: Final = LatePattern(rf"(?<!\w){WORDS.pattern('married_to')} (?P<name>[^\W\d_]{{3,}})", flags=0)
_NUMBERS: Final = frozenset(word for words_of in COMMON_WORDS.table("numbers").values() for word in words_of)
_DOING: Final = ("ing", "ando", "iendo")
_WHO: Final = LatePattern(
    rf"\W*{WORDS.pattern('asks_who')} (?P<name>[^\W\d_]{{3,}})(?: {WORDS.pattern('recall_behind')}| again)?\W*\Z",
    flags=0,
)


def who_is_named(question: str) -> str:
    """Return the folded name where a question asks who somebody is and says nothing else, even written small."""
    found = _WHO.match(fold(question))
    name = "" if found is None else found["name"]
    return "" if name in SAME or name.endswith(_DOING) or name in OWN | PRONOUNS | STOP_WORDS else name


def recalls_own(text: str) -> bool:
    """Tell whether a text asks for what its author told, as "do you remember when the war began" does not."""
    return says_recall(text) and not OWN.isdisjoint(_WORD.findall(fold(text)))


def asks_of_spouse(called: Collection[str]) -> bool:
    """Tell whether a question that has such words is about somebody's husband or wife."""
    return not WORDS["marriage_asked"].isdisjoint(map(fold, called))


def tells_marriage(text: str) -> bool:
    """Tell whether its author tells to whom they are married: "25 years married to Remedios"; not of a brother."""
    said = " ".join(fold(text).split())
    found = _MARRIED.search(said)
    if found is None or found["name"] in STOP_WORDS or is_number(found["name"]):
        return False
    return WORDS["marriage_of_others"].isdisjoint(_LETTERS.findall(said[: found.start()]))


def is_number(word: str) -> bool:
    return word.isdigit() or word in _NUMBERS


def with_kin(text: str) -> str:
    """Return the folded text with one word for what is called so: a relative, however they are described."""
    folded = " ".join(fold(text).split())
    for described, name in KIN:
        folded = described.sub(name, folded)
    return _LETTERS.sub(lambda word: SAME.get(word[0], word[0]), folded)


_OF_ONESELF: Final = LatePattern(rf"\A\W*{WORDS.pattern('asks_of_oneself')}\W*\Z")
_OF_KIN: Final = LatePattern(
    rf"\W*(?:{'|'.join(sorted(WORDS['mine']))}) "
    rf"(?:{COMMON_WORDS.pattern('female_kin')}|{COMMON_WORDS.pattern('male_kin')})(?!\w)"
)


def may_answer(question: str, told: Collection[str]) -> list[str]:
    """Return what was told without what is of somebody's family, where a question is of nobody but who asks:
    "where do I work" is not answered by where a sister does."""
    is_of_oneself = _OF_ONESELF.search(fold(question)) is not None
    return [one for one in told if not is_of_oneself or _OF_KIN.match(fold(one)) is None]
