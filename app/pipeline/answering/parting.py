"""The wishes of a message one by one: what wishes for nothing goes with the wish that it belongs to."""

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from app.domain.wording import fold
from app.language.lexicon import COMMON_WORDS
from app.skills.router import NO_CATEGORY, Intent

Sorting = Callable[[str], Awaitable[Intent]]
_REASON: Final = re.compile(rf"\W*{COMMON_WORDS.pattern('giving_reason')}")


async def wishes_in(message: str, parts: Sequence[str], sort: Sorting) -> list[tuple[str, Intent]]:
    """Return the wishes of a message, each with its words; [] where one is not clear so.

    A story goes with the wish behind it where that points to it ("the vet was 92, note that"), and a reason with
    the one before it.
    """
    groups: list[list[str]] = []
    before: list[str] = []
    found = [(part, await sort(part)) for part in parts]
    for number, (part, intent) in enumerate(found):
        points_back = number + 1 < len(found) and found[number + 1][1].refers_back
        if not _is_beside(part, intent):
            groups.append([*before, part])
            before = []
        elif groups and not points_back:
            groups[-1].append(part)
        else:
            before.append(part)
    known = dict(found)
    texts = [_as_written(message, one) for one in groups]
    wishes = [(text, known.get(text) or await sort(text)) for text in texts]
    return [] if before or _is_changed(wishes, found) else wishes


def _is_beside(part: str, intent: Intent) -> bool:
    is_plain = NO_CATEGORY in intent.categories
    return is_plain and (intent.wish in (None, "talk") or _REASON.match(fold(part)) is not None)


def _is_changed(wishes: Sequence[tuple[str, Intent]], found: Sequence[tuple[str, Intent]]) -> bool:
    """Tell whether a wish is another one with what belongs to it."""
    alone = [intent.categories for part, intent in found if not _is_beside(part, intent)]
    return [intent.categories for _, intent in wishes] != alone


def _as_written(message: str, group: Sequence[str]) -> str:
    """Return the parts of a group as they stand in the message, with what is between them."""
    begin, last = message.find(group[0]), message.find(group[-1])
    if begin < 0 or last < begin:
        return ", ".join(group)
    return message[begin : last + len(group[-1])]
