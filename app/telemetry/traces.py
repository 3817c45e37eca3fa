"""A trace of each turn, made of the events that the service logs anyway: no text, no number, no name in it.

A span is made when its turn has ended, from the time at which something ended and how long it took.
"""

import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Status, StatusCode, set_span_in_context
from structlog.typing import EventDict, WrappedLogger

_NS_PER_MS: Final = 1_000_000
_MAX_TURNS: Final = 1_000
_MAX_STEPS: Final = 100
_FLUSH_MS: Final = 3_000
# Fields that tell nothing of anybody; no others are taken.
_OF_TURN: Final = ("turn_id", "messages", "attempt", "model_calls", "prompt_tokens", "completion_tokens")
_OF_MODEL: Final = ("purpose", "wait_ms", "prompt_tokens", "cached_tokens", "completion_tokens")
_OF_TOOL: Final = ("category", "kind")

Attributes = Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class _Step:
    """Something that took its time; times are nanoseconds since 1970."""

    name: str
    began_ns: int
    ended_ns: int
    attributes: Attributes
    is_failed: bool = False


class TurnTraces:
    """Sends a span for each turn with those of its model calls and tools below it; a processor of structlog.

    Steps of turns that have not ended are kept, of `_MAX_TURNS` at most. What is sent goes from a thread of its
    own, and is dropped when nobody takes it.
    """

    def __init__(self, endpoint: str) -> None:
        exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
        self._provider = TracerProvider(resource=Resource.create({"service.name": "wasap"}))
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("wasap")
        self._open: OrderedDict[str, list[_Step]] = OrderedDict()

    def __call__(self, logger: WrappedLogger, method: str, event_dict: EventDict) -> EventDict:
        turn_id = str(event_dict.get("turn_id", ""))
        match event_dict.get("event"):
            case "llm.called":
                self._add(turn_id, _step("model", event_dict, "duration_ms", _OF_MODEL))
            case "tool.finished":
                self._add(turn_id, _step("tool", event_dict, "ms", _OF_TOOL))
            case "turn.finished":
                whole = _step("turn", event_dict, "since_received_ms", _OF_TURN)
                self._send(whole, _outcome(event_dict), self._open.pop(turn_id, []))
            case "turn.failed":
                steps = self._open.pop(turn_id, [])
                now_ns = time.time_ns()
                began_ns = min((step.began_ns for step in steps), default=now_ns)
                self._send(_Step("turn", began_ns, now_ns, {"turn_id": turn_id}, is_failed=True), "failed", steps)
            case "turn.superseded":
                self._open.pop(turn_id, None)
        return event_dict

    def close(self) -> None:
        """Send what is left, for some seconds at most."""
        self._provider.force_flush(_FLUSH_MS)
        self._provider.shutdown()

    def _add(self, turn_id: str, step: _Step) -> None:
        if not turn_id:
            self._draw(step, None)  # memory at work beside the turns
            return
        steps = self._open.setdefault(turn_id, [])
        if len(steps) < _MAX_STEPS:
            steps.append(step)
        while len(self._open) > _MAX_TURNS:
            self._open.popitem(last=False)

    def _send(self, whole: _Step, outcome: str, steps: list[_Step]) -> None:
        below = self._draw(whole, None, outcome=outcome)
        for step in steps:
            self._draw(step, below)

    def _draw(self, step: _Step, above: Context | None, **more: str) -> Context:
        span = self._tracer.start_span(
            step.name, above or Context(), attributes={**step.attributes, **more}, start_time=step.began_ns
        )
        if step.is_failed:
            span.set_status(Status(StatusCode.ERROR))
        span.end(step.ended_ns)
        return set_span_in_context(span, Context())


def _outcome(event: EventDict) -> str:
    outcome = str(event.get("outcome", ""))
    return "command" if outcome.startswith("command_") else outcome


def _step(name: str, event: EventDict, took: str, wanted: tuple[str, ...]) -> _Step:
    """Read what ended just now."""
    now_ns, took_ms = time.time_ns(), event.get(took, 0)
    took_ns = int(took_ms * _NS_PER_MS) if isinstance(took_ms, int | float) else 0
    found = {key: event[key] for key in wanted if isinstance(event.get(key), str | int | float)}
    return _Step(name, now_ns - max(took_ns, 0), now_ns, found)
