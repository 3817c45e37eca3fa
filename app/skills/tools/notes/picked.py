"""Which note a message means that wants one deleted or changed, and the call for it."""

from typing import Final

from app.domain.chat import ToolCall
from app.domain.turn import TurnContext
from app.domain.wording import first_words
from app.skills.amending import CALL_ID
from app.skills.picking.choosing import choose_numbered, except_for, is_in_talk
from app.skills.picking.reading import Wish, read_wish
from app.skills.selection import DOUBTFUL_ID
from app.skills.tools.notes.parts import read_part
from app.skills.tools.notes.repository import Note, Notes

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
    meant = await choose_numbered(wish, known, None) or _with_part(known, text, wish, ctx)
    if meant is None:
        return None
    if wish.deed == "remove":
        return _taken_from(meant, text, wish)
    return ToolCall(CALL_ID, "correct_note", {"new": wish.new, "old": meant.content, "note": str(meant.number)})


def _taken_from(note: Note, text: str, wish: Wish) -> ToolCall:
    """Return the call that takes the part away that is named, or the whole note; where a part is meant and it is
    not clear which, they are asked."""
    named = wish.targets[0].text if wish.targets else ""
    part = read_part(note.content, text, named)
    if part is not None and part.rest:
        arguments = {"new": part.rest, "old": note.content, "note": str(note.number)}
        return ToolCall(CALL_ID, "correct_note", arguments)
    return ToolCall(DOUBTFUL_ID if part is not None else CALL_ID, "delete_note", {"note": str(note.number)})


def _with_part(known: list[Note], text: str, wish: Wish, ctx: TurnContext) -> Note | None:
    """Return the note that was told last where a part of it is called by another word: "the hours", of "open"."""
    named = wish.targets[0].text if wish.deed == "remove" and len(wish.targets) == 1 else ""
    near = [one for one in known if is_in_talk([first_words(one.content, _SHOWN_CHARS)], ctx.said.answers[:1])]
    part = read_part(near[0].content, text, named) if named and len(near) == 1 else None
    return near[0] if part is not None and part.rest else None


def is_left_alone(note: Note, known: list[Note], ctx: TurnContext) -> bool:
    """Tell whether the person said of a note that it stays: a model may take it for the one they mean."""
    wish = read_wish(ctx.said.now[0]) if ctx.said.now else None
    if wish is None or not wish.kept:
        return False
    left = [known[n].number for n in except_for(wish.kept, [one.text for one in known])]
    return note.number not in left
