"""Opens what the optional libraries do, where they are installed."""

from importlib import import_module
from importlib.util import find_spec

from app.telemetry.router import Meter


def open_meter() -> Meter | None:
    """Return what counts for /metrics; None without the extra `metrics`."""
    if find_spec("prometheus_client") is None:
        return None
    opened: Meter = import_module("app.telemetry.meter").PrometheusMeter()
    return opened
