"""How many things a message asks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.small_models import MAX_REQUESTS, count_requests


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 1),
        ("gracias", 1),
        ("¿Qué notas tengo?", 1),
        ("Hola! ¿todo bien?", 1),
        ("4 tickets at 18.75 each, how much is that?", 1),
        ("Anotá comprar harina y decime cuánto es 27*31", 2),
        ("Calculate 12% of 950 and save it in a note called Tip", 2),
        ("Anotá comprar leche y pan", 1),
        ("Guardá una nota: llamar a Ana y comprar pan para la cena", 1),
        ('Add a task "sand and paint the door" to Balcony', 1),
        ("Create a project called Patio. Add the task buy soil. Show my projects. Thank you all", 3),
    ],
)
def test_a_message_asks_for_as_many_things_as_it_has_clauses(text: str, count: int) -> None:
    assert count_requests(text) == count


@given(st.text())
def test_any_text_asks_for_one_to_three_things(text: str) -> None:
    assert 1 <= count_requests(text) <= MAX_REQUESTS
