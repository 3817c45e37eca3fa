"""Our own source, to be read and searched but nothing else of the machine."""

import ast
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from app.domain.errors import ToolFault
from app.security.paths import file_faults, read_bytes, shown, validate_path, walk

FOLDERS: Final = ("app", "docs", "skills", "tests")
FILES: Final = ("CLAUDE.md", "Makefile", "README.md", "pyproject.toml")
SUFFIXES: Final = frozenset({".css", ".html", ".js", ".md", ".py", ".sh", ".sql", ".toml"})
MAX_FILE_BYTES: Final = 512 * 1024
MAX_LINES: Final = 200
MAX_MATCHES: Final = 60

_MAX_VISITED: Final = 5000
_MAX_QUERY_CHARS: Final = 200
_NAMED: Final = 8
_SECRET_NAME: Final = re.compile(r"secret|credential|passw|private|token|\.env", re.IGNORECASE)
_HEADING: Final = re.compile(r"#{1,6} \S")
_DEFINITION: Final = re.compile(r"(?:async )?(?:class|def|function|CREATE \w+) ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file: `path` relative to the project, `number` from 1."""

    path: str
    number: int
    text: str


class SourceReader:
    """Reads the project's own source files under `root`, and no others.

    Source is what lies in `FOLDERS`, or is one of `FILES`, with a suffix of `SUFFIXES`; hidden files and
    names that speak of secrets are left out. This is decided on where a path leads, after all links, so
    neither data, `.env`, `.git` nor keys can be reached. Methods block while they read; a path may be the
    end of one (`registry.py`) where only one file has that end.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def list_files(self, folder: str = "") -> list[str]:
        """Return the paths of the source files in a folder and below it, sorted; of all for "".

        Raises:
            ToolFault: there is no such folder of source.
        """
        prefix = "" if (place := self._relative(folder)) == "." else f"{place}/"
        found = [path for path in self._all() if path.startswith(prefix)]
        if not found:
            raise ToolFault("source_unknown", f"There is no source folder '{shown(folder)}'. {_where()}")
        return found

    def read(self, path: str) -> list[Line]:
        """Return all lines of a source file.

        Raises:
            ToolFault: it is not a source file, several match, it is too large, or no UTF-8 text.
        """
        return self._lines(self._locate(path))

    def outline(self, path: str) -> list[Line]:
        """Return the lines that begin classes and functions, or of Markdown the headings.

        Raises:
            ToolFault: as `read`; or it is Python that does not parse.
        """
        lines = self.read(path)
        suffix = PurePosixPath(lines[0].path).suffix if lines else ""
        if suffix == ".py":
            return _python_outline(lines)
        wanted = _HEADING if suffix == ".md" else _DEFINITION
        return [line for line in lines if wanted.match(line.text)]

    def search(self, text: str) -> list[Line]:
        """Return up to `MAX_MATCHES` lines that hold the text as it is, upper and lower case alike.

        Raises:
            ToolFault: the text is empty or too long.
        """
        wanted = text.strip().casefold()
        if not wanted or len(wanted) > _MAX_QUERY_CHARS:
            raise ToolFault("bad_query", f"Search for a text of 1 to {_MAX_QUERY_CHARS} characters.")
        found: list[Line] = []
        for line in self._everything():
            if wanted in line.text.casefold():
                found.append(line)
                if len(found) == MAX_MATCHES:
                    break
        return found

    def _everything(self) -> Iterator[Line]:
        for path in self._all():
            try:
                yield from self._lines(path)
            except ToolFault:
                continue  # one unreadable file must not hide what the others hold

    def _all(self) -> list[str]:
        with file_faults("."):
            top = walk(self._root, self._root, is_deep=False, limit=_MAX_VISITED)
            found = [one.path for one in top if not one.is_folder and _is_source(one.path)]
            for one in top:
                if one.is_folder and one.path in FOLDERS:
                    inside = walk(self._root / one.path, self._root, is_deep=True, limit=_MAX_VISITED)
                    found += [each.path for each in inside if not each.is_folder and _is_source(each.path)]
        return sorted(found)

    def _locate(self, path: str) -> str:
        relative = self._relative(path)
        if _is_source(relative) and (self._root / relative).is_file():
            return relative
        ending = [one for one in self._all() if f"/{one}".endswith(f"/{relative}")]
        if len(ending) == 1:
            return ending[0]
        if ending:
            listed = ", ".join(ending[:_NAMED])
            raise ToolFault("source_ambiguous", f"Several files are named '{shown(path)}': {listed}.")
        raise ToolFault("source_unknown", f"'{shown(path)}' is not a source file. {_where()}")

    def _relative(self, path: str) -> str:
        return validate_path(path.strip(), self._root).relative_to(self._root).as_posix()

    def _lines(self, relative: str) -> list[Line]:
        """Read a file that is source by `_is_source`; its path has no links, and none is followed."""
        with file_faults(relative):
            raw, size = read_bytes(self._root / relative, self._root, max_bytes=MAX_FILE_BYTES)
        if size > len(raw):
            raise ToolFault("too_large", f"'{relative}' is too large to be shown.")
        try:
            text = raw.decode()
        except UnicodeDecodeError as exc:
            raise ToolFault("not_text", f"'{relative}' is not a text file.") from exc
        # Lines as Python's parser counts them; `splitlines` knows more ends of lines.
        lines = (line.removesuffix("\n") for line in io.StringIO(text, newline=None))
        return [Line(relative, number, line) for number, line in enumerate(lines, 1)]


def _is_source(relative: str) -> bool:
    place = PurePosixPath(relative)
    is_hidden = any(part.startswith(".") or part == "__pycache__" for part in place.parts)
    if is_hidden or _SECRET_NAME.search(relative):
        return False
    is_inside = len(place.parts) > 1 and place.parts[0] in FOLDERS
    return relative in FILES or (is_inside and place.suffix in SUFFIXES)


def _where() -> str:
    return f"Source is in {', '.join(FOLDERS)}, and {', '.join(FILES)}; list_source_files shows it."


def _python_outline(lines: Sequence[Line]) -> list[Line]:
    try:
        tree = ast.parse("\n".join(line.text for line in lines))
    except (SyntaxError, ValueError, RecursionError) as exc:
        raise ToolFault("not_python", f"'{lines[0].path}' is not valid Python; read it instead.") from exc
    starts = (
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return [lines[number - 1] for number in sorted(starts)]
