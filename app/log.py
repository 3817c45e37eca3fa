"""Structured logs: one event per fact, no secret and no message text; the last ones are kept to be asked for."""

import hashlib
import logging
import os
import re
import sys
from collections import deque
from collections.abc import Mapping
from functools import lru_cache
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

import structlog
from structlog.typing import EventDict, WrappedLogger

_SECRET_FIELD: Final = re.compile(r"token|secret|password|authorization|api_?key|cookie", re.IGNORECASE)
_COUNT_FIELD: Final = re.compile(r"tokens$")
_SECRET_VALUE: Final = re.compile(r"(?i)bearer\s+\S+|\bEA[A-Za-z0-9]{20,}|sha256=[0-9a-f]{64}")
MAX_EVENTS: Final = 200
MAX_FILE_BYTES: Final = 5_000_000
_HIDDEN: Final = "[redacted]"
_MAX_KEPT_CHARS: Final = 2000
_PRIVATE_NAME: Final = re.compile(
    r"token|secret|passw|passphrase|authorization|api.?key|cookie|credential|private|signature|dsn|(^|_)(key|pat|pwd)$",
    re.IGNORECASE,
)
_COUNTED: Final = "tokens"
_PERSONAL_NAME: Final = re.compile(r"phone|number|(?:^|_)(?:text|content|body|reply|caption)$", re.IGNORECASE)
_CONTENT_FIELDS: Final = frozenset({"text", "content", "body", "reply"})


class Redactor:
    """Blank every field or value that looks like a secret, and message text unless asked for."""

    def __init__(self, *, is_content_logged: bool, secrets: tuple[str, ...] = ()) -> None:
        self._is_content_logged = is_content_logged
        self._secrets = tuple(secret for secret in secrets if len(secret) >= 6)

    def __call__(self, logger: WrappedLogger, method: str, event_dict: EventDict) -> EventDict:
        for key, value in event_dict.items():
            event_dict[key] = self._shown(key, value)
        return event_dict

    def _shown(self, key: str, value: object) -> object:
        """Return what may be logged of a field's value, however deep the secret lies."""
        if key in _CONTENT_FIELDS and not self._is_content_logged:
            return "[content]"
        if _SECRET_FIELD.search(key) and not (_COUNT_FIELD.search(key) and isinstance(value, int | float)):
            return _HIDDEN
        match value:
            case str():
                return self._clean(value)
            case bytes():
                return self._clean(value.decode("utf-8", "replace"))
            case Mapping():
                return {self._clean(str(name)): self._shown(str(name), inner) for name, inner in value.items()}
            case list() | tuple() | set() | frozenset():
                return [self._shown("", inner) for inner in value]
            case None | bool() | int() | float():
                return value
            case _:
                return self._clean(str(value)) if self._hides_something(value) else value

    def _hides_something(self, value: object) -> bool:
        text = repr(value)
        return self._clean(text) != text

    def _clean(self, value: str) -> str:
        for secret in self._secrets:
            value = value.replace(secret, "[redacted]")
        return _SECRET_VALUE.sub("[redacted]", value)


class LogRing:
    """A structlog processor that keeps the last `MAX_EVENTS` events, in memory only.

    It belongs behind the `Redactor` in the chain and passes every event on as it came. Kept are scalars and
    lists of them, as text; the text of messages, phone numbers and fields with secret names are not, whatever
    the settings of the log are; of a traceback only its last line is.
    """

    def __init__(self, size: int = MAX_EVENTS) -> None:
        self._events: deque[Mapping[str, str]] = deque(maxlen=size)

    def __call__(self, logger: WrappedLogger, method: str, event_dict: EventDict) -> EventDict:
        kept = {
            name: _kept(name, value)
            for name, value in event_dict.items()
            if not name.startswith("_") and value is not None
        }
        self._events.append(MappingProxyType(kept))
        return event_dict

    def list_recent(self, count: int = MAX_EVENTS) -> list[Mapping[str, str]]:
        """Return the last events, oldest first."""
        # `copy` runs as one step of the interpreter, while other threads go on logging.
        return list(self._events.copy())[-count:] if count > 0 else []


def is_private(name: str, value: str) -> bool:
    """Tell whether a field, by its name, holds a secret, somebody's number or what somebody said."""
    privacy = _privacy(name)
    is_count = privacy == "unless counted" and len(value) < 9 and value.isdecimal()
    return bool(privacy) and not is_count


@lru_cache(maxsize=512)
def _privacy(name: str) -> Literal["", "always", "unless counted"]:
    """Tell how private a field is by its name; of these there are few, and each event has some."""
    if _PERSONAL_NAME.search(name):
        return "always"
    if not _PRIVATE_NAME.search(name):
        return ""
    _, counted, rest = name.casefold().rpartition(_COUNTED)
    return "unless counted" if counted and rest[:1] in ("", "_") else "always"


def _kept(name: str, value: object) -> str:
    match value:
        case str() if name == "exception":
            text = value.strip().rsplit("\n", 1)[-1]
        case str() | int() | float() | os.PathLike():
            text = str(value)
        case list() | tuple() if all(isinstance(item, str | int | float) for item in value):
            text = ",".join(map(str, value))
        case _:
            text = type(value).__name__
    if is_private(name, text):
        return _HIDDEN
    # The last word goes too: half a secret would no longer have the form of one.
    return text if len(text) <= _MAX_KEPT_CHARS else text[:_MAX_KEPT_CHARS].rpartition(" ")[0]


def setup_logging(
    *,
    level: str,
    is_json: bool,
    is_content_logged: bool,
    secrets: tuple[str, ...] = (),
    taps: tuple[structlog.typing.Processor, ...] = (),
    file: Path | None = None,
) -> None:
    """Route structlog and the standard library's loggers through one chain to standard error, or to a file.

    `taps` see every event after it was redacted. At `MAX_FILE_BYTES` the file is turned over; one is kept.

    Raises:
        OSError: the file cannot be written.
    """
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        structlog.processors.format_exc_info,
        Redactor(is_content_logged=is_content_logged, secrets=secrets),
        *taps,
    ]
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer() if is_json else structlog.dev.ConsoleRenderer(colors=file is None)
    )
    handler: logging.Handler = logging.StreamHandler(sys.stderr)
    if file is not None:
        handler = RotatingFileHandler(file, maxBytes=MAX_FILE_BYTES, backupCount=1, encoding="utf-8", delay=True)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    # At DEBUG the drivers of others tell all that passes through them, such as each value of a statement.
    root.setLevel(max(logging.INFO, logging.getLevelNamesMapping()[level]))
    logging.getLogger("app").setLevel(level)
    for noisy in ("httpx", "httpcore", "httpx2", "httpcore2", "uvicorn.error"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    # Its tracebacks are about faults of servers, which we report ourselves.
    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level)),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )


def watch_every_level(*watchers: structlog.typing.Processor) -> None:
    """Let these see what our own code logs, of every level and before it is redacted; call after `setup_logging`.

    What is written down stays as it was set up. Without anybody nothing changes.
    """
    if not watchers:
        return
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            *watchers,
            structlog.stdlib.filter_by_level,
            *structlog.get_config()["processors"],
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG),
    )


def user_tag(user_id: str) -> str:
    """A short stable hash that stands for a user in logs."""
    return hashlib.blake2s(user_id.encode(), digest_size=5).hexdigest()
