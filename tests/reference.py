"""Writes docs/reference.md from the code: `python -m tests.reference`; a test fails while it is old."""

import asyncio
import json
import re
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

from app.config import Settings
from tests.builders import ALICE
from tests.harness import AppUnderTest, running_app

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "reference.md"
_COMMAND: Final = re.compile(r"`?/([\w-]+)`? (.+)")
_HEAD: Final = """# Reference

Made from the code by `python -m tests.reference`; do not edit it by hand.
"""


async def build() -> str:
    """Return the page: commands as `/help` tells them, tools as models see them, settings as explained."""
    with tempfile.TemporaryDirectory() as folder:
        async with running_app(Path(folder)) as app:
            english = await _help(app, "From now on please answer in English")
            spanish = await _help(app, "De ahora en adelante respondé en español")
    parts = [
        _HEAD,
        "## Commands\n\nWhat can be typed in the chat.\n",
        _table(("command", "what it does", "en español"), _commands(english, spanish)),
        "\n## Tools\n\nWhat a model may call, as it is shown them; servers bring more.\n",
        _table(("tool", "what it does", "takes"), _tools()),
        "\n## Settings\n\nVariables of the environment, or lines of `.env`.\n",
        _table(("setting", "default", "meaning"), _settings()),
    ]
    return "\n".join(parts)


async def _help(app: AppUnderTest, wish: str) -> dict[str, str]:
    await app.say(ALICE, wish)
    before = len(app.replies_to(ALICE))
    await app.say(ALICE, "/help")
    told = "\n".join(app.replies_to(ALICE)[before:])
    found = (_COMMAND.search(line) for line in told.splitlines())
    return {match[1]: match[2].strip() for match in found if match is not None}


def _commands(english: dict[str, str], spanish: dict[str, str]) -> Iterator[tuple[str, ...]]:
    for name, meaning in english.items():
        if name in spanish:
            yield f"`/{name}`", meaning, spanish[name]


def _tools() -> Iterator[tuple[str, ...]]:
    shown = json.loads((ROOT / "tests" / "data" / "tool_schemas.json").read_text("utf-8"))
    for name, tool in sorted(shown.items()):
        taken = tool["parameters"].get("properties", {})
        yield f"`{name}`", tool["description"].splitlines()[0], ", ".join(f"`{one}`" for one in taken)


def _settings() -> Iterator[tuple[str, ...]]:
    lines = (ROOT / ".env.example").read_text("utf-8").splitlines()
    comments = {
        match[1]: before.removeprefix("# ")
        for before, line in pairwise(lines)
        if (match := re.match(r"(?:# ?)?([A-Z][A-Z0-9_]*)=", line)) is not None
    }
    for name, field in Settings.model_fields.items():
        default = field.get_default()
        told = (
            "" if default in (None, "", ()) else ",".join(default) if isinstance(default, tuple) else str(default)
        )
        yield f"`{name.upper()}`", f"`{told}`" if told else "", comments[name.upper()]


def _table(titles: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    cells = [
        titles,
        tuple("---" for _ in titles),
        *(tuple(one.replace("|", "\\|") for one in row) for row in rows),
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


if __name__ == "__main__":
    PAGE.write_text(asyncio.run(build()) + "\n", "utf-8")
