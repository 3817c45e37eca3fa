"""All regular expressions of the product, found where they are, and the texts that would make one of them slow."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import app
from app.language.late import LatePattern
from tests.syntax import every_node

sre: Any = importlib.import_module("re._constants")
parser: Any = importlib.import_module("re._parser")

_FUNCTIONS: Final = frozenset({"search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn"})
_AT_THE_START: Final = frozenset({"match", "fullmatch"})
_PLAIN: Final = frozenset({str, int, float, bool, bytes, type(None)})
_APART: Final = 3
"""How deep the collections are that patterns are looked for in."""
_LOOKING: Final = re.compile(rf"\.(?:{'|'.join(sorted(_FUNCTIONS))})\b")
_USED: Final = re.compile(
    rf"\b(?:re|[A-Z_][A-Z0-9_]*)\s*\.\s*(?:{'|'.join(sorted(_FUNCTIONS))})\b|\bin\s+[A-Z_][A-Z0-9_]*\b"
)
"""What a module has that looks for something with a constant, with one that a loop gives, or with a literal."""
_FAILING: Final = ("", "\0", "x", "\n!")
_MOST_UNITS: Final = 48
_OPTIONAL: Final = ("app.media.heavy.", "app.database.", "app.files.", "app.telemetry.")


@dataclass(frozen=True, slots=True)
class Found:
    """A pattern, where it stands, and whether it is only ever looked for at one place of a text."""

    where: str
    pattern: re.Pattern[str]
    is_anchored: bool

    def read(self, text: str) -> object:
        return self.pattern.fullmatch(text) if self.is_anchored else sum(1 for _ in self.pattern.finditer(text))


def _imported(name: str) -> ModuleType | None:
    """Import a module; None where what only its optional extra installs is missing."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as exc:
        if name.startswith(_OPTIONAL) and not (exc.name or "app").startswith("app"):
            return None
        raise


def find_patterns() -> list[Found]:
    """Return every pattern that a module of the product holds, and every literal one that its functions use."""
    names = [one.name for one in pkgutil.walk_packages(app.__path__, "app.") if not one.name.endswith("__main__")]
    modules = [module for module in map(_imported, names) if module is not None]
    trees = {module: _nodes_of(Path(module.__file__ or "").read_text("utf-8")) for module in modules}
    uses = {module: _methods_by_name(nodes) for module, nodes in trees.items()}
    everywhere: dict[str, set[str]] = {}
    for own in uses.values():
        for name, methods in own.items():
            everywhere.setdefault(name, set()).update(methods)
    found = [one for module in modules for one in _held(module, uses[module], everywhere)]
    found += [one for module, nodes in trees.items() for one in _inline(module, nodes)]
    by_pattern: dict[tuple[str, int], Found] = {}
    for one in found:
        key = (one.pattern.pattern, one.pattern.flags)
        if key not in by_pattern or by_pattern[key].is_anchored:
            by_pattern[key] = one
    return list(by_pattern.values())


def _nodes_of(source: str) -> Sequence[ast.AST]:
    """Return all of a module's syntax; none of one that looks for nothing with a constant or a literal."""
    return every_node(ast.parse(source)) if _LOOKING.search(source) and _USED.search(source) else ()


_ANY: Final = "*"


def _methods_by_name(nodes: Sequence[ast.AST]) -> dict[str, set[str]]:
    """Return which methods are called on which constants of a module; `_ANY` is whatever else they are called on.

    What a loop takes out of a constant counts for the constant.
    """
    of_loop = {
        name.id: node.iter.id
        for node in nodes
        if isinstance(node, ast.For | ast.comprehension)
        and isinstance(node.iter, ast.Name)
        and node.iter.id.isupper()
        for name in ast.walk(node.target)
        if isinstance(name, ast.Name)
    }
    found: dict[str, set[str]] = {}
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in _FUNCTIONS:
            called = node.value.id if isinstance(node.value, ast.Name) else _ANY
            if isinstance(node.value, ast.Attribute) and isinstance(node.value.value, ast.Name):
                called = node.value.attr  # `lexicon.BEING.match`
            called = of_loop.get(called, called)
            if called != "re":
                found.setdefault(called if called.isupper() else _ANY, set()).add(node.attr)
    return found


def _held(module: ModuleType, own: Mapping[str, set[str]], everywhere: Mapping[str, set[str]]) -> Iterator[Found]:
    for name, value in vars(module).items():
        methods = (own if name.startswith("_") else everywhere).get(name, set())
        for pattern in _patterns_in(value, _APART):
            yield Found(f"{module.__name__}.{name}", pattern, bool(methods) and methods <= _AT_THE_START)


def _patterns_in(value: object, depth: int) -> Iterator[re.Pattern[str]]:
    if isinstance(value, LatePattern):
        yield value.compiled
    elif isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif type(value) in _PLAIN or not depth:
        return
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _patterns_in(one, depth - 1)
    elif isinstance(value, tuple | list | set | frozenset):
        for one in value:
            yield from _patterns_in(one, depth - 1)
    elif type(value).__module__.startswith("app.") and not isinstance(value, type):
        names = [*getattr(value, "__dict__", {}), *getattr(type(value), "__slots__", ())]
        for name in names:
            yield from _patterns_in(getattr(value, name, None), depth - 1)


def _inline(module: ModuleType, nodes: Sequence[ast.AST]) -> Iterator[Found]:
    for node in nodes:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        is_re = (
            isinstance(node.func.value, ast.Name) and node.func.value.id == "re" and node.func.attr in _FUNCTIONS
        )
        text = node.args[0]
        if is_re and isinstance(text, ast.Constant) and isinstance(text.value, str):
            is_anchored = node.func.attr in _AT_THE_START
            yield Found(f"{module.__name__}:{node.lineno}", re.compile(text.value), is_anchored)


def hostile_texts(pattern: re.Pattern[str]) -> Iterator[Callable[[int], str]]:
    """Yield makers of texts of about that length, built of what the pattern itself looks for.

    Slow is a pattern that can read the same text in many ways, or from many places: what it repeats, and what
    leads to that, is repeated here and ends with what it does not expect.
    """
    parts = _Parts()
    parts.visit(parser.parse(pattern.pattern, pattern.flags), "")
    if not parts.repeats:
        return  # it reads no more at any place of a text than its own length: twice the text is twice the places
    for lead, unit in list(dict.fromkeys(parts.repeated))[:_MOST_UNITS]:
        yield from (partial(_text, lead, unit, end) for end in _FAILING)
        if lead:
            yield partial(_text, "", lead + unit, "\0")


def _text(lead: str, unit: str, end: str, size: int) -> str:
    return lead + unit * (size // len(unit)) + end


class _Parts:
    """An example of each part of a pattern, and of what stands before each repetition."""

    def __init__(self) -> None:
        self.repeated: list[tuple[str, str]] = []
        self.repeats = False

    def visit(self, parsed: Any, lead: str) -> str:
        """Return the shortest text that fits, noting what may be repeated on the way."""
        text = ""
        for kind, value in parsed:
            text += self._one(kind, value, lead + text)
        return text

    def _one(self, kind: Any, value: Any, lead: str) -> str:  # noqa: C901 - one for each kind
        match kind:
            case sre.LITERAL:
                return self._single(chr(value), lead)
            case sre.NOT_LITERAL:
                return self._single("y" if chr(value) == "x" else "x", lead)
            case sre.ANY:
                return self._single("x", lead)
            case sre.IN:
                return self._single(_member(value), lead, others=_members(value))
            case sre.BRANCH:
                texts = [self.visit(one, lead) for one in value[1]]
                return next((text for text in texts if text), "")
            case sre.SUBPATTERN:
                return self.visit(value[3], lead)
            case sre.ATOMIC_GROUP:
                return self.visit(value, lead)
            case sre.MAX_REPEAT | sre.MIN_REPEAT | sre.POSSESSIVE_REPEAT:
                least, most, body = value
                self.repeats |= most > 1
                text = self.visit(body, lead)
                if text:
                    self.repeated.append((lead, text))
                    self.repeated.append(("", text))
                return str(text * max(least, 1) if least <= 1 else text * min(least, 20))
            case sre.ASSERT | sre.ASSERT_NOT:
                self.visit(value[1], lead)
        return ""

    def _single(self, char: str, lead: str, others: str = "") -> str:
        for one in dict.fromkeys(char + others):
            self.repeated.append(("", one))
        return char


def _member(members: Any) -> str:
    return str(_members(members)[0])


def _members(members: Any) -> str:
    is_negated = bool(members) and members[0][0] is sre.NEGATE
    found = ""
    for kind, value in members:
        match kind:
            case sre.LITERAL:
                found += chr(value)
            case sre.RANGE:
                found += chr(value[0])
            case sre.CATEGORY:
                found += _CATEGORIES.get(value, "x")
    if is_negated:
        return "".join(char for char in 'x.1 \n"-_' if char not in found) or "é"
    return found


_CATEGORIES: Final[Mapping[Any, str]] = {
    sre.CATEGORY_DIGIT: "1",
    sre.CATEGORY_NOT_DIGIT: "x",
    sre.CATEGORY_SPACE: " \n",
    sre.CATEGORY_NOT_SPACE: "x",
    sre.CATEGORY_WORD: "x1_",
    sre.CATEGORY_NOT_WORD: ". \n",
}
