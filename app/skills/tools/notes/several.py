"""Several notes in one message: "note that X and also note that Y", "save two notes: X and Y"."""

import re
from typing import Final

from app.domain.wording import fold
from app.skills.tools.notes.leading import is_statement, note_in, read_lead, wish_in, wishes_more, without_wish
from app.skills.tools.notes.lexicon import ANOTHER_SAYING, EACH_OF_THEM, POLITE_END, SEVERAL, WORDS

_MAX_CHARS: Final = 600
_WORD: Final = re.compile(r"\w+")
_JOINS: Final = " \n,.;:!-"
_LEAST_WORDS: Final = 2
_LEADS_ON: Final = frozenset({"and", "y", "e", "plus"})
# The surest first: what joins two notes may stand within one, too.
_PARTED: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"[\n;] ?(?:(?:and|y|e) )?",
        r"[.,;]? (?:and|y|e) (?=(?:another|the (?:other|second)|la otra|otra|la segunda)\b)",
        r"\. ",
        r", (?:and|y|e) ",
        r" (?:and|y|e) ",
        r",? (?:and|y|e) |, ",
    )
)


def notes_in(said: str) -> list[str]:
    """Return the notes of a message that wants several and nothing else, in order; [] of any other message."""
    if len(said) > _MAX_CHARS or "?" in said.rstrip(" ?"):
        return []
    return _of_a_number(said) or _wished_each(said)


def _of_a_number(said: str) -> list[str]:
    found = SEVERAL.match(said)
    if found is None:
        return []
    count = next(n for n, name in enumerate(("two", "three"), 2) if found[name])
    rest = POLITE_END.sub("", said[found.end() :].rstrip(" .!?"))
    for parting in _PARTED:
        parts = [EACH_OF_THEM.sub("", one.strip(_JOINS)).strip(_JOINS) for one in parting.split(rest)]
        if len(parts) == count and all(map(_may_be_kept, parts)):
            return parts
    return []


def _wished_each(said: str) -> list[str]:
    """Return what stands behind each wish, where the message begins with one, and another follows."""
    verbs = WORDS["wish_verbs"] | WORDS["note_verbs"]
    places = [
        one.start() for one in _WORD.finditer(said) if fold(one[0]) in verbs and _is_joined(said, one.start())
    ]
    more = [(one.start(), one.end()) for one in ANOTHER_SAYING.finditer(said)]
    starts = sorted({(place, place) for place in places if not any(a < place < b for a, b in more)} | {*more})
    found, first = list[str](), said
    for start, end in reversed(starts):
        part = first[end:].strip(_JOINS + "?") if end > start else _kept(first[start:])
        if end > start and not _may_be_kept(part):
            part = ""
        if part:
            found.insert(0, part)
            first = _without_joint(first[:start])
    opening = _kept(first) if found else ""
    return [opening, *found] if opening else []


def _is_joined(said: str, place: int) -> bool:
    """Tell whether a clause may begin at a place of a text: behind a mark, "and" or "also"."""
    before = fold(said[:place]).split()
    joins = _LEADS_ON | WORDS["also"]
    # "And could you note that".
    while before and before[-1] in WORDS["wish_fillers"] - joins:
        before.pop()
    return bool(before) and (before[-1] in joins or before[-1][-1] in ",.;!")


def _without_joint(said: str) -> str:
    """Return a text without the words at its end that only lead on: "and please also"."""
    words = said.rstrip(_JOINS).split(" ")
    keys = [fold(one.strip(_JOINS)) for one in words]
    first = len(words)
    while first and keys[first - 1] in _LEADS_ON | WORDS["also"] | WORDS["wish_fillers"] | {""}:
        first -= 1
    joint = next((place for place in range(first, len(words)) if keys[place] in _LEADS_ON), len(words))
    also = next((place for place in range(joint, first, -1) if keys[place - 1] not in WORDS["also"]), first)
    return " ".join(words[: min(joint, also)]).rstrip(_JOINS)


def _kept(said: str) -> str:
    """Return the note of a text that is one wish for it."""
    said = POLITE_END.sub("", said.strip(_JOINS + "?"))
    if note := note_in(said):
        return note if len(note.split()) >= _LEAST_WORDS else ""
    lead, rest = read_lead(said), without_wish(said)
    is_diary = any(fold(one[0]) in WORDS["diary_verbs"] for one in wish_in(said)[:1])
    is_told = lead is not None and lead.has_that and not is_diary and rest != said
    return rest if is_told and _may_be_kept(rest) else ""


def _may_be_kept(note: str) -> bool:
    """Tell whether words say how something is, or when: who wants several notes wants no day for a reminder."""
    is_long = len(note.split()) >= _LEAST_WORDS
    return is_long and is_statement(note, is_surely_noted=True) and not wishes_more(note)
