"""How people are called, and how it is told where they live, in every language."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.language.late import LatePattern
from app.language.lexicon import Lexicon

_WORDS: Final = Lexicon.of(__package__)
KIN: Final[Mapping[str, str]] = MappingProxyType(
    {word: relation for relation, words in _WORDS.table("kin").items() for word in words}
)
"""Word -> one name for each relation, whatever the language."""
MINE: Final = _WORDS["mine"]
SEVERAL: Final = _WORDS["several"]
SHE: Final = _WORDS["she"]
THERE: Final = _WORDS["there"]
BESIDE: Final = _WORDS["beside"]
BEFORE: Final = _WORDS["before"]
NOT_A_PLACE: Final = _WORDS["not_a_place"]
ENDS: Final = _WORDS["ends"]
AT: Final = _WORDS["at"]
LIVING: Final = LatePattern(_WORDS.pattern("living"))
BEING: Final = LatePattern(_WORDS.pattern("being"))
CALLED: Final = _WORDS["called"]
