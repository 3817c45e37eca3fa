"""The limiter lets a burst through, then spreads the rest evenly, in order, and says so once."""

from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.database.repositories.paces import Bucket
from app.domain.ids import UserId
from app.pipeline.receiving.admission import Admission, RateLimiter

ALICE, BOB = UserId("alice"), UserId("bob")
START = 1000.0
TINY_S = 1e-6

limits = st.integers(1, 20)
windows = st.integers(1, 120)
gaps_s = st.lists(st.floats(0, 30, allow_nan=False), min_size=1, max_size=60)


class People:
    """Each with a bucket of their own, as both ways to keep them do it."""

    def __init__(self, limit: int, window_s: float) -> None:
        self._limiter = RateLimiter(limit, window_s)
        self._buckets: dict[UserId, Bucket] = {}

    def admit(self, user_id: UserId, at_s: float) -> Admission:
        self._buckets[user_id], admission = self._limiter.count(self._buckets.get(user_id), at_s)
        return admission


def admissions(limit: int, window_s: float, gaps: list[float]) -> list[tuple[float, Admission]]:
    """What happens to one person's messages with these pauses before them."""
    people = People(limit, window_s)
    times = list(accumulate(gaps))
    return [(at, people.admit(ALICE, at)) for at in times]


def begins_at(at_s: float, admission: Admission) -> float:
    return at_s + admission.delay_s


@given(limits, windows, gaps_s)
def test_in_any_span_no_more_begin_than_the_limit_and_what_was_refilled(
    limit: int, window_s: int, gaps: list[float]
) -> None:
    begins = [begins_at(at, admission) for at, admission in admissions(limit, window_s, gaps)]
    for first, start in enumerate(begins):
        for last in range(first + limit, len(begins)):
            refilled = (begins[last] - start) * limit / window_s
            assert last - first + 1 <= limit + refilled + TINY_S * limit + 1e-3


@given(limits, windows, st.integers(1, 60))
def test_of_a_burst_exactly_the_limit_passes_undelayed(limit: int, window_s: int, size: int) -> None:
    results = [admission for _, admission in admissions(limit, window_s, [0.0] * size)]
    assert [result.delay_s == 0 for result in results] == [n < limit for n in range(size)]


@given(limits, windows, gaps_s)
def test_the_order_in_which_messages_came_is_the_order_in_which_they_begin(
    limit: int, window_s: int, gaps: list[float]
) -> None:
    begins = [begins_at(at, admission) for at, admission in admissions(limit, window_s, gaps)]
    assert all(later >= earlier - TINY_S for earlier, later in pairwise(begins))
    assert all(admission.delay_s >= 0 for _, admission in admissions(limit, window_s, gaps))


@given(limits, windows, gaps_s)
def test_the_person_is_told_at_the_first_delay_of_each_burst_and_only_there(
    limit: int, window_s: int, gaps: list[float]
) -> None:
    was_delayed = False
    for _, admission in admissions(limit, window_s, gaps):
        is_delayed = admission.delay_s > 0
        assert admission.is_first_delay == (is_delayed and not was_delayed)
        was_delayed = is_delayed


def test_messages_too_many_wait_one_refill_each() -> None:
    results = [admission for _, admission in admissions(2, 60, [0.0] * 5)]
    assert [result.delay_s for result in results] == pytest.approx([0, 0, 30, 60, 90])
    assert [result.is_first_delay for result in results] == [False, False, True, False, False]


def test_after_a_pause_as_long_as_the_window_a_whole_burst_passes_again() -> None:
    people = People(3, 60)
    for _ in range(3):
        people.admit(ALICE, START)
    later = START + 60
    assert [people.admit(ALICE, later).delay_s for _ in range(4)] == pytest.approx([0, 0, 0, 20])


def test_a_long_silence_saves_up_no_more_than_one_burst() -> None:
    people = People(3, 60)
    people.admit(ALICE, START)
    later = START + 3 * 86_400
    assert [people.admit(ALICE, later).delay_s > 0 for _ in range(4)] == [False, False, False, True]


def test_one_person_does_not_use_up_what_is_another_persons() -> None:
    people = People(1, 60)
    assert [people.admit(ALICE, START).delay_s > 0 for _ in range(3)] == [False, True, True]
    assert people.admit(BOB, START) == Admission()


def test_a_clock_that_was_set_back_grants_nothing() -> None:
    people = People(1, 60)
    people.admit(ALICE, START)
    assert people.admit(ALICE, START - 3600).delay_s == pytest.approx(60)


@pytest.mark.parametrize(("limit", "window_s"), [(3, 30), (7, 49), (10, 60), (12, 60), (30, 90)])
def test_who_writes_exactly_at_the_rate_of_the_refill_is_never_delayed(limit: int, window_s: int) -> None:
    gaps = [0.0] * limit + [window_s / limit] * 200
    assert all(admission == Admission() for _, admission in admissions(limit, window_s, gaps))


def test_after_a_pause_twice_the_limit_begins_within_one_window_and_no_more() -> None:
    burst_then_steady = [0.0] * 10 + [6.0] * 9
    begins = [begins_at(at, admission) for at, admission in admissions(10, 60, burst_then_steady + [0.0] * 10)]
    assert sum(begin - begins[0] < 60 for begin in begins) == 2 * 10 - 1
    assert sum(begin - begins[0] <= 60 for begin in begins) == 2 * 10
