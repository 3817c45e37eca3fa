"""Which note a message means that wants one deleted or changed, or a part of it, and the call for that.

A part that is to go: "quitale lo del horario", "drop the bit about the hedges".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app.domain.chat import ToolCall
from app.domain.turn import TurnContext
from app.domain.wording import first_words, fold, stem, words
from app.skills.amending import CALL_ID, amended
from app.skills.following.following import DOUBTFUL_ID
from app.skills.picking.choosing import choose_numbered, except_for, is_in_talk
from app.skills.picking.lexicon import PICKING
from app.skills.picking.reading import Wish, read_wish
from app.skills.picking.tokens import is_content, span, stripped, tokens_of
from app.skills.saying_instead import replaced_in
from app.skills.tools.notes.lexicon import ALIKE, OUT_OF_NOTE, PART_OF, SURELY_PART, WORDS
from app.skills.tools.notes.repository import Note, Notes

_CALLED: Final = PICKING["note_words"] | PICKING["thing_words"]
_IN: Final = WORDS["in_the_note"]
_MARK: Final = re.compile(r"[,;.]\s|\n|\s(?:y|and)\s", re.IGNORECASE)
_OTHER: Final = frozenset(map(stem, PICKING["other"]))
_EDGES: Final = " ,;.\n"
_MOST_NOTES: Final = 50
_SHOWN_CHARS: Final = 40


async def call_for(notes: Notes, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: a note is named, told by its place, or the one that is not to be left alone."""
    wish = read_wish(text)
    if wish is None or wish.kind not in (None, "note") or wish.deed == "done":
        return None
    known = await notes.list_recent(ctx.user_id, limit=_MOST_NOTES)
    shown = [first_words(one.content, _SHOWN_CHARS) for one in known]
    if wish.kind is None and not is_in_talk(shown, ctx.said.answers):
        return None
    meant = await choose_numbered(wish, known, None) or _just_told(known, text, wish, ctx)
    if meant is None:
        return None
    if wish.deed == "remove":
        call_id = _sureness(meant, text, wish)
        return _taken_from(meant, text, wish, call_id) if call_id else None
    new = _with_new(meant, text, wish)
    arguments = {"new": new, "old": meant.content, "note": str(meant.number)}
    return ToolCall(CALL_ID, "correct_note", arguments) if new else None


def _with_new(note: Note, text: str, wish: Wish) -> str:
    """Return the note as a wish wants it: with other words for those that it names, or where it names the note
    itself ("change the note about the roof to …"), or its place, all of it anew; "" where it names neither."""
    target = wish.targets[0] if len(wish.targets) == 1 else None
    if target is None or target.place is not None or not _CALLED.isdisjoint(fold(target.said).split()):
        return wish.new
    new = _without_place(wish.new)
    found = amended(note.content, text)
    return replaced_in(note.content, tokens_of(target.text), new) or (found.text if found is not None else "")


def _without_place(new: str) -> str:
    """Return the new words without courtesy, and without where they are to stand: "Anna in that note, please"."""
    said = tokens_of(new)
    rest = stripped(said, frozenset(), PICKING["closing"])
    if rest and rest[-1].key in _CALLED:
        rest = stripped(rest[:-1], frozenset(), PICKING["determiners"] | PICKING["this_one"] | _IN)
    return span(new, rest) if rest else new


def _sureness(note: Note, text: str, wish: Wish) -> str:
    """Return how sure it is that a wish to take away means a note, as the id of its call; "" where it does not.

    Who does not call it a note, and does not point to it, has to name mostly what it says: "delete Sam from my
    life" is of no note that Sam has the ladder, nor is a question how one deletes a password.
    """
    named = wish.targets[0] if len(wish.targets) == 1 else None
    if wish.kind is not None or named is None or named.place is not None:
        return CALL_ID
    if not WORDS["asks_way"].isdisjoint(one.key for one in tokens_of(text)):
        return ""
    said, held = _content(named.text) - _OTHER, _content(note.content)
    # What a part is called by another word ("the hours") is read with the part.
    if not said or PART_OF.search(fold(text)) is not None:
        return CALL_ID
    shared, foreign = said & held, said - held
    if foreign:
        return DOUBTFUL_ID if len(shared) > len(foreign) else ""
    is_pointed = named.is_described or not WORDS["pointed_one"].isdisjoint(fold(named.said).split())
    return CALL_ID if is_pointed or 2 * len(shared) >= len(held) else DOUBTFUL_ID


def _content(text: str) -> set[str]:
    return {stem(one.key) for one in tokens_of(text) if is_content(one.key)}


def _taken_from(note: Note, text: str, wish: Wish, call_id: str) -> ToolCall:
    """Return the call that takes the part away that is named, or the whole note; where a part is meant and it is
    not clear which, they are asked."""
    named = wish.targets[0].text if wish.targets else ""
    part = read_part(note.content, text, named)
    if part is not None and part.rest:
        arguments = {"new": part.rest, "old": note.content, "note": str(note.number)}
        return ToolCall(CALL_ID, "correct_note", arguments)
    return ToolCall(DOUBTFUL_ID if part is not None else call_id, "delete_note", {"note": str(note.number)})


def _just_told(known: list[Note], text: str, wish: Wish, ctx: TurnContext) -> Note | None:
    """Return the note of the last answer where a wish to take away only points to it ("scrap that note, wrong
    dog"), or calls a part of it by another word: "the hours", of "open"."""
    near = [one for one in known if is_in_talk([first_words(one.content, _SHOWN_CHARS)], ctx.said.answers[:1])]
    if wish.deed != "remove" or wish.kept or len(near) != 1 or len(wish.targets) > 1:
        return None
    if not wish.targets:
        return near[0] if wish.place is None and not wish.is_all else None
    part = read_part(near[0].content, text, wish.targets[0].text)
    return near[0] if part is not None and part.rest else None


def is_left_alone(note: Note, known: list[Note], ctx: TurnContext) -> bool:
    """Tell whether the person said of a note that it stays: a model may take it for the one they mean."""
    wish = read_wish(ctx.said.now[0]) if ctx.said.now else None
    if wish is None or not wish.kept:
        return False
    left = [known[n].number for n in except_for(wish.kept, [one.text for one in known])]
    return note.number not in left


@dataclass(frozen=True, slots=True)
class Part:
    """`rest` is the note without the part that was named; "" where that is not clear. `is_sure`: one is meant."""

    rest: str
    is_sure: bool


def read_part(content: str, said: str, named: str) -> Part | None:
    """Return what a wish to take something away leaves of a note; None where it speaks of all of it."""
    plain = fold(said)
    is_out = OUT_OF_NOTE.search(plain) is not None
    if PART_OF.search(plain) is None and not is_out:
        return None
    is_sure = is_out or SURELY_PART.search(plain) is not None
    parts = list(_parts(content))
    wanted = set(map(stem, words(OUT_OF_NOTE.sub("", fold(named)))))
    shared = [len(wanted & set(map(stem, words(text)))) for text, _ in parts]
    found = [n for n, count in enumerate(shared) if count and count == max(shared)]
    found = found or [n for n, (text, _) in enumerate(parts) if _is_alike(named, text)]
    if is_out and found == [0] and len(parts) > 1:
        return Part(_without_first(content, parts[0][0]), is_sure)
    # What stands first says what the note is about.
    if len(found) != 1 or not found[0]:
        return Part("", is_sure) if is_sure else None
    kept = [f"{'' if not n else mark}{text}" for n, (text, mark) in enumerate(parts) if n != found[0]]
    return Part("".join(kept).strip(_EDGES), is_sure)


def _without_first(content: str, first: str) -> str:
    """Return a note without the first of its things, with what the note is called: "tacos: limes, salsa"."""
    label = first[: first.rfind(": ") + 2] if ": " in first else ""
    return f"{label}{content[len(first) :].strip(_EDGES)}"


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
