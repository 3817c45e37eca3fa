"""The words of a message as lists compare them: slips in the words that lead to a list are seen through.

Only the comparison is put right; what is stored is cut from the message as it is written.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.language.lexicon import STOP_WORDS
from app.language.slips import slips
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, is_content, tokens_of
from app.skills.tools.lists.lexicon import WORDS

_LEADING: Final = PICKING["list_words"] | WORDS["put_verbs"] | WORDS["shopping"] | WORDS["shops"]
_KNOWN: Final = _LEADING | WORDS["add_verbs"] | STOP_WORDS | WORDS["household"] | WORDS["place_links"]
_LEAST_LETTERS: Final = 4
_LONG: Final = 6
_LEAST_LONG: Final = 5
_FIRST_WORDS: Final = 8
_MOST_OF_A_LEAD: Final = 4
_ENGLISH: Final = frozenset({"list", "lists"})


def words_of(text: str) -> list[Token]:
    words = [_meant(one) if number < _FIRST_WORDS else one for number, one in enumerate(tokens_of(text))]
    return [_article(one, words[number + 1 : number + _MOST_OF_A_LEAD]) for number, one in enumerate(words)]


def _article(one: Token, behind: Sequence[Token]) -> Token:
    """Return an English article with a slip before the word for a list, "teh market list", as it is meant."""
    is_lead = one.key in WORDS["articles_slipped"] and any(each.key in _ENGLISH for each in behind)
    return replace(one, key="the") if is_lead else one


def household_word(key: str) -> bool:
    """Tell whether a word is that for a thing of a household, or one with a slip in it."""
    return key in WORDS["household"] or (
        len(key) > _LEAST_LETTERS and is_content(key) and any(_is_slip(key, word) for word in WORDS["household"])
    )


def _meant(one: Token) -> Token:
    if one.key in _KNOWN or not one.key.isalpha():
        return one
    some = _LEADING if len(one.key) >= _LEAST_LETTERS else WORDS["place_links"]
    found = [word for word in some if _is_swapped(one.key, word)]
    # "Agregó" tells of somebody: another last letter is another form of a verb.
    long = [
        word
        for word in WORDS["put_verbs"] | WORDS["shopping"]
        if len(word) >= _LONG and slips(one.key, word) == 1 and one.key[-1] == word[-1]
    ]
    near = found or (long if len(one.key) >= _LEAST_LONG else [])
    return replace(one, key=near[0]) if len(near) == 1 else one


def _is_slip(said: str, word: str) -> bool:
    return said[0] == word[0] and abs(len(said) - len(word)) <= 1 and slips(said, word) == 1


def _is_swapped(said: str, word: str) -> bool:
    """Tell whether two neighbours of a word are swapped: "lsita", "dle"."""
    is_same = len(said) == len(word) > 2 and said[0] == word[0] and sorted(said) == sorted(word)
    return is_same and slips(said, word) == 1
