"""Two people with the same words in everything they keep: in many interleaved turns neither sees the other's."""

import asyncio
import io
import logging
import random
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

import pytest
import structlog

from app.simulator.payloads import JsonObject, text
from tests.builders import ALICE, BOB
from tests.e2e.visiting import ADDRESS, at_home
from tests.examples import IS_NIGHT
from tests.fakes.obedient import Calls, ObedientModel, Plan, labelled
from tests.harness import PEOPLE, AppUnderTest, running_app

pytestmark = pytest.mark.lengthy

WORD: Final = {ALICE: "amaranth", BOB: "bergamot"}
"""What stands in all that a person keeps, and in nothing that the other one wrote."""
THINGS: Final = (
    "gate",
    "boiler",
    "fern",
    "canoe",
    "oven",
    "attic",
    "kite",
    "piano",
    "lamp",
    "tent",
    "well",
)
KEPT_IN: Final = (
    "memory",
    "told",
    "note",
    "project",
    "task",
    "projectnote",
    "file",
    "event",
    "earlier",
)
"""Each feature's own word, behind the person's: it tells where something leaked, and that the feature was used."""
SHOWN_BY: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "search_memories": ("memory",),
        "get_recent_messages": ("note",),
        "search_notes": ("note",),
        "list_notes": ("note",),
        "get_note": ("note",),
        "get_project": ("project", "task", "projectnote"),
        "search_project_notes": ("projectnote",),
        "read_file": ("file", "memory"),
        "get_daily_log": ("event",),
        "search_past_conversations": ("earlier", "event"),
    }
)
"""What each tool must have shown to its person at least once: one that finds nothing leaks nothing either."""
ROUNDS: Final = len(THINGS) if IS_NIGHT else 3
TURNS: Final = 45 * ROUNDS
WAIT_S: Final = 60


@dataclass(frozen=True, slots=True)
class Step:
    """One message of a person and what the model does about it; commands are no affair of the model's.

    `quotes` what the other person wrote in an earlier round, or what they were answered.
    """

    body: str
    category: str = "none"
    rounds: tuple[Calls, ...] = ()
    quotes: Literal["written", "answered"] | None = None


def uses(body: str, category: str, *calls: tuple[str, Mapping[str, object]]) -> Step:
    """A message for which the model makes these calls, one after the other."""
    return Step(body, category, tuple((call,) for call in calls))


def round_of(word: str, thing: str, others_folder: str) -> Iterator[Step]:
    """What a person does in one round; of both the same, but for the word."""
    yield Step(f"/remember my {thing} is called {word}memory")
    yield Step(f"my favourite {thing} is {word}told. Today I painted the {thing} with {word}event")
    yield from keep_notes(word, thing)
    yield from keep_files(word, thing, others_folder)
    yield uses(f"who am I, {thing}?", "memory", ("search_memories", {"query": thing}))
    yield Step(f"what do you know about my {thing}?")
    yield Step(f"tell me what this {thing} message says", quotes="written")
    yield Step(f"and what does this {thing} answer say?", quotes="answered")
    yield uses(f"repeat the {thing} talk", "conversation", ("get_recent_messages", {"count": 20}))
    yield Step(f"we will speak of {word}earlier and the {thing} some other day")
    yield from (Step(command) for command in ("/why", "/memories", f"/forget the {thing}", "/clear"))
    yield uses(
        f"what happened to the {thing}?",
        "history",
        ("search_past_conversations", {"query": "speak"}),
        ("search_past_conversations", {"query": "painted"}),
        ("get_daily_log", {}),
    )
    yield from (Step(command) for command in ("/forget 1", "/export", "/status"))


def keep_notes(word: str, thing: str) -> Iterator[Step]:
    yield uses(f"note the {thing}", "notes", ("save_note", {"content": f"the {thing} code is {word}note"}))
    yield uses(f"find the {thing}", "notes", ("search_notes", {"query": f"{thing} code"}), ("list_notes", {}))
    yield uses(f"read note 1 about the {thing}", "notes", ("get_note", {"note": "1"}))
    name = f"{thing} plan"
    yield uses(
        f"plan the {thing}",
        "projects",
        ("create_project", {"name": name, "description": f"{word}project"}),
        ("add_task", {"project": name, "title": f"sand the {thing} {word}task"}),
        ("add_project_note", {"project": name, "content": f"the {thing} needs {word}projectnote"}),
    )
    yield uses(
        f"how is the {thing}?",
        "projects",
        ("list_projects", {}),
        ("get_project", {"project": "1"}),
        ("search_project_notes", {"query": f"{thing} needs"}),
    )


def keep_files(word: str, thing: str, others_folder: str) -> Iterator[Step]:
    yield uses(
        f"write the {thing} down",
        "files",
        ("write_file", {"path": f"{thing}.txt", "content": f"{thing} {word}file"}),
        ("read_file", {"path": f"{thing}.txt"}),
    )
    yield uses(f"which {thing} files?", "files", ("list_files", {}), ("read_file", {"path": "MEMORY.md"}))
    yield uses(
        f"read that {thing} next door",
        "files",
        ("read_file", {"path": f"../{others_folder}/{thing}.txt"}),
        ("list_files", {"path": f"../{others_folder}"}),
        ("read_file", {"path": f"{others_folder}/MEMORY.md"}),
    )


class Days:
    """Plays the rounds of both people, in any order of the two, and remembers whose label is whose."""

    def __init__(self, app: AppUnderTest, model: ObedientModel) -> None:
        self._app = app
        self._model = model
        self._labels = count(1)
        self._chance = random.Random(4)
        self._said: dict[str, str] = {}
        self._quotable: dict[tuple[str, str], str] = {}
        self.owner: dict[int, str] = {}
        self.turns = 0

    async def play(self, rounds: Mapping[str, Sequence[Step]]) -> None:
        """Deliver the messages of both in a random order; the turns of both run beside each other."""
        whose = [person for person, steps in rounds.items() for _ in steps]
        self._chance.shuffle(whose)
        steps = {person: iter(steps) for person, steps in rounds.items()}
        for person in whose:
            await self._deliver(person, next(steps[person]))
        await self._rest()
        # What is done beside the turns looks for work once in a minute, and the files of facts every two seconds.
        await self._app.clock.advance(61)
        await self._rest()
        answers = {send.recipient: send.id for send in self._app.graph.sends if WORD[send.recipient] in send.text}
        self._quotable |= {(person, "answered"): its_id for person, its_id in answers.items()}
        self._quotable |= {(person, "written"): its_id for person, its_id in self._said.items()}

    async def _rest(self) -> None:
        async with asyncio.timeout(WAIT_S):
            await self._app.services.idle()
            await self._app.graph.idle()
            await self._app.services.idle()

    async def _deliver(self, person: str, step: Step) -> None:
        self.turns += 1
        body = step.body
        if not body.startswith("/"):
            label = next(self._labels)
            self.owner[label], self._model.plans[label] = person, Plan(step.category, step.rounds)
            body = labelled(body, label)
        other = BOB if person == ALICE else ALICE
        quoted = self._quotable.get((other, step.quotes)) if step.quotes else None
        receipt = await self._app.graph.receive(PEOPLE[person], text(body), quote_id=quoted)
        assert receipt.webhook_status == 200
        if WORD[person] in body and not body.startswith("/"):
            self._said[person] = receipt.id


@pytest.mark.needs("conversation", "files", "notes", "oversight", "projects", "status")
async def test_neither_of_two_people_ever_sees_what_the_other_keeps(tmp_path: Path) -> None:
    # Hundreds of turns write thousands of lines, which would take a third of the time.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    model = ObedientModel()
    async with running_app(
        tmp_path,
        llm=model,
        agent_write_enabled=True,
        tool_confirmation="yolo",
        max_tools_per_call=16,
        llm_max_concurrent=4,
        public_url=ADDRESS,
    ) as app:
        days = Days(app, model)
        folders = await own_folders(app, days)
        for thing in THINGS[:ROUNDS]:
            rounds = {
                person: list(round_of(WORD[person], thing, folders[other]))
                for person, other in ((ALICE, BOB), (BOB, ALICE))
            }
            await days.play(rounds)

        assert days.turns >= TURNS
        assert crossings(app, days, model) == []
        for person, word in WORD.items():
            results = results_of(person, days, model)
            wanted = [(tool, f"{word}{kind}") for tool, kinds in SHOWN_BY.items() for kind in kinds]
            assert [(tool, one) for tool, one in wanted if one not in results[tool]] == []
            judge_exports(app, person)
            await judge_home(app, person)


async def judge_home(app: AppUnderTest, person: str) -> None:
    """Look at every page of a person's home: it shows their things, and nothing of the other one's."""
    home, other = await at_home(app, person), BOB if person == ALICE else ALICE
    seen = "".join([(await home.get(path)).text for path in await home.parts()])
    assert WORD[person] in seen
    assert WORD[other] not in seen


async def own_folders(app: AppUnderTest, days: Days) -> dict[str, str]:
    """Let each keep a file, and return the names of their folders: what the other one will try to read."""
    folders: dict[str, str] = {}
    for person in WORD:
        calls = ("write_file", {"path": "first.txt", "content": f"{WORD[person]}file"})
        await days.play({person: [uses("write something", "files", calls)]})
        [folder] = {path.parent.name for path in app.data_dir.glob("users/*/first.txt")} - set(folders.values())
        folders[person] = folder
    return folders


def prompts_of(person: str, days: Days, model: ObedientModel) -> list[str]:
    """What the model was shown in a person's turns, every round of them."""
    return [
        "\n".join(f"{one.content} {one.tool_calls}" for one in request.messages)
        for label, request in model.requests
        if days.owner[label] == person
    ]


def results_of(person: str, days: Days, model: ObedientModel) -> dict[str, str]:
    """All that each tool returned in a person's turns."""
    results: dict[str, str] = defaultdict(str)
    for label, request in model.requests:
        for one in request.messages:
            if one.role == "tool" and days.owner[label] == person:
                results[one.name or ""] += f"{one.content}\n"
    return results


def crossings(app: AppUnderTest, days: Days, model: ObedientModel) -> list[str]:
    """Where a word of one person stands in front of the other: replies, prompts of turns, prompts of jobs."""
    found = []
    for person, other in ((ALICE, BOB), (BOB, ALICE)):
        seen = {"reply": app.replies_to(person), "prompt": prompts_of(person, days, model)}
        found += [f"{kind}: {one}" for kind, texts in seen.items() for one in texts if tells_of(other, one)]
    for request in model.side_requests:
        whole = "\n".join(one.content for one in request.messages)
        if all(word in whole for word in WORD.values()):
            found.append(f"side: {whole}")
    return found


def tells_of(person: str, shown: str) -> bool:
    return WORD[person] in shown or person in shown


def judge_exports(app: AppUnderTest, person: str) -> None:
    """Each export holds all that its person keeps at that time, and nothing of the other."""
    other = BOB if person == ALICE else ALICE
    sends = [send for send in app.graph.sends if send.recipient == person and send.type == "document"]
    exports = [export_text(app, send.payload) for send in sends]
    assert len(exports) == ROUNDS
    assert not any(tells_of(other, one) for one in exports)
    assert [kind for kind in KEPT_IN if f"{WORD[person]}{kind}" not in exports[-1]] == []


def export_text(app: AppUnderTest, payload: JsonObject) -> str:
    document = payload["document"]
    assert isinstance(document, dict)
    file = app.graph.media.find(str(document["id"]))
    assert file is not None
    with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
        return "\n".join(f"{name}\n{archive.read(name).decode('utf-8', 'replace')}" for name in archive.namelist())
