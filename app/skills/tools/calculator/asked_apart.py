"""A conversion that one clause of a message asks for whole, whatever others count: "how many metres is 70 feet?
Moll says 15"; and one into what was named before: "aunt Bea reads feet, 240 cm is what in that?".
"""

import re
from typing import Final

from app.domain.wording import fold
from app.skills.tools.calculator.lexicon import MEASURE_WORDS, PHRASES
from app.skills.tools.calculator.measures import amounts, dimension, measured_ways
from app.skills.tools.calculator.spoken import WORD, has_number, has_word, wishes

_CLAUSE: Final = re.compile(r"[^,;:!?\n.]*(?:[,.](?=\w)[^,;:!?\n.]*)*[,;:!?\n.]*")


def asking_clause(text: str) -> str:
    """Return the only clause that asks how much, where another one has a number, too; "" for any other text."""
    clauses = [one for one in _CLAUSE.findall(text) if one.strip()]
    asking = [one for one in clauses if has_word(fold(one), "told.asks_many") and has_number(fold(one))]
    others = [one for one in clauses if one not in asking]
    beside = any(has_number(fold(one)) for one in others)
    is_alone = len(asking) == 1 and beside and not any(wishes(one.rstrip("?¿ ")) for one in others)
    return asking[0].strip() if is_alone else ""


def with_named_unit(text: str) -> str:
    """Return "240 cm is what in feet" of "aunt Bea reads feet, 240 cm is what in that?"; else ""."""
    found = PHRASES["conversion.into_that"].search(text)
    told = [*amounts(measured_ways(text)[0])]
    if found is None or len(told) != 1 or not told[0].unit:
        return ""
    names = {word for word in WORD.findall(fold(text)) if MEASURE_WORDS.get(word, told[0].unit) != told[0].unit}
    alike = [one for one in names if dimension(MEASURE_WORDS[one]) == dimension(told[0].unit)]
    if len(alike) != 1:
        return ""
    lead, _ = found[0].split(maxsplit=1)
    return f"{text[: found.start()]}{lead} {alike[0]}{text[found.end() :]}"
