"""What is wished or asked beside a sum."""

import re
from typing import Final

from app.domain.wording import fold
from app.skills.tools.calculator.lexicon import WORDS
from app.skills.tools.calculator.spoken import WORD, says

_CLAUSE: Final = re.compile(r"[,.;:!?\n]")


def wishes(story: str) -> bool:
    """Whether something is asked or wished in what stands before a question."""
    folded, loose = fold(story), WORDS["told.loose_wishes"]
    openers = WORDS["told.before_people"] | WORDS["around"]
    clauses = [[word for word in WORD.findall(one) if word not in openers] for one in _CLAUSE.split(folded)]
    is_begun = any(words and words[0] in loose | WORDS["told.wishes"] for words in clauses)
    is_said = not (WORDS["told.wishes"] - loose).isdisjoint(WORD.findall(folded))
    return not {"?", "¿"}.isdisjoint(story) or is_begun or is_said or says(folded, "wishes_anywhere")
