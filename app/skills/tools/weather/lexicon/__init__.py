"""Words of questions about the weather, in every language."""

from typing import Final

from app.language.late import LatePattern
from app.language.lexicon import Lexicon

_WORDS: Final = Lexicon.of(__package__)
COAT: Final = _WORDS["coat"]
UMBRELLA: Final = _WORDS["umbrella"]
TOPICS: Final = _WORDS["topics"] | COAT | UMBRELLA
AROUND: Final = _WORDS["around"]
AT: Final = _WORDS["at"]
NO_PLACES: Final = _WORDS["no_places"]
OUTSIDE: Final = LatePattern(_WORDS.pattern("outside"))
NOW: Final = _WORDS["now"]
