"""A recording that ends too early is known by its file, in every container; a whole one never."""

from pathlib import Path
from typing import Final

import pytest

av = pytest.importorskip("av", reason="the extra `voice` is not installed")
np = pytest.importorskip("numpy")
Recording = pytest.importorskip("app.media.heavy.hearing").Recording

SECONDS: Final = 6
KINDS: Final = (
    ("ogg", "libopus"),
    ("webm", "libopus"),
    ("mp3", "libmp3lame"),
    ("mp4", "aac"),
    ("adts", "aac"),
    ("flac", "flac"),
    ("wav", "pcm_s16le"),
    ("matroska", "aac"),
)


def made(path: Path, container: str, codec: str) -> bytes:
    """A sweep, encoded; an MP4 has its index in front, as WhatsApp's have."""
    rate = 48_000
    at = np.arange(rate * SECONDS) / rate
    sound = (0.4 * np.sin(2 * np.pi * (200 + 150 * at) * at) * 32_767).astype(np.int16)
    options = {"movflags": "faststart"} if container == "mp4" else {}
    with av.open(str(path), "w", format=container, options=options) as out:
        stream = out.add_stream(codec, rate=rate)
        stream.layout = "mono"
        for begin in range(0, len(sound), rate // 10):
            frame = av.AudioFrame.from_ndarray(sound[None, begin : begin + rate // 10], "s16", "mono")
            frame.sample_rate = rate
            frame.pts = begin
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return path.read_bytes()


@pytest.mark.parametrize(("container", "codec"), KINDS)
def test_a_file_that_ends_too_early_is_known_and_a_whole_one_is_not(
    tmp_path: Path, container: str, codec: str
) -> None:
    whole = tmp_path / "whole"
    data = made(whole, container, codec)
    assert not Recording.read(str(whole), 60).is_damaged
    for share in (0.35, 0.5, 0.72, 0.9):
        part = tmp_path / "part"
        part.write_bytes(data[: int(share * len(data))])
        assert Recording.read(str(part), 60).is_damaged, f"cut at {share}"


def test_what_is_not_listened_to_does_not_count_as_missing(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    made(whole, "mp4", "aac")
    heard = Recording.read(str(whole), 2)
    assert heard.is_cut
    assert not heard.is_damaged
