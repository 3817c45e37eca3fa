"""Messages that mean /undo, and nothing else but perhaps why."""

from typing import Final

from app.language.late import LatePattern
from app.language.lexicon import Lexicon

_WORDS: Final = Lexicon.of(__package__)
_LAUGHTER: Final = r"(?<!\w)(?:h?(?:ah){1,6}a?|(?:he){2,6}|j?(?:aj){1,6}a?|j?(?:ej){1,6}e?|lo{1,4}l|xd{1,3})(?!\w)"


def _joking() -> str:
    """Return a pattern for who says that what they wished for was a joke."""
    around = rf"(?:{_LAUGHTER}|{_WORDS.pattern('startled')}|{_WORDS.pattern('laughing')})"
    return (
        rf"(?!(?:\w{{1,20}} ){{0,3}}{_WORDS.pattern('serious')})(?:{around}[\s,.!;…]{{1,3}}){{0,6}}"
        rf"{_WORDS.pattern('joking')}(?:[\s,.!;…]{{1,3}}{around}){{0,6}}"
    )


def _why(*more: str) -> str:
    """Return a pattern for the reason that may stand behind it; one of `more` topics without a mark, too."""
    causes = "|".join(map(_WORDS.pattern, ("cause", *more)))
    return rf"(?:(?:[,.!;]+ ?(?:{_WORDS.pattern('reason')}|{causes})| (?:{causes}))[^?]*)?"


MEANS_UNDO: Final = LatePattern(
    rf"(?:{_WORDS.pattern('startled')}[\s,.!;]{{1,3}}){{0,3}}{_WORDS.pattern('undo')}{_why()}",
    flags=0,
)
ENDS_IN_UNDO: Final = LatePattern(
    rf"{_joking()}|"
    rf"(?:{_WORDS.pattern('startled')}[\s,.!;]{{1,3}}){{0,3}}"
    rf"(?:{_WORDS.pattern('undo')}{_why('whose_doing')}|{_WORDS.pattern('dropped')}{_why()})|"
    rf"(?!{_WORDS.pattern('unless')})[^?/\n]{{3,90}}?[,.!;…] ?"
    rf"(?:{_WORDS.pattern('startled')}[\s,.!;]{{1,3}}){{0,3}}{_WORDS.pattern('undo')}",
    flags=0,
)
"""The same behind a reason, or a joke; it may be about something else, so it counts only right after an act."""
