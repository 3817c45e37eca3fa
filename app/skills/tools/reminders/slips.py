"""Words that ask for a reminder, written with one slip: "rcordame", "rmind me"."""

import re
from typing import Final

from app.domain.wording import fold
from app.language.slips import slips
from app.skills.tools.reminders.lexicon import MISTYPED, MOVE_MISTYPED, NO_SLIP, OFF_MISTYPED

_WORD: Final = re.compile(r"[^\W\d_]+")
_LEAST: Final = 5
_ENDING: Final = 2


def mended(text: str) -> str:
    """Return the text with such words as they are meant."""
    return _WORD.sub(lambda match: _mended(match[0], MISTYPED, _ENDING), text)


def mended_off(text: str) -> str:
    """Return what may call one off with the words for that as they are meant; not to be stored or shown."""
    return _WORD.sub(lambda match: _mended(match[0], OFF_MISTYPED, 1), text)


def mended_move(text: str) -> str:
    """Return what may move one with the words for that as they are meant; not to be stored or shown."""
    return _WORD.sub(lambda match: _mended(match[0], MOVE_MISTYPED, 1), text)


def _mended(word: str, known: frozenset[str], ending: int) -> str:
    key = fold(word)
    if len(key) < _LEAST or key in known or key in NO_SLIP:
        return word
    return next((one for one in sorted(known) if _ends_so(key, one, ending) and slips(key, one) <= 1), word)


def _ends_so(said: str, meant: str, ending: int) -> bool:
    """Tell whether two words end alike, or have the same letters: "remnid"."""
    return said[-ending:] == meant[-ending:] or sorted(said) == sorted(meant)
