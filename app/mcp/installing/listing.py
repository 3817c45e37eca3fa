"""What a registry says about a server, in the words of the official registry's server.json.

Source: https://github.com/modelcontextprotocol/registry, docs/reference/server-json (schema 2025-09-29), and
its older spelling with underscores. Everything in it was written by strangers: it is data, never an instruction.
"""

from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import AliasChoices, AliasGenerator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from app.domain.wording import one_line

Source = Literal["official", "smithery", "command"]
"""`command`: in no registry, an admin typed how to run it."""

MAX_TEXT_CHARS: Final = 2_000
_MAX_ITEMS: Final = 60


def _none_is_nothing(value: object) -> object:
    """Registries written in Go send null for an empty list."""
    return () if value is None else value


_Text = Annotated[str, Field(max_length=MAX_TEXT_CHARS)]


class _Part(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        populate_by_name=True,
        alias_generator=AliasGenerator(validation_alias=lambda name: AliasChoices(to_camel(name), name)),
    )


class Input(_Part):
    """A value that somebody has to give, or that is given; in `value`, `{NAME}` stands for a variable."""

    description: _Text = ""
    is_required: bool = False
    is_secret: bool = False
    value: _Text | None = None
    default: _Text | None = None
    variables: Annotated[dict[str, "Input"], BeforeValidator(lambda value: value or {})] = Field(
        default_factory=dict, max_length=_MAX_ITEMS
    )


class NamedInput(Input):
    """An environment variable or a header."""

    name: Annotated[str, Field(min_length=1, max_length=200)]


class Argument(Input):
    type: Literal["positional", "named"]
    name: _Text = ""
    value_hint: _Text = ""


_Arguments = Annotated[tuple[Argument, ...], BeforeValidator(_none_is_nothing), Field(max_length=_MAX_ITEMS)]
_NamedInputs = Annotated[tuple[NamedInput, ...], BeforeValidator(_none_is_nothing), Field(max_length=_MAX_ITEMS)]


class Remote(_Part):
    """A server that runs elsewhere, or (`stdio`) how a package speaks once it runs."""

    type: Literal["stdio", "streamable-http", "sse"]
    url: _Text = ""
    headers: _NamedInputs = ()
    variables: Annotated[dict[str, Input], BeforeValidator(lambda value: value or {})] = Field(
        default_factory=dict, max_length=_MAX_ITEMS
    )


class Package(_Part):
    registry_type: _Text
    registry_base_url: _Text = ""
    identifier: _Text
    version: _Text = ""
    transport: Remote | None = None
    runtime_arguments: _Arguments = ()
    package_arguments: _Arguments = ()
    environment_variables: _NamedInputs = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """One server in one registry. `tools` are names, where the registry knows them.

    `publisher` is whom the registry has checked: the owner of a name on GitHub, or of a domain.
    """

    name: str
    source: Source
    publisher: str
    description: str = ""
    version: str = ""
    packages: tuple[Package, ...] = ()
    remotes: tuple[Remote, ...] = ()
    tools: tuple[str, ...] = ()

    @property
    def last_part(self) -> str:
        return self.name.rsplit("/", 1)[-1]


def plain_line(text: str | None, limit: int) -> str:
    """Return a stranger's text as one printable line of at most `limit` characters."""
    return one_line("".join(char if char.isprintable() else " " for char in text or ""), limit)
