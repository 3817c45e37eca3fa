"""What a person wrote is kept as it stands, however a model distorts it."""

import string
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.skills.own_words import corrected, find_complete, find_span, grown, literals

CODES = st.one_of(
    st.from_regex(r"[A-Z]{2,4}[0-9]{2,5}", fullmatch=True),
    st.from_regex(r"[0-9]{1,3}([.:/-][0-9]{2}){1,2}", fullmatch=True),
    st.from_regex(r"[a-z]{3,8}[0-9]{2,4}", fullmatch=True),
    st.from_regex(r"[a-z]{3,6}\+?[a-z]{2,4}@[a-z]{4,8}\.com", fullmatch=True),
    st.integers(10, 10**9).map(str),
)
WORDS = ("la", "llave", "del", "garaje", "está", "en", "el", "cajón", "azul", "junto", "al", "reloj")
PLAIN_WORDS = st.lists(st.sampled_from(WORDS), max_size=6)


def own_words(value: str, sources: Sequence[str]) -> str | None:
    span = find_complete(value, sources)
    return None if span is None else sources[span.source][span.start : span.end]


@pytest.mark.parametrize(
    ("value", "message", "kept"),
    [
        ("la clave es pino2023", "anotá que la clave es pino2024", "la clave es pino2024"),
        ("Meeting Friday at 11:00", "note: meeting Friday at 10", "meeting Friday at 10"),
        ("comprar yerba", "anota comprar yerva", "comprar yerva"),
        ("Llamar a Íñigo", "guardá: llamar a Iñigo, por favor", "llamar a Iñigo"),
        ("dosis 7.5 ml cada 8 horas", "nota: la dosis es 7,5 ml cada 8 horas", "dosis es 7,5 ml cada 8 horas"),
        ("The code is 4471", "ok so remember the code is 4471!!", "the code is 4471"),
        ("5 grados en el freezer", "anotá: -5 grados en el freezer", "-5 grados en el freezer"),
        ("5 ml at night", "note: .5 ml at night.", ".5 ml at night"),
        ("2 leches", "- pan\n-2 leches", "2 leches"),
        ("the password is ab1$x", "note: the password is ab1$x~", "the password is ab1$x~"),
        ("the code is 4471", "note: *the code is 4471*", "the code is 4471"),
        ("clave *ab1$x*", "anotá la clave *ab1$x*, dale", "clave *ab1$x*"),
        ("llaves roble4417", "anotá: llaves «roble4417».", "llaves «roble4417"),
        ("Ana23:49", "anotá que Ana 23:49", "Ana 23:49"),
    ],
)
def test_the_nearest_span_of_the_message_is_taken(value: str, message: str, kept: str) -> None:
    assert own_words(value, [message]) == kept


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("buy milk and eggs", "anotá comprar leche"),
        ("the meeting was moved to Monday", "save a note"),
        ("", "anything"),
        ("…", "anything"),
        ("12345", "nothing of that kind here"),
    ],
)
def test_what_the_person_did_not_write_is_not_taken(value: str, message: str) -> None:
    assert own_words(value, [message]) is None


def test_the_newest_message_wins_among_equals_and_earlier_ones_count() -> None:
    assert find_span("pan", ["pan y leche", "pan"]).source == 0  # type: ignore[union-attr]  # it is there
    assert own_words("call the vet at 5", ["make a note of that", "call the vet at 6"]) == "call the vet at 6"


def test_a_literal_that_was_left_out_is_brought_back_unless_it_belongs_elsewhere() -> None:
    message = "anotá que el router es 192.168.40.7 y el usuario ops_91, y cuánto es 14x14"
    span = find_span("el router es 192.168.40.7", [message])
    assert span is not None
    whole = (0, len(message))
    more = grown(span, message, within=whole, used=["14x14"])
    assert message[more.start : more.end] == "el router es 192.168.40.7 y el usuario ops_91"
    assert grown(span, message, within=whole, used=["ops_91", "14x14"]) == span
    assert grown(span, message, within=(0, span.end)) == span


@given(PLAIN_WORDS, CODES, PLAIN_WORDS, st.integers(0, 10), st.sampled_from(string.digits + "xz"))
def test_a_distorted_code_is_stored_as_written_or_not_at_all(
    before: list[str], code: str, after: list[str], at: int, other: str
) -> None:
    content = " ".join([*before, code, *after])
    place = at % len(code)
    distorted = " ".join([*before, code[:place] + other + code[place + 1 :], *after])
    kept = own_words(distorted, [f"anotá: {content}"])
    if kept is not None:
        assert code in kept


@given(st.text(max_size=200), st.lists(st.text(max_size=300), max_size=3))
def test_whatever_is_said_only_what_stands_in_a_source_is_kept(value: str, sources: list[str]) -> None:
    kept = own_words(value, sources)
    assert kept is None or any(kept in source for source in sources)
    if kept is not None:
        assert all(any(one in source for source in sources) for one in literals(kept))


@pytest.mark.parametrize(
    ("text", "new", "old", "right"),
    [
        ("the van is $340 a day", "430", "340", "the van is $430 a day"),
        ("the van is $340 a day", "$430", "340", "the van is $430 a day"),
        ("son 20€ por hora", "25", "20", "son 25€ por hora"),
    ],
)
def test_an_amount_that_is_put_right_keeps_its_currency(text: str, new: str, old: str, right: str) -> None:
    assert corrected(text, new, old) == right
