"""Days that are given back, several that are left out, and the one of two that is meant."""

from pathlib import Path
from typing import Final

import pytest

from app.llm.local_embedder import LocalEmbedder
from app.skills.tools.reminders.elsewhere import tells_hour_elsewhere
from tests.abilities.reminders.test_following import after
from tests.e2e.test_brief import encoder

__all__ = ["encoder"]
DROPS: Final = "recordame todos los días a las 7 ponerme las gotas"
PARROT: Final = "remind me every day at 7am to feed the parrot"
BINS: Final = "remind me every Tuesday at 6pm to sweep the porch"
TILES: Final = "remind me tomorrow at 10 to order the tiles"
LAMP: Final = "remind me tomorrow at 11 to fix the lamp"
EVERY_DAY: Final = "FREQ=DAILY"


@pytest.mark.parametrize(
    ("before", "said", "due"),
    [
        ((), "don't skip today", "2026-11-19T07:00:00"),
        (("skip tomorrow",), "oh no, don't skip it", "2026-11-19T07:00:00"),
        ((), "skip tomorrow and Friday", "2026-11-21T07:00:00"),
        ((), "no parrot tomorrow and Friday", "2026-11-21T07:00:00"),
        ((), "no alarm tomorrow because my aunt is here", "2026-11-20T07:00:00"),
    ],
)
async def test_days_of_a_series(
    tmp_path: Path, encoder: LocalEmbedder, before: tuple[str, ...], said: str, due: str
) -> None:
    assert await after(tmp_path, encoder, (PARROT, *before), said) == [("feed the parrot", due, EVERY_DAY)]


@pytest.mark.parametrize(
    ("before", "said", "due"),
    [
        (("saltate mañana",), "no, mejor no lo saltes", "2026-11-19T07:00:00"),
        (("mañana no, duermo afuera",), "sí recordame mañana", "2026-11-19T07:00:00"),
        ((), "mañana y el viernes no", "2026-11-21T07:00:00"),
    ],
)
async def test_days_of_a_series_in_spanish(
    tmp_path: Path, encoder: LocalEmbedder, before: tuple[str, ...], said: str, due: str
) -> None:
    assert await after(tmp_path, encoder, (DROPS, *before), said) == [("ponerme las gotas", due, EVERY_DAY)]


async def test_a_weekday_behind_and_is_one_more(tmp_path: Path, encoder: LocalEmbedder) -> None:
    assert len(await after(tmp_path, encoder, (BINS,), "and Fridays")) > 1


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("cancel the other one", ["fix the lamp"]),
        ("delete both of them", []),
        ("don't cancel it", ["order the tiles", "fix the lamp"]),
        ("cancel that one, keep the other one", ["order the tiles"]),
    ],
)
async def test_which_of_two_is_called_off(
    tmp_path: Path, encoder: LocalEmbedder, said: str, left: list[str]
) -> None:
    assert sorted(one[0] for one in await after(tmp_path, encoder, (TILES, LAMP), said)) == sorted(left)


@pytest.mark.parametrize(
    ("text", "is_elsewhere"),
    [
        ("remind me at 5pm Lisbon time to ring Zoe", True),
        ("recordame a las 5 hora de roma llamar a Zoe", True),
        ("at 6 Costa Rica time ring Ana", True),
        ("remind me at 5pm it's time to stretch", False),
        ("a las 5 es hora de cenar", False),
        ("remind me at 5 that tea time is over", False),
        ("remind me in 1 hora", False),
    ],
)
def test_hours_of_another_place_are_no_local_ones(text: str, is_elsewhere: bool) -> None:
    assert tells_hour_elsewhere(text) is is_elsewhere
