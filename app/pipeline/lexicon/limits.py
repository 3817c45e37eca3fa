"""What nothing here can do: which kind of it a message names, or surely asks for."""

import re
from collections.abc import Collection, Iterator
from typing import Final, Literal

from app.domain.wording import fold
from app.language.late import LatePattern
from app.pipeline.lexicon import REMINDING, WORDS, asks_for_kept, led_in

Kind = Literal["reach", "pay", "live", "control", "see"]
"""What nothing here can do: reach others; pay, order; live news, scores, prices; devices and music; see, find."""
_KINDS: Final[tuple[Kind, ...]] = ("reach", "pay", "live", "control", "see")
_LIMITS: Final = tuple((kind, LatePattern(WORDS.pattern(f"limits.{kind}"))) for kind in _KINDS)
_LETTERS: Final = re.compile(r"[^\W\d_]+")


def _beginning() -> str:
    """Return a pattern for where a clause begins, with a greeting and what may stand before a wish."""
    return rf"(?:^|[,.;:!?¿¡–-]) ?(?:{WORDS.pattern('greeting')}\W+){{0,3}}{led_in()}"


def _surely() -> Iterator[tuple[Kind, LatePattern]]:
    """Yield what is surely asked for: orders wherever they stand, the rest where a clause begins."""
    asked = "".join(rf"(?<!\b{one} )" for one in sorted(WORDS["not_asked_behind"]))  # as others said
    yield "pay", LatePattern(rf"{asked}{WORDS.pattern('anywhere.pay')}")
    yield "control", LatePattern(rf"{asked}{WORDS.pattern('anywhere.control')}")
    for kind in _KINDS:
        if WORDS.phrases(f"surely.{kind}"):
            yield kind, LatePattern(rf"{_beginning()}(?P<asked>{WORDS.pattern(f'surely.{kind}')})")


_SURELY: Final = tuple(_surely())
_URGES: Final = LatePattern(
    rf"^\W{{0,3}}{led_in()}{WORDS.pattern('surely.urging')}[,.:;!]? (?={WORDS.pattern('asks_surely')}|¿)"
)
_PUTS_RIGHT: Final = LatePattern(rf"(?:[,.;!]| (?:y|and|so)) {WORDS.pattern('surely.putting_right')}\W{{0,9}}$")
_RECALLS: Final = LatePattern(
    rf"^\W{{0,3}}(?:{WORDS.pattern('greeting')}\W+){{0,3}}{WORDS.pattern('surely.recalling')}(?!\w)"
)
_OF_THINGS_HERE: Final = LatePattern(
    rf"^\W{{0,3}}{led_in()}{WORDS.pattern('surely.changing_these')}(?!\w)"
    rf"(?![^.;!?\n]{{0,60}}(?<!\w){WORDS.pattern('surely.of_others')})"
)
_KEPT_LAST: Final = LatePattern(
    rf"(?<=\w)[,.;:!]? (?:(?:and|y|so) )?{WORDS.pattern('surely.kept_last')}\W{{0,4}}$"
)
_NOT_LIVE: Final = WORDS["not_live"]
_MOST_ASKED, _MOST_NAMED = 160, 400


def kind_named(text: str, among: Collection[Kind] = _KINDS) -> Kind | None:
    """Tell which kind of thing that nothing here can do a text names first; the longest that begins there."""
    said = " ".join(text[:_MOST_NAMED].split())
    found = [
        (one.start(), -one.end(), kind)
        for kind, pattern in _LIMITS
        if kind in among and (one := pattern.search(said)) is not None
    ]
    return min(found)[2] if found else None


def kind_asked(text: str, *, opens: bool = False) -> Kind | None:
    """Tell which kind of thing that nothing here can do a text surely asks for, or `opens` with; a long one so."""
    said = " ".join(text.replace("@", "").split())
    if len(said) > _MOST_NAMED or asks_for_kept(said):
        return None
    opens |= len(said) > _MOST_ASKED  # a long reason may stand behind an order, not before it
    for kind, pattern in _SURELY:
        asked = pattern.match(said) if opens else pattern.search(said)
        if asked is not None and _is_order(kind, said, asked):
            return (kind_named(said, ("reach", "pay")) or kind) if kind == "reach" else kind  # "send Ann 9 quid"
    return None


def is_no_errand(text: str) -> bool:
    """Tell whether a text only urges an answer, "tell them the truth, how many …", or closes with an order to put
    right what was kept: "dad says it goes in the attic, fix it"; or recalls what was: "remember when we …"."""
    said = " ".join(text[:_MOST_NAMED].split())
    return any(
        one.search(said) is not None for one in (_URGES, _PUTS_RIGHT, _RECALLS, _OF_THINGS_HERE, _KEPT_LAST)
    )


def _is_order(kind: Kind, said: str, asked: re.Match[str]) -> bool:
    if kind == "reach":  # What is to be told there may be long; "remind me to ring the bank" is no order.
        return REMINDING.isdisjoint(_LETTERS.findall(fold(said[: asked.end()])))
    if kind == "pay":  # The reason for it may be long, too.
        return True
    return len(said) <= _MOST_ASKED and (kind != "live" or _NOT_LIVE.isdisjoint(fold(asked["asked"]).split()))
