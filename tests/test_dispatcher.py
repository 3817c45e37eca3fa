"""What a lane does next: merging, waiting, retrying."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from app.database.repositories.inbox import PendingRow
from app.domain.ids import InboxId, TurnId, WaMessageId
from app.pipeline.queueing.dispatcher import MAX_MERGED, Take, Wait, plan_turn

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
DEBOUNCE = timedelta(seconds=1.2)


def row(
    number: int, *, age_s: float = 10, is_mergeable: bool = True, turn: int | None = None, due_in_s: float = 0
) -> PendingRow:
    return PendingRow(
        id=InboxId(number),
        message_id=WaMessageId(f"wamid.{number}"),
        is_mergeable=is_mergeable,
        turn_id=None if turn is None else TurnId(turn),
        received_at=NOW - timedelta(seconds=age_s),
        available_at=NOW + timedelta(seconds=due_in_s),
    )


def test_nothing_pending_ends_the_lane() -> None:
    assert plan_turn([], NOW, DEBOUNCE) is None


def test_a_fresh_text_waits_for_the_pause() -> None:
    assert plan_turn([row(1, age_s=0.2)], NOW, DEBOUNCE) == Wait(1.0)


def test_a_command_goes_at_once() -> None:
    assert plan_turn([row(1, age_s=0, is_mergeable=False)], NOW, DEBOUNCE) == Take(TurnId(1), (InboxId(1),))


def test_rapid_texts_become_one_turn() -> None:
    rows = [row(1, age_s=3.0), row(2, age_s=2.0), row(3, age_s=1.5)]
    assert plan_turn(rows, NOW, DEBOUNCE) == Take(TurnId(1), (InboxId(1), InboxId(2), InboxId(3)))


def test_texts_with_a_pause_between_them_stay_apart_even_when_the_lane_was_busy() -> None:
    rows = [row(1, age_s=60), row(2, age_s=30)]
    assert plan_turn(rows, NOW, DEBOUNCE) == Take(TurnId(1), (InboxId(1),))


def test_a_command_behind_a_text_ends_its_waiting() -> None:
    rows = [row(1, age_s=0.1), row(2, age_s=0, is_mergeable=False)]
    assert plan_turn(rows, NOW, DEBOUNCE) == Take(TurnId(1), (InboxId(1),))


def test_a_retried_turn_is_taken_again_as_it_was() -> None:
    rows = [row(1, turn=1, age_s=0.1), row(2, turn=1, age_s=0.1), row(3, age_s=0.1)]
    assert plan_turn(rows, NOW, DEBOUNCE) == Take(TurnId(1), (InboxId(1), InboxId(2)))


def test_a_turn_that_is_not_due_keeps_its_place() -> None:
    assert plan_turn([row(1), row(2)], NOW, DEBOUNCE, delay_s=7) == Wait(7.0)


def test_without_debounce_each_message_is_a_turn() -> None:
    assert plan_turn([row(1, age_s=0), row(2, age_s=0)], NOW, timedelta(0)) == Take(TurnId(1), (InboxId(1),))


ROWS = st.lists(
    st.builds(
        lambda age, mergeable, due: (age, mergeable, due),
        st.floats(0, 20),
        st.booleans(),
        st.sampled_from([-1.0, 0.0, 5.0]),
    ),
    min_size=1,
    max_size=40,
)


@given(ROWS, st.sampled_from([0.0, 0.5, 1.2, 5.0]))
def test_a_plan_takes_a_prefix_and_waits_no_longer_than_it_must(
    described: list[tuple[float, bool, float]], debounce_s: float
) -> None:
    ages = sorted((age for age, _, _ in described), reverse=True)
    rows = [
        row(n, age_s=age, is_mergeable=mergeable, due_in_s=due)
        for n, (age, (_, mergeable, due)) in enumerate(zip(ages, described, strict=True), start=1)
    ]
    plan = plan_turn(rows, NOW, timedelta(seconds=debounce_s), delay_s=max(0.0, described[0][2]))
    assert plan is not None
    if isinstance(plan, Take):
        assert plan.ids == tuple(r.id for r in rows[: len(plan.ids)])
        assert plan.turn_id == TurnId(rows[0].id)
        assert len(plan.ids) <= MAX_MERGED
        assert len(plan.ids) == 1 or all(r.is_mergeable for r in rows[: len(plan.ids)])
    else:
        assert 0 < plan.seconds <= max(5.0, debounce_s)
