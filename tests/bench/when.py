"""How many times of a set are read right, asked about, or silently wrong: `python -m tests.bench.when FILE ...`.

A file of sentences as `tests/data/when/*.txt`, or JSON: `now`, and cases with `text`, `lang` and what is right:
`any_of` moments (`at`, or `day` with `between_hours`) or `recurs`. Fails when one is silently wrong.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

from dateutil.rrule import rrulestr
from rich.console import Console

from app.language.catalogue import Language
from app.when.meanings import Point, Repeat, Unsure, When
from app.when.reading import read_when
from app.when.rules import occurrences
from tests.test_when import NOW, fits

_FREQUENCIES: Final = {"H": "HOURLY", "D": "DAILY", "W": "WEEKLY", "M": "MONTHLY", "Y": "YEARLY"}
_COMPARED: Final = 40


def outcomes(file: Path) -> Iterator[tuple[str, str]]:
    """Yield each text with "right", "asked" or "silently wrong"; where only asking is right, that is "right"."""
    if file.suffix != ".json":
        lines = [line.split(" | ") for line in file.read_text("utf-8").splitlines() if line and line[0] != "#"]
        for language, text, expected in lines:
            found = read_when(text, NOW, _language(language))
            yield text, "right" if fits(expected, found) else _otherwise(found)
        return
    given = json.loads(file.read_text("utf-8"))
    now = datetime.fromisoformat(given["now"])
    for case in given["cases"]:
        found = read_when(case["text"], now, _language(case["lang"]))
        yield case["text"], "right" if _is_right(case, found) else _otherwise(found)


def _language(name: str) -> Language:
    return "en" if name == "en" else "es"


def _otherwise(found: When) -> str:
    return "asked" if isinstance(found, Unsure) else "silently wrong"


def _is_right(case: Mapping[str, Any], found: When) -> bool:
    if "recurs" in case:
        return isinstance(found, Repeat) and _recurs(case["recurs"], found)
    return isinstance(found, Point) and any(_is_at(one, found.at) for one in case.get("any_of", ()))


def _is_at(wanted: Mapping[str, Any], at: datetime) -> bool:
    if "at" in wanted:
        return at == datetime.fromisoformat(wanted["at"])
    low, high = wanted.get("between_hours", (0, 23))
    return bool(at.date().isoformat() == wanted["day"] and low <= at.hour <= high)


def _recurs(wanted: Mapping[str, Any], found: Repeat) -> bool:
    """Compare the first forty times with those of the rule that the case spells out."""
    parts = [f"FREQ={_FREQUENCIES[wanted['freq']]}", f"INTERVAL={wanted.get('interval', 1)}"]
    parts += [f"BYDAY={','.join(wanted['by'])}"] if "by" in wanted else []
    parts += [f"BYMONTHDAY={wanted['md']}"] if "md" in wanted else []
    if "h" in wanted and found.first.hour != wanted["h"]:
        return False
    theirs = list(islice(occurrences(found.rule, found.first), _COMPARED))
    return theirs == list(islice(rrulestr(";".join(parts), dtstart=found.first), _COMPARED))


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("files", type=Path, nargs="+")
    wrong, console = 0, Console(width=120)
    for file in arguments.parse_args().files:
        found = list(outcomes(file))
        count = Counter(how for _, how in found)
        wrong += count["silently wrong"]
        for text, how in found:
            if how != "right":
                console.print(f"  {how}: {text}", markup=False, highlight=False)
        console.print(f"{file.name}: right {count['right']} of {len(found)}, asked {count['asked']}, "
              f"silently wrong {count['silently wrong']}")  # fmt: skip
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
