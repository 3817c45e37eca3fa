"""Two results put together, a result in another unit, and a bill that was told before it is asked for."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

import pytest

from app.database.repositories.conversations import StoredMessage
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.turn import TurnContext
from app.skills.tools.calculator.alone import answer_alone
from app.skills.tools.calculator.at_once import answer_at_once
from app.skills.tools.calculator.going_on import answer_going_on, answer_of_story

NOW = datetime(2026, 8, 4, tzinfo=UTC)
CTX = TurnContext(TurnId(1), UserId("ann"), ConversationId(1), 1, NOW, "en", is_admin=False, timezone="UTC")


@pytest.mark.parametrize(
    ("sums", "message", "expected"),
    [
        (("30 x 6", "8% of 500"), "add those two up", "180 + 40 = 220"),
        (("30 x 6", "8% of 500"), "and both together?", "180 + 40 = 220"),
        (("14 x 5", "9 x 9"), "which is bigger, and by how much", "81 - 70 = 11"),
        (("14 x 5", "9 x 9"), "la diferencia entre los dos", "81 - 70 = 11"),
        (("20% de 310", "y 25 por 4"), "y sumados?", "62 + 100 = 162"),
        (("1 x 5", "2 x 5", "3 x 5"), "suma las dos", "10 + 15 = 25"),
    ],
)
def test_the_two_results_told_last_are_put_together(sums: Sequence[str], message: str, expected: str) -> None:
    assert _answers([*sums, message])[-1] == expected


@pytest.mark.parametrize(
    ("before", "message", "expected"),
    [
        ("4 kg in pounds", "and in grams?", "4 × 1000 = 4000 grams"),
        ("cuántas horas son 2 días", "¿y en minutos, cuánto es?", "2 dias = 2880 minutos"),
        ("how many hours is 7200 seconds", "so how many minutes is that", "7200 seconds = 120 minutes"),
        ("3 horas y 10 minutos en minutos", "y en segundos?", "3 h 10 min = 11400 segundos"),
        ("8% of 650", "and of 900", "8% of 900 = 72"),
        ("13% de 700", "y el 16?", "16% of 700 = 112"),
        ("12 x 9", "and 15% of 80", "15% of 80 = 12"),
        ("we were five and it was 210", "how much each?", "210 / 5 = 42"),
        ("fuimos a cenar 4 y fueron 9600", "a como nos toca?", "9600 / 4 = 2400"),
    ],
)
def test_what_was_told_is_asked_in_another_unit_or_for_another_number(
    before: str, message: str, expected: str
) -> None:
    assert _answers([before, message])[-1] == expected


@pytest.mark.parametrize(
    ("before", "message"),
    [
        (("30 x 6",), "add up both"),
        (("30 x 6", "8% of 500"), "what's the difference between jam and jelly"),
        (("30 x 6", "8% of 500"), "add both to my shopping list"),
        (("30 x 6", "8% of 500"), "no los sumes"),
        (("4 kg in pounds",), "and in french?"),
        (("4 kg in pounds",), "and in minutes?"),
        (("4 kg in pounds",), "y en la lista?"),
        (("note that we were five and it was 210",), "how much each?"),
        (("we were five and it was 210",), "how much fun was it"),
    ],
)
def test_what_only_sounds_like_going_on_computes_nothing(before: Sequence[str], message: str) -> None:
    assert _answers([*before, message])[-1] is None


def _answers(messages: Sequence[str]) -> list[str | None]:
    """Return the sums told for messages that come one after the other; None for those left to others."""
    recent: list[StoredMessage] = []
    told: list[str | None] = []
    for text in messages:
        told.append(_told(text, recent))
        recent.append(_stored("user", text))
        recent.append(_stored("assistant", told[-1] or "I see."))
    return told


def _stored(role: Literal["user", "assistant"], text: str) -> StoredMessage:
    return StoredMessage(role, text, CTX.turn_id, CTX.received_at)


def _told(text: str, recent: Sequence[StoredMessage]) -> str | None:
    ctx, said = CTX, [one.text for one in recent if one.role == "user"]
    reply = answer_alone(text, ctx) or answer_going_on(text, recent, ctx) or answer_at_once(text, ctx)
    reply = reply or answer_of_story(text, said, ctx)
    return reply.literal if reply else None
