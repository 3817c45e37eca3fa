"""What puts off by words a reminder that just came: "give me 20 more minutes", "otra vez a las 11", "después"."""

import re
from datetime import datetime, timedelta
from typing import Final, TypeGuard

from app.domain.wording import fold
from app.language.catalogue import Language
from app.skills.tools.reminders.clauses import clauses
from app.skills.tools.reminders.lexicon import (
    LAST_WORDS,
    NOT_YET,
    NOT_YET_BESIDE,
    ONCE_MORE,
    PUTTING_IT_OFF,
    PUTTING_OFF,
    REMINDING,
    SO_LONG,
    WITHIN,
)
from app.when.meanings import Point, Unsure, When
from app.when.reading import read_wish

_MAX_CHARS: Final = 200
_WORD: Final = re.compile(r"[^\W\d_]+")
_NUMBER_LAST: Final = re.compile(r"(?<!\d)(?:[1-8]?\d|90)$")
_SOME_TIME: Final = (timedelta(minutes=10), timedelta(hours=1), timedelta(hours=3))


def put_off(text: str, now: datetime, language: Language, *, has_just_come: bool = False) -> Point | Unsure | None:
    """Return until when what came last is put off; None where a text says anything else, too. `now` is local.

    Beside it there may be an excuse, where the words say that it is once more: "busy now, once more at 11". When
    it `has_just_come`, a time alone is enough, and "later" is asked about.
    """
    if len(text) > _MAX_CHARS:
        return None
    parts = clauses(text)
    unsaid = [one for one in parts if has_just_come and _is_not_yet(one)]
    found = [
        (later, again)
        for one in parts
        if one not in unsaid
        for later, again in [_later(one, now, language, is_bare=has_just_come)]
        if later is not None
    ]
    if not found and unsaid:
        return Unsure("vague", tuple(Point(now.replace(second=0, microsecond=0) + span) for span in _SOME_TIME))
    if len(found) != 1:
        return None
    later, is_again = found[0]
    is_excused = has_just_come and not REMINDING.search(fold(text))
    return later if is_again or is_excused or len(parts) == 1 else None


def _is_not_yet(clause: str) -> bool:
    """Tell whether it says "later", and not when."""
    said = frozenset(_WORD.findall(clause))
    if re.search(r"\d", clause):
        return False
    return not said.isdisjoint(NOT_YET) and said <= NOT_YET | NOT_YET_BESIDE


def _later(clause: str, now: datetime, language: Language, *, is_bare: bool) -> tuple[Point | Unsure | None, bool]:
    """The time that a clause holds and nothing else, and whether it says "once more"."""
    points_back = PUTTING_IT_OFF.match(clause)
    opened = clause[points_back.end() :] if points_back else PUTTING_OFF.sub("", clause, count=1)
    asked = LAST_WORDS.sub("", opened, count=1).strip()
    rest = SO_LONG.sub("", " ".join(ONCE_MORE.sub(" ", asked).split()))
    is_again = rest != asked or points_back is not None
    if not rest or (rest == clause and not is_bare):
        return None, False
    minutes = [f"{rest} min"] if _NUMBER_LAST.search(rest) else []
    for said in (rest, *(f"{within} {one}" for one in (rest, *minutes) for within in WITHIN), *minutes):
        wish = read_wish(said, now, language)
        if not wish.what and _is_moment(wish.when):
            return wish.when, is_again
    return None, False


def _is_moment(when: When | None) -> TypeGuard[Point | Unsure]:
    if isinstance(when, Unsure):
        return bool(when.likely) and all(isinstance(one, Point) for one in when.likely)
    return isinstance(when, Point)
