"""How much history fits: a window whose beginning moves rarely, so that the model's cache survives."""

from collections.abc import Sequence
from typing import Final

from app.domain.chat import ChatMessage
from app.llm.wire import estimate_tokens

STEP: Final = 12
"""The window's beginning moves by so many messages at a time."""


def window_start(history: Sequence[ChatMessage], budget_tokens: int) -> int:
    """Return the index of the first message that is shown to the model.

    The smallest multiple of `STEP` from which the rest fits. Dropping one message each turn would
    change the prompt's beginning each turn, and the model would read everything anew; in steps it does
    so once in a while.
    """
    costs = [estimate_tokens([message]) for message in history]
    remaining = sum(costs)
    for start in range(0, len(history), STEP):
        if remaining <= budget_tokens:
            return start
        remaining -= sum(costs[start : start + STEP])
    return _last_that_fit(costs, budget_tokens)


def _last_that_fit(costs: Sequence[int], budget_tokens: int) -> int:
    start, spent = len(costs), 0
    while start > 0 and spent + costs[start - 1] <= budget_tokens:
        start -= 1
        spent += costs[start]
    return start
