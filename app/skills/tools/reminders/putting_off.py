"""What puts off by words a reminder that just came: "give me 20 more minutes", "otra vez a las 11"."""

import re
from datetime import datetime
from typing import Final, TypeGuard

from app.domain.wording import fold
from app.language.catalogue import Language
from app.skills.tools.reminders.lexicon import LAST_WORDS, ONCE_MORE, PUTTING_IT_OFF, PUTTING_OFF, SO_LONG, WITHIN
from app.when.meanings import Point, Unsure, When
from app.when.reading import read_wish

_MAX_CHARS: Final = 200
_CLAUSE: Final = re.compile(r"[,;!?\n]+|\.(?!\d)")


def put_off(text: str, now: datetime, language: Language) -> Point | Unsure | None:
    """Return until when what came last is put off; None where a text says anything else, too. `now` is local.

    Beside it there may be an excuse, where the words say that it is once more: "busy now, once more at 11".
    """
    if len(text) > _MAX_CHARS:
        return None
    clauses = [clause for clause in map(str.strip, _CLAUSE.split(fold(text))) if clause]
    found = [
        (later, again) for one in clauses for later, again in [_later(one, now, language)] if later is not None
    ]
    if len(found) != 1:
        return None
    later, is_again = found[0]
    return later if is_again or len(clauses) == 1 else None


def _later(clause: str, now: datetime, language: Language) -> tuple[Point | Unsure | None, bool]:
    """The time that a clause holds and nothing else, and whether it says "once more"."""
    points_back = PUTTING_IT_OFF.match(clause)
    opened = clause[points_back.end() :] if points_back else PUTTING_OFF.sub("", clause, count=1)
    asked = LAST_WORDS.sub("", opened, count=1).strip()
    rest = SO_LONG.sub("", " ".join(ONCE_MORE.sub(" ", asked).split()))
    is_again = rest != asked or points_back is not None
    if not rest or rest == clause:
        return None, False
    for said in (rest, *(f"{within} {rest}" for within in WITHIN)):
        wish = read_wish(said, now, language)
        if not wish.what and _is_moment(wish.when):
            return wish.when, is_again
    return None, False


def _is_moment(when: When | None) -> TypeGuard[Point | Unsure]:
    if isinstance(when, Unsure):
        return bool(when.likely) and all(isinstance(one, Point) for one in when.likely)
    return isinstance(when, Point)
