"""Lists that a message calls by their names: "new list called party: cups", "otra que se llame playa con …"."""

from collections.abc import Iterator, Sequence
from itertools import dropwhile, pairwise
from typing import Final, NamedTuple

from app.language.lexicon import STOP_WORDS
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, is_content, span, stripped, tokens_of
from app.skills.tools.lists.lexicon import CALLED_BEHIND, CALLS_IT, NAMES_IT, WORDS

_MOST_OF_A_NAME: Final = 5
_BEFORE_NAME: Final = 3
_SHOPS: Final = WORDS["shops"] | WORDS["shopping"] | WORDS["shop_names"]
_ENGLISH: Final = frozenset({"list"})
_OF: Final = frozenset({"of"})
_TO: Final = frozenset({"to"})
_OTHER: Final = WORDS["other_list"]
_FOR: Final = frozenset({"for", "para", "pa"})
_DASHES: Final = frozenset("-–—")
_LIST_WORDS: Final = PICKING["list_words"]
_BEFORE: Final = PICKING["determiners"] | WORDS["before_list"]
_BEFORE_WHICH: Final = PICKING["determiners"] | WORDS["place_links"] | WORDS["place_heads"]
_ONE_MORE: Final = WORDS["before_list"] & WORDS["one_more_list"]
_MOST_OF_A_WHICH: Final = 3
_PUTTING: Final = WORDS["put_verbs"] - WORDS["noun_verbs"]
_VERBS: Final = WORDS["making"] | WORDS["add_verbs"] | WORDS["put_verbs"]


class Called(NamedTuple):
    """The words for a list, and its name; `is_apart`: a colon or "con" ends them, and what is on it follows."""

    first: int
    last: int
    name: str
    is_apart: bool


def called_in(text: str, words: Sequence[Token]) -> Iterator[Called]:
    """Yield the lists that are called by the word for a list, or by "otra que se llame"."""
    end = 0
    for number, one in enumerate(words):
        if number < end or one.key not in _LIST_WORDS | WORDS["one_more_list"]:
            continue
        found = _told_which(text, words, number) or _called(text, words, number)
        if found is not None and found.first >= end:
            end = found.last
            yield found


def _called(text: str, words: Sequence[Token], at: int) -> Called | None:
    is_list = words[at].key in _LIST_WORDS
    begin, is_named = _name_begins(text, words, at)
    if not is_list and not is_named:
        return None
    before = _name_before(words, at) if words[at].key in _ENGLISH and not is_named else at
    if words[at].key in _ENGLISH and any(one.key in _OF for one in words[at + 1 : at + 2]):
        begin = at + 2
        apart = _apart(words, begin, is_marked_only=True)
        if apart is None or not any(one.key in WORDS["works"] for one in words[begin : apart.name]):
            return None  # "A list of countries" is wanted from whoever knows them.
    first = _first(words, before)
    leads = words[first].key in WORDS["to_list"]
    if (end := _apart(words, begin, is_marked_only=not (is_named or _is_made(words, first)))) is not None:
        said = words[begin : end.name]
        if len(said) > 1 or not is_named:
            said = stripped(said, frozenset(), _PUTTING)  # "On my Loft list put: rope"
        name = _span(text, _plain(_purposeless(said, is_named))) or _span(text, words[before:at])
        # "A packing list for the coast" is called "packing".
        if words[begin].key in _FOR and before < at:
            name = _span(text, words[before:at])
        is_clear = bool(name) or leads
        return Called(first, end.behind, name, is_apart=True) if is_clear else None
    if is_named:
        last = next((n for n in range(begin, len(words)) if n > begin and _ends(words[n])), len(words))
        name = _span(text, _purposeless(words[begin:last], is_named))
        return Called(first, last, name, is_apart=False) if 0 < last - begin <= _MOST_OF_A_NAME and name else None
    if words[at].key in _ENGLISH and leads and before < at:
        return Called(first, at + 1, _span(text, words[before:at]), is_apart=False)
    if leads and is_list and (last := _verb_behind(words, begin)):
        return Called(first, last, span(text, words[begin:last]), is_apart=False)
    return _named_last(text, words, first, at) if leads else None


def speaks_of_another(text: str) -> bool:
    """Tell whether a message names another list than the one in talk: "en otra lista", "on a different list"."""
    keys = [one.key for one in tokens_of(text)]
    return any(not _OTHER.isdisjoint(pair) and not _LIST_WORDS.isdisjoint(pair) for pair in pairwise(keys))


def as_put(text: str) -> str:
    """Return a message that says what goes on another list with a verb of putting, "los clavos van en otra lista"
    as "agrega los clavos en otra lista", and without the mark before its name; any other as it is."""
    if not speaks_of_another(text):
        return text
    text = CALLED_BEHIND.sub(" ", text)
    words = tokens_of(text)
    at = next((n for n, one in enumerate(words) if n and one.key in WORDS["goes_there"]), len(words))
    lead = [one.key for one in words[at + 1 : at + 4]]
    is_led = WORDS["to_list"].issuperset(lead[:1]) and not _OTHER.isdisjoint(lead)
    if not lead or not is_led or any(one.is_cut or one.key in STOP_WORDS - _BEFORE for one in words[1:at]):
        return text
    return f"{min(WORDS['put_plainly'])} {text[words[0].start : words[at].start]}{text[words[at + 1].start :]}"


def _ordered_name(text: str, words: Sequence[Token], at: int, number: int) -> int:
    """Return where a name begins that one more list is ordered to have: "another list, call it Loft"; 0 for none.

    A bare "ponle" leads to a name only where that ends the message and has a capital: "ponle Taller".
    """
    if number >= len(words) or not any(one.key in _OTHER for one in words[max(0, at - 2) : number]):
        return 0
    called = CALLS_IT.match(text, words[number].start)
    is_apart = words[number].is_cut or words[number].key in PICKING["joining"]
    named = NAMES_IT.match(text, words[number].start) if is_apart and not called else None
    found = called or named
    begin = next((n for n in range(number, len(words)) if found and words[n].start >= found.end()), 0)
    rest = words[begin:]
    is_sure = called is not None or (len(rest) <= _MOST_OF_A_WHICH and text[words[begin].start].isupper())
    is_last = called is not None or not any(_ends(one) for one in rest[1:])
    return begin if begin and is_sure and is_last else 0


def _named_last(text: str, words: Sequence[Token], first: int, at: int) -> Called | None:
    if _ends_with_shop(words, at):
        return Called(first, at + 2, _span(text, words[at + 1 :]), is_apart=False)
    if last := _capitals_end(text, words, at):
        return Called(first, last, span(text, words[at + 1 : last]), is_apart=False)
    is_other = any(one.key in _OTHER for one in words[first : at + 2])  # which one is not said
    return Called(first, at + 1, "", is_apart=False) if _is_bare(words, at) and not is_other else None


def _capitals_end(text: str, words: Sequence[Token], at: int) -> int:
    """Return where a name in capitals ends right behind the word for a list, where small letters follow: "en la
    lista Jardín tierra, abono"; 0 where none does. A name is that of a place or an occasion: not "Coca zero"."""
    last = at + 1
    while last < len(words) and not words[last].is_cut and text[words[last].start].isupper():
        last += 1
    is_name = 0 < last - at - 1 <= _MOST_OF_A_WHICH and last < len(words) and text[words[last].start].islower()
    is_led = (
        last > at + 1
        and words[at + 1].key in _SHOPS | WORDS["occasions_called"]
        and words[at].key not in _ENGLISH
        and text[words[at].start].islower()
    )
    return last if is_name and is_led and is_content(words[last].key) and not words[last].is_cut else 0


def _ends_with_shop(words: Sequence[Token], at: int) -> bool:
    """Tell whether a shop right behind the word for a list is all that is left: "a la lista ferretería"."""
    behind = words[at + 1 :]
    return words[at].key in _LIST_WORDS and len(behind) == 1 and not behind[0].is_cut and behind[0].key in _SHOPS


def _verb_behind(words: Sequence[Token], begin: int) -> int:
    """Return where a bare name ends, at the verb behind it: "en la lista vivero poné"; 0 where none is."""
    near = range(begin, min(len(words), begin + _MOST_OF_A_WHICH + 1))
    end = next((n for n in near if words[n].is_cut or words[n].key in _PUTTING), 0)
    none = WORDS["as_well"] | WORDS["filling"] | PICKING["denying"] | PICKING["pronouns"]
    is_name = all(is_content(one.key) and one.key not in none for one in words[begin:end])
    return end if end > begin and is_name and not words[end].is_cut else 0


def _told_which(text: str, words: Sequence[Token], at: int) -> Called | None:
    """Return one more list whose name stands behind a mark: "en la otra, la del vivero, anotá"."""
    end = at + 1
    while end < len(words) and not words[end].is_cut and words[end].key in _LIST_WORDS | WORDS["one_more_list"]:
        end += 1
    is_other = any(one.key in WORDS["one_more_list"] | _OTHER for one in words[max(0, at - 1) : end])
    if is_other and (last := _marked_name_ends(words, at, end)):
        return Called(_first(words, at), last, span(text, words[end:last]), is_apart=":" in words[last].gap)
    begin = end
    while begin < len(words) and words[begin].key in _BEFORE_WHICH and (begin == end) == words[begin].is_cut:
        begin += 1
    if not is_other or begin == end or begin == len(words) or words[begin].is_cut:
        return None
    last = begin + 1
    while last < len(words) and not words[last].is_cut and words[last].key not in _VERBS:
        last += 1
    name = stripped(words[begin:last], frozenset(), _LIST_WORDS | WORDS["place_ends"])
    is_name = 0 < len(name) <= _MOST_OF_A_WHICH and last < len(words)
    return Called(_first(words, at), last, span(text, name), is_apart=":" in words[last].gap) if is_name else None


def _marked_name_ends(words: Sequence[Token], at: int, begin: int) -> int:
    """Return where a name ends that stands between marks: "another list, Harbour, put rope"; 0 where none does."""
    near = range(begin + 1, min(len(words), begin + _MOST_OF_A_WHICH + 1))
    last = next((n for n in near if words[n].is_cut), 0)
    if not last or not words[begin].is_cut or not any(one.key in _LIST_WORDS for one in words[at:begin]):
        return 0
    is_name = all(is_content(one.key) and one.key not in _VERBS | WORDS["household"] for one in words[begin:last])
    return last if is_name and (words[last].key in _PUTTING or ":" in words[last].gap) else 0


def _is_bare(words: Sequence[Token], at: int) -> bool:
    """Tell whether "the list" is all that a list is called; "for me" is no name."""
    keys = [one.key for one in words[at + 1 : at + 3] if not one.is_cut]
    is_for_name = bool(keys) and keys[0] in _FOR and not (keys[1:] and keys[1] in WORDS["filling"])
    return not keys or not (is_for_name or keys[0] in WORDS["list_named"] | _OF)


def _name_begins(text: str, words: Sequence[Token], at: int) -> tuple[int, bool]:
    """Return where a name may begin behind the word for a list, and whether words for naming lead to it."""
    number, is_named = at + 1, False
    while number < len(words) and not words[number].is_cut:
        key = words[number].key
        said = [one.key for one in words[number + 1 : number + 3] if one.key not in PICKING["pronouns"]]
        if key in PICKING["relative"] | PICKING["determiners"] and said[:1] and said[0] in WORDS["called_now"]:
            number = next(n for n in range(number, len(words)) if words[n].key in WORDS["called_now"]) + 1
            is_named = True
        elif key in WORDS["with"] and not is_named and not WORDS["naming_list"].isdisjoint(said):
            number += 1
        elif key in WORDS["naming_list"]:
            number, is_named = number + 1, True
        elif (
            not is_named
            and key in WORDS["list_named"] | PICKING["determiners"] | WORDS["beside_list"] | WORDS["before_list"]
        ):
            number += 1
        else:
            break
    ordered = 0 if is_named else _ordered_name(text, words, at, number)
    return ordered or number, is_named or ordered > 0


class _End(NamedTuple):
    name: int
    behind: int


def _apart(words: Sequence[Token], begin: int, *, is_marked_only: bool) -> _End | None:
    """Return where a name ends with a colon, or, where the list is made or named, with a dash or a "con" that says
    what is on it."""
    for number in range(begin, min(len(words), begin + _MOST_OF_A_NAME + 1)):
        gap = words[number].gap
        if ":" in gap or (gap.strip() in _DASHES and not is_marked_only):
            return _End(number, number)
        if number > begin and words[number].is_cut:
            return None
        # "The waiting list for the clinic is endless: …" tells something.
        if number < len(words) and words[number].key in WORDS["being"] and is_marked_only:
            return None
        if number > begin and words[number].key in WORDS["with"] and not is_marked_only:
            return _End(number, number + 1)
    return None


def _name_before(words: Sequence[Token], at: int) -> int:
    """Return where the name begins that stands before "list": "the church sale list"."""
    first = at
    while first > 0 and at - first < _BEFORE_NAME and not words[first].is_cut:
        key = words[first - 1].key
        if key in _BEFORE | WORDS["to_list"] | _VERBS or key in STOP_WORDS:
            break
        first -= 1
    # "On my books to read list".
    is_for = first > 2 and first < at and words[first - 1].key in _TO and words[first - 3].key in _BEFORE
    return first - 2 if is_for and not words[first - 2].is_cut else first


def _first(words: Sequence[Token], first: int) -> int:
    """Return where the words that lead to a list begin: "a la", "hazme otra", "make me a new"."""
    while first > 0 and not words[first].is_cut and words[first - 1].key in _BEFORE:
        first -= 1
    if first > 0 and not words[first].is_cut and words[first - 1].key in WORDS["to_list"] | WORDS["making"]:
        first -= 1
    return first


def _is_made(words: Sequence[Token], first: int) -> bool:
    """Tell whether a list is made: "make me a list", or one more: "y otra lista"."""
    opening = stripped(words, PICKING["joining"])
    is_more = [one.key in some for one, some in zip(opening, (_ONE_MORE, _LIST_WORDS), strict=False)]
    is_told = any(one.key in PICKING["relative"] for one in opening[2:3])  # "otra lista que hizo Ana con …"
    is_one_more = is_more == [True, True] and opening[0].start == words[first].start and not is_told
    return words[first].key in WORDS["making"] or is_one_more or _is_titled(opening, words[first])


def _is_titled(opening: Sequence[Token], first: Token) -> bool:
    """Tell whether a message opens with a new list: "lista lago con", "nueva lista"; no "lista la cena con"."""
    rest = stripped(opening, PICKING["opening"] - _LIST_WORDS - _BEFORE)
    keys = [one.key for one in rest[:2]]
    is_new = len(keys) > 1 and keys[0] in WORDS["new_list"] and keys[1] in _LIST_WORDS
    is_bare = len(keys) > 1 and keys[0] in _LIST_WORDS - _ENGLISH and keys[1] not in STOP_WORDS | _BEFORE_WHICH
    return bool(rest) and rest[0].start == first.start and (is_new or is_bare)


def _plain(name: Sequence[Token]) -> Sequence[Token]:
    """Return a name without what it is for: "for the beach"."""
    if len(name) > 1 and name[0].key in _FOR:
        return list(dropwhile(lambda one: one.key in PICKING["determiners"], name[1:]))
    return name


def _purposeless(name: Sequence[Token], is_named: bool) -> Sequence[Token]:
    """Return a name without what its list is for: "Marcos para el campamento"; "things for Ann" is one."""
    at = next((n for n, one in enumerate(name) if n > 0 and one.key in _FOR), len(name))
    is_whole = not is_named or all(one.key in PICKING["described"] | PICKING["thing_words"] for one in name[:at])
    return name if is_whole else name[:at]


def _ends(one: Token) -> bool:
    return one.is_cut or one.key in PICKING["joining"] | PICKING["breaks"] | PICKING["relative"]


def _span(text: str, words: Sequence[Token]) -> str:
    return span(text, stripped(words, frozenset(), WORDS["beside_list"]))
