"""The types that the skills package is about."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from app.domain.chat import ToolCall, ToolSchema
from app.domain.tools import BaseTool, ToolResult, ToolSource
from app.skills.function_tool import FunctionTool, ToolHandler, ToolParameters

__all__ = (
    "BaseTool",
    "FunctionTool",
    "SkillMetadata",
    "SkillProblem",
    "ToolCall",
    "ToolHandler",
    "ToolParameters",
    "ToolResult",
    "ToolSchema",
    "ToolSource",
)


@dataclass(frozen=True, slots=True)
class SkillMetadata:
    """One SKILL.md: `instructions` is its body, `metadata` every other key of its front matter, as read."""

    name: str
    description: str
    instructions: str = ""
    version: str = ""
    metadata: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class SkillProblem:
    """Why the skill in `folder` (its name, without the path) was skipped."""

    folder: str
    reason: str
