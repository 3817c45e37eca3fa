"""Things that are there already, or that somebody got: "la harina ya la tengo", "Ann picked up the milk"."""

from collections.abc import Sequence
from itertools import dropwhile, takewhile
from typing import Final

from app.skills.picking.choosing import by_words, is_in_talk
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import BREAK, Token, deed_of, is_content, is_other_wish, tokens_of
from app.skills.tools.lists.got_by import read_got_by
from app.skills.tools.lists.lexicon import LACKING, WORDS
from app.skills.tools.lists.repository import NamedList

_MAX_CHARS: Final = 160
_MOST_WORDS: Final = 5
_ALREADY: Final = PICKING["already"]
_BESIDE: Final = PICKING["subjects"] | PICKING["pronouns"] | WORDS["having"]
_FILLING: Final = PICKING["opening"] | PICKING["closing"] | PICKING["joining"]
_MOST_OF_ALL: Final = 30
_GETTING: Final = (
    WORDS["having"] | PICKING["done_verbs"] | PICKING["done_participles"] | WORDS["got_of_all"]
) - frozenset({"hay"})
_AROUND_ALL: Final = (
    _GETTING
    | PICKING["opening"]
    | PICKING["closing"]
    | PICKING["subjects"]
    | PICKING["pronouns"]
    | PICKING["determiners"]
    | PICKING["list_words"]
    | PICKING["list_links"]
    | WORDS["filling"]
    | WORDS["with"]
    | PICKING["already"]
) - PICKING["denying"]
_BEFORE_MISSING: Final = (
    WORDS["except"] | WORDS["lacked"] | PICKING["determiners"] | PICKING["pronouns"] | PICKING["list_links"]
)
_ENDS: Final = WORDS["at_places"] | PICKING["breaks"] | PICKING["reason"] | PICKING["relative"]


def read_at_hand(text: str) -> list[str]:
    """Return the things of which a message says that they are there, or were got; [] for any other message."""
    if len(text) > _MAX_CHARS or "?" in text or LACKING.search(text) is not None:
        return []
    words = tokens_of(text)
    while words and words[0].key in PICKING["opening"] - _ALREADY - WORDS["having"]:
        words.pop(0)
    if any(map(_is_more, words)):
        return []
    before, behind = _parted(words) or ([], [])
    named = _things(read_got_by(text, words) or before or behind)
    return [text[part[0].start : part[-1].end] for part in named]


def read_all_got(words: Sequence[Token]) -> list[list[Token]] | None:
    """Return the words for what is still missing where all else was got: "todo menos el pan", "got the lot".

    None for any other message. Behind the things that are named may stand why.
    """
    at = next((n for n, one in enumerate(words) if one.key in PICKING["every"]), None)
    if at is None or len(words) > _MOST_OF_ALL:
        return None
    end = next((n for n in range(at + 1, len(words)) if words[n].key in WORDS["except"]), len(words))
    said = [one.key for one in (*words[:at], *words[at + 1 : end])]
    if not all(key in _AROUND_ALL for key in said) or _GETTING.isdisjoint(said):
        return None
    rest = list(dropwhile(lambda one: one.key in _BEFORE_MISSING, words[end + 1 :]))
    parts, part = list[list[Token]](), list[Token]()
    for number, one in enumerate(rest):
        if one.key in PICKING["breaks"] | PICKING["relative"]:
            break
        if number and (BREAK.search(one.gap) or one.key in PICKING["joining"]):
            parts, part = [*parts, part], []
        if one.key not in PICKING["joining"]:
            part.append(one)
    missing = [one for one in (*parts, part) if one]
    return missing if missing or end == len(words) else None


def find_at_hand(said: Sequence[str], known: Sequence[NamedList], answers: Sequence[str]) -> tuple[str, list[str]]:
    """Return the list on which all that is named stands open, and what it is called there; "" where none is sure.

    On a list that was just shown a thing is named by one of its words, too.
    """
    for one in known:
        texts = [item.text for item in one.open_items]
        is_near = is_in_talk(texts, answers)
        hits = [
            [texts[n] for n in by_words(thing, texts) if _is_named(thing, texts[n], is_near)] for thing in said
        ]
        if hits and all(len(hit) == 1 for hit in hits):
            return one.name, list(dict.fromkeys(hit[0] for hit in hits))
    return "", []


def tells_of_use(text: str) -> bool:
    """Tell whether a text says that something was eaten or used up, and not that it was got."""
    return any(one.key in WORDS["consumed"] for one in tokens_of(text))


def _is_named(said: str, text: str, is_near: bool) -> bool:
    """Tell whether words name a thing: all of them are its own; "bread" is no "bread knife" nobody spoke of."""
    content = [{one.key for one in tokens_of(each) if is_content(one.key)} for each in (said, text)]
    return len(content[0]) <= len(content[1]) if is_near else len(content[0]) == len(content[1])


def _parted(words: Sequence[Token]) -> tuple[list[Token], list[Token]] | None:
    """Return what stands before and behind the words for having already; None where those are missing."""
    at = next((n for n, one in enumerate(words) if one.key in _ALREADY), None)
    if at is None:
        return None
    first, last = at, at + 1
    while first > 0 and words[first - 1].key in _BESIDE and not BREAK.search(words[first].gap):
        first -= 1
    while last < len(words) and words[last].key in _BESIDE and not BREAK.search(words[last].gap):
        last += 1
    verbs = WORDS["having"] | WORDS["having_else"] if first > 0 else WORDS["having"]
    while last < len(words) and words[last].key in verbs:
        last += 1
    before, behind = list(words[:first]), list(words[last:])
    if any(one.key in verbs for one in words[first:last]):
        # "My wife already bought eggs": what stands before is no thing, unless all is said behind it.
        is_who = any(one.key in WORDS["having_else"] for one in words[first:last])
        is_clear = is_who or not _says(before) or not _says(behind) or behind[0].key in _ENDS
        return (before if _says(before) else [], behind) if is_clear else None
    # "We have milk already": the verb stands before what is there.
    verb = list(takewhile(lambda one: one.key in _BESIDE, before))
    is_last = any(one.key in WORDS["having"] for one in verb) and not _says(behind)
    return (before[len(verb) :], []) if is_last else None


def _says(words: Sequence[Token]) -> bool:
    return any(is_content(one.key) and one.key not in _FILLING for one in words)


def _is_more(one: Token) -> bool:
    """Tell whether a word denies, or wishes for something else, too."""
    is_wish = is_other_wish(one) or deed_of(one) is not None
    return is_wish or one.key in PICKING["denying"] | WORDS["consumed"] | (
        WORDS["add_verbs"] - _FILLING - WORDS["having"] - WORDS["got_by"]
    )


def _things(words: Sequence[Token]) -> list[list[Token]]:
    """Return the words for each thing; [] where one of them is a sentence."""
    parts, part = list[list[Token]](), list[Token]()
    for one in (*words, None):
        if one is None or BREAK.search(one.gap) or one.key in PICKING["joining"]:
            parts, part = [*parts, part], []
        if one is not None and one.key not in PICKING["joining"]:
            part.append(one)
    bare = [list(takewhile(lambda one: one.key not in _ENDS, _without_opening(each))) for each in parts]
    named = [each for each in bare if _says(each)]
    return named if all(len(each) <= _MOST_WORDS for each in named) else []


def _without_opening(part: Sequence[Token]) -> list[Token]:
    rest = list(part)
    while rest and rest[0].key in _FILLING | PICKING["determiners"]:
        rest.pop(0)
    while rest and rest[-1].key in _FILLING:
        rest.pop()
    return rest
