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
# At least three digits, or digits among letters; it may stand in parts: "20 3188 4771", "LK19 ORA".
_CODE: Final = re.compile(
    r"\s(?=\S{0,40}\d)(?:\S*\d\S*\d\S*\d\S*|\S*[^\W\d]\S*\d\S*|\S*\d\S*[^\W\d]\S*)(?: [A-Z]{2,4})?\Z"
)


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
    label = _CODE.sub("", before)
    places = list(OF_THE.finditer(label))
    if not _is_code_behind(rest) or label == before or not places or not _says_what_it_is(label):
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
    return is_little and _CODE.search(rest) is not None and not WORDS["joins"].intersection(fold(rest).split())


def _says_what_it_is(rest: str) -> bool:
    return not WORDS["attributes"].isdisjoint(fold(rest).replace(".", " ").split()[:_NAMING])
