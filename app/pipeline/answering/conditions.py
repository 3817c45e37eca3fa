"""What somebody adds right behind advice that they asked for: "no oven though", "que no sea caro".

Shown the advice, a small model answers such a message as news; asked the question again with it, it does not.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from app.database.repositories.conversations import StoredMessage
from app.pipeline.lexicon import adds_condition, is_small_talk
from app.pipeline.lexicon.world import goes_on_asking
from app.skills.sources.sources import Source
from app.skills.unusable import is_news

_LEAST_ADVICE: Final = 12
"""Words of an answer that may be advice."""
_MOST_ADDED: Final = 3
_MOST_CHARS: Final = 500


def with_condition(text: str, history: Sequence[StoredMessage]) -> str | None:
    """Return the question just answered, with what a message adds to it; None where it adds nothing to one."""
    added = [text]
    for asked, answered in _exchanges(history)[:_MOST_ADDED]:
        if not adds_condition(added[0]) or len(answered.split()) < _LEAST_ADVICE:
            return None
        added.insert(0, asked)
        if adds_condition(asked):
            continue
        whole = "\n".join(added)
        is_question = not is_news(asked) and not is_small_talk(asked)
        return whole if is_question and len(whole) <= _MOST_CHARS else None
    return None


def _exchanges(history: Sequence[StoredMessage]) -> list[tuple[str, str]]:
    """Return what was asked and answered, the newest first, as far as one message had one answer."""
    found = []
    pairs = list(zip(history[-2::-2], history[::-2], strict=False))
    for asked, answered in pairs:
        if (asked.role, answered.role) != ("user", "assistant"):
            break
        found.append((asked.text, answered.text))
    return found


async def book_before(said_before: Sequence[str], source_of: Callable[[str], Awaitable[Source]]) -> Source | None:
    """Return the source of the question that those behind it go on from; None where that is no book."""
    asked = next((one for one in reversed(said_before) if not goes_on_asking(one)), "")
    source = await source_of(asked) if asked else Source()
    return source if source.is_book else None
