"""The servers that the owner, or an installation, named: how each is written down, read and kept."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from app.domain.errors import ConfigError
from app.mcp.files import read_object, write_object

Transport = Literal["stdio", "http", "sse"]

MAX_SERVERS: Final = 100
_FORMS: Final = ("servers", "mcpServers")
_LAUNCHERS: Final = frozenset({"npx", "uvx"})
_LAUNCH_TIMEOUT_S: Final = 180.0
_CONNECT_TIMEOUT_S: Final = 30.0
_NAME: Final = re.compile(r"\w(?:[\w .-]{0,46}\w)?", re.ASCII)
_HTTP_WORDS: Final = frozenset({"http", "streamable-http", "streamable_http", "streamablehttp"})

_Seconds = Annotated[float, Field(gt=0, le=3600)]


class ServerConfig(BaseModel):
    """One server as it is written in the file; keys that we do not know are kept.

    `args`, `env`, `url`, `headers` and `cwd` may hold `${NAME}` (from the secrets), `${NAME:-default}` and,
    where the owner wrote it, `${env:NAME}`. `trust_annotations`: believe the server about which of its tools
    change nothing, so that these run unasked. `questions`: let the server ask the person whose call it is.
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
            parts = (self.command, *self.args, *self.env, *self.env.values(), self.cwd or "")
            if any("\0" in part for part in parts) or any("=" in name or not name for name in self.env):
                raise ValueError("a command, argument or variable holds a character that none can have")
        elif not self.url:
            raise ValueError("a server needs a command or a url")
        elif not self.url.startswith(("http://", "https://", "${")):
            raise ValueError("the url must begin with http:// or https://")
        return self


@dataclass(frozen=True, slots=True)
class Skipped:
    """An entry that cannot be used; the rest of the file is."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class ServerList:
    servers: Mapping[str, ServerConfig]
    skipped: tuple[Skipped, ...] = ()


def check_name(name: str) -> str:
    """Return a server's name.

    Raises:
        ValueError: it is none: 1 to 48 letters, digits, `_`, `-`, `.` and inner spaces.
    """
    if _NAME.fullmatch(name) is None:
        raise ValueError("a server's name has 1 to 48 letters, digits, '_', '-', '.' or inner spaces")
    return name


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


class ConfigFile:
    """The file of servers: `{"servers": {…}}`, `{"mcpServers": {…}}` as other clients write it, or both.

    What it does not understand it leaves as it is. Methods block for one small file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> ServerList:
        """Read all entries; of two with one name, that under `servers` counts.

        Raises:
            ConfigError: the file as a whole cannot be used.
        """
        servers: dict[str, ServerConfig] = {}
        skipped: list[Skipped] = []
        for name, entry in self._entries(read_object(self._path)).items():
            try:
                check_name(name)
                if len(servers) == MAX_SERVERS:
                    raise ValueError(f"there are more than {MAX_SERVERS} servers")
                servers[name] = parse_server(entry)
            except ValueError as exc:
                skipped.append(Skipped(name[:80], str(exc)))
        return ServerList(servers, tuple(skipped))

    def put(self, name: str, config: ServerConfig) -> None:
        """Add or replace an entry, in the form in which the file is written.

        Raises:
            ValueError: the name is none, or the entry would read our own environment.
            ConfigError: the file cannot be read or written.
        """
        check_name(name)
        refuse_own_environment(config)
        document = read_object(self._path)
        groups = self._groups(document)
        form = next((form for form, group in groups.items() if name in group), next(iter(groups), _FORMS[0]))
        document[form] = {**groups.get(form, {}), name: config.as_written()}
        write_object(self._path, document)

    def remove(self, name: str) -> bool:
        """Take an entry out; returns whether there was one. Raises ConfigError as `put`."""
        document = read_object(self._path)
        holding = {form: group for form, group in self._groups(document).items() if name in group}
        for form, group in holding.items():
            document[form] = {key: entry for key, entry in group.items() if key != name}
        if holding:
            write_object(self._path, document)
        return bool(holding)

    def _entries(self, document: Mapping[str, object]) -> dict[str, object]:
        entries: dict[str, object] = {}
        for group in self._groups(document).values():
            entries = {**group, **entries}
        return entries

    def _groups(self, document: Mapping[str, object]) -> dict[str, dict[str, object]]:
        groups: dict[str, dict[str, object]] = {}
        for form in _FORMS:
            group = document.get(form)
            if isinstance(group, dict):
                groups[form] = group
            elif group is not None:
                raise ConfigError(self._path.name, f"{form} is not an object")
        return groups


def refuse_own_environment(config: ServerConfig) -> None:
    """Check an entry that does not come from the owner's hand.

    Raises:
        ValueError: it refers to our own environment, where the WhatsApp token may be.
    """
    texts = (config.url or "", config.cwd or "", *config.args, *config.env.values(), *config.headers.values())
    if any("${env:" in text for text in texts):
        raise ValueError("only the owner may write ${env:…}, and only into the file")


def _as_text(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else value
