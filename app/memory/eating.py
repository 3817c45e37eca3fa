"""Questions whether somebody may eat or drink something, and the facts about health that forbid to say yes.

Nobody here knows what is in a dish or a product, so such a question is answered by code where a fact is known.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from app.domain.wording import fold
from app.language.late import LatePattern
from app.memory.health import FOOD, before_harm, is_about_medicine, is_forbidden, names_illness
from app.memory.lexicon import ALLERGIC_ONESELF, LEXICON, NEGATIONS, RELATIONS, USER
from app.memory.repository import Memory
from app.memory.similarity import content_words

MAX_CAUTIONS: Final = 2
_MAX_CHARS: Final = 300
_WORDS_BEFORE: Final = 2
_I: Final = LatePattern(LEXICON.pattern("may_i_eat"))
_THEY: Final = LatePattern(LEXICON.pattern("may_they_eat"))
_FIT: Final = LatePattern(LEXICON.pattern("fit_to_eat"))
_SURELY: Final = LEXICON["surely_eaten"]
_WE: Final = LEXICON["we"]
_THIRD: Final = LEXICON["third_person"]
_FIRST: Final = LEXICON["first_person"]
_NOT_EATEN: Final = LEXICON["not_eaten"]
_ARTICLES: Final = LEXICON["before_product"]
_TO_SOMEBODY: Final = LEXICON["to_somebody"]
_NO_OBJECT: Final = LatePattern(LEXICON.pattern("no_object"))
_OPEN: Final = LEXICON["open_questions"]
_BEFORE_OPEN: Final = LEXICON["before_questions"]
_CLAUSE: Final = re.compile(r"[,.;:!?¿¡\n]")
_SENTENCE: Final = re.compile(r"[.;:!?¿¡\n]|\A")
_WORD: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Eating:
    """Who is to eat or drink: the person themselves, `is_all` with theirs, others that are `named` among other
    words (stems and relations), or somebody who is not named."""

    is_self: bool
    is_all: bool
    is_unnamed: bool
    named: frozenset[str]

    def concerns(self, fact: str) -> bool:
        """Tell whether a fact about what somebody may not eat is about one of those."""
        whose = _whose(fact)
        if not whose:
            return self.is_self or self.is_all
        return self.is_all or self.is_unnamed or not whose.isdisjoint(self.named)


def read_eating(text: str) -> Eating | None:
    """Return who is to eat or drink something where a message asks whether they may; None for any other."""
    said = " ".join(text.split())
    if len(said) > _MAX_CHARS:
        return None
    own, others, fit = (one.search(said) for one in (_I, _THEY, _FIT))
    found = own or others or fit
    if found is None or is_about_medicine(said):
        return None
    if not _asks(said, found.start()) or not _is_of_food(said, found):
        return None
    folded = _folded(said)
    relations = {RELATIONS[word] for word in folded if word in RELATIONS}
    is_named = bool(relations) or _has_name(said)
    is_third = own is None and (others is not None or not _THIRD.isdisjoint(folded))
    return Eating(
        is_self=own is not None or not (is_third or is_named),
        is_all=own is not None and not _WE.isdisjoint(_folded(own[0])),
        is_unnamed=is_third and not is_named,
        named=frozenset({*relations, *content_words(said)}),
    )


def cautions_for(eating: Eating, facts: Iterable[Memory]) -> list[Memory]:
    """Return the newest few facts about what those may not eat."""
    return [one for one in facts if restricts_food(one.text) and eating.concerns(one.text)][-MAX_CAUTIONS:]


def restricts_food(fact: str) -> bool:
    """Tell whether a fact says that somebody cannot eat or drink something, whatever that is."""
    if not names_illness(fact):
        return is_forbidden(fact) and not FOOD.isdisjoint(content_words(fact))
    is_denied = not NEGATIONS.isdisjoint(_folded(before_harm(fact))[-_WORDS_BEFORE:])
    return not is_denied and _NOT_EATEN.isdisjoint(_folded(fact)) and not is_about_medicine(fact)


def _whose(fact: str) -> frozenset[str]:
    """Return who a fact is about, as stems and relations; none for the person who told it."""
    folded = _folded(before_harm(fact))
    relations = {RELATIONS[word] for word in folded if word in RELATIONS}
    if not relations and (not folded or folded[0] in _FIRST or not USER.isdisjoint(folded)):
        return frozenset()
    return frozenset({*relations, *content_words(" ".join(folded))}) - ALLERGIC_ONESELF - _THIRD


def _asks(said: str, start: int) -> bool:
    """Tell whether what begins there is a question for a yes or no: "what can I eat" is none."""
    opening = _folded(_CLAUSE.split(said[:start])[-1])
    first = next((word for word in opening if word not in _BEFORE_OPEN), "")
    is_question = "?" in said[start:]
    is_denied = not is_question and not NEGATIONS.isdisjoint(opening[-1:])
    return first not in _OPEN and not is_denied and (is_question or len(opening) <= _WORDS_BEFORE)


def _is_of_food(said: str, found: re.Match[str]) -> bool:
    """Tell whether something to eat is named: by its kind, as a product, or behind a verb for eating."""
    if not FOOD.isdisjoint(content_words(said)) or any(is_product for _, is_product in _capitals(said)):
        return True
    behind = said[found.end() :].lstrip()
    is_thing = bool(content_words(behind)) and _NO_OBJECT.match(behind) is None
    return is_thing and not _SURELY.isdisjoint(_folded(found[0]))


def _has_name(said: str) -> bool:
    return any(not is_product for _, is_product in _capitals(said))


def _capitals(said: str) -> list[tuple[str, bool]]:
    """Return the words with a capital that open no clause, and whether they are products: "a Rocklet"."""
    found = list(_WORD.finditer(said))
    articles = _ARTICLES - {"a"} if not _TO_SOMEBODY.isdisjoint(_folded(said)) else _ARTICLES
    opening = {one.start() for end in _SENTENCE.finditer(said) if (one := _WORD.search(said, end.end()))}
    return [
        (one[0], found[place - 1][0].lower() in articles)
        for place, one in enumerate(found)
        if one[0][:1].isupper() and len(one[0]) > 1 and one.start() not in opening
    ]


def _folded(text: str) -> list[str]:
    return _WORD.findall(fold(text))
