"""The same sum with another number, behind a story or before talk."""

from typing import Final

from app.domain.wording import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.skills.tools.calculator.instead import read_instead
from app.skills.tools.calculator.spoken import has_number, says, wishes
from app.skills.tools.calculator.story import explained, is_free

_MAX_CHARS: Final = 600
_EDGES: Final = " .,;:!?¡¿"
_GOES_ON: Final = LatePattern(rf"(?<![^\s,.;:!?]){COMMON_WORDS.pattern('going_on')} (?=.{{1,40}}\Z)")


def behind_story(asked: str, before: str) -> str | None:
    """Read the same sum with another number behind a story: "ok, I feel generous, and 20%?"."""
    if len(asked) > _MAX_CHARS or not (starts := list(_GOES_ON.finditer(asked))):
        return None
    story = asked[: starts[-1].start()]
    is_free = not has_number(fold(story)) and not wishes(story) and not says(fold(story), "told.sum_goes_on")
    return read_instead(asked[starts[-1].start() :].strip(_EDGES), before) if is_free else None


def before_talk(asked: str, before: str) -> str | None:
    """Read the same sum with another number or unit before talk: "and 14? that was me in june, imagine"."""
    return next(
        (
            one
            for head, talk in explained(asked)
            if is_free(talk) and (one := read_instead(head.strip(_EDGES), before))
        ),
        None,
    )
