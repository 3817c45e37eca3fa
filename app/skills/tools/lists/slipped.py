"""The words of a message as lists compare them: slips in the words that lead to a list are seen through.

Only the comparison is put right; what is stored is cut from the message as it is written.
"""

from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import groupby
from types import MappingProxyType
from typing import Final

from app.domain.wording import fold
from app.language.catalogue import LANGUAGES
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS, STOP_WORDS
from app.language.phrases import any_of
from app.language.slips import slips, sound_of
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, is_content, tokens_of
from app.skills.tools.lists.lexicon import WORDS

_LEADING: Final = PICKING["list_words"] | WORDS["put_verbs"] | WORDS["shopping"] | WORDS["shops"]
_SHOPS: Final = WORDS["shopping"] | WORDS["shops"]
_OPENING: Final = (PICKING["opening"] | WORDS["filling"] | WORDS["spoken_to"]) - PICKING["denying"]
_ASKED_NICELY: Final = tuple(
    (LatePattern(any_of(one.phrases["asked_nicely"], one.lists)), verb)
    for one in WORDS.tongues
    for verb in one.words["put_plainly"]
)
_KNOWN: Final = _LEADING | WORDS["add_verbs"] | STOP_WORDS | WORDS["household"] | WORDS["place_links"]
_LEAST_LETTERS: Final = 4
_LONG: Final = 6
_LEAST_LONG: Final = 5
_FIRST_WORDS: Final = 8
_MOST_OF_A_LEAD: Final = 4
# A question for a list, or what takes something off it, is short, and its verb stands in front.
_MOST_WORDS: Final = 14
_FIRST_OF_A_WISH: Final = 3
_ASKED: Final = COMMON_WORDS["what"] | COMMON_WORDS["looks_into"] | COMMON_WORDS["holds"]
_TAKEN: Final = PICKING["remove"] | PICKING["verbs_with_particle"]
_LISTS: Final = PICKING["list_words"] | WORDS["shopping"]
_LISTS_SLIPPED: Final = MappingProxyType(
    {slip: meant for meant, slipped in WORDS.table("lists_slipped").items() for slip in slipped}
)
_LEADS_SLIPPED: Final = MappingProxyType(
    {slip: meant for meant, slipped in WORDS.table("leads_slipped").items() for slip in slipped}
)
_ASK_SLIPPED: Final = MappingProxyType(
    {slip: meant for meant, slipped in WORDS.table("ask_slipped").items() for slip in slipped}
)


# By the first letter, which no slip changes.
_HOUSEHOLD: Final = MappingProxyType(
    {first: tuple(words) for first, words in groupby(sorted(WORDS["household"]), key=lambda word: word[0])}
)
_SOUNDING: Final = frozenset(
    sound_of(word)
    for word in WORDS.tongues[LANGUAGES.index("es")].words["household"]
    if len(word) > _LEAST_LETTERS and word.isalpha()
)


def words_of(text: str) -> list[Token]:
    words = [_meant(one) if number < _FIRST_WORDS else one for number, one in enumerate(tokens_of(text))]
    if any(one.key in PICKING["list_words"] for one in words):
        words = [_put(one) if number < _FIRST_OF_A_WISH else one for number, one in enumerate(words)]
    return [
        lead
        for number, one in enumerate(words)
        for lead in _leads(one, words[number + 1 : number + _MOST_OF_A_LEAD])
    ]


def asked_in(text: str) -> str:
    """Return what may ask for a list, or take something off one, with the words for that as they are meant.

    "Wats on teh lsit", "remvoe ham from my lsit"; any other text as it is. Not to be stored or shown.
    """
    words = tokens_of(text)
    meant = [_as_asked(one, number) for number, one in enumerate(words)] if len(words) <= _MOST_WORDS else []
    # "Mostró" tells what somebody did.
    meant = [one.key if text[one.end - 1] == "ó" else key for one, key in zip(words, meant, strict=False)]
    if PICKING["list_words"].isdisjoint(meant):
        return text
    for one, key in reversed([*zip(words, meant, strict=True)]):
        text = text if one.key == key else f"{text[: one.start]}{key}{text[one.end :]}"
    return text


def lacking_in(text: str) -> str:
    """Return what says what is missing, and the list for that, without the slips in those words.

    "Neeed bread on the lsit", "flta pan en la lista". Any other text as it is. Not to be shown."""
    words = tokens_of(text)
    meant = [_LISTS_SLIPPED.get(one.key) or _near_of(one.key, PICKING["list_words"], lacks=False) for one in words]
    if PICKING["list_words"].isdisjoint(meant):
        return text
    for number, (one, key) in reversed([*enumerate(zip(words, meant, strict=True))]):
        said = _near_of(key, WORDS["lacked"]) if number < _FIRST_OF_A_WISH else key
        text = text if one.key == said else f"{text[: one.start]}{said}{text[one.end :]}"
    return text


def plainly_wished(text: str) -> str:
    """Return a wish that opens a message as a question with the verb of a plain one: "podés anotar pan" as "agrega
    pan"; any other text as it is. Not to be stored or shown."""
    for pattern, verb in _ASKED_NICELY:
        found = pattern.search(text)
        before = {one.key for one in tokens_of(text[: found.start()])} if found is not None else _KNOWN
        if found is not None and before <= _OPENING:
            asked, _, thanks = text[found.end() :].partition("?")
            is_thanked = len(tokens_of(thanks)) < _MOST_OF_A_LEAD
            return f"{text[: found.start()]}{verb}{asked} {thanks}".rstrip() if is_thanked else text
    return text


def _as_asked(one: Token, number: int) -> str:
    key = one.key
    if key in _ASK_SLIPPED:
        return _ASK_SLIPPED[key]
    known = _KNOWN | _ASKED | _TAKEN | COMMON_WORDS["newest"] | WORDS["no_slips"]
    if key in known or not key.isalpha() or household_word(key):
        return key
    some = _LISTS | _ASKED | (_TAKEN if number < _FIRST_OF_A_WISH else frozenset())
    swapped = [word for word in some if _is_swapped(key, word)]
    near = swapped or [word for word in some if len(word) >= _LEAST_LETTERS and _is_slip(key, word)]
    return min(near, key=lambda word: (word not in _LISTS, word), default=key)


def _leads(one: Token, behind: Sequence[Token]) -> list[Token]:
    """Return what leads to the word for a list, and has a slip, as it is meant: "teh market list", "ala lista"."""
    if one.key not in _LEADS_SLIPPED or all(each.key not in PICKING["list_words"] for each in behind):
        return [one]
    first, _, article = _LEADS_SLIPPED[one.key].partition("_")
    cut = one.end - len(article)
    return [replace(one, key=first, end=cut), *([Token(article, cut, one.end, "")] if article else [])]


def shop_meant(word: str) -> str:
    """Return a word of a list's name without the slip in the word for shopping or a shop: "conpras", "supr"."""
    key = fold(word)
    if key in _SHOPS or key in WORDS["household"]:
        return word
    near = [one for one in WORDS["shopping"] | WORDS["shops"] if _is_near(key, one) or _lacks_letter(key, one)]
    return near[0] if len(near) == 1 else word


def is_slip_of(said: str, name: str) -> bool:
    """Tell whether a list's name is said with one slip; "Maria" is none of "Mario"."""
    key, own = fold(said), fold(name)
    return key.isalpha() and (_is_near(key, own) or _lacks_letter(key, own))


def _lacks_letter(said: str, word: str) -> bool:
    """Tell whether a word lacks a letter within, or has two swapped: "supr", "spuer"."""
    is_one_less = len(said) == len(word) - 1 >= _LEAST_LETTERS and said[0] == word[0] and said[-1] == word[-1]
    return (is_one_less and slips(said, word) == 1) or (len(said) > _LEAST_LETTERS and _is_swapped(said, word))


def _is_near(said: str, word: str) -> bool:
    """Tell whether a long word has one slip; another last letter is another form of a verb: "agregó"."""
    is_long = len(word) >= _LONG and len(said) >= _LEAST_LONG
    return is_long and said[-1] == word[-1] and said[0] == word[0] and slips(said, word) == 1


def household_word(key: str) -> bool:
    """Tell whether a word is that for a thing of a household, or one with a slip in it."""
    is_slip = _is_slip if len(key) > _LEAST_LETTERS else _is_short_slip
    may_slip = is_content(key) and key not in WORDS["no_slips"]
    may_sound = may_slip and len(key) >= _LEAST_LETTERS and key not in _KNOWN
    is_sound = may_sound and sound_of(key) in _SOUNDING
    return (
        key in WORDS["household"]
        or is_sound
        or (may_slip and any(is_slip(key, word) for word in _HOUSEHOLD.get(key[0], ())))
    )


def _meant(one: Token) -> Token:
    if one.key in _KNOWN or not one.key.isalpha():
        return one
    if one.key in _LISTS_SLIPPED:
        return replace(one, key=_LISTS_SLIPPED[one.key])
    if (listed := _near_of(one.key, PICKING["list_words"], lacks=False)) != one.key:
        return replace(one, key=listed)
    some = _LEADING if len(one.key) >= _LEAST_LETTERS else WORDS["place_links"]
    found = [word for word in some if _is_swapped(one.key, word)]
    near = found or [word for word in WORDS["put_verbs"] | WORDS["shopping"] if _is_near(one.key, word)]
    return replace(one, key=near[0]) if len(near) == 1 else one


def _put(one: Token) -> Token:
    """Return a verb of putting that opens a wish as it is meant: "addd", "apnta", "stck"."""
    return replace(one, key=_near_of(one.key, WORDS["put_verbs"]))


def _near_of(key: str, some: Set[str], *, lacks: bool = True) -> str:
    """Return the one of some words of which a word doubles a letter, swaps two, or `lacks` one; the word itself
    where there is none, or that is another word."""
    if key in _KNOWN or not key.isalpha() or key in WORDS["no_slips"]:
        return key
    near = [
        word
        for word in some
        if _is_swapped(key, word)
        or _is_doubled(key, word)
        or (lacks and len(key) > 2 and _is_doubled(word, key, is_any=True))
    ]
    return min(near) if near and not household_word(key) else key


def _is_doubled(longer: str, word: str, *, is_any: bool = False) -> bool:
    """Tell whether a word has one letter more, within it or at its end: a doubled one, or `is_any`."""
    is_longer = len(longer) == len(word) + 1 and longer[0] == word[0]
    return is_longer and any(
        longer[:n] + longer[n + 1 :] == word and (is_any or longer[n] == longer[n - 1])
        for n in range(1, len(longer))
    )


def _is_slip(said: str, word: str) -> bool:
    return said[0] == word[0] and abs(len(said) - len(word)) <= 1 and slips(said, word) == 1


def _is_short_slip(said: str, word: str) -> bool:
    """Tell whether a short word lacks a vowel or one of two same letters, or has two swapped: "mlk", "egs"."""
    lacking = (n for n in range(1, len(word)) if word[n] == word[n - 1] or (word[n] in "aeiou" and word[n + 1 :]))
    is_short = said[0] == word[0] and len(said) > 2
    return is_short and (_is_swapped(said, word) or any(said == word[:n] + word[n + 1 :] for n in lacking))


def _is_swapped(said: str, word: str) -> bool:
    """Tell whether two neighbours of a word are swapped: "lsita", "dle"."""
    is_same = len(said) == len(word) > 2 and said[0] == word[0] and sorted(said) == sorted(word)
    return is_same and slips(said, word) == 1
