"""Facts about health beside a message that touches them: shown as a warning, whatever a model makes of them."""

import re
from collections.abc import Iterable
from typing import Final

from app.domain.wording import fold
from app.memory.lexicon import ALLERGIC_ONESELF, CATEGORY_WORDS, MEDICINE, TOUCHES_HEALTH, phrases
from app.memory.repository import Memory
from app.memory.similarity import content_words, stem_of

MAX_WARNINGS: Final = 2
_HEALTH: Final = frozenset(map(stem_of, CATEGORY_WORDS["health"]))
_TOUCHING: Final = frozenset(map(stem_of, TOUCHES_HEALTH))
_ALLERGIC_TO: Final = phrases("allergic_to")
_ONESELF: Final = frozenset(map(stem_of, ALLERGIC_ONESELF))
_MEDICINE: Final = frozenset(map(stem_of, MEDICINE))
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
    return not _MEDICINE.isdisjoint(content_words(text)) or _NAME_OF_MEDICINE.search(fold(text)) is not None


def tells_of_health(fact: str) -> bool:
    """Tell whether a fact is about somebody's health."""
    return not _HEALTH.isdisjoint(content_words(fact)) or _NAME_OF_MEDICINE.search(fold(fact)) is not None


def is_allergic_to(fact: str, text: str) -> bool:
    """Tell whether a fact is an allergy, or the like, of anybody's to something that a text names."""
    found = _ALLERGIC_TO.search(fold(fact))
    return found is not None and not set(content_words(fold(fact)[found.end() :])).isdisjoint(content_words(text))


def forbids(fact: str, text: str) -> bool:
    """Tell whether such an allergy is that of the person who wrote the text, or of somebody whom it names."""
    found = _ALLERGIC_TO.search(fold(fact))
    if found is None or not is_allergic_to(fact, text):
        return False
    whose = set(content_words(fold(fact)[: found.start()])) - _ONESELF
    return not whose or not whose.isdisjoint(content_words(text))


def warnings_among(facts: Iterable[Memory]) -> list[Memory]:
    """Return the facts about somebody's health, theirs or of their people; the newest few."""
    return [fact for fact in facts if tells_of_health(fact.text)][-MAX_WARNINGS:]
