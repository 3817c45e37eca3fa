"""Who asks for a number that they told: how many years, months, boxes "did I say"."""

import re
from types import MappingProxyType
from typing import Final

from app.domain.wording import fold, stem
from app.language.late import LatePattern
from app.language.lexicon import STOP_WORDS
from app.pipeline.lexicon import WORDS, asks_for_kept, wants_done
from app.pipeline.lexicon.told import SAME, is_number

UNITS: Final = MappingProxyType(
    {word: f"{name}unit" for name, said in WORDS.table("counted").items() for word in said}
)
"""One word for each unit that is counted in, however it is written: "yrs", "años"."""
_ASKING: Final = LatePattern(rf"(?<!\w){WORDS.pattern('asks_how_many')} (?P<rest>[^?.;,!]{{2,120}})")
_BY_ME: Final = LatePattern(rf"(?<!\w){WORDS.pattern('told_by_me')}(?!\w)")
_TO_OTHERS: Final = LatePattern(rf"(?<!\w){WORDS.pattern('told_to_others')}(?!\w)")
_OTHERS: Final = LatePattern(rf"(?<!\w){WORDS.pattern('others_think')}(?!\w)")
_NO_BEINGS: Final = frozenset(f"{one}kind" for one in WORDS["no_beings"])
_TOKEN: Final = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_]+")
_UNIT_WITHIN: Final = 4
_MOST_CHARS: Final = 160


def asks_number_told(text: str) -> bool:
    """Tell whether a text asks for a number that its author told, which is no sum and nothing kept."""
    return asked_number(text) is not None and not asks_for_kept(text) and not wants_done(text)


def asked_number(text: str) -> tuple[str, frozenset[str]] | None:
    """Return what a text asks back that its author told, as one word for it, and the words of that question.

    None where it asks for none, gives a number itself ("how many boxes did I say for 48 jars"), or asks how often.
    """
    folded = fold(text)
    if _BY_ME.search(folded) is None or (found := _ASKING.search(folded)) is None:
        return None
    rest = found["rest"]
    others = _OTHERS.search(rest)
    rest = rest if others is None else rest[: others.start()]
    # "How many years was it, what I told you": who told may stand behind the question, but in no other sentence.
    begin = found.start()
    asked = folded[begin : begin + _MOST_CHARS]
    if _BY_ME.search(asked) is None or _TO_OTHERS.search(asked) is not None:
        return None
    said = _TOKEN.findall(rest)
    unit = next((unit_of(one) for one in said[:_UNIT_WITHIN] if one in UNITS), "") or _thing(said)
    if not unit or any(map(is_number, said)) or not WORDS["no_number_told"].isdisjoint(said[:_UNIT_WITHIN]):
        return None
    return unit, frozenset(said)


def _thing(said: list[str]) -> str:
    """Return the stem of what stands right behind "how many"; "" where that is no thing."""
    first = next(iter(said), "")
    is_thing = first and first not in STOP_WORDS and not _BY_ME.match(" ".join(said))
    return unit_of(first) if is_thing else ""


def unit_of(word: str) -> str:
    return UNITS.get(word) or SAME.get(word) or stem(word)


def tells_number_of(text: str, unit: str) -> bool:
    """Tell whether a text holds a number of such units: "23 years", "14 meses", "6 brown hens"."""
    said = _TOKEN.findall(fold(text))
    return any(
        (one[0].isdigit() or is_number(one)) and unit in map(unit_of, said[place + 1 : place + 3])
        for place, one in enumerate(said)
    )


def kinds_in(said: frozenset[str]) -> frozenset[str]:
    """Return for which people and animals there is a word in what is said."""
    kinds = (SAME.get(one, f"{stem(one)}kind") for one in said if one in SAME or one in WORDS["kinds_apart"])
    return frozenset(kinds) - _NO_BEINGS
