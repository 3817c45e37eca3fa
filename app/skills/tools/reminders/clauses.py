"""The parts of a message: its clauses, what in them is only a reason, a denied time, a slip."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, pairwise
from typing import Final

from app.domain.wording import fold
from app.language.catalogue import Language
from app.language.slips import slips
from app.skills.tools.reminders import lexicon
from app.when.meanings import Point, When, likely_of
from app.when.reading import read_wish

_CLAUSE: Final = re.compile(rf"[,;!?¿¡\n]+|:(?!\d)|{lexicon.NO_TITLE}\.(?!\d)|\s[-–—]+\s")
_MOST_DENIALS: Final = 4
_HOUR: Final = r"(?:1?\d|2[0-3])(?:[:.][0-5]\d)?(?!\S)"
_FIRST_HOUR: Final = re.compile(rf"^{_HOUR}")
_ANY_HOUR: Final = re.compile(rf"(?<!\S){_HOUR}")


@dataclass(frozen=True, slots=True)
class Denial:
    """`rest` is the clauses without the old time, `old` is what they deny, `about` those that do so without their
    reasons."""

    rest: tuple[str, ...]
    old: tuple[str, ...] = ()
    about: str = ""


def clauses(text: str) -> list[str]:
    """Return the folded parts of a text between its marks."""
    return [one for one in map(str.strip, _CLAUSE.split(fold(text))) if one]


def pieces(clause: str, *, by_person: bool = True) -> list[str]:
    """Return a clause cut where a reason begins: "make it five", "because i'm out"; "make it 6", "they shut"."""
    begins = {match.start() for match in lexicon.BECAUSE.finditer(clause)}
    begins |= {match.end() for match in lexicon.BEGINNING.finditer(clause)} if by_person else set()
    cuts = [0, *sorted(begins), len(clause)]
    found = [clause[begin:end].strip() for begin, end in pairwise(cuts)]
    return [one for one in found if one]


def find_denial(parts: Sequence[str], now: datetime, language: Language) -> Denial:
    """Return the old time that some clauses deny: "it's saturday, not friday", "friday no, saturday".

    Nothing is denied where the rest says no other time of that kind: "not on friday", "no, friday at five".
    """
    cut = [_denied(part, now, language) for part in parts]
    rest = tuple(before for before, _ in cut if before)
    denied = tuple(old for _, old in cut if old)
    about = " ".join(f"{before} {pieces(old)[0]}" for before, old in cut if old)
    kinds = frozenset(kind for old in denied for kind in _kinds(old, now, language))
    is_other = any(kinds & _kinds(part, now, language, hour=_ANY_HOUR) for part in rest)
    return Denial(rest, denied, about) if is_other else Denial(tuple(parts))


def _denied(clause: str, now: datetime, language: Language) -> tuple[str, str]:
    """Return a clause without the time that it denies, and that: "not friday", or "friday no"."""
    for found in islice(lexicon.DENYING.finditer(clause), _MOST_DENIALS):
        before, behind = clause[: found.start()].strip(), clause[found.end() :].strip()
        if not behind and _kinds(before, now, language):
            return "", before
        right = lexicon.RIGHT_ONE.search(clause, found.end())
        end = len(clause) if right is None else right.start()
        old = clause[found.end() : end].strip()
        if _may_deny(before, behind) and _kinds(old, now, language):
            return f"{before} {clause[end:]}".strip(), old
    return clause, ""


def _may_deny(before: str, behind: str) -> bool:
    return lexicon.NO_DENIAL.isdisjoint(before.split()[-1:]) and lexicon.NO_DENIAL.isdisjoint(behind.split()[:1])


def _kinds(text: str, now: datetime, language: Language, hour: re.Pattern[str] = _FIRST_HOUR) -> frozenset[str]:
    """Return of what kinds the time in a text is: a day, an hour; `hour` finds a bare one."""
    bare = frozenset({"hour"}) if hour.search(text) else frozenset[str]()
    return bare | _kinds_of(read_wish(text, now, language).when)


def _kinds_of(when: When | None) -> frozenset[str]:
    likely = likely_of(when)
    days = {"day" for one in likely if not isinstance(one, Point) or one.has_day}
    return frozenset(days | {"hour" for one in likely if one.has_clock})


_SPELT: Final = re.compile(r"[^\W\d_]+")
_MOST_WITH_BEHIND: Final = 600
_LEAST_LETTERS: Final = 5
_ENDING: Final = 2


def is_excuse(raw: str, said: str) -> bool:
    """Tell whether a part, `raw` with its mark, says why: "otherwise …", ", que la otra vez …"."""
    is_marked = raw.lstrip()[:1] in (",", ".", "!")
    is_told = is_marked and lexicon.TOLD_OF_BEFORE.match(lexicon.flat(said)) is not None
    return is_told or lexicon.EXCUSE.match(fold(said)) is not None


def mended(text: str) -> str:
    """Return the text with such words as they are meant, and `without_behind`."""
    return _SPELT.sub(lambda match: _mended(match[0], lexicon.MISTYPED, _ENDING), without_behind(text))


def without_behind(text: str) -> str:
    """Return a wish to be reminded without what stands behind it, and is no part of it."""
    if len(text) > _MOST_WITH_BEHIND or not lexicon.may_ask(fold(text)):
        return text
    for pattern in (lexicon.BEHIND, lexicon.BEHIND, lexicon.WHEN_IT_IS):
        found = pattern.search(lexicon.flat(text))
        asked = lexicon.REMINDING.search(lexicon.flat(text))
        if found is not None and (asked is None or asked.end() < found.start()):
            text = text[: found.start()]
    return text


def mended_off(text: str) -> str:
    """Return what may call one off with the words for that as they are meant; not to be stored or shown."""
    return _SPELT.sub(lambda match: _mended(match[0], lexicon.OFF_MISTYPED, 1), text)


def mended_move(text: str) -> str:
    """Return what may move one with the words for that as they are meant; not to be stored or shown."""
    return _SPELT.sub(lambda match: _mended(match[0], lexicon.MOVE_MISTYPED, 1), text)


def _mended(word: str, known: frozenset[str], ending: int) -> str:
    key = fold(word)
    if len(key) < _LEAST_LETTERS or key in known or key in lexicon.NO_SLIP:
        return word
    return next((one for one in sorted(known) if _ends_so(key, one, ending) and slips(key, one) <= 1), word)


def _ends_so(said: str, meant: str, ending: int) -> bool:
    """Tell whether two words end alike, or have the same letters: "remnid"."""
    return said[-ending:] == meant[-ending:] or sorted(said) == sorted(meant)
