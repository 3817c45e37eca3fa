"""What a correction leaves of a thing: another kind of it, "descremada no, entera", or another number."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from app.domain.wording import fold
from app.language.lexicon import COMMON_WORDS
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, is_content, is_wish, numbers_of, span, stripped, tokens_of
from app.skills.tools.lists.lexicon import WORDS
from app.skills.tools.lists.rewording import resized, reworded
from app.skills.tools.lists.slipped import household_word
from app.skills.tools.lists.strung import is_measure, without_filler

_MOST_WORDS: Final = 3
_OF: Final = frozenset({"de", "del", "of"})
_LINKS: Final = WORDS["whose"] | WORDS["with"] | WORDS["without"] | WORDS["in_list"]
_SAME_END: Final = -2
_LEADING: Final = (
    WORDS["filling"]
    | WORDS["turning"]
    | WORDS["makes"]
    | WORDS["becomes"]
    | WORDS["put_verbs"]
    | PICKING["relative"]
)
_OPENING: Final = (
    _LEADING
    | PICKING["opening"]
    | PICKING["determiners"]
    | PICKING["pronouns"]
    | WORDS["meant"]
    | frozenset({"it"})
)
_NO_KIND: Final = (
    WORDS["no_things"]
    | WORDS["no_names"]
    | WORDS["story"]
    | WORDS["finite"]
    | WORDS["tellers"]
    | WORDS["thanking"]
    | WORDS["vocatives"]
    | WORDS["spoken_to"]
    | COMMON_WORDS["days"]
    | PICKING["list_words"]
)


def another_kind(item: str, gone: Sequence[Token], text: str, said: Sequence[Token]) -> str:
    """Return what an item is called where a part of its name is `gone`, and another is `said`; "" where none is.

    A thing of its own is no kind: "pan blanco no, tortillas".
    """
    said = stripped(said, _OPENING, WORDS["filling"] | PICKING["closing"])
    words = tokens_of(item)
    taken = [one for one in words if any(_are_same(one, other) for other in gone)]
    kept = [one for one in words if one not in taken and is_content(one.key)]
    if (
        not taken
        or not 0 < len(said) <= _MOST_WORDS
        or not all(map(_may_tell, said[int(said[0].key in _LINKS) :]))
    ):
        return ""
    if kept and all(any(_are_same(one, other) for other in said) for one in kept):
        return span(text, said)
    if not span(text, said).islower() and not text.isupper():
        return ""  # a name: "entera no, Juan"
    is_linked = said[0].key in _LINKS
    if not kept and not is_linked:
        taken = [one for one in taken if _is_kind_as(one, said[-1])]
    if not 0 < len(taken) < len(words) or (not is_linked and not _are_alike(said, taken, kept)):
        return ""
    first = words.index(taken[0])
    if is_linked and first > 0 and words[first - 1].key in _LINKS:
        first -= 1
    return (
        f"{item[: words[first].start]}{span(text, said)}{item[taken[-1].end :]}" if first or not is_linked else ""
    )


def of_kind(item: str, said: str, *, is_loose: bool = False) -> str:
    """Return a thing in another kind that is said alone, "oat milk", "pintura mate"; "" where it may be no kind.

    `is_loose`: it is one, whatever word of no thing to buy it is; it stands behind in the language of the item.
    """
    words, key = item.split(), fold(said)
    if key in WORDS["kinds_before"] and words:
        return f"{said} {words[-1]}"
    is_kind = key in WORDS["kinds_behind"] or (is_loose and not household_word(key) and " " not in key)
    return f"{words[0]} {said}" if is_kind and words else ""


def _are_alike(said: Sequence[Token], taken: Sequence[Token], kept: Sequence[Token]) -> bool:
    """Tell whether one thing to buy only takes the place of another in a third: "pork" in "beef mince"."""
    some = [any(household_word(one.key) for one in each) for each in (said, taken, kept)]
    return not some[0] or all(some)


def becomes(words: Sequence[Token], number: int) -> bool:
    """Tell whether a word says how a thing is to be; "que no sea blanco" does not."""
    is_denied = number > 0 and words[number - 1].key in PICKING["denying"]
    is_to_be = words[number].key in WORDS["to_be"] and words[number - 1].key in WORDS["has_to"]
    return (words[number].key in WORDS["becomes"] and not is_denied) or (is_to_be and number > 0)


def made_sure(words: list[Token]) -> tuple[list[Token], int | None]:
    """Return a clause without "make sure", and where it says how a thing is to be."""
    rest = stripped(words, WORDS["make_sure"])
    words, is_sure = (rest, True) if rest and len(words) - len(rest) > 1 else (words, False)
    is_said = (becomes(words, n) or (is_sure and words[n].key in WORDS["being"]) for n in range(len(words)))
    return words, next((n for n, each in enumerate(is_said) if each), None)


def told_count(words: list[Token], at: int | None) -> tuple[list[Token], int | None]:
    """Return a clause without the number that it denies, and where it says how a thing is to be."""
    denied = next((n for n, one in enumerate(words) if one.key in PICKING["denying"] and n > 1), len(words))
    if words[denied - 1].key.isdecimal() and all(one.key.isdecimal() for one in words[denied + 1 :]):
        words = words[:denied]  # "eran 8 no 4"
    # "The loaves are 12", but not what they cost.
    if at is None and len(words) > 1 and words[-2].key in WORDS["is_now"] and words[-1].key.isdecimal():
        at = len(words) - 2
    if at is None and len(words) > 2 and words[0].key in WORDS["is_now"] and is_measure(words[1]):
        at = 0  # "eran 2 leches"
    return words, at


def is_made_of_it(words: Sequence[Token]) -> bool:
    """Tell whether words say how what was spoken of is to be: "make it …", "make that …"; no "make that dish"."""
    return len(words) > 2 and words[0].key in WORDS["make_sure"] and words[1].key in WORDS["made_of_it"]


def described(item: str, text: str, told: Sequence[Token], verb: Token) -> str:
    """Return a thing as it is to be, "harina integral", "green twine"; another one where that takes its place.

    "" where what stands behind the `verb` tells no kind: "ready by five", "para el sábado".
    """
    said = stripped(told, PICKING["determiners"])
    end = next((n for n, one in enumerate(said) if n and (one.is_cut or one.key in WORDS["kind_ends"])), len(said))
    kind, words = said[:end], tokens_of(item)
    if new := resized(item, text, kind):
        return new
    bare = kind[int(bool(kind) and kind[0].key in _LINKS) :]
    known = WORDS["kinds_before"] | WORDS["kinds_behind"] | WORDS["described_as"]
    is_plain = all(one.key not in WORDS["states"] and (one.key in known or _may_tell(one)) for one in bare)
    if not 0 < len(bare) < _MOST_WORDS or not is_plain:
        is_anew = is_measure(told[0]) or any(one.key in WORDS["sizes"] or household_word(one.key) for one in told)
        bare = without_filler(told, PICKING["closing"] | PICKING["determiners"])
        return reworded(item, text, bare) if is_anew else ""
    new, is_ware = span(text, kind), any(household_word(one.key) for one in words)  # "orange bunting"
    if bare == kind and any(household_word(one.key) and one.key not in known for one in kind) and is_ware:
        return new
    old = [one for one in words if one.key in WORDS["described_as"]]
    if len(old) == 1 and len(words) > 1 and kind[-1].key in WORDS["described_as"]:
        return f"{item[: old[0].start]}{new}{item[old[0].end :]}"
    if bare != kind or verb.key not in WORDS["before_kind"]:
        return f"{item} {new}"
    core = next((n for n, one in enumerate(words) if not is_measure(one) and one.key not in _OF), 0)
    return f"{item[: words[core].start]}{new} {item[words[core].start :]}"


def counted_anew(words: Sequence[Token]) -> tuple[list[Token], list[Token]]:
    """Return the number of a thing told anew, and the words for it: "two of the milk", "de la leche dos"."""
    number = list(takewhile(_is_number, words))
    rest = words[len(number) :]
    if not number and rest and rest[0].key in _OF and _is_number(words[-1]):
        number, rest = [words[-1]], words[:-1]
    is_of = bool(number) and bool(rest) and rest[0].key in _OF
    return (number, stripped(rest, _OF | PICKING["determiners"])) if is_of else ([], [])


def _is_number(one: Token) -> bool:
    return one.key.isdecimal() or bool(numbers_of([one]))


def _may_tell(one: Token) -> bool:
    return (
        one.key.isalpha()
        and is_content(one.key)
        and one.key not in _NO_KIND | PICKING["denying"]
        and not is_wish(one)
    )


def _is_kind_as(one: Token, said: Token) -> bool:
    """Tell whether a word tells a kind of a thing as another does: "blanco" and "integral"."""
    described = WORDS["described_as"]
    is_alike = one.key[_SAME_END:] == said.key[_SAME_END:] and not household_word(one.key)
    return {one.key, said.key} <= described or is_alike


def _are_same(one: Token, other: Token) -> bool:
    return is_content(one.key) and one.key.rstrip("s") == other.key.rstrip("s")
