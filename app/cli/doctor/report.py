"""Show the round: signs and next steps for people, JSON for programs."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import Final, TextIO

from rich.console import Console
from rich.status import Status as Spinner
from rich.text import Text

from app.cli.doctor.round import Finding, Hop, Status

SIGNS: Final[Mapping[Status, str]] = MappingProxyType({"ok": "✔", "failed": "✖", "skipped": "–"})
_STYLES: Final[Mapping[Status, str]] = MappingProxyType({"ok": "green", "failed": "bold red", "skipped": "dim"})


class TextReport:
    """A line for each hop as soon as it is known; colours and a sign of life on a terminal only."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._spinner: Spinner | None = None

    def began(self, hop: Hop) -> None:
        """Show on a terminal what is being looked at."""
        if self._console.is_terminal:
            self._spinner = self._console.status(Text(f"{hop.name} …"))
            self._spinner.start()

    def found(self, finding: Finding) -> None:
        """Print the hop, and what to do next where there is something to do."""
        if self._spinner is not None:
            self._spinner.stop()
            self._spinner = None
        outcome = finding.outcome
        line = Text.assemble(
            (SIGNS[outcome.status], _STYLES[outcome.status]), f" {finding.hop}: ", outcome.sentence
        )
        self._print(line)
        if outcome.next_step:
            self._print(Text(f"    → {outcome.next_step}"))

    def close(self, findings: Sequence[Finding]) -> None:
        """Print how it went on the whole."""
        failures = [finding for finding in findings if finding.outcome.status == "failed"]
        unchecked = [finding for finding in findings if finding.outcome.status == "skipped"]
        counted = f"{len(findings) - len(unchecked)} checked"
        if unchecked:
            counted += f", {len(unchecked)} not: {', '.join(finding.hop for finding in unchecked)}"
        if not failures:
            self._print(Text(f"What was checked works. {counted}."))
            return
        count = "One hop does" if len(failures) == 1 else f"{len(failures)} hops do"
        self._print(Text(f"{count} not work; begin with: {failures[0].hop}. {counted}."))

    def _print(self, line: Text) -> None:
        self._console.print(line, soft_wrap=True)


class JsonReport:
    """One JSON object at the end: `{"ok": …, "hops": [{"hop", "status", "sentence", "next_step"}]}`."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def began(self, hop: Hop) -> None:
        """Say nothing: a program waits for the whole."""

    def found(self, finding: Finding) -> None:
        """Say nothing: a program waits for the whole."""

    def close(self, findings: Sequence[Finding]) -> None:
        """Write the object."""
        hops = [{"hop": finding.hop, **asdict(finding.outcome)} for finding in findings]
        body = {"ok": is_healthy(findings), "hops": hops}
        self._out.write(json.dumps(body, ensure_ascii=False, indent=2) + "\n")


def is_healthy(findings: Sequence[Finding]) -> bool:
    """Tell whether no hop failed; those that were not checked do not count."""
    return all(finding.outcome.status != "failed" for finding in findings)
