"""How much of one thing on a list there is to be after all: "just one melon in the end"."""

from collections.abc import Sequence
from typing import Final

from app.domain.wording import stem
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, is_content, tokens_of
from app.skills.tools.lists.lexicon import UNITS, WORDS
from app.skills.tools.lists.repository import Item
from app.skills.tools.lists.strung import is_measure

_MOST_WORDS: Final = 14
_ONE: Final = WORDS["counts"] | frozenset({"1", "one", "uno"})
_NUMBERS: Final = _ONE | WORDS["whole_numbers"]
_BESIDE: Final = WORDS["recounting"] | WORDS["counted_beside"] | PICKING["determiners"] | PICKING["opening"]


def read_recounted(text: str, items: Sequence[Item]) -> tuple[str, str] | None:
    """Return what one of the items is to be called from now on, and what it is called; None where a message says
    anything else than how many of it there are to be."""
    words = tokens_of(text)
    is_denied = any(one.key in PICKING["denying"] for one in words)
    if not 1 < len(words) <= _MOST_WORDS or is_denied or "?" in text:
        return None
    each = [(one, _named(words, tokens_of(one.text))) for one in items]
    found = [(one, said) for one, said in each if said]
    if len(found) != 1 or WORDS["recounting"].isdisjoint(one.key for one in words):
        return None
    [(item, said)] = found
    rest = [one for one in words if one not in said]
    numbers = [one for one in rest if one.key.isdecimal() or one.key in _NUMBERS]
    # "Una" of "una sola" is the number, "la" of "la acelga" none.
    numbers = numbers if len(numbers) == 1 else [one for one in numbers if one.key not in WORDS["counts"]]
    beside = [one for one in rest if one not in numbers]
    if len(numbers) == 1 and words[words.index(numbers[0]) - 1].key in WORDS["leads_size"]:
        return None  # "La malla que sea de 6"
    if len(numbers) != 1 or any(one.key not in _BESIDE for one in beside):
        return None
    number = text[numbers[0].start : numbers[0].end]
    core = _core(item.text)
    # One is of what is called so in the singular.
    is_one = numbers[0].key in _ONE
    thing = " ".join(text[one.start : one.end] for one in said) if is_one else core
    new = f"{number} {thing}"
    return (new, item.text) if core and new != item.text else None


def may_measure(text: str) -> bool:
    """Tell whether a text names a measure: else what was just put need not be looked for."""
    return any(one.key in UNITS for one in tokens_of(text)[:_MOST_WORDS])


def read_measured(text: str, put: Sequence[str], of: str) -> tuple[str, str] | None:
    """Return what the only thing that was just put is to be called, by an amount alone: "make it 2 bags"."""
    words = tokens_of(text)
    core = _core(put[0]) if len(put) == 1 and "?" not in text and len(words) <= _MOST_WORDS else ""
    at = next((n for n, one in enumerate(words) if one.key.isdecimal() or one.key in _NUMBERS), 0)
    if not core or not 0 < at < len(words) - 1 or words[at + 1].key not in UNITS:
        return None
    lead, behind = words[:at], words[at + 2 : at + 3]
    is_end = not behind or behind[0].is_cut or behind[0].key in PICKING["closing"]
    is_wish = not WORDS["recounting"].isdisjoint(one.key for one in lead)
    if not is_end or not is_wish or any(one.key not in _BESIDE | PICKING["relative"] for one in lead):
        return None
    return f"{text[words[at].start : words[at + 1].end]} {of} {core}", put[0]


def _named(words: Sequence[Token], item: Sequence[Token]) -> list[Token]:
    """Return the words that name an item: all of its own but the amount."""
    own = {stem(one.key) for one in item if _is_name(one)}
    said = [one for one in words if stem(one.key) in own]
    return said if own and own == {stem(one.key) for one in said} else []


def _is_name(one: Token) -> bool:
    return is_content(one.key) and one.key not in _NUMBERS and not is_measure(one)


def _core(item: str) -> str:
    """Return an item without the bare number before it; "" of one with a measure: "2 kilos de pan"."""
    words = tokens_of(item)
    if any(one.key in UNITS for one in words):
        return ""
    begin = int(len(words) > 1 and is_measure(words[0]))
    return item[words[begin].start :]
