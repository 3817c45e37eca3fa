"""Show the round: signs and next steps for people, JSON for programs."""

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, TextIO

from rich.console import Console
from rich.status import Status as Spinner
from rich.text import Text

from app.cli.doctor.round import Hop
from app.cli.doctor.texts import DOCTOR
from app.domain.health import Checked, Status
from app.language.catalogue import OF_LOGS, InEachLanguage, Language, say, worded

SIGNS: Final[Mapping[Status, str]] = MappingProxyType({"ok": "✔", "failed": "✖", "skipped": "–"})
_STYLES: Final[Mapping[Status, str]] = MappingProxyType({"ok": "green", "failed": "bold red", "skipped": "dim"})


class TextReport:
    """A line for each hop as soon as it is known; colours and a sign of life on a terminal only."""

    def __init__(self, console: Console, language: Language = OF_LOGS) -> None:
        self._console = console
        self._language = language
        self._spinner: Spinner | None = None

    def began(self, hop: Hop) -> None:
        """Show on a terminal what is being looked at."""
        if self._console.is_terminal:
            self._spinner = self._console.status(Text(f"{worded(hop.title, self._language)} …"))
            self._spinner.start()

    def found(self, finding: Checked) -> None:
        """Print the hop, and what to do next where there is something to do."""
        if self._spinner is not None:
            self._spinner.stop()
            self._spinner = None
        sign = (SIGNS[finding.status], _STYLES[finding.status])
        line = Text.assemble(sign, f" {self._said(finding.title)}: ", self._said(finding.sentence))
        self._print(line)
        if finding.next_step:
            self._print(Text(f"    → {self._said(finding.next_step)}"))

    def close(self, findings: Sequence[Checked]) -> None:
        """Print how it went on the whole."""
        language = self._language
        failures = [self._said(finding.title) for finding in findings if finding.status == "failed"]
        unchecked = [self._said(finding.title) for finding in findings if finding.status == "skipped"]
        count, left_out = len(findings) - len(unchecked), len(unchecked)
        counted = say(DOCTOR.counted, language, count=count)
        if unchecked:
            hops = ", ".join(unchecked)
            counted = say(DOCTOR.counted_some, language, count=count, left_out=left_out, hops=hops)
        if not failures:
            self._print(Text(say(DOCTOR.all_work, language, counted=counted)))
            return
        last = say(DOCTOR.some_fail, language, count=len(failures), hop=failures[0], counted=counted)
        self._print(Text(last))

    def _said(self, text: InEachLanguage) -> str:
        return text[self._language]

    def _print(self, line: Text) -> None:
        self._console.print(line, soft_wrap=True)


class JsonReport:
    """One JSON object at the end: `{"ok": …, "hops": [{"hop", "status", "sentence", "next_step"}]}`.

    It is in English whoever asks, because programs read it.
    """

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def began(self, hop: Hop) -> None:
        """Say nothing: a program waits for the whole."""

    def found(self, finding: Checked) -> None:
        """Say nothing: a program waits for the whole."""

    def close(self, findings: Sequence[Checked]) -> None:
        """Write the object."""
        hops = [
            {
                "hop": finding.hop,
                "status": finding.status,
                "sentence": finding.sentence[OF_LOGS],
                "next_step": finding.next_step.get(OF_LOGS, ""),
            }
            for finding in findings
        ]
        body = {"ok": is_healthy(findings), "hops": hops}
        self._out.write(json.dumps(body, ensure_ascii=False, indent=2) + "\n")


def is_healthy(findings: Sequence[Checked]) -> bool:
    """Tell whether no hop failed; those that were not checked do not count."""
    return all(finding.status != "failed" for finding in findings)
