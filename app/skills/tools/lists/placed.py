"""Lists that are called by a place, and what goes on them: "sumá a lo del super pan", "foil on the b&q one"."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from app.domain.wording import fold
from app.language.lexicon import STOP_WORDS
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import BREAK, Token, deed_of, is_other_wish, tokens_of
from app.skills.tools.lists.clearing import read_started
from app.skills.tools.lists.dictating import read_dictated, with_passed_over
from app.skills.tools.lists.lexicon import (
    ADD_VERBS,
    FILLING,
    PLACE_ENDS,
    PLACE_HEADS,
    PLACE_LEADS,
    PLACE_LINKS,
    PLACE_LISTS,
    PUT_VERBS,
    SHOPPING,
    SHOPS,
)
from app.skills.tools.lists.naming import find_list
from app.skills.tools.lists.repository import NamedList
from app.skills.tools.lists.strung import things_in, told_apart

_MAX_CHARS: Final = 400
_MOST_OF_A_NAME: Final = 3
_BEFORE_ARTICLE: Final = frozenset({"a"})
_OPENING: Final = FILLING | PICKING["opening"] | PICKING["pronouns"] | PICKING["joining"]


class Placed(NamedTuple):
    """What goes on a list that is called by its place; `items` is None where what does is left to a model."""

    list_name: str
    items: list[str] | None


def names_place(text: str) -> bool:
    """Tell whether a text may put something on a list that it calls by a place; most do not."""
    keys = {one.key for one in tokens_of(text[:_MAX_CHARS])}
    return not keys.isdisjoint(PLACE_LINKS | PLACE_ENDS | SHOPS | SHOPPING) and not keys.isdisjoint(PLACE_LEADS)


def as_dictated(
    items: Sequence[str], list_name: str, said: str, known: Sequence[NamedList]
) -> tuple[list[str], str]:
    """Return what a message puts on which list, where a model took `items` for it, and `list_name` for that."""
    if (started := read_started(said)) is not None and fold(started.list_name) == fold(list_name):
        return started.items, list_name
    placed = read_placed(said, known)
    same = [one for one in placed if fold(one.list_name) == fold(list_name)]
    called = next(iter(same or placed), None) if same or len(placed) == 1 else None
    name = list_name if called is None else called.list_name
    if (dictated := read_dictated(said)) is not None:
        return dictated.items, name
    if called is not None and called.items:
        return called.items, name
    taken = with_passed_over(items, said, name)
    bare = taken if called is None else [_without_name(one, name) for one in taken]
    own = _words_on(known)
    return [thing for one in bare if one for thing in told_apart(one, own)], name


def _without_name(item: str, name: str) -> str:
    """Return a thing without the name of its list: "super 12 huevos"."""
    words, named = tokens_of(item), {one.key for one in tokens_of(name)}
    while words and words[0].key in named:
        words.pop(0)
    return item[words[0].start :] if words else ""


def _words_on(known: Sequence[NamedList]) -> frozenset[str]:
    return frozenset(one.key for each in known for item in each.items for one in tokens_of(item.text))


class _Place(NamedTuple):
    first: int
    last: int
    name: str
    is_known: bool


def read_placed(text: str, known: Sequence[NamedList]) -> list[Placed]:
    """Return the lists that a message calls by a place, with what it puts on each; [] where it calls none so."""
    if len(text) > _MAX_CHARS or "?" in text.rstrip(" ?"):
        return []
    words = tokens_of(text)
    verb = next((n for n, one in enumerate(words) if one.key in PUT_VERBS and _opens(words, n)), None)
    # "Note: the paint is bone white. And put brushes on the list": the note is another wish.
    if not PICKING["note_words"].isdisjoint(one.key for one in words[: verb or 0]):
        return []
    places = list(_places(text, words, known, verb))
    if not places or (places[0].first > 0 and verb is None and not _all_open(words[: places[0].first])):
        return []
    own = _words_on(known)
    named = [Placed(place.name, _items(text, words, verb, places, n, own)) for n, place in enumerate(places)]
    is_sure = all(place.is_known for place in places[-1:]) and all(one.items for one in named)
    if is_sure or verb is None:
        return named if is_sure else []
    return [named[0]._replace(items=None)] if len(named) == 1 else []


def _opens(words: Sequence[Token], number: int) -> bool:
    """Tell whether a verb opens the message or a part of it, or stands right before the words for a list."""
    first = number
    while first > 0 and words[first - 1].key in _OPENING and not BREAK.search(words[first].gap):
        first -= 1
    is_first = first == 0 or BREAK.search(words[first].gap) is not None
    return is_first or (number + 1 < len(words) and _lead(words, number + 1).is_called)


def _all_open(words: Sequence[Token]) -> bool:
    return all(one.key in _OPENING for one in words)


class _Lead(NamedTuple):
    """How many words lead to a name ("a lo del", "on the"), and whether they say alone that it is a list's."""

    length: int
    is_called: bool = False


def _lead(words: Sequence[Token], first: int) -> _Lead:
    keys = [one.key for one in words[first : first + 5] if one is words[first] or not BREAK.search(one.gap)]
    lead = int(keys[0] in PLACE_LEADS)
    head = int(keys[lead : lead + 1] != [] and keys[lead] in PLACE_HEADS)
    if lead and head and keys[2:3] and keys[2] in PLACE_LISTS and keys[3:4] and keys[3] in PLACE_LINKS:
        return _Lead(4 + (keys[4:5] != [] and keys[4] in PICKING["determiners"]), is_called=True)
    if lead and head and keys[2:3] and keys[2] in PLACE_LINKS:
        return _Lead(3 + (keys[3:4] != [] and keys[3] in PICKING["determiners"]), is_called=True)
    # "Add a hinge": the Spanish "a" leads to a list only before an article.
    return _Lead(lead + head if lead and (head or keys[0] not in _BEFORE_ARTICLE) else 0)


def _places(text: str, words: Sequence[Token], known: Sequence[NamedList], verb: int | None) -> Iterator[_Place]:
    """Yield the words for lists; those without "lo del", "one" or the like only where such words must stand."""
    number = 0
    while number < len(words):
        lead = _lead(words, number)
        found, begin = None, number + lead.length
        if lead.length and begin < len(words) and _may_be_name(words[begin]):
            is_apart = verb == number - 1 or number == 0 or _begins_part(words, number)
            found = _ended(text, words, (number, begin))
            if found is None and (lead.is_called or is_apart):
                found = _named(text, words, (number, begin), known, is_called=lead.is_called)
        if found is not None:
            yield found
        number = found.last if found is not None else number + 1


def _may_be_name(one: Token) -> bool:
    return one.key not in PICKING["list_words"] | PICKING["determiners"] | STOP_WORDS


def _begins_part(words: Sequence[Token], number: int) -> bool:
    return words[number - 1].key in PICKING["joining"] or BREAK.search(words[number].gap) is not None


def _named(
    text: str, words: Sequence[Token], at: tuple[int, int], known: Sequence[NamedList], *, is_called: bool
) -> _Place | None:
    """Return the place whose name begins here, as far as it goes."""
    first, begin = at
    for end in range(min(len(words), begin + _MOST_OF_A_NAME), begin, -1):
        if any(BREAK.search(one.gap) for one in words[begin + 1 : end]):
            continue
        name = text[words[begin].start : words[end - 1].end]
        listed = next((one for one in known if fold(one.name) == fold(name)), None)
        if listed is not None:
            return _Place(first, _behind_end(words, end), listed.name, is_known=True)
    return _shop(text, words, at, known, is_called=is_called)


def _ended(text: str, words: Sequence[Token], at: tuple[int, int]) -> _Place | None:
    """Return the place that an English word ends: "the b&q one", "the big shop"."""
    first, begin = at
    for end in range(begin + 1, min(len(words), begin + _MOST_OF_A_NAME + 1)):
        if BREAK.search(words[end].gap) is not None:
            return None
        if words[end].key in PLACE_ENDS and words[begin - 1].key in PLACE_HEADS:
            last = end if words[end].key == "one" else end + 1
            name = text[words[begin].start : words[last - 1].end]
            is_shop = last > end or any(one.key in SHOPS | SHOPPING for one in words[begin:end])
            return _Place(first, end + 1, name, is_known=is_shop)
    return None


def _shop(
    text: str, words: Sequence[Token], at: tuple[int, int], known: Sequence[NamedList], *, is_called: bool
) -> _Place | None:
    first, begin = at
    name = text[words[begin].start : words[begin].end]
    is_known = words[begin].key in SHOPS | SHOPPING or find_list(known, name) is not None
    return _Place(first, begin + 1, name, is_known) if is_known or is_called else None


def _behind_end(words: Sequence[Token], end: int) -> int:
    return end + 1 if end < len(words) and words[end].key in PLACE_ENDS | PICKING["list_words"] else end


def _items(
    text: str, words: Sequence[Token], verb: int | None, places: Sequence[_Place], number: int, own: frozenset[str]
) -> list[str] | None:
    """Return what stands behind a place, up to the next one, or between the verb and the only place."""
    place = places[number]
    end = places[number + 1].first if number + 1 < len(places) else len(words)
    behind = list(words[place.last : end])
    between = [] if verb is None or verb >= place.first else list(words[verb + 1 : place.first])
    if any(map(_wishes_otherwise, (*between, *behind))):
        return None
    after = things_in(text, behind, own)
    if number or not between:
        return after
    return things_in(text, between, own) if after == [] else None


def _wishes_otherwise(one: Token) -> bool:
    return (is_other_wish(one) or deed_of(one) is not None) and one.key not in ADD_VERBS
