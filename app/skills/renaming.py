"""The new name of what was just made or shown: "rename it to Loft", "cambiale el nombre a Casa nueva"."""

import re
from typing import Final

from app.domain.wording import fold
from app.language.late import LatePattern
from app.skills.lexicon import ANSWERS

_MAX_CHARS: Final = 120
_MOST_NAME_WORDS: Final = 8
_EDGES: Final = " \"'“”«»"
_WORD: Final = re.compile(r"[^\W_]+")
_RENAMES: Final = LatePattern(
    rf"\W{{0,3}}(?:{ANSWERS.pattern('before_renaming')}[,.!]{{0,3}} ){{0,4}}"
    rf"{ANSWERS.pattern('renames_it')}:? (?P<name>[^,.;:!?\n]{{1,80}})(?P<behind>[^?]{{0,80}})\Z"
)
_ENDS_NAME: Final = LatePattern(rf"(?:,? {ANSWERS.pattern('ends_name')}){{1,4}}\Z")
_WHY: Final = LatePattern(rf" {ANSWERS.pattern('why_renamed')} .*\Z")


def read_new_name(text: str) -> str:
    """Return how what a message only points at is to be called; "" where it wants anything else."""
    flat = " ".join(text.split())
    found = _RENAMES.match(flat) if len(flat) <= _MAX_CHARS else None
    name = "" if found is None else plain_name(found["name"])
    return "" if next(iter(_WORD.findall(fold(name))), "") in ANSWERS["no_new_name"] else name


def plain_name(said: str) -> str:
    """Return a name without thanks, and without why, behind it."""
    name = _ENDS_NAME.sub("", _WHY.sub("", said.strip()))
    return name.strip(_EDGES) if len(name.split()) <= _MOST_NAME_WORDS else ""
