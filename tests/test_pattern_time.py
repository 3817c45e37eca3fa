"""No regular expression of the product is slow, whatever it reads: they are found by themselves, not by a list."""

import math
import re
import time
from collections.abc import Callable

import pytest

from tests.patterns import Found, find_patterns, hostile_texts

pytestmark = pytest.mark.lengthy

SHORT, LONG = 500, 4_000
"""Characters. A linear pattern takes 8 times as long for the longer text, a quadratic one 64 times."""
TOO_MUCH = 24
HALF = SHORT // 2
MORE = 1.15
"""A linear pattern takes as many times as long as its text is longer. What takes no more than this many times that
for half the short text is read no further: what is partly linear, partly quadratic, and takes `TOO_MUCH` for the
longer text takes 1.17 times that."""
TRIES = 7
FEW = 3
SOON_S = 0.003
"""What takes no longer than this for the longer text needs no ratio: no clock measures it on a busy machine."""
AT_ONCE_S = SOON_S / (LONG / SHORT) ** 2
"""What reads the shorter text in this time is done with the longer one soon, even if it is quadratic; whatever is
steeper takes longer for the shorter one."""
LONG_S = 0.1
"""A cubic pattern needs seconds for a text that is four times as long, which is read once then. What seems steep
by that is measured again as a whole."""


@pytest.mark.timeout(900)  # it computes for twenty seconds, which a busy machine makes many
def test_every_pattern_takes_twice_the_time_for_twice_the_text() -> None:
    found = find_patterns()
    steep = [
        f"{one.where}: {slowdown:.0f} times, {make(24)!r} in {one.pattern.pattern[:80]!r}"
        for one in found
        for make in hostile_texts(one.pattern)
        if (slowdown := _slowdown_for_sure(one, make)) > TOO_MUCH
    ]
    assert steep == []
    # The finder finds: patterns of modules, in tables, in objects, and inside functions.
    assert len(found) > 150
    assert {"app.llm.claims._CLAIM", "app.memory.claims._CLAIMS"} <= {one.where for one in found}


@pytest.mark.parametrize(
    "slow",
    [r"\s+$", r"(?:a|b|ab)*c", r"«[^»]*»", r"(?m)^\W*word", r"[a-z]+@[a-z]+", r"x*\d*x*y", r"(?m)^\s*-"],
)
def test_a_slow_pattern_would_be_found(slow: str) -> None:
    one = Found("", re.compile(slow), is_anchored=False)
    assert any(_slowdown(one, make) > TOO_MUCH for make in hostile_texts(one.pattern))


def _slowdown_for_sure(one: Found, make: Callable[[int], str]) -> float:
    """Measure again what seems steep: another process may slow all readings of the longer text, not more."""
    slowdown = _slowdown(one, make)
    again = 0
    while TOO_MUCH < slowdown < 2 * TOO_MUCH and (again := again + 1) <= TRIES:
        slowdown = min(slowdown, _slowdown(one, make))
    return slowdown


def _slowdown(one: Found, make: Callable[[int], str]) -> float:
    """Return how many times longer the longer text takes; 1 where both are read at once."""
    short = make(SHORT)
    if (first_s := _measured(one, short)) <= AT_ONCE_S:
        return 1.0
    half = make(HALF)
    linear_s = MORE * len(short) / max(len(half), 1) * min(_measured(one, half) for _ in range(2))
    if first_s <= linear_s or _least(one, short, until=linear_s, tries=FEW) <= linear_s:
        return 1.0
    if (short_s := _least(one, make(SHORT), until=SOON_S)) > SOON_S:
        # Measuring the longest might never end: two doublings stand for the three from short to long.
        return float((_least(one, make(4 * SHORT), beyond=LONG_S) / short_s) ** 1.5)
    if (long_s := _measured(one, make(LONG))) <= SOON_S:
        return 1.0
    short_s = max(_least(one, make(SHORT)), 1e-6)
    if long_s > TOO_MUCH * short_s:
        long_s = _least(one, make(LONG), until=max(SOON_S, TOO_MUCH * short_s))
    return 1.0 if long_s <= SOON_S else long_s / short_s


def _least(one: Found, text: str, *, until: float = 0.0, beyond: float = math.inf, tries: int = TRIES) -> float:
    """Return the shortest of several readings, in processor time: a busy machine makes one longer, never shorter.

    One that takes no longer than `until` is enough, and so is one that takes longer than `beyond`.
    """
    least = _measured(one, text)
    for _ in range(tries - 1):
        if least <= until or least > beyond:
            break
        least = min(least, _measured(one, text))
    return least


def _measured(one: Found, text: str) -> float:
    before = time.thread_time()
    one.read(text)
    return time.thread_time() - before


@pytest.mark.parametrize("bounded", [r"a|bc?", r"(?<=x)(?:ab|(?=c)c)?\b", r"[^x]"])
def test_only_what_repeats_something_can_be_slow(bounded: str) -> None:
    assert not list(hostile_texts(re.compile(bounded)))
