"""Every parser of strangers' input with inputs that nobody wrote: `python -m tests.fuzz --minutes 60`.

A parser may refuse with the error that it promises; anything else, and whatever takes long, is a finding. Inputs
are made of seeds: pieces of what people, models and servers send, cut, repeated, nested and put together. Exit code 1
when something crashed.
"""

# ruff: noqa: E501 - the seeds of a parser stand in one line

import argparse
import contextlib
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

from app.domain.chat import ToolSchema
from app.domain.errors import AppError, Rejected
from app.llm.packages import BAD_PACKAGE
from app.llm.salvage import salvage_calls
from app.mcp.connecting.wire import parse_line
from app.media.heavy.faults import Fault
from app.memory.mirror_format import parse as parse_memory_file
from app.memory.statements import statements
from app.skills.loader import parse_skill
from app.webhook.parser import parse as parse_webhook
from app.whatsapp.render import render
from app.whatsapp.split import split
from app.when.reading import read_when, read_wish
from tests import fuzz_archives
from tests.builders import encode, text_message, webhook_payload
from tests.fuzz_archives import has_documents, read_backup, read_document, read_package

NOW: Final = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
SLOW_S: Final = 1.0
"""Longer than that for 20,000 characters stalls everybody."""
MAX_CHARS: Final = 20_000
MAX_EDITS: Final = 64
REFUSALS: Final = (AppError, ValueError)
OFFERED: Final = MappingProxyType(
    {"save_note": ToolSchema("save_note", "", {"type": "object", "properties": {"content": {"type": "string"}}})}
)


@dataclass(frozen=True, slots=True)
class Target:
    """A parser, what its inputs are made of, and what it may raise."""

    run: Callable[[str], object]
    seeds: tuple[str, ...]
    refusals: tuple[type[Exception], ...] = ()
    max_chars: int = MAX_CHARS


TARGETS: Final[Mapping[str, Target]] = MappingProxyType(
    {
        "webhook": Target(
            lambda text: parse_webhook(text.encode("utf-8", "surrogatepass"), received_at=NOW),
            (encode(webhook_payload(text_message("hola", id="wamid.1", at=NOW))).decode(), '{"entry":[', '"changes":', "[[[[", "\\ud800", "1e999", "null", "-0"),
            (AppError,),
        ),
        "salvage": Target(
            lambda text: salvage_calls(text, OFFERED),
            ('{"name": "save_note", "arguments": {"content": "x"}}', "save_note(content=", "```json\n", "<tool_call>", '"', "\\", "((((", "{{{{", "\n\n", "'"),
        ),
        "markdown": Target(
            lambda text: split(render(text)),
            ("**bold** ", "_", "*", "`", "```\n", "> ", "| a | b |\n|---|---|\n", "[a](http://b)", "![", "- ", "1. ", "http://x.y/", "<b>", "\u200b", "#"),
        ),
        "SKILL.md": Target(
            parse_skill,
            ("---\nname: a\ndescription: b\n---\n", "- ", "&a [*a, *a]", "!!python/object:x ", "\t", ": ", "{", "|\n", "#", "'"),
            REFUSALS,
        ),
        "MCP frame": Target(
            lambda text: parse_line(text.encode("utf-8", "surrogatepass")),
            ('{"jsonrpc":"2.0","id":1,"result":{}}', '"method":"tools/list"', "[", "{", '"\\u0000"', "1e400", "\x00", "}"),
            REFUSALS,
        ),
        "MEMORY.md": Target(
            parse_memory_file,
            ("# Memory\n\n## general\n- [1] likes tea\n", "- ", "<!--", "-->", "  ", "## ", "\n", "[9999999999] ", "* "),
        ),
        "facts": Target(
            statements,
            ("me gusta el té", "my name is Ann", "hoy fui al cine", ".", " y ", ",", "\n", "¿", "…", "no ", "- "),
        ),
        "dates": Target(
            lambda text: [read(text, NOW, language) for read in (read_when, read_wish) for language in ("es", "en")],
            ("mañana a las ", "every other monday ", "30/2/2027 ", "in 99999999 days ", "el ", "y ", "next ", "12:", "am ", "desde ", "1 ", "de ", "-"),
        ),
        **({"documents": Target(read_document, fuzz_archives.TEXTS, (Fault,), MAX_EDITS)} if has_documents() else {}),
        "backups": Target(read_backup, fuzz_archives.TEXTS, (Rejected,), MAX_EDITS),
        "packages": Target(read_package, fuzz_archives.TEXTS, BAD_PACKAGE, MAX_EDITS),
    }
)  # fmt: skip


def made_of(seeds: Sequence[str], chance: random.Random) -> str:
    """Return a text of pieces of the seeds: cut, repeated, and with odd characters between them."""
    pieces: list[str] = []
    for _ in range(chance.randint(1, 12)):
        seed = chance.choice(seeds)
        match chance.randint(0, 4):
            case 0:
                seed *= chance.choice((2, 17, 300, 3000))
            case 1:
                seed = seed[chance.randint(0, len(seed)) :]
            case 2:
                seed = seed[: chance.randint(0, len(seed))] + chr(
                    chance.choice((0, 9, 10, 160, 8238, 65279, 128512))
                )
            case 3:
                seed = "".join(chance.sample(seed, len(seed)))
            case _:
                pass
        pieces.append(seed)
    return "".join(pieces)[:MAX_CHARS]


def seconds_of(target: Target, text: str) -> float:
    """Run a parser once; how long it computed, however busy the machine is.

    Raises:
        Exception: it raised what it may not.
    """
    began = time.thread_time()
    with contextlib.suppress(*target.refusals):
        target.run(text)
    return time.thread_time() - began


def main() -> int:
    """Fuzz each target for its share of the time, and print a line for each."""
    parser = argparse.ArgumentParser(prog="tests.fuzz")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    share_s, crashes = asked.minutes * 60 / len(TARGETS), 0
    for name, target in TARGETS.items():
        chance, until, tried, slowest, size = random.Random(asked.seed), time.monotonic() + share_s, 0, 0.0, 0
        while time.monotonic() < until:
            text = made_of(target.seeds, chance)[: target.max_chars]
            tried += 1
            try:
                took = seconds_of(target, text)
            except Exception as exc:
                crashes += 1
                print(f"{name}: {type(exc).__name__}: {exc}; input {text[:200]!r}")  # noqa: T201 - a report
                continue
            if took > slowest:
                slowest, size = took, len(text)
        print(f"{name}: {tried:,} inputs, slowest {slowest * 1000:.0f} ms ({size:,} characters)")  # noqa: T201
    print(f"crashes: {crashes}")  # noqa: T201
    return 1 if crashes else 0


if __name__ == "__main__":
    sys.exit(main())
