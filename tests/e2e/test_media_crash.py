"""kill -9 while a child reads, looks, listens or speaks: nothing lost, nothing answered twice, no file stays."""

import asyncio
import base64
import hashlib
import os
import subprocess
from pathlib import Path
from typing import Final

import pytest

from app.media.faults import is_installed
from app.media.speaking import is_able
from app.simulator import payloads
from app.simulator.payloads import JsonObject, MediaKind
from tests.e2e.crash_world import POLL_S, USERS, World, open_world
from tests.fakes import files

PATIENCE_S: Final = 100
PERSON: Final = USERS[0]
MODELS: Final = os.environ.get("WASAP_TEST_SENSES", "")
"""A folder with `whisper-base` and `kokoro`, as in `data/models`."""
REAL = pytest.mark.skipif(not (MODELS and is_able()), reason="WASAP_TEST_SENSES names no models, or no espeak-ng")


async def show(world: World, kind: MediaKind, data: bytes, **facts: object) -> None:
    """Let the person send a file; Meta repeats what was not taken."""
    media_id = world.graph.add_media(data, "application/octet-stream")
    digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
    described: dict[str, object] = {"id": media_id, "mime_type": "application/octet-stream", "sha256": digest}
    content: JsonObject = payloads.media(kind, {**described, **facts})  # type: ignore[dict-item]  # plain values
    assert (await world.graph.receive(PERSON, content)).webhook_status == 200


async def kill_in_the_middle(world: World, data: Path) -> None:
    """Kill the service once a child has worked for a moment; whatever it started must be gone, too."""
    while not workers(data):
        await asyncio.sleep(POLL_S)
    await asyncio.sleep(0.3)
    await world.service.kill()
    while workers(data):
        await asyncio.sleep(POLL_S)


def workers(data: Path) -> list[str]:
    """The children that work over this data directory."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
            if b"app.media.worker" in command and (process / "cwd").resolve().is_relative_to(data.resolve()):
                found.append(process.name)
        except OSError:
            continue
    return found


async def restart_and_settle(world: World) -> None:
    await world.service.start()
    await world.service.up.wait()
    await world.settled()


def left_behind(data: Path) -> list[Path]:
    unfinished = [path for path in data.glob("users/*/media/*") if path.name.startswith(".")]
    return [*unfinished, *(path for path in (data / "children").rglob("*") if path.is_file())]


@pytest.mark.long
@pytest.mark.timeout(PATIENCE_S + 10)
@pytest.mark.skipif(not is_installed("documents"), reason="the extra `documents` is not installed")
async def test_a_kill_while_reading_loses_nothing_and_answers_once(tmp_path: Path) -> None:
    pdf = files.pdf([f"Page {n}\n" + "\n".join(["The fox runs on."] * 60) for n in range(1200)])
    async with asyncio.timeout(PATIENCE_S), open_world(tmp_path, 1) as world:
        data = tmp_path / "data"
        await show(world, "document", pdf, filename="fox.pdf")
        await kill_in_the_middle(world, data)
        await restart_and_settle(world)
        [reply] = world.replies_to(PERSON)
        assert "fox" in reply.text
        assert "1" in reply.text
        assert len(list(data.glob("users/*/media/*.pdf"))) == 1
        assert left_behind(data) == []


@pytest.mark.long
@pytest.mark.timeout(PATIENCE_S + 10)
@pytest.mark.skipif(not is_installed("pictures"), reason="the extra `pictures` is not installed")
async def test_a_kill_while_looking_loses_nothing_and_answers_once(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE_S), open_world(tmp_path, 2) as world:
        data = tmp_path / "data"
        await show(world, "image", files.png(1600, 1200))
        await kill_in_the_middle(world, data)
        await restart_and_settle(world)
        assert len(world.replies_to(PERSON)) == 1
        assert len(list(data.glob("users/*/media/*.png"))) == 1
        assert left_behind(data) == []


def _spoken(text: str) -> bytes:
    """A recording by the program that the voice needs anyway, as WAV: what a file is tells its content."""
    return subprocess.run(["espeak-ng", "--stdout", text], check=True, capture_output=True).stdout


@REAL
@pytest.mark.live
@pytest.mark.timeout(PATIENCE_S + 10)
@pytest.mark.parametrize("what", ["listening", "speaking"])
async def test_a_kill_while_hearing_or_speaking_loses_nothing_and_answers_once(tmp_path: Path, what: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "models").symlink_to(MODELS)
    async with asyncio.timeout(PATIENCE_S), open_world(tmp_path, 3) as world:
        if what == "speaking":
            await world.write(PERSON, ["/voice always"])
            await world.settled()
            await world.write(PERSON, ["Tell me something about the long and winding road to the sea."])
        else:
            await world.write(PERSON, ["/voice off"])
            await world.settled()
            await show(world, "audio", _spoken("The bus to the sea leaves at noon."), voice=True)
        before = len(world.replies_to(PERSON))
        await kill_in_the_middle(world, data)
        await restart_and_settle(world)
        replies = world.replies_to(PERSON)[before:]
        assert [one.type for one in replies] == ["audio" if what == "speaking" else "text"]
        assert left_behind(data) == []
