"""Messages that mean /forget-me, whole and without anything else in them."""

import re
from typing import Final

from app.language.lexicon import Lexicon

WANTS_TO_BE_FORGOTTEN: Final = re.compile(Lexicon.of(__package__).pattern("all_of_me"))
