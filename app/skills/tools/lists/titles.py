"""Things that are written as titles: "El Rey", "The Wall", "Let It Be"; every word belongs to the thing.

What is not written so may be no thing at all: "eso es todo".
"""

import re
from collections.abc import Sequence
from typing import Final

from app.domain.wording import points_back
from app.domain.wording import words as words_in
from app.language.lexicon import COMMON_WORDS, STOP_WORDS
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, span, tokens_of
from app.skills.tools.lists.lexicon import WORDS

_ENDS_SENTENCE: Final = re.compile(r"[.!?;\n…]")
_PARTS_WORKS: Final = re.compile(r"[,;\n]")
_SMALL: Final = STOP_WORDS | PICKING["determiners"] | WORDS["in_items"]
_LEADS: Final = (PICKING["opening"] | PICKING["closing"] | WORDS["filling"] | PICKING["determiners"]) | (
    WORDS["vocatives"] | WORDS["spoken_to"] | PICKING["calls_out"]
)
_REASON: Final = PICKING["breaks"] | PICKING["relative"]
_POLITE: Final = WORDS["thanking"] | WORDS["politely"] | PICKING["closing"]
_LEAST: Final = 2
_LEAST_LETTERS: Final = 4


def is_title(text: str, words: Sequence[Token]) -> bool:
    """Tell whether words are written as one title, and nothing of them is said to somebody.

    Their first letters are capitals, "The Wall", or the first one is where no sentence begins: "Mira quién baila".
    """
    if not words or text.isupper() or not _is_capital(text, words[0]) or words[0].start == 0:
        return False
    if len(words) == 1 and words[0].key in _POLITE:
        return False  # "…, Gracias"
    capitals = sum(_is_capital(text, one) for one in words)
    is_whole = capitals >= _LEAST and all(_is_capital(text, one) or one.key in _SMALL for one in words)
    return is_whole or (words[0].key in _LEADS and _ENDS_SENTENCE.search(words[0].gap) is None)


def title_in(text: str, piece: Sequence[Token]) -> list[Token]:
    """Return the title in a piece, without what is said in small letters around it; [] where none is.

    "Porfa El Rey", "The Wall please".
    """
    begin = next((n for n, one in enumerate(piece) if one.key not in _LEADS or _is_capital(text, one)), len(piece))
    end = len(piece)
    while end > begin + 1 and piece[end - 1].key in _LEADS and not _is_capital(text, piece[end - 1]):
        end -= 1
    while end > begin + 1 and piece[end - 1].key in WORDS["thanking"] and not _is_capital(text, piece[end - 1]):
        end -= 1
    title = list(piece[begin:end])
    return title if is_title(text, title) else []


def of_works(name: str) -> bool:
    """Tell whether a list holds works that have titles: "Films for the club"."""
    return any(one.key in WORDS["works"] for one in tokens_of(name))


def works_in(text: str, words: Sequence[Token]) -> list[str]:
    """Return the titles of works that only commas part, "Pride and Prejudice, Emma"; [] where they are not all
    written as titles. An "and" before the last one parts it, unless one word stands on either side of it."""
    cuts = [n for n, one in enumerate(words) if n == 0 or _PARTS_WORKS.search(one.gap)]
    parts = [list(words[n:end]) for n, end in zip(cuts, [*cuts[1:], len(words)], strict=True)]
    if len(parts) < _LEAST or any(
        _ENDS_SENTENCE.search(one.gap) and not _PARTS_WORKS.search(one.gap) for one in words[1:]
    ):
        return []
    last = parts[-1]
    at = next((n for n, one in enumerate(last) if one.key in PICKING["joining"]), 0)
    is_lower = _is_capital(text, last[0]) and not all(_is_capital(text, one) for one in last[at + 1 : at + 2])
    if last[0].key in PICKING["joining"] and len(last) > 1 and _is_capital(text, last[1]):
        parts[-1] = last[1:]
    elif at and not is_lower and len(last) > at + 1 and (at > 1 or len(last) > at + 2):
        parts[-1:] = [last[:at], last[at + 1 :]]
    is_plain = all(_is_capital(text, one[0]) or one[0].key[0].isdigit() for one in parts)
    return [span(text, title_in(text, one) or one) for one in parts] if is_plain else []


def is_aside(item: str, said: str) -> bool:
    """Tell whether what was taken for a thing is a filler, a story or only pointed to, and no title.

    "Eso es todo", "cause it is hot", "that's it".
    """
    at = said.find(item)
    if at > 0 and is_title(said, [one for one in tokens_of(said) if at <= one.start < at + len(item)]):
        return False
    keys = [one.key for one in tokens_of(item)]
    is_filler = len(item) >= _LEAST_LETTERS and bool(keys) and WORDS["filling"] - WORDS["household"] >= set(keys)
    only_points = points_back(item) and not COMMON_WORDS["pointing"].isdisjoint(words_in(item))
    return is_filler or only_points or (len(keys) > 1 and keys[0] in _REASON)


def _is_capital(text: str, one: Token) -> bool:
    return text[one.start].isupper()
