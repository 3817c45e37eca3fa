"""Phrases as data, made into patterns whose time grows with the length of a text and no faster.

A phrase is words with one blank between them, and matches at the borders of words. A word of it can be:

- `a/b`: either of them; `_` is a blank inside one
- `word?`: it may be missing
- `<list>`: any word of a list of the language; also `<word>`, `<Name>` (with a capital) and `<number>`
- `...`: up to two words, as few as possible
- `~ista`: any word with that ending
- `tell+`: with or without one of the language's `enclitics` at its end
- `'s` or `,`: follows the word before it without a blank

A letter without an accent stands for the accented ones too, a word of `spellings.toml` for its other spellings.
Texts must have single blanks.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

ENCLITICS: Final = "enclitics"
_ANY: Final[Mapping[str, str]] = MappingProxyType(
    {"word": r"\w+", "number": r"\d+", "Name": r"(?-i:[A-ZÀ-ÖØ-Þ])\w*"}
)
_SPELLED: Final = tuple(
    (one[0], f"[{one}]") for one in ("aáàâäã", "eéèêë", "iíìîï", "oóòôöõ", "uúùûü", "nñ", "cç", "'’")
)
SPELLINGS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        word: tuple(others.split())
        for word, others in tomllib.loads((files(__package__) / "spellings.toml").read_text("utf-8")).items()
    }
)
"""How else people write a word."""
_WRITTEN_OUT: Final = MappingProxyType({other: word for word, others in SPELLINGS.items() for other in others})
_WORD: Final = re.compile(r"\w+")
_JOINED: Final = ("'", ",")
_TWO_WORDS: Final = r"(?: \w+){0,2}?"


def written_out(text: str) -> str:
    """Return a text with the words that people write in other ways as they are mostly written."""
    return _WORD.sub(lambda word: _WRITTEN_OUT.get(word[0].lower(), word[0]), text)


def any_of(phrases: Iterable[str], lists: Mapping[str, str]) -> str:
    """Return the pattern of whichever phrase matches first; `lists` are words apart by blanks, by name."""
    return rf"(?<!\w)(?:{'|'.join(sequence(phrase, lists) for phrase in phrases)})(?!\w)"


def sequence(phrase: str, lists: Mapping[str, str], groups: Mapping[str, str] | None = None) -> str:
    """Return the pattern of one phrase, borders not included.

    `groups` are patterns for names in `<>`; in them, `{}` stands for the words of the list of that name.
    """
    pattern, blank = "", ""
    for part in "/".join(map(str.strip, phrase.split("/"))).split():
        is_optional = part.endswith("?")
        if part == "...":
            pattern += _TWO_WORDS
            continue
        choices = part.removesuffix("?").split("/")
        patterns = [" ".join(_word(word, lists, groups or {}) for word in one.split("_")) for one in choices]
        spaced = "|".join(
            one if choice.startswith(_JOINED) else blank + one
            for one, choice in zip(patterns, choices, strict=True)
        )
        pattern += f"(?:{spaced})" if not is_optional else f"(?:{spaced})?" if blank else f"(?:(?:{spaced}) )?"
        blank = blank if is_optional else " "
    return pattern


def _word(word: str, lists: Mapping[str, str], groups: Mapping[str, str]) -> str:
    if word.startswith("<"):
        name = word[1:-1]
        listed = _listed(lists.get(name, ""), lists)
        return groups[name].format(listed) if name in groups else _ANY.get(name) or f"(?:{listed})"
    if word.startswith("~"):
        return rf"\w*{_spelled(word[1:])}"
    if word.endswith("+"):
        endings = "|".join(map(_spelled, lists.get(ENCLITICS, "").split()))
        return f"{_spelled(word[:-1])}(?:{endings})?"
    others = SPELLINGS.get(word)
    return _spelled(word) if others is None else f"(?:{'|'.join(map(_spelled, (word, *others)))})"


def _listed(words: str, lists: Mapping[str, str]) -> str:
    if "<" not in words and "+" not in words:
        return _listed_alone(words)
    return "|".join(sequence(one, lists) for one in words.split())


@lru_cache(maxsize=1024)
def _listed_alone(words: str) -> str:
    """Return the pattern of a list that names no other one: phrases name each of them some four times."""
    return "|".join(sequence(one, {}) for one in words.split())


@lru_cache(maxsize=8192)
def _spelled(word: str) -> str:
    # A hundred thousand words at each start, nine of ten again. To replace letters beats looking at each.
    spelled = word if word.isalnum() else re.escape(word)
    for letter, spellings in _SPELLED:
        if letter in word:
            spelled = spelled.replace(letter, spellings)
    return spelled
