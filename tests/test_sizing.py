"""The sizes on paper: queues behave as queues do, and the page says what the program says."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.bench.costs import read_log
from tests.bench.sizing import BUNDLED, GPU, MEASURED, Habits, Parts, limits, needed, simulate

ROOT = Path(__file__).resolve().parents[1]
LOG = """\
2026-11-23 19:00:00.000 UTC 7 LOG:  duration: 0.1 ms  statement: BEGIN; SELECT pg_advisory_xact_lock(1)
2026-11-23 19:00:00.001 UTC 8 LOG:  duration: 0.1 ms  parse x: SELECT 1
2026-11-23 19:00:00.002 UTC 7 LOG:  duration: 0.1 ms  execute x: INSERT INTO notes VALUES ($1)
2026-11-23 19:00:00.002 UTC 7 DETAIL:  parameters: $1 = 'LOG:  duration: 9 ms  statement: COMMIT'
2026-11-23 19:00:00.004 UTC 8 LOG:  duration: 0.1 ms  execute y: SELECT title FROM notes
2026-11-23 19:00:00.005 UTC 7 LOG:  duration: 2.0 ms  statement: COMMIT
2026-11-23 19:00:00.015 UTC 8 LOG:  duration: 9.9 ms  statement: BEGIN; SELECT pg_advisory_xact_lock(1)
2026-11-23 19:00:00.018 UTC 8 LOG:  duration: 0.1 ms  statement: ROLLBACK
"""


def test_who_kept_others_waiting_is_read_from_the_log_of_the_database() -> None:
    writes = read_log(LOG)
    assert (writes.count, writes.statements) == (2, 6)
    assert (writes.held_ms, writes.quiet_ms) == (8.0, 8.0)


def test_answers_come_late_when_one_part_is_full_and_in_time_when_there_are_two() -> None:
    enough = Parts(models=40, workers=10, webs=4, databases=2)
    load = 1.2 / MEASURED.held_s
    slow = simulate(load, replace(enough, databases=1), MEASURED, GPU)
    quick = simulate(load, replace(enough, databases=2), MEASURED, GPU)
    assert quick.answered_p95 < 2 * GPU.seconds + 1 < slow.answered_p95


def test_the_model_fills_up_first_and_then_the_writes_of_a_database() -> None:
    names = [name for name, _, _ in limits(MEASURED, GPU, Habits())]
    assert names[0] == f"one {GPU.name}"
    assert names.index("the writes of one database") < names.index("one number at Meta")


@pytest.mark.parametrize("people", [10_000])
def test_the_page_says_what_the_program_says(people: int) -> None:
    page = (ROOT / "docs" / "operations.md").read_text("utf-8")
    habits = Habits()
    load = habits.peak_per_s(people)
    parts, _ = needed(load, MEASURED, GPU)
    [row] = [line for line in page.splitlines() if line.startswith(f"| {people:,} | {load:.1f} |")]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert (cells[2], *cells[4:7]) == tuple(map(str, (parts.models, parts.workers, parts.webs, parts.databases)))
    for server in (GPU, BUNDLED):
        for name, rate, enough_for in limits(MEASURED, server, habits):
            assert f"| {name} | {rate:.2g} | {enough_for:,} |" in page
