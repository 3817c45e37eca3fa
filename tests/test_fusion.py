"""Two rankings become one: leads count, ranks do not, and a search that found nothing has no say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.embeddings.fusion import fuse


def test_what_both_searches_find_comes_before_what_one_finds() -> None:
    fused = fuse({"words": 4.0, "both": 3.0}, {"meaning": 0.8, "both": 0.7})

    assert [item.key for item in fused] == ["both", "words", "meaning"]
    assert [item.score for item in fused] == pytest.approx([0.5 * 3 / 4 + 0.5 * 7 / 8, 0.5, 0.5])


def test_the_parts_and_what_they_were_made_of_are_kept() -> None:
    both, alone = fuse({"both": 2.0}, {"both": 0.6, "alone": 0.4}, weight=0.6, baseline=0.2)

    assert (both.keyword_part, both.meaning_part) == pytest.approx((0.4, 0.6))
    assert (both.keyword, both.similarity) == (2.0, 0.6)
    assert (alone.keyword_part, alone.meaning_part) == pytest.approx((0, 0.3))
    assert (alone.keyword, alone.similarity) == (None, 0.4)


def test_a_match_of_one_word_among_many_says_less_than_one_of_all() -> None:
    words, near = {"name only": 3.0, "all": 2.0}, {"near": 0.9, "all": 0.45}

    plain = fuse(words, near)
    covered = fuse(words, near, coverage={"name only": 0.25})

    assert [item.key for item in plain] == ["all", "name only", "near"]
    assert [item.key for item in covered] == ["all", "near", "name only"]
    assert covered[-1].score == pytest.approx(0.125)


@pytest.mark.parametrize("similarities", [{}, {"a": 0.1, "b": 0.2}])
def test_where_nothing_is_near_the_words_decide_alone(similarities: dict[str, float]) -> None:
    fused = fuse({"b": 1.0, "c": 2.0}, similarities, baseline=0.2)

    assert [(item.key, item.score) for item in fused][:2] == [("c", 1), ("b", 0.5)]


def test_where_no_word_is_shared_the_meaning_decides_alone() -> None:
    fused = fuse({}, {"a": 0.4, "b": 0.8}, weight=0.1)

    assert [(item.key, item.score) for item in fused] == [("b", 1), ("a", 0.5)]


def test_nothing_and_nothing_is_nothing() -> None:
    assert fuse({}, {}) == []


def test_of_equals_the_one_that_came_first_stays_first() -> None:
    assert [item.key for item in fuse({"b": 1.0, "a": 1.0}, {"d": 0.5, "c": 0.5})] == ["b", "a", "d", "c"]


scores = st.dictionaries(st.integers(0, 9), st.floats(-1, 1), max_size=10)


@given(words=scores, near=scores, weight=st.floats(0, 1), baseline=st.floats(0, 0.9))
def test_every_item_stands_once_with_a_score_between_none_and_all(
    words: dict[int, float], near: dict[int, float], weight: float, baseline: float
) -> None:
    fused = fuse(words, near, weight=weight, baseline=baseline)

    assert sorted(item.key for item in fused) == sorted(words.keys() | near.keys())
    assert all(0 <= item.score <= 1 + 1e-9 for item in fused)
    assert [item.score for item in fused] == sorted((item.score for item in fused), reverse=True)


@given(words=scores, near=scores, factor=st.floats(0.01, 100))
def test_the_unit_of_the_words_scores_does_not_matter(
    words: dict[int, float], near: dict[int, float], factor: float
) -> None:
    plain = {item.key: item.score for item in fuse(words, near)}
    scaled = {item.key: item.score for item in fuse({k: v * factor for k, v in words.items()}, near)}

    assert scaled == pytest.approx(plain, abs=1e-6)
