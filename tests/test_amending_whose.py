"""Whose number is put right, where a text tells of two people."""

import pytest

from app.skills.amending import amended
from app.skills.amending_whose import says_whose


@pytest.mark.parametrize(
    ("kept", "said", "right"),
    [
        (
            "my nephew takes an 11 and my niece takes a 4",
            "hers is a 5",
            "my nephew takes an 11 and my niece takes a 5",
        ),
        (
            "my dad wears a 43 and my gran wears a 36",
            "sorry, his is 45 not 43",
            "my dad wears a 45 and my gran wears a 36",
        ),
        ("my uncle is 61 and my aunt is 58", "no, she's 57", "my uncle is 61 and my aunt is 57"),
        ("mi yerno calza 43 y mi nuera 36", "la de ella es 37", "mi yerno calza 43 y mi nuera 37"),
        (
            "mi suegro cumple 80 y mi suegra 77",
            "perdón, el de él es 81 no 80",
            "mi suegro cumple 81 y mi suegra 77",
        ),
    ],
)
def test_only_the_number_of_whom_is_meant_changes(kept: str, said: str, right: str) -> None:
    found = amended(kept, said)
    assert found is not None
    assert found.text == right


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ("my niece takes a 4 and my gran takes a 6", "hers is a 5"),
        ("a 4 for my niece and an 11 for my nephew", "hers is a 5"),
        ("my niece is 9 and takes a 4", "hers is a 5"),
        ("my niece is 9 and my nephew takes an 11", "hers is a 5"),
        ("my dad wears a 43 and my gran wears a 36", "sorry, his is 45 not 36"),
        ("my dad wears a 43", "hers is a 36"),
        ("mi yerno calza 43", "el de ella es 37"),
    ],
)
def test_a_number_that_may_be_anothers_stays(kept: str, said: str) -> None:
    assert amended(kept, said) is None


@pytest.mark.parametrize(
    "said", ["she's 5", "he is 40", "ella tiene 8", "hers is a 5 and it pinches", "his is broken"]
)
def test_what_only_tells_of_somebody_puts_nothing_right(said: str) -> None:
    assert not says_whose(said)
