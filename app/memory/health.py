"""Facts about health beside a message that touches them: shown as a warning, whatever a model makes of them."""

import re
from collections.abc import Iterable
from typing import Final

from app.domain.wording import fold
from app.language.late import LatePattern
from app.memory.lexicon import (
    ALLERGIC_ONESELF,
    CATEGORY_WORDS,
    HAS,
    KINDS,
    LEXICON,
    MEDICINE,
    NOT_FOR,
    OF_KIND,
    TOUCHES_HEALTH,
)
from app.memory.repository import Memory
from app.memory.similarity import content_words, stem_of

MAX_WARNINGS: Final = 2
_HEALTH: Final = frozenset(map(stem_of, CATEGORY_WORDS["health"]))
# What is of a kind that harms somebody is eaten or drunk, whatever it is called.
_TOUCHING: Final = frozenset(map(stem_of, TOUCHES_HEALTH.union(*OF_KIND.values(), *NOT_FOR.values())))
FOOD: Final = frozenset(
    set(map(stem_of, (TOUCHES_HEALTH | LEXICON["dishes"]) - LEXICON["not_food"]))
    | set(map(stem_of, (word for words in (*OF_KIND.values(), *NOT_FOR.values()) for word in words)))
)
"""Stems of what is eaten or drunk, and of meals."""
_ILLNESS: Final = frozenset(word for words in (LEXICON["allergies"], *HAS.values()) for word in words)
_ALLERGIC_TO: Final = LatePattern(LEXICON.pattern("allergic_to"))
_ALLERGY_OF: Final = re.compile(
    rf"(?<!\w)(?P<thing>\w+) (?:{'|'.join(sorted(LEXICON['behind_thing']))})(?!\w)", re.IGNORECASE
)
_FORBIDDEN: Final = LatePattern(LEXICON.pattern("forbidden"))
_FORBIDDEN_BEHIND: Final = LatePattern(rf"(?<!\w)(?P<thing>\w+) ?{LEXICON.pattern('forbidden_behind')}")
_OF_ONESELF: Final = LatePattern(rf"(?<!\w){LEXICON.pattern('forbidden_oneself')}(?!\w)")
_NEAR: Final = 8
_ONESELF: Final = frozenset(map(stem_of, ALLERGIC_ONESELF))
_MEDICINE: Final = frozenset(map(stem_of, MEDICINE))
_DOSE: Final = re.compile(r"\d ?(?:mg|mcg|µg)(?!\w)", re.IGNORECASE)
_WORD: Final = re.compile(r"\w+")
# Common stems of the names of medicines in Spanish and English (WHO, "The use of stems in the selection of
# International Nonproprietary Names", 2018), where few other words end so.
_NAME_OF_MEDICINE: Final = re.compile(
    r"\b\w{2,}(?:cilina|cillin|micina|mycin|profeno|profen|oxeno|oxen|fenaco|fenac|floxacino?|oxacin|conazol|conazole|prazol|prazole|sartan"
    r"|statina|statin|dipino|dipine|olol|azepam|zolam|cetamol|caina|tidina|tidine|formina|formin|coxib|gliptina|gliptin"
    r"|[ao]pril|tiroxina|thyroxine?|farina|farin|tralina|traline|oxetina|oxetine"
    r"|metasona|methasone|nisona|nisone|triptan|setron|ciclovir|cyclovir|vudina)s?\b"
)


def touches_health(text: str) -> bool:
    """Tell whether a text is about eating, drinking, medicine or exertion."""
    return not _TOUCHING.isdisjoint(content_words(text)) or is_about_medicine(text)


def is_about_medicine(text: str) -> bool:
    """Tell whether a text speaks of medicines, or of who prescribes them."""
    if not _MEDICINE.isdisjoint(content_words(text)) or _DOSE.search(text) is not None:
        return True
    return _NAME_OF_MEDICINE.search(fold(text)) is not None


def tells_of_health(fact: str) -> bool:
    """Tell whether a fact is about somebody's health."""
    if not _HEALTH.isdisjoint(content_words(fact)) or _NAME_OF_MEDICINE.search(fold(fact)) is not None:
        return True
    return _FORBIDDEN.search(fold(fact)) is not None and touches_health(fact)


def allergy_to(fact: str, text: str) -> frozenset[str] | None:
    """Return whose allergy to something that a text names a fact is, or condition that it is not for: stems, none
    for one's own.

    None where the fact is no such thing.
    """
    folded = fold(fact)
    found = _ALLERGIC_TO.search(folded) or _FORBIDDEN.search(folded)
    if found is not None and _names_any(text, folded[found.end() :]):
        return _whose(folded, found.start(), found.end())
    behind = _FORBIDDEN_BEHIND.search(folded)
    if behind is not None and _names_any(text, behind["thing"]):
        return _whose(folded, behind.start(), behind.end())
    told, named = {*_WORD.findall(folded)}, {*_WORD.findall(fold(text))}
    if found is None and (before := _ALLERGY_OF.search(folded)) is not None and _names_any(text, before["thing"]):
        return frozenset(content_words(folded[: before.start()])) - _ONESELF
    for condition, words in HAS.items():
        if (having := told & words) and not named.isdisjoint(NOT_FOR[condition]):
            return frozenset(content_words(folded[: folded.index(min(having))])) - _ONESELF
    return None


def _whose(folded: str, start: int, end: int) -> frozenset[str]:
    """Return stems of whom something is told of, before where it says that it harms: none for who tells it.

    "I'm on this and I can't have that": what stands before tells of the same person.
    """
    if _OF_ONESELF.search(folded[:end], max(0, start - _NEAR)) is not None:
        return frozenset()
    return frozenset(content_words(folded[:start])) - _ONESELF


def names_illness(fact: str) -> bool:
    """Tell whether a fact names an allergy, or a condition that forbids food."""
    return not _ILLNESS.isdisjoint(_WORD.findall(fold(fact)))


def before_harm(fact: str) -> str:
    """Return what a fact says before it names an allergy, such a condition, or what is forbidden."""
    folded = fold(fact)
    illness = next((one.start() for one in _WORD.finditer(folded) if one[0] in _ILLNESS), len(folded))
    found = (_ALLERGY_OF.search(folded), _FORBIDDEN.search(folded))
    return folded[: min([illness, *(one.start() for one in found if one is not None)])]


def is_forbidden(fact: str) -> bool:
    """Tell whether a fact says that something is not allowed to somebody."""
    return _FORBIDDEN.search(fold(fact)) is not None


def _names_any(text: str, harmful: str) -> bool:
    """Tell whether a text names something harmful, or what is of the kind that is."""
    if not set(content_words(harmful)).isdisjoint(content_words(text)):
        return True
    told, named = {*_WORD.findall(harmful)}, {*_WORD.findall(fold(text))}
    return any(not told.isdisjoint(words) and not named.isdisjoint(OF_KIND[kind]) for kind, words in KINDS.items())


def warnings_among(facts: Iterable[Memory]) -> list[Memory]:
    """Return the facts about somebody's health, theirs or of their people; the newest few."""
    return [fact for fact in facts if tells_of_health(fact.text)][-MAX_WARNINGS:]
