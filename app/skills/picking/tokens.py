"""The words of a message as `reading` compares them: verbs, places in a row, markers of a description."""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Final, Literal

from app.domain.wording import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS, STOP_WORDS
from app.skills.picking.lexicon import PICKING

Kind = Literal["note", "task"]

BREAK: Final = re.compile(r"[,.;:!?()\n+–—…]")
_WORD: Final = re.compile(
    # "3.2x15,4" is one word, and "v2.1.3", "7:10"; "a4,5 pens" says two things.
    r"(?:\d[^\W_]*(?:(?<=\d)[.,:](?=\d)[^\W_]+){0,3}|[^\W_]+(?:(?<=\d)\.(?=\d)[^\W_]+){0,3})(?:['’][^\W_]+)?"
)
_TEA: Final = "te"
# "Te" is a pronoun before a verb; before a mark, "y" or the words for a list it is a thing.
_IS_TEA: Final = LatePattern(rf"\s*(?:\Z|[,.;:)\n]|{PICKING.pattern('behind_tea')}(?!\w))")
_OF_FEET: Final = frozenset("\"'″′”’")
_QUOTED_BY: Final = MappingProxyType({"”": "“", "’": "‘"})
_NEAR_QUOTE: Final = 120
_ENCLITIC: Final = re.compile(r"(?:me|te|se|nos)?(?:lo|la|los|las|le|les)?\Z")
_LEAST_VERB: Final = 4
_MOST_FRONTED: Final = 4
_CALLED_OUT: Final = PICKING["thinking_again"] & PICKING["denying"]
_CLOSING: Final = PICKING["closing"] - PICKING["joining"]
_ORDINALS: Final = MappingProxyType(
    {word: int(place) for place, words in COMMON_WORDS.table("ordinals").items() for word in words}
)
_COUNTS: Final = MappingProxyType(
    {
        word: int(count)
        for count, words in COMMON_WORDS.table("numbers").items()
        if len(count) == 1
        for word in words
    }
)
_VERBS: Final[tuple[tuple[str, frozenset[str]], ...]] = (
    ("remove", PICKING["remove"]),
    ("done", PICKING["tick"]),
    ("keep", PICKING["keep"]),
    ("change", PICKING["change"]),
)
_EVERY_VERB: Final = PICKING["remove"] | PICKING["tick"] | PICKING["keep"] | PICKING["change"]
_NAMING: Final = PICKING["note_words"] | PICKING["task_words"] | PICKING["thing_words"] | PICKING["number_words"]
_EMPTY: Final = (
    STOP_WORDS
    | COMMON_WORDS["naming"]
    | COMMON_WORDS["pointing"]
    | COMMON_WORDS["asking"]
    | _NAMING
    | PICKING["described"]
    | PICKING["described_by"]
    | PICKING["opening"]
    | PICKING["particles"]
) - frozenset(_ORDINALS)


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a message: `key` is how it is compared, `gap` what stands before it."""

    key: str
    start: int
    end: int
    gap: str

    @property
    def is_cut(self) -> bool:
        """Tell whether a mark parts it from the word before."""
        return BREAK.search(self.gap) is not None


def span(text: str, words: Sequence[Token]) -> str:
    """Return what is written from the first of some words to the last."""
    return text[words[0].start : words[-1].end] if words else ""


def stripped(words: Sequence[Token], before: Set[str], behind: Set[str] = frozenset()) -> list[Token]:
    """Return words without some at their beginning, and others at their end."""
    first, last = 0, len(words)
    while first < last and words[first].key in before:
        first += 1
    while last > first and words[last - 1].key in behind:
        last -= 1
    return list(words[first:last])


def pieces(words: Sequence[Token], opening: Set[str] = frozenset()) -> list[list[Token]]:
    """Return words in parts, between marks and joiners; one of `opening` begins a part, too."""
    parts: list[list[Token]] = [[]]
    for one in words:
        if one.is_cut or " &" in one.gap or one.key in PICKING["joining"] | opening:
            parts.append([])
        if one.key not in PICKING["joining"]:
            parts[-1].append(one)
    return [part for part in parts if part]


def tokens_of(text: str) -> list[Token]:
    found, end = [], 0
    for word in _WORD.finditer(text):
        key = fold(word[0]).replace("'", "").replace("’", "")
        begin, gap = word.start(), text[end : word.start()]
        end = word.end()
        if key == _TEA and (word[0].lower() != _TEA or _IS_TEA.match(text, end)):
            key = "tea"  # no pronoun
        if text[end : end + 1] in _OF_FEET and text[end - 1].isdigit() and _is_of_feet(text, end):
            end += 1
        found.append(Token(key, begin, end, gap))
    return found


def _is_of_feet(text: str, at: int) -> bool:
    """Tell whether a mark behind a number is that of feet or inches, and closes no quotation."""
    mark, before = text[at], text[max(0, at - _NEAR_QUOTE) : at]
    if mark in _QUOTED_BY:
        return before.count(_QUOTED_BY[mark]) <= before.count(mark)
    opened = sum(one == mark and not before[n - 1 : n].isalnum() for n, one in enumerate(before))
    return opened % 2 == 0


def is_content(key: str) -> bool:
    """Tell whether a word says something of a thing by itself."""
    return key not in _EMPTY and key not in _ORDINALS and not key.isdigit()


def is_past(one: Token, text: str) -> bool:
    """Tell whether a Spanish verb is one of what somebody did, or an English one."""
    said = text[one.start : one.end].lower()
    return said.endswith(("é", "í", "amos", "imos", "ed")) or (
        said.endswith(("e", "i")) and len(said) >= _LEAST_VERB
    )


def opened(clause: Sequence[Token]) -> list[Token]:
    leading = PICKING["opening"] | PICKING["joining"] | PICKING["breaks"] | PICKING["relative"]
    return stripped(clause, leading)


def opening_verb(clause: Sequence[Token]) -> tuple[str, int] | None:
    """Return what the verb that opens a clause says, and where it stands; with a denial it keeps."""
    number = 0
    while count := _opening(clause, number):
        number += count
    is_denied = number < len(clause) and clause[number].key in PICKING["denying"]
    while number < len(clause) and is_denied and clause[number].key in PICKING["denying"] | PICKING["pronouns"]:
        number += 1
    if number >= len(clause):
        return None
    deed = deed_of(clause[number])
    keys = {one.key for one in clause[number:]}
    if clause[number].key in PICKING["verbs_with_particle"] and not keys.isdisjoint(PICKING["particles"]):
        deed = "remove"
    if deed is None:
        return None
    return ("keep" if is_denied else deed), number


def _opening(words: Sequence[Token], at: int) -> int:
    """Return how many words only open a clause here; a "no" that is called out is one: "ay no ya no sacá eso"."""
    key, *behind = [*(one.key for one in words[at : at + 3]), "", "", ""][:3]
    if f"{key}_{behind[0]}" in PICKING["never_mind"] and behind[1] not in PICKING["asks_formally"]:
        return 2
    if key in PICKING["opening"] | PICKING["joining"] | PICKING["breaks"] | PICKING["hesitating"]:
        return 1
    if key in _CALLED_OUT and behind[0] in PICKING["hesitating"]:
        return 1  # "no wait scrap that"
    if key in PICKING["hanging"] and behind[0] == "on":
        return 2
    is_opened = at > 0 and words[at - 1].key in PICKING["thinking_again"]
    is_so = is_opened and behind[0] not in PICKING["asks_formally"] | PICKING["pronouns"] | {""}
    return int(key in _CALLED_OUT and (is_so or "_".join(behind) in PICKING["never_mind"]))


def fronted(words: Sequence[Token]) -> int:
    """Return how many words name a thing that stands before what takes it off; 0 where none does.

    "El azúcar sacala", "the ribbon take it off", "torch off". Behind that may stand why.
    """
    for at in range(1, min(len(words), _MOST_FRONTED + 1)):
        if words[at].is_cut or words[at].key in PICKING["joining"] | PICKING["denying"]:
            return 0
        is_one = at > 1 and words[at - 1].key in PICKING["described"] and is_content(words[at - 2].key)
        if (is_one or is_content(words[at - 1].key)) and _takes_off(words[at:]):
            return at
    return 0


def _takes_off(words: Sequence[Token]) -> bool:
    """Tell whether words take off what stands before them: "off", "take it off", "sacalo", "lo sacás"."""
    verb = stripped(words, PICKING["pronouns"])
    if words[0].key in PICKING["particles"]:
        behind = stripped(words[1:], PICKING["list_links"] | PICKING["list_words"])
        return not behind or behind[0].is_cut
    if not verb or (opening_verb(verb) or ("", -1)) != ("remove", 0):
        return False
    around = PICKING["particles"] | _CLOSING | PICKING["list_links"] | PICKING["list_words"]
    rest = stripped(verb[1:], PICKING["taken_objects"] | around)
    is_pointing = any(
        one.key in PICKING["taken_objects"] | PICKING["particles"] for one in verb[1 : len(verb) - len(rest)]
    )
    has_object = len(verb) < len(words) or bare(verb[0].key) != verb[0].key or is_pointing
    why = PICKING["reason"] | PICKING["breaks"] | PICKING["relative"] | PICKING["says_why"] | PICKING["joining"]
    return has_object and (not rest or rest[0].is_cut or rest[0].key in why)


def deed_of(one: Token) -> str | None:
    forms = {form for key in (one.key, spelled(one.key)) for form in (key, bare(key))}
    return next((deed for deed, verbs in _VERBS if not verbs.isdisjoint(forms)), None)


def spelled(key: str) -> str:
    """Return a word that is written with "k" as it sounds as it is spelt: "saka", "kitale"; no "kite"."""
    is_slip = "k" in key and key not in PICKING["with_k"]
    return key.replace("ki", "qui").replace("ke", "que").replace("k", "c") if is_slip else key


def bare(key: str) -> str:
    """Return a verb without the pronouns at its end: "sacamelas" is "saca"."""
    return without_pronouns(key, _EVERY_VERB)


def without_pronouns(key: str, verbs: Set[str]) -> str:
    """Return a word without the pronouns at its end, where that leaves one of some verbs."""
    for cut in range(_LEAST_VERB, len(key)):
        if key[:cut] in verbs and _ENCLITIC.fullmatch(key[cut:]):
            return key[:cut]
    return key


def is_other_wish(one: Token) -> bool:
    return one.key in PICKING["other_wish"]


def is_wish(one: Token) -> bool:
    """Tell whether a word wishes for something, whatever it is."""
    return is_other_wish(one) or deed_of(one) is not None


def place_of(one: Token) -> int | None:
    if one.key.isdigit() and len(one.key) <= _LEAST_VERB:
        return int(one.key)
    return _ORDINALS.get(one.key)


def places_of(words: Sequence[Token]) -> tuple[int, ...]:
    """Return the places in "the first two", "las 3 últimas"; () where no such words stand side by side."""
    for one, other in (*pairwise(words), *((b, a) for a, b in pairwise(words))):
        count = int(other.key) if other.key.isdigit() and len(other.key) == 1 else _COUNTS.get(other.key, 0)
        if one.key in PICKING["first_ones"]:
            return tuple(range(1, count + 1))
        if one.key in PICKING["last_ones"]:
            return tuple(range(-count, 0))
    return ()


def without_call(text: str) -> str:
    """Return a text without what only calls for attention at its beginning: "right so look", "ya mira"."""
    words = tokens_of(text)
    rest = stripped(words, PICKING["calls_out"])
    return text[rest[0].start :] if rest and len(rest) < len(words) else text


def numbers_of(words: Sequence[Token]) -> set[int]:
    """Return the small numbers among words, in digits or not."""
    said = {int(one.key) for one in words if one.key.isdecimal() and len(one.key) == 1}
    return said | {_COUNTS[one.key] for one in words if one.key in _COUNTS}


def is_count(one: Token) -> bool:
    """Tell whether a word is a number in words, or says at which end so many things are."""
    return one.key in _COUNTS or one.key in PICKING["first_ones"] | PICKING["last_ones"]


def behind_marker(words: Sequence[Token]) -> int:
    """Return where the description begins in "lo del bebé", "the stuff for the baby"; 0 where none is."""
    for number in range(min(3, len(words) - 1)):
        if words[number].key in PICKING["described"] and words[number + 1].key in PICKING["described_by"]:
            return number + 2 if any(is_content(one.key) for one in words[number + 2 :]) else 0
    return 0


def without_list(words: Sequence[Token]) -> tuple[list[Token], str | None]:
    """Return words without those for a list, and its name: "el pan de la lista del súper"."""
    at = next((n for n, one in enumerate(words) if one.key in PICKING["list_words"]), None)
    if at is None:
        return list(words), None
    first, last, name = at, at + 1, list[str]()
    while first > 0 and words[first - 1].key in PICKING["list_links"]:
        first -= 1
    is_english = words[at].key in {"list", "lists"}
    if is_english and first == at and at > 0 and words[at - 1].key not in PICKING["determiners"]:
        first = next((n for n in range(at - 1, -1, -1) if words[n].key in PICKING["list_links"]), at)
        name = [one.key for one in words[first:at] if one.key not in PICKING["list_links"]]
        while first > 0 and words[first - 1].key in PICKING["list_links"]:
            first -= 1
    elif last < len(words) and words[last].key in PICKING["list_links"]:
        while last < len(words) and words[last].key in PICKING["list_links"]:
            last += 1
        name = [one.key for one in words[last : last + 1]]
        last += 1
    return [*words[:first], *words[last:]], " ".join(name)


def kind(keys: set[str]) -> Kind | None:
    if not keys.isdisjoint(PICKING["note_words"]):
        return "note"
    return None if keys.isdisjoint(PICKING["task_words"]) else "task"
