"""Messages of a loss, an illness or loneliness, and of great joy; and thanks to who listened."""

import re
from typing import Final, Literal

from app.domain.wording import fold
from app.language.late import LatePattern
from app.pipeline.lexicon import WORDS

Mood = Literal["sorrow", "joy"]
_GATES: Final[tuple[tuple[Mood, frozenset[str]], ...]] = (
    ("sorrow", WORDS["moods.near_sorrow"]),
    ("joy", WORDS["moods.near_joy"]),
)
_SORROW: Final = LatePattern(rf"(?<!\w){WORDS.pattern('moods.sorrow')}(?!\w)", flags=0)
_JOY: Final = LatePattern(rf"(?<!\w){WORDS.pattern('moods.joy')}(?!\w)", flags=0)
_NO_SORROW: Final = LatePattern(rf"(?<!\w){WORDS.pattern('moods.no_sorrow')}(?!\w)", flags=0)
_THANKS: Final = LatePattern(
    rf"\W*(?:{WORDS.pattern('greeting')}\W+){{0,2}}{WORDS.pattern('moods.thanks_for_listening')}"
    rf"(?:\W+{WORDS.pattern('moods.beside_thanks')}){{0,3}}\W*",
    flags=0,
)
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_MOST_CHARS: Final = 800
_MOST_THANKS: Final = 90


def mood_of(text: str) -> Mood | None:
    """Tell whether a text tells of a loss, an illness or loneliness, or of great joy; None of any other."""
    said = " ".join(fold(text[:_MOST_CHARS]).replace("’", "'").split())
    words = frozenset(_LETTERS.findall(said))
    near = [mood for mood, gate in _GATES if not gate.isdisjoint(words)]
    if "sorrow" in near and _SORROW.search(_NO_SORROW.sub(" ", said)) is not None:
        return "sorrow"
    return "joy" if "joy" in near and _JOY.search(said) is not None else None


def thanks_for_listening(text: str) -> bool:
    """Tell whether a text thanks for having listened, and says hardly anything else."""
    return len(text) <= _MOST_THANKS and _THANKS.fullmatch(" ".join(fold(text).split())) is not None
