"""Questions that name nothing but what a note may hold: "¿a qué hora llegaba?", "what was the price again?"."""

import re
from collections.abc import Sequence
from typing import Final

from app.domain.wording import fold, stem, words
from app.language.lexicon import COMMON_WORDS, STOP_WORDS
from app.skills.named_things import asked_about
from app.skills.picking.lexicon import PICKING
from app.skills.tools.notes.lexicon import AGAIN, AND_THAT, ASKS_WHETHER, BRING, POLITE_END, TOLD_YOU, WORDS

_MAX_CHARS: Final = 120
_MOST_RECALLED: Final = 300
_LONG_NUMBER: Final = re.compile(r"(?<![\w.,])\d{3,9}(?![\w.,]\d)")
_WORD: Final = re.compile(r"\w+")
_PART: Final = re.compile(r"[,.;!\n]")
_ATTRIBUTED: Final = frozenset(
    map(stem, WORDS["attributes"] | WORDS["recalled"] | WORDS["of_them"] | WORDS["beside"])
)
_OF_THE_CLOCK: Final = frozenset(map(stem, WORDS["now_known"]))
_EMPTY: Final = (
    STOP_WORDS
    | COMMON_WORDS["interrogatives"]
    | WORDS["attributes"]
    | WORDS["recalled"]
    | WORDS["tell_me"]
    | WORDS["beside"]
)


def asks_only_what_was_said(text: str) -> bool:
    """Tell whether a message asks, by interrogatives and what a note may hold only, for what was said before.

    "What time is it?" asks for what is now: one of the past ("era", "did"), "again", or a person without a name
    ("what does he charge?") must stand there.
    """
    if len(text) > _MAX_CHARS:
        return False
    folded = " ".join(_WORD.findall(fold(text).replace("'", "")))
    is_again = AGAIN.search(folded) is not None
    said = _WORD.findall(AGAIN.sub(" ", folded))
    asks = not COMMON_WORDS["interrogatives"].isdisjoint(said)
    tells = not WORDS["tell_me"].isdisjoint(said) and not WORDS["attributes"].isdisjoint(said)
    is_of_it = is_again or not (WORDS["recalled"] | WORDS["of_them"]).isdisjoint(said)
    return set(said) <= _EMPTY and (asks or tells) and is_of_it


def asks_number(text: str) -> bool:
    """Tell whether a question is for a number: a note without one does not answer it."""
    return not WORDS["asks_number"].isdisjoint(_WORD.findall(fold(text)))


def asked_in_part(text: str) -> set[str]:
    """Return the stems of what a text asks about, or its first part that asks: "I'm here, what was the code"."""
    return asked_about(text) or next((found for one in _PART.split(text) if (found := asked_about(one))), set())


def is_answered(asked: set[str], content: str) -> bool:
    """Tell whether a note may answer a question about these stems: it has a word of it that names something, and
    most others; where only what a note may hold is asked for, that. What time it is, no note tells."""
    present = set(map(stem, words(content)))
    naming = asked - _ATTRIBUTED
    if not naming:
        return bool(asked) and asked <= present and asked.isdisjoint(_OF_THE_CLOCK)
    lacking = naming - present
    return lacking < naming and len(lacking) <= max(1, len(naming) // 2)


def recalls(text: str) -> bool:
    """Tell whether somebody asks for what they told: "where did I say …", "… again?"."""
    is_it = TOLD_YOU.search(_flat(text)) is not None or AGAIN.search(_flat(text)) is not None
    return is_it and bool(asked_in_part(text))


def asks_whether(text: str) -> str:
    """Return the number by which a question names what it asks about, "is cow 218 in calf or not"; else ""."""
    said = _flat(text)
    numbers = _LONG_NUMBER.findall(said)
    is_asked = ASKS_WHETHER.search(said) is not None or text.rstrip().endswith("?")
    return numbers[0] if is_asked and len(numbers) == 1 else ""


def whether_in(text: str, contents: Sequence[str]) -> int | None:
    """Return which of some notes such a question is about: the only one with the number, and with a word of it."""
    number = asks_whether(text)
    found = [place for place, one in enumerate(contents) if number and number in _LONG_NUMBER.findall(one)]
    shared = set(map(stem, words(text))) & set(map(stem, words(contents[found[0]]))) if len(found) == 1 else set()
    return found[0] if shared - {number} else None


def _flat(text: str) -> str:
    return " ".join(fold(text[:_MOST_RECALLED]).split())


def recalled_in(text: str, contents: Sequence[str]) -> int | None:
    """Return which of some notes holds what a question `recalls`; None where none does, or several fit as well."""
    is_told, asked = TOLD_YOU.search(_flat(text)) is not None, asked_in_part(text)
    found = (
        _recalls(text, asked, one, is_told=is_told) and asked & set(map(stem, words(one))) for one in contents
    )
    shares = [len(one or ()) for one in found]
    best = max(shares, default=0)
    return shares.index(best) if best and shares.count(best) == 1 else None


def _recalls(text: str, asked: set[str], content: str, *, is_told: bool) -> bool:
    naming = asked - _ATTRIBUTED
    # "What's the capital of France again?" is no question about the hotel in France.
    is_whole = is_told or naming <= set(map(stem, words(content)))
    has_number = not asks_number(text) or any(map(str.isdigit, content))
    return bool(naming) and is_whole and has_number and is_answered(asked, content)


def wants_brought(text: str) -> bool:
    """Tell whether somebody wants to have something before them that may have been kept."""
    return BRING.match(_flat(text)) is not None


def brought_in(text: str, contents: Sequence[str]) -> int | None:
    """Return which of some notes, newest first, somebody wants to have before them: the only one with all words of
    it. "That code again", which names nothing but what a note may hold, means the newest.
    """
    wish = BRING.match(_flat(text))
    if wish is None:
        return None
    said = set(words(AGAIN.sub(" ", wish["what"]))) - WORDS["beside"] - WORDS["titles"]
    wanted = set(map(stem, said))
    found = [place for place, one in enumerate(contents) if wanted and wanted <= set(map(stem, words(one)))]
    return found[0] if len(found) == 1 or (found and wanted <= _ATTRIBUTED) else None


def adds_to_the_note(text: str) -> bool:
    """Tell whether such words name the note: "and add to the note that …", whatever was done since it was kept."""
    opening = AND_THAT.match(" ".join(text.split()).lower())
    return opening is not None and not PICKING["note_words"].isdisjoint(_WORD.findall(fold(opening[0])))


def read_more(text: str) -> str:
    """Return what "and that …" says behind these words; "" where a message asks, wishes, or begins otherwise."""
    flat = " ".join(text.split())
    opening = AND_THAT.match(flat.lower())
    if opening is None or "?" in flat or len(flat) > _MAX_CHARS:
        return ""
    more = POLITE_END.sub("", flat[opening.end() :]).strip()
    first = next(iter(_WORD.findall(fold(more))), "")
    is_put = not WORDS["puts_more"].isdisjoint(_WORD.findall(fold(opening[0])))
    blocked = WORDS["no_more"] - WORDS["begins_more"] if is_put else WORDS["no_more"]
    return "" if not first or first in blocked else more
