"""Whether a message takes all that was just put on a list off again: "all three off", "sacá los dos, ya hay"."""

from collections.abc import Sequence
from typing import Final

from app.language.lexicon import STOP_WORDS
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, bare, is_wish, numbers_of, opening_verb, stripped, tokens_of
from app.skills.tools.lists.lexicon import WORDS
from app.skills.tools.lists.wording import clauses_of, contents, opened_clause, unasked

_MAX_CHARS: Final = 160
_TWO: Final = 2
_SEVERAL: Final = PICKING["every"] | WORDS["those"]
_POINTING: Final = (WORDS["those"] | PICKING["taken_objects"]) - WORDS["whole"]
_BESIDE: Final = (
    PICKING["closing"] | PICKING["particles"] | PICKING["list_words"] | PICKING["list_links"] | PICKING["pronouns"]
    | PICKING["determiners"] | PICKING["taken_objects"] | WORDS["once_more"]
)  # fmt: skip


def taken_again(text: str, put: Sequence[str], every: Sequence[str]) -> Sequence[str]:
    """Return what a message takes off a list again that says nothing but that: what was just `put` there.

    A number must be how many these are, or how many there are. `every` thing on the list is not meant by "all".
    """
    said = unasked(text)
    if len(said) > _MAX_CHARS or "?" in said or not put:
        return ()
    clauses = [one for one in clauses_of(tokens_of(said)) if not set(_keys(one.words)) <= _OPENERS]
    if not clauses or clauses[0].is_reason:
        return ()
    first, *behind = (opened_clause(one.words) for one in clauses)
    if any(map(_wishes, behind)):
        return ()
    count, keys = _count(first), set(_keys(first))
    is_whole = count == 0 and not keys.isdisjoint(WORDS["whole"]) and keys.isdisjoint(_POINTING)
    if is_whole and len(every) != len(put):
        return ()
    return put if count in (0, len(put)) else every if count == len(every) else ()


def _count(words: Sequence[Token]) -> int | None:
    """Return how many are taken off, 0 for all; None where something else is said."""
    words = stripped(words, PICKING["thinking_again"] | PICKING["opening"] | WORDS["better"])
    verb = opening_verb(words)
    has_verb = verb is not None and verb[0] == "remove"
    rest = list(words[verb[1] + 1 :]) if verb is not None and has_verb else list(words)
    key = words[verb[1]].key if verb is not None and has_verb else ""
    has_object = key.endswith(("los", "las")) and bare(key) != key
    if not has_verb and (verb is not None or PICKING["particles"].isdisjoint(_keys(rest))):
        return None
    numbers = numbers_of(rest) | ({_TWO} if not WORDS["both"].isdisjoint(_keys(rest)) else set())
    named = [one for one in rest if one.key not in _SEVERAL | _BESIDE | STOP_WORDS and not numbers_of([one])]
    is_several = has_object or bool(numbers) or not _SEVERAL.isdisjoint(_keys(rest))
    if contents(named) or len(numbers) > 1 or not is_several or numbers & {0, 1}:
        return None
    return next(iter(numbers), 0)


def _wishes(words: Sequence[Token]) -> bool:
    """Tell whether a clause wishes for something else, or leaves something where it is."""
    keys = set(_keys(words))
    is_kept = bool(words) and words[-1].key in PICKING["denying"]
    return is_kept or any(map(is_wish, words)) or not keys.isdisjoint(WORDS["except"] | WORDS["instead"])


def _keys(words: Sequence[Token]) -> list[str]:
    return [one.key for one in words]


_OPENERS: Final = (
    PICKING["thinking_again"]
    | PICKING["opening"]
    | PICKING["keep"]
    | frozenset("_".join(PICKING["never_mind"]).split("_"))
)
