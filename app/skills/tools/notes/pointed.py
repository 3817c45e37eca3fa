"""A wish for a note that names a label, or points at what was said before: "write that down", "save it as a note
called tip"."""

import re
from typing import Final

from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.catalogue import openings
from app.skills.picking.reading import read_wish
from app.skills.tools.notes.leading import is_statement, wish_in, wishes_more
from app.skills.tools.notes.lexicon import ANOTHER_OF, CALLED_NOTE, OF_THE, POINTED_ALONE, WORDS
from app.skills.tools.notes.texts import NOTES

_MAX_CHARS: Final = 160
_MOST_TOLD: Final = 600
_MOST_WORDS_OF_LABEL: Final = 5
_LOOKED_AT: Final = 3
"""So many messages before may be thanks, or "ok", behind what was told."""
_LEAST_WORDS: Final = 2
_RESULT: Final = re.compile(r"(?<!\w)[=≈] ?[^\w\n]{0,3}\d")
_MARKED: Final = re.compile(r"\s?[:,]\s|\s[–—-]\s")


def points_alone(said: str) -> bool:
    """Tell whether a message only wants what was said before kept as a note."""
    return len(said) <= _MAX_CHARS and POINTED_ALONE.fullmatch(_flat(said)) is not None


def pointed_at(said: str, ctx: TurnContext) -> str:
    """Return what a message that only points back wants kept, behind its label if it has one: the result that was
    just told, with what it was of, or what the person told last; "" where there is neither."""
    found = POINTED_ALONE.fullmatch(_flat(said)) if len(said) <= _MAX_CHARS else None
    if found is None:
        return ""
    content = _result(ctx) or _told_last(ctx)
    label = (found["label"] or "").strip(" .!\"'“”«»")
    return f"{label}: {content}" if label and content else content


def is_just_noted(ctx: TurnContext) -> bool:
    return bool(ctx.said.answers) and ctx.said.answers[0].startswith(openings(NOTES.saved))


def called_in(said: str) -> str:
    """Return label and words of a wish for a note that is given a name: "save a note called locker: 3381"."""
    found = CALLED_NOTE.match(_flat(said)) if len(said) <= _MOST_TOLD and ":" in said else None
    if found is None or len(found["label"].split()) > _MOST_WORDS_OF_LABEL:
        return ""
    rest = found["rest"].strip()
    is_other = "?" in found["label"] or rest.endswith("?") or wishes_more(f". {rest}")
    return "" if is_other else f"{found['label'].strip()}: {rest.removesuffix('.')}"


def another_of(said: str, before: str) -> str:
    """Return what one more note of the same kind holds, "note the one of the van too: 4471" behind a note `before`
    of the garage's code; "" where this is no such wish."""
    found = ANOTHER_OF.match(_flat(said)) if len(said) <= _MAX_CHARS and ":" in said else None
    kind = "" if found is None else _kind_of(before)
    if found is None or not kind or "?" in found["rest"] or wishes_more(f". {found['rest']}"):
        return ""
    whose = found["whose"].strip()
    if _MARKED.search(whose) or len(whose.split()) > _MOST_WORDS_OF_LABEL:
        return ""
    return f"{kind} {found['of']} {whose}: {found['rest'].strip().removesuffix('.')}"


def _kind_of(note: str) -> str:
    """Return what a note tells of a thing: "the code" of "the garage code is 4471"; "" where that is not clear."""
    if places := list(OF_THE.finditer(note)):
        return note[: places[0].start()].strip()
    named = [one for one in note.split() if fold(one).strip(",:") in WORDS["attributes"]]
    return named[0].strip(",:") if len(named) == 1 else ""


def _flat(said: str) -> str:
    return " ".join(said.split())


def _result(ctx: TurnContext) -> str:
    """Return the result that was told last, with what it was of where that has words of its own."""
    answer = ctx.said.answers[0].strip() if ctx.said.answers else ""
    if len(answer) > _MOST_TOLD or _RESULT.search(answer) is None:
        return ""
    asked = ctx.said.before[0].strip(" ?¿!.") if ctx.said.before else ""
    is_alone = not any(map(str.isalpha, asked)) or len(asked) > _MOST_TOLD
    return answer if is_alone else f"{_flat(asked)}: {answer}"


def _told_last(ctx: TurnContext) -> str:
    for said in ctx.said.before[:_LOOKED_AT]:
        text = _flat(said)
        if len(text) <= _MOST_TOLD and _tells(text):
            return text.removesuffix(".")
        if not _is_little(text):
            return ""
    return ""


def _tells(text: str) -> bool:
    is_wish = bool(wish_in(text)) or wishes_more(text) or read_wish(text) is not None
    is_enough = len(text.split()) >= _LEAST_WORDS and not _is_little(text)
    return is_enough and "?" not in text and not is_wish and is_statement(text, is_surely_noted=True)


def _is_little(text: str) -> bool:
    """Tell whether a message is only thanks, or "ok"."""
    return set(fold(text).replace(",", " ").strip(" .!").split()) <= WORDS["little_said"]
