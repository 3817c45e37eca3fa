"""Patterns of many phrases, compiled when they are first used: all of them take as long as a whole start."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from types import ModuleType
from typing import Any


class LatePattern:
    """As what `re.compile` returns, as far as it is used here."""

    def __init__(self, pattern: str, flags: int = re.IGNORECASE) -> None:
        self.pattern = pattern
        self._flags = flags

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)

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


def compile_all(modules: Iterable[ModuleType], is_over: Callable[[], bool] = lambda: False) -> None:
    """Compile what these modules hold until `is_over`, so that nobody waits for it: about four seconds."""
    for module in modules:
        for value in [*vars(module).values()]:
            for pattern in _each(value):
                if is_over():
                    return
                _ = pattern.compiled


def _each(value: object) -> Iterator[LatePattern]:
    if isinstance(value, LatePattern):
        yield value
    elif isinstance(value, Mapping):
        yield from _each(tuple(value.values()))
    elif isinstance(value, tuple | list):
        for one in value:
            yield from _each(one)
