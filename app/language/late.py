"""Patterns of many phrases, compiled when first used and kept: all of them take as long as three starts."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any

from app.language.pattern_file import PatternFile, beside_byte_code


class LatePattern:
    """As what `re.compile` returns, as far as it is used here."""

    def __init__(self, pattern: str, flags: int = re.IGNORECASE) -> None:
        self.pattern = pattern
        self.flags = int(flags)

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return _file().compile(self.pattern, self.flags)

    def search(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        return self.compiled.search(text, pos, endpos)

    def match(self, text: str, pos: int = 0) -> re.Match[str] | None:
        return self.compiled.match(text, pos)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        return self.compiled.fullmatch(text)

    def finditer(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> Iterator[re.Match[str]]:
        return self.compiled.finditer(text, pos, endpos)

    def split(self, text: str, maxsplit: int = 0) -> list[str | Any]:
        return self.compiled.split(text, maxsplit)

    def subn(self, repl: str, text: str, count: int = 0) -> tuple[str, int]:
        return self.compiled.subn(repl, text, count)

    def sub(self, repl: str | Callable[[re.Match[str]], str], text: str, count: int = 0) -> str:
        return self.compiled.sub(repl, text, count)


def compile_all(is_over: Callable[[], bool] = lambda: False) -> None:
    """Compile what the loaded modules hold, so that nobody waits for it, and keep it for the next start.

    Where nothing is kept, it takes about twelve seconds of a processor's time, else a third of one.
    """
    for pattern in each_loaded():
        if is_over():
            return
        _ = pattern.compiled
    _file().keep((one.pattern, one.flags) for one in each_loaded())


def each_loaded() -> Iterator[LatePattern]:
    """Return what the modules of this application hold that are loaded by now, some of it more than once."""
    for module in [module for name, module in [*sys.modules.items()] if name.startswith("app.")]:
        for value in [*vars(module).values()]:
            yield from _each(value)


@lru_cache(maxsize=1)
def _file() -> PatternFile:
    return PatternFile(beside_byte_code(__file__))


def _each(value: object) -> Iterator[LatePattern]:
    if isinstance(value, LatePattern):
        yield value
    elif isinstance(value, Mapping):
        yield from _each(tuple(value.values()))
    elif isinstance(value, tuple | list):
        for one in value:
            yield from _each(one)
