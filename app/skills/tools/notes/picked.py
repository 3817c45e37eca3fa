"""Which note a message means that wants one deleted or changed, and the call for it."""

from typing import Final

from app.domain.chat import ToolCall
from app.domain.turn import TurnContext
from app.domain.wording import first_words
from app.skills.amending import CALL_ID
from app.skills.picking.choosing import choose_numbered, except_for, is_in_talk
from app.skills.picking.reading import read_wish
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
    meant = await choose_numbered(wish, known, None)
    if meant is None:
        return None
    if wish.deed == "remove":
        return ToolCall(CALL_ID, "delete_note", {"note": str(meant.number)})
    return ToolCall(CALL_ID, "correct_note", {"new": wish.new, "old": meant.content, "note": str(meant.number)})


def is_left_alone(note: Note, known: list[Note], ctx: TurnContext) -> bool:
    """Tell whether the person said of a note that it stays: a model may take it for the one they mean."""
    wish = read_wish(ctx.said.now[0]) if ctx.said.now else None
    if wish is None or not wish.kept:
        return False
    left = [known[n].number for n in except_for(wish.kept, [one.text for one in known])]
    return note.number not in left
