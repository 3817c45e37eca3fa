"""Opens what the optional libraries do, where they are installed."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec

from structlog.typing import Processor

from app.domain.errors import ConfigError
from app.telemetry.router import Meter


def open_meter() -> Meter | None:
    """Return what counts for /metrics; None without the extra `metrics`."""
    if find_spec("prometheus_client") is None:
        return None
    opened: Meter = import_module("app.telemetry.meter").PrometheusMeter()
    return opened


@contextmanager
def open_traces(endpoint: str | None) -> Iterator[tuple[Processor, ...]]:
    """Send traces of turns to an OTLP endpoint while the block runs; yields what has to see the events.

    Raises:
        ConfigError: the extra `traces` is missing.
    """
    if endpoint is None:
        yield ()
        return
    try:
        module = import_module("app.telemetry.traces")
    except ModuleNotFoundError as exc:
        raise ConfigError(
            "OTEL_EXPORTER_OTLP_ENDPOINT", f"the package {exc.name} is missing; run: pip install 'wasap[traces]'"
        ) from exc
    traces = module.TurnTraces(endpoint)
    try:
        yield (traces,)
    finally:
        traces.close()
