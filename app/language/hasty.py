"""A wish typed in haste: "anotaa que …", "undo taht", "my ntoes", "add brd tothe list".

The words that make a wish are put right where they lead it, before anybody reads the message. What is behind them
is the person's own, and stays as it is written.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from types import MappingProxyType
from typing import Final, NamedTuple

from app.language.catalogue import LANGUAGES
from app.language.folding import fold
from app.language.lexicon import COMMON_WORDS
from app.language.slips import sound_of

_MOST_WORDS: Final = 12
_MAX_CHARS: Final = 400
_LEAST_LETTERS: Final = 4
_LEAST_LACKING: Final = 5
_WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_OWN: Final = re.compile(r"[:\n\"«“]")
_KEEPING: Final = COMMON_WORDS["hasty.keeping"]
_REMINDING: Final = COMMON_WORDS["hasty.reminding"]
_THINGS: Final = COMMON_WORDS["hasty.things"]
_FIRM: Final = _KEEPING | _REMINDING | _THINGS | COMMON_WORDS["hasty.asking"]
_LEADING: Final = _FIRM | COMMON_WORDS["hasty.between"] | COMMON_WORDS["hasty.before"]
_OTHERS: Final = COMMON_WORDS["hasty.others"] | COMMON_WORDS["stop_words"] | _LEADING
_OPENS_OWN: Final = COMMON_WORDS["hasty.opens_own"]
_OPENS_REMINDER: Final = _OPENS_OWN | COMMON_WORDS["hasty.opens_own_of_reminder"]
_WRITTEN: Final = MappingProxyType(
    {
        slip: meant.replace("_", " ")
        for slip, _, meant in (one.partition("=") for one in sorted(COMMON_WORDS["hasty.written"]))
    }
)


def _slips_of(word: str) -> Iterator[str]:
    """Yield a word with two letters swapped, a letter doubled, one left out, or all its inner vowels left out."""
    for at in range(len(word) - 1):
        yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    yield from (word[:at] + word[at] + word[at:] for at in range(len(word)))
    if len(word) >= _LEAST_LACKING:
        yield from (word[:at] + word[at + 1 :] for at in range(1, len(word)))


def _all_slips() -> Iterator[tuple[str, str]]:
    for word in sorted(_FIRM | COMMON_WORDS["hasty.between"]):
        if len(word) >= _LEAST_LETTERS:
            yield from ((slip, word) for slip in _slips_of(word) if slip not in _OTHERS)


_HEARD: Final = MappingProxyType(
    {
        sound_of(word): word
        for topic in ("keeping", "reminding", "asking", "things")
        for word in sorted(COMMON_WORDS.tongues[LANGUAGES.index("es")].words[f"hasty.{topic}"])
        if len(word) > _LEAST_LETTERS
    }
)
_SLIPS: Final = MappingProxyType(dict(chain(_all_slips(), _WRITTEN.items())))


class _Change(NamedTuple):
    begin: int
    end: int
    meant: str


def as_wished(text: str) -> str:
    """Return a message with the words that lead its wish as they are meant; any other message as it is."""
    if len(text) > _MAX_CHARS:
        return text
    own = _OWN.search(text)
    words = [*islice(_WORD.finditer(text, 0, len(text) if own is None else own.start()), _MOST_WORDS)]
    for one in reversed(_changes(text, words)):
        text = f"{text[: one.begin]}{_cased(one.meant, text[one.begin])}{text[one.end :]}"
    return text


def _changes(text: str, words: Sequence[re.Match[str]]) -> list[_Change]:
    """Return what is to be put right, in order: of small words, only those on the way to a word of the wish."""
    sure: list[_Change] = []
    maybe: list[_Change] = []
    verb, before, end = "", "", 0
    for one in words:
        key = fold(one[0])
        if verb in _KEEPING and any(map(str.isdigit, text[end : one.start()])):
            return sure
        meant = _WRITTEN.get(f"{before}_{key}") or _meant(key)
        if not meant or (verb and meant in (_OPENS_REMINDER if verb in _REMINDING else _OPENS_OWN)):
            return sure if not meant or meant == key else [*sure, _Change(*one.span(), meant)]
        if meant != key:
            maybe.append(_Change(*one.span(), meant))
        before, end = meant.rpartition(" ")[2], one.end()
        if before in _FIRM:
            sure, maybe = [*sure, *maybe], []
        if verb in _KEEPING and before in _THINGS:
            return sure
        verb = verb or (before if before in _KEEPING | _REMINDING else "")
    is_whole = not text[end:].strip(" .!?¡¿…%$0123456789") and verb not in _KEEPING
    return [*sure, *maybe] if is_whole else sure


def _meant(key: str) -> str:
    """Return the word of a wish that is written so, or was meant by a slip, or by ear; "" for any other word."""
    if key in _LEADING or key in _OTHERS:
        return key if key in _LEADING else ""
    return _SLIPS.get(key) or (_HEARD.get(sound_of(key), "") if len(key) >= _LEAST_LETTERS else "")


def _cased(meant: str, first: str) -> str:
    return meant[0].upper() + meant[1:] if first.isupper() else meant
