"""python -m app doctor: every hop from the settings to Meta, and the fix for each that fails."""

import sys

from rich.console import Console

from app.cli.doctor.plan import World, open_hops
from app.cli.doctor.report import JsonReport, TextReport, is_healthy
from app.cli.doctor.runner import Cleaner, run_hops
from app.cli.doctor.settings import Loaded, secrets_of


async def examine(loaded: Loaded, report: TextReport | JsonReport, world: World, *, is_quick: bool) -> bool:
    """Go the round and report it; True when nothing failed.

    Needs no running service and changes nothing of one that runs. With `is_quick` the model is not asked.
    """
    clean = Cleaner(secrets_of(loaded.settings))
    async with open_hops(loaded, world, is_quick=is_quick) as hops:
        findings = await run_hops(hops, report, clean)
    report.close(findings)
    return is_healthy(findings)


def make_report(*, is_json: bool) -> TextReport | JsonReport:
    """Return who writes to standard output."""
    return JsonReport(sys.stdout) if is_json else TextReport(Console(highlight=False))
