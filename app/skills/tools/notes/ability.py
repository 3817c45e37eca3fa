"""Notes: short texts that a person wants kept."""

import re
from functools import partial
from typing import Final

from app.database.repositories.acts import Acts
from app.domain.chat import ToolCall
from app.domain.ports import ChatModel, Clock
from app.domain.turn import TurnContext
from app.domain.wording import first_words, stem, words
from app.language.catalogue import openings
from app.skills.amending import CALL_ID, JUST, amended, is_correction, may_amend
from app.skills.counting import asks_how_many, asks_whether_any
from app.skills.following.following import DOUBTFUL_ID, Calls, Spoken
from app.skills.following.relations import Relation
from app.skills.kit import Kit
from app.skills.named_things import asked_about
from app.skills.picking.choosing import choose, is_in_talk
from app.skills.picking.reading import read_target
from app.skills.seeing_all import asks_to_see_all
from app.skills.selection import READ_ID, Need
from app.skills.tools.notes import home, notes_tools
from app.skills.tools.notes.asking import (
    adds_to_the_note,
    asked_in_part,
    asks_number,
    asks_only_what_was_said,
    asks_whether,
    brought_in,
    is_answered,
    read_more,
    recalled_in,
    recalls,
    wants_brought,
    whether_in,
)
from app.skills.tools.notes.hurried import as_meant, noted_of
from app.skills.tools.notes.labelled import another_labelled, labelled_in
from app.skills.tools.notes.leading import (
    idea_in,
    is_no_more_so,
    kept_at_end,
    note_before,
    note_behind_talk,
    note_in,
    note_pointed_back,
    wish_in,
    without_small_talk,
)
from app.skills.tools.notes.lexicon import ANOTHER_OF, ANOTHER_WITH, WHETHER_NOTED, WORDS
from app.skills.tools.notes.measured import measure_asked_in, measured_in
from app.skills.tools.notes.picked import call_for
from app.skills.tools.notes.pointed import another_of, called_in, is_just_noted, pointed_at, points_alone
from app.skills.tools.notes.repository import TEXTS, UNDOABLE, Note, Notes
from app.skills.tools.notes.several import notes_in
from app.skills.tools.notes.texts import NOTES
from app.skills.tools.notes.whose import figures_in, one_more_in

_SHOWN_CHARS: Final = 40
_ANSWERS: Final = 3
_SEARCHED: Final = 200
_NUMBERED: Final = re.compile(r"\A\d+\. ")


def register(kit: Kit) -> None:
    notes = Notes(kit.db)
    notes_tools.register(kit.tools, notes, kit.clock, kit.repository.acts)
    kit.needs.append(Need(_in_notes, _is_kept_at_the_end))
    kit.amending["notes"] = partial(_amend, notes)
    kit.retelling["notes"] = partial(_retell, notes)
    kit.recalls.append(partial(_recall, notes, kit.repository.acts, kit.clock))
    kit.certain.append(partial(_chosen, notes, kit.repository.acts, kit.clock))
    kit.certain.append(_pointed_at)
    kit.certain.append(_told_each)
    kit.certain.append(_told_whole)
    kit.certain.append(partial(_asked_for, notes, kit.repository.acts, kit.clock))
    kit.certain.append(partial(_added_to, notes, kit.repository.acts, kit.clock))
    kit.certain.append(_counted)
    kit.certain.append(partial(call_for, notes))
    kit.commands.say_plainly("note", "nota", "notas", "notes")
    kit.home.append(home.part(notes))
    kit.repository.embeddings.add(TEXTS)
    kit.repository.acts.add(UNDOABLE)


async def _amend(notes: Notes, row_id: int, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Amend`. What wishes for a note of its own ("and also note that …") corrects none."""
    if (one_more_in(text) or note_in(as_meant(text))) and not is_correction(text):
        return None
    note = await notes.find_by_id(ctx.user_id, row_id)
    if note is None:
        return None
    if (found := amended(note.content, text)) is not None:
        return ToolCall(CALL_ID, "correct_note", {"new": found.new, "old": found.old, "note": str(note.number)})
    # Where several may be meant, the tool asks which.
    each = may_amend(note.content, text)
    return ToolCall(CALL_ID, "correct_note", {"new": each[0].new, "note": str(note.number)}) if each else None


async def _chosen(notes: Notes, acts: Acts, clock: Clock, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: the person was asked which number of the note just kept is to be put right, and says it."""
    asked = ctx.said.answers[0] if ctx.said.answers else ""
    rows = (
        await acts.list_last_rows(ctx.user_id, clock.now() - JUST, 1)
        if asked.startswith(openings(NOTES.which))
        else []
    )
    note = await notes.find_by_id(ctx.user_id, rows[0][1]) if rows and rows[0][0] == "notes" else None
    each = [] if note is None else [_NUMBERED.sub("", line) for line in asked.splitlines()[1:]]
    place = await choose(read_target(text), each, None) if each else None
    if note is None or place is None:
        return None
    return ToolCall(CALL_ID, "correct_note", {"new": each[place], "old": note.content, "note": str(note.number)})


async def _retell(notes: Notes, row_id: int, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Amend`: the note is read back."""
    note = await notes.find_by_id(ctx.user_id, row_id)
    if note is None or not is_in_talk([first_words(note.content, _SHOWN_CHARS)], ctx.said.answers):
        return None
    return ToolCall(CALL_ID, "get_note", {"note": str(await _only_one_with(notes, text, note, ctx))})


async def _pointed_at(text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: what was said before is to be kept, and nothing is said of it; where nothing was told, and no
    result, the tool asks for it."""
    if not points_alone(text) or is_just_noted(ctx):
        return None
    return ToolCall(READ_ID, "save_note", {"content": pointed_at(text, ctx)})


async def _told_each(text: str, ctx: TurnContext) -> list[ToolCall]:
    """See `Certain`: a message that is several notes and nothing else, each word for word."""
    each = enumerate(notes_in(text))
    return [ToolCall(f"{READ_ID}_{number}", "save_note", {"content": note}) for number, note in each]


async def _told_whole(text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: a message that is one note and nothing else, word for word: "en una sola nota: …"."""
    if ctx.said.answers and ctx.said.answers[0].startswith(openings(NOTES.saved)) and (more := one_more_in(text)):
        return ToolCall(CALL_ID, "save_note", {"content": more})
    if is_no_more_so(text) and (wish_in(as_meant(text)) or one_more_in(text)):
        return None
    text = without_small_talk(as_meant(text))
    if called := called_in(text):
        return ToolCall(READ_ID, "save_note", {"content": called})
    readers = (
        note_pointed_back,
        figures_in,
        noted_of,
        note_in,
        note_behind_talk,
        note_before,
        labelled_in,
        measured_in,
    )
    if content := next(filter(None, (read(text) for read in readers)), ""):
        return ToolCall(CALL_ID, "save_note", {"content": content})
    idea = idea_in(text)
    return ToolCall(DOUBTFUL_ID, "save_note", {"content": idea}) if idea else None


async def _asked_for(notes: Notes, acts: Acts, clock: Clock, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: what the note says that was kept just now."""
    asked, is_bare = asked_in_part(text), asks_only_what_was_said(text)
    rows = await acts.list_last_rows(ctx.user_id, clock.now() - JUST, 1) if asked or is_bare else []
    if not rows or rows[0][0] != "notes" or (note := await notes.find_by_id(ctx.user_id, rows[0][1])) is None:
        return await _recalled(notes, text, ctx)
    meant = await _only_one_with(notes, text, note, ctx)
    call = ToolCall(CALL_ID, "get_note", {"note": str(meant)})
    if is_bare and asks_number(text) and not any(map(str.isdigit, note.content)):
        return None
    if is_bare and first_words(note.content, _SHOWN_CHARS) in "".join(ctx.said.answers[:_ANSWERS]):
        return call
    return call if is_answered(asked, note.content) else await _recalled(notes, text, ctx)


async def _only_one_with(notes: Notes, text: str, newest: Note, ctx: TurnContext) -> int:
    """Return the number of the only note with all words of a question, where the newest has none; else its own."""
    asked = asked_about(text)
    if not asked or not asked.isdisjoint(map(stem, words(newest.content))):
        return newest.number
    known = await notes.list_recent(ctx.user_id, limit=_SEARCHED)
    found = [one.number for one in known if asked.issubset(map(stem, words(one.content)))]
    return found[0] if len(found) == 1 else newest.number


async def _recalled(notes: Notes, text: str, ctx: TurnContext) -> ToolCall | None:
    """Return the call that reads the one note that holds what somebody asks that they told."""
    others = brought_in if wants_brought(text) else measure_asked_in
    read = recalled_in if recalls(text) else whether_in if asks_whether(text) else others
    known = await notes.list_recent(ctx.user_id, limit=_SEARCHED)
    place = read(text, [one.content for one in known])
    return None if place is None else ToolCall(CALL_ID, "get_note", {"note": str(known[place].number)})


async def _added_to(notes: Notes, acts: Acts, clock: Clock, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: more of what the note says just kept: "and that he comes on Friday", or one like it."""
    is_another = ANOTHER_WITH.match(text) is not None or ANOTHER_OF.match(text) is not None
    if not (is_another or (more := read_more(text))):
        return None
    is_named = not is_another and adds_to_the_note(text)
    kept = await (_newest_touched if is_named else _just_kept)(acts, clock, ctx)
    note = None if kept is None else await notes.find_by_id(ctx.user_id, kept)
    answers = ctx.said.answers if is_named else ctx.said.answers[:1]
    if note is None or first_words(note.content, _SHOWN_CHARS) not in "".join(answers):
        return None
    if is_another:
        content = another_of(text, note.content) or another_labelled(text, note.content)
        return ToolCall(CALL_ID, "save_note", {"content": content}) if content else None
    whole = f"{note.content.rstrip(' .;')}; {more}"
    return ToolCall(CALL_ID, "correct_note", {"new": whole, "old": note.content, "note": str(note.number)})


async def _just_kept(acts: Acts, clock: Clock, ctx: TurnContext) -> int | None:
    """Return the id of the note that the last act kept or changed, if that was just now."""
    rows = await acts.list_last_rows(ctx.user_id, clock.now() - JUST, 1)
    return rows[0][1] if rows and rows[0][0] == "notes" else None


async def _newest_touched(acts: Acts, clock: Clock, ctx: TurnContext) -> int | None:
    """Return the id of the note that was kept or changed last, whatever was done since, if that was just now."""
    touched = await acts.find_last_touched(ctx.user_id, "notes")
    return touched[0] if touched is not None and touched[1] >= clock.now() - JUST else None


async def _recall(notes: Notes, acts: Acts, clock: Clock, answer: str, ctx: TurnContext) -> Spoken | None:
    """See `Recall`: the note that an answer told was kept."""
    if not answer.startswith(openings(NOTES.saved, NOTES.corrected)):
        return None
    kept = await _just_kept(acts, clock, ctx)
    note = None if kept is None else await notes.find_by_id(ctx.user_id, kept)
    if note is None or first_words(note.content, _SHOWN_CHARS) not in answer:
        return None

    async def act(relation: Relation, text: str, ctx: TurnContext, model: ChatModel) -> Calls:
        if relation == "ask":
            return [ToolCall(CALL_ID, "get_note", {"note": str(await _only_one_with(notes, text, note, ctx))})]
        return []

    return Spoken("note", note.content, act)


async def _counted(text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: how many notes there are, whether there is any, or any about something; or all of them."""
    if (about := WHETHER_NOTED.match(text)) is not None:
        return ToolCall(CALL_ID, "search_notes", {"query": about["sought"]})
    is_asked = asks_how_many(text, WORDS["called"]) or asks_whether_any(text, WORDS["called"])
    is_asked = is_asked or asks_to_see_all(text, "notes")
    return ToolCall(CALL_ID, "list_notes", {}) if is_asked else None


async def _in_notes(text: str, ctx: TurnContext) -> tuple[str, ...]:
    return (notes_tools.SKILL,)


def _is_kept_at_the_end(text: str) -> bool:
    """Tell whether a message ends with the wish to keep what it says: "the gate code is 4417, save it"."""
    return bool(kept_at_end(text))
