"""Two lists that were just spoken of: what goes on both of them, and the other one of the two."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.domain.chat import ToolCall
from app.domain.turn import TurnContext
from app.language.late import LatePattern
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import is_wish, stripped, tokens_of, without_pronouns
from app.skills.selection import READ_ID
from app.skills.tools.lists.lexicon import WORDS
from app.skills.tools.lists.picked import is_shown
from app.skills.tools.lists.repository import NamedList
from app.skills.tools.lists.strung import are_wares, things_in
from app.skills.tools.lists.talk import tells

_MAX_CHARS: Final = 160
_TWO: Final = 2
_TO_BOTH: Final = LatePattern(rf"(?<!\S){WORDS.pattern('both_lists')}(?!\S)")
_OTHER: Final = LatePattern(rf"\A{WORDS.pattern('shows_other')}\Z")
_BOTH: Final = LatePattern(rf"\A{WORDS.pattern('shows_both')}\Z")
_PUTTING: Final = WORDS["put_verbs"] | WORDS["add_verbs"]
_BEHIND: Final = PICKING["list_words"] | PICKING["closing"] | WORDS["as_well"] | WORDS["thanking"]
_NO_THINGS: Final = PICKING["pronouns"] | PICKING["determiners"] | PICKING["taken_objects"] | WORDS["those"]


def asks_other(text: str) -> bool:
    """Tell whether a message only asks for the other list: "what's on the other one?", "muéstrame la otra"."""
    return len(text) <= _MAX_CHARS and _OTHER.search(_plain(text)) is not None


def asks_both(text: str) -> bool:
    return len(text) <= _MAX_CHARS and _BOTH.search(_plain(text)) is not None


def for_both(text: str) -> list[str] | None:
    """Return the things that are to go on two lists: "put salt on both"; [] where that is not clear, None of any
    other message."""
    words = tokens_of(text) if len(text) <= _MAX_CHARS and "?" not in text else []
    found = _TO_BOTH.search(" ".join(one.key for one in words))
    begin = 0 if found is None else found.string.count(" ", 0, found.start())
    if found is None or not begin:
        return None
    said = stripped(words[:begin], PICKING["opening"] | WORDS["filling"])
    if not said or without_pronouns(said[0].key, _PUTTING) not in _PUTTING:
        return None
    behind = words[found.string.count(" ", 0, found.end()) + 1 :]
    things = said[1:]
    is_plain = said[0].key in _PUTTING and not tells(text, things) if things else False
    is_named = any(one.key not in _NO_THINGS for one in things)
    if not is_plain or not is_named or any(map(is_wish, things)) or stripped(behind, _BEHIND):
        return []
    named = things_in(text, things) or []
    # "Agrega dentista a las dos" is for an hour.
    is_hour = found[0].rpartition(" ")[2] in WORDS["hours_of_both"]
    return named if not is_hour or are_wares(named) else []


def may_be_of_two(text: str) -> bool:
    return bool(for_both(text)) or asks_other(text) or asks_both(text)


def calls_for_two(text: str, known: Sequence[NamedList], ctx: TurnContext) -> list[ToolCall]:
    """Return the calls that put things on the two lists just spoken of, or show the other or both of them."""
    things, two = for_both(text), two_spoken_of(known, ctx)
    if things:
        each = [("add_to_list", {"items": things, "list_name": one.name}) for one in two]
    else:
        each = [("show_list", {"list_name": one.name}) for one in (two[1:] if asks_other(text) else two)]
    return [ToolCall(f"{READ_ID}_{n}", tool, arguments) for n, (tool, arguments) in enumerate(each)]


def two_spoken_of(known: Sequence[NamedList], ctx: TurnContext) -> list[NamedList]:
    """Return the two lists that were shown last, the last one first; else the only two; or []."""
    shown = list[NamedList]()
    for answer in ctx.said.answers:
        then = replace(ctx, said=replace(ctx.said, answers=(answer,)))
        shown += [one for one in known if is_shown(one, then) and one not in shown]
    if len(shown) >= _TWO:
        return shown[:_TWO]
    rest = [one for one in known if one not in shown]
    return [*shown, *rest] if len(known) == _TWO and shown else []


def _plain(text: str) -> str:
    return " ".join(one.key for one in tokens_of(text))
