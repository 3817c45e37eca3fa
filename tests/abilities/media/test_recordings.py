"""Recordings that hold no words, and files that are none: one true sentence each, and nobody waits for them.

A real child listens; it has no model, and none of the files here gets as far as needing one.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from app.domain.errors import NotReady, Permanent
from app.language.catalogue import Language, Sentence, say
from app.media.faults import is_installed
from app.media.texts import MEDIA
from app.simulator.payloads import MediaKind
from tests.abilities.media.sending import ScriptedChildren, send, settle
from tests.builders import ALICE, BOB
from tests.fakes import files, sounds
from tests.fakes.llm import ScriptedChatModel
from tests.harness import AppUnderTest, running_app

pytestmark = pytest.mark.skipif(not is_installed("voice"), reason="the extra `voice` is not installed")
NOISE: Final = bytes(range(256)) * 40
OGG: Final = b"OggS" + bytes(200)
GREETINGS: Final[dict[Language, str]] = {"es": "Hola, buenos días", "en": "Good morning, how are you today?"}


@asynccontextmanager
async def listening(
    tmp_path: Path, children: ScriptedChildren | None = None, llm: ScriptedChatModel | None = None
) -> AsyncIterator[AppUnderTest]:
    model = str(tmp_path / "no-model")
    async with running_app(tmp_path, children=children, llm=llm, whisper_model=model) as app:
        yield app


def left_behind(data: Path) -> list[str]:
    """What a file should not leave: half a download, a child's folder, a child."""
    unfinished = [path.name for path in data.glob("users/*/media/*") if path.name.startswith(".")]
    places = [path.name for path in (data / "children").glob("*")]
    return [*unfinished, *places, *workers_of(data)]


def workers_of(data: Path) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if b"app.media.worker" in (process / "cmdline").read_bytes():
                found += [process.name] * (process / "cwd").resolve().is_relative_to(data.resolve())
        except OSError:
            continue
    return found


@pytest.mark.parametrize(
    ("data", "language", "sentence"),
    [
        pytest.param(lambda: sounds.music(3), "es", MEDIA.nothing_heard, id="music"),
        pytest.param(sounds.silence(4), "en", MEDIA.nothing_heard, id="silence"),
        pytest.param(sounds.wav(b"\x80" * 80), "es", MEDIA.nothing_heard, id="a blink"),
        pytest.param(lambda: sounds.silence(16 * 60, rate=16_000, width=2), "en", MEDIA.too_large, id="30 MB"),
        pytest.param(sounds.wav(b""), "es", MEDIA.recording_without_sound, id="no sound in it"),
        pytest.param(OGG, "en", MEDIA.damaged, id="broken"),
        pytest.param(b"\0\0\0\x18ftypmp42" + NOISE, "es", MEDIA.damaged, id="broken film"),
        pytest.param(NOISE, "en", MEDIA.damaged, id="no recording at all"),
        pytest.param(b"", "es", MEDIA.empty, id="empty"),
        pytest.param(
            lambda: sounds.hum(16 * 60), "en", MEDIA.nothing_heard, id="16 minutes", marks=pytest.mark.long
        ),
    ],
)
async def test_a_recording_without_words_ends_in_one_sentence(
    tmp_path: Path, data: bytes | Callable[[], bytes], language: Language, sentence: Sentence
) -> None:
    sound = data if isinstance(data, bytes) else data()  # a long one is made only where it is heard
    async with listening(tmp_path) as app:
        await app.say(ALICE, GREETINGS[language])
        await send(app, ALICE, "audio", sound, voice=True, mime_type="audio/ogg; codecs=opus")
        await settle(app)
        assert app.replies_to(ALICE)[1:] == [say(sentence, language)]
        assert left_behind(tmp_path) == []


@pytest.mark.parametrize(
    ("kind", "mime_type", "data", "sentence"),
    [
        ("document", "application/pdf", sounds.silence(2), MEDIA.nothing_heard),
        ("image", "image/jpeg", sounds.silence(2), MEDIA.nothing_heard),
        ("image", "image/jpeg", NOISE, MEDIA.damaged),
        ("video", "video/mp4", NOISE, MEDIA.damaged),
        ("document", "image/heic", b"\0\0\0\x18ftypheic" + bytes(200), MEDIA.picture_kind),
        ("document", "audio/ogg", NOISE, MEDIA.not_a_document),
    ],
)
async def test_a_file_that_lies_about_its_kind_is_told_for_what_it_is(
    tmp_path: Path, kind: MediaKind, mime_type: str, data: bytes, sentence: Sentence
) -> None:
    async with listening(tmp_path) as app:
        await send(app, ALICE, kind, data, mime_type=mime_type)
        await settle(app)
        assert app.replies_to(ALICE) == [say(sentence, "es", limit="HEIC")]
        assert left_behind(tmp_path) == []


@pytest.mark.skipif(not is_installed("documents"), reason="the extra `documents` is not installed")
async def test_a_document_that_says_it_is_a_voice_note_is_read(tmp_path: Path) -> None:
    async with listening(tmp_path) as app:
        await send(app, ALICE, "audio", files.pdf(["El plazo vence en mayo."]), voice=True, mime_type="audio/ogg")
        await settle(app)
        [reply] = app.replies_to(ALICE)
        assert "El plazo vence en mayo." in reply


async def test_nobody_waits_for_somebody_elses_recording(tmp_path: Path) -> None:
    gate = asyncio.Event()
    children = ScriptedChildren({"hear": [Permanent("took_too_long")]}, gate=gate)
    async with listening(tmp_path, children) as app:
        await send(app, ALICE, "audio", OGG, voice=True)
        async with asyncio.timeout(5):
            while not children.asked:
                await asyncio.sleep(0)
        await app.receive(BOB, "hola")
        async with asyncio.timeout(20):
            while not app.replies_to(BOB):
                await asyncio.sleep(0)
        assert app.replies_to(ALICE) == []
        gate.set()
        await settle(app)
        assert app.replies_to(ALICE) == [say(MEDIA.took_too_long, "es")]


async def test_what_was_left_out_of_a_recording_is_said_also_when_its_turn_is_tried_again(tmp_path: Path) -> None:
    heard = {"text": "hola", "language": "es", "seconds": 3.0, "is_cut": True, "is_damaged": True}
    children = ScriptedChildren({"hear": [heard]})
    llm = ScriptedChatModel(NotReady("model_loading", "the model", progress=0.5), echo=True)
    llm.category = "notes"
    async with listening(tmp_path, children, llm) as app:
        await app.say(ALICE, "/voice off")
        await send(app, ALICE, "audio", OGG, voice=True)
        async with asyncio.timeout(20):
            while len(app.replies_to(ALICE)) < 3:
                await app.clock.advance(5)
        notes = (say(MEDIA.heard_cut, "es", count=20), say(MEDIA.heard_damaged, "es"))
        assert app.replies_to(ALICE)[-1].startswith("\n".join((say(MEDIA.heard, "es", text="hola"), *notes)))
        assert len(children.asked) == 1
