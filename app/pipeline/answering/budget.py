"""How much history fits: a window whose beginning moves rarely, so that the model's cache survives."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.domain.chat import ChatMessage
from app.domain.ids import TurnId
from app.llm.wire import estimate_tokens

MAX_MESSAGES: Final = 180
"""The most messages that are shown. History is read up to a limit (200), behind which it slides."""
MAX_CHOICE: Final = 8
"""Among so many turns the beginning is chosen; about so many turns pass until it moves."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message of history and the turn that it belongs to."""

    turn_id: TurnId
    message: ChatMessage


def window_start(history: Sequence[Spoken], budget_tokens: int) -> int:
    """Return the index of the first message that is shown to the model: one of the person's, or the end.

    Everything is shown while it fits. Later, dropping one message each turn would change the prompt's
    beginning each turn, and the model would read everything anew. So the window begins at the turn with
    the roundest number (most trailing zeros in binary) among the earliest that fit. That turn keeps its
    place until it no longer fits itself, wherever in the list it stands meanwhile.
    """
    first = _first_that_fits(history, budget_tokens)
    starts = [index for index in range(first, len(history)) if history[index].message.role == "user"]
    if not starts:
        return len(history)
    if first == 0:
        return starts[0]
    # At most half of what fits is given up.
    choice = starts[: min(MAX_CHOICE, len(starts) // 2 + 1)]
    return max(choice, key=lambda index: _roundness(history[index].turn_id))


def _first_that_fits(history: Sequence[Spoken], budget_tokens: int) -> int:
    start, spent = len(history), 0
    while start > 0 and len(history) - start < MAX_MESSAGES:
        spent += estimate_tokens([history[start - 1].message])
        if spent > budget_tokens:
            break
        start -= 1
    return start


def _roundness(turn_id: TurnId) -> int:
    return turn_id & -turn_id
