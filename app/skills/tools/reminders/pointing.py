"""Which reminders are meant, by name, by their place in a list, or as the last one; and which are called off."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from app.domain.wording import fold, said_number, stem, words
from app.language.catalogue import Language
from app.language.lexicon import STOP_WORDS
from app.language.slips import slips
from app.skills.tools.reminders import lexicon
from app.skills.tools.reminders.clauses import clauses, mended_off, pieces
from app.skills.tools.reminders.lexicon import spoken, when_asked_of
from app.skills.tools.reminders.repository import Reminder
from app.when.lexicon import WORDS
from app.when.meanings import Point, When
from app.when.reading import read_wish

_MOST_PLACES: Final = 4
_FEWEST_TOLD: Final = 2
_ANSWERS_BACK: Final = 2
_PLACES: Final = tuple(frozenset(WORDS.phrases(f"ordinal.{place}")) for place in range(1, _MOST_PLACES + 1))


def told_in_order(active: Sequence[Reminder], answers: Sequence[str]) -> list[Reminder]:
    """Return those that one of the last answers told together, in its order; [] where none told several.

    `answers`: the newest first. A list of other things in between is meant instead.
    """
    for answer in answers[:_ANSWERS_BACK]:
        places = [(answer.find(one.text), one.id, one) for one in active]
        told = [one for at, _, one in sorted(places, key=lambda each: each[:2]) if at >= 0]
        if len(told) >= _FEWEST_TOLD:
            return told
        if "\n" in answer.strip():
            break
    return _told_one_by_one(active, answers)


def _told_one_by_one(active: Sequence[Reminder], answers: Sequence[str]) -> list[Reminder]:
    """Return those of which the last answers told one each, in the order in which they were told."""
    found: list[Reminder] = []
    for answer in answers[:_MOST_PLACES]:
        told = [one for one in active if one.text in answer]
        if len(told) != 1 or told[0] in found:
            break
        found.insert(0, told[0])
    return found if len(found) >= _FEWEST_TOLD else []


def by_place(text: str, told: Sequence[Reminder]) -> tuple[Reminder | None, str]:
    """Return which of those is named by its place, and the text without that: "cancel the second one".

    None, and the whole text, where none is: "move it to the second of May".
    """
    found = list(lexicon.WORD.finditer(text))
    keys = ["", "", *(fold(word[0]) for word in found), ""]
    for number, word in enumerate(found):
        before, article, key, behind = keys[number : number + 4]
        place = next((at for at, words in enumerate(_PLACES) if key in words), len(told))
        is_date = before in lexicon.BEFORE_A_DATE or behind in lexicon.BEHIND_A_DATE
        if place < len(told) and article in lexicon.OF_PLACE and not is_date:
            return told[place], f"{text[: found[number - 1].start()]}{text[word.end() :]}"
    return None, text


WEEKDAY_NAMES: Final = frozenset(phrase for day in range(7) for phrase in WORDS.phrases(f"weekday.{day}"))
_LEAST_SLIP: Final = 4
_LEAST_SAME: Final = 3


@dataclass(frozen=True, slots=True)
class CalledOff:
    """`names` are stems of what names it; `beside` of what else is said, which names it where they are missing.

    `says_reminder`: it is called so. `points`: at the last one, "that reminder", not "the reminder". `is_loose`:
    it is surely one of these, so not all of the names need stand in it: "the one about the keys that Ann took".
    """

    names: frozenset[str]
    beside: frozenset[str]
    when: When | None
    is_all: bool
    says_reminder: bool
    points: bool
    is_loose: bool = False


def read_called_off(text: str, now: datetime, language: Language) -> CalledOff | None:
    """Return what a text calls off first: "cancel the haircut", "forget it". `now` is local."""
    return next(_each_called_off(text, now, language), None)


def _each_called_off(text: str, now: datetime, language: Language) -> Iterator[CalledOff]:
    parts = clauses(mended_off(text))
    for place, clause in enumerate(parts):
        if lexicon.CALLING_OFF.search(clause) is None or lexicon.NOT_OFF.search(clause) is not None:
            continue
        # The reason names nothing: "drop that one, because …".
        cut = [one for piece in pieces(clause) for one in _without_reason(piece)]
        own = next((one for one in cut if lexicon.CALLING_OFF.search(one)), clause)
        reasons = [one for one in cut if one != own and own != clause]
        wish = read_wish(own, now, language)
        others = [
            one for one in (*parts[:place], *reasons, *parts[place + 1 :]) if not lexicon.KEEPING.search(one)
        ]
        tokens = frozenset(spoken(own))
        is_all = not lexicon.EVERY_ONE.isdisjoint(tokens)
        if is_all and wish.when is None and lexicon.REMINDERS_CALLED.isdisjoint(tokens):
            return  # "cancel it all" may be anything
        says_reminder = not lexicon.REMINDERS_CALLED.isdisjoint(tokens)
        yield CalledOff(
            names_of(wish.what, lexicon.OFF_WORDS | lexicon.EVERY_ONE),
            names_of(" ".join(others), lexicon.OFF_WORDS),
            wish.when,
            is_all,
            says_reminder,
            points=not says_reminder or not lexicon.POINTING.isdisjoint(tokens),
            is_loose=(says_reminder or lexicon.OF_ONE.search(own) is not None)
            and lexicon.OF_OTHERS.isdisjoint(tokens),
        )


def _without_reason(piece: str) -> list[str]:
    """Cut off the reason before what is called off: "she is coming here", "scratch that"."""
    off = lexicon.CALLING_OFF.search(piece)
    so_then = None if off is None else lexicon.SO_THEN.search(piece[: off.start()].rstrip())
    if off is None or so_then is None:
        return [piece]
    return [one for one in (piece[: so_then.start()].strip(), piece[off.start() :]) if one]


def names_of(text: str, known: frozenset[str]) -> frozenset[str]:
    """Return the stems of the words that may name something."""
    no_names = known | lexicon.NO_NAME | lexicon.TALK | STOP_WORDS
    return frozenset(stem(word) for word in spoken(text) if word not in no_names)


def _stems_of(one: Reminder) -> frozenset[str]:
    return frozenset(map(stem, spoken(one.text)))


def named(names: frozenset[str], some: Sequence[Reminder]) -> list[Reminder]:
    """Return those that have all the names, none where there are no names."""
    return [one for one in some if names and (names <= _stems_of(one) or names == {str(one.number)})]


def most_alike(names: frozenset[str], some: Sequence[Reminder]) -> list[Reminder]:
    """Return the one that shares most of the names, at least one, written with a slip where none shares one; none
    where several do."""
    return _most([(_shared(names, one), one) for one in some]) or _most([(_near(names, one), one) for one in some])


def _most(counted: Sequence[tuple[int, Reminder]]) -> list[Reminder]:
    most = max((count for count, _ in counted), default=0)
    found = [one for count, one in counted if count == most]
    return found if most and len(found) == 1 else []


def _shared(names: frozenset[str], one: Reminder) -> int:
    return len(names & _stems_of(one))


def _near(names: frozenset[str], one: Reminder) -> int:
    """Count the names that a reminder has but for a letter that is missing, too many, or swapped."""
    stems = [word for word in _stems_of(one) if len(word) >= _LEAST_SLIP]
    near = [name for name in names if len(name) >= _LEAST_SLIP]
    return sum(any(slips(name, word) <= 1 and not _is_one_other(name, word) for word in stems) for name in near)


def _is_one_other(name: str, word: str) -> bool:
    return len(name) == len(word) and sorted(name) != sorted(word)


def asked_when(text: str, active: Sequence[Reminder], newest: Reminder | None) -> Sequence[Reminder]:
    """Return of which of these a text asks when it comes: the newest, or those that it names; all of them where it
    surely asks that of one, and none was just set. What stands in its other clauses is an excuse, or names it."""
    parts = clauses(text)
    found = [
        (place, asked) for place, one in enumerate(parts) if (asked := when_asked_of(one, "?" in text)) is not None
    ]
    if not found:
        return []
    place, asked = found[0]
    if names := names_of(" ".join(asked.names), WEEKDAY_NAMES):
        is_other_wish = not asked.is_sure and any(lexicon.REMINDING.search(one) for one in parts)
        found_named = [] if is_other_wish else best_named(_as_begun(names, active), active)
        if found_named or not asked.is_sure or not all(map(lexicon.is_slip, asked.names)):
            return found_named
    if not asked.is_sure:
        return []
    beside = names_of(" ".join(parts[:place] + parts[place + 1 :]), lexicon.OFF_WORDS)
    if newest is not None or most_alike(beside, active):
        return most_alike(beside, active) or ([] if newest is None else [newest])
    return active if lexicon.SURELY_WHEN.search(fold(text)) else []


def _as_begun(names: frozenset[str], active: Sequence[Reminder]) -> frozenset[str]:
    """Return the names, another form of the first word of a reminder as that: "saco" of "sacar la basura"."""
    begun = {word[:_LEAST_SAME]: stem(word) for one in active for word in spoken(one.text)[:1]}
    return frozenset(begun.get(name[:_LEAST_SAME], name) for name in names)


def calls_off(
    text: str,
    active: Sequence[Reminder],
    newest: Reminder | None,
    now: datetime,
    language: Language,
    told: Sequence[Reminder] = (),
) -> tuple[CalledOff | None, list[Reminder]]:
    """Return what a text calls off, and which reminders those are; the first clause that means any decides.

    `told`: those that the person was just told, in that order; "the second one" is of those.
    """
    if (counted := counted_off(text, active, newest, now, language)) is not None:
        return counted
    for clause in clauses(mended_off(text)):
        one, rest = by_place(clause, told)
        off = read_called_off(rest, now, language) if one is not None else None
        if one is not None and off is not None and not off.names and off.when is None:
            return replace(off, says_reminder=True), [one]
    every = [(off, called_off(off, active, newest)) for off in _each_called_off(text, now, language)]
    return next((one for one in every if one[1]), next(iter(every), (None, [])))


def counted_off(
    text: str, active: Sequence[Reminder], newest: Reminder | None, now: datetime, language: Language
) -> tuple[CalledOff, list[Reminder]] | None:
    """Return which are called off by "both", or by "the other one", which is the one not spoken of last; more of
    them than that where it is not clear which. None of any other text.
    """
    said = ", ".join(one for one in clauses(mended_off(text)) if not lexicon.KEEPING.search(one))
    both, other = lexicon.BOTH.search(said), lexicon.OTHER_ONE.search(said)
    counted = both or other
    if counted is None or len(active) < _FEWEST_TOLD:
        return None
    off = read_called_off(lexicon.BOTH.sub("it", lexicon.OTHER_ONE.sub("it", fold(text))), now, language)
    if off is None or off.names or off.when is not None or (both is None and newest is None):
        return None
    off = replace(
        off, names=frozenset(), says_reminder=True, is_all=both is not None and len(active) == _FEWEST_TOLD
    )
    others = [one for one in active if both is not None or newest is None or one.id != newest.id]
    return off, others


def called_off(off: CalledOff, active: Sequence[Reminder], newest: Reminder | None) -> list[Reminder]:
    """Return which reminders are called off; several where that is said, or where it is not clear which."""
    if off.names:
        return best_named(off.names, active, is_loose=off.is_loose)
    if isinstance(off.when, Point):
        at = off.when.at
        return [
            one
            for one in active
            if (one.due.date() == at.date() or not off.when.has_day)
            and (one.due.time() == at.time() or not off.when.has_clock)
        ]
    if off.is_all:
        return list(active)
    return pointed_at(off.beside, active, newest if off.points or len(active) == 1 else None)


def best_named(names: frozenset[str], active: Sequence[Reminder], *, is_loose: bool = False) -> list[Reminder]:
    """Return those that have all the names, else the one that shares most: more than half, if not `is_loose`."""
    if found := named(names, active):
        return found
    alike = most_alike(names, active)
    return [one for one in alike if is_loose or 2 * _shared(names, one) > len(names)]


def denied_one(text: str, active: Sequence[Reminder], now: datetime, language: Language) -> Reminder | None:
    """Return the one that a text only says no to, and why: "not the oven one, it's fixed"."""
    first, *behind = clauses(text) or [""]
    said = spoken(first)
    is_denied = bool(said) and not lexicon.NOT_REMINDING.isdisjoint((said[0], said[-1]))
    if not is_denied or not behind or "?" in text or lexicon.OF_ONE.search(first) is None:
        return None
    if any(
        lexicon.OF_ONE.search(one)
        or not (lexicon.MOVING - lexicon.CORRECTING - lexicon.TALK).isdisjoint(spoken(one))
        for one in behind
    ):
        return None
    found = most_alike(names_of(first, lexicon.OFF_WORDS), active)
    return found[0] if found and read_wish(text, now, language).when is None else None


def pointed_by(text: str, active: Sequence[Reminder], newest: Reminder | None) -> list[Reminder]:
    """Return the one that a whole message is about, wherever in it: it shares most words; else the newest, or the
    only one, where the message names nothing."""
    said = [one for one in clauses(mended_off(text)) if not lexicon.KEEPING.search(one)]
    names = names_of(" ".join(said), lexicon.OFF_WORDS)
    only = active[0] if len(active) == 1 else newest
    return most_alike(names, active) or ([only] if only is not None and not names else [])


def pointed_at(beside: frozenset[str], active: Sequence[Reminder], newest: Reminder | None) -> list[Reminder]:
    found = most_alike(beside, active)
    return found or ([newest] if newest is not None else [])


def name_off(passed: str, off: CalledOff | None, said: str) -> str:
    """Return how the one that is called off is called: as a model `passed` it, else as the message says."""
    is_plain = off is not None and (off.says_reminder or not lexicon.NO_MORE.isdisjoint(spoken(said)))
    return " ".join(sorted(off.names)) if off is not None and is_plain and not names_in(passed) else passed


def names_in(said: str) -> list[str]:
    return [word for word in words(said) if word not in lexicon.NO_NAME and word not in lexicon.EVERY_ONE]


def pointed(
    reminder: str, said: str, off: CalledOff | None, active: Sequence[Reminder], newest: Reminder | None
) -> list[Reminder]:
    """Return the one that the whole message is about, where the words of the model name none."""
    wanted = names_in(reminder)
    if wanted and matching(reminder, wanted, active):
        return []
    return pointed_by(said, active, newest if off is None or off.points else None)


def matching(said: str, named: Sequence[str], some: Sequence[Reminder]) -> list[Reminder]:
    number = said_number(said)
    if number is not None and (same := [one for one in some if one.number == number]):
        return same
    wanted = {stem(word) for word in named}
    rungs = [
        [one for one in some if fold(one.text) == fold(said)],
        [one for one in some if wanted <= {stem(word) for word in words(one.text)}],
        [one for one in some if wanted & {stem(word) for word in words(one.text)}],
    ]
    return next((found for found in rungs if found), [])


def called(one: Reminder) -> str:
    """Return how a call names a reminder: by its words, which the person is asked with; by its number where they
    have one of their own."""
    return str(one.number) if any(map(str.isdigit, one.text)) else one.text
