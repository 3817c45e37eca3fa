"""The two results told last, added up, or how far they are apart ("both together?", "y restados?"); and a whole
with the share of it that was told last ("so what is the whole bill?")."""

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from app.skills.tools.calculator.arithmetic import evaluate
from app.skills.tools.calculator.expressions import read_expression
from app.skills.tools.calculator.lexicon import PHRASES
from app.skills.tools.calculator.results import Told
from app.skills.tools.calculator.spoken import ways

_PAIR: Final = 2
_MAX_CHARS: Final = 100
_SHARE: Final = re.compile(r"(?P<percent>\d+(?:\.\d+)?)% (?:of|de) (?P<whole>\d+(?:\.\d+)?)")
_PAUSES: Final = re.compile(r"[.,;:!?¡¿]")


def read_both(asked: str, results: Sequence[Told | None]) -> Told | None:
    """Return what a message makes of the newest `results`; None where it makes nothing, or there are too few.

    `results` are the answers, newest first, None for those that are none.
    """
    row = [one for one in takewhile(lambda one: one is not None, results) if one is not None]
    told = row[:_PAIR]
    if not told or len(asked) > _MAX_CHARS:
        return None
    plain = " ".join(_PAUSES.sub(" ", ways(asked)[0]).split())
    share = _SHARE.fullmatch(told[0].sum)
    if share is not None and PHRASES["both.whole"].fullmatch(plain):
        return Told(f"{share['whole']} + {share['percent']}%", "", told[0].is_local)
    if len(told) < _PAIR:
        return None
    newest, before = (one.value for one in told)
    is_local = any(one.is_local for one in told)
    # "The first" of three may be another.
    is_with_first = len(row) == _PAIR and PHRASES["both.with_first"].fullmatch(plain)
    if PHRASES["both.sum"].fullmatch(plain) or is_with_first:
        return Told(f"{before} + {newest}", "", is_local)
    if PHRASES["both.difference"].fullmatch(plain):
        less, more = sorted((before, newest), key=lambda one: evaluate(read_expression(one).source))
        return Told(f"{more} - {less}", "", is_local)
    return None
