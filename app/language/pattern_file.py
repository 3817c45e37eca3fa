"""Compiled patterns kept on disk, as Python keeps byte code: ours take forty times as long to compile as to read.

To compile a pattern is to parse it and lay out its code, the numbers that `_sre.compile` takes in and checks.
They are kept. The interface is private to CPython (Lib/re/_compiler.py), hence bound to its exact version.
"""

import hashlib
import marshal
import re
import sys
import zlib
from array import array
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any, Final

from app.disk import replace_file

Key = tuple[str, int]
"""A pattern, and the flags that it is compiled with."""
Layout = tuple[int, bytes, int, dict[str, int], tuple[str | None, ...]]
"""What `_sre.compile` takes beside a pattern: flags, code (compressed), how many groups, the groups by name."""
_FORM: Final = b"patterns 1"
"""What the digest also covers, so that a file of another form is made anew; to be changed with `Layout`."""
_DIGEST_BYTES: Final = 32
_READABLE: Final = 0o644
_QUICK: Final = 1


def beside_byte_code(module: str) -> Path:
    """Return where the patterns of a module's application are kept."""
    return Path(cache_from_source(module)).with_suffix(".patterns")


class PatternFile:
    """Patterns by their text: from the file where it holds them, else compiled, to be kept."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: Mapping[Key, Layout] | None = None
        self._used: dict[Key, Layout] = {}
        self._is_behind = False

    def compile(self, pattern: str, flags: int) -> re.Pattern[str]:
        """Return what `re.compile` would."""
        kept = self._kept
        if kept is None:
            kept = self._kept = _read(self._path)
        layout = kept.get((pattern, flags))
        if layout is None:
            layout = _laid_out(pattern, flags)
            if layout is None:
                return re.compile(pattern, flags)
            self._is_behind = True
        self._used[pattern, flags] = layout
        return _taken_in(pattern, layout)

    def keep(self, wanted: Iterable[Key]) -> None:
        """Write all of these patterns, if any was compiled since the last time, and let go of what was read."""
        used, is_behind = self._used, self._is_behind
        self._kept, self._used, self._is_behind = None, {}, False
        if is_behind:
            known = {**_read(self._path), **used}
            with suppress(OSError):  # a folder that is only read: they are compiled at each start
                self._path.parent.mkdir(exist_ok=True)
                replace_file(self._path, _packed({key: known[key] for key in wanted if key in known}))
                self._path.chmod(_READABLE)


def _sre() -> Any:
    return import_module("_sre")


def _version() -> tuple[str, int, int]:
    """Return what the numbers of a layout mean something to."""
    return sys.version, _sre().MAGIC, _sre().CODESIZE


def _read(path: Path) -> Mapping[Key, Layout]:
    """Return what the file holds for this very Python; nothing where it is missing or damaged."""
    try:
        packed = path.read_bytes()
    except OSError:
        return {}
    content = packed[_DIGEST_BYTES:]
    if _digest(content) != packed[:_DIGEST_BYTES]:
        return {}
    version, layouts = marshal.loads(content)  # noqa: S302 - as trusted as the byte code beside it
    return layouts if version == _version() else {}


def _packed(layouts: Mapping[Key, Layout]) -> bytes:
    content = marshal.dumps((_version(), dict(layouts)))
    return _digest(content) + content


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(_FORM + content).digest()


def _laid_out(pattern: str, flags: int) -> Layout | None:
    """Do what `re._compiler.compile` does before it calls `_sre.compile`; none where this Python differs.

    Raises:
        re.error: it is no pattern.
    """
    try:
        compiler, parser = import_module("re._compiler"), import_module("re._parser")
        parsed = parser.parse(pattern, flags)
        code = zlib.compress(array("I", compiler._code(parsed, flags)).tobytes(), _QUICK)
        state = parsed.state
    except (ImportError, AttributeError, TypeError, OverflowError):
        return None
    names: list[str | None] = [None] * state.groups
    for name, number in state.groupdict.items():
        names[number] = name
    return int(flags | state.flags), code, state.groups - 1, dict(state.groupdict), tuple(names)


def _taken_in(pattern: str, layout: Layout) -> re.Pattern[str]:
    flags, code, groups, numbers, names = layout
    compiled: re.Pattern[str] = _sre().compile(
        pattern, flags, array("I", zlib.decompress(code)).tolist(), groups, numbers, names
    )
    return compiled
