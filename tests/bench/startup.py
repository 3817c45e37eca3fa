"""Seconds from the start of `python -m app serve` to its first answer, its processor time and memory then.

Without a model. Processor time says more where others use the machine, too.

usage: python -m tests.bench.startup [--against CHECKOUT]
With another checkout, both are started in turns: what is compared ran in the same minutes.
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from tests.bench.processes import REPOSITORY, answers, free_ports
from tests.builders import APP_SECRET, PHONE_NUMBER_ID, VERIFY_TOKEN

ROUNDS: Final = 7
SETTLE_S: Final = 2.0
"""How long the service may go on by itself before its memory is read."""
_KIB_PER_MB: Final = 1024


@dataclass(frozen=True, slots=True)
class Start:
    seconds: float
    processor_s: float
    resident_mb: float


def _settings(directory: Path, port: int) -> Mapping[str, str]:
    return {
        "WHATSAPP_ACCESS_TOKEN": "a-token-that-only-the-benchmark-knows",
        "WHATSAPP_PHONE_NUMBER_ID": PHONE_NUMBER_ID,
        "WHATSAPP_VERIFY_TOKEN": VERIFY_TOKEN,
        "WHATSAPP_APP_SECRET": APP_SECRET,
        "WHATSAPP_API_BASE_URL": "http://127.0.0.1:9",
        "ALLOWED_PHONE_NUMBERS": "5491155500000",
        "LLM_PROVIDER": "ollama",
        "OLLAMA_BASE_URL": "http://127.0.0.1:9",
        "DATA_DIR": str(directory / "data"),
        "HOST": "127.0.0.1",
        "PORT": str(port),
    }


async def start_once(checkout: Path) -> Start:
    """Start the service of a checkout over an empty data directory, and stop it."""
    with tempfile.TemporaryDirectory() as directory:
        port = free_ports(1)[0]
        env = {**os.environ, "PYTHONPATH": str(checkout), **_settings(Path(directory), port)}
        began = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "app", "serve"),
            cwd=directory,
            env=env,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            await answers(port)
            seconds = time.perf_counter() - began
            processor_s = _processor_s(process.pid)
            await asyncio.sleep(SETTLE_S)
            return Start(seconds, processor_s, _resident_mb(process.pid))
        finally:
            process.terminate()
            await process.wait()


def _resident_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) / _KIB_PER_MB for line in lines if line.startswith("VmRSS:"))


def _processor_s(pid: int) -> float:
    """Return the time of a process's own threads; see proc(5), `stat`, fields 14 and 15."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def measure(checkouts: Sequence[Path]) -> list[list[Start]]:
    """Start each checkout `ROUNDS` times, in turns; the first round only warms the disk's cache."""
    starts: list[list[Start]] = [[] for _ in checkouts]
    for number in range(ROUNDS + 1):
        for place, checkout in zip(starts, checkouts, strict=True):
            start = await start_once(checkout)
            if number:
                place.append(start)
    return starts


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--against", type=Path, help="the root of another checkout")
    against = arguments.parse_args().against
    checkouts = [REPOSITORY] if against is None else [against.resolve(), REPOSITORY]
    table = Table("checkout", "median s", "slowest s", "processor s", "median MB", title=f"start, {ROUNDS} times")
    for number, starts in enumerate(asyncio.run(measure(checkouts))):
        seconds = [start.seconds for start in starts]
        processor = statistics.median(start.processor_s for start in starts)
        memory = statistics.median(start.resident_mb for start in starts)
        name = "this one" if number == len(checkouts) - 1 else "the other"
        table.add_row(
            name, f"{statistics.median(seconds):.2f}", f"{max(seconds):.2f}", f"{processor:.2f}", f"{memory:.0f}"
        )
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
