"""Models to choose from: what is told of them, and that the hub's checksum is taken once and never exchanged."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from app.cli.main import cli
from app.cli.models import fetch_model
from app.domain.errors import Permanent, Transient
from app.llm.hub import pinned_file
from app.llm.model_catalogue import Catalogue, CatalogueModel
from app.llm.model_store import DEFAULT_MODEL, find_model
from app.llm.profiles import profile_for

CONTENT = bytes(range(256)) * 400
REVISION = "0123456789abcdef0123456789abcdef01234567"
TINY = CatalogueModel(
    name="tiny",
    repository="Somebody/Tiny-GGUF",
    file="tiny-q4.gguf",
    size_bytes=1,
    kv_bytes_per_token=1,
    licence="MIT",
    languages="English",
)


@dataclass
class FakeHub:
    """A hub with one repository: its metadata, and its file at one revision."""

    content: bytes = CONTENT
    told: bytes | None = None
    revision: str = REVISION
    status: int = 200
    error: type[httpx.TransportError] | None = None
    has_checksum: bool = True
    asked: list[str] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request.url.path)
        if self.error:
            raise self.error("no route to the hub")
        if self.status != 200:
            return httpx.Response(self.status)
        if request.url.path == f"/api/models/{TINY.repository}":
            return httpx.Response(200, json=self._metadata())
        if request.url.path != f"/{TINY.repository}/resolve/{self.revision}/{TINY.file}":
            return httpx.Response(404)
        size = len(self.content)
        headers = {"Content-Range": f"bytes 0-{size - 1}/{size}"}
        return httpx.Response(206, content=self.content, headers=headers)

    def _metadata(self) -> dict[str, object]:
        told = self.told or self.content
        lfs = {"sha256": hashlib.sha256(told).hexdigest(), "size": len(told), "pointerSize": 134}
        entry: dict[str, object] = {"rfilename": TINY.file, "size": len(told)}
        if self.has_checksum:
            entry["lfs"] = lfs
        return {"id": TINY.repository, "sha": self.revision, "siblings": [{"rfilename": "README.md"}, entry]}

    async def fetch(self, directory: Path) -> Path:
        return await fetch_model(TINY, directory, httpx.MockTransport(self))


async def test_the_hubs_checksum_is_pinned_and_the_file_verified(tmp_path: Path) -> None:
    hub = FakeHub()

    path = await hub.fetch(tmp_path)

    assert path.read_bytes() == CONTENT
    pinned = pinned_file(tmp_path, TINY)
    assert pinned is not None
    assert pinned.sha256 == hashlib.sha256(CONTENT).hexdigest()
    assert REVISION in pinned.hub_url
    assert find_model(tmp_path, pinned) == path


async def test_a_file_that_is_there_needs_no_hub(tmp_path: Path) -> None:
    path = await FakeHub().fetch(tmp_path)

    assert await FakeHub(error=httpx.ConnectError).fetch(tmp_path) == path


async def test_what_was_pinned_is_not_exchanged_by_the_hub(tmp_path: Path) -> None:
    (await FakeHub().fetch(tmp_path)).unlink()
    exchanged = FakeHub(content=bytes(len(CONTENT)))

    with pytest.raises(Permanent, match="model_checksum"):
        await exchanged.fetch(tmp_path)

    assert all("/api/" not in path for path in exchanged.asked)
    assert not (tmp_path / TINY.file).exists()


async def test_bytes_that_are_not_what_the_metadata_says_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Permanent, match="model_checksum"):
        await FakeHub(told=bytes(len(CONTENT))).fetch(tmp_path)


@pytest.mark.parametrize(
    ("hub", "kind", "code", "hint"),
    [
        (FakeHub(status=401), Permanent, "model_unlisted", "licence"),
        (FakeHub(status=404), Permanent, "model_unlisted", "Somebody/Tiny-GGUF"),
        (FakeHub(status=502), Transient, "hub_unreachable", "502"),
        (FakeHub(error=httpx.ConnectError), Transient, "hub_unreachable", "LLM_MODEL_PATH"),
        (FakeHub(has_checksum=False), Permanent, "model_unlisted", "checksum"),
        (FakeHub(revision="main"), Permanent, "model_unlisted", "checksum"),
    ],
    ids=["gated", "gone", "down", "unreachable", "no checksum", "no revision"],
)
async def test_a_hub_that_does_not_help_is_told_with_the_next_step(
    tmp_path: Path, hub: FakeHub, kind: type[Exception], code: str, hint: str
) -> None:
    with pytest.raises(kind, match=code) as raised:
        await hub.fetch(tmp_path)

    assert hint in str(raised.value)
    assert pinned_file(tmp_path, TINY) is None


@pytest.mark.parametrize("note", ["", "[]", '{"revision": "main", "sha256": "x", "size_bytes": 1}'])
async def test_a_damaged_pin_is_asked_for_again(tmp_path: Path, note: str) -> None:
    (tmp_path / f"{TINY.file}.pin").write_text(note)

    assert (await FakeHub().fetch(tmp_path)).read_bytes() == CONTENT


def test_the_catalogue_is_consistent() -> None:
    catalogue = Catalogue.read()
    names = [model.name for model in catalogue.model]

    assert len(names) == len(set(names)) >= 10
    assert all(model.file.endswith(".gguf") for model in catalogue.model)
    assert (catalogue.default.file, catalogue.default.size_bytes) == (DEFAULT_MODEL.name, DEFAULT_MODEL.size_bytes)
    assert all(model.is_tried for model in catalogue.model if model.score)
    for model in catalogue.model:
        size = re.search(r"(\d+(?:\.\d+)?)b", model.name, re.IGNORECASE)
        assert size
        is_small = profile_for(Path(model.file).stem).tool_protocol == "constrained"
        assert is_small or float(size[1]) >= 4


@pytest.mark.parametrize(
    ("gib", "context", "name"),
    [
        (2, 8192, None),
        (3, 8192, "qwen2.5-0.5b"),
        (4, 8192, "qwen2.5-coder-1.5b"),
        (8, 8192, "qwen2.5-coder-7b"),
        (64, 8192, "qwen3-14b"),
        (4, 32_768, "qwen2.5-0.5b"),
    ],
)
def test_the_largest_that_fits_is_named(gib: int, context: int, name: str | None) -> None:
    largest = Catalogue.read().largest_for(gib * 1024**3, context)

    assert (largest.name if largest else None) == name


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str]]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OLLAMA_BASE_URL", "http://127.0.0.1:9")

    def run(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(cli, ["model", *arguments])
        return result.exit_code, result.output

    return run


def test_the_list_names_every_model_with_what_it_needs(command: Callable[..., tuple[int, str]]) -> None:
    code, output = command("list")

    assert code == 0
    for model in Catalogue.read().model:
        (line,) = [line for line in output.splitlines() if f" {model.name} " in line and "GiB" in line]
        assert model.licence.split()[0] in line
        assert (" yes " if model.is_tried else " no ") in line
    assert "not fetched; run: python -m app model fetch" in output


def test_a_name_that_is_not_in_the_catalogue_is_answered_with_those_that_are(
    command: Callable[..., tuple[int, str]],
) -> None:
    code, output = command("fetch", "gpt-7")

    assert code == 1
    assert "model_unknown" in output
    assert "qwen3-8b" in output
