"""Things that are there already, or that somebody got: "la harina ya la tengo", "Ann picked up the milk"."""

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from app.language.lexicon import COMMON_WORDS
from app.skills.picking.choosing import by_words, is_in_talk
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, is_content, is_wish, pieces, span, stripped, tokens_of
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

_MOST_OF_WHO: Final = 4
_BESIDE_GOT: Final = PICKING["already"] | PICKING["pronouns"] | PICKING["particles"] | frozenset({"up"})
_OBJECTS: Final = PICKING["described"]
_LATER: Final = COMMON_WORDS["days"] | WORDS["at_places"]
_NOBODY: Final = PICKING["subjects"] | PICKING["breaks"] | PICKING["relative"] | COMMON_WORDS["interrogatives"]


def read_at_hand(text: str) -> list[str]:
    """Return the things of which a message says that they are there, or were got; [] for any other message."""
    if len(text) > _MAX_CHARS or "?" in text or LACKING.search(text) is not None:
        return []
    words = stripped(tokens_of(text), PICKING["opening"] - _ALREADY - WORDS["having"])
    if any(map(_is_more, words)):
        return []
    before, behind = _parted(words) or ([], [])
    named = _things(_got_by(text, words) or before or behind)
    return [span(text, part) for part in named]


def read_all_got(words: Sequence[Token]) -> list[list[Token]] | None:
    """Return the words for what is still missing where all else was got: "todo menos el pan", "got the lot".

    None for any other message. Behind the things that are named may stand why.
    """
    at = next((n for n, one in enumerate(words) if one.key in PICKING["every"]), None)
    if at is None or len(words) > _MOST_OF_ALL:
        return None
    end = next((n for n in range(at + 1, len(words)) if words[n].key in WORDS["except"]), len(words))
    said = [one.key for one in (*words[:at], *words[at + 1 : end])]
    is_told_last = not said and end < len(words) and words[-1].key in _GETTING
    if not all(key in _AROUND_ALL for key in said) or not (is_told_last or not _GETTING.isdisjoint(said)):
        return None
    if is_told_last:  # "All but the rice is bought"
        words = stripped(words, frozenset(), _GETTING | WORDS["being"])
    rest = stripped(words[end + 1 :], _BEFORE_MISSING)
    missing = pieces(list(takewhile(lambda one: one.key not in PICKING["breaks"] | PICKING["relative"], rest)))
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
    """Tell whether a text says that something was eaten or used up, or of long ago, and not that it was got."""
    return any(one.key in WORDS["consumed"] | WORDS["long_ago"] for one in tokens_of(text))


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
    while first > 0 and words[first - 1].key in _BESIDE and not words[first].is_cut:
        first -= 1
    while last < len(words) and words[last].key in _BESIDE and not words[last].is_cut:
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
    is_last = any(one.key in WORDS["having"] for one in verb) and (
        not _says(behind) or behind[0].key in WORDS["at_places"]
    )
    return (before[len(verb) :], []) if is_last else None


def _says(words: Sequence[Token]) -> bool:
    return any(is_content(one.key) and one.key not in _FILLING for one in words)


def _is_more(one: Token) -> bool:
    """Tell whether a word denies, or wishes for something else, too."""
    return is_wish(one) or one.key in PICKING["denying"] | WORDS["consumed"] | (
        WORDS["add_verbs"] - _FILLING - WORDS["having"] - WORDS["got_by"]
    )


def _things(words: Sequence[Token]) -> list[list[Token]]:
    """Return the words for each thing; [] where one of them is a sentence."""
    each = [stripped(part, _FILLING | PICKING["determiners"], _FILLING) for part in pieces(words)]
    bare = [list(takewhile(lambda one: one.key not in _ENDS, part)) for part in each]
    named = [part for part in bare if _says(part)]
    return named if all(len(part) <= _MOST_WORDS for part in named) else []


def _got_by(text: str, words: Sequence[Token]) -> list[Token]:
    """Return the words for what somebody else got, by the verb that says so; [] where none does."""
    at = next((n for n, one in enumerate(words) if one.key in WORDS["got_by"]), 0)
    opening = text[: words[0].start].lower().split()[-1:] if words else []
    first, last = at, at + 1
    while first > 0 and words[first - 1].key in _BESIDE_GOT and not words[first].is_cut:
        first -= 1
    while last < len(words) and words[last].key in _BESIDE_GOT:
        last += 1
    before, behind = list(words[:first]), [one for one in words[last:] if one.key not in PICKING["already"]]
    if at == 0 or not before or not WORDS["in_doubt"].isdisjoint(opening):
        return []
    if words[at - 1].key in _OBJECTS and words[at - 1].key in PICKING["pronouns"]:
        # "La yerba la compro": without who it was, and without its accent, it says "I buy".
        is_past = words[at].key in WORDS["surely_got"] or text[: words[at].end].endswith("ó")
        return before if is_past or _is_somebody(behind, _LATER) else []
    return behind if _is_somebody(before) and not (behind and behind[0].is_cut) else []


def _is_somebody(words: Sequence[Token], others: frozenset[str] = frozenset()) -> bool:
    keys = {one.key for one in words}
    is_one = not any(one.is_cut for one in words[1:])
    return 0 < len(words) <= _MOST_OF_WHO and is_one and keys.isdisjoint(_NOBODY | WORDS["in_doubt"] | others)
