"""Twenty conversations of the task sets, typed by one person and spoken by another, on the real models.

usage: python -m tests.bench_model.spoken --model FILE --senses DIR [--set FILE] [--only ID]
DIR holds `whisper-base` and `kokoro`, as in `data/models`. The voices are used nowhere else: each is half of one
of Kokoro's and half of another. Each conversation is judged by what its set says, however it was held.
"""

import argparse
import asyncio
import base64
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.console import Console

from app.log import setup_logging
from app.media.children import ChildProcesses
from app.simulator import payloads
from app.simulator.payloads import JsonObject, SimUser
from tests.bench_model.everyday import QUIET_S, TURN_TIMEOUT_S, Said, Talk, World, judge, stored_by, world
from tests.bench_model.expect import unmet

SETS: Final = (Path(__file__).with_name("tasks.json"), Path(__file__).with_name("everyday.json"))
# fmt: off
CASES: Final = (
    "math-1", "math-4", "time-2", "time-1", "note-3", "note-4", "list-1", "list-2", "true-1", "true-2",
    "look-3", "project-1", "two-2", "mixed-1", "calm-7", "calm-8", "math-3", "know-3", "time-3", "next-1",
)
# fmt: on
WANTED: Final = 16
_VOICES: Final[Mapping[str, tuple[str, tuple[tuple[str, str], ...]]]] = {
    "es": ("es-419", (("ef_dora", "em_alex"), ("em_alex", "em_santa"))),
    "en": ("en-us", (("af_heart", "af_bella"), ("af_heart", "em_alex"))),
}
_FIRST_NUMBER: Final = 54_911_6000_0000
_SPEAK_S: Final = 300


@dataclass(frozen=True)
class Held:
    """One conversation: what was wrong with it typed, and spoken."""

    id: str
    typed: Talk
    spoken: Talk

    @property
    def is_as_typed(self) -> bool:
        return bool(self.typed.wrong) == bool(self.spoken.wrong)


class Speaker:
    """Speaks with Kokoro in a child; the voices that it makes are in a folder of its own."""

    def __init__(self, senses: Path, work: Path) -> None:
        self._children = ChildProcesses(work)
        self._work = work
        self._folder = work / "kokoro"
        self._folder.mkdir()
        for file in (senses / "kokoro").iterdir():
            (self._folder / file.name).symlink_to(file)
        for _, pairs in _VOICES.values():
            for pair in pairs:
                halves = [np.fromfile(senses / "kokoro" / f"{name}.bin", np.float32) for name in pair]
                ((halves[0] + halves[1]) / 2).astype(np.float32).tofile(self._folder / f"{_named(pair)}.bin")

    async def speak(self, said: str, language: str, number: int) -> bytes:
        """Return a voice note."""
        spoken_as, pairs = _VOICES[language]
        target = self._work / "note.ogg"
        arguments = {
            "sentences": [said],
            "language": spoken_as,
            "folder": str(self._folder),
            "voice": _named(pairs[number % len(pairs)]),
            "target": str(target),
            "max_s": 160,
        }
        await self._children.run("speak", arguments, timeout_s=_SPEAK_S)
        return await asyncio.to_thread(target.read_bytes)


def _aloud(said: str, language: str) -> str:
    """Return a text as people say it: nobody says "asterisk" for a product."""
    return said.replace("*", "por" if language == "es" else "times")


def _named(pair: Sequence[str]) -> str:
    return "-".join(pair)


def voice_note(place: World, data: bytes) -> JsonObject:
    """Store a voice note at Graph's, and return the message that has it."""
    facts: dict[str, Any] = {
        "id": place.graph.add_media(data, "audio/ogg; codecs=opus"),
        "mime_type": "audio/ogg; codecs=opus",
        "sha256": base64.b64encode(hashlib.sha256(data).digest()).decode(),
        "voice": True,
    }
    return payloads.media("audio", facts)


async def say(place: World, person: str, said: str, content: JsonObject) -> Said:
    """Send one message and wait for all that it brings."""
    before = len(place.graph.sends)
    began = asyncio.get_running_loop().time()
    await place.graph.receive(SimUser(person, "Person"), content)
    async with asyncio.timeout(TURN_TIMEOUT_S):
        while len(place.graph.sends) == before:
            await asyncio.sleep(0.01)
    seconds = asyncio.get_running_loop().time() - began
    with suppress(TimeoutError):
        async with asyncio.timeout(QUIET_S):
            await place.services.idle()
    return Said(said, "\n".join(send.text for send in place.graph.sends[before:]), seconds)


async def hold(
    place: World, case: Mapping[str, Any], person: str, notes: Mapping[str, bytes] | None = None
) -> Talk:
    """Hold one conversation, typed, or spoken with these voice notes; commands are always typed."""
    await say(place, person, "/voice off", payloads.text("/voice off"))
    turns = []
    for said in case["turns"]:
        is_spoken = notes is not None and not said.startswith("/")
        content = voice_note(place, notes[said]) if notes is not None and is_spoken else payloads.text(said)
        turns.append(await say(place, person, said, content))
    talk = Talk(case, turns, stored_by(place.database, person))
    if "kind" in case:
        judge(talk)
    else:
        talk.wrong += unmet(turns[-1].reply, case["expect"], datetime.now(UTC))
    return talk


def cases(only: str, file: Path | None) -> list[dict[str, Any]]:
    if file is not None:
        return [case for case in json.loads(file.read_text("utf-8"))["cases"] if only in case["id"]]
    known: dict[str, dict[str, Any]] = {}
    for file in SETS:
        found = json.loads(file.read_text("utf-8"))
        for case in found["cases"] if isinstance(found, dict) else found:
            known.setdefault(case["id"], case)
    return [known[name] for name in CASES if only in name]


async def run(model: Path | None, senses: Path, chosen: Sequence[dict[str, Any]], console: Console) -> int:
    """Hold every conversation twice; returns how many were not done spoken as typed."""
    people = [str(_FIRST_NUMBER + number) for number in range(2 * len(chosen))]
    held: list[Held] = []
    with tempfile.TemporaryDirectory() as directory:
        work, data = Path(directory) / "work", Path(directory) / "data"
        work.mkdir()
        data.mkdir()
        (data / "models").symlink_to(senses)
        speaker = Speaker(senses, work)
        async with world(model, data, people) as place:
            for number, case in enumerate(chosen):
                said = [one for one in case["turns"] if not one.startswith("/")]
                notes = {one: await speaker.speak(_aloud(one, case["lang"]), case["lang"], number) for one in said}
                typed = await hold(place, case, people[2 * number])
                spoken = await hold(place, case, people[2 * number + 1], notes)
                held.append(Held(case["id"], typed, spoken))
                show(console, held[-1])
    done = sum(not one.spoken.wrong for one in held)
    same = sum(one.is_as_typed for one in held)
    typed_done = sum(not one.typed.wrong for one in held)
    console.print(f"typed {typed_done}, spoken {done}, the same {same}, of {len(held)}; wanted {WANTED}")
    return len(held) - same


def show(console: Console, held: Held) -> None:
    for how, talk in (("typed", held.typed), ("spoken", held.spoken)):
        mark = "✖" if talk.wrong else "✔"
        console.print(f"{mark} {held.id} {how} {'; '.join(talk.wrong)}", markup=False, highlight=False)
        for turn in talk.turns:
            reply = turn.reply.replace("\n", " / ")
            console.print(f"    {turn.seconds:5.1f}s  {turn.text}  → {reply}", markup=False, highlight=False)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--model", type=Path, default=os.environ.get("WASAP_TEST_MODEL"))
    arguments.add_argument("--senses", type=Path, default=os.environ.get("WASAP_TEST_SENSES", "data/models"))
    arguments.add_argument(
        "--set", type=Path, help="conversations in the form of everyday.json, in place of its own"
    )
    arguments.add_argument("--only", default="", help="part of the ids of the conversations")
    chosen = arguments.parse_args()
    setup_logging(level="ERROR", is_json=False, is_content_logged=False)
    asyncio.run(
        run(chosen.model, Path(chosen.senses).resolve(), cases(chosen.only, chosen.set), Console(width=200))
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
