"""A day on which one is not to come: it is left out where that can be, and no time is taken for the new one."""

from pathlib import Path
from typing import Final

import pytest

from app.llm.local_embedder import LocalEmbedder
from tests.abilities.reminders.test_following import after
from tests.e2e.test_brief import encoder

__all__ = ["encoder"]
OINTMENT: Final = "recordame todos los días a las 7 ponerme la crema"
GECKO: Final = "remind me every day at 7am to feed the gecko"
CHIROPRACTOR: Final = "remind me on Friday at 11am to pay the chiropractor"
EVERY_DAY: Final = "FREQ=DAILY"


@pytest.mark.parametrize(
    "said", ["mañana no, que duermo afuera", "mañana no me avises", "mañana no, tengo vuelo a las 6"]
)
async def test_the_next_day_of_a_series_is_left_out(tmp_path: Path, encoder: LocalEmbedder, said: str) -> None:
    assert await after(tmp_path, encoder, (OINTMENT,), said) == [
        ("ponerme la crema", "2026-11-20T07:00:00", EVERY_DAY)
    ]


@pytest.mark.parametrize("said", ["not tomorrow, I'm at my mum's", "skip tomorrow please", "no need tomorrow, ta"])
async def test_the_next_day_of_a_series_is_left_out_in_english(
    tmp_path: Path, encoder: LocalEmbedder, said: str
) -> None:
    assert await after(tmp_path, encoder, (GECKO,), said) == [("feed the gecko", "2026-11-20T07:00:00", EVERY_DAY)]


@pytest.mark.parametrize("said", ["not on Saturday", "not today thanks", "don't remind me on Sunday"])
async def test_a_series_stays_where_a_day_cannot_be_left_out(
    tmp_path: Path, encoder: LocalEmbedder, said: str
) -> None:
    assert await after(tmp_path, encoder, (GECKO,), said) == [("feed the gecko", "2026-11-19T07:00:00", EVERY_DAY)]


@pytest.mark.parametrize(
    ("said", "due"),
    [
        ("not Saturday please", "2026-11-20T11:00:00"),
        ("not on Friday, I'm off", "2026-11-20T11:00:00"),
        ("not Friday, Saturday", "2026-11-21T11:00:00"),
        ("no, Saturday", "2026-11-21T11:00:00"),
        ("not Friday, make it Monday", "2026-11-23T11:00:00"),
    ],
)
async def test_one_that_comes_once_moves_only_to_a_day_that_is_wished_for(
    tmp_path: Path, encoder: LocalEmbedder, said: str, due: str
) -> None:
    assert await after(tmp_path, encoder, (CHIROPRACTOR,), said) == [("pay the chiropractor", due, "")]
