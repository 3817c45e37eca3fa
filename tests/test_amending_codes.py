"""A correction names the part of a code that was wrong: only that becomes another one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.skills.amending import amended


@pytest.mark.parametrize(
    ("kept", "said", "text"),
    [
        ("el casillero es LK-204-88B", "me confundí, termina en 88D no 88B", "el casillero es LK-204-88D"),
        ("el casillero es LK-204-88B", "perdón es 88D no 88B", "el casillero es LK-204-88D"),
        ("el casillero es LK-204-88B", "al final es D no B", "el casillero es LK-204-88D"),
        ("the meter is ZR5512-K", "sorry, 5521 not 5512", "the meter is ZR5521-K"),
        ("the meter is ZR5512-K", "oops it ends in P not K", "the meter is ZR5512-P"),
        ("the meter is ZR5512-K", "my mistake, it ends in 12-P", "the meter is ZR5512-P"),
        ("the meter is ZR5512-K", "sorry, ZR5513-K", "the meter is ZR5513-K"),
        ("the tent cost 150", "no, 140 not 150", "the tent cost 140"),
    ],
)
def test_only_the_part_that_is_named_becomes_another(kept: str, said: str, text: str) -> None:
    found = amended(kept, said)
    assert found is not None
    assert found.text == text


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ("the codes are AB-17 and CD-17", "it ends in 18 not 17"),
        ("el casillero es LK-204-88B", "no me gusta nada"),
    ],
)
def test_what_names_no_one_part_changes_nothing(kept: str, said: str) -> None:
    assert amended(kept, said) is None


@given(
    st.from_regex(r"[A-Z]{2}-[1-4]{3}-[5-9]{2}[A-F]", fullmatch=True),
    st.from_regex(r"[5-9]{2}[G-M]", fullmatch=True),
)
def test_the_rest_of_a_code_stays(code: str, ending: str) -> None:
    found = amended(f"the locker is {code}", f"sorry, it ends in {ending} not {code[-3:]}")
    assert found is not None
    assert found.text == f"the locker is {code[:-3]}{ending}"
