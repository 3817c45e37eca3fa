"""What the words of a message are evidence of, as numbers: groups of the lexicon, and shapes such as a sum."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.skills.sorting.clauses import clause_starts, opening_places
from app.skills.sorting.lexicon import Lexicon
from app.skills.sorting.words import words_of

_DIGIT: Final = re.compile(r"\d")
_SUM: Final = re.compile(r"\d\s?[-+*/x×÷^%]\s?\d|\d\s?%|√|\)\s?[-+*/]")
_FILE: Final = re.compile(r"(?<=\w)\.(?:txt|md|csv|json|pdf|py|log|docx?|xlsx?)\b", re.IGNORECASE)
_LINK: Final = re.compile(r"https?://\S", re.IGNORECASE)
_CLOCK: Final = re.compile(r"\b\d{1,2}(?::\d\d\b|\s?[ap]\.?m\b)", re.IGNORECASE)
_LABEL: Final = re.compile(r"^\W{0,3}\w{3,15}(?: \w{1,15})?\s?:")
_SHAPES: Final[Mapping[str, Callable[[str], bool]]] = MappingProxyType(
    {
        "digit": lambda text: _DIGIT.search(text) is not None,
        "sum": lambda text: _SUM.search(text) is not None,
        "file": lambda text: _FILE.search(text) is not None,
        "link": lambda text: _LINK.search(text) is not None,
        "clock": lambda text: _CLOCK.search(text) is not None,
        "label": lambda text: _LABEL.search(text) is not None,
        "asks": lambda text: "?" in text,
        "command": lambda text: text.startswith("/"),
        "quotes": lambda text: '"' in text or "«" in text or "“" in text,
        "no letters": lambda text: not any(sign.isalpha() for sign in text),
    }
)
_LENGTHS: Final = (1, 2, 3, 5, 8, 13, 21, 34)


def evidence_names(lexicon: Lexicon) -> list[str]:
    """Name the numbers of `evidence`, in their order."""
    groups = [f"{group}{place}" for group in lexicon.groups for place in ("", " opens clause", " opens message")]
    return [*groups, *_SHAPES, *(f"over {length} words" for length in _LENGTHS), "clauses"]


def evidence(message: str, lexicon: Lexicon) -> NDArray[np.float32]:
    """Return one number for each name of `evidence_names`: 1 where it holds, else 0."""
    words = words_of(message)
    found = list(lexicon.find(words))
    starts = clause_starts(message, words, found, lexicon)
    opening = opening_places(message, words, lexicon)
    first = {0, lexicon.after_fillers(words, 0, len(words))}
    places = {group: 3 * number for number, group in enumerate(lexicon.groups)}
    numbers = np.zeros(3 * len(places) + len(_SHAPES) + len(_LENGTHS) + 1, np.float32)
    for one in found:
        place = places[one.group]
        numbers[place] = 1
        numbers[place + 1] = max(numbers[place + 1], one.begin in opening)
        numbers[place + 2] = max(numbers[place + 2], one.begin in first)
    shapes = [holds(message) for holds in _SHAPES.values()]
    lengths = [len(words) > length for length in _LENGTHS]
    numbers[3 * len(places) :] = [*shapes, *lengths, min(len(starts) - 1, 2)]
    return numbers
