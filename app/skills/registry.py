"""The tools and skills that this program brings itself."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from app.domain.chat import ToolSchema
from app.domain.errors import AppError, NotFound
from app.domain.tools import BaseTool
from app.skills.function_tool import FunctionTool, ToolFlags, ToolHandler, ToolParameters
from app.skills.loader import SKILL_FILE, load_folder
from app.skills.models import SkillMetadata, SkillProblem
from app.skills.signature import read_signature

LoadSkills = Callable[[], tuple[Sequence[SkillMetadata], tuple[SkillProblem, ...]]]


def _load_none() -> tuple[Sequence[SkillMetadata], tuple[SkillProblem, ...]]:
    return [], ()


class DuplicateToolError(AppError):
    """A tool of that name is registered already; the first one stays."""

    def __init__(self, name: str) -> None:
        super().__init__("duplicate_tool", f"a tool named {name!r} is already registered")


class ToolNotFoundError(NotFound):
    """No tool has that name; `detail` lists those that exist."""

    def __init__(self, name: str, registered: Iterable[str]) -> None:
        listed = ", ".join(sorted(registered)) or "none"
        super().__init__("tool_not_found", f"there is no tool named {name!r}; the tools are: {listed}")


class ToolRegistry:
    """Tools by name; strict: a name is registered once, and an unknown one is an error."""

    def __init__(self) -> None:
        self._tools: dict[str, BaseTool] = {}
        self._owners: dict[str, str] = {}
        self._version = 0

    @property
    def version(self) -> int:
        """Grows with every change of the tools."""
        return self._version

    def register(self, tool: BaseTool, allow_override: bool = False) -> None:
        """Add a tool; with `allow_override` it takes the place of one with its name.

        Raises:
            DuplicateToolError: the name is taken, or one of its other names is.
        """
        if tool.name in self._tools and not allow_override:
            raise DuplicateToolError(tool.name)
        names = (tool.name, *tool.also_named)
        if doubled := [name for name in names if self._owners.get(name, tool.name) != tool.name]:
            raise DuplicateToolError(min(doubled))
        if tool.name in self._tools:
            self._owners = {name: owner for name, owner in self._owners.items() if owner != tool.name}
        self._owners.update(dict.fromkeys(names, tool.name))
        self._tools[tool.name] = tool
        self._version += 1

    def get(self, name: str) -> BaseTool:
        """Return a tool.

        Raises:
            ToolNotFoundError: there is none of that name.
        """
        if name not in self._tools:
            raise ToolNotFoundError(name, self._tools)
        return self._tools[name]

    def list_all(self) -> list[BaseTool]:
        """Return all tools, sorted by name."""
        return [self._tools[name] for name in sorted(self._tools)]

    def list_registered(self) -> tuple[BaseTool, ...]:
        """Return all tools in the order in which they came."""
        return tuple(self._tools.values())

    def get_schemas(self, allowed: Iterable[str] | None = None) -> list[ToolSchema]:
        """Return the schemas of the named tools in that order; None: of all, sorted; empty: none.

        Raises:
            ToolNotFoundError: a name is unknown.
        """
        tools = self.list_all() if allowed is None else self.filter_by_names(allowed)
        return [tool.get_schema() for tool in tools]

    def filter_by_names(self, names: Iterable[str]) -> list[BaseTool]:
        """Return the named tools in the order of the names.

        Raises:
            ToolNotFoundError: a name is unknown.
        """
        return [self.get(name) for name in names]

    def has_tool(self, name: str) -> bool:
        return name in self._tools

    def count(self) -> int:
        return len(self._tools)

    def clear(self) -> None:
        self._tools.clear()
        self._owners.clear()
        self._version += 1


@dataclass(frozen=True, slots=True)
class ReloadSummary:
    """What a reload changed: names of skills, sorted."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    problems: tuple[SkillProblem, ...] = ()


class SkillRegistry:
    """Skills, and the tools that belong to them: a `ToolSource`.

    A tool belongs to the skill named in its `skill`, whether or not there is a SKILL.md of that name.
    """

    def __init__(self, builtin: LoadSkills = _load_none) -> None:
        self.tools = ToolRegistry()
        self._skills: dict[str, SkillMetadata] = {}
        self._problems: tuple[SkillProblem, ...] = ()
        self._directory: Path | None = None
        self._load_builtin = builtin
        self._load_outside: LoadSkills = _load_none
        self._outside: Path | None = None

    def use_outside(self, load: LoadSkills, folder: Path) -> None:
        """Add the skills that `load` reads in a folder, from the next load on; of one name, our own win."""
        self._load_outside = load
        self._outside = folder

    @property
    def version(self) -> int:
        """Grows with every change of the tools."""
        return self.tools.version

    @property
    def problems(self) -> tuple[SkillProblem, ...]:
        """The skills that the last load skipped, and why."""
        return self._problems

    def list_tools(self) -> tuple[BaseTool, ...]:
        """Return the tools in the order in which they were registered."""
        return self.tools.list_registered()

    def add(
        self, function: ToolHandler, skill_name: str, *, name: str = "", **flags: Unpack[ToolFlags]
    ) -> FunctionTool:
        """Register a function as a tool; its signature and docstring say the rest, see `read_signature`.

        Raises:
            DuplicateToolError: the name is taken.
            ValueError: the function does not say enough.
        """
        signature = read_signature(function)
        return self.register_tool(
            name or signature.name, signature.description, signature.parameters, function, skill_name, **flags
        )

    def register_tool(
        self,
        name: str,
        description: str,
        parameters: ToolParameters,
        handler: ToolHandler,
        skill_name: str,
        **flags: Unpack[ToolFlags],
    ) -> FunctionTool:
        """Register a function as a tool that is described apart from it; see `FunctionTool`.

        Raises:
            DuplicateToolError: the name is taken.
            ValueError: handler and parameters do not go together.
        """
        tool = FunctionTool(name, description, parameters, handler, skill=skill_name, **flags)
        self.tools.register(tool)
        return tool

    def load_skills(self, directory: Path) -> ReloadSummary:
        """Read the skills anew, and remember the directory: those in `directory`/*/SKILL.md win over our own.

        A skill that cannot be read is skipped and named in `problems`. Tools are not touched. Blocks while
        it reads.
        """
        self._directory = directory
        loaded = (self._load_outside(), self._load_builtin(), load_folder(directory))
        self._problems = tuple(problem for _, problems in loaded for problem in problems)
        before = self._skills
        self._skills = {skill.name: skill for skills, _ in loaded for skill in skills}
        return ReloadSummary(
            added=tuple(sorted(self._skills.keys() - before.keys())),
            removed=tuple(sorted(before.keys() - self._skills.keys())),
            changed=tuple(
                sorted(name for name, skill in self._skills.items() if before.get(name, skill) != skill)
            ),
            problems=self._problems,
        )

    def reload(self) -> ReloadSummary:
        """Read the skills again from where they were loaded; a skill that is gone is dropped."""
        return ReloadSummary() if self._directory is None else self.load_skills(self._directory)

    def list_files(self) -> list[Path]:
        """Return the files that a reload would read, but for those of our own abilities. Blocks while it looks."""
        folders = [one for one in (self._directory, self._outside) if one is not None]
        return sorted(path for one in folders for path in one.glob(f"*/{SKILL_FILE}"))

    def list_skills(self) -> list[SkillMetadata]:
        """Return all skills, sorted by name."""
        return [self._skills[name] for name in sorted(self._skills)]

    def find_skill(self, name: str) -> SkillMetadata | None:
        return self._skills.get(name)

    def tools_of(self, skill_name: str) -> list[BaseTool]:
        """Return the tools of a skill in the order in which they were registered."""
        return [tool for tool in self.list_tools() if tool.skill == skill_name]

    def instructions_for(
        self, tool_names: Iterable[str], already_given: Collection[str] = ()
    ) -> list[tuple[str, str]]:
        """Return (skill, instructions) for the skills in `already_given` and then for those of these tools.

        Each once, in that order, so that a text put together from them only ever grows at its end. Left out are
        skills without instructions and unknown tools.
        """
        tools: Mapping[str, BaseTool] = {tool.name: tool for tool in self.list_tools()}
        names = dict.fromkeys([*already_given, *(tools[name].skill for name in tool_names if name in tools)])
        skills = [self._skills[name] for name in names if name in self._skills]
        return [(skill.name, skill.instructions) for skill in skills if skill.instructions]
