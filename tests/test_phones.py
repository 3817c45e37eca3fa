"""One subscriber has one canonical number, however it is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.phones import (
    bsuid_alias,
    canonical_number,
    is_number_or_bsuid,
    likely_language,
    phone_alias,
    setting_alias,
)

SPELLINGS = [
    ("541155550101", ["5491155550101", "+54 9 11 5555-0101", "+54 11 5555 0101", "(54) 911 5555.0101"]),
    ("525512345678", ["5215512345678", "+52 1 55 1234 5678", "+52 55 1234 5678"]),
    ("551187654321", ["5511987654321", "+55 11 98765-4321", "+55 (11) 8765-4321"]),
    ("15551230000", ["+1 (555) 123-0000", "1.555.123.0000", "15551230000"]),
    ("34600111222", ["+34 600 11 12 22", "34600111222"]),
    ("4915112345678", ["+49 1511 2345678"]),
]


@pytest.mark.parametrize(
    ("canonical", "spelling"), [(number, text) for number, texts in SPELLINGS for text in texts]
)
def test_every_spelling_leads_to_the_same_number(canonical: str, spelling: str) -> None:
    assert canonical_number(spelling) == canonical
    assert phone_alias(spelling) == f"tel:{canonical}"


@pytest.mark.parametrize(
    "number",
    [
        "549115555010",  # too short to carry the mobile digit: the 9 belongs to the number
        "54915555010123",
        "521551234567",
        "5511887654321",  # thirteen digits, but no ninth digit after the area code
        "5519876543210123",
    ],
)
def test_digits_that_belong_to_the_number_are_kept(number: str) -> None:
    assert canonical_number(number) == number


def test_two_subscribers_stay_two() -> None:
    numbers = ["5491155550101", "5491155550102", "5215512345678", "5511987654321", "15551230000"]
    assert len({canonical_number(number) for number in numbers}) == len(numbers)


@given(
    st.one_of(
        st.text(max_size=20),
        st.from_regex(r"\A(549|521|55\d\d9|54|52|55)\d{8,10}\Z"),
        st.from_regex(r"\A[0-9 +().-]{0,24}\Z"),
    )
)
def test_the_canonical_form_of_a_canonical_form_is_itself(text: str) -> None:
    once = canonical_number(text)
    assert canonical_number(once) == once
    assert all(character.isdecimal() for character in once)


@pytest.mark.parametrize(
    "entry",
    [
        "5491155550101",
        "+54 9 11 5555-0101",
        "1 (555) 123-0000",
        "1.555.123.0000",
        "1555000",
        "AR.7f3",
        "AR.ENT.7f3",
    ],
)
def test_a_number_or_a_business_scoped_id_means_somebody(entry: str) -> None:
    assert is_number_or_bsuid(entry)


@pytest.mark.parametrize(
    "entry",
    ["", "alice", "123456", "1234567890123456", "+", "call 5491155550101", "ar.7f3", "ARG.7f3", "AR.", "AR.7-3"],
)
def test_anything_else_means_nobody(entry: str) -> None:
    assert not is_number_or_bsuid(entry)


def test_an_entry_is_a_business_scoped_id_or_a_number_that_may_have_dots() -> None:
    assert setting_alias("1.555.123.0000") == phone_alias("15551230000")
    assert setting_alias("AR.100000000000001") == bsuid_alias("AR.100000000000001")
    assert setting_alias("+54 9 11 5555 0101") == phone_alias("5491155550101")
    assert phone_alias("123") != bsuid_alias("123")


@pytest.mark.parametrize(
    ("wa_id", "language"),
    [
        ("5491155550101", "es"),
        ("34600111222", "es"),
        ("5215512345678", "es"),
        ("59899123456", "es"),
        ("18095550101", "es"),
        ("17875550101", "es"),
        ("15551230000", "en"),
        ("5511987654321", "en"),
        ("4915112345678", "en"),
        ("447700900123", "en"),
        ("5926001234", "en"),
        ("", "en"),
        (None, "en"),
    ],
)
def test_a_newcomer_is_greeted_in_the_language_of_the_country(wa_id: str | None, language: str) -> None:
    assert likely_language(wa_id) == language
