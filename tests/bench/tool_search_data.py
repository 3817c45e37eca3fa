"""The retrieval sets as tools of ours and of servers, with the questions about them."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from mcp import types
from pydantic import BaseModel

from app.domain.chat import ToolSchema
from app.domain.tools import BaseTool, ToolResult
from app.domain.turn import TurnContext
from app.mcp.adapter import MCPToolAdapter, tool_names

DATA: Final = Path(__file__).resolve().parents[3] / "shared" / "data" / "retrieval"
EXAMPLES: Final = Path(__file__).resolve().parents[1] / "data" / "tool_search" / "examples.toml"
_EMPTY: Final[Mapping[str, Any]] = MappingProxyType({"type": "object", "properties": {}, "required": []})


@dataclass(frozen=True, slots=True)
class Question:
    """`gold` are groups of tools: one of each group is needed."""

    text: str
    gold: tuple[frozenset[str], ...]


class NamedTool(BaseTool):
    """A tool that is only searched for."""

    args_model = BaseModel

    def __init__(self, name: str, description: str, *, skill: str = "", examples: Sequence[str] = ()) -> None:
        self.name, self.description, self.skill, self.examples = name, description, skill, tuple(examples)

    async def execute(self, arguments: Mapping[str, object], *, ctx: TurnContext) -> ToolResult:
        return ToolResult.ok("")

    def get_schema(self) -> ToolSchema:
        return ToolSchema(self.name, self.description, _EMPTY)

    def validate_args(self, arguments: object) -> Mapping[str, object]:
        return {}


def is_there() -> bool:
    return DATA.is_dir()


def lines(name: str) -> list[dict[str, Any]]:
    """Read a file of the sets, such as "metatool/tools"."""
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]


def questions(name: str, renamed: Mapping[str, str] | None = None) -> list[Question]:
    """Read questions; `renamed` maps the names of the set to those of the tools."""
    names = renamed or {}
    return [
        Question(
            one["query"],
            tuple(
                frozenset(names.get(name, name) for name in group)
                for group in one.get("gold_groups") or [[name] for name in one["gold"]]
            ),
        )
        for one in lines(name)
    ]


def metatool() -> list[BaseTool]:
    return [NamedTool(one["name"], one["description"]) for one in lines("metatool/tools")]


def own() -> list[BaseTool]:
    """The sixty tools of the assistant, each with one message in Spanish as its example."""
    examples = tomllib.loads(EXAMPLES.read_text("utf-8"))
    return [
        NamedTool(one["name"], one["description"], skill=one["category"], examples=[examples[one["name"]]])
        for one in lines("wasap/tools")
    ]


def server_tools(name: str) -> tuple[list[BaseTool], dict[str, str]]:
    """Read tools as servers bring them, and what each is called among ours by its name in the set."""
    read = lines(name)
    pairs = [(one["server"], one["tool"]) for one in read]
    tools = _adapters(pairs, read)
    return tools, {one["name"]: tool.name for one, tool in zip(read, tools, strict=True)}


def filler(count: int) -> list[BaseTool]:
    """That many tools of made-up servers, ten each, out of functions nobody asks for; some come twice."""
    read = lines("bfcl/tools")
    chosen = [read[at % len(read)] for at in range(count)]
    pairs = [(f"server{at // 10}", f"{one['tool']}_{at}") for at, one in enumerate(chosen)]
    return _adapters(pairs, chosen)


def _adapters(pairs: Sequence[tuple[str, str]], read: Sequence[Mapping[str, Any]]) -> list[BaseTool]:
    given = tool_names(pairs)
    return [
        MCPToolAdapter(
            types.Tool(
                name=pair[1], description=one["description"], input_schema=one.get("parameters") or dict(_EMPTY)
            ),
            name=given[pair],
            server=pair[0],
            call=_uncalled,
        )
        for pair, one in zip(pairs, read, strict=True)
    ]


async def _uncalled(name: str, arguments: Mapping[str, object], ctx: TurnContext) -> types.CallToolResult:
    raise AssertionError(f"{name} is only searched for")
