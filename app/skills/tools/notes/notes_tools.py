"""Notes by message: save, list, search, read, delete; each person sees and changes only their own."""

import re
from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from app.database.repositories.acts import Act, Acts
from app.domain.errors import ToolFault, Unmatched
from app.domain.ports import Clock
from app.domain.tools import Alias, LooseWords, OwnWords, ToolResult
from app.domain.turn import TurnContext
from app.domain.wording import clean, first_words, fold, one_line, pick, points_back, said_number, says_last
from app.language.catalogue import say
from app.language.texts import COMMON
from app.skills.amending import may_amend
from app.skills.counting import asks_how_many
from app.skills.own_words import corrected, literals
from app.skills.registry import SkillRegistry
from app.skills.tools.notes.leading import behind_command, wish_in, without_wish
from app.skills.tools.notes.lexicon import WHETHER_NOTED, WORDS
from app.skills.tools.notes.picked import is_left_alone
from app.skills.tools.notes.repository import Note, Notes
from app.skills.tools.notes.texts import NOTES

SKILL: Final = "notes"
MAX_CONTENT_CHARS: Final = 4000
MAX_TITLE_CHARS: Final = 80
_MADE_TITLE_CHARS: Final = 48
_SHOWN_CHARS: Final = 120
_SHOWN_NOTES: Final = 20
_CANDIDATES: Final = 50
_LABEL_CHARS: Final = 60
_BY_ID: Final = MappingProxyType({"note_id": Alias("note")})
_CLAUSE: Final = re.compile(r"[,.;]")
_SENTENCE_END: Final = re.compile(r"[.!?…]\s|\n")


class _NoteTools:
    def __init__(self, notes: Notes, clock: Clock, acts: Acts) -> None:
        self._notes = notes
        self._clock = clock
        self._acts = acts

    async def save_note(self, content: OwnWords, title: OwnWords = "", *, ctx: TurnContext) -> ToolResult:
        """Save a note the user wants kept.

        Args:
            content: the whole text to keep
            title: only if the user gave one
        """
        if not ctx.is_read:
            content = behind_command(content, ctx.said.now)
            content = content if clean(title) else _with_label(clean(content), ctx.said.now)
        elif not clean(content) and not clean(title):
            return ToolResult.ok("Ask what is to be noted.", say(NOTES.ask_what, ctx.language))
        heading, body = _compose(title, content)
        now = self._clock.now()
        act = Act.of(ctx, "added", heading, now)
        note = await self._notes.add(ctx.user_id, heading, body, now, act)
        reply = say(NOTES.saved, ctx.language, number=note.number, note=_told(note))
        return ToolResult.ok(f"Saved note {note.number}: {note.title}.", reply)

    async def list_notes(self, *, ctx: TurnContext) -> ToolResult:
        """Show all notes."""
        notes = await self._notes.list_recent(ctx.user_id, limit=_SHOWN_NOTES)
        if not notes:
            return ToolResult.ok("There are no notes yet.", say(NOTES.none, ctx.language))
        total = await self._notes.count(ctx.user_id)
        if any(asks_how_many(one, WORDS["called"]) for one in ctx.said.now):
            return ToolResult.ok(f"There are {total} notes.", say(NOTES.counted, ctx.language, count=total))
        lines, told = [_line(note) for note in notes], [_line(note) for note in notes]
        if (more := total - len(notes)) > 0:
            lines.append(f"… {more} more; search_notes finds them by words.")
            told.append(say(COMMON.more, ctx.language, count=more))
        reply = say(NOTES.listed, ctx.language, lines="\n".join(told))
        return ToolResult.ok("\n".join(lines), reply)

    async def search_notes(self, query: OwnWords, *, ctx: TurnContext) -> ToolResult:
        """Find notes by words in them."""
        found = await self._notes.search(ctx.user_id, query, limit=_SHOWN_NOTES + 1)
        if not found:
            total = await self._notes.count(ctx.user_id)
            sought = one_line(clean(query), 60)
            told = say(NOTES.not_found, ctx.language, query=sought, total=total)
            reply = told if total else say(NOTES.none, ctx.language)
            if any(WHETHER_NOTED.match(one) for one in ctx.said.now):
                return ToolResult.ok(f"No note matches: {sought}.", await self._with_all(reply, ctx))
            return ToolResult.nothing(f'No note matches "{sought}"; {total} notes were searched.', reply)
        lines = [_line(note) for note in found[:_SHOWN_NOTES]]
        if len(found) > _SHOWN_NOTES:
            lines.append("… more; search with other words.")
            return ToolResult.ok("\n".join(lines))
        reply = say(NOTES.found, ctx.language, lines="\n".join(lines))
        return ToolResult.ok("\n".join(lines), reply)

    async def _with_all(self, told: str, ctx: TurnContext) -> str:
        """Return what is told of notes that were not found, with those there are."""
        lines = "\n".join(map(_line, await self._notes.list_recent(ctx.user_id, limit=_SHOWN_NOTES)))
        return f"{told}\n{say(NOTES.listed, ctx.language, lines=lines)}" if lines else told

    async def get_note(self, note: str, *, ctx: TurnContext) -> ToolResult:
        """Read one note in full.

        Args:
            note: number, or words of it
        """
        found = await self._pick(note, ctx)
        reply = say(NOTES.note, ctx.language, number=found.number, title=found.title, content=found.content)
        return ToolResult.ok(f"Note {found.number}, {found.title}:\n{found.content}", reply)

    async def correct_note(
        self, new: OwnWords, old: LooseWords = "", note: str = "", *, ctx: TurnContext
    ) -> ToolResult:
        """Correct a note that is already saved.

        Args:
            new: the right words, no others
            old: the wrong words, if they were said
            note: number or words; empty: the last
        """
        found = await self._pick(note, ctx)
        if not old and (each := may_amend(found.content, clean(new))):
            lines = "\n".join(f"{number}. {' '.join(one.text.split())}" for number, one in enumerate(each, 1))
            return ToolResult.ok(f"Ask which is right:\n{lines}", say(NOTES.which, ctx.language, lines=lines))
        better = corrected(found.content, clean(new), clean(old))
        if better is None:
            raise ToolFault(
                "nothing_to_correct",
                f'Ask which words to replace by "{one_line(clean(new), 60)}" in {_line(found)}',
            )
        if len(better) > MAX_CONTENT_CHARS:
            raise ToolFault("note_too_long", f"A note holds {MAX_CONTENT_CHARS} characters.")
        was_made = fold(found.content).startswith(fold(found.title))
        title = (
            _compose("", better)[0] if was_made else corrected(found.title, clean(new), clean(old)) or found.title
        )
        act = Act.of(ctx, "changed", found.title, self._clock.now())
        if not await self._notes.change(ctx.user_id, found, title, better, act):
            raise ToolFault("note_changed", f"Note {found.number} has changed meanwhile.")
        line = _line(replace(found, title=title, content=better))
        return ToolResult.ok(f"Corrected note {line}", say(NOTES.corrected, ctx.language, line=line))

    async def delete_note(self, note: str, *, ctx: TurnContext) -> ToolResult:
        """Delete one note.

        Args:
            note: number, or words of it
        """
        found = await self._pick(note, ctx)
        known = await self._notes.list_recent(ctx.user_id, limit=_CANDIDATES)
        if is_left_alone(found, known, ctx):
            raise _unclear(note, [one for one in known if not is_left_alone(one, known, ctx)])
        act = Act.of(ctx, "deleted", found.title, self._clock.now())
        if not await self._notes.delete(ctx.user_id, found.number, act):
            raise ToolFault("note_unknown", f"Note {found.number} is already deleted.")
        reply = say(NOTES.deleted, ctx.language, line=_line(found))
        return ToolResult.ok(f"Deleted note {_line(found)}", reply)

    async def _pick(self, wanted: str, ctx: TurnContext) -> Note:
        user_id = ctx.user_id
        if points_back(wanted):
            row_id = await self._acts.find_last_row(user_id, "notes")
            last = None if row_id is None else await self._notes.find_by_id(user_id, row_id)
            if last is not None:
                return last
            if says_last(wanted) and (newest := await self._notes.list_recent(user_id, limit=1)):
                return newest[0]
        number = said_number(wanted)
        if number is not None and (numbered := await self._notes.find(user_id, number)) is not None:
            return numbered
        candidates = await self._notes.search(user_id, clean(wanted), limit=_CANDIDATES)
        if not candidates:
            candidates = await self._notes.list_recent(user_id, limit=_CANDIDATES)
        try:
            return pick(clean(wanted), candidates, kind="note", line=_line)
        except Unmatched:
            # "Scrap that note, mum found a cheaper one": the reason is no name, nor is what a model made of it.
            openings = (_CLAUSE.split(said, maxsplit=1)[0] for said in (wanted, *ctx.said.now))
            pointing = next((one for one in openings if one != wanted and points_back(one)), None)
            if pointing is None:
                raise
            return await self._pick(pointing, ctx)


def register(registry: SkillRegistry, notes: Notes, clock: Clock, acts: Acts) -> None:
    """Add the six notes tools."""
    tools = _NoteTools(notes, clock, acts)
    registry.add(tools.save_note, SKILL, asks=NOTES.ask_save)
    registry.add(tools.list_notes, SKILL, read_only=True)
    registry.add(tools.search_notes, SKILL, read_only=True)
    registry.add(tools.get_note, SKILL, read_only=True, aliases=_BY_ID)
    registry.add(tools.correct_note, SKILL, aliases=_BY_ID, asks=NOTES.ask_correct)
    registry.add(tools.delete_note, SKILL, aliases=_BY_ID, asks=NOTES.ask_delete)


def _unclear(wanted: str, notes: Sequence[Note]) -> Unmatched:
    """Return the question which of these notes is meant."""
    lines = tuple(_line(one) for one in notes[:_SHOWN_NOTES])
    return Unmatched(
        "note_left_alone", "That note is to stay. Ask which one.", wanted=wanted, choices=lines, fits=True
    )


def _compose(title: str, content: str) -> tuple[str, str]:
    """Return title and content as they are kept; a title that is missing or too long is made anew."""
    heading, body = without_wish(" ".join(clean(title).split())), without_wish(clean(content))
    if len(heading) > MAX_TITLE_CHARS:
        # A model may give the same text for both.
        heading, body = "", body if _begins(body, heading) else f"{heading}\n{body}".strip()
    body = body or heading
    if not body:
        raise ToolFault("note_empty", "content is empty: say what the note should hold.")
    if len(body) > MAX_CONTENT_CHARS:
        raise ToolFault(
            "note_too_long",
            f"content has {len(body)} characters, a note holds {MAX_CONTENT_CHARS}: save it as several notes.",
        )
    return heading or first_words(body, _MADE_TITLE_CHARS) or body[:_MADE_TITLE_CHARS], body


def _begins(body: str, heading: str) -> bool:
    return fold(" ".join(body.split())).startswith(fold(heading).rstrip(" .…"))


def _with_label(content: str, said: Sequence[str]) -> str:
    """Return a note with what stands between the wish and what a model took of it: "save mum's wifi: pino2024".

    Only a value that says nothing alone, or what stands behind a colon ("the tailor's address: …") or "is", within
    one sentence, and to its end.
    """
    is_bare = not any(word.isalpha() for word in content.split())
    for message in said:
        words = wish_in(message)
        rest = without_wish(message)
        rest = message[words[0].end() :] if words and rest == message else rest
        label, found, behind = rest.partition(content)
        is_about = is_bare or (label.rstrip().endswith(":") and len(label) <= _LABEL_CHARS)
        is_about = is_about or (len(label) <= _LABEL_CHARS and _links(label))
        is_whole = bool(words and found) and not behind.strip(" .!")
        if is_about and is_whole and not _SENTENCE_END.search(label) and not literals(label):
            return rest.strip(" ,:")
    return content


def _links(label: str) -> bool:
    """Tell whether words end with what says that something is so and so: "the code of the gate is"."""
    return fold(label).split()[-1:] != [] and fold(label).split()[-1] in WORDS["linking"]


def _line(note: Note) -> str:
    return f"{note.number}. {_told(note)}"


def _told(note: Note) -> str:
    shown = one_line(note.content, _SHOWN_CHARS)
    # A made title repeats the beginning of the text.
    return shown if fold(note.content).startswith(fold(note.title)) else f"{note.title}: {shown}"
