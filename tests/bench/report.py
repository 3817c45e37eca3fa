"""The table that the benchmark prints."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Final

from rich.console import Console
from rich.table import Table

from tests.bench.load import Answers, Burst

BAR_MS: Final = 15.0
"""How much slower than the bare route an acknowledgement may be, at the median."""


@dataclass(frozen=True, slots=True)
class Round:
    """The same load on both, one right after the other."""

    bare: Burst
    service: Burst
    answers: Answers

    @property
    def added_ms(self) -> float:
        """What our work adds to the median acknowledgement."""
        return percentile(self.service, 50) - percentile(self.bare, 50)

    @property
    def is_flawless(self) -> bool:
        return self.answers.is_flawless and len(self.service.ack_ms) == self.answers.expected


def replies_per_second(one: Round) -> float:
    """Replies per second until the last one came."""
    return one.answers.answered / (one.answers.late_s or 1)


@dataclass(frozen=True, slots=True)
class _Line:
    name: str
    value: Callable[[Round], float]
    digits: int = 1


_LINES: Final = (
    _Line("ack p50, bare route (ms)", lambda r: percentile(r.bare, 50)),
    _Line("ack p95, bare route (ms)", lambda r: percentile(r.bare, 95)),
    _Line("ack p99, bare route (ms)", lambda r: percentile(r.bare, 99)),
    _Line("ack p50, service (ms)", lambda r: percentile(r.service, 50)),
    _Line("ack p95, service (ms)", lambda r: percentile(r.service, 95)),
    _Line("ack p99, service (ms)", lambda r: percentile(r.service, 99)),
    _Line(f"added at the median (ms; bar {BAR_MS:g})", lambda r: r.added_ms),
    _Line("acknowledged", lambda r: len(r.service.ack_ms), 0),
    _Line("answered", lambda r: r.answers.answered, 0),
    _Line("out of order", lambda r: r.answers.out_of_order, 0),
    _Line("duplicates and other unexpected", lambda r: r.answers.unexpected, 0),
    _Line("time until the last reply (s)", lambda r: r.answers.late_s, 2),
    _Line("replies per second", replies_per_second),
)


def percentile(burst: Burst, percent: int) -> float:
    """Milliseconds within which that share of the acknowledgements came (linear interpolation)."""
    if len(burst.ack_ms) < 2:
        return float("nan")
    return quantiles(burst.ack_ms, n=100, method="inclusive")[percent - 1]


def show(title: str, rounds: Sequence[Round]) -> None:
    """Print every round, the median of the rounds, and their spread."""
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for number in range(1, len(rounds) + 1):
        table.add_column(f"round {number}", justify="right")
    table.add_column("median", justify="right", style="bold")
    table.add_column("spread", justify="right")
    for line in _LINES:
        values = [line.value(one) for one in rounds]
        table.add_row(
            line.name,
            *(f"{value:.{line.digits}f}" for value in values),
            f"{median(values):.{line.digits}f}",
            f"{max(values) - min(values):.{line.digits}f}",
        )
    console = Console(width=110)
    console.print(table)
    added_ms = median(one.added_ms for one in rounds)
    console.print(f"speed: {added_ms:.1f} ms added, {'below' if added_ms < BAR_MS else 'ABOVE'} the bar")
    flawless = all(one.is_flawless for one in rounds)
    console.print("messages: each answered once, in order" if flawless else "messages: LOST, REPEATED or MIXED UP")
