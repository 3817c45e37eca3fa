"""How long the very first message takes, beside later ones, on a fresh disk and after a restart.

`.venv/bin/python -m tests.bench_model.first [--model FILE]`
"""

import argparse
import asyncio
import statistics
import tempfile
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import structlog
from rich.console import Console
from rich.table import Table
from structlog.testing import capture_logs

from tests.bench_model.everyday import World, world

_FIRST_NUMBER: Final = 5_491_160_000_000
_LATER: Final = 4
_QUIET_S: Final = 60
_SAID: Final = (
    "Buenas tardes, ¿todo en orden?",
    "Contame algo lindo",
    "¿Qué tal tu día?",
    "Hi there!",
    "Decime algo",
)


@dataclass(frozen=True)
class Start:
    """One start of the service: seconds, and tokens read anew, of the first message and of later ones."""

    seconds: list[float]
    anew: list[int]
    warmed: list[str]


async def _measure(model: Path | None, data_dir: Path, *, is_patient: bool) -> Start:
    """Let new people write one after the other."""
    people = [str(_FIRST_NUMBER + number) for number in range(_LATER + 1)]
    with capture_logs() as logs:
        async with world(model, data_dir, people) as place:
            if is_patient:
                await until_quiet(logs)
            seconds = [await _say(place, person, said) for person, said in zip(people, _SAID, strict=True)]
    turns = [entry for entry in logs if entry["event"] == "turn.finished"]
    anew = [int(turn["prompt_tokens"]) - int(turn["cached_tokens"]) for turn in turns]
    return Start(seconds, anew, _warmed(logs))


def _warmed(logs: Sequence[MutableMapping[str, Any]]) -> list[str]:
    return [entry["event"] for entry in logs if entry["event"].startswith("model.prefix")]


async def until_quiet(logs: Sequence[MutableMapping[str, Any]]) -> None:
    """Wait until nothing more has been warmed for a while."""
    seen = -1
    while seen != len(_warmed(logs)):
        seen = len(_warmed(logs))
        await asyncio.sleep(_QUIET_S)


async def _say(place: World, person: str, said: str) -> float:
    talk = await place.hold({"id": "first", "turns": [said], "expect": {}}, person)
    return talk.turns[0].seconds


async def run(model: Path | None, console: Console) -> None:
    """Print a table of three starts, the last two over the disk that the one before left behind."""
    table = Table("start", "first s", "later s", "ratio", "first: tokens read", "later", "prefixes")
    with tempfile.TemporaryDirectory() as directory:
        for name, is_patient in (
            ("new, at once", False),
            ("again, when quiet", True),
            ("restart, at once", False),
        ):
            start = await _measure(model, Path(directory), is_patient=is_patient)
            later = statistics.median(start.seconds[1:])
            table.add_row(
                name,
                f"{start.seconds[0]:.1f}",
                f"{later:.1f}",
                f"{start.seconds[0] / later:.2f}",
                str(start.anew[0]),
                f"{statistics.median(start.anew[1:]):.0f}",
                ", ".join(f"{start.warmed.count(way)} {way[13:]}" for way in sorted(set(start.warmed))),
            )
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=None, help="a GGUF file; else the one in data/models")
    # Every turn of the bundled model writes lines that hide the table.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(20))
    asyncio.run(run(parser.parse_args().model, Console()))


if __name__ == "__main__":
    main()
