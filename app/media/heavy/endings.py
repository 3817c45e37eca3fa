"""Whether a recording lacks its end: FFmpeg reads a cut file as if it were whole. Child process only."""

from pathlib import Path
from typing import Any, Final

_PAGE: Final = b"OggS"
_HEADER: Final = 27
_LONGEST_PAGE: Final = 65_307
_OPEN: Final = 255
"""A packet whose last piece is as long as a piece can be goes on in the next page."""
_TELL_LENGTH: Final = frozenset({"mov", "mp4", "m4a", "3gp", "matroska", "webm", "flac"})
_MP3_LENGTHS: Final = (b"Xing", b"Info", b"VBRI")
_HEAD: Final = 4096
_MISSING_S: Final = 0.5
_MISSING_SHARE: Final = 0.03


def breaks_off(path: str, container: Any, heard_s: float) -> bool:
    """Tell whether a file that was decoded to its end lacks its end: by what it says of its own length."""
    names = set(container.format.name.split(","))
    if "ogg" in names:
        return _ends_within_page(Path(path))
    if not names & _TELL_LENGTH and not ("mp3" in names and _says_length(Path(path))):
        return False  # a length that is guessed from the size says nothing
    stream = container.streams.audio[0]
    if stream.duration is not None:
        told_s = float(stream.duration * stream.time_base)
    elif container.duration is not None and len(container.streams) == 1:
        told_s = container.duration / 1_000_000
    else:
        return False
    return heard_s < told_s - max(_MISSING_S, _MISSING_SHARE * told_s)


def _ends_within_page(path: Path) -> bool:
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _LONGEST_PAGE - _HEADER))
        tail = file.read()
    page = tail[tail.rfind(_PAGE) :] if _PAGE in tail else b""
    if len(page) < _HEADER:
        return True
    lengths = page[_HEADER : _HEADER + page[_HEADER - 1]]
    is_whole = len(page) >= _HEADER + page[_HEADER - 1] + sum(lengths)
    return not is_whole or (bool(lengths) and lengths[-1] == _OPEN)


def _says_length(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return any(mark in head for mark in _MP3_LENGTHS)
