"""The new name of what was just made: it is kept whole, and what is no name renames nothing."""

import time

import pytest

from app.skills.renaming import read_new_name


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("rename it to Salt, Pepper", "Salt, Pepper"),
        ("call it Mr. Fox", "Mr. Fox"),
        ("rename it to 7:15 crew, thanks", "7:15 crew"),
        ("call it v3.2 launch", "v3.2 launch"),
        ("call it Attic. It is upstairs", "Attic"),
        ("call it Attic, I like that", "Attic"),
        ("rename it to monday choir", "monday choir"),
        ("renombralo a Cal, Arena y Piedra porfa", "Cal, Arena y Piedra"),
        ("ponele de nombre Dra. Sosa", "Dra. Sosa"),
        ("llamalo Mañana mejor", "Mañana"),
    ],
)
def test_a_name_is_kept_whole(said: str, name: str) -> None:
    assert read_new_name(said) == name


@pytest.mark.parametrize(
    "said",
    [
        "llamalo mañana", "llamala hoy a la tarde", "llamalo luego", "llamala el martes", "llamalo después",
        "call it quits", "call it even", "name it after my aunt", "call it tomorrow", "call it a day",
    ],
)  # fmt: skip
def test_what_is_no_name_renames_nothing(said: str) -> None:
    assert read_new_name(said) == ""


def test_a_long_one_is_read_in_no_time() -> None:
    began = time.perf_counter()
    for _ in range(20):
        read_new_name("call it" + " because" * 13)
    assert time.perf_counter() - began < 0.1
