"""What a tool is searched by: its words in columns, and the texts whose meaning it stands for."""

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from app.database.repositories.tool_index import ToolText
from app.domain.tools import BaseTool
from app.skills.examples import NO_WORDS, OtherWords
from app.skills.search.text import split_identifier

_FORMAT: Final = "1"
"""Changes when the same tool is to be read differently: then every row is replaced."""
_DESCRIPTION_CHARS: Final = 600
_PARAMS_CHARS: Final = 1_500
_EXAMPLES: Final = 20
_MCP: Final = "mcp"


@dataclass(frozen=True, slots=True)
class ToolDocument:
    """`descriptions` and `examples` are what an encoder reads, one vector each; `server` is "" for our own."""

    text: ToolText
    server: str
    descriptions: tuple[str, ...]
    examples: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.text.name

    @property
    def names(self) -> tuple[str, ...]:
        """What it is called, split into words: with the server and without."""
        return tuple(dict.fromkeys((self.text.title, split_identifier(self.text.name))))

    @property
    def is_own(self) -> bool:
        return not self.server


def read_tool(tool: BaseTool, words: OtherWords = NO_WORDS) -> ToolDocument:
    """Make of a tool what it is searched by; its own examples come before those of `words`.

    A server's name is a word of each of its tools, because "list issues" alone does not say of what.
    """
    server = tool.skill if tool.kind == _MCP else ""
    title = split_identifier(tool.name.removeprefix(f"mcp_{tool.skill}_") if server else tool.name)
    description = tool.description[:_DESCRIPTION_CHARS]
    params = _params_text(tool.get_schema().parameters)
    examples = tuple(dict.fromkeys((*tool.examples, *words.examples)))[:_EXAMPLES]
    prefix = f"{split_identifier(server)}: " if server else ""
    descriptions = (f"{prefix}{title}: {description}", words.description)
    columns = (
        title,
        f"{prefix}{description}",
        params,
        "\n".join(part for part in (words.description, *examples) if part),
    )
    sha = hashlib.sha256("\0".join((_FORMAT, tool.name, server, *columns)).encode("utf-8", "replace")).hexdigest()
    return ToolDocument(
        ToolText(tool.name, sha, *columns), server, tuple(part for part in descriptions if part), examples
    )


@cache
def load_background() -> tuple[str, ...]:
    """Read the messages about anything, half of them in Spanish, half in English."""
    read = tomllib.loads((resources.files(__package__) / "background.toml").read_text("utf-8"))
    return (*read["es"], *read["en"])


def _params_text(parameters: Mapping[str, object]) -> str:
    properties = parameters.get("properties")
    if not isinstance(properties, Mapping):
        return ""
    return " ".join(_param_text(name, schema) for name, schema in properties.items())[:_PARAMS_CHARS]


def _param_text(name: object, schema: object) -> str:
    said = schema.get("description") if isinstance(schema, Mapping) else None
    choices = schema.get("enum") if isinstance(schema, Mapping) else None
    listed = json.dumps(choices, ensure_ascii=False) if isinstance(choices, list) else ""
    return " ".join(
        part for part in (split_identifier(str(name)), said if isinstance(said, str) else "", listed) if part
    )
