"""The examples that the simulator's page offers, and first messages in either language, on the real model.

`.venv/bin/python -m tests.bench_model.chips [--model FILE] [--first N]`; fails when an answer is not one: empty,
JSON, a loop, in the other language, or about something else.
"""

import argparse
import asyncio
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog
from rich.console import Console

from app.language.catalogue import Language
from app.language.detection import LanguageDetector
from app.skills.unusable import loop_start
from tests.bench_model.everyday import Said, world

ROOT: Final = Path(__file__).resolve().parents[2]
TEXTS: Final = ROOT / "app" / "simulator" / "static" / "texts.js"
FIRST: Final = ROOT / "tests" / "data" / "first_messages.toml"
_LIST: Final = re.compile(r"^  examples: \[(.+)\],$", re.MULTILINE)
_TEXT: Final = re.compile(r'"([^"]+)"')
_NUMBERS: Final = {"es": "44770090", "en": "54911500"}
"""Prefixes of countries in which people speak the other language."""
_ABOUT: Final = {
    "/help": r"/status",
    "/ayuda": r"/status",
    "webhook": r"\b(http|url|server|servidor|notif|applica|aplicac|event|messag|mensaje|data|datos)",
    "rice": r"\b(rice|egg)",
    "arroz": r"\b(arroz|huevo)",
}
"""What an answer to a text with that word speaks of."""


@dataclass(frozen=True)
class Told:
    language: Language
    text: str
    said: Said
    problems: tuple[str, ...]


def chips() -> dict[Language, list[str]]:
    """Return the examples as the page has them."""
    english, spanish = (_TEXT.findall(found) for found in _LIST.findall(TEXTS.read_text("utf-8")))
    return {"en": english, "es": spanish}


def problems_of(text: str, answer: str, language: Language) -> Iterator[str]:
    """Name what makes an answer none."""
    if not answer.strip():
        yield "empty"
    if answer.lstrip().startswith(("{", "[")):
        yield "JSON"
    if loop_start(answer) is not None:
        yield "a loop"
    # A command is the same word in every language.
    if not text.startswith("/") and LanguageDetector().detect(answer, language) != language:
        yield "the other language"
    for word, about in _ABOUT.items():
        if word in text.lower() and not re.search(about, answer, re.IGNORECASE):
            yield "about something else"


async def run(model: Path | None, first: int, console: Console) -> list[Told]:
    """Let each text be the first message of a new person whose number is of a country of the other language."""
    firsts = tomllib.loads(FIRST.read_text("utf-8"))
    texts = [(language, text) for language, all_ in chips().items() for text in all_]
    texts += [(language, text) for language in chips() for text in firsts[language][:first]]
    people = [f"{_NUMBERS[language]}{number:05}" for number, (language, _) in enumerate(texts)]
    told = []
    with tempfile.TemporaryDirectory() as directory:
        async with world(model, Path(directory), people) as place:
            for person, (language, text) in zip(people, texts, strict=True):
                talk = await place.hold({"id": "chip", "turns": [text], "expect": {}}, person)
                said = talk.turns[0]
                answer = said.reply
                told.append(Told(language, text, said, tuple(problems_of(text, answer, language))))
                mark = ", ".join(told[-1].problems) or "ok"
                console.print(f"[{language}] {text}\n  {mark}, {said.seconds:.1f} s: {answer[:300]}", markup=False)
    return told


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=None, help="a GGUF file; else the one in data/models")
    parser.add_argument("--first", type=int, default=0, help="how many first messages of each language, too")
    given = parser.parse_args(arguments)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    console = Console()
    told = asyncio.run(run(given.model, given.first, console))
    wrong = sum(bool(one.problems) for one in told)
    console.print(f"{len(told) - wrong} of {len(told)} answered")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
