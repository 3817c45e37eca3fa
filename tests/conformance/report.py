"""What the suite prints, read, and the table that is made of it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

REQUIRED: Final = ("initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry")
AUTH: Final = "auth/"
NOT_PASSED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "auth/2025-03-26-oauth-metadata-backcompat": (
            "the scenario's metadata names another issuer (`…/oauth`) than the address it is served for; "
            "the SDK refuses that, as RFC 8414, section 3.3 demands"
        ),
        "auth/cross-app-access-complete-flow": (
            "needs a company's identity provider that exchanges its own sign-in for ours (SEP-990); "
            "there is none where one person runs this for a household"
        ),
    }
)
"""Scenarios that are not expected to pass, and why."""

_LISTED: Final = re.compile(r"^\s*- (?P<name>\S+)(?: \[(?P<versions>[^\]]*)\])?\s*$", re.MULTILINE)
_COUNTS: Final = re.compile(r"Passed: (\d+)/(\d+), (\d+) failed, (\d+) warnings")
_VERDICT: Final = re.compile(r"OVERALL: (PASSED|FAILED)")


@dataclass(frozen=True, slots=True)
class Scenario:
    name: str
    versions: str

    @property
    def is_wanted(self) -> bool:
        return self.name in REQUIRED or self.name.startswith(AUTH)


@dataclass(frozen=True, slots=True)
class Result:
    """`passed` of `total` checks; a scenario passes without failures, warnings and a broken client."""

    scenario: Scenario
    is_passed: bool
    passed: int
    total: int
    warnings: int


def parse_list(text: str) -> tuple[Scenario, ...]:
    """Read `conformance list --client`.

    Raises:
        ValueError: it lists none, or not all that must pass.
    """
    found = tuple(Scenario(match["name"], match["versions"] or "") for match in _LISTED.finditer(text))
    missing = sorted(set(REQUIRED) - {scenario.name for scenario in found})
    if missing:
        raise ValueError(f"the suite does not list {', '.join(missing)}")
    return found


def parse_run(scenario: Scenario, text: str, exit_code: int) -> Result:
    """Read what `conformance client` printed.

    A verdict counts only when the exit code says the same.

    Raises:
        ValueError: it came to no verdict.
    """
    counts, verdict = _COUNTS.search(text), _VERDICT.search(text)
    if counts is None or verdict is None:
        raise ValueError(f"{scenario.name} came to no verdict (exit code {exit_code})")
    passed, total, _, warnings = map(int, counts.groups())
    return Result(scenario, verdict[1] == "PASSED" and exit_code == 0, passed, total, warnings)


def surprises(results: Iterable[Result]) -> list[str]:
    """Return what is not as expected: a failure that is not listed, or one that is and passes now."""
    lines = []
    for result in results:
        name = result.scenario.name
        if not result.is_passed and name not in NOT_PASSED:
            lines.append(f"{name} fails")
        if result.is_passed and name in NOT_PASSED:
            lines.append(f"{name} passes now: take it out of NOT_PASSED")
    return lines


def summary(results: Sequence[Result]) -> str:
    required = [result for result in results if result.scenario.name in REQUIRED]
    auth = [result for result in results if result.scenario.name.startswith(AUTH)]
    parts = (("required", required), ("auth/*", auth))
    return "; ".join(
        f"{label}: {sum(result.is_passed for result in group)} of {len(group)} pass"
        for label, group in parts
        if group
    )


def table(results: Iterable[Result]) -> str:
    """Return the results as a Markdown table."""
    lines = ["| scenario | protocol | result | checks |", "|---|---|---|---|"]
    for result in results:
        verdict = "passes" if result.is_passed else "**fails**"
        name, versions = result.scenario.name, result.scenario.versions.replace(",", ", ")
        lines.append(f"| `{name}` | {versions} | {verdict} | {result.passed} of {result.total} |")
    return "\n".join(lines)


def document(results: Sequence[Result], versions: Mapping[str, str]) -> str:
    """Return the page for `docs/testing/`."""
    failing = [result.scenario.name for result in results if not result.is_passed]
    reasons = [f"- `{name}`: {NOT_PASSED.get(name, 'not explained')}." for name in failing]
    return "\n".join(
        [
            "# MCP conformance",
            "",
            "The official suite against our client: it starts a server for each scenario, runs",
            "`tests/conformance/client.py` with its address, and checks what arrives. That client goes through",
            "`McpManager` as the application does: a hot-added server, its tools called, an admin who consents",
            "at once.",
            "",
            "`make conformance` runs it and prints this table; `python -m tests.conformance --write` writes this",
            "page. It needs npm, and is not part of `make check`.",
            "",
            f"Versions: {', '.join(f'{name} {version}' for name, version in versions.items())}.",
            "",
            f"**{summary(results)}.**",
            "",
            table(results),
            "",
            *(["What fails, and why:", "", *reasons, ""] if reasons else []),
        ]
    )
