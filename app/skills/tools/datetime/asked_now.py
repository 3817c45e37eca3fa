"""A message that only asks what time it is here, or what day: "what's the time, love"."""

import re
from typing import Final

from app.domain.chat import ToolCall
from app.domain.turn import TurnContext
from app.language.folding import fold
from app.skills.tools.datetime.lexicon import AROUND_NOW, NOW, QUESTIONS
from app.skills.tools.datetime.slipped import put_right

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_MOST_WORDS: Final = 12


async def call(text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`."""
    is_asked = asks_now(text) or ((right := put_right(text)) is not None and asks_now(right))
    return ToolCall("asked_now", "get_current_datetime", {}) if is_asked else None


def asks_now(text: str) -> bool:
    """Tell whether a text asks for the time, or the day, and for nothing else."""
    said = _WORD.findall(fold(text).replace("’", "'"))
    if len(said) > _MOST_WORDS:
        return False
    found = NOW.search(" ".join(said))
    if found is None:
        return False
    if not QUESTIONS["apart.there"].isdisjoint(found.string[found.end() :].split()):
        return False  # "What's the time there": somewhere else.
    return AROUND_NOW.issuperset(f"{found.string[: found.start()]} {found.string[found.end() :]}".split())
