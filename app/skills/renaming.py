"""The new name of what was just made or shown: "rename it to Loft", "cambiale el nombre a Casa nueva"."""

import re
from collections.abc import Sequence
from typing import Final

from app.domain.wording import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.skills.lexicon import ANSWERS

_MAX_CHARS: Final = 120
_MOST_NAME_WORDS: Final = 8
_LONGEST_TITLE: Final = 8
_EDGES: Final = " \"'“”«».,"
_WORD: Final = re.compile(r"[^\W_]+")
_RENAMES: Final = LatePattern(
    rf"\W{{0,3}}(?:{ANSWERS.pattern('before_renaming')}[,.!]{{0,3}} ){{0,4}}"
    rf"{ANSWERS.pattern('renames_it')}:? "
)
_MAY_END: Final = re.compile(r"[;!]|[.:](?!\S)|,(?: ?(?P<further>[^\W_]+))?")
_LAST_WORD: Final = re.compile(r"(?<![^\W_])[^\W_]{1,8}\Z")
_ENDS_NAME: Final = LatePattern(rf"(?:,? {ANSWERS.pattern('ends_name')}){{1,4}}\Z")
_WHY: Final = LatePattern(rf" {ANSWERS.pattern('why_renamed')} .*\Z")


def read_new_name(text: str) -> str:
    """Return how what a message only points at is to be called; "" where it wants anything else."""
    flat = " ".join(text.split())
    found = _RENAMES.match(flat) if len(flat) <= _MAX_CHARS else None
    name = "" if found is None or "?" in flat else plain_name(_up_to_end(flat[found.end() :]))
    words = _WORD.findall(fold(name))
    is_name = bool(words) and words[0] not in ANSWERS["no_new_name"]
    return name if is_name and not (name[0].islower() and _tells_when(words)) else ""


def _tells_when(words: Sequence[str]) -> bool:
    day = words[1:2] if words[0] in ANSWERS["on_day"] else words if len(words) == 1 else ()
    return words[0] in ANSWERS["when_renamed"] or not COMMON_WORDS["days"].isdisjoint(day)


def _up_to_end(said: str) -> str:
    """Return what stands before the mark that ends a name: none within a word or a figure, behind a title
    ("Dr. No"), or before a further word with a capital ("Rock, Paper")."""
    for mark in _MAY_END.finditer(said):
        before = said[: mark.start()]
        title = _LAST_WORD.search(before[-_LONGEST_TITLE:]) if mark[0] == "." else None
        further = mark["further"] or ""
        is_further = further[:1].isupper() and further != "I" and before[:1].isupper()
        if not is_further and (title is None or fold(title[0]) not in ANSWERS["short_titles"]):
            return before
    return said


def plain_name(said: str) -> str:
    """Return a name without thanks, and without why, behind it."""
    name = _ENDS_NAME.sub("", _WHY.sub("", said.strip()))
    return name.strip(_EDGES) if len(name.split()) <= _MOST_NAME_WORDS else ""
