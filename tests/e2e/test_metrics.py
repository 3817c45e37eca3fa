"""Figures at /metrics: messages go in at the webhook, and what came of them is counted, and no word of anybody."""

import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from app.database.db import Database
from app.database.repositories.queues import Queues
from app.domain.chat import ModelState
from app.log import setup_logging, watch_every_level
from app.telemetry.opening import open_meter
from app.telemetry.router import Standing
from app.webhook.health import HELD_S
from tests.builders import ALICE, BOB
from tests.e2e.asking import calls
from tests.fakes.llm import ScriptedChatModel
from tests.harness import AppUnderTest, running_app

ROOT: Final = Path(__file__).resolve().parents[2]
NOW: Final = datetime(2026, 1, 2, tzinfo=UTC)
TOKEN: Final = "a-token-of-prometheus"
LABELS: Final = {
    "route": {"/webhook", "/health", "/metrics", "/home", "/simulator", "/", "other"},
    "level": {"warning", "error"},
    "role": {"all"},
    "le": None,
    "outcome": None,
    "kind": None,
    "category": None,
}
"""None: told by the code, checked by its form."""
LINE: Final = re.compile(r"(?P<name>[a-z_]+)(?:\{(?P<labels>.*)\})? (?P<value>\S+)")
LABEL: Final = re.compile(r'(\w+)="([^"]*)"')
NAMED: Final = re.compile(r"[a-z0-9_./+]*(Inf)?")

with_library = pytest.mark.skipif(
    find_spec("prometheus_client") is None, reason="the optional extra `metrics` is not installed"
)


@asynccontextmanager
async def counted(data_dir: Path, *, level: str = "ERROR", **given: Any) -> AsyncIterator[AppUnderTest]:
    """A service that logs as little as it can, and counts all the same."""
    meter = open_meter()
    assert meter is not None
    setup_logging(level=level, is_json=True, is_content_logged=True)
    watch_every_level(meter)
    async with running_app(data_dir, meter=meter, **given) as app:
        yield app


@asynccontextmanager
async def asking(app: AppUnderTest, *, peer: str = "127.0.0.1") -> AsyncIterator[httpx.AsyncClient]:
    """Somebody who asks from that address, by the name of this machine."""
    transport = httpx.ASGITransport(app.http._transport.app, client=(peer, 40_000))  # type: ignore[attr-defined]  # httpx has no other way to it
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as http:
        yield http


async def page_of(app: AppUnderTest) -> str:
    await app.clock.advance(HELD_S)
    async with asking(app) as http:
        answer = await http.get("/metrics")
    assert (answer.status_code, answer.headers["content-type"]) == (
        200,
        "text/plain; version=0.0.4; charset=utf-8",
    )
    return answer.text


def samples(page: str) -> Iterator[tuple[str, Mapping[str, str], float]]:
    for line in page.splitlines():
        if not line.startswith("#"):
            found = LINE.fullmatch(line)
            assert found is not None, line
            yield found["name"], dict(LABEL.findall(found["labels"] or "")), float(found["value"])


def value(page: str, name: str, **labels: str) -> float:
    """The sum of what is counted under these labels."""
    return sum(
        number for one, told, number in samples(page) if one == name and labels.items() <= dict(told).items()
    )


@with_library
@pytest.mark.needs("notes")
async def test_messages_go_in_and_figures_come_out_whatever_is_logged(tmp_path: Path) -> None:
    llm = ScriptedChatModel(calls(("save_note", {"content": "the gate code is 7719"})), "Saved it, Ana.")
    llm.category = "notes"
    async with counted(tmp_path, level="ERROR", llm=llm) as app:
        await app.say(ALICE, "note: the gate code is 7719")
        await app.say(BOB, "/help")
        page = await page_of(app)
    assert value(page, "wasap_messages_total", outcome="accepted") == 2
    assert value(page, "wasap_turn_seconds_count", outcome="answer") == 1
    assert value(page, "wasap_turn_seconds_count", outcome="command") == 1
    assert value(page, "wasap_model_seconds_count", kind="turn") == 2
    assert value(page, "wasap_model_tokens_total", kind="prompt") > 0
    assert value(page, "wasap_tool_seconds_count", category="notes", outcome="ok") == 1
    assert value(page, "wasap_sends_total", outcome="sent") == len(app.graph.sends)
    assert value(page, "wasap_request_seconds_count", route="/webhook", outcome="2xx") >= 2
    assert value(page, "wasap_process", role="all") == 1
    assert value(page, "wasap_model_ready") == 1
    assert "_created" not in page


@with_library
async def test_what_waits_is_told_with_its_age_and_is_gone_when_it_is_answered(tmp_path: Path) -> None:
    async with counted(tmp_path, debounce_ms=60_000) as app:
        await app.receive(ALICE, "one")
        await app.clock.advance(30)
        await app.receive(BOB, "two")
        page = await page_of(app)
        assert value(page, "wasap_inbox_pending") == 2
        assert value(page, "wasap_inbox_oldest_seconds") == 30 + HELD_S
        await app.clock.advance(61)
        await app.idle()
        page = await page_of(app)
        assert (value(page, "wasap_inbox_pending"), value(page, "wasap_inbox_oldest_seconds")) == (0, 0)


@with_library
async def test_what_cannot_be_sent_and_why_is_told(tmp_path: Path) -> None:
    async with counted(tmp_path) as app:
        app.graph.faults.fail_next(131026)
        await app.say(ALICE, "hello")
        app.graph.faults.fail_next(190, status=401)
        await app.say(ALICE, "and again")
        page = await page_of(app)
        assert value(page, "wasap_sends_total", outcome="failed") == 1
        assert value(page, "wasap_events_total", kind="outbox.failed", level="error") == 1
        assert value(page, "wasap_events_total", kind="delivery.paused", level="error") == 1
        assert value(page, "wasap_delivery_paused") == 1
        assert value(page, "wasap_outbox_unsent", kind="pending") == 1


@with_library
async def test_a_database_that_does_not_answer_leaves_the_other_figures(tmp_path: Path) -> None:
    async with counted(tmp_path) as app:
        await app.say(ALICE, "hello")
        async with Database.open(app.database) as other:
            await other.execute_script("ALTER TABLE inbox RENAME TO gone")
            page = await page_of(app)
            await other.execute_script("ALTER TABLE gone RENAME TO inbox")
        assert value(page, "wasap_database_up") == 0
        assert "wasap_inbox_pending" not in page
        assert value(page, "wasap_turn_seconds_count") == 1
        assert value(await page_of(app), "wasap_database_up") == 1


@with_library
async def test_nothing_of_anybody_is_told_and_labels_have_few_values(tmp_path: Path) -> None:
    llm = ScriptedChatModel(calls(("a secret 7719", {"x": "y"})), "Done, Ana, about the secret.")
    llm.category = "notes"
    async with counted(tmp_path, level="DEBUG", llm=llm) as app:
        await app.say(ALICE, "my secret is 7719")
        await app.say(BOB, "/no_such_command about the secret")
        llm.model_state = ModelState("scripted", "unavailable", "secret")
        assert await app.post_raw(b"{}", {}) == 401
        async with asking(app) as http:
            await http.get("/secret/7719")
        page = await page_of(app)
    assert [one for one in ("secret", "7719", ALICE, BOB, "Ana", "Bob", "scripted") if one in page] == []
    for name, labels, _ in samples(page):
        for label, told in labels.items():
            allowed = LABELS[label]
            assert told in allowed if allowed is not None else NAMED.fullmatch(told), (name, label, told)
    assert value(page, "wasap_tool_seconds_count", category="unknown", outcome="unknown") <= 1
    assert value(page, "wasap_events_total", kind="webhook.rejected", level="warning") == 1
    assert value(page, "wasap_request_seconds_count", route="other", outcome="4xx") == 1


@pytest.mark.parametrize(
    ("peer", "headers"),
    [
        ("203.0.113.9", {}),
        ("127.0.0.1", {"x-forwarded-for": "203.0.113.9"}),
        ("127.0.0.1", {"forwarded": "for=203.0.113.9"}),
        ("127.0.0.1", {"host": "rebound.example"}),
        ("127.0.0.1", {"host": "rebound.example", "authorization": f"Bearer {TOKEN}"}),
    ],
)
async def test_strangers_and_what_a_proxy_forwards_are_refused(
    app: AppUnderTest, peer: str, headers: dict[str, str]
) -> None:
    async with asking(app, peer=peer) as http:
        answer = await http.get("/metrics", headers=headers)
    assert (answer.status_code, "METRICS_TOKEN" in answer.text) == (403, True)
    assert "wasap_" not in answer.text


async def test_the_remote_simulator_opens_no_metrics(tmp_path: Path) -> None:
    running = running_app(tmp_path, simulator_enabled=True, simulator_remote=True)
    async with running as app, asking(app, peer="203.0.113.9") as http:
        assert (await http.get("/metrics")).status_code == 403


@with_library
async def test_with_a_token_whoever_brings_it_is_answered_and_nobody_else(tmp_path: Path) -> None:
    async with counted(tmp_path, metrics_token=TOKEN) as app, asking(app, peer="203.0.113.9") as http:
        for given in ({}, {"authorization": "Bearer wrong"}, {"authorization": f"Basic {TOKEN}"}):
            assert (await http.get("/metrics", headers=given)).status_code == 401
        answer = await http.get("/metrics", headers={"authorization": f"Bearer {TOKEN}"})
        assert (answer.status_code, "wasap_process" in answer.text) == (200, True)
        async with asking(app) as near:
            assert (await near.get("/metrics")).status_code == 401


@with_library
async def test_a_process_without_a_model_tells_nothing_of_one() -> None:
    meter = open_meter()
    assert meter is not None
    standing = Standing(
        role="web",
        at=NOW,
        queues=Queues(3, NOW, {"held": 2}, None),
        people_at_work=0,
        is_delivery_paused=False,
        model=None,
    )
    page = meter.write(standing).decode()
    assert value(page, "wasap_process", role="web") == 1
    assert (value(page, "wasap_inbox_pending"), value(page, "wasap_outbox_unsent", kind="held")) == (3, 2)
    assert "wasap_model_ready" not in page


async def test_without_the_library_the_service_works_and_says_what_to_install(app: AppUnderTest) -> None:
    await app.say(ALICE, "hello")
    async with asking(app) as http:
        answer = await http.get("/metrics")
    assert (answer.status_code, "pip install 'wasap[metrics]'" in answer.text) == (404, True)
    assert app.replies_to(ALICE) == ["echo: hello"]


def test_without_the_libraries_nothing_is_counted_and_traces_are_refused_with_what_to_install() -> None:
    program = """if True:
        import sys
        sys.modules["prometheus_client"] = sys.modules["opentelemetry.sdk"] = None
        from app.domain.errors import ConfigError
        from app.telemetry.opening import open_meter, open_traces
        print(open_meter())
        try:
            with open_traces("http://localhost:4318"):
                pass
        except ConfigError as exc:
            print(exc.detail)
    """
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=55)
    assert told.stdout.startswith("None\nthe package opentelemetry")
    assert "pip install 'wasap[traces]'" in told.stdout


def test_the_libraries_are_loaded_by_their_own_modules_alone() -> None:
    modules = {path: path.read_text("utf-8") for path in (ROOT / "app").rglob("*.py")}
    wanted = re.compile(
        r"^\s*(?:from|import) (?:prometheus_client|opentelemetry|app\.telemetry\.(?:meter|traces))", re.M
    )
    users = {path.relative_to(ROOT).as_posix() for path, text in modules.items() if wanted.search(text)}
    assert users == {"app/telemetry/meter.py", "app/telemetry/traces.py"}
