"""Messages that mean /forget-me, whole and without anything else in them."""

from typing import Final

from app.language.late import LatePattern
from app.language.lexicon import Lexicon

WANTS_TO_BE_FORGOTTEN: Final = LatePattern(Lexicon.of(__package__).pattern("all_of_me"), flags=0)
