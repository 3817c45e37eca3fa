"""The door of the room: a text about time, or a wish with a time in it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Final

from app.language.catalogue import LANGUAGES, Language
from app.language.folding import fold
from app.language.late import LatePattern
from app.when.atoms import Ahead, Clock, PartOfDay
from app.when.cron import Written, find_cron, read_cron
from app.when.lexicon import WORDS
from app.when.lexing import VOCABULARIES, clean_text, split_pieces
from app.when.meanings import MAX_LIKELY, Habits, Point, Repeat, Unsure, When, Wish, likely_of
from app.when.parsing import Found, Parser
from app.when.resolving import resolve

USUAL: Final = Habits()
_TWO_DAYS: Final = LatePattern(
    rf"(?<!\w)(?P<one>\d{{1,2}})(?:[a-z]{{2}})? {WORDS.pattern('mark.plus')} (?:\w{{2,3}} )?"
    r"(?P<other>\d{1,2})(?:[a-z]{2})?(?!\w)",
    flags=0,
)
# Between two times, "at 7 and at 9 every day"; and what led to a day, "antes del examen del viernes".
_ONLY_JOINED: Final = re.compile(r"(?:,? ?(?:and|y|e|i|&|also|tambien|del|de)){1,3}")
_LED_TO_DAY: Final = re.compile(r"(?<=\w) del$", re.IGNORECASE)
_QUOTES: Final = " \t\"'`«»“”():=,"


def read_when(text: str, now: datetime, language: Language, habits: Habits = USUAL) -> When:
    """Read a text that says when, and nothing else.

    `now` is what the person's clock shows. Their language is tried first. What is not understood whole is
    refused: a word that was passed over may have changed the meaning.
    """
    text = clean_text(text)
    written = find_cron(text)
    if written is not None and not _around(text, written):
        return read_cron(written.notation, now)
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


@lru_cache(maxsize=64)
def read_wish(text: str, now: datetime, language: Language, habits: Habits = USUAL) -> Wish:
    """Separate when from what in a wish such as "tomorrow at 11 call the bank".

    The language in which more of it is about time: of "every Friday at 5pm", Spanish knows the hour alone.
    It is kept for a while: one message is asked in many ways whether it is about time.
    """
    text = clean_text(text)
    if (written := find_cron(text)) is not None:
        return _with_cron(text, written, now, language, habits)
    return _in_words(text, now, language, habits)


def says_only_when(text: str) -> bool:
    """Tell whether a text is a time and nothing else, in any language."""
    parsers = (Parser(clean_text(text), language) for language in LANGUAGES)
    return any(found and not _left_over(parser, found) for parser in parsers for found in [list(parser.atoms())])


def read_span(text: str, language: Language) -> tuple[Ahead, str] | None:
    """Return the one distance that a text says, and the rest of it: "half an hour later"; None without one."""
    for one in _in_order(language):
        parser = Parser(clean_text(text), one)
        found = list(parser.spans())
        if len(found) == 1 and isinstance(found[0].atom, Ahead):
            return found[0].atom, _without(parser, found, text)
    return None


def first_span(text: str, language: Language) -> tuple[str, str, str] | None:
    """Return what stands before the distance that is the first time of a text, that, and what stands behind it."""
    text = clean_text(text)
    for one in _in_order(language):
        parser = Parser(text, one)
        found = next(parser.atoms(), None)
        if found is not None and isinstance(found.atom, Ahead) and found.atom.minutes:
            begin, end = parser.pieces[found.first].start, parser.pieces[found.last - 1].end
            return text[:begin], text[begin:end], text[end:]
    return None


def _in_words(text: str, now: datetime, language: Language, habits: Habits) -> Wish:
    wish, most = Wish(text.strip(), None), 0
    for one in _in_order(language):
        parser = Parser(text, one)
        found = list(parser.atoms())
        meaning = _resolved(parser, found, now, one, habits)
        doubted = parser.doubted_at() if found else None
        if doubted is not None and any(one.first == doubted for one in found):
            meaning = Unsure("which", likely_of(meaning))  # "at harv past 8 in the morning"
        elif _passes_over(parser, found, meaning):
            meaning = Unsure("which", _likely_with(parser, found, meaning, now, one, habits))
        elif isinstance(meaning, Repeat) and _has_another_day(text, meaning.rule.month_day):
            meaning = Unsure("which")
        taken = sum(each.last - each.first for each in found)
        if taken > most and not (isinstance(meaning, Unsure) and meaning.why == "not_time"):
            wish, most = Wish(_without(parser, found, text), meaning), taken
    return wish


def _with_cron(text: str, written: Written, now: datetime, language: Language, habits: Habits) -> Wish:
    """A wish with a time in cron's notation. Whoever says when in words, too, is believed, or asked."""
    rest = _in_words(_around(text, written), now, language, habits)
    meaning = read_cron(written.notation, now)
    match rest.when, meaning:
        case None, _:
            return Wish(rest.what, meaning)
        case Point() | Repeat(), Unsure():
            return _in_words(text, now, language, habits)  # "2 * 3 * 4" beside a day and an hour
        case Repeat(rule=rule), Repeat() if rule == meaning.rule:
            return Wish(rest.what, meaning)
        case Point() | Repeat(), Repeat():
            return Wish(rest.what, Unsure("which", (meaning, rest.when)))
        case _:
            return Wish(rest.what, meaning)


def _around(text: str, written: Written) -> str:
    """Return the text without a notation, its quotes, and what only says that it is one: "with the cron"."""
    before, after = text[: written.start].rstrip(_QUOTES), text[written.end :].lstrip(_QUOTES)
    pieces = split_pieces(before)
    for language in LANGUAGES:
        for place, piece in enumerate(pieces):
            sizes = [size for _, size in VOCABULARIES[language].at(pieces, place).get("cron", ())]
            if place + max(sizes, default=0) == len(pieces):
                before = before[: piece.start]
                break
    return f"{before.strip(_QUOTES)} {after.strip(_QUOTES)}".strip()


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


def _passes_over(parser: Parser, found: Sequence[Found], meaning: When) -> bool:
    """Tell whether a number right behind a day was not read, where no hour was: "mañana 8 llevar el auto"."""
    is_whole = isinstance(meaning, Unsure) or meaning.has_clock
    return not is_whole and _number_behind(parser, found) is not None


def _has_another_day(text: str, day: int) -> bool:
    """Tell whether beside the day of the month stands a second one: "on the 1st and 15th of every month"."""
    pairs = ({int(found["one"]), int(found["other"])} for found in _TWO_DAYS.finditer(fold(text)))
    return any(day in pair for pair in pairs if day)


def _number_behind(parser: Parser, found: Sequence[Found]) -> Clock | None:
    places = (*(one.last for one in found), parser.doubted_at() or len(parser.pieces))
    numbers = (parser.clock_at(one) for one in places)
    return next((one for one in numbers if one is not None), None)


def _likely_with(
    parser: Parser, found: Sequence[Found], meaning: When, now: datetime, language: Language, habits: Habits
) -> tuple[Point | Repeat, ...]:
    """What it is with that number for its hour, and without."""
    hour = _number_behind(parser, found) or Clock(0)
    read = resolve([*(each.atom for each in found), hour], now, language, habits)
    return (*likely_of(read), *likely_of(meaning))[:MAX_LIKELY]


def _without(parser: Parser, found: Sequence[Found], text: str) -> str:
    """Return the text without what was about time, and without what only joined that to the rest."""
    kept = []
    place = 0
    taken = [each for each in found if not _is_apart(each, found)]
    for each in [*taken, None]:
        end = len(text) if each is None else parser.pieces[each.first].start
        part = text[place:end].strip(" ,;.:")
        is_between = bool(place) and each is not None
        if part and not (is_between and _ONLY_JOINED.fullmatch(fold(part))):
            kept.append(part if each is None else _LED_TO_DAY.sub("", part))
        place = end if each is None else parser.pieces[each.last - 1].end
    return " ".join(kept)


def _is_apart(one: Found, found: Sequence[Found]) -> bool:
    """Tell whether it is a part of the day in one word, away from every time: "evening" of "parents evening"."""
    if not isinstance(one.atom, PartOfDay) or one.atom.is_today or one.last - one.first > 1 or len(found) == 1:
        return False
    return all(other.last != one.first and one.last != other.first for other in found if other is not one)
