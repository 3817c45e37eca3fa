"""A list that is dictated: with a change of mind ("sumá pan, miel, no, sacá la miel"), or not heard whole."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from app.skills.picking.choosing import by_words
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import BREAK, Token, is_other_wish, opening_verb, tokens_of, without_list
from app.skills.tools.lists.lexicon import ADD_VERBS, FILLING, HOUSEHOLD, INSTEAD, STORY
from app.skills.tools.lists.strung import fillers, without_filler

_MAX_CHARS: Final = 800
_MOST_WORDS: Final = 5
_LEAST_ITEMS: Final = 2
_LEAST_LETTERS: Final = 4
_REASON: Final = PICKING["breaks"] | PICKING["relative"]


class Dictated(NamedTuple):
    """What is left of a list that was dictated, and the list that it is for ("" where none is named)."""

    items: list[str]
    list_name: str


def read_dictated(text: str) -> Dictated | None:
    """Return what a message puts on a list in the end; None where it takes nothing of that back."""
    if len(text) > _MAX_CHARS or "?" in text:
        return None
    items, name, has_changed = list[str](), None, False
    pieces = list(_pieces(text))
    for number, piece in enumerate(pieces):
        words, found = without_list(piece)
        name = name or found
        if (gone := _taken_back(words)) is not None:
            hits = by_words(_said(text, gone), items)
            has_changed = has_changed or bool(hits)
            items = [one for n, one in enumerate(items) if n not in hits]
        elif (item := _item(text, words, opens=_opens(pieces, number))) is not None:
            items.append(item)
    is_for_list = name is not None and has_changed and len(items) >= _LEAST_ITEMS
    return Dictated(list(dict.fromkeys(items)), name or "") if is_for_list else None


def with_passed_over(items: Sequence[str], said: str, list_name: str) -> list[str]:
    """Return the things that a model took from a message, behind those that it passed over before them.

    "Put tea, jam and soap on the list" begins with the tea. What stands between two things may only tell of one
    of them: "milk, the blue one, and bread".
    """
    if len(said) > _MAX_CHARS or "?" in said or ":" in said:
        return list(items)
    pieces = list(_pieces(said))
    each = [_item(said, without_list(piece)[0]) or "" for piece in pieces]
    taken = [by_words(item, each) for item in items]
    if not pieces or not taken or not all(len(places) == 1 for places in taken):
        return list(items)
    first = min(places[0] for places in taken)
    is_opened = pieces[0][0].key in ADD_VERBS | FILLING
    is_plain = all(each[:first]) and not any(map(_is_otherwise, pieces[: first + 1]))
    is_name = bool(by_words(list_name, each[:1]))
    return [*each[:first], *items] if is_opened and is_plain and not is_name else list(items)


def _is_otherwise(piece: Sequence[Token]) -> bool:
    """Tell whether a piece wishes for something else, or takes something back."""
    verb = opening_verb(piece)
    is_of_another = verb is not None and verb[0] in {"remove", "done", "change", "keep"}
    return (
        is_of_another
        or any(is_other_wish(one) and one.key not in ADD_VERBS for one in piece)
        or _taken_back(piece) is not None
    )


def is_aside(item: str) -> bool:
    """Tell whether what a model took for a thing is a filler or a story: "eso es todo", "cause it is hot"."""
    words = tokens_of(item)
    is_filler = (
        len(item) >= _LEAST_LETTERS and bool(words) and all(one.key in FILLING - HOUSEHOLD for one in words)
    )
    return is_filler or (len(words) > 1 and words[0].key in _REASON)


def _pieces(text: str) -> Iterator[list[Token]]:
    piece: list[Token] = []
    for one in tokens_of(text):
        if piece and (BREAK.search(one.gap) or one.key in PICKING["joining"] | _REASON):
            yield piece
            piece = []
        if one.key not in PICKING["joining"]:
            piece.append(one)
    if piece:
        yield piece


def _taken_back(words: Sequence[Token]) -> list[Token] | None:
    """Return the words for what is not wanted after all: "quita el vino", "not the wine", "el vino no"."""
    start = 0
    while start < len(words) - 1 and words[start].key in FILLING - PICKING["denying"]:
        start += 1
    rest = list(words[start:])
    while len(rest) > 1 and rest[0].key in PICKING["denying"] and rest[1].key in FILLING | PICKING["remove"]:
        rest.pop(0)
    verb = opening_verb(rest)
    if verb is not None and verb[0] == "remove":
        return [one for one in rest[verb[1] + 1 :] if one.key not in PICKING["particles"] | INSTEAD]
    if len(rest) > 1 and rest[-1].key in PICKING["denying"]:
        return rest[:-1]
    is_denied = len(rest) > 2 and rest[0].key in PICKING["denying"] and rest[1].key in PICKING["determiners"]
    return rest[1:] if is_denied else None


def _opens(pieces: Sequence[Sequence[Token]], number: int) -> bool:
    """Tell whether what opens a piece opens the message: "pera, sumá pan" asks to wait, "pera y uvas" does not."""
    is_more = len(pieces[0]) > 1 or any(one[0].key in ADD_VERBS for one in pieces[1:2])
    return number == 0 and is_more


def _item(text: str, words: Sequence[Token], *, opens: bool = False) -> str | None:
    """Return the thing that a piece names; None for a filler or a story."""
    rest = without_filler(words, ADD_VERBS | FILLING, opens=opens)
    closing = fillers(text, PICKING["closing"]) | INSTEAD
    while len(rest) > 1 and rest[-1].key in closing:
        rest.pop()
    is_bare = all(one.key in PICKING["determiners"] for one in rest)
    if is_bare or len(rest) > _MOST_WORDS or (len(rest) > 1 and rest[0].key in STORY):
        return None
    return _said(text, rest)


def _said(text: str, words: Sequence[Token]) -> str:
    return text[words[0].start : words[-1].end] if words else ""
