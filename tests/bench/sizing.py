"""What 10,000 to 1,000,000 people need, on paper: `python -m tests.bench.sizing [--write] [--picture FILE]`.

What a message costs was measured (`python -m tests.bench.costs`); how much people write, and what a server with a
GPU does, is assumed and said so. A simulation of the queues (SimPy) finds how many of each keep answers quick.
`--write` puts the tables into docs/operations.md.
"""

import argparse
import re
import sys
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from random import Random
from statistics import quantiles
from typing import Any, Final

import simpy

from tests.bench.curve import draw

ROOT: Final = Path(__file__).resolve().parents[2]
PAGE: Final = ROOT / "docs" / "operations.md"
SIZES: Final = (10_000, 100_000, 1_000_000)
_MARKED: Final = re.compile(r"(<!-- sizing.*?-->\n).*?(\n<!-- end -->)", re.DOTALL)
_TRIES: Final = 12
_STRETCH_S: Final = 60.0
_MESSAGES: Final = 1_500


@dataclass(frozen=True, slots=True)
class Costs:
    """What one message takes of each part. `held_s`: how long all its writes keep those of others waiting."""

    web_s: float
    worker_s: float
    writes: float
    held_s: float
    log_bytes: float


@dataclass(frozen=True, slots=True)
class ModelServer:
    """`at_once` answers side by side, each in `seconds`."""

    name: str
    at_once: int
    seconds: float

    @property
    def per_s(self) -> float:
        return self.at_once / self.seconds


@dataclass(frozen=True, slots=True)
class Habits:
    """How people write: so often a day, and this part of a day's messages in the busiest hour."""

    messages_a_day: float = 10
    busiest_hour: float = 0.1

    def peak_per_s(self, people: int) -> float:
        return people * self.messages_a_day * self.busiest_hour / 3600


@dataclass(frozen=True, slots=True)
class Parts:
    """How many of each there are. Each database has its own people, and its writes follow one another."""

    models: int
    workers: int
    webs: int
    databases: int


@dataclass(frozen=True, slots=True)
class Seen:
    """Of a simulated stretch of the busiest hour, in seconds."""

    acknowledged_p99: float
    answered_p50: float
    answered_p95: float


MEASURED: Final = Costs(web_s=0.012, worker_s=0.046, writes=7.0, held_s=0.015, log_bytes=8_200)
"""By `python -m tests.bench.costs`: plain talk, one turn for each message, Meta's statuses included; 23 November
2026, on two cores with a load of 7. `held_s` is that of the quickest transactions of each kind: on that machine
all of them took 163 ms for each message, most of which they waited for a core."""
BUNDLED: Final = ModelServer("bundled model, two cores", at_once=1, seconds=2.7)
"""The median of fifty conversations, docs/exec-plans/12-everyday.md."""
GPU: Final = ModelServer("server with a GPU", at_once=16, seconds=4.0)
"""Assumed: not measured by us. Measure yours, and change this line."""
BUSY: Final = 0.6
"""How busy a part may be in the busiest hour, so that what comes in bursts does not queue."""
MODEL_BUSY: Final = 0.75
META_PER_S: Final = 80
"""Messages that Meta sends for one number in a second, before it grants more."""


def simulate(load_per_s: float, parts: Parts, costs: Costs, model: ModelServer, *, seed: int = 1) -> Seen:
    """Let messages come for a while, and return how long they took."""
    env, rng = simpy.Environment(), Random(seed)
    webs = simpy.Resource(env, parts.webs)
    workers = simpy.Resource(env, parts.workers)
    models = simpy.Resource(env, parts.models * model.at_once)
    databases = [simpy.Resource(env, 1) for _ in range(parts.databases)]
    acknowledged: list[float] = []
    answered: list[float] = []

    def use(resource: simpy.Resource, seconds: float) -> Generator[Any, Any, None]:
        with resource.request() as place:
            yield place
            yield env.timeout(seconds)

    def message() -> Generator[Any, Any, None]:
        came_s, database = env.now, rng.choice(databases)
        # A third of the writes takes it in; the others claim its turn, commit the answer, and note what was sent.
        yield from use(webs, rng.expovariate(1 / costs.web_s))
        yield from use(database, rng.expovariate(3 / costs.held_s))
        acknowledged.append(env.now - came_s)
        yield from use(workers, rng.expovariate(2 / costs.worker_s))
        yield from use(database, rng.expovariate(3 / costs.held_s))
        yield from use(models, rng.gammavariate(4, model.seconds / 4))
        yield from use(workers, rng.expovariate(2 / costs.worker_s))
        yield from use(database, rng.expovariate(3 / costs.held_s))
        answered.append(env.now - came_s)

    def arrivals() -> Generator[Any, Any, None]:
        while True:
            yield env.timeout(rng.expovariate(load_per_s))
            env.process(message())

    env.process(arrivals())
    env.run(until=max(_STRETCH_S, _MESSAGES / load_per_s))
    answers = quantiles(answered, n=100) if len(answered) > 1 else [float("inf")] * 99
    return Seen(quantiles(acknowledged, n=100)[98], answers[49], answers[94])


def needed(load_per_s: float, costs: Costs, model: ModelServer) -> tuple[Parts, Seen]:
    """Return how many of each keep the answers of nineteen in twenty within twice what the model takes."""
    parts = Parts(
        models=ceil(load_per_s / model.per_s / MODEL_BUSY),
        workers=ceil(load_per_s * costs.worker_s / BUSY),
        webs=ceil(load_per_s * costs.web_s / BUSY),
        databases=ceil(load_per_s * costs.held_s / BUSY),
    )
    for _ in range(_TRIES):
        seen = simulate(load_per_s, parts, costs, model)
        if seen.answered_p95 <= 2 * model.seconds + 1 and seen.acknowledged_p99 <= 1:
            break
        parts = replace(parts, models=parts.models + max(1, parts.models // 10))
    return parts, seen


def limits(costs: Costs, model: ModelServer, habits: Habits) -> list[tuple[str, float, int]]:
    """Return each part with the messages a second and the people that one of it is enough for, scarcest first."""
    per_s = {
        f"one {model.name}": model.per_s * MODEL_BUSY,
        "one worker process": BUSY / costs.worker_s,
        "one web process": BUSY / costs.web_s,
        "the writes of one database": BUSY / costs.held_s,
        "one number at Meta": float(META_PER_S),
    }
    people = {name: round(rate / habits.peak_per_s(1), -2) for name, rate in per_s.items()}
    return sorted(((name, rate, int(people[name])) for name, rate in per_s.items()), key=lambda one: one[1])


def tables(costs: Costs, habits: Habits) -> str:
    """Return what goes into the page."""
    rows = [
        "| people | messages a second | servers with a GPU | or the bundled model, two cores each | workers | web"
    ]
    rows[0] += " | databases | writing transactions a second | log of the database | answers: median, 95 % |"
    rows.append("|---|---|---|---|---|---|---|---|---|---|")
    for people in SIZES:
        load = habits.peak_per_s(people)
        parts, seen = needed(load, costs, GPU)
        bundled = ceil(load / BUNDLED.per_s / MODEL_BUSY)
        log_gb = people * habits.messages_a_day * costs.log_bytes / 1e9
        rows.append(
            f"| {people:,} | {load:.1f} | {parts.models} | {bundled:,} | {parts.workers} | {parts.webs}"
            f" | {parts.databases} | {load * costs.writes:,.0f} | {log_gb:,.0f} GB a day"
            f" | {seen.answered_p50:.1f} s, {seen.answered_p95:.1f} s |"
        )
    rows += ["", "| what fills up | at messages a second | people |", "|---|---|---|"]
    found = {
        name: (rate, people) for server in (BUNDLED, GPU) for name, rate, people in limits(costs, server, habits)
    }
    for name, (rate, people) in sorted(found.items(), key=lambda one: one[1][0]):
        rows.append(f"| {name} | {rate:.2g} | {people:,} |")
    return "\n".join(rows)


def picture(path: Path, costs: Costs, habits: Habits) -> None:
    """Draw how long answers take with one database, and with as many as it needs."""
    curves: dict[str, list[tuple[float, float]]] = {"one": [], "as many": []}
    for thousands in (10, 50, 100, 150, 200, 230, 250, 300):
        load = habits.peak_per_s(thousands * 1000)
        parts, seen = needed(load, costs, GPU)
        one = simulate(load, replace(parts, databases=1), costs, GPU)
        curves["one"].append((thousands, one.answered_p95))
        curves["as many"].append((thousands, seen.answered_p95))
    panels = [("seconds until the answer, 19 of 20, with one database and with as many as needed", curves)]
    draw(path, "Answers in the busiest hour", panels, x_label="thousand people")


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate, print, and write where it was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-day", type=float, default=10)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--picture", type=Path)
    asked = parser.parse_args(arguments)
    habits = Habits(messages_a_day=asked.per_day)
    told = tables(MEASURED, habits)
    sys.stdout.write(told + "\n")
    if asked.write:
        page = PAGE.read_text("utf-8")
        PAGE.write_text(_MARKED.sub(lambda found: found[1] + told + found[2], page), "utf-8")
    if asked.picture is not None:
        picture(asked.picture, MEASURED, habits)
    return 0


if __name__ == "__main__":
    sys.exit(main())
