"""Who asks back for what they told: which bus, with whom, in what colour "did I say"; and what answers that."""

import re
from collections.abc import Set
from types import MappingProxyType
from typing import Final, NamedTuple

from app.domain.wording import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.pipeline.lexicon import WORDS, asks_for_kept, led_in, wants_draft
from app.pipeline.lexicon.told import is_number

_KINDS: Final = ("numbered", "amount", "score", "colour", "side", "language", "day")
_KIND_OF: Final = MappingProxyType({word: kind for kind in _KINDS for word in WORDS[f"retold.{kind}"]})
_TOLD_AS: Final = MappingProxyType(
    {
        "colour": WORDS["retold_told.colour"] | COMMON_WORDS["colours"],
        "side": WORDS["retold_told.side"] | COMMON_WORDS["sides"],
        "language": WORDS["retold_told.language"],
        "day": WORDS["retold_told.day"] | COMMON_WORDS["days"],
    }
)
_GATE: Final = WORDS["retold.gate"]


def _asks() -> str:
    return rf"(?P<before>{WORDS.pattern('retold.before_asks')} )?(?P<asks>{WORDS.pattern('retold.asks')})"


def _by_me() -> str:
    told = WORDS.pattern("retold.told_by_me")
    return rf"(?:(?P<asked>{WORDS.pattern('retold.asked_by_me')})|{told})(?!\w)"


_ASKED_BACK: Final = LatePattern(rf"(?<!\w){_asks()}(?P<between> [^?.;!\n]{{0,70}}?)?? {_by_me()}", flags=0)
_REMINDING: Final = LatePattern(
    rf"(?<!\w)(?P<lead>{WORDS.pattern('retold.reminding')})[,:]? {_asks()}(?P<between>)(?!\w)", flags=0
)
_AGAIN: Final = LatePattern(
    rf"(?<!\w){_asks()}(?P<between>(?:'s)? [^?.;!,\n]{{1,70}}?),? {WORDS.pattern('retold.again')}\W{{0,9}}\Z",
    flags=0,
)
"""What somebody knew before is asked for once more: "what's he allergic to again"."""
_LED_IN: Final = LatePattern(rf"(?:\A|[,.;:!?¿¡(\n…-]) ?(?:y |and )?{led_in()}\Z", flags=0)
_OTHERWISE: Final = LatePattern(rf"(?<!\w){WORDS.pattern('retold.no_asking_back')}(?!\w)", flags=0)
_TO_OTHERS: Final = LatePattern(rf"(?<!\w){WORDS.pattern('told_to_others')}(?!\w)", flags=0)
_REMINDING_LEAD: Final = LatePattern(
    rf"(?<!\w)(?:{WORDS.pattern('retold.reminding')}|{WORDS.pattern('retold.tell_me')})\W{{0,3}}\Z", flags=0
)
_END: Final = re.compile(r"[?.;!,\n]")
_WORD: Final = re.compile(r"[^\W\d_]+")
_TOKEN: Final = re.compile(r"\w+")
_TO_DO: Final = re.compile(r" (?:to|\w{1,12}[aei]r)(?!\w)")
_SCORE: Final = re.compile(r"(?<![\w:])\d{1,3} ?(?:[-–:]|a|to|all|x) ?\d{0,3}(?![\w:])")
_NAME: Final = re.compile(r"(?<=[^\W_] )[A-ZÀ-ÖØ-Þ][\w-]*")
_MOST_CHARS: Final = 600
_WITHIN: Final = 4
_NEAR: Final = 80
_LEAST_OF_A_NUMBER: Final = 4


class AskedBack(NamedTuple):
    """What is asked back: the words of that question without who told it, and of which `kind` the answer is.

    `is_told`: it says that its author told that, as "remind me which bus it was" does not. `is_again`: it is asked
    of somebody once more.
    """

    question: str
    kind: str
    is_told: bool
    own_words: frozenset[str]
    is_again: bool = False


def asked_back(text: str) -> AskedBack | None:
    """Return what a text asks for that its author told; None where it asks for nothing told, or for advice, for
    what was said to it or to others, or for what is kept in a list."""
    folded = fold(text)
    if len(text) > _MOST_CHARS or len(folded) != len(text) or _GATE.isdisjoint(_WORD.findall(folded)):
        return None
    found = next((one for one in _ASKED_BACK.finditer(folded) if _is_asked(one, text, folded)), None)
    is_told = found is not None
    found = found or _REMINDING.search(folded)
    again = None if found is not None else _AGAIN.search(folded)
    found = found or again
    if found is None or asks_for_kept(text) or wants_draft(text) or _is_otherwise(found, folded):
        return None
    end = _END.search(folded, found.end())
    behind = "" if again is not None else text[found.end() : len(text) if end is None else end.start()]
    between = text[found.start("between") : found.end("between")] if found["between"] else ""
    question = " ".join(f"{text[found.start('asks') : found.end('asks')]}{between} {behind}".split())
    said = _TOKEN.findall(fold(question))
    kind = next((_KIND_OF[one] for one in said[:_WITHIN] if one in _KIND_OF), "")
    is_again = again is not None and not WORDS["retold.of_whom"].isdisjoint(said)
    return AskedBack(question, kind, is_told, frozenset(said), is_again) if is_again or again is None else None


def opens_asking(told: str) -> bool:
    """Tell whether a message asks though it has no mark: its first word asks, and joins nothing."""
    first = next(iter(_TOKEN.findall(fold(told))), "")
    return first in COMMON_WORDS["interrogatives"] - WORDS["retold.subordinate"]


def _is_otherwise(found: re.Match[str], folded: str) -> bool:
    between = found["between"] or ""
    is_reason = (found["before"] or "").strip() in WORDS["retold.why_before"]
    is_why = is_reason and found["asks"] in WORDS["retold.why_asks"] and not between
    is_to_do = _TO_DO.match(folded, found.start("between")) if between else _TO_DO.match(folded, found.end())
    is_to_others = _TO_OTHERS.search(folded, found.start(), found.end() + 60) is not None
    return is_why or is_to_others or is_to_do is not None or _OTHERWISE.search(between) is not None


def _is_asked(found: re.Match[str], text: str, folded: str) -> bool:
    """Tell whether words of asking ask, and do not only join: "cuando te dije que no, se enojó"."""
    near = max(0, found.start() - _NEAR)
    is_led_in = _LED_IN.search(folded, near, found.start()) is not None
    is_reminding = _REMINDING_LEAD.search(folded, near, found.start()) is not None
    end = _END.search(folded, found.end())
    is_marked = (end is not None and end[0] == "?") or "¿" in text[: found.start() + 1]
    asks = text[found.start("asks") : found.end("asks")]
    is_inverted = found.groupdict().get("asked") is not None
    is_free = is_inverted or is_led_in or is_reminding
    if is_free and (is_marked or asks.casefold() != found["asks"]):
        return True
    if found["asks"] in WORDS["retold.subordinate"] and not found["before"]:
        return is_led_in and is_reminding
    return is_inverted and (is_led_in or bool(found["before"]) or found["asks"] not in WORDS["retold.subordinate"])


def holds_kind(told: str, kind: str) -> bool:
    """Tell whether a text holds what is asked for by such a kind: a score, a colour, a side."""
    said = _TOKEN.findall(fold(told))
    if kind == "score":
        return _SCORE.search(fold(told)) is not None
    if kind == "numbered":
        is_counted = any(one[0].isdigit() or (len(one) >= _LEAST_OF_A_NUMBER and is_number(one)) for one in said)
        return is_counted or _NAME.search(told) is not None
    is_dated = kind in {"day", "amount"} and any(one[0].isdigit() or is_number(one) for one in said)
    return is_dated or not _TOLD_AS.get(kind, frozenset()).isdisjoint(said)


def kinds_called(kind: str) -> Set[str]:
    """Return by which words it is asked for such a kind: these need not stand in what was told."""
    return WORDS[f"retold.{kind}"]
