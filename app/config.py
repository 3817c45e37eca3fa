"""Settings: one field, one environment variable; read once, never changed."""

import re
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from app.domain.addresses import passwords_of
from app.domain.errors import ConfigError
from app.domain.phones import is_number_or_bsuid

_LISTS: Final = (
    "allowed_phone_numbers",
    "admin_phone_numbers",
    "mcp_passed_env",
    "ollama_base_url",
    "openai_base_url",
)
_OLLAMA: Final = "http://localhost:11434"
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SHARED: Final = frozenset({"AWS_REGION", "AWS_ENDPOINT_URL"})
"""Settings that other programs know by the same names, and that are no secrets."""
_SECRET_NAME: Final = re.compile(r"token|secret|key|pass|credential|auth|cookie", re.IGNORECASE)
_BUCKET: Final = re.compile(r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/([\w!.*'()/-]*))?", re.ASCII)
_REDELIVERY_DAYS: Final = 8
_LONGEST_MONTH_DAYS: Final = 32
_LOCALTIME: Final = Path("/etc/localtime")
ENV_FILE: Final = Path(".env")
"""Where settings are written down, in the folder in which the service runs."""


class Settings(BaseSettings):
    """Everything an operator can set; `.env.example` says the same in the same order."""

    model_config = SettingsConfigDict(env_file=ENV_FILE, extra="ignore", frozen=True)

    whatsapp_access_token: SecretStr | None = None
    whatsapp_phone_number_id: str | None = None
    whatsapp_verify_token: SecretStr | None = None
    whatsapp_app_secret: SecretStr | None = None
    whatsapp_api_base_url: str = "https://graph.facebook.com"
    whatsapp_api_version: Annotated[str, Field(pattern=r"^v\d+\.\d+$")] = "v26.0"
    whatsapp_app_id: str | None = None
    whatsapp_business_account_id: str | None = None
    public_url: str | None = None
    allowed_phone_numbers: Annotated[tuple[str, ...], NoDecode] = ()
    admin_phone_numbers: Annotated[tuple[str, ...], NoDecode] = ()
    simulator_enabled: bool | None = None
    simulator_remote: bool = False

    llm_provider: Literal["auto", "ollama", "openai", "embedded"] = "auto"
    ollama_base_url: Annotated[tuple[str, ...], NoDecode] = (_OLLAMA,)
    ollama_model: str = "qwen3:8b"
    openai_base_url: Annotated[tuple[str, ...], NoDecode] = ()
    openai_model: str = ""
    openai_api_key: SecretStr | None = None
    embedding_model: str = "nomic-embed-text"
    vision_model: str = "llava:7b"
    llm_model_path: Path | None = None
    llm_vision_path: Path | None = None
    llm_context_tokens: Annotated[int, Field(ge=1024, le=1_000_000)] = 8192
    llm_max_concurrent: Annotated[int, Field(ge=1, le=64)] = 1
    llm_timeout_s: Annotated[float, Field(gt=0)] = 300
    llm_threads: Annotated[int, Field(ge=0, le=256)] = 0

    max_tools_per_call: Annotated[int, Field(ge=1, le=64)] = 8
    tool_confirmation: Literal["yolo", "confirm-all", "confirm-sensitive"] = "confirm-sensitive"
    tool_dry_run: bool = False
    approval_timeout_s: Annotated[float, Field(gt=0, le=86_400)] = 300
    agent_write_enabled: bool = False
    agent_delete_enabled: bool = False
    audit_hmac_key: SecretStr | None = None
    timezone: str = ""

    skills_dir: Path = Path("skills")
    data_dir: Path = Path("data")
    database_path: Path | None = None
    database_url: SecretStr | None = None
    files_url: str | None = None
    aws_access_key_id: SecretStr | None = None
    aws_secret_access_key: SecretStr | None = None
    aws_session_token: SecretStr | None = None
    aws_region: str | None = None
    aws_endpoint_url: str | None = None
    mcp_config_path: Path | None = None
    mcp_passed_env: Annotated[tuple[str, ...], NoDecode] = ()
    mcp_registry_url: str = "https://registry.modelcontextprotocol.io"
    smithery_registry_url: str = "https://registry.smithery.ai"

    whisper_model: str = ""
    whisper_compute_type: Literal["int8", "int8_float32", "float32"] = "int8"
    media_keep_days: Annotated[int, Field(ge=0, le=36_500)] = 0
    keep_messages_days: Annotated[int, Field(ge=0, le=36_500)] = 90
    keep_traces_days: Annotated[int, Field(ge=0, le=36_500)] = 30
    keep_audit_days: Annotated[int, Field(ge=0, le=36_500)] = 730
    keep_strangers_days: Annotated[int, Field(ge=0, le=36_500)] = 30
    keep_reminders_days: Annotated[int, Field(ge=0, le=36_500)] = 90
    keep_spending_days: Annotated[int, Field(ge=0, le=36_500)] = 400

    spend_limit_monthly: Annotated[Decimal, Field(ge=0, le=1_000_000)] = Decimal(0)
    spend_limit_stops: Literal["unasked", "all"] = "unasked"

    rate_limit_max: Annotated[int, Field(ge=1)] = 10
    rate_limit_window: Annotated[int, Field(ge=1)] = 60
    debounce_ms: Annotated[int, Field(ge=0, le=60_000)] = 1200

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=1, le=65535)] = 8000
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    log_json: bool = True
    log_content: bool = False
    metrics_token: SecretStr | None = None
    otel_exporter_otlp_endpoint: str | None = None

    @field_validator(*_LISTS, mode="before")
    @classmethod
    def _split_list(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("*", mode="before")
    @classmethod
    def _empty_is_unset(cls, value: Any, info: Any) -> Any:
        if value == "" and info.field_name not in _LISTS:
            return cls.model_fields[info.field_name].get_default()
        return value

    @field_validator("allowed_phone_numbers", "admin_phone_numbers")
    @classmethod
    def _numbers_mean_somebody(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(map(is_number_or_bsuid, value)):
            raise ValueError("each entry must be a phone number with its country code, or a BSUID such as US.13a7")
        return value

    @field_validator("mcp_passed_env")
    @classmethod
    def _servers_may_see(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Entries are told by their place: one that is no name may be a secret that was put here by mistake."""
        for place, name in enumerate(value, start=1):
            if _VARIABLE.fullmatch(name) is None:
                raise ValueError(
                    f"entry {place} is no name of a variable: give names only, separated by commas, such as"
                    " SSL_CERT_FILE,HTTPS_PROXY"
                )
            is_ours = name.lower() in cls.model_fields and name not in _SHARED
            if is_ours or _SECRET_NAME.search(name):
                raise ValueError(
                    f"entry {place} is one of our own settings, or by its name a secret, and every server would"
                    " see it: take it out, and give what one server needs to that one with /mcp set"
                )
        return value

    @field_validator("keep_messages_days")
    @classmethod
    def _redeliveries_are_known(cls, value: int) -> int:
        if 0 < value < _REDELIVERY_DAYS:
            raise ValueError(f"at least {_REDELIVERY_DAYS} (Meta delivers again for 7 days), or 0 for ever")
        return value

    @field_validator("keep_spending_days")
    @classmethod
    def _months_are_whole(cls, value: int) -> int:
        if 0 < value < _LONGEST_MONTH_DAYS:
            raise ValueError(f"at least {_LONGEST_MONTH_DAYS} (this month is added up), or 0 for ever")
        return value

    @field_validator("whatsapp_app_id", "whatsapp_business_account_id")
    @classmethod
    def _is_numeric_id(cls, value: str | None) -> str | None:
        if value is not None and not (value.isascii() and value.isdigit()):
            raise ValueError("must be the id that Meta shows: digits only")
        return value

    @field_validator(
        "whatsapp_api_base_url",
        "public_url",
        "mcp_registry_url",
        "smithery_registry_url",
        "otel_exporter_otlp_endpoint",
        "aws_endpoint_url",
    )
    @classmethod
    def _is_web_address(cls, value: str | None) -> str | None:
        if value is not None and not _names_a_host(value):
            raise ValueError("must be an address that begins with http:// or https:// and names a host")
        return value

    @field_validator("files_url")
    @classmethod
    def _is_bucket(cls, value: str | None) -> str | None:
        if value is not None and _BUCKET.fullmatch(value) is None:
            raise ValueError(
                "must be s3://bucket or s3://bucket/prefix; keys belong in AWS_ACCESS_KEY_ID and so on"
            )
        return value

    @field_validator("ollama_base_url", "openai_base_url")
    @classmethod
    def _are_web_addresses(cls, value: tuple[str, ...], info: Any) -> tuple[str, ...]:
        if not all(map(_names_a_host, value)):
            raise ValueError("each entry must be an address that begins with http:// or https:// and names a host")
        if info.field_name == "ollama_base_url" and not value:
            return (_OLLAMA,)
        return tuple(dict.fromkeys(value))

    @field_validator("timezone")
    @classmethod
    def _timezone_exists(cls, value: str) -> str:
        if value and not _is_timezone(value):
            raise ValueError(f"{value} is not an IANA time zone such as Europe/Madrid")
        return value

    @model_validator(mode="after")
    def _whatsapp_is_whole(self) -> "Settings":
        values = {
            "WHATSAPP_ACCESS_TOKEN": self.whatsapp_access_token,
            "WHATSAPP_PHONE_NUMBER_ID": self.whatsapp_phone_number_id,
            "WHATSAPP_VERIFY_TOKEN": self.whatsapp_verify_token,
            "WHATSAPP_APP_SECRET": self.whatsapp_app_secret,
        }
        missing = [name for name, value in values.items() if value is None]
        if missing and len(missing) < len(values):
            raise ValueError(f"{', '.join(missing)}: set all four WHATSAPP_ credentials or none of them")
        return self

    @model_validator(mode="after")
    def _server_is_named(self) -> "Settings":
        if self.llm_provider == "openai" and not self.openai_base_url:
            raise ConfigError(
                "OPENAI_BASE_URL", "LLM_PROVIDER=openai needs the address of the model's server here"
            )
        return self

    @model_validator(mode="after")
    def _database_is_one(self) -> "Settings":
        if self.database_url is None:
            return self
        if not self.database_url.get_secret_value().startswith(("postgresql://", "postgres://")):
            raise ConfigError(
                "DATABASE_URL", "it has to begin with postgresql://; a file belongs in DATABASE_PATH"
            )
        if self.database_path is not None:
            raise ConfigError("DATABASE_URL", "DATABASE_PATH is set, too; leave one of them empty")
        return self

    @property
    def has_whatsapp(self) -> bool:
        return self.whatsapp_access_token is not None

    @property
    def is_simulated(self) -> bool:
        """The simulator stands in for Meta; beside real credentials only when asked for explicitly."""
        return self.simulator_enabled if self.simulator_enabled is not None else not self.has_whatsapp

    @property
    def database_file(self) -> Path:
        return self.database_path or self.data_dir / "wasap.db"

    @property
    def database(self) -> Path | str:
        """Where the database is: its file, or the address of a server with the password in it."""
        return self.database_url.get_secret_value() if self.database_url else self.database_file

    @property
    def own_database_file(self) -> Path | None:
        """The file that the database is in; None where a server has it."""
        return None if self.database_url else self.database_file

    @property
    def mcp_config_file(self) -> Path:
        return self.mcp_config_path or self.data_dir / "mcp_servers.json"

    @property
    def users_dir(self) -> Path:
        """Where each person has a directory of their own."""
        return self.data_dir / "users"

    @property
    def bucket(self) -> tuple[str, str] | None:
        """The name and the prefix of where people's files are; None: in `users_dir`."""
        match = _BUCKET.fullmatch(self.files_url or "")
        return None if match is None else (match[1], (match[2] or "").strip("/"))

    @property
    def local_timezone(self) -> str:
        """TIMEZONE, or the zone that this machine is set to, or UTC."""
        name = self.timezone or str(_LOCALTIME.resolve()).partition("zoneinfo/")[2]
        return name if _is_timezone(name) else "UTC"

    @property
    def secrets(self) -> tuple[str, ...]:
        """The values that may appear nowhere."""
        values = (getattr(self, name) for name in type(self).model_fields)
        found = [value.get_secret_value() for value in values if isinstance(value, SecretStr)]
        return (*found, *passwords_of(self.database_url.get_secret_value() if self.database_url else ""))


def _is_timezone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True


def _names_a_host(address: str) -> bool:
    try:
        parts = urlsplit(address)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return is_address and not any(character.isspace() for character in address)


def load_settings(**overrides: Any) -> Settings:
    """Read the environment and `.env`.

    Raises:
        ConfigError: a value is wrong; the message names the variable and never shows its value.
    """
    try:
        return Settings(**overrides)
    except ValidationError as exc:
        error = exc.errors()[0]
        name = "_".join(str(part) for part in error["loc"][:1]).upper() or "WHATSAPP"
        raise ConfigError(name, str(error["msg"]).removeprefix("Value error, ")) from None
