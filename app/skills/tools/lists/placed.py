"""Lists that are called by a place, and what goes on them: "sumá a lo del super pan", "foil on the b&q one"."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

from app.domain.wording import fold
from app.language.lexicon import STOP_WORDS
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, is_content, is_wish, pieces, span, stripped, tokens_of
from app.skills.tools.lists.called import Called, as_put, called_in
from app.skills.tools.lists.clearing import read_started
from app.skills.tools.lists.commas import with_colon
from app.skills.tools.lists.dictating import plainly_enumerated, read_dictated, with_passed_over
from app.skills.tools.lists.had_already import still_wanted, without_had
from app.skills.tools.lists.held import held
from app.skills.tools.lists.lexicon import UNDECIDED, WORDS
from app.skills.tools.lists.naming import find_list
from app.skills.tools.lists.repository import NamedList
from app.skills.tools.lists.rows import row_in, with_numbers
from app.skills.tools.lists.slipped import household_word, words_of
from app.skills.tools.lists.strung import are_wares, as_written, things_in, told_apart
from app.skills.tools.lists.talk import ENDS_SENTENCE, dictated_in, is_said, tells
from app.skills.tools.lists.titles import of_works, title_in, works_in

_MAX_CHARS: Final = 400
_MOST_OF_A_NAME: Final = 3
_WORDS_OF_A_GREETING: Final = 2
_BEFORE_ARTICLE: Final = frozenset({"a"})
_OPENING: Final = (
    WORDS["filling"] | PICKING["opening"] | PICKING["pronouns"] | PICKING["joining"] | WORDS["spoken_to"]
)

_ELSEWHERE: Final = PICKING["note_words"] | PICKING["task_words"] | PICKING["elsewhere"]
_CALLING: Final = PICKING["list_words"] | WORDS["called_now"] | WORDS["naming_list"]
_CALLING_OR_LEADING: Final = _CALLING | WORDS["place_leads"]
_PLACING: Final = WORDS["place_links"] | WORDS["place_ends"] | WORDS["shops"] | WORDS["shopping"]


class Placed(NamedTuple):
    """What goes on a list that is called by its place; `items` is None where what does is left to a model."""

    list_name: str
    items: list[str] | None


def leads_to_place(text: str) -> bool:
    """Tell whether a text may put something on a list, whatever lists there are; most do not."""
    return not _CALLING_OR_LEADING.isdisjoint(one.key for one in words_of(text[:_MAX_CHARS]))


def names_place(text: str, known: Sequence[NamedList]) -> bool:
    """Tell whether a text may put something on a list that it calls by a place; most do not."""
    keys = {one.key for one in words_of(text[:_MAX_CHARS])}
    own = {word.key for one in known for word in tokens_of(one.name)}
    is_led = not keys.isdisjoint(WORDS["place_leads"]) and not keys.isdisjoint(_PLACING | own)
    return is_led or not keys.isdisjoint(_CALLING)


def as_dictated(
    items: Sequence[str], list_name: str, said: str, known: Sequence[NamedList]
) -> tuple[list[str], str]:
    """Return what a message puts on which list, where a model took `items` for it, and `list_name` for that."""
    items, said = still_wanted(items, said), without_had(said)
    if (started := read_started(said)) is not None and fold(started.list_name) == fold(list_name):
        return started.items, list_name
    placed = read_placed(said, known)
    same = [one for one in placed if fold(one.list_name) == fold(list_name)]
    called = next(iter(same or placed), None) if same or len(placed) == 1 else None
    name = called.list_name if called is not None and called.list_name else list_name
    if (dictated := read_dictated(said)) is not None:
        return dictated.items, name
    if called is not None and called.items:
        return called.items, name
    whole = with_numbers(items, said)
    own = words_on(known)
    taken = [one for one in with_passed_over(whole, said, name, own) if not _is_beside(one, said)]
    bare = taken if called is None else [_without_name(one, name) for one in taken]
    return [thing for one in bare if one for thing in told_apart(one, own)], name


def _is_beside(item: str, said: str) -> bool:
    """Tell whether what a model took for a thing is only told beside those that are dictated."""
    is_story = item.casefold() in said.casefold() and item.casefold() not in dictated_in(said).casefold()
    return is_story or is_said(item, tokens_of(item))


def _without_name(item: str, name: str) -> str:
    """Return a thing without the name of its list: "super 12 huevos"."""
    words = stripped(tokens_of(item), {one.key for one in tokens_of(name)})
    return item[words[0].start :] if words else ""


def words_on(known: Sequence[NamedList]) -> frozenset[str]:
    return frozenset(
        one.key for each in known for item in each.items for one in tokens_of(item.text) if is_content(one.key)
    )


class _Place(NamedTuple):
    first: int
    last: int
    name: str
    is_known: bool
    is_apart: bool = False


def read_placed(text: str, known: Sequence[NamedList]) -> list[Placed]:
    """Return the lists that a message calls by a place, with what it puts on each; [] where it calls none so."""
    if len(text) > _MAX_CHARS or "?" in text.rstrip(" ?") or UNDECIDED.search(text):
        return []
    text = dictated_in(with_colon(as_put(text), words_on(known)))
    words = held(text, words_of(text))
    verb = next((n for n, one in enumerate(words) if one.key in WORDS["put_verbs"] and _opens(words, n)), None)
    if not _ELSEWHERE.isdisjoint(one.key for one in words[: verb or 0]):  # "A note: … And put …"
        return []
    places = list(_places(text, words, known, verb))
    places = [one for one in places if one.name] or places  # "the list" says least
    if not places or not _is_opened(words, verb, places[0]) or _is_denied(words, verb):
        return []
    # "Soap on the list + note that …": the things stand before it, and the verb is for something else.
    before = words[: places[0].first]
    is_made = places[0].is_apart and _is_made(before)
    is_greeting = _all_open(before) or len(before) <= _WORDS_OF_A_GREETING
    if verb is not None and verb >= places[0].last and not (is_made or is_greeting):
        return []
    own = words_on(known)
    each = _items(text, words, verb, places, own)
    named = [Placed(place.name, items) for place, items in zip(places, each, strict=True)]
    is_sure = all(place.is_known for place in places[-1:]) and all(one.items for one in named)
    if is_sure or verb is None:
        return named if is_sure else []
    return [named[0]._replace(items=None)] if len(named) == 1 else []


def _opens(words: Sequence[Token], number: int) -> bool:
    """Tell whether a verb opens the message or a part of it, or stands right before the words for a list."""
    first = number
    while first > 0 and words[first - 1].key in _OPENING and not words[first].is_cut:
        first -= 1
    is_hence = any(one.key in WORDS["hence"] for one in words[max(0, first - 1) : first + 1])
    is_first = first == 0 or is_hence or words[first].is_cut
    return is_first or (number + 1 < len(words) and _lead(words, number + 1).is_called)


def _is_denied(words: Sequence[Token], verb: int | None) -> bool:
    """Tell whether a verb says what is not to be put down: "no lo pongas", "don't add"."""
    first = verb or 0
    while first > 0 and words[first - 1].key in PICKING["pronouns"] and not words[first].is_cut:
        first -= 1
    return first > 0 and words[first - 1].key in PICKING["denying"] and not words[first].is_cut


def _is_opened(words: Sequence[Token], verb: int | None, place: _Place) -> bool:
    """Tell whether what stands before the words for a list, or before the verb, wishes for nothing else."""
    before = words[: place.first if verb is None else min(verb, place.first)]
    if any(map(_wishes_otherwise, before)):
        return False
    if verb is None and place.is_apart:
        # "Morning. Shopping list: milk".
        begin = next((n for n in range(len(before) - 1, -1, -1) if before[n].is_cut), 0)
        is_cut = place.first == 0 or words[place.first].is_cut
        is_told = is_cut and not any(one.key in WORDS["makes"] | WORDS["put_verbs"] for one in before)
        return is_told or _all_open(before[begin:]) or _is_made(before)
    # "Buenas, en la del súper leche".
    is_greeted = 0 < len(before) <= _WORDS_OF_A_GREETING and words[place.first].is_cut
    return verb is not None or is_greeted or _all_open(before)


def _is_made(before: Sequence[Token]) -> bool:
    """Tell whether what stands before a list makes it: "… so make a list called Loft"."""
    if before and before[-1].key in WORDS["needed"]:
        return True  # "I need a list called Loft"
    at = next((n for n in range(len(before) - 1, -1, -1) if before[n].key in WORDS["making"]), None)
    if at is None or len(before) - at > _MOST_OF_A_NAME + 1:
        return False
    return at == 0 or before[at].is_cut or before[at - 1].key in WORDS["hence"] | _OPENING


def _all_open(words: Sequence[Token]) -> bool:
    return all(one.key in _OPENING for one in words)


class _Lead(NamedTuple):
    """How many words lead to a name ("a lo del", "on the"), whether they say so of a list, or name one."""

    length: int
    is_called: bool = False
    is_list: bool = False


def _lead(words: Sequence[Token], first: int) -> _Lead:
    keys = [one.key for one in words[first : first + 5] if one is words[first] or not one.is_cut]
    lead = int(keys[0] in WORDS["place_leads"])
    head = int(keys[lead : lead + 1] != [] and keys[lead] in WORDS["place_heads"])
    third, fourth, *_ = [*keys[2:], "", ""]
    if lead and head and third in WORDS["place_lists"] and fourth in WORDS["place_links"]:
        return _Lead(4 + (keys[4:5] != [] and keys[4] in PICKING["determiners"]), is_called=True, is_list=True)
    if lead and head and third in WORDS["place_links"]:
        return _Lead(3 + (keys[3:4] != [] and keys[3] in PICKING["determiners"]), is_called=True)
    # "Add a hinge": the Spanish "a" leads to a list only before an article.
    is_led = head or keys[0] not in _BEFORE_ARTICLE or not WORDS["shopping_called"].isdisjoint(keys[1:2])
    return _Lead(lead + head if lead and is_led else 0)


def _places(text: str, words: Sequence[Token], known: Sequence[NamedList], verb: int | None) -> Iterator[_Place]:
    """Yield the words for lists; those without "lo del", "one" or the like only where such words must stand."""
    called = {one.first: one for one in called_in(text, words)}
    number, has_list = 0, False
    while number < len(words):
        if (one := called.get(number)) is not None:
            yield _of(one, known)
            has_list = True
            number = one.last
            continue
        lead = _lead(words, number)
        found, begin = None, number + lead.length
        if lead.length and begin < len(words) and _may_be_name(words[begin]):
            is_apart = verb == number - 1 or number == 0 or _begins_part(words, number)
            found = _ended(text, words, (number, begin))
            if found is None and (lead.is_called or is_apart):
                found = _named(text, words, (number, begin), known, is_called=lead.is_called)
            is_behind = verb is not None and number > verb + 1 and is_content(words[number - 1].key)
            if found is None and is_behind and words[number].key in WORDS["to_list"] - WORDS["whose"]:
                # Behind a list, a shop is one, too: "velas en boda y huevos en el súper".
                is_next = has_list or words[begin].key in WORDS["shopping"]
                is_next = is_next and household_word(words[number - 1].key)
                name_in = partial(_named, is_called=False) if is_next else _listed
                found = name_in(text, words, (number, begin), known)
                found = found if found is not None and _is_whole(words, found.last) else None
                has_list = has_list or found is not None
            has_list = has_list or (found is not None and lead.is_list)
            # "On the house list … and on the beach one": behind a list, the other one is a list, too.
            if found is not None and has_list and (lead.is_called or words[found.last - 1].key == "one"):
                found = found._replace(is_known=True)
        if found is not None:
            yield found
        number = found.last if found is not None else number + 1


def _of(one: Called, known: Sequence[NamedList]) -> _Place:
    listed = find_list(known, one.name) if one.name else None
    return _Place(one.first, one.last, one.name if listed is None else listed.name, True, one.is_apart)


def _may_be_name(one: Token) -> bool:
    return one.key not in PICKING["list_words"] | PICKING["determiners"] | STOP_WORDS


def _begins_part(words: Sequence[Token], number: int) -> bool:
    return words[number - 1].key in PICKING["joining"] or words[number].is_cut


def _is_whole(words: Sequence[Token], end: int) -> bool:
    """Tell whether a name ends there: "on films too", but not "on films with Ann"."""
    behind = PICKING["joining"] | (WORDS["as_well"] - WORDS["with"])
    return end == len(words) or words[end].is_cut or words[end].key in behind


def _named(
    text: str, words: Sequence[Token], at: tuple[int, int], known: Sequence[NamedList], *, is_called: bool
) -> _Place | None:
    """Return the place whose name begins here, as far as it goes."""
    return _listed(text, words, at, known) or _shop(text, words, at, known, is_called=is_called)


def _listed(text: str, words: Sequence[Token], at: tuple[int, int], known: Sequence[NamedList]) -> _Place | None:
    """Return the list of the person whose name begins here."""
    first, begin = at
    for end in range(min(len(words), begin + _MOST_OF_A_NAME), begin, -1):
        if any(one.is_cut for one in words[begin + 1 : end]):
            continue
        name = span(text, words[begin:end])
        listed = next((one for one in known if fold(one.name) == fold(name)), None)
        if listed is not None:
            return _Place(first, _behind_end(words, end), listed.name, is_known=True)
    return None


def _ended(text: str, words: Sequence[Token], at: tuple[int, int]) -> _Place | None:
    """Return the place that an English word ends: "the b&q one", "the big shop"."""
    first, begin = at
    for end in range(begin + 1, min(len(words), begin + _MOST_OF_A_NAME + 1)):
        if words[end].is_cut:
            return None
        if words[end].key in WORDS["place_ends"] and words[begin - 1].key in WORDS["place_heads"]:
            last = end if words[end].key == "one" else end + 1
            name = span(text, words[begin:last])
            is_shop = last > end or any(one.key in WORDS["shops"] | WORDS["shopping"] for one in words[begin:end])
            return _Place(first, end + 1, name, is_known=is_shop)
    return None


def _shop(
    text: str, words: Sequence[Token], at: tuple[int, int], known: Sequence[NamedList], *, is_called: bool
) -> _Place | None:
    first, begin = at
    last = _verb_behind(words, begin) if is_called else begin + 1
    name = span(text, words[begin:last])
    is_known = words[begin].key in WORDS["shops"] | WORDS["shopping"] or find_list(known, name) is not None
    return _Place(first, last, name, is_known) if is_known or is_called else None


def _verb_behind(words: Sequence[Token], begin: int) -> int:
    """Return where a name ends: at the verb behind what it is for, "libros pa leer métele", or behind a word."""
    for end in range(begin + 2, min(len(words), begin + _MOST_OF_A_NAME + 2)):
        if any(one.is_cut for one in words[begin + 1 : end]) or words[begin + 1].key not in WORDS["whose"]:
            break
        if words[end].key in WORDS["put_verbs"]:
            return end
    return begin + 1


def _behind_end(words: Sequence[Token], end: int) -> int:
    return end + 1 if end < len(words) and words[end].key in WORDS["place_ends"] | PICKING["list_words"] else end


def _items(
    text: str, words: Sequence[Token], verb: int | None, places: Sequence[_Place], own: frozenset[str]
) -> list[list[str] | None]:
    """Return for each place what stands behind it, up to what is for the next one, or between a verb and it."""
    ends = [*(place.first for place in places), len(words)]
    gaps = [list(words[start:end]) for start, end in zip([0, *(one.last for one in places)], ends, strict=True)]
    parted = [_at_verb(words, one, place) for one, place in zip(gaps, places, strict=False)]
    before = [] if verb is None or verb >= places[0].first else list(words[verb + 1 : places[0].first])
    if before and not gaps[-1] and not any(found for _, found in parted[1:]):
        return [_things(text, one, place, own) for one, place in zip([before, *gaps[1:-1]], places, strict=True)]
    befores = [before, *(found for _, found in parted[1:])]
    behinds = [*(rest for rest, _ in parted[1:]), gaps[-1]]
    return [_either(text, *one, own) for one in zip(befores, behinds, places, strict=True)]


def _at_verb(words: Sequence[Token], gap: Sequence[Token], place: _Place) -> tuple[list[Token], list[Token]]:
    """Return what stands between two places and is for the first one, and what is for the `place` behind it.

    That is what a verb opens that begins a part of its own, or what leads right to it: "oh and soap on the list".
    """
    number, verbs = {one.start: n for n, one in enumerate(words)}, WORDS["put_verbs"]
    opens = [n for n, one in enumerate(gap) if one.key in verbs and _begins_part(words, number[one.start])]
    if opens:
        return list(gap[: opens[-1]]), list(gap[opens[-1] + 1 :])
    begin = next((n for n in range(len(gap) - 1, 0, -1) if gap[n].is_cut), 0)
    is_led = begin > 0 and not _begins_part(words, place.first)
    return (list(gap[:begin]), list(gap[begin:])) if is_led else (list(gap), [])


def _either(
    text: str, before: Sequence[Token], behind: Sequence[Token], place: _Place, own: frozenset[str]
) -> list[str] | None:
    verbs = WORDS["put_verbs"] if behind and not behind[0].is_cut else frozenset()
    leads_on = WORDS["goes_on"] | verbs
    rest = behind[int(len(behind) > 1 and behind[0].key in leads_on) :]
    if before and rest and all(_is_aside(text, part) for part in pieces(rest)):
        rest = []
    after = _things(text, rest, place, own)
    if after is None and not before and behind[0].key in verbs:
        after = plainly_enumerated(text, rest)
    if not before or any(map(_wishes_otherwise, before)):
        return None if before else after
    first = things_in(text, before, own)
    is_one = len(after or ()) == 1 and rest[0].key in PICKING["joining"]
    if first and after and rest[0].is_cut and are_wares(after, own, is_strict=True, is_meant=is_one):
        return [*first, *after]  # "Soap on the list, and bread"
    return first if after == [] else None


def _is_aside(text: str, part: Sequence[Token]) -> bool:
    return part[0].key in PICKING["reason"] | WORDS["before_that"] or tells(text, part)


def _things(text: str, words: Sequence[Token], place: _Place, own: frozenset[str]) -> list[str] | None:
    if place.is_apart and of_works(place.name) and (works := works_in(text, words)):
        return works
    # What is written as a title behind a colon wishes for nothing: "Take Me Home".
    plain = [part for part in pieces(words) if not (place.is_apart and title_in(text, part))]
    if any(_wishes_otherwise(one) for part in plain for one in part):
        return None
    # "Lista: pan, leche. el vino lo lleva Ana"
    end = next((n for n, one in enumerate(words) if n > 0 and ENDS_SENTENCE.search(one.gap)), len(words))
    if end < len(words) and tells(text, words[end:]):
        words = words[:end]
        plain = pieces(words)
    if any(map(_is_no_thing, plain)):
        return None
    found = things_in(text, words, own)
    found = as_written(text, words) if found is None and place.is_apart else found
    return row_in(text, found[0]) if place.is_apart and found and len(found) == 1 else found


def _is_no_thing(part: Sequence[Token]) -> bool:
    """Tell whether a wish stands in the middle of a part, or it only points: "en otra poné pan", "4 of them"."""
    verbs = WORDS["put_verbs"] - WORDS["noun_verbs"]
    return any(one.key in verbs for one in part[1:]) or [one.key for one in part[-2:]] == ["of", "them"]


def _wishes_otherwise(one: Token) -> bool:
    return is_wish(one) and one.key not in WORDS["add_verbs"] | WORDS["noun_verbs"]
