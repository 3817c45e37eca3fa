"""No input of a stranger, a model or a server makes a parser crash or take long; an hour of it: `tests.fuzz`."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz import MAX_CHARS, SLOW_S, TARGETS, Target, made_of, seconds_of

TRIES = 5


@pytest.mark.parametrize("name", TARGETS)
@given(data=st.data())
def test_a_parser_takes_or_refuses_whatever_comes(name: str, data: st.DataObject) -> None:
    target = TARGETS[name]
    pieces = st.lists(st.one_of(st.sampled_from(target.seeds), st.text(max_size=20)), max_size=12)
    seconds_of(target, "".join(data.draw(pieces))[: target.max_chars])


@pytest.mark.parametrize("name", TARGETS)
def test_a_parser_is_done_with_a_long_text_of_anything_soon(name: str) -> None:
    target, chance = TARGETS[name], random.Random(1)
    texts = [seed * (MAX_CHARS // len(seed) + 1) for seed in target.seeds]
    texts.append(made_of(target.seeds, chance))
    slow = [text[:60] for text in texts if _least_seconds(target, text[: target.max_chars]) >= SLOW_S]
    assert slow == []


def _least_seconds(target: Target, text: str) -> float:
    """A busy machine makes a reading longer, never shorter."""
    least = seconds_of(target, text)
    for _ in range(TRIES - 1):
        if least < SLOW_S:
            break
        least = min(least, seconds_of(target, text))
    return least
