"""One number times another among other words: "do 85 times 19 for me, it's for the wages"."""

import re
from types import MappingProxyType
from typing import Final

from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS, STOP_WORDS
from app.language.slips import slips
from app.skills.tools.calculator.lexicon import BEFORE, NO_SUM, PHRASES, WORDS
from app.skills.tools.calculator.measures import unit_named
from app.skills.tools.calculator.spoken import NUMBER, PERCENT_SIGN, WORD, has_number, has_word, says, wishes

_PAIR: Final = 2
_FEW: Final = 2
# What stands between the numbers behind each order: "multiply 8 and 7", but not "work out 8 and 7".
_BETWEEN: Final = MappingProxyType(
    {"multiplied.order": "multiplied.by", "multiplied.multiply": "multiplied.joined"}
)
_ORDERS: Final = tuple(_BETWEEN)
_ASKING: Final = COMMON_WORDS["interrogatives"]
_LEADS: Final = (*_ORDERS, "multiplied.asks")
_SLIP: Final = 1
_FEW_QUIET: Final = 4
_WORDS_OF_IT: Final = re.compile(r" ?(?:[^\W\d_]++ ?){1,4}|[x*]| [x*] ")
_REASON: Final = LatePattern(
    rf"[ ,.;:]{{0,2}}(?:{COMMON_WORDS.pattern('giving_reason')}|{WORDS.pattern('told.says_why')}"
    rf"|{WORDS.pattern('told.tells')})(?!\w)"
)


def read_multiplied(text: str) -> str | None:
    """Return the product that a message asks for right before or behind it; None for any other message.

    What is counted may have its name ("27 crates times 16"), and the word between may have a slip. "A 3 by 4 rug"
    asks for nothing.
    """
    found = list(NUMBER.finditer(text))
    if (
        len(found) != _PAIR
        or has_word(text, *NO_SUM, "periods")
        or any(PERCENT_SIGN.match(text, one.end()) for one in found)
    ):
        return None
    first, second = found
    before, between = text[: first.start()], text[first.end() : second.start()]
    led = {one: lead for one in _LEADS if (lead := BEFORE[one].search(before))}
    order = next((one for one in _ORDERS if one in led), "")
    story = before[: min((one.start() for one in led.values()), default=len(before))]
    if not _multiplies(between, order) or _asks_else(story):
        return None
    behind = _without_name(text[second.end() :])
    if not led:
        asking = PHRASES["multiplied.asks_behind"].match(behind)
        if asking is None or _unknown(before):
            return None
        behind = behind[asking.end() :]
    return f"{first['number']} * {second['number']}" if _is_free(behind) else None


def _asks_else(story: str) -> bool:
    """Whether what stands before a product asks or wishes something of its own."""
    return bool(_unknown(story)) and (wishes(story) or not _ASKING.isdisjoint(WORD.findall(story)))


def _without_name(behind: str) -> str:
    """Return what stands behind a number, without the name of what it counts: "16 apples", "50 kilos"."""
    plain = behind.lstrip(" ,")
    named = WORD.match(plain) if behind.startswith(" ") else None
    if named is None or not _unknown(named[0]) or _REASON.match(plain):
        return plain
    is_name = named[0].endswith("s") or unit_named(named[0]) != ""
    return plain[named.end() :].lstrip(" ,") if is_name else plain


def _multiplies(between: str, order: str) -> bool:
    """Whether what stands between two numbers multiplies them, with at most two words for what is counted."""
    if _WORDS_OF_IT.fullmatch(between) is None:
        return False
    said = PHRASES[_BETWEEN.get(order, "multiplied.times")].search(between.strip())
    if said is not None:
        names = [*WORD.findall(between.strip()[: said.start()]), *WORD.findall(between.strip()[said.end() :])]
        return len(names) <= _FEW and STOP_WORDS.isdisjoint(names)
    words = WORD.findall(between)
    is_slip = len(words) == 1 and words[0] not in STOP_WORDS | WORDS["around"] and not unit_named(words[0])
    return is_slip and any(slips(words[0], one) == _SLIP for one in WORDS["multiplied.words"])


def _is_free(behind: str) -> bool:
    """Whether what follows asks or wishes nothing: courtesy, or why it is asked."""
    if has_number(behind) or says(behind, "told.sum_goes_on"):
        return False
    unknown = _unknown(behind)
    if not unknown:
        return True
    reasons = (_REASON.match(behind, at) for at in (0, *(one.end() for one in WORD.finditer(behind)))[:_FEW_QUIET])
    reason = next(filter(None, reasons), None)
    return reason is not None and not _unknown(behind[: reason.start()]) and not wishes(behind)


def _unknown(text: str) -> list[str]:
    known = WORDS["around"] | WORDS["multiplied.quiet"]
    return [word for word in WORD.findall(text) if word not in known]
