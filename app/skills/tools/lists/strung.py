"""Things that are strung together without a comma: "12 huevos yerba y lavandina", "eggs bananas bread"."""

from collections.abc import Iterator, Sequence, Set
from typing import Final

from app.domain.wording import stem
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import BREAK, Token, is_content, tokens_of
from app.skills.tools.lists.lexicon import (
    ADD_VERBS,
    AMOUNTS,
    BEFORE_WHAT,
    COUNTS,
    DESCRIBED_AS,
    ENGLISH_MARKS,
    FILLING,
    HOUSEHOLD,
    IN_ITEMS,
    NO_ITEM,
    NOUN_VERBS,
    PUT_VERBS,
    STORY,
    TELLING_WHICH,
    THING_OPENERS,
    UNITS,
    VOCATIVES,
    WHICH_TOO,
)
from app.skills.tools.lists.slipped import household_word

_JOINING: Final = PICKING["joining"] | frozenset({"n"})
_LINKS: Final = IN_ITEMS - AMOUNTS
_BESIDE: Final = (PICKING["opening"] | PICKING["closing"] | FILLING) - AMOUNTS - VOCATIVES
_MOST_WORDS: Final = 8
_FEW_WORDS: Final = 3
_MOST_UNKNOWN: Final = 2


def things_in(text: str, words: Sequence[Token], own: Set[str] = frozenset()) -> list[str] | None:
    """Return the things that words enumerate, without the reason behind them; None where that is not clear.

    `own` are the words for what the person had on their lists before.
    """
    found, has_ended, filler = list[str](), False, fillers(text, _BESIDE)
    for number, piece in enumerate(_pieces(words)):
        end = next((n for n in range(len(piece)) if _is_reason(piece, n)), len(piece))
        thing = _without_opening(piece[:end], filler, opens=number == 0)
        if thing and has_ended:
            return None
        has_ended = has_ended or end < len(piece)
        if not thing:
            continue
        apart = _apart(thing, own)
        if not all(_is_thing(one, own) for one in apart):
            return None
        found += [text[one[0].start : one[-1].end] for one in apart]
    return list(dict.fromkeys(found))


def as_written(text: str, words: Sequence[Token]) -> list[str]:
    """Return what words enumerate, piece by piece as it is written."""
    filler = fillers(text, _BESIDE)
    pieces = [_without_opening(one, filler, opens=number == 0) for number, one in enumerate(_pieces(words))]
    return list(dict.fromkeys(text[one[0].start : one[-1].end] for one in pieces if one))


def told_apart(item: str, own: Set[str] = frozenset()) -> list[str]:
    """Return the things that a model took for one; the one where that is not clear."""
    words = tokens_of(item)
    apart = _apart(words, own) if words else []
    return [item[one[0].start : one[-1].end] for one in apart] if len(apart) > 1 else [item]


def _pieces(words: Sequence[Token]) -> Iterator[list[Token]]:
    piece: list[Token] = []
    for one in words:
        if piece and (BREAK.search(one.gap) or " &" in one.gap or one.key in _JOINING):
            yield piece
            piece = []
        if one.key not in _JOINING:
            piece.append(one)
    if piece:
        yield piece


def _is_reason(piece: Sequence[Token], number: int) -> bool:
    """Tell whether a reason begins here: "pan q vienen mis tíos", "foil we're out"; no "leche que sea entera"."""
    key = piece[number].key
    behind = [one.key for one in piece[number + 1 : number + 3] if one.key not in PICKING["denying"]]
    after = next(iter(behind), "")
    if key in PICKING["breaks"]:
        return after not in WHICH_TOO
    if key in PICKING["relative"]:
        is_which = number > 0 and piece[number - 1].key in PICKING["determiners"] | _LINKS
        return not is_which and after not in TELLING_WHICH
    return key in STORY and not any(one.key in PICKING["relative"] for one in piece[:number])


def without_filler(piece: Sequence[Token], filler: Set[str], *, opens: bool = False) -> list[Token]:
    """Return the words for a thing without what only opens or closes them; what may belong to it stays.

    "Pera" is a fruit in a row, and at the end of "potitos de pera"; it asks to wait only where a message `opens`.
    """
    rest = list(piece)
    while rest and rest[0].key in filler and (opens or not _may_open(rest)):
        rest.pop(0)
    while len(rest) > 1 and rest[-1].key in filler - HOUSEHOLD and not _leads_on(rest[-2]):
        rest.pop()
    return [] if len(rest) == 1 and rest[0].key in filler - HOUSEHOLD else rest


def _may_open(words: Sequence[Token]) -> bool:
    """Tell whether a filler may be the first word of a thing: "pera", "todo uso", "a bag of coal"."""
    if len(words) > 1 and words[0].key in COUNTS:
        return words[1].key in UNITS | AMOUNTS
    return words[0].key in HOUSEHOLD or (len(words) > 1 and words[0].key in THING_OPENERS)


def _leads_on(one: Token) -> bool:
    """Tell whether something must follow a word: "for", "de", "7"."""
    return one.key in _LINKS - PICKING["closing"] or _is_amount(one)


def fillers(text: str, some: Set[str]) -> Set[str]:
    """Return what fills a message: "mate" speaks to somebody in English, and is a thing in Spanish."""
    is_english = any(one.key in ENGLISH_MARKS for one in tokens_of(text))
    return some | VOCATIVES if is_english else some - VOCATIVES


def _without_opening(piece: Sequence[Token], filler: Set[str], *, opens: bool) -> list[Token]:
    verbs = ADD_VERBS | PUT_VERBS if opens else PUT_VERBS
    rest = list(piece)
    while len(rest) > 1 and rest[0].key in verbs - NOUN_VERBS and not BREAK.search(rest[1].gap):
        rest.pop(0)
    return without_filler(rest, filler | PICKING["determiners"])


def _apart(words: Sequence[Token], own: Set[str]) -> list[list[Token]]:
    """Return words cut where another thing begins; as one where something in them tells nothing."""
    parts = [list(words[:1])]
    for one, before in zip(words[1:], words, strict=False):
        if not _goes_on(parts[-1], before, one, own):
            parts.append([])
        parts[-1].append(one)
    is_clear = len(parts) > 1 and all(_is_explained(part, own) for part in parts)
    return parts if is_clear and not any(_may_be_one(part, own) for part in parts[:-1]) else [list(words)]


def _goes_on(part: Sequence[Token], before: Token, one: Token, own: Set[str]) -> bool:
    """Tell whether a word still belongs to the thing before it."""
    is_linked = before.key in _LINKS | UNITS or _is_amount(before) or before.key in PICKING["relative"]
    has_thing = any(_is_known(each, own) for each in part)
    return is_linked or not has_thing or not (_is_amount(one) or _is_known(one, own))


def _is_explained(part: Sequence[Token], own: Set[str]) -> bool:
    """Tell whether each word of a thing is a name, an amount, or tells more of it."""
    return _unexplained(part, own) == 0


def _unexplained(part: Sequence[Token], own: Set[str]) -> int:
    """Return how many words of a thing say nothing that is known; behind a "que", all may."""
    at = next((n for n, one in enumerate(part) if one.key in PICKING["relative"]), len(part))
    plain = _LINKS | UNITS | DESCRIBED_AS
    return sum(
        not (_is_known(one, own) or _is_amount(one) or one.key in plain)
        and not (n > 0 and (part[n - 1].key in _LINKS or _is_amount(part[n - 1])))
        for n, one in enumerate(part[:at])
    )


def _may_be_one(part: Sequence[Token], own: Set[str]) -> bool:
    """Tell whether a thing ends with what may be made of the next one: "jugo" of "jugo naranja"."""
    return part[-1].key in BEFORE_WHAT and part[-1].key not in own


def _is_thing(part: Sequence[Token], own: Set[str]) -> bool:
    named = [one for one in part if is_content(one.key) and one.key not in AMOUNTS and not one.key[0].isdigit()]
    is_known = any(_is_known(one, own) for one in part)
    is_whole = len(part) <= _FEW_WORDS or is_known or any(one.key in _LINKS | AMOUNTS for one in part)
    # Behind a thing that is known, two more words may be another one.
    is_one = not is_known or _unexplained(part, own) < _MOST_UNKNOWN
    is_short = len(part) <= _MOST_WORDS and not any(one.key in NO_ITEM for one in part)
    return bool(named) and is_whole and is_one and is_short


def _is_known(one: Token, own: Set[str]) -> bool:
    return household_word(one.key) or one.key in own or stem(one.key) in own


def _is_amount(one: Token) -> bool:
    return one.key[0].isdigit() or one.key in AMOUNTS
