"""A trace of each turn: messages go in at the webhook, spans come out at a collector, and no word of anybody."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.log import setup_logging, watch_every_level
from app.telemetry.opening import open_traces
from tests.builders import ALICE, BOB
from tests.e2e.asking import calls
from tests.e2e.crash_world import serving
from tests.fakes.llm import ScriptedChatModel
from tests.harness import AppUnderTest, running_app

KEYS: Final = {
    "turn": {"turn_id", "messages", "attempt", "model_calls", "prompt_tokens", "completion_tokens", "outcome"},
    "model": {"purpose", "wait_ms", "prompt_tokens", "cached_tokens", "completion_tokens"},
    "tool": {"category", "kind"},
}

with_library = pytest.mark.skipif(
    find_spec("opentelemetry.sdk") is None or find_spec("opentelemetry.exporter") is None,
    reason="the optional extra `traces` is not installed",
)


@dataclass
class Collector:
    """Takes what is exported, as a collector would."""

    bodies: list[bytes] = field(default_factory=list)

    async def take(self, request: Request) -> Response:
        self.bodies.append(await request.body())
        return Response(media_type="application/x-protobuf")

    def spans(self) -> Iterator[Any]:
        wire = import_module("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
        for body in self.bodies:
            for resource in wire.ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    yield from scope.spans


@asynccontextmanager
async def traced(data_dir: Path, llm: ScriptedChatModel, collector: Collector) -> AsyncIterator[AppUnderTest]:
    """A service whose traces have all arrived when the block has ended."""
    server = Starlette(routes=[Route("/v1/traces", collector.take, methods=["POST"])])
    async with serving(server) as url:
        opened = open_traces(url)
        watchers = opened.__enter__()
        try:
            setup_logging(level="ERROR", is_json=True, is_content_logged=True)
            watch_every_level(*watchers)
            async with running_app(data_dir, llm=llm) as app:
                yield app
        finally:
            await asyncio.to_thread(opened.__exit__, None, None, None)


def told(span: Any) -> dict[str, object]:
    kinds = ("string_value", "int_value", "double_value", "bool_value")
    return {
        one.key: next(getattr(one.value, kind) for kind in kinds if one.value.HasField(kind))
        for one in span.attributes
    }


@with_library
@pytest.mark.needs("notes")
async def test_a_turn_is_a_span_with_its_model_calls_and_tools_below(tmp_path: Path) -> None:
    llm = ScriptedChatModel(calls(("save_note", {"content": "the gate code is 7719"})), "Saved it, Ana.")
    llm.category = "notes"
    collector = Collector()
    async with traced(tmp_path, llm, collector) as app:
        await app.say(ALICE, "note: the gate code is 7719")
        await app.say(BOB, "/help")
    spans = list(collector.spans())
    [turn] = [one for one in spans if one.name == "turn" and told(one)["outcome"] == "answer"]
    below = [one for one in spans if one.parent_span_id == turn.span_id]
    assert {one.trace_id for one in below} == {turn.trace_id}
    assert sorted(one.name for one in below if told(one).get("purpose") != "short") == ["model", "model", "tool"]
    [tool] = [told(one) for one in below if one.name == "tool"]
    assert tool == {"category": "notes", "kind": "ok"}
    assert all(one.start_time_unix_nano <= one.end_time_unix_nano for one in spans)
    [command] = [one for one in spans if one.name == "turn" and one is not turn]
    assert told(command)["outcome"] == "command"
    assert command.trace_id != turn.trace_id


@with_library
async def test_nothing_of_anybody_is_sent(tmp_path: Path) -> None:
    llm = ScriptedChatModel(calls(("a secret 7719", {"x": "y"})), "Done, Ana, about the secret.")
    llm.category = "notes"
    collector = Collector()
    async with traced(tmp_path, llm, collector) as app:
        await app.say(ALICE, "my secret is 7719")
    whole = b"".join(collector.bodies)
    assert [one for one in (b"secret", b"7719", ALICE.encode(), b"Ana") if one in whole] == []
    assert all(told(span).keys() <= KEYS[span.name] for span in collector.spans())
    assert list(collector.spans())


@with_library
async def test_a_turn_that_fails_is_sent_as_failed(tmp_path: Path) -> None:
    llm, collector = ScriptedChatModel(RuntimeError("broken")), Collector()
    llm.category = "none"
    async with traced(tmp_path, llm, collector) as app:
        await app.receive(ALICE, "hello")
        async with asyncio.timeout(5):
            await app.let_time_pass()
    error = 2
    failed = [told(one) for one in collector.spans() if one.status.code == error]
    assert [one["outcome"] for one in failed][:1] == ["failed"]


@with_library
async def test_a_collector_that_is_gone_holds_nothing_up(tmp_path: Path) -> None:
    with open_traces("http://127.0.0.1:9") as watchers:
        setup_logging(level="CRITICAL", is_json=True, is_content_logged=False)
        watch_every_level(*watchers)
        async with running_app(tmp_path) as app, asyncio.timeout(5):
            await app.say(ALICE, "hello")
        assert app.replies_to(ALICE) == ["echo: hello"]


def test_without_an_address_nothing_is_opened() -> None:
    with open_traces(None) as watchers:
        assert watchers == ()
