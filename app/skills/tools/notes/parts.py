"""A part of a note that is to go, and not the whole: "quitale lo del horario", "drop the bit about the hedges"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app.domain.wording import fold, stem, words
from app.skills.tools.notes.lexicon import ALIKE, PART_OF, SURELY_PART

_MARK: Final = re.compile(r"[,;.]\s|\n|\s(?:y|and)\s", re.IGNORECASE)
_EDGES: Final = " ,;.\n"


@dataclass(frozen=True, slots=True)
class Part:
    """`rest` is the note without the part that was named; "" where that is not clear. `is_sure`: one is meant."""

    rest: str
    is_sure: bool


def read_part(content: str, said: str, named: str) -> Part | None:
    """Return what a wish to take something away leaves of a note; None where it speaks of all of it."""
    plain = fold(said)
    if PART_OF.search(plain) is None:
        return None
    is_sure = SURELY_PART.search(plain) is not None
    parts = list(_parts(content))
    wanted = set(map(stem, words(named)))
    shared = [len(wanted & set(map(stem, words(text)))) for text, _ in parts]
    found = [n for n, count in enumerate(shared) if count and count == max(shared)]
    found = found or [n for n, (text, _) in enumerate(parts) if _is_alike(named, text)]
    # What stands first says what the note is about.
    if len(found) != 1 or not found[0]:
        return Part("", is_sure) if is_sure else None
    kept = [f"{'' if not n else mark}{text}" for n, (text, mark) in enumerate(parts) if n != found[0]]
    return Part("".join(kept).strip(_EDGES), is_sure)


def _parts(content: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a note, each with the mark before it."""
    place, mark = 0, ""
    for found in _MARK.finditer(content):
        yield content[place : found.start()], mark
        place, mark = found.end(), found[0]
    yield content[place:], mark


def _is_alike(named: str, text: str) -> bool:
    """Tell whether both speak of hours, or of a price, by other words: "el horario", "atiende de 8 a 14"."""
    said, there = set(fold(named).split()), set(fold(text).split())
    return any(not one.isdisjoint(said) and not one.isdisjoint(there) for one in ALIKE)
