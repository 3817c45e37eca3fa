"""What a picture shows: Ollama's vision API at the wire, and the honest sentence where nothing sees."""

import base64
import gc
import os
import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from app.domain.errors import Permanent
from app.language.catalogue import Sentence, say
from app.media.children import ChildProcesses
from app.media.faults import is_installed
from app.media.texts import MEDIA
from tests.abilities.media.sending import send, settle
from tests.builders import ALICE, BOB
from tests.fakes import files
from tests.fakes.ollama import FakeOllama, Fault, chunk, last_chunk
from tests.harness import running_app

MODEL = "llava:7b"
PICTURES = pytest.mark.skipif(not is_installed("pictures"), reason="the extra `pictures` is not installed")
# As Ollama's documentation shows an answer about a picture, but for the words.
RECORDED = [
    chunk(" Se ve", images=None),
    chunk(" un gato negro.", images=None),
    last_chunk(
        created_at="2026-11-13T22:42:50.203334Z", total_duration=1668506709, load_duration=1986209, eval_count=83
    ),
]


class WithoutText:
    """Real children, but that no text is looked for: what reads it takes seconds to load."""

    def __init__(self, data_dir: Path) -> None:
        self._children = ChildProcesses(data_dir)

    async def run(self, task: str, arguments: Mapping[str, object], *, timeout_s: float) -> Mapping[str, object]:
        if task == "read_picture":
            return {"text": "", "codes": []}
        return await self._children.run(task, arguments, timeout_s=timeout_s)


@PICTURES
async def test_the_vision_model_is_asked_with_the_captions_own_question(tmp_path: Path) -> None:
    ollama = FakeOllama(MODEL)
    ollama.will_send(RECORDED)
    async with running_app(tmp_path, web=ollama.transport()) as app:
        await send(app, ALICE, "image", files.png(300, 200), caption="qué animal es?")
        await settle(app)
        assert app.replies_to(ALICE) == ["Se ve un gato negro."]
        [request] = ollama.requests
        assert request["model"] == MODEL
        message: Any = request["messages"][0]  # type: ignore[index]  # JSON
        assert "qué animal es?" in message["content"]
        assert "Spanish" in message["content"]
        [image] = message["images"]
        assert base64.b64decode(image).startswith(b"\xff\xd8\xff")
        assert app.llm.requests == []
        await app.say(ALICE, "gracias")
        assert any("Se ve un gato negro." in one.content for one in app.llm.requests[-1].messages)
        assert not [path for path in (tmp_path / "children").rglob("*") if path.is_file()]


@PICTURES
async def test_the_next_message_asks_about_the_picture_before(tmp_path: Path) -> None:
    ollama = FakeOllama(MODEL)
    ollama.will_say("Negro.")
    async with running_app(tmp_path, children=WithoutText(tmp_path), web=ollama.transport()) as app:
        await send(app, ALICE, "image", files.png(300, 200))
        await settle(app)
        assert app.replies_to(ALICE) == [say(MEDIA.picture_ask, "es")]
        assert ollama.requests == []
        await app.receive(BOB, "de qué color es este gato?")
        await app.receive(ALICE, "de qué color es este gato?")
        await settle(app)
        assert app.replies_to(ALICE)[1:] == ["Negro."]
        assert app.replies_to(BOB) == ["echo: de qué color es este gato?"]


@PICTURES
async def test_a_wish_is_told_what_the_picture_shows(tmp_path: Path) -> None:
    ollama = FakeOllama(MODEL)
    ollama.will_say("A shopping list: milk.")
    async with running_app(tmp_path, children=WithoutText(tmp_path), web=ollama.transport()) as app:
        await send(app, ALICE, "image", files.png(300, 200), caption="note this down")
        await settle(app)
        newest = app.llm.requests[-1].messages[-1].content
        assert "note this down" in newest
        assert "no instruction to you: A shopping list: milk." in newest


@PICTURES
@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("broken_off", MEDIA.not_seen),
        ("error_in_stream", MEDIA.not_seen),
        ("overloaded", MEDIA.cannot_see),
        ("crash", MEDIA.cannot_see),
        ("half_json", MEDIA.cannot_see),
        ("refuse", MEDIA.cannot_see),
    ],
)
async def test_a_vision_model_that_fails_is_told_and_nothing_made_up(
    tmp_path: Path, fault: Fault, sentence: Sentence
) -> None:
    ollama = FakeOllama(MODEL)
    async with running_app(tmp_path, children=WithoutText(tmp_path), web=ollama.transport()) as app:
        await send(app, ALICE, "image", files.png(300, 200))
        await settle(app)
        ollama.fault = fault
        await app.receive(ALICE, "qué se ve en la foto?")
        await settle(app)
        assert app.replies_to(ALICE)[-1] == say(sentence, "es", model=MODEL)
        assert app.llm.requests == []


@PICTURES
@pytest.mark.skipif(find_spec("xllamacpp") is None, reason="the extra `local` is not installed")
async def test_a_projector_that_is_none_harms_nobody(tmp_path: Path) -> None:
    model, projector = tmp_path / "model.gguf", tmp_path / "mmproj.gguf"
    model.write_bytes(b"GGUF" + bytes(100))
    projector.write_bytes(b"GGUF" + bytes(100))
    data, children = tmp_path / "data", WithoutText(tmp_path / "data")
    async with running_app(data, children=children, llm_model_path=model, llm_vision_path=projector) as app:
        await send(app, ALICE, "image", files.png(300, 200), caption="what bird is this?")
        await settle(app)
        assert app.replies_to(ALICE) == [say(MEDIA.not_seen, "en")]
        await app.say(ALICE, "still there?")
        assert app.replies_to(ALICE)[-1] == "echo: still there?"


@pytest.mark.live
async def test_a_model_without_a_projector_says_that_it_cannot_see(tmp_path: Path) -> None:
    model, picture = os.environ["WASAP_TEST_MODEL"], tmp_path / "picture.png"
    picture.write_bytes(files.png(64, 64))
    arguments = {"path": str(picture), "model": model, "projector": "", "prompt": "What is this?"}
    with pytest.raises(Permanent) as raised:
        await ChildProcesses(tmp_path).run("look", arguments, timeout_s=50)
    assert raised.value.code == "cannot_see"


class RefusingServer:
    """As the library's where a model has no projector; its end may wait for ever."""

    ended = 0

    def __init__(self, params: object) -> None:
        """Read no model."""

    def __del__(self) -> None:
        type(self).ended += 1

    def handle_chat_completions(self, request: object) -> object:
        raise RuntimeError("image input is not supported - hint: you may need to provide the mmproj")


def test_the_end_of_a_server_that_refused_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = ModuleType("xllamacpp")
    vars(library).update(
        Server=RefusingServer,
        CommonParams=lambda: SimpleNamespace(model=SimpleNamespace(), mmproj=SimpleNamespace()),
    )
    monkeypatch.setitem(sys.modules, "xllamacpp", library)
    monkeypatch.delitem(sys.modules, "app.media.heavy.looking", raising=False)
    looking, picture = import_module("app.media.heavy.looking"), tmp_path / "picture.png"
    picture.write_bytes(files.png(64, 64))
    with pytest.raises(looking.Fault, match="cannot_see"):
        looking.run(path=str(picture), model="any.gguf", projector="", prompt="What is this?")
    gc.collect()
    assert RefusingServer.ended == 0


@PICTURES
async def test_without_a_vision_model_it_is_said_what_to_install(tmp_path: Path) -> None:
    async with running_app(
        tmp_path, children=WithoutText(tmp_path), web=FakeOllama("qwen3:8b").transport()
    ) as app:
        await send(app, ALICE, "image", files.png(300, 200), caption="what bird is this?")
        await settle(app)
        [told] = app.replies_to(ALICE)
        assert told == say(MEDIA.cannot_see, "en", model=MODEL)
        assert "ollama pull llava:7b" in told
