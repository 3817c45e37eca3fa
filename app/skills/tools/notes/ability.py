"""Notes: short texts that a person wants kept."""

from functools import partial
from typing import Final

from app.database.repositories.acts import Acts
from app.domain.chat import ToolCall
from app.domain.ports import Clock
from app.domain.turn import TurnContext
from app.domain.wording import first_words, fold
from app.language.lexicon import COMMON_WORDS
from app.skills.amending import CALL_ID, JUST, amended
from app.skills.counting import asks_how_many
from app.skills.kit import Kit
from app.skills.picking.choosing import is_in_talk
from app.skills.selection import Need
from app.skills.tools.notes import home, notes_tools
from app.skills.tools.notes.asking import (
    asked_in_part,
    asks_number,
    asks_only_what_was_said,
    is_answered,
    read_more,
)
from app.skills.tools.notes.leading import note_in
from app.skills.tools.notes.lexicon import KEEP_IT, WORDS
from app.skills.tools.notes.picked import call_for
from app.skills.tools.notes.repository import TEXTS, UNDOABLE, Notes

_MAX_CHARS: Final = 2_000
_LEAST_WORDS: Final = 3
_SHOWN_CHARS: Final = 40
_ANSWERS: Final = 3


def register(kit: Kit) -> None:
    notes = Notes(kit.db)
    notes_tools.register(kit.tools, notes, kit.clock, kit.repository.acts)
    kit.needs.append(Need(_in_notes, _is_kept_at_the_end))
    kit.amending["notes"] = partial(_amend, notes)
    kit.retelling["notes"] = partial(_retell, notes)
    kit.certain.append(_told_whole)
    kit.certain.append(partial(_asked_for, notes, kit.repository.acts, kit.clock))
    kit.certain.append(partial(_added_to, notes, kit.repository.acts, kit.clock))
    kit.certain.append(_counted)
    kit.certain.append(partial(call_for, notes))
    kit.home.append(home.part(notes))
    kit.repository.embeddings.add(TEXTS)
    kit.repository.acts.add(UNDOABLE)


async def _amend(notes: Notes, row_id: int, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Amend`."""
    note = await notes.find_by_id(ctx.user_id, row_id)
    if note is None or (found := amended(note.content, text)) is None:
        return None
    return ToolCall(CALL_ID, "correct_note", {"new": found.new, "old": found.old, "note": str(note.number)})


async def _retell(notes: Notes, row_id: int, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Amend`: the note is read back."""
    note = await notes.find_by_id(ctx.user_id, row_id)
    if note is None or not is_in_talk([first_words(note.content, _SHOWN_CHARS)], ctx.said.answers):
        return None
    return ToolCall(CALL_ID, "get_note", {"note": str(note.number)})


async def _told_whole(text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: a message that is one note and nothing else, word for word: "en una sola nota: …"."""
    content = note_in(text)
    return ToolCall(CALL_ID, "save_note", {"content": content}) if content else None


async def _asked_for(notes: Notes, acts: Acts, clock: Clock, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: what the note says that was kept just now."""
    asked, is_bare = asked_in_part(text), asks_only_what_was_said(text)
    rows = await acts.list_last_rows(ctx.user_id, clock.now() - JUST, 1) if asked or is_bare else []
    if not rows or rows[0][0] != "notes" or (note := await notes.find_by_id(ctx.user_id, rows[0][1])) is None:
        return None
    call = ToolCall(CALL_ID, "get_note", {"note": str(note.number)})
    if is_bare and asks_number(text) and not any(map(str.isdigit, note.content)):
        return None
    if is_bare and first_words(note.content, _SHOWN_CHARS) in "".join(ctx.said.answers[:_ANSWERS]):
        return call
    return call if is_answered(asked, note.content) else None


async def _added_to(notes: Notes, acts: Acts, clock: Clock, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: more of what the note says that was just kept: "and that he comes on Friday"."""
    if not (more := read_more(text)):
        return None
    rows = await acts.list_last_rows(ctx.user_id, clock.now() - JUST, 1)
    note = await notes.find_by_id(ctx.user_id, rows[0][1]) if rows and rows[0][0] == "notes" else None
    if note is None or first_words(note.content, _SHOWN_CHARS) not in "".join(ctx.said.answers[:1]):
        return None
    whole = f"{note.content.rstrip(' .;')}; {more}"
    return ToolCall(CALL_ID, "correct_note", {"new": whole, "old": note.content, "note": str(note.number)})


async def _counted(text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: how many notes there are."""
    return ToolCall(CALL_ID, "list_notes", {}) if asks_how_many(text, WORDS["called"]) else None


async def _in_notes(text: str, ctx: TurnContext) -> tuple[str, ...]:
    return (notes_tools.SKILL,)


def _is_kept_at_the_end(text: str) -> bool:
    """Tell whether a message ends with the wish to keep what it says: "the gate code is 4417, save it"."""
    flat = " ".join(text.split())
    if len(flat) > _MAX_CHARS or "?" in flat or (wish := KEEP_IT.search(flat)) is None:
        return False
    said = fold(flat[: wish.start()]).split()
    if len(said) < _LEAST_WORDS or said[-1] in WORDS["not_behind"]:
        return False
    return said[0].strip(",:") not in WORDS["other_wish"] | COMMON_WORDS["interrogatives"]
