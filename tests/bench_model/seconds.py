"""Seconds of plain talk and of tool turns, beside a bare chat call of the same server in the same run.

Measured when the beginnings of all prompts have been read, which takes two minutes on new data.

`.venv/bin/python -m tests.bench_model.seconds [--model FILE]`
"""

import argparse
import asyncio
import statistics
import tempfile
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table
from structlog.testing import capture_logs

from app.domain.chat import ChatMessage, ChatRequest
from tests.bench_model.everyday import World, world
from tests.bench_model.first import until_quiet

_PERSON: Final = "5491170000000"
_BARE: Final = (
    "You are a kind and truthful assistant who chats with people. Answer the last message directly, in its own"
    " language, in one to three short sentences. Be concrete and warm, and never invent anything. If you are not"
    " sure about something, say that you are not sure."
)
_ANSWER_TOKENS: Final = 120
_TALK: Final = (
    "¿por qué el mar es salado?",
    "what is a good name for a grey cat?",
    "hoy me levanté con mucho sueño",
    "our train was late again this morning",
    "¿qué es un eclipse?",
    "tell me something nice about autumn",
)
_TOOLS: Final = (
    "anotá que el afilador pasa el jueves",
    "what time is it in Nairobi?",
    "¿cuánto es 36 por 14?",
    "put soap and rice on the shopping list",
    "¿qué notas tengo?",
    "how much is 8% of 450?",
)


async def _bare(place: World, said: str) -> float:
    """One call of the model with a prompt of about sixty tokens; its beginning is cached, as that of turns is."""
    now = asyncio.get_running_loop().time
    began = now()
    messages = (ChatMessage("system", _BARE), ChatMessage("user", said))
    await place.model.chat(ChatRequest(messages, max_tokens=_ANSWER_TOKENS, temperature=0.0, purpose="closing"))
    return now() - began


async def _turn(place: World, said: str) -> float:
    talk = await place.hold({"id": "seconds", "turns": [said], "expect": {}}, _PERSON)
    return talk.turns[0].seconds


async def run(model: Path | None, rounds: int, console: Console) -> None:
    """Print a table; each message is said once for warming and then `rounds` times, kind beside kind."""
    seconds: dict[str, list[float]] = {"bare call": [], "plain talk": [], "tool turn": []}
    with tempfile.TemporaryDirectory() as directory, capture_logs() as logs:
        async with world(model, Path(directory), [_PERSON]) as place:
            await until_quiet(logs)
            for number in range(rounds + 1):
                for talk, tool in zip(_TALK, _TOOLS, strict=True):
                    row = await _bare(place, talk), await _turn(place, talk), await _turn(place, tool)
                    if number:
                        for kind, one in zip(seconds, row, strict=True):
                            seconds[kind].append(one)
    bare = statistics.median(seconds["bare call"])
    table = Table("kind", "times", "median s", "of a bare call")
    for kind, spent in seconds.items():
        median = statistics.median(spent)
        table.add_row(kind, str(len(spent)), f"{median:.2f}", f"{median / bare:.2f}")
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=None, help="a GGUF file; else the one in data/models")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    asyncio.run(run(arguments.model, arguments.rounds, Console()))


if __name__ == "__main__":
    main()
