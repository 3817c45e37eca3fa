"""Things that somebody else got: "my brother already got the charcoal", "la yerba la compró mi mamá"."""

from collections.abc import Sequence
from typing import Final

from app.language.lexicon import COMMON_WORDS
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import BREAK, Token
from app.skills.tools.lists.lexicon import WORDS

_MOST_OF_WHO: Final = 4
_BESIDE: Final = PICKING["already"] | PICKING["pronouns"] | PICKING["particles"] | frozenset({"up"})
_OBJECTS: Final = PICKING["described"]
_LATER: Final = COMMON_WORDS["days"] | WORDS["at_places"]
_NOBODY: Final = PICKING["subjects"] | PICKING["breaks"] | PICKING["relative"] | COMMON_WORDS["interrogatives"]


def read_got_by(text: str, words: Sequence[Token]) -> list[Token]:
    """Return the words for what somebody else got, by the verb that says so; [] where none does."""
    at = next((n for n, one in enumerate(words) if one.key in WORDS["got_by"]), 0)
    opening = text[: words[0].start].lower().split()[-1:] if words else []
    first, last = at, at + 1
    while first > 0 and words[first - 1].key in _BESIDE and not BREAK.search(words[first].gap):
        first -= 1
    while last < len(words) and words[last].key in _BESIDE:
        last += 1
    before, behind = list(words[:first]), [one for one in words[last:] if one.key not in PICKING["already"]]
    if at == 0 or not before or not WORDS["in_doubt"].isdisjoint(opening):
        return []
    if words[at - 1].key in _OBJECTS and words[at - 1].key in PICKING["pronouns"]:
        # "La yerba la compro": without who it was, and without its accent, it says "I buy".
        is_past = words[at].key in WORDS["surely_got"] or text[: words[at].end].endswith("ó")
        return before if is_past or _is_somebody(behind, _LATER) else []
    return behind if _is_somebody(before) and not (behind and BREAK.search(behind[0].gap)) else []


def _is_somebody(words: Sequence[Token], others: frozenset[str] = frozenset()) -> bool:
    keys = {one.key for one in words}
    is_one = not any(BREAK.search(one.gap) for one in words[1:])
    return 0 < len(words) <= _MOST_OF_WHO and is_one and keys.isdisjoint(_NOBODY | WORDS["in_doubt"] | others)
