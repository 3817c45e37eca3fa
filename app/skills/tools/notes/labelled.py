"""Notes of what a thing is and its code: "keep a note with the key number of the boat KB-2214", and one more."""

import re
from typing import Final

from app.domain.wording import fold
from app.skills.tools.notes.lexicon import ANOTHER_WITH, NOTE_WITH, OF_THE, POLITE_END, WORDS

_MAX_CHARS: Final = 200
_MOST_WORDS: Final = 14
_NAMING: Final = 4
"""Words among which one says what a code is: "the spare key number"."""
_MARK: Final = re.compile(r"[,;:!?\n]|[.…](?:\s|\Z)")
_LEAST_DIGITS: Final = 3
_MOST_BEHIND: Final = 4


def labelled_in(said: str) -> str:
    """Return what a wish for a note names with its code; "" of any other message."""
    return _labelled(NOTE_WITH.match(_flat(said)))


def another_labelled(said: str, before: str) -> str:
    """Return what one more note is to hold: "and another with the one of the van TR7781" behind one `before`.

    What that code is, the note before it says; "" where this is no such wish.
    """
    found = ANOTHER_WITH.match(_flat(said))
    if found is None or found["of"] is None:
        return _labelled(found)
    rest = found["rest"]
    label = _without_code(before)
    places = list(OF_THE.finditer(label))
    if not _is_code_behind(rest) or not places or not _says_what_it_is(label):
        return ""
    return f"{label[: places[-1].start()]} {found['of']} {rest}"


def _flat(said: str) -> str:
    return POLITE_END.sub("", " ".join(said.split())).rstrip(" .!") if len(said) <= _MAX_CHARS else ""


def _labelled(found: re.Match[str] | None) -> str:
    rest = "" if found is None else found["rest"]
    return rest if _is_code_behind(rest) and _says_what_it_is(rest) else ""


def _is_code_behind(rest: str) -> bool:
    """Tell whether words are a thing and a code at the end, and nothing more."""
    is_little = _MARK.search(rest) is None and len(rest.split()) <= _MOST_WORDS
    return is_little and _without_code(rest) != "" and not WORDS["joins"].intersection(fold(rest).split())


def _without_code(said: str) -> str:
    """Return what stands before a code at the end, maybe of two parts: "LK19 ORA"; "" where there is none."""
    parts = said.split()
    is_behind = bool(parts) and parts[-1].isalpha() and parts[-1].isupper() and len(parts[-1]) <= _MOST_BEHIND
    *label, code = parts[:-1] if is_behind and len(parts) > 1 else parts or [""]
    digits = sum(map(str.isdigit, code))
    is_code = digits >= _LEAST_DIGITS or (digits > 0 and any(map(str.isalpha, code)))
    return " ".join(label) if is_code else ""


def _says_what_it_is(rest: str) -> bool:
    return not WORDS["attributes"].isdisjoint(fold(rest).replace(".", " ").split()[:_NAMING])
