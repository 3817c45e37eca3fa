"""Structured logs: one event per fact, no secret and no message text."""

import hashlib
import logging
import re
import sys
from collections.abc import Mapping
from typing import Final

import structlog
from structlog.typing import EventDict, WrappedLogger

_SECRET_FIELD: Final = re.compile(r"token|secret|password|authorization|api_?key|cookie", re.IGNORECASE)
_COUNT_FIELD: Final = re.compile(r"tokens$")
_SECRET_VALUE: Final = re.compile(r"(?i)bearer\s+\S+|\bEA[A-Za-z0-9]{20,}|sha256=[0-9a-f]{64}")
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
            return "[redacted]"
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


def setup_logging(
    *,
    level: str,
    is_json: bool,
    is_content_logged: bool,
    secrets: tuple[str, ...] = (),
    taps: tuple[structlog.typing.Processor, ...] = (),
) -> None:
    """Route structlog and the standard library's loggers through one chain to standard error.

    `taps` see every event after it was redacted.
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
        structlog.processors.JSONRenderer() if is_json else structlog.dev.ConsoleRenderer()
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
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


def user_tag(user_id: str) -> str:
    """A short stable hash that stands for a user in logs."""
    return hashlib.blake2s(user_id.encode(), digest_size=5).hexdigest()
