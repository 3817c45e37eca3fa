"""Long answers become several messages that each read on their own."""

import re
import time
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.whatsapp.marks import FENCE
from app.whatsapp.render import render
from app.whatsapp.split import MIN_LIMIT, split

HANG_S = 20
"""Seconds of computing that only runaway backtracking or a quadratic scan can take, on any machine."""

WORDS: Final = st.lists(st.text("abcñ", min_size=1, max_size=9), min_size=1, max_size=120)
ANYTHING: Final = st.text("ab *_~`.\n(é👍\u0301\u200d🇪", max_size=400) | st.text(max_size=400)


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def bare(text: str, dropped: str = "") -> str:
    """Return the text without white space, code fences and the `dropped` characters."""
    return "".join(char for char in text.replace(FENCE, "") if not char.isspace() and char not in dropped)


@pytest.mark.parametrize("blank", ["", " ", "\n \n"])
def test_blank_text_gives_no_message(blank: str) -> None:
    assert split(blank) == []


def test_text_within_the_limit_is_one_message() -> None:
    assert split("x" * 4096) == ["x" * 4096]


def test_one_character_more_gives_a_second_message() -> None:
    assert split("x" * 4097) == ["x" * 4096, "x"]


def test_a_limit_too_small_for_the_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="at least"):
        split("hola", MIN_LIMIT - 1)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("a" * 30 + ". b\nc\n\nd e " + "f" * 20, ["a" * 30 + ". b\nc", "d e " + "f" * 20]),
        ("a" * 30 + ". b c\nd e " + "f" * 20, ["a" * 30 + ". b c", "d e " + "f" * 20]),
        ("a" * 25 + " b. ¿Cómo? " + "f" * 25, ["a" * 25 + " b. ¿Cómo?", "f" * 25]),
        ("a" * 25 + " «b.» ¿Cómo " + "f" * 25, ["a" * 25 + " «b.»", "¿Cómo " + "f" * 25]),
        ("a" * 25 + " b c " + "f" * 30, ["a" * 25 + " b c", "f" * 30]),
        ("a" * 60, ["a" * 40, "a" * 20]),
    ],
    ids=["paragraph", "line", "sentence", "quoted sentence", "word", "inside a word"],
)
def test_the_cut_falls_at_the_best_break_there_is(text: str, pieces: list[str]) -> None:
    assert split(text, 40) == pieces


def test_an_early_paragraph_does_not_become_a_tiny_first_message() -> None:
    first, *_ = split("Hola\n\n" + "palabra " * 20, 80)
    assert len(first) > 40


def test_a_number_of_a_list_is_not_the_end_of_a_sentence() -> None:
    first, *_ = split("x" * 25 + "! 1. " + "palabra " * 3, 36)
    assert first.endswith("!")


def test_a_code_block_that_fits_moves_whole_to_the_next_message() -> None:
    block = f"{FENCE}\n" + "línea de código\n" * 4 + FENCE
    assert split(f"Mira este ejemplo corto:\n\n{block}", 90) == ["Mira este ejemplo corto:", block]


def test_a_code_block_that_does_not_fit_is_closed_and_opened_again() -> None:
    code = [f"    paso({number})" for number in range(20)]
    pieces = split("\n".join([FENCE, *code, FENCE]), 100)
    assert all(piece.startswith(f"{FENCE}\n") and piece.endswith(f"\n{FENCE}") for piece in pieces)
    assert [line for piece in pieces for line in piece.split("\n") if line != FENCE] == code


def test_a_formatted_passage_that_fits_is_not_cut() -> None:
    bold = "*" + "negrita " * 5 + "fin*"
    assert split("palabra " * 4 + bold, 50) == [("palabra " * 4).strip(), bold]


def test_a_formatted_passage_that_does_not_fit_is_closed_and_opened_again() -> None:
    pieces = split("*_" + "muy " * 40 + "largo_*", 60)
    assert len(pieces) > 2
    assert all(piece.startswith("*_") and piece.endswith("_*") for piece in pieces)


@pytest.mark.parametrize("marks", ["*", "*_", "*_~"])
@pytest.mark.parametrize("size", range(20, 80, 3))
def test_closing_marks_keep_within_the_limit(marks: str, size: int) -> None:
    for text in (f"{marks}{'a' * size}{marks[::-1]}", f"x {marks}{'a ' * size}b{marks[::-1]}"):
        assert all(utf16(piece) <= MIN_LIMIT for piece in split(text, MIN_LIMIT))


def test_no_piece_ends_with_an_empty_code_block() -> None:
    pieces = split("palabra " * 5 + f"{FENCE}\n" + "x = 1\n" * 40 + FENCE, 60)
    assert not any(f"{FENCE}\n{FENCE}" in piece for piece in pieces)


def test_a_bracket_stays_with_the_passage_that_moves_to_the_next_message() -> None:
    passage = "(*" + "negrita " * 4 + "fin*)"
    assert split("palabra " * 4 + passage, 50) == [("palabra " * 4).strip(), passage]


def test_marks_that_are_kept_literal_are_not_closed_and_opened() -> None:
    text = render(r"\*" + "palabra " * 20 + r"fin\*")
    assert "".join(split(text, 60)).count("*") == 2


def test_an_emoji_counts_as_two() -> None:
    assert split("👍" * 20, 32) == ["👍" * 16, "👍" * 4]


@pytest.mark.parametrize("cluster", ["e\u0301", "👍🏽", "👩\u200d💻", "🇪🇸", "❤\ufe0f"])
@pytest.mark.parametrize("shift", range(4))
def test_what_reads_as_one_character_is_not_cut(cluster: str, shift: int) -> None:
    text = "x" * shift + cluster * 40
    for piece in split(text, 32):
        assert piece.lstrip("x") == cluster * piece.count(cluster)


@given(WORDS, st.integers(40, 90))
def test_the_first_message_is_at_least_half_full(words: list[str], limit: int) -> None:
    text = " ".join(words)
    pieces = split(text, limit)
    assert len(pieces) == 1 or len(pieces[0]) >= limit / 2
    assert " ".join(pieces) == text


@given(ANYTHING, st.integers(MIN_LIMIT, 120))
def test_any_text_gives_full_messages_that_lose_nothing(text: str, limit: int) -> None:
    pieces = split(text, limit)
    assert all(piece.strip() and utf16(piece) <= limit for piece in pieces)
    assert [split(piece, limit) for piece in pieces] == [[piece] for piece in pieces]
    assert bare("".join(pieces), "*_~`") == bare(text, "*_~`")


@given(st.lists(st.sampled_from(["palabra", "*fuerte*", "`x`", "1.", "fin.", "\n", "\n\n", "👍"]), max_size=150))
def test_short_formatting_is_never_cut_and_nothing_but_space_is_lost(parts: list[str]) -> None:
    text = " ".join(parts)
    pieces = split(text, 60)
    assert bare("".join(pieces)) == bare(text)
    assert all(piece.count("*") % 2 == 0 and piece.count("`") % 2 == 0 for piece in pieces)


@given(
    st.lists(
        st.sampled_from(["texto **muy** claro. ", "```\ncódigo = 1\notra\n```\n", "- uno\n", "\n\n", "`y` "]),
        max_size=60,
    )
)
def test_every_message_of_a_rendered_answer_has_its_code_blocks_closed(parts: list[str]) -> None:
    text = render("".join(parts))
    pieces = split(text, 80)
    assert all(piece.count(FENCE) % 2 == 0 for piece in pieces)
    assert re.sub(r"\s|`", "", "".join(pieces)) == re.sub(r"\s|`", "", text)


HOSTILE: Final = [
    "*a* ",
    "_a *b ",
    "palabra. ",
    "```\nx\n```\n",
    "👍",
    "`",
    "\n.\n",
    "*_~a",
    "*`a` ",
    "🇪🇸",
    "``` ",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_hundred_thousand_hostile_characters_do_not_hang_the_splitter(unit: str) -> None:
    started = time.process_time()
    split((unit * 100_000)[:100_000])
    assert time.process_time() - started < HANG_S


def test_thousands_of_messages_do_not_hang_the_splitter() -> None:
    started = time.process_time()
    pieces = split("*_~a" * 25_000, MIN_LIMIT)
    assert time.process_time() - started < HANG_S
    assert len(pieces) > 3000
