"""make bench-model: the tasks on the real embedded model, through the whole application."""

import argparse
import asyncio
import json
import logging
import os
import statistics
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from rich.table import Table

from app.config import Settings
from app.log import setup_logging
from app.main import create_app
from app.simulator.page import DEFAULT_USERS
from tests.bench_model.expect import shows_machinery, unmet

TASKS = Path(__file__).with_name("tasks.json")
PERSON = DEFAULT_USERS[0].wa_id
TURN_TIMEOUT_S = 180


@dataclass
class Turn:
    said: str
    replies: list[str]
    seconds: float
    prompt_tokens: int = 0
    cached_tokens: int = 0
    tools: list[str] = field(default_factory=list)

    @property
    def read_anew(self) -> int:
        return self.prompt_tokens - self.cached_tokens


@dataclass
class Report:
    id: str
    turns: list[Turn]
    missing: list[str]

    @property
    def is_passed(self) -> bool:
        return not self.missing


class Chat:
    """One person at the simulator of a running application."""

    def __init__(self, client: httpx.AsyncClient, app: Any) -> None:
        self._client = client
        self._app = app

    async def say(self, text: str) -> Turn:
        before = len(self._sends())
        began = asyncio.get_running_loop().time()
        message = {"user": PERSON, "type": "text", "text": text}
        (await self._client.post("/simulator/api/messages", json=message)).raise_for_status()
        async with asyncio.timeout(TURN_TIMEOUT_S):
            await self._app.state.services.idle()
            while len(self._sends()) == before:
                await asyncio.sleep(0.05)
            await self._app.state.services.idle()
        seconds = asyncio.get_running_loop().time() - began
        return Turn(text, [send.text for send in self._sends()[before:]], seconds)

    def _sends(self) -> list[Any]:
        return [send for send in self._app.state.services.simulator.sends if send.recipient == PERSON]


@asynccontextmanager
async def chatting(model: Path | None, data_dir: Path) -> AsyncIterator[Chat]:
    """Start the application on its own data directory with the embedded model, and wait until it is loaded."""
    settings = Settings(
        _env_file=None,
        data_dir=data_dir,
        llm_provider="embedded",
        llm_model_path=model,
        debounce_ms=0,
        rate_limit_max=10_000,
    )
    app = create_app(settings)
    async with app.router.lifespan_context(app):
        services = app.state.services
        while (await services.model_state()).state != "ready":
            await asyncio.sleep(0.2)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=None) as client:
            yield Chat(client, app)


async def run_task(chat: Chat, task: dict[str, Any]) -> Report:
    await chat.say("/clear")
    turns = []
    for said in task["turns"]:
        turn = await chat.say(said)
        if not said.startswith("/"):
            why = await chat.say("/why")
            turn.tools = why.replies
            turns.append(turn)
    missing = unmet("\n".join(turns[-1].replies), task["expect"], datetime.now(UTC))
    if any(shows_machinery(reply) for turn in turns for reply in turn.replies):
        missing.append("machinery shown")
    return Report(task["id"], turns, missing)


async def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--model", type=Path, default=os.environ.get("WASAP_TEST_MODEL"))
    arguments.add_argument("--only", default="")
    chosen = arguments.parse_args()
    setup_logging(level="ERROR", is_json=False, is_content_logged=False)
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    console = Console(width=160)
    reports = []
    with tempfile.TemporaryDirectory() as directory:
        async with chatting(Path(chosen.model) if chosen.model else None, Path(directory)) as chat:
            for task in json.loads(TASKS.read_text("utf-8")):
                if chosen.only in task["id"]:
                    report = await run_task(chat, task)
                    reports.append(report)
                    show(console, report)
    passed = sum(report.is_passed for report in reports)
    seconds = [turn.seconds for report in reports for turn in report.turns]
    console.print(f"{passed} of {len(reports)} tasks; median {statistics.median(seconds):.1f} s per turn")
    return 0


def show(console: Console, report: Report) -> None:
    table = Table(
        title=f"{'✔' if report.is_passed else '✖'} {report.id} {'; '.join(report.missing)}", show_header=False
    )
    for turn in report.turns:
        table.add_row(turn.said, "\n".join(turn.replies), "\n".join(turn.tools), f"{turn.seconds:.1f} s")
    console.print(table, markup=False)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
