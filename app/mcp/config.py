"""A server as it is written down, by its owner or by an installation: its name and its entry."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from app.domain.ids import UserId

Transport = Literal["stdio", "http", "sse"]

EVERYONE: Final = "everyone"
_LAUNCHERS: Final = frozenset({"npx", "uvx"})
_LAUNCH_TIMEOUT_S: Final = 180.0
_CONNECT_TIMEOUT_S: Final = 30.0
_NAME: Final = re.compile(r"\w(?:[\w .-]{0,46}\w)?", re.ASCII)
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]+")
_NOT_IN_A_VARIABLE: Final = re.compile(r"[^A-Za-z0-9]+")
_VARIABLE_CHARS: Final = 60
_HTTP_WORDS: Final = frozenset({"http", "streamable-http", "streamable_http", "streamablehttp"})

REFERENCE: Final = re.compile(r"\$\{(env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\}")
"""`${NAME}` or `${NAME:-default}`, of the secrets; with `env:`, of our own environment."""
_Seconds = Annotated[float, Field(gt=0, le=3600)]


@dataclass(frozen=True, slots=True)
class Access:
    """Who may use a server: its owner, or the admins where it has none; and those it is shared with."""

    owner: UserId | None = None
    shared_with: frozenset[str] = frozenset()

    @property
    def is_for_everyone(self) -> bool:
        return EVERYONE in self.shared_with

    def allows(self, user_id: UserId | None, *, is_admin: bool) -> bool:
        if self.is_for_everyone or (user_id is not None and user_id in self.shared_with):
            return True
        return self.is_kept_by(user_id, is_admin=is_admin)

    def is_kept_by(self, user_id: UserId | None, *, is_admin: bool) -> bool:
        """Tell whether a person decides about it: its owner, or any admin where it has none."""
        return is_admin if self.owner is None else user_id == self.owner


FOR_ADMINS: Final = Access()


class ServerConfig(BaseModel):
    """One server as it is written in the file; keys that we do not know are kept.

    `args`, `env`, `url`, `headers` and `cwd` may hold `${NAME}` (from the secrets), `${NAME:-default}` and,
    where the owner wrote it, `${env:NAME}`. `trust_annotations`: believe the server about which of its tools
    change nothing, so that these run unasked. `questions`: let the server ask the person whose call it is.
    `folders`: what a local server may read and change besides its own folder and the paths in `args`, `env` and
    `cwd`; with `confined` false, all that our account may (`app/mcp/connecting/confinement.py`).
    `owner` is who installed it, `shared_with` whom they let use it: ids of people, or `everyone`. One without an
    owner, as the operator writes it, is for the admins.
    """

    model_config = ConfigDict(frozen=True, extra="allow", populate_by_name=True)

    type: Transport | None = None
    command: str | None = None
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    cwd: str | None = None
    url: str | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    enabled: bool = True
    disabled: bool = False
    timeout_s: _Seconds = 60.0
    connect_timeout_s: _Seconds | None = None
    trust_annotations: bool = Field(
        default=False, validation_alias=AliasChoices("trust_annotations", "trustAnnotations")
    )
    questions: bool = True
    folders: tuple[str, ...] = ()
    confined: bool = True
    owner: UserId | None = None
    shared_with: tuple[str, ...] = ()

    @property
    def access(self) -> "Access":
        return Access(self.owner, frozenset(self.shared_with))

    @property
    def transport(self) -> Transport:
        return self.type or ("stdio" if self.command else "http")

    @property
    def is_enabled(self) -> bool:
        """Both words are in use: ours, and `disabled` of other clients."""
        return self.enabled and not self.disabled

    @property
    def opening_timeout_s(self) -> float:
        """A launcher may have to download the server first."""
        if self.connect_timeout_s is not None:
            return self.connect_timeout_s
        is_launched = self.transport == "stdio" and Path(self.command or "").name in _LAUNCHERS
        return _LAUNCH_TIMEOUT_S if is_launched else _CONNECT_TIMEOUT_S

    @property
    def texts(self) -> tuple[str, ...]:
        """Whatever may hold a reference, in order of appearance."""
        return (
            *self.args,
            *self.env.values(),
            *self.folders,
            self.cwd or "",
            self.url or "",
            *self.headers.values(),
        )

    @property
    def variables(self) -> tuple[str, ...]:
        """The names that must be in the secrets for this server to run, in order of appearance."""
        found = (match for text in self.texts for match in REFERENCE.finditer(text))
        return tuple(dict.fromkeys(match[2] for match in found if not match[1] and match[3] is None))

    def as_written(self) -> dict[str, Any]:
        """Return what stands, or will stand, in the file: only what was given."""
        return self.model_dump(mode="json", exclude_unset=True)

    @field_validator("type", mode="before")
    @classmethod
    def _one_word_for_http(cls, value: object) -> object:
        return "http" if isinstance(value, str) and value.lower() in _HTTP_WORDS else value

    @field_validator("env", mode="before")
    @classmethod
    def _plain_values(cls, value: object) -> object:
        """Numbers and truth values are often written without quotes."""
        if not isinstance(value, Mapping):
            return value
        return {name: _as_text(item) for name, item in value.items()}

    @model_validator(mode="after")
    def _is_reachable(self) -> "ServerConfig":
        if self.transport == "stdio":
            if not self.command:
                raise ValueError("a stdio server needs a command")
            parts = (self.command, *self.args, *self.env, *self.env.values(), *self.folders, self.cwd or "")
            if any("\0" in part for part in parts) or any("=" in name or not name for name in self.env):
                raise ValueError("a command, argument or variable holds a character that none can have")
        elif not self.url:
            raise ValueError("a server needs a command or a url")
        elif not self.url.startswith(("http://", "https://", "${")):
            raise ValueError("the url must begin with http:// or https://")
        return self


def check_name(name: str) -> str:
    """Return a server's name.

    Raises:
        ValueError: it is none: 1 to 48 letters, digits, `_`, `-`, `.` and inner spaces.
    """
    if _NAME.fullmatch(name) is None:
        raise ValueError("a server's name has 1 to 48 letters, digits, '_', '-', '.' or inner spaces")
    return name


def slug(server: str) -> str:
    """Return a server's name as a category, a file name and a part of its tools' names."""
    return safe(server).strip("_") or "server"


def safe(name: str) -> str:
    """Return a name with `_` for what is not a letter, a digit, `_` or `-`."""
    return _UNSAFE.sub("_", name)


def variable_key(server: str, name: str) -> str:
    """Return where a server's variable is kept among the secrets: `MCP_SERVER__NAME`."""
    return f"{key_prefix(server)}{variable_name(name)}"


def key_prefix(server: str) -> str:
    """Return what the keys of all variables of a server begin with."""
    return f"MCP_{_NOT_IN_A_VARIABLE.sub('_', slug(server)).strip('_').upper()}__"


def variable_name(name: str) -> str:
    """Return how a variable, argument or header is called when a person is asked for it."""
    return _NOT_IN_A_VARIABLE.sub("_", name).strip("_")[:_VARIABLE_CHARS] or "VALUE"


def parse_server(raw: object) -> ServerConfig:
    """Read one entry.

    Raises:
        ValueError: it cannot be used; the sentence names the field and quotes no value.
    """
    if not isinstance(raw, Mapping):
        raise ValueError("the entry is not an object")
    try:
        return ServerConfig.model_validate(dict(raw))
    except ValidationError as exc:
        error = exc.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, error["loc"]))
        reason = str(error["msg"]).removeprefix("Value error, ")
        raise ValueError(f"{where}: {reason}" if where else reason) from None


def refuse_own_environment(config: ServerConfig) -> None:
    """Check an entry that does not come from the owner's hand.

    Raises:
        ValueError: it refers to our own environment, where the WhatsApp token may be.
    """
    if any("${env:" in text for text in config.texts):
        raise ValueError("only the owner may write ${env:…}, and only into the file")


def _as_text(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value
