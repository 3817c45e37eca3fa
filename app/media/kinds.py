"""What a file is, told by its first bytes; who sent it may say anything."""

from typing import Final, Literal

Family = Literal["audio", "image", "video", "document"]

_MIB: Final = 1024 * 1024
HEAD_BYTES: Final = 64
MAX_BYTES: Final = 100 * _MIB
"""Of any file; Meta takes no larger ones."""
_PLAIN: Final = ("document", "application/octet-stream", "bin")
HEIC: Final[tuple[Family, str, str]] = ("image", "image/heic", "heic")
_SIGNS: Final[tuple[tuple[int, bytes, tuple[Family, str, str]], ...]] = (
    (0, b"OggS", ("audio", "audio/ogg", "ogg")),
    (0, b"ID3", ("audio", "audio/mpeg", "mp3")),
    (0, b"\xff\xfb", ("audio", "audio/mpeg", "mp3")),
    (0, b"\xff\xf3", ("audio", "audio/mpeg", "mp3")),
    (0, b"\xff\xf1", ("audio", "audio/aac", "aac")),
    (0, b"\xff\xf9", ("audio", "audio/aac", "aac")),
    (0, b"#!AMR", ("audio", "audio/amr", "amr")),
    (0, b"fLaC", ("audio", "audio/flac", "flac")),
    (8, b"WAVE", ("audio", "audio/wav", "wav")),
    (8, b"M4A ", ("audio", "audio/mp4", "m4a")),
    (0, b"\xff\xd8\xff", ("image", "image/jpeg", "jpg")),
    (0, b"\x89PNG\r\n\x1a\n", ("image", "image/png", "png")),
    (0, b"GIF8", ("image", "image/gif", "gif")),
    (8, b"WEBP", ("image", "image/webp", "webp")),
    (0, b"II*\0", ("image", "image/tiff", "tif")),
    (0, b"MM\0*", ("image", "image/tiff", "tif")),
    (8, b"AVI ", ("video", "video/x-msvideo", "avi")),
    (4, b"ftypavif", ("image", "image/avif", "avif")),
    (4, b"ftypheic", HEIC),
    (4, b"ftypheix", HEIC),
    (4, b"ftypmif1", HEIC),
    (4, b"ftypmsf1", HEIC),
    (4, b"ftyp", ("video", "video/mp4", "mp4")),
    (0, b"\x1aE\xdf\xa3", ("video", "video/webm", "webm")),
    (0, b"%PDF-", ("document", "application/pdf", "pdf")),
    (0, b"PK\x03\x04", ("document", "application/zip", "zip")),
)
_LIMITS: Final[tuple[tuple[Family, int], ...]] = (
    ("audio", 16 * _MIB),
    ("image", 16 * _MIB),
    ("video", 64 * _MIB),
    ("document", MAX_BYTES),
)


def kind_of(head: bytes) -> tuple[Family, str, str]:
    """Return the family, the media type and the ending of a file that begins like this."""
    return next((what for at, sign, what in _SIGNS if head.startswith(sign, at)), _PLAIN)


def limit_of(family: Family) -> int:
    """Return how large a file of that family may be, in bytes."""
    return dict(_LIMITS)[family]
