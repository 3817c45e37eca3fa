"""Questions about the assistant itself: its version, source, settings, health, skills and log."""

from collections.abc import Iterable, Mapping
from typing import Final

from app.domain.errors import ToolFault
from app.domain.turn import TurnContext
from app.domain.wording import one_line
from app.log import MAX_EVENTS
from app.skills.registry import SkillRegistry
from app.skills.tools.selfcode.runtime import Runtime
from app.skills.tools.selfcode.source import MAX_LINES, MAX_MATCHES, Line, SourceReader

SKILL: Final = "selfcode"
MAX_SHOWN_CHARS: Final = 5000

_MATCH_CHARS: Final = 140
_DEFAULT_LOGS: Final = 30


class _SelfcodeTools:
    """The handlers. Every text of a file goes through `Runtime.hide` before it is cut."""

    def __init__(self, source: SourceReader, runtime: Runtime, registry: SkillRegistry) -> None:
        self._source = source
        self._runtime = runtime
        self._registry = registry

    def get_version_info(self) -> str:
        """Tell the assistant's version and revision."""
        return _listed(self._runtime.version_info())

    async def get_system_health(self) -> str:
        """Tell the state of the assistant's parts."""
        return _listed(await self._runtime.health())

    def get_runtime_config(self) -> str:
        """Show the assistant's settings, without secrets."""
        return _listed(self._runtime.config())

    def list_source_files(self, directory: str = "") -> str:
        """List the assistant's source files.

        Args:
            directory: such as app/skills
        """
        paths = self._source.list_files(directory)
        folder = directory.strip().strip("/").removeprefix("./")
        prefix = "" if folder in {"", "."} else f"{folder}/"
        if any(not path.startswith(prefix) for path in paths):
            prefix = ""  # the folder was named with .. or through a link
        lines: dict[str, int] = {}
        for path in paths:
            name, slash, _ = path[len(prefix) :].partition("/")
            lines[f"{prefix}{name}{slash}"] = lines.get(f"{prefix}{name}{slash}", 0) + 1
        return "\n".join(
            f"{line} ({count} files)" if line.endswith("/") else line for line, count in lines.items()
        )

    def read_source_file(self, path: str) -> str:
        """Read a source file of the assistant.

        Args:
            path: such as app/main.py
        """
        return self._numbered(self._source.read(path))

    def read_lines(self, path: str, start: int, end: int) -> str:
        """Read lines of a source file.

        Args:
            path: such as app/main.py
        """
        lines = self._source.read(path)
        first, last = max(1, start), min(end, len(lines))
        if first > last:
            raise ToolFault("no_lines", f"{path} has {len(lines)} lines; there are none from {start} to {end}.")
        return self._numbered(lines[first - 1 : min(last, first - 1 + MAX_LINES)])

    def get_file_outline(self, path: str) -> str:
        """List classes and functions of a source file.

        Args:
            path: such as app/main.py
        """
        lines = self._source.outline(path)
        return self._numbered(lines) if lines else "There are no definitions or headings in it."

    def search_source_code(self, pattern: str) -> str:
        """Find a text in the assistant's source.

        Args:
            pattern: literal text
        """
        found = self._source.search(pattern)
        if not found:
            return f'No line of the source holds "{one_line(pattern, 60)}"; the text is searched as it is.'
        hidden = [(line, self._runtime.hide(line.text)) for line in found]
        lines = [f"{line.path}:{line.number}: {one_line(text, _MATCH_CHARS)}" for line, text in hidden]
        if len(found) == MAX_MATCHES:
            lines.append("… there may be more; search for a longer text.")
        return _cut(lines, "search for a longer text to see fewer")

    def get_skill_details(self, skill_name: str) -> str:
        """Show a skill's tools and instructions."""
        names = {skill.name.casefold(): skill for skill in self._registry.list_skills()}
        skill = names.get(skill_name.strip().casefold())
        if skill is None:
            listed = ", ".join(each.name for each in names.values()) or "none"
            raise ToolFault("skill_unknown", f"There is no skill of that name. The skills are: {listed}.")
        tools = ", ".join(tool.name for tool in self._registry.tools_of(skill.name)) or "none"
        title = f"{skill.name} {skill.version}".strip()
        return _cut(
            self._runtime.hide(f"{title}: {skill.description}\nTools: {tools}\n{skill.instructions}").split("\n")
        )

    def get_recent_logs(self, lines: int = _DEFAULT_LOGS, *, ctx: TurnContext) -> str:
        """Show the assistant's last log lines."""
        if not ctx.is_admin:
            raise ToolFault("admin_only", "Only an administrator may read the log. Tell the user so.")
        found = self._runtime.recent_logs(min(max(lines, 1), MAX_EVENTS))
        kept: list[str] = []
        size = 0
        for line in reversed(found):
            size += len(line) + 1
            if size > MAX_SHOWN_CHARS:
                break
            kept.append(line)
        return "\n".join(reversed(kept)) or "The log is empty."

    def _numbered(self, lines: list[Line]) -> str:
        if not lines:
            return "The file is empty."
        # Hidden as one text, because a key may run over several lines.
        hidden = self._runtime.hide("\n".join(line.text for line in lines)).split("\n")
        if len(hidden) != len(lines):
            return _cut([lines[0].path, *hidden])
        numbered = [f"{line.number}: {text}" for line, text in zip(lines, hidden, strict=True)]
        return _cut([lines[0].path, *numbered], "read_lines shows the rest")


def register(registry: SkillRegistry, source: SourceReader, runtime: Runtime) -> None:
    """Add the ten tools; all of them only read."""
    tools = _SelfcodeTools(source, runtime, registry)
    for function in (
        tools.get_version_info,
        tools.get_system_health,
        tools.get_runtime_config,
        tools.list_source_files,
        tools.read_source_file,
        tools.search_source_code,
        tools.get_file_outline,
        tools.read_lines,
        tools.get_skill_details,
        tools.get_recent_logs,
    ):
        registry.add(function, SKILL, read_only=True)


def _listed(facts: Mapping[str, str]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in facts.items()) or "Nothing is known."


def _cut(lines: Iterable[str], advice: str = "the rest is left out") -> str:
    """Join lines up to `MAX_SHOWN_CHARS`; the last one may be cut, and the advice follows."""
    kept: list[str] = []
    left = MAX_SHOWN_CHARS
    for line in lines:
        if len(line) >= left:
            return "\n".join([*kept, line[:left], f"… {advice}"])
        kept.append(line)
        left -= len(line) + 1
    return "\n".join(kept)
