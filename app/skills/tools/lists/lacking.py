"""A wish for a list that comes last, without a verb of its own: "we're out of milk, shopping list please".

What stands before may be a story. It is left out where a phrase such as "falta" says where the things begin, or
where it is one by its words; where neither is sure, nothing is.
"""

from collections.abc import Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from app.language.lexicon import COMMON_WORDS, STOP_WORDS
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, deed_of, is_content, is_wish, pieces, span, stripped, tokens_of
from app.skills.tools.lists.dictating import Dictated
from app.skills.tools.lists.lexicon import LACKING, NOT_FIRST, WORDS
from app.skills.tools.lists.slipped import lacking_in
from app.skills.tools.lists.strung import things_in
from app.skills.tools.lists.talk import ENDS_SENTENCE, is_said, tells, without_pointing, without_remembering

_MAX_CHARS: Final = 300
_MOST_WORDS: Final = 6
_MOST_OF_A_NAME: Final = 3
_MOST_ITEMS: Final = 20
_INFINITIVES: Final = ("ar", "er", "ir")
_OPENING: Final = (PICKING["determiners"] | PICKING["opening"]) - WORDS["counts"]
_TAKING_OFF: Final = frozenset({"remove", "done"})
_LINKS: Final = frozenset({"de", "del", "para", "of", "for"})
_FIRST: Final = PICKING["opening"] | WORDS["filling"] | PICKING["subjects"] | PICKING["pronouns"]
_NO_THINGS: Final = WORDS["no_things"] | WORDS["no_names"] | PICKING["thing_words"] | PICKING["described"]
_NO_NAMES: Final = frozenset({"ayer", "hoy", "yesterday"})
_TALK: Final = (STOP_WORDS | WORDS["story"] | COMMON_WORDS["asking"] | COMMON_WORDS["interrogatives"]) - WORDS[
    "in_items"
]


class _Mention(NamedTuple):
    """Where the words for a list begin, as the number of a word, and what they call it.

    `is_apart`: what is said there is no place, "on the list" of "there is no bread on the list".
    """

    first: int
    name: str
    is_apart: bool


def read_lacking(text: str) -> Dictated | None:
    """Return what a message that ends with a list wants on it; None where that is not sure."""
    if len(text) > _MAX_CHARS or "?" in text:
        return None
    text = lacking_in(without_remembering(text))
    words = stripped(_before_more(text, tokens_of(text)), frozenset(), WORDS["beside_list"])
    found = _mention(text, words)
    if found is None or not _NO_NAMES.isdisjoint(one.key for one in tokens_of(found.name)):
        return None
    if WORDS["other_list"].intersection(said := {one.key for one in tokens_of(found.name)}) and not (
        said - WORDS["other_list"] - WORDS["to_list"] - PICKING["list_words"] - PICKING["determiners"]
    ):
        return None  # "On another list": on which one is not said.
    before = without_pointing(words[: found.first])
    is_pointing = len(before) < found.first
    if any(map(_wishes_otherwise, before)) or _swaps(before):
        return None
    items = _items(text, before, is_apart=found.is_apart or is_pointing, is_pointing=is_pointing)
    return Dictated(list(dict.fromkeys(items)), found.name) if 0 < len(items) <= _MOST_ITEMS else None


def _before_more(text: str, words: Sequence[Token]) -> Sequence[Token]:
    """Return the words up to what is only told behind the sentence with the list: "la carne no, la trae Beto"."""
    at = next((n for n in range(len(words) - 1, -1, -1) if words[n].key in PICKING["list_words"]), len(words))
    end = next((n for n in range(at + 1, len(words)) if ENDS_SENTENCE.search(words[n].gap)), len(words))
    parts = pieces(words[end:])
    is_told = all(part[0].key not in PICKING["joining"] and tells(text, part) for part in parts)
    return words[:end] if is_told else words


def _wishes_otherwise(one: Token) -> bool:
    is_put = one.key in WORDS["put_verbs"] - WORDS["noun_verbs"]
    return is_put or (is_wish(one) and one.key not in WORDS["also_things"])


def _swaps(words: Sequence[Token]) -> bool:
    """Tell whether one thing is to take the place of another: "switch the rice for pasta"."""
    opened = stripped(words, _FIRST)
    return any(one.key in WORDS["swapping"] for one in opened[:1]) and any(
        one.key in WORDS["swapped_for"] for one in opened
    )


def _mention(text: str, words: Sequence[Token]) -> _Mention | None:
    """Return the words for a list at the end of a message: "a la lista del súper", "shopping list"."""
    at = next((n for n in range(len(words) - 1, -1, -1) if words[n].key in PICKING["list_words"]), None)
    if at is None or len(words) - at - 1 > _MOST_OF_A_NAME + 1:
        return None
    behind = words[at + 1 :]
    if behind and (behind[0].key not in WORDS["list_named"] or any(one.is_cut for one in behind)):
        return None
    first = at
    while first > 0 and at - first <= _MOST_OF_A_NAME and not _begins(words, first):
        first -= 1
    if not _begins(words, first):
        return None
    if any(one.key in WORDS["taken_from"] or deed_of(one) in _TAKING_OFF for one in words[first:at]):
        return None  # "Pan listo, sacalo de la lista"
    begin = first + 1 if words[first].key in WORDS["to_list"] else first
    is_apart = words[first].key not in WORDS["in_list"] or words[first].is_cut
    return _Mention(first, span(text, words[begin:]), is_apart)


def _begins(words: Sequence[Token], number: int) -> bool:
    """Tell whether the words for a list begin here: with "a", "on", or behind a mark."""
    return words[number].key in WORDS["to_list"] or (number > 0 and words[number].is_cut)


def _items(text: str, words: Sequence[Token], *, is_apart: bool, is_pointing: bool) -> list[str]:
    """Return the things that are named; [] where what is said may be something else, too."""
    if not (parts := pieces(words)):
        return []
    last = next(iter(list(LACKING.finditer(text[: words[-1].end]))[-1:]), None)
    if last is None:
        return [] if is_pointing else _things(text, _last_things(text, parts))
    before = [one.key for one in words if one.end <= last.start()]
    phrase = tokens_of(last[0])
    is_wish = _FIRST.issuperset(before) and PICKING["denying"].isdisjoint(one.key for one in phrase)
    if not (is_apart or is_wish) or not PICKING["denying"].isdisjoint(before[-1:]):
        return []
    named = [one for one in words if one.start >= last.end()]
    if not is_apart:
        keys = [one.key for one in named]
        things = [] if not _NO_THINGS.isdisjoint(keys) or keys[0] in WORDS["own"] else things_in(text, named)
        return things or []
    return _things(text, [part for part in pieces(named) if not (_is_reason(part) or _opens_only(part))])


def _last_things(text: str, parts: Sequence[Sequence[Token]]) -> Sequence[Sequence[Token]]:
    """Return the parts at the end that name things, where a story or nothing stands before them."""
    first = parts[0][0]
    things = list(takewhile(lambda part: _is_thing(text, part, is_first=part[0] == first), reversed(parts)))[::-1]
    before = parts[len(parts) - len(things) - 1] if len(things) < len(parts) else ()
    is_bare = not any(is_content(one.key) for one in before)
    is_clear = _is_talk(before) or is_bare
    is_cut = is_bare or (bool(things) and things[0][0].is_cut)
    return things if is_clear and is_cut else []


def _things(text: str, parts: Sequence[Sequence[Token]]) -> list[str]:
    """Return the parts without their articles; [] where one of them is no thing."""
    bare = [_without_article(part) for part in parts]
    if not all(0 < len(part) <= _MOST_WORDS and not _is_talk(part) and not _is_deed(part) for part in bare):
        return []
    return [span(text, part) for part in bare]


def _without_article(part: Sequence[Token]) -> Sequence[Token]:
    """Return the words for a thing without what only opens them: "the bread", "che fideos"; an amount stays."""
    return part[next((n for n, one in enumerate(part) if one.key not in _OPENING), len(part)) :]


def _is_thing(text: str, part: Sequence[Token], *, is_first: bool) -> bool:
    """Tell whether a part names a thing; the first words of a message may be a verb with what it is about."""
    content = [one for one in part if is_content(one.key)]
    is_verb = len(content) > 1 and NOT_FIRST.search(text[part[0].start : part[0].end]) is not None
    if is_said(text, part) or all(one.key in WORDS["finite"] for one in part):
        return False  # "Ana entró en la lista de invitados"
    return bool(content) and len(part) <= _MOST_WORDS and not _is_talk(part) and not (is_first and is_verb)


def _is_talk(part: Sequence[Token]) -> bool:
    return any(one.key in _TALK for one in part)


def _is_deed(part: Sequence[Token]) -> bool:
    """Tell whether a part names no thing: something to do, "ir al médico", or a time."""
    is_act = len(part) > 1 and part[0].key.endswith(_INFINITIVES) and part[1].key in WORDS["in_items"] - _LINKS
    return is_act or part[0].key in WORDS["not_opening"] or any(one.key in WORDS["no_things"] for one in part)


def _opens_only(part: Sequence[Token]) -> bool:
    return all(one.key in _OPENING for one in part)


def _is_reason(part: Sequence[Token]) -> bool:
    return part[0].key in WORDS["story"] | PICKING["breaks"] | PICKING["relative"]
