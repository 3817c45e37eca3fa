"""Words people say for a thing: cleaned, compared without case and accents, matched to one of many."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeVar

from app.domain.errors import Unmatched
from app.language.folding import fold as fold
from app.language.lexicon import COMMON_WORDS, STOP_WORDS

_FILLER: Final = STOP_WORDS | COMMON_WORDS["naming"]
_POINTING: Final = STOP_WORDS | COMMON_WORDS["naming"] | COMMON_WORDS["pointing"]
_WORD: Final = re.compile(r"[^\W_]+")
_NUMBER: Final = re.compile(
    r"(?:(?:the|la|el|note|nota|project|proyecto|task|tarea|number|numero|id|no?|n°|#)[\s.:]*){0,4}(\d{1,9})[.)]?"
)
# A comma between two digits is that of a decimal, "2,5 mm"; none in parentheses parts things.
_BETWEEN: Final = re.compile(r"(?:[;\n]|,(?!\d)|(?<!\d),|\s(?:y|e|and|&)\s)(?![^()\n]{0,80}\))", re.IGNORECASE)
_TWICE: Final = re.compile(r"\b(\w{1,30}) (?:y|e|and|&) \1\b", re.IGNORECASE)
_BOND: Final = "\ue000"
_SENTENCE_END: Final = re.compile(r"(?<![.!?…])[.!?…]++[\"'»”)\]*_]*+(?=\s)")
_WORDS_OF_A_SENTENCE: Final = 4
_JOINER: Final = "\u200d"
_CAUTIOUS_PREFIX: Final = 4
# Shorter words that end in s ("mes", "bus") are rarely plurals.
_SHORTEST_PLURAL: Final = 4
_SHORTEST_STEM: Final = 4
_LONGEST_ENDING: Final = 2
_NEAREST: Final = 3
_LISTED: Final = 10

CHECKBOXES: Final = ("☐", "☑")
"""Before an item that is open, and one that is done."""


class Named(Protocol):
    """Something that can be asked for by its number, its name, or words of its text."""

    @property
    def number(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def text(self) -> str: ...


T = TypeVar("T", bound=Named)


def clean(text: str) -> str:
    """Return the text as it can be stored: composed (NFC), stripped, no control characters or half pairs."""
    composed = unicodedata.normalize("NFC", text.encode("utf-8", "ignore").decode())
    return "".join(char for char in composed if char in "\n\t" or unicodedata.category(char) != "Cc").strip()


def one_line(text: str, limit: int) -> str:
    """Return the text on one line of at most `limit` characters; "…" tells that more follows."""
    return cut(" ".join(text.split()), limit)


def cut(text: str, limit: int) -> str:
    """Return at most `limit` characters, no accent or emoji cut in two; "…" tells that more follows."""
    if len(text) <= limit:
        return text
    end = limit - 1
    while end > 0 and (_extends(text[end]) or text[end - 1] == _JOINER):
        end -= 1
    return text[: end or limit - 1].rstrip() + "…"


def _extends(character: str) -> bool:
    """Tell whether the character changes the one before it, as accents and skin tones do."""
    return (
        character == _JOINER
        or unicodedata.category(character).startswith("M")
        or "\U0001f3fb" <= character <= "\U0001f3ff"
    )


def first_words(text: str, limit: int) -> str:
    """Return the beginning of the first line, at most `limit` characters, ending with a whole word."""
    line = " ".join(text.strip().split("\n", 1)[0].split())
    if len(line) > limit:
        line = line[:limit].rsplit(" ", 1)[0]
    return line.rstrip(" .,;:")


def end_of_sentences(text: str, count: int) -> int | None:
    """Return where the `count`-th sentence ends, in characters; None where there are fewer, or nothing follows.

    What has fewer than four words ("How nice!", "1.") goes with the next one.
    """
    begin = 0
    for match in _SENTENCE_END.finditer(text):
        if len(text[begin : match.end()].split()) >= _WORDS_OF_A_SENTENCE:
            count, begin = count - 1, match.end()
            if count == 0:
                return begin
    return None


def words(text: str) -> list[str]:
    """Return the folded words that say something; all of them when none does."""
    found = _WORD.findall(fold(text))
    return [word for word in found if word not in _FILLER] or found


def stem(word: str) -> str:
    """Return a word without the ending of a Spanish or English plural; a prefix of its singular too.

    Not snowballstemmer, measured in November 2026: it answered no more of the 60 questions of `make bench`, took
    3 MB, 26 to 86 ms at start and 200 µs for a word in two languages (this: less than one), and makes one word
    of "casa" and "caso".
    """
    if len(word) >= _SHORTEST_PLURAL + 1 and word.endswith("es"):
        return word[:-2]
    return word[:-1] if len(word) >= _SHORTEST_PLURAL and word.endswith("s") else word


def have_one_stem(one: str, other: str) -> bool:
    """Tell whether two folded words may be forms of one: "candle" and "candles", "trabajo" and "trabajamos"."""
    if stem(one) == stem(other):
        return True
    shared = max(_SHORTEST_STEM, min(len(one), len(other)) - _LONGEST_ENDING)
    return one[:shared] == other[:shared] and min(len(one), len(other)) >= shared


def each_thing(said: Sequence[str], limit: int) -> list[str]:
    """Return what is listed one by one: "bread, tomatoes and salt" are three, however they came; none twice.

    "Half and half" is one.
    """
    split = (part for one in said for part in _BETWEEN.split(_TWICE.sub(_bound, one)))
    parts = [one_line(clean(part.replace(_BOND, " ")).strip(" .!¡?¿"), limit) for part in split]
    return list({fold(part): part for part in parts if part}.values())


def _bound(twice: re.Match[str]) -> str:
    return twice[0].replace(" ", _BOND)


def points_back(text: str) -> bool:
    """Tell whether a text names nothing, but points to what was just done: "that one", "la última", nothing.

    A symbol names something: "🎉".
    """
    has_symbol = any(unicodedata.category(char).startswith("S") for char in text)
    return not has_symbol and set(_WORD.findall(fold(text))) <= _POINTING


def says_last(text: str) -> bool:
    """Tell whether the words ask for the newest there is."""
    return not COMMON_WORDS["newest"].isdisjoint(_WORD.findall(fold(text)))


def said_number(text: str) -> int | None:
    """Return the number in "3", "#3", "note 3" or "la nota 3"; None where there is more to it."""
    match = _NUMBER.fullmatch(fold(text))
    return int(match[1]) if match else None


def pick(
    wanted: str,
    items: Sequence[T],
    *,
    kind: str,
    line: Callable[[T], str],
    shortest_prefix: int = _CAUTIOUS_PREFIX,
) -> T:
    """Return the one item that was asked for: by number, else name, else words of its text.

    Whole words win over beginnings of words. Those count from `shortest_prefix` letters on, because a
    wrong guess may delete something. `line` shows an item; `kind` is the English noun.

    Raises:
        Unmatched: none or several match; the sentence lists what there is to choose from.
    """
    found = _matching(wanted, items, shortest_prefix)
    if len(found) == 1:
        return found[0]
    said = one_line(wanted, 60)
    near = found[:_LISTED] or _nearest(wanted, items)
    shown = "\n".join(line(item) for item in near)
    if found:
        code, detail = f"{kind}_ambiguous", f'{len(found)} {kind}s match "{said}". Ask which one:\n{shown}'
    else:
        hint = f" The nearest:\n{shown}" if shown else ""
        code, detail = f"{kind}_unknown", f'No {kind} matches "{said}".{hint}'
    choices = tuple(f"{item.number}. {one_line(item.name, 60)}" for item in near)
    raise Unmatched(code, detail, wanted=said, choices=choices, fits=bool(found))


def _matching(wanted: str, items: Sequence[T], shortest_prefix: int) -> list[T]:
    number = said_number(wanted)
    asked = words(wanted)
    rungs: tuple[Callable[[T], bool], ...] = (
        lambda item: number is not None and item.number == number,
        lambda item: fold(item.name) == fold(wanted),
        lambda item: bool(asked) and words(item.name) == asked,
        lambda item: bool(asked) and set(asked) <= set(_WORD.findall(fold(item.text))),
        lambda item: bool(asked) and _begins_all(asked, _WORD.findall(fold(item.text)), shortest_prefix),
        lambda item: not asked and bool(wanted) and wanted in item.text,  # an emoji, say
    )
    for rung in rungs:
        if found := [item for item in items if rung(item)]:
            return found
    return []


def _begins_all(asked: Sequence[str], present: Sequence[str], shortest_prefix: int) -> bool:
    return all(
        any(word == other or (len(word) >= shortest_prefix and other.startswith(word)) for other in present)
        for word in asked
    )


def _nearest(wanted: str, items: Sequence[T]) -> list[T]:
    asked = [stem(word) for word in words(wanted)]

    def score(item: T) -> int:
        present = _WORD.findall(fold(item.text))
        return sum(any(other.startswith(word) for other in present) for word in asked)

    # A stable sort: among equals the order of the caller (newest first) decides.
    return sorted(items, key=score, reverse=True)[:_NEAREST]
