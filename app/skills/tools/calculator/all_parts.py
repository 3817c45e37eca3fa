"""What one of several gets of an amount, where the others get parts of it, and one the rest: "we made 900, half is
mine, 20% Ann's and the rest Leo's, what does Leo get"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.language.lexicon import STOP_WORDS
from app.skills.tools.calculator.lexicon import PHRASES, TOLD_WISHES, WORDS
from app.skills.tools.calculator.spoken import NUMBER, PERCENT_SIGN, WORD, has_word, says

_CLAUSE: Final = re.compile(r"(?:(?! (?:and|y|e) )(?:[^,;:.!?]|[.,](?=\d)))++")
_PARTS: Final = MappingProxyType(
    {"two_thirds": "2 / 3", "three_quarters": "3 / 4", "half": "1 / 2", "third": "1 / 3", "quarter": "1 / 4"}
    | {"fifth": "1 / 5", "tenth": "1 / 10"}
)
_SELF: Final = frozenset({"-"})


@dataclass(frozen=True, slots=True)
class _Clause:
    """Who gets what: `part` is "40%" or "1 / 3", "" for the rest."""

    who: frozenset[str]
    part: str


def read_all_parts(text: str) -> str | None:
    """Return the calculation of what the one gets who is asked for; None where a message asks anything else."""
    if not says(text, "all_parts.rest") or not says(text, "all_parts.asks") or has_word(text, *TOLD_WISHES):
        return None
    text = text.replace(": ", ", ")
    whole = [one for one in NUMBER.finditer(text) if PERCENT_SIGN.match(text, one.end()) is None]
    asking = list(PHRASES["all_parts.asks"].finditer(text))[-1]
    told = list(_clauses(text[: asking.start()]))
    shares, rests = [one for one in told if one.part], [one for one in told if not one.part]
    if len(whole) != 1 or not shares or len(rests) > 1 or whole[0].start() > asking.start():
        return None
    asked = text[asking.start() :]
    who = _names(asked)
    meant = [one for one in told if one.who & who]
    if says(asked, "all_parts.rest"):
        return _of_rest(whole[0]["number"], shares)
    if len(meant) != 1:
        return None
    part = meant[0].part
    if not part:
        return _of_rest(whole[0]["number"], shares)
    return f"{part} of {whole[0]['number']}" if part.endswith("%") else f"{whole[0]['number']} * {part}"


def _of_rest(whole: str, shares: list[_Clause]) -> str:
    if all(one.part.endswith("%") for one in shares):
        return f"{whole} * (100 - {' - '.join(one.part[:-1] for one in shares)})%"
    parts = (f"{one.part[:-1]} / 100" if one.part.endswith("%") else one.part for one in shares)
    return f"{whole} * (1 - {' - '.join(parts)})"


def _clauses(text: str) -> Iterator[_Clause]:
    for found in _CLAUSE.finditer(text):
        said = found[0]
        percents = [one["number"] for one in NUMBER.finditer(said) if PERCENT_SIGN.match(said, one.end())]
        parts = [part for name, part in _PARTS.items() if says(said, f"all_parts.{name}")]
        if percents or parts:
            yield _Clause(_names(said), f"{percents[0]}%" if percents else parts[0])
        elif says(said, "all_parts.rest"):
            yield _Clause(_names(said), "")


def _names(said: str) -> frozenset[str]:
    """Return the words that may name somebody; "-" is who writes."""
    found = WORD.findall(said)
    own = frozenset() if WORDS["all_parts.self"].isdisjoint(found) else _SELF
    beside = STOP_WORDS | WORDS["around"] | WORDS["all_parts.beside"]
    return own | {one for one in found if one not in beside and not one[0].isdigit()}
