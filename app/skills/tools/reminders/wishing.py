"""What a reminder is to say: the wish without its time and without the words that ask for it."""

from datetime import datetime
from typing import Final

from app.domain.wording import clean, fold
from app.language.catalogue import Language
from app.skills.tools.reminders.lexicon import says_something, what_to_say, without_asking
from app.skills.tools.reminders.telling import MAX_TEXT_CHARS
from app.when.meanings import Point, Repeat, Unsure, When
from app.when.reading import read_wish

_EDGES: Final = " ,.;:-–¡!¿?"
_HALF_DAY: Final = 12


def what_is_meant(text: str, said: str, found: When | None, now: datetime, language: Language) -> str:
    """What the reminder is to say: without the words that ask for it, and without its time where that is sure."""
    is_sure = isinstance(found, Point | Repeat) or _is_one_hour(found)
    said = read_wish(said, now, language).what if is_sure else said
    is_whole = fold(text) in fold(said)  # what is left of it is no time: "evening" of "parents' evening"
    rest = read_wish(text, now, language).what if is_sure and not is_whole else text
    trimmed = _trimmed(rest, said) if said else rest
    for source in (trimmed if says_something(trimmed) else "", without_asking(said), trimmed, said):
        if what := what_to_say(clean(source), MAX_TEXT_CHARS):
            return what
    return ""


def _is_one_hour(found: When | None) -> bool:
    """Tell whether only the day, or the half of it, of one hour is not known."""
    likely = found.likely if isinstance(found, Unsure) else ()
    clocks = {
        (one.at.hour % _HALF_DAY, one.at.minute) for one in likely if isinstance(one, Point) and one.has_clock
    }
    return len(clocks) == 1 and all(isinstance(one, Point) for one in likely)


def _trimmed(text: str, said: str) -> str:
    """Cut from both ends what is no part of the message without its time: "10 call Ann" of "at 10 call Ann"."""
    there = {fold(word).strip(_EDGES) for word in said.split()}
    parts = text.split()
    while parts and fold(parts[0]).strip(_EDGES) not in there:
        parts.pop(0)
    while parts and fold(parts[-1]).strip(_EDGES) not in there:
        parts.pop()
    return " ".join(parts)
