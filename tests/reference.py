"""Writes docs/reference.md, and the figures in the README, from the code: `python -m tests.reference`.

A test fails while one of them is old.
"""

import asyncio
import json
import re
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

from app.config import Settings
from app.language.catalogue import LANGUAGES
from app.llm.model_store import DEFAULT_MODEL
from tests.builders import ALICE
from tests.harness import AppUnderTest, running_app

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "reference.md"
README: Final = ROOT / "README.md"
_FIGURES: Final = re.compile(r"(<!-- figures.*?-->\n).*?(\n<!-- end -->)", re.DOTALL)
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


def with_figures(readme: str, reference: str) -> str:
    """Return the README with its figures as the reference has them."""
    counted = {
        title: sum(line.startswith("| `") for line in part.splitlines())
        for title, part in (one.split("\n", 1) for one in reference.split("\n## ")[1:])
    }
    size = f"{DEFAULT_MODEL.size_bytes / 1e9:.1f} GB"
    told = (
        f"In figures: {counted['Commands']} commands in the chat, {counted['Tools']} tools, {counted['Settings']}"
        f" settings, each with a default, and {len(LANGUAGES)} languages; the bundled model is {size}"
        " ([all of them](docs/reference.md))."
    )
    return _FIGURES.sub(lambda found: found[1] + told + found[2], readme)


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
    page = asyncio.run(build())
    PAGE.write_text(page + "\n", "utf-8")
    README.write_text(with_figures(README.read_text("utf-8"), page), "utf-8")
