"""The wishes of a message one by one: what wishes for nothing goes with the wish that it belongs to."""

import re
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from app.domain.wording import fold
from app.language.lexicon import COMMON_WORDS
from app.pipeline.lexicon import ASKS_BEHIND, LISTS_CALLED, NOTES_CALLED, NOTING, PLACING, PUTTING, REMINDING
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import BREAK, Token, tokens_of
from app.skills.router import NO_CATEGORY, Intent

Sorting = Callable[[str], Awaitable[Intent]]
_MAX_CHARS: Final = 400
_FEWEST_PARTS: Final = 2
_NEAR: Final = 14
_FEW: Final = 3
_FEW_NAMED: Final = 4
_JOINER_AT_END: Final = re.compile(r"\s(?:y|e|and|also|tambien|también)\Z", re.IGNORECASE)
_ASKING: Final = COMMON_WORDS["interrogatives"] - COMMON_WORDS["asks_yes_or_no"]
_THAT: Final = re.compile(r"\A(?:\S{1,20}\s){1,4}?(?:que|q|that)\s", re.IGNORECASE)
_REASON: Final = re.compile(rf"\W*{COMMON_WORDS.pattern('giving_reason')}")


class Part(NamedTuple):
    """A part of a message; `beside` has what it may be about before it. It is an act, or `may_be_talk`."""

    text: str
    beside: str = ""
    may_be_talk: bool = False


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


def parts_of_kinds(message: str) -> list[Part]:
    """Return the parts of a message that wants something on a list, and a reminder or a note; [] of any other."""
    words = tokens_of(message) if len(message) <= _MAX_CHARS else []
    found: list[tuple[int, str]] = []
    for number, one in enumerate(words):
        is_joined = number > 0 and words[number - 1].key in PICKING["joining"]
        if number == 0 or is_joined or BREAK.search(one.gap):
            kind = _kind(words, number)
            if kind and (not found or found[-1][1] != kind):
                found.append((number, kind))
    head = {one.key for one in words[: found[0][0]]} if found else set()
    if not head.isdisjoint(REMINDING) and found[0][1] != "reminder":
        found.insert(0, (0, "reminder"))
    if len(found) < _FEWEST_PARTS or "list" not in {kind for _, kind in found}:
        return []
    starts = [0, *(words[number].start for number, _ in found[1:]), len(message)]
    return [Part(_part(message[first:last])) for first, last in pairwise(starts)]


def question_behind(message: str) -> list[Part]:
    """Return a wish to keep something and the question behind it: "note that Ann paid 20, and what does she owe me
    of 50"; [] of any other message.
    """
    said = " ".join(message.split()) if len(message) <= _MAX_CHARS else ""
    opening = {one.key for one in tokens_of(said)[:_FEW]}
    asked = [*ASKS_BEHIND.finditer(said)] if not opening.isdisjoint(NOTING | REMINDING | PUTTING) else []
    if len(asked) != 1:
        return []
    found = asked[0]
    is_talk = found["talk"] is not None
    wish, question = _part(said[: found.start()]), said[found.start("talk" if is_talk else "asks") :]
    # "Note what I owe and what he owes" asks nothing.
    if {one.key for one in tokens_of(wish)} & _ASKING:
        return []
    lead = _THAT.search(wish)
    kept = wish[lead.end() :] if lead else wish
    return [Part(wish), Part(question, "" if is_talk else f"{kept}, {question}", may_be_talk=True)]


def _part(said: str) -> str:
    """Return a part without the joiner that leads to the next one."""
    return _JOINER_AT_END.sub("", said.strip()).rstrip(" ,;")


def _kind(words: Sequence[Token], number: int) -> str:
    key = words[number].key
    behind = [one.key for one in words[number + 1 : number + _NEAR]]
    if key in REMINDING:
        return "reminder"
    if key in NOTING and not NOTES_CALLED.isdisjoint(behind[:_FEW]):
        return "note"
    if key in PLACING and not LISTS_CALLED.isdisjoint(behind[:_FEW_NAMED]):
        return "list" if not PUTTING.isdisjoint(behind) else ""
    return "list" if key in PUTTING and not LISTS_CALLED.isdisjoint(behind) else ""


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
