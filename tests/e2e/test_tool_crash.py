"""kill -9 around a sensitive call: it is never run twice, and its person always hears how it went."""

import asyncio
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

import pytest

from app.asking.texts import ASKING
from app.language.catalogue import LANGUAGES, say
from app.simulator import payloads
from tests.e2e.asking import button_of, is_question
from tests.e2e.crash_world import POLL_S, USERS, EchoingOllama, World, open_world
from tests.e2e.slow_disk import SLOW_FILE
from tests.fakes.ollama import SHORT_TOKENS

PATIENCE_S: Final = 300
PERSON: Final = USERS[0]
LINE: Final = "flour"
DONE: Final = "It is written."
UNSURE: Final = "It may be written already."
SENT: Final = {"sent", "failed"}
LOST: Final = {say(ASKING.approval_question_lost, language) for language in LANGUAGES}


class WritingOllama(EchoingOllama):
    """A model that wants to append one line to a file, and tries it again in every attempt."""

    def answer_to(self, body: Mapping[str, Any]) -> str:
        if body["options"].get("num_predict", SHORT_TOKENS + 1) <= SHORT_TOKENS:
            return json.dumps({"categories": ["files"]})
        told = body["messages"][-1]["content"]
        if "may already have happened" in told:
            return json.dumps({"reply": UNSURE})
        if "successfully" in told:
            return DONE
        arguments = {"path": SLOW_FILE, "content": LINE, "mode": "append"}
        return json.dumps({"calls": [{"write_file": arguments}]})


@pytest.mark.needs("files")
@pytest.mark.long
async def test_a_kill_in_the_middle_of_a_sensitive_call_does_not_run_it_twice(tmp_path: Path) -> None:
    model = WritingOllama(random.Random(1))
    async with (
        asyncio.timeout(PATIENCE_S),
        open_world(tmp_path, 1, ollama=model, module="tests.e2e.slow_disk", AGENT_WRITE_ENABLED="true") as world,
    ):
        await world.write(PERSON, ["append flour to the file slow.txt"])
        await press_run(world, number=1)
        while not written(tmp_path):
            await asyncio.sleep(POLL_S)
        await world.service.kill()
        world.service.module = "app"
        seen = len(model.prompts)
        await restart_and_settle(world)
        assert written(tmp_path) == [LINE]
        assert len(questions(world)) == 1
        assert [send.text for send in world.replies_to(PERSON)][1:] == [UNSURE]
        assert any("write_file (it may or may not have taken effect" in one for one in model.prompts[seen:])


@pytest.mark.long
@pytest.mark.parametrize("how", ["kill", "stop"])
async def test_a_restart_while_the_person_is_asked_tells_them_asks_anew_and_runs_once(
    tmp_path: Path, how: Literal["kill", "stop"]
) -> None:
    model = WritingOllama(random.Random(2))
    async with (
        asyncio.timeout(PATIENCE_S),
        open_world(tmp_path, 2, ollama=model, AGENT_WRITE_ENABLED="true") as world,
    ):
        await world.write(PERSON, ["append flour to the file slow.txt"])
        await asked(world, number=1)
        await (world.service.kill() if how == "kill" else world.service.stop())
        assert written(tmp_path) == []
        await world.service.start()
        await press_run(world, number=2)
        await settle(world)
        assert written(tmp_path) == [LINE]
        question, lost, again, answer = [send.text for send in world.replies_to(PERSON)]
        assert question == again
        assert lost in LOST
        assert answer == DONE


def written(directory: Path) -> list[str]:
    return [path.read_text() for path in (directory / "data" / "users").glob(f"*/{SLOW_FILE}")]


def questions(world: World) -> list[str]:
    return [button_of(send) for send in world.graph.sends if is_question(send)]


async def asked(world: World, *, number: int) -> str:
    """Wait for the n-th question and return the id of its buttons, less the answer."""
    while len(questions(world)) < number:
        await world.graph.transcript.wait_beyond(world.graph.transcript.last_seq)
    return questions(world)[number - 1]


async def press_run(world: World, *, number: int) -> None:
    token = await asked(world, number=number)
    receipt = await world.graph.receive(PERSON, payloads.button_reply(f"{token}:y", "Run"))
    assert receipt.webhook_status == 200


async def restart_and_settle(world: World) -> None:
    await world.service.start()
    await world.service.up.wait()
    await settle(world)


async def settle(world: World) -> None:
    """As `World.settled`, where a question that a restart took back may have failed."""
    await world.graph.idle()
    service = world.service
    while not ({*await service.states("inbox")} == {"done"} and {*await service.states("outbox")} <= SENT):
        await asyncio.sleep(POLL_S)
