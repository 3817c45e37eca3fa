"""WhatsApp's marks: what is styled gets them, what is literal keeps its own without their effect."""

import re
from typing import Final

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.whatsapp.marks import (
    FENCE,
    MAX_TABLE_WIDTH,
    WORD_JOINER,
    Run,
    align_table,
    break_fences,
    can_close,
    can_open,
    format_line,
    list_table,
    monospace,
    show_link,
)

J: Final = WORD_JOINER

LINES: Final = [
    ([Run("hola", "*"), Run(" "), Run("mundo", "*")], "*hola* *mundo*"),
    ([Run("hola", "*"), Run(" ", "*"), Run("mundo", "*")], "*hola mundo*"),
    ([Run(" hola ", "*"), Run("mundo")], " *hola* mundo"),
    ([Run("uno", "*"), Run(" dos", "*_")], "*uno _dos_*"),
    ([Run("uno", "*_"), Run(" dos", "_")], "_*uno* dos_"),
    ([Run("uno", "*"), Run(" y "), Run("x", "*", "c")], "*uno* y *`x`*"),
    ([Run("*uno*")], f"{J}*uno*"),
    ([Run("uno * dos", "*")], "*uno * dos*"),
    ([Run("uno* dos", "*")], f"*uno*{J} dos*"),
    ([Run("*x*", role="c")], "`*x*`"),
    ([Run("a`b", role="c")], f"{FENCE}a`b{FENCE}"),
    ([Run("http://x.es/*a*", role="u")], "http://x.es/*a*"),
]


@pytest.mark.parametrize(("runs", "expected"), LINES)
def test_a_line_has_marks_around_what_is_styled_and_nowhere_else(runs: list[Run], expected: str) -> None:
    assert format_line(runs) == expected


@given(st.text("ab*_~` .(", max_size=40))
def test_no_pair_of_literal_marks_formats_what_is_between(text: str) -> None:
    assume(FENCE not in text)  # is taken apart instead: see the test of broken fences
    shown = format_line([Run(text)])
    assert shown.replace(J, "") == text
    for mark in "*_~`":
        spots = [match.span() for match in re.finditer(re.escape(mark) + "+", shown)]
        openers = [end for start, end in spots if can_open(shown, start, end)]
        closers = [start for start, end in spots if can_close(shown, start, end)]
        assert not openers or not closers or openers[0] >= closers[-1]


@given(st.text("`a", max_size=20))
def test_broken_fences_look_the_same_and_open_nothing(text: str) -> None:
    assert break_fences(text).replace(J, "") == text
    assert FENCE not in break_fences(text)


def test_a_fence_inside_a_monospace_block_does_not_end_it() -> None:
    assert monospace(["a", FENCE]) == [FENCE, "a", f"`{J}``", FENCE]


def test_columns_are_aligned_as_asked_and_short_rows_are_filled() -> None:
    rows = [
        [[Run("aaa")], [Run("bbb")], [Run("ccc")]],
        [[Run("1")], [Run("2", "*")]],
        [[Run("x")], [], [Run("3")]],
    ]
    assert align_table(rows, ["right", "center"]) == [
        "aaa  bbb  ccc",
        "---  ---  ---",
        "  1   2",
        "  x       3",
    ]


@pytest.mark.parametrize(
    "cells",
    [[[Run("x" * (MAX_TABLE_WIDTH + 1))]], [[Run("")]] * (MAX_TABLE_WIDTH + 1), [[Run("http://x.es", role="u")]]],
    ids=["too wide", "too many columns", "an address"],
)
def test_a_table_that_a_phone_cannot_show_is_not_aligned(cells: list[list[Run]]) -> None:
    assert align_table([[[Run("a")]], cells], []) == []


def test_a_table_as_a_list_names_each_value_and_leaves_empty_rows_out() -> None:
    rows: list[list[list[Run]]] = [
        [[Run("Pan:")], [Run("Precio")]],
        [[Run("blanco", "*")], [Run("2 €")], [Run("oferta")]],
        [[], []],
    ]
    assert list(list_table(rows)) == ["- Pan: *blanco*", "  Precio: 2 €", "  oferta"]


def test_a_table_without_rows_is_its_header() -> None:
    assert list(list_table([[[Run("a")], [Run("b")]]])) == ["a | b"]


@pytest.mark.parametrize("label", ["", "https://x.es/", "https://x.es", "x.es/", "x.es"])
def test_a_label_that_repeats_the_address_is_left_out(label: str) -> None:
    assert show_link([Run(label)], "https://x.es/", "") == [Run("https://x.es/", role="u")]


def test_a_label_has_its_address_and_title_behind_it() -> None:
    assert show_link([Run("aquí", "*")], "https://x.es", "Tienda") == [
        Run("aquí", "*"),
        Run(' (https://x.es "Tienda")', role="u"),
    ]


def test_a_label_without_an_address_stays() -> None:
    assert show_link([Run("aquí")], "", "") == [Run("aquí")]
