"""Figures for Prometheus, read from the events that the service logs anyway.

No label holds anything of a person: each has few values, which the code names.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from structlog.typing import EventDict, WrappedLogger

from app.telemetry.router import Standing

_MS: Final = 1000.0
_REQUEST_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_ANSWER_S: Final = (0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0)
_LOUD: Final[Mapping[str, str]] = MappingProxyType(
    {"warning": "warning", "error": "error", "exception": "error", "critical": "error"}
)
_TAKEN_IN: Final[Mapping[str, str]] = MappingProxyType(
    {
        "inbox.accepted": "accepted",
        "inbox.duplicates_ignored": "duplicate",
        "inbox.rate_limited": "rate_limited",
        "inbound.not_allowed": "not_allowed",
    }
)
_SENT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "outbox.sent": "sent",
        "outbox.retrying": "retried",
        "outbox.repeated": "repeated",
        "outbox.outcome_unknown": "unknown",
        "outbox.held": "held",
        "outbox.stopped": "stopped",
        "outbox.failed": "failed",
        "outbox.failed_later": "failed_later",
    }
)


class PrometheusMeter:
    """Counts what happens in this process; a processor of structlog that passes every event on as it came.

    It must see the events of all levels: how much is logged does not change what is counted.
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._requests = self._histogram(
            "request_seconds", "HTTP requests until their answer begins", ("route", "outcome"), _REQUEST_S
        )
        self._messages = self._counter("messages", "Messages that came in, by what became of them", ("outcome",))
        self._turns = self._histogram(
            "turn_seconds", "Turns, from the first message's arrival to the stored answer", ("outcome",), _ANSWER_S
        )
        self._model = self._histogram("model_seconds", "Calls of the model", ("kind",), _ANSWER_S)
        self._model_wait = self._histogram("model_wait_seconds", "Waiting for the model", ("kind",), _ANSWER_S)
        self._tokens = self._counter(
            "model_tokens", "Tokens: prompt, cached (part of them), completion", ("kind",)
        )
        self._tools = self._histogram(
            "tool_seconds", "Calls of tools, questions to people included", ("category", "outcome"), _ANSWER_S
        )
        self._sends = self._counter("sends", "Messages on their way out, by what became of them", ("outcome",))
        self._events = self._counter("events", "Warnings and errors of the log", ("kind", "level"))
        # What has not happened yet is 0, so that its first time shows as a change.
        for outcome in _TAKEN_IN.values():
            self._messages.labels(outcome)
        for outcome in _SENT.values():
            self._sends.labels(outcome)
        self._readers: dict[str, Callable[[EventDict], None]] = {
            "turn.finished": self._note_turn,
            "llm.called": self._note_model,
            "tool.finished": self._note_tool,
            **dict.fromkeys(_TAKEN_IN, self._note_message),
            **dict.fromkeys(_SENT, self._note_send),
        }

    def __call__(self, logger: WrappedLogger, method: str, event_dict: EventDict) -> EventDict:
        name = str(event_dict.get("event", ""))
        if (read := self._readers.get(name)) is not None:
            read(event_dict)
        if (level := _LOUD.get(method)) is not None:
            self._events.labels(name, level).inc()
        return event_dict

    def note_request(self, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered with that status."""
        self._requests.labels(route, f"{status // 100}xx").observe(seconds)

    def write(self, standing: Standing) -> bytes:
        """Return the page in the text format of Prometheus."""
        return bytes(generate_latest(_Counted(self._registry))) + bytes(generate_latest(_Gauges(standing)))

    def _note_message(self, event: EventDict) -> None:
        self._messages.labels(_TAKEN_IN[event["event"]]).inc(_number(event, "count", 1.0))

    def _note_send(self, event: EventDict) -> None:
        self._sends.labels(_SENT[event["event"]]).inc()

    def _note_turn(self, event: EventDict) -> None:
        outcome = str(event.get("outcome", ""))
        # Each command would be a value of its own.
        kind = "command" if outcome.startswith("command_") else outcome
        self._turns.labels(kind).observe(_number(event, "since_received_ms") / _MS)

    def _note_model(self, event: EventDict) -> None:
        purpose = str(event.get("purpose", ""))
        self._model.labels(purpose).observe(_number(event, "duration_ms") / _MS)
        self._model_wait.labels(purpose).observe(_number(event, "wait_ms") / _MS)
        for kind in ("prompt", "cached", "completion"):
            self._tokens.labels(kind).inc(_number(event, f"{kind}_tokens"))

    def _note_tool(self, event: EventDict) -> None:
        labels = str(event.get("category", "")), str(event.get("kind", ""))
        self._tools.labels(*labels).observe(_number(event, "ms") / _MS)

    def _counter(self, name: str, told: str, labels: tuple[str, ...]) -> Counter:
        return Counter(f"wasap_{name}", told, labels, registry=self._registry)

    def _histogram(self, name: str, told: str, labels: tuple[str, ...], buckets: tuple[float, ...]) -> Histogram:
        return Histogram(f"wasap_{name}", told, labels, buckets=buckets, registry=self._registry)


@dataclass(frozen=True, slots=True)
class _Counted:
    """A registry without the time at which each series began: a second series for each, which nobody asks for."""

    registry: CollectorRegistry

    def collect(self) -> Iterator[Any]:
        for family in self.registry.collect():
            family.samples = [sample for sample in family.samples if not sample.name.endswith("_created")]
            yield family


@dataclass(frozen=True, slots=True)
class _Gauges:
    """How things stand, as a collector of one look."""

    standing: Standing

    def collect(self) -> Iterator[Any]:
        now = self.standing
        yield _labelled("process", "This process, by what it does of the service", {(now.role,): 1}, ("role",))
        yield _gauge("people_at_work", "People whose messages this process works on", now.people_at_work)
        yield _gauge("delivery_paused", "1 while Meta refuses all that is sent", now.is_delivery_paused)
        yield _gauge("database_up", "1 while the database answers", now.queues is not None)
        if (queues := now.queues) is not None:
            waiting_s, unsent_s = now.age_s(queues.oldest_pending_at), now.age_s(queues.oldest_unsent_at)
            yield _gauge("inbox_pending", "Messages without their turn", queues.pending)
            yield _gauge("inbox_oldest_seconds", "Age of the oldest of them", waiting_s)
            yield _labelled("outbox_unsent", "Messages that are not sent", _by_state(queues.unsent), ("kind",))
            yield _gauge("outbox_oldest_seconds", "Age of the oldest that can be sent", unsent_s)
        if now.model is not None:
            yield _gauge("model_ready", "1 while the model can answer", now.model.state == "ready")
            yield _gauge("model_waiting", "Calls without a place at the model", now.model.waiting)
            yield _gauge("model_tokens_per_second", "How fast it wrote lately", now.model.written_per_s or 0.0)


def _gauge(name: str, told: str, value: float) -> Any:
    return GaugeMetricFamily(f"wasap_{name}", told, value=float(value))


def _labelled(name: str, told: str, values: Mapping[tuple[str, ...], float], labels: tuple[str, ...]) -> Any:
    family = GaugeMetricFamily(f"wasap_{name}", told, labels=labels)
    for one, value in values.items():
        family.add_metric(one, float(value))
    return family


def _by_state(counts: Mapping[str, int]) -> Mapping[tuple[str, ...], float]:
    return {(state,): counts.get(state, 0) for state in ("pending", "sending", "unknown", "held")}


def _number(event: EventDict, name: str, default: float = 0.0) -> float:
    """Return a field that is a number. An event of another form is no reason to fail where it was logged."""
    value = event.get(name, default)
    return max(float(value), 0.0) if isinstance(value, int | float) else default
