"""The door of the room: a text about time, or a wish with a time in it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from app.language.catalogue import LANGUAGES, Language
from app.when.lexing import clean_text
from app.when.meanings import Habits, Unsure, When, Wish
from app.when.parsing import Found, Parser
from app.when.resolving import resolve

USUAL: Final = Habits()


def read_when(text: str, now: datetime, language: Language, habits: Habits = USUAL) -> When:
    """Read a text that says when, and nothing else.

    `now` is what the person's clock shows. Their language is tried first. What is not understood whole is
    refused: a word that was passed over may have changed the meaning.
    """
    text = clean_text(text)
    first: When | None = None
    for one in _in_order(language):
        parser = Parser(text, one)
        found = list(parser.atoms())
        meaning = _resolved(parser, found, now, one, habits)
        if found and not _left_over(parser, found):
            return meaning
        if first is None or (isinstance(first, Unsure) and first.why == "not_time" and found):
            first = Unsure("not_time") if not found else _doubted(meaning)
    return first or Unsure("not_time")


def read_wish(text: str, now: datetime, language: Language, habits: Habits = USUAL) -> Wish:
    """Separate when from what in a wish such as "tomorrow at 11 call the bank".

    The language in which more of it is about time: of "every Friday at 5pm", Spanish knows the hour alone.
    """
    text = clean_text(text)
    wish, most = Wish(text.strip(), None), 0
    for one in _in_order(language):
        parser = Parser(text, one)
        found = list(parser.atoms())
        meaning = _resolved(parser, found, now, one, habits)
        taken = sum(each.last - each.first for each in found)
        if taken > most and not (isinstance(meaning, Unsure) and meaning.why == "not_time"):
            wish, most = Wish(_without(parser, found, text), meaning), taken
    return wish


def _resolved(parser: Parser, found: Sequence[Found], now: datetime, language: Language, habits: Habits) -> When:
    if parser.mentions("wake"):
        habits = replace(habits, wakes=True)
    return resolve([each.atom for each in found], now, language, habits)


def _in_order(language: Language) -> tuple[Language, ...]:
    return (language, *(other for other in LANGUAGES if other != language))


def _left_over(parser: Parser, found: Sequence[Found]) -> bool:
    taken = {place for each in found for place in range(each.first, each.last)}
    return any(place not in taken and not parser.is_filler(place) for place in range(len(parser.pieces)))


def _doubted(meaning: When) -> Unsure:
    return meaning if isinstance(meaning, Unsure) else Unsure("which", (meaning,))


def _without(parser: Parser, found: Sequence[Found], text: str) -> str:
    """Return the text without what was about time, and without what only joined that to the rest."""
    kept = []
    place = 0
    for each in [*found, None]:
        end = len(text) if each is None else parser.pieces[each.first].start
        if part := text[place:end].strip(" ,;.:"):
            kept.append(part)
        place = end if each is None else parser.pieces[each.last - 1].end
    return " ".join(kept)
