"""How well and how soon messages are sorted: `python -m tests.bench.sorting [--set FILE]`.

On tests/data/sorting_check.toml, 302 messages that no fit sees, written in another manner than the examples.
"followup" stands for what makes sense only with the turn before. Which sentences fail is not shown: who tunes
looks at the figures only.

A set is JSON: a list of {"text", "labels", "wish"}. Its messages are sorted as in a turn, also where the head is
unsure; right is what gets exactly the categories that were meant.
"""

import argparse
import asyncio
import json
import statistics
import time
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from app.llm.local_embedder import LocalEmbedder
from app.skills.router import TOOL_CATEGORIES, SortingFacts
from app.skills.sorting import Sorted, Sorter
from app.skills.sorting.examples import FOLLOWUP, NO_CATEGORY, Label, read_label
from app.skills.sorting.quick import HeadSorter

CHECK: Final = Path(__file__).resolve().parents[1] / "data" / "sorting_check.toml"
WARM_UP: Final = 10


@dataclass(frozen=True, slots=True)
class Message:
    text: str
    label: Label
    language: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was made of a message, in how many milliseconds, and how many of them the processor worked for it."""

    message: Message
    said: Sorted
    latency_ms: float
    worked_ms: float

    @property
    def wanted(self) -> frozenset[str]:
        return frozenset(self.message.label.categories) or frozenset({NO_CATEGORY})

    @property
    def found(self) -> frozenset[str]:
        return frozenset(self.said.categories) if not self.said.refers_back else _referring(self.said)

    @property
    def is_right(self) -> bool:
        return self.wanted == self.found


def _referring(said: Sorted) -> frozenset[str]:
    return frozenset({FOLLOWUP, *said.categories} - {NO_CATEGORY})


def load_messages() -> list[Message]:
    """Read the messages with their labels."""
    tables = tomllib.loads(CHECK.read_text("utf-8"))
    return [
        Message(text, read_label(key), language)
        for language, table in tables.items()
        for key, texts in table.items()
        for text in texts
    ]


async def measure(sorter: Sorter, messages: Sequence[Message]) -> list[Outcome]:
    """Sort every message, one after the other."""
    for message in messages[:WARM_UP]:
        await sorter.sort(message.text)
    outcomes = []
    for message in messages:
        begun, worked = time.perf_counter(), time.process_time()
        said = await sorter.sort(message.text)
        latency_ms, worked_ms = (time.perf_counter() - begun) * 1000, (time.process_time() - worked) * 1000
        outcomes.append(Outcome(message, said, latency_ms, worked_ms))
    return outcomes


async def measure_set(sorter: Sorter, messages: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print how many messages of a set are sorted right, without showing one."""
    quick = HeadSorter(sorter, decides_alone=True)
    facts = SortingFacts(tuple(TOOL_CATEGORIES))
    right, sure, unwished = [], [], []
    for one in messages:
        intent, said = await quick.sort(one["text"], facts), await sorter.sort(one["text"])
        is_right = intent is not None and set(intent.categories) == set(one["labels"])
        right.append(is_right)
        sure += [is_right] if said.is_sure else []
        unwished += [said.wish == "act" and said.categories != (NO_CATEGORY,)] if one["wish"] == "talk" else []
    console.print(
        f"{len(right)} messages, right {_share(sum(right), len(right))}, sure {_share(len(sure), len(right))}, "
        f"of the sure right {_share(sum(sure), len(sure))}, "
        f"a wish to change something seen where there is none {sum(unwished)} of {len(unwished)}"
    )


def print_report(outcomes: Sequence[Outcome], console: Console) -> None:
    """Print the shares, the time and what was taken for what."""
    for name, own in (
        ("all", outcomes),
        ("Spanish", [one for one in outcomes if one.message.language == "es"]),
        ("English", [one for one in outcomes if one.message.language == "en"]),
    ):
        console.print(f"{name}: {_shares(own)}")
    console.print(f"latency: {_times([one.latency_ms for one in outcomes])}")
    console.print(f"processor time: {_times([one.worked_ms for one in outcomes])}")
    table = Table("wanted", "found", "times", "of them sure")
    wrong = Counter((_named(one.wanted), _named(one.found)) for one in outcomes if not one.is_right)
    sure = Counter((_named(one.wanted), _named(one.found)) for one in outcomes if one.said.is_sure)
    for pair, count in wrong.most_common():
        table.add_row(*pair, str(count), str(sure[pair]))
    console.print(table)
    rows = Table("category", "messages", "right", "sure")
    for category in sorted({_named(one.wanted) for one in outcomes}):
        own = [one for one in outcomes if _named(one.wanted) == category]
        rows.add_row(
            category, str(len(own)), str(sum(o.is_right for o in own)), str(sum(o.said.is_sure for o in own))
        )
    console.print(rows)


def _times(times_ms: Sequence[float]) -> str:
    p95 = sorted(times_ms)[int(len(times_ms) * 0.95)]
    return f"p50 {statistics.median(times_ms):.1f} ms, p95 {p95:.1f} ms"


def _shares(outcomes: Sequence[Outcome]) -> str:
    sure = [one for one in outcomes if one.said.is_sure]
    wish = sum(one.said.wish == one.message.label.wish for one in outcomes)
    fact = sum(one.said.tells_fact == one.message.label.tells_fact for one in outcomes)
    return (
        f"{len(outcomes)} messages, right {_share(sum(one.is_right for one in outcomes), len(outcomes))}, "
        f"sure {_share(len(sure), len(outcomes))}, "
        f"of the sure right {_share(sum(one.is_right for one in sure), len(sure))}, "
        f"wish right {_share(wish, len(outcomes))}, fact right {_share(fact, len(outcomes))}"
    )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.1f} % ({part})"


def _named(categories: frozenset[str]) -> str:
    return "+".join(sorted(categories))


def main() -> None:
    """Measure on the local embedder."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument(
        "--set", type=Path, default=None, help="a set that is kept apart; totals alone are shown"
    )
    chosen = arguments.parse_args().set
    embedder = LocalEmbedder.open()
    if embedder is None:
        raise SystemExit("the extra `local` is not installed")
    with closing(embedder):
        sorter = Sorter.open(embedder)
        assert sorter is not None, "the head was fitted to another model's vectors"
        if chosen is not None:
            asyncio.run(measure_set(sorter, json.loads(chosen.read_text("utf-8")), Console()))
            return
        print_report(asyncio.run(measure(sorter, load_messages())), Console())


if __name__ == "__main__":
    main()
