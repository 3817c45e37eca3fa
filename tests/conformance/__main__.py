"""Installs the official suite below .cache/ and runs it: `python -m tests.conformance [--write] [SCENARIO …]`."""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Final

from tests.conformance.report import document, parse_list, parse_run, summary, surprises, table

ROOT: Final = Path(__file__).resolve().parents[2]
HOME: Final = ROOT / ".cache" / "conformance"
PAGE: Final = ROOT / "docs" / "testing" / "mcp_conformance.md"
PACKAGES: Final = (("node", "22.23.3"), ("@modelcontextprotocol/conformance", "0.1.16"))
"""The suite needs Node 22; the package `node` brings it, whatever is installed here."""

_PASSED_ON: Final = re.compile(
    r"PATH|HOME|TMPDIR|npm_config_.+|(?:https?|no|all)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)",
    re.IGNORECASE,
)
_INSTALL_TIMEOUT_S: Final = 900
_RUN_TIMEOUT_S: Final = 120


def environment() -> dict[str, str]:
    """What npm, the suite and the client get of ours: the way to the registry, none of the application's."""
    given = {name: value for name, value in os.environ.items() if _PASSED_ON.fullmatch(name)}
    return given | {"NO_COLOR": "1"}


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def is_installed() -> bool:
    for name, wanted in PACKAGES:
        manifest = HOME / "node_modules" / name / "package.json"
        if not manifest.is_file() or json.loads(manifest.read_text("utf-8"))["version"] != wanted:
            return False
    return (HOME / "node_modules" / "node" / "bin" / "node").is_file()


def install() -> None:
    """Fetch both packages through npm as it is configured here; does nothing when they are there."""
    if is_installed():
        return
    HOME.mkdir(parents=True, exist_ok=True)
    wanted = [f"{name}@{number}" for name, number in PACKAGES]
    subprocess.run(
        ["npm", "install", "--silent", "--no-save", "--no-audit", "--no-fund", "--prefix", str(HOME), *wanted],
        check=True,
        env=environment(),
        timeout=_INSTALL_TIMEOUT_S,
    )


def suite(*arguments: str) -> tuple[str, int]:
    """Run the suite; returns what it printed and its exit code."""
    node = HOME / "node_modules" / "node" / "bin" / "node"
    script = HOME / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    done = subprocess.run(
        [str(node), str(script), *arguments],
        cwd=ROOT,
        env=environment(),
        timeout=_RUN_TIMEOUT_S,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout.decode("utf-8", "replace"), done.returncode


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance")
    parser.add_argument("scenarios", nargs="*", help="only these")
    parser.add_argument("--write", action="store_true", help="write docs/testing/mcp_conformance.md")
    options = parser.parse_args()
    if options.write and options.scenarios:
        parser.error("--write needs all scenarios")
    install()
    listed = parse_list(suite("list", "--client")[0])
    wanted = [one for one in listed if (one.name in options.scenarios if options.scenarios else one.is_wanted)]
    if unknown := set(options.scenarios) - {one.name for one in wanted}:
        parser.error(f"the suite does not list {', '.join(sorted(unknown))}")
    command = shlex.join([sys.executable, "-m", "tests.conformance.client"])
    results = []
    for scenario in wanted:
        text, code = suite("client", "--command", command, "--scenario", scenario.name)
        results.append(parse_run(scenario, text, code))
        say(f"{scenario.name}: {'passes' if results[-1].is_passed else 'FAILS'}")
        if surprises(results[-1:]):
            say(text)
    say(f"\n{table(results)}\n\n{summary(results)}")
    if options.write:
        versions = {name.rpartition("/")[2]: number for name, number in PACKAGES} | {"mcp": version("mcp")}
        PAGE.write_text(document(results, versions), "utf-8")
    found = surprises(results)
    say("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
