"""What is drawn and what raises an alarm is what the service tells: same names, same labels."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from app.database.repositories.queues import Queues
from app.domain.chat import ModelState
from app.telemetry.opening import open_meter
from app.telemetry.router import Standing

ROOT: Final = Path(__file__).resolve().parents[1]
DASHBOARD: Final = ROOT / "deploy" / "dashboard.json"
ALERTS: Final = ROOT / "deploy" / "alerts.yaml"
NOT_DRAWN: Final[frozenset[str]] = frozenset()
"""Figures of ours that the dashboard leaves out."""
OF_PROMETHEUS: Final = frozenset({"job", "instance", "le"})
NOW: Final = datetime(2026, 1, 2, tzinfo=UTC)
STANDING: Final = Standing("all", NOW, Queues(0, None, {}, None), 0, False, ModelState("some-model", "ready"))
EVENTS: Final = (
    {"event": "turn.finished", "outcome": "answer"},
    {"event": "llm.called", "purpose": "turn", "prompt_tokens": 9},
    {"event": "tool.finished", "kind": "ok", "category": "notes"},
    {"event": "inbox.accepted", "count": 1},
    {"event": "outbox.sent"},
)
NAME: Final = re.compile(r"\b(?:wasap|process)_[a-z_]+")


@pytest.fixture
def told() -> Mapping[str, frozenset[str]]:
    """All series of a process that has done one of everything, with their labels."""
    meter = open_meter()
    if meter is None:
        pytest.skip("the optional extra `metrics` is not installed")
    for event in EVENTS:
        meter(None, "error", dict(event))
    meter.note_request("/webhook", 200, 0.01)
    series: dict[str, frozenset[str]] = {}
    for line in meter.write(STANDING).decode().splitlines():
        if not line.startswith("#"):
            series[re.split(r"[ {]", line, maxsplit=1)[0]] = frozenset(re.findall(r'(\w+)="', line))
    return series


def panels() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(DASHBOARD.read_text("utf-8"))["panels"]
    return [panel for panel in found if panel["type"] != "row"]


def drawn() -> list[str]:
    return [target["expr"] for panel in panels() for target in panel["targets"]]


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load(ALERTS.read_text("utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def unknown_parts(query: str, told: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Series that nobody tells, and labels that the series of the query do not have."""
    names = NAME.findall(query)
    yield from (name for name in names if name not in told)
    labels = OF_PROMETHEUS.union(*(told.get(name, frozenset()) for name in names))
    wanted = re.findall(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"", query)
    wanted += [one.strip() for group in re.findall(r"\bby \(([^)]*)\)", query) for one in group.split(",")]
    yield from (f"{one} in {query}" for one in wanted if one not in labels)


def test_every_query_asks_for_what_there_is(told: Mapping[str, frozenset[str]]) -> None:
    for query in (*drawn(), *(rule["expr"] for rule in rules())):
        assert list(unknown_parts(query, told)) == []


def test_every_figure_of_ours_is_drawn_or_named_as_left_out(told: Mapping[str, frozenset[str]]) -> None:
    figures = {re.sub(r"_(bucket|sum|count)$", "", name) for name in told if name.startswith("wasap_")}
    names = {re.sub(r"_(bucket|sum|count)$", "", name) for query in drawn() for name in NAME.findall(query)}
    assert figures - names == NOT_DRAWN


def test_every_figure_is_explained(told: Mapping[str, frozenset[str]]) -> None:
    page = (ROOT / "docs" / "operations.md").read_text("utf-8")
    figures = {re.sub(r"_(bucket|sum|count)$", "", name) for name in told if name.startswith("wasap_")}
    assert [name for name in sorted(figures) if f"`{name}`" not in page] == []
    assert [name for name in set(re.findall(r"`(wasap_\w+)`", page)) if name not in figures] == []


def test_panels_have_places_of_their_own_and_series_have_names() -> None:
    placed: set[tuple[int, int]] = set()
    for panel in panels():
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & placed, panel["title"]
        assert max(x for x, _ in cells) < 24
        placed |= cells
        assert len(panel["targets"]) == 1 or all(target["legendFormat"] for target in panel["targets"])
    ids = [panel["id"] for panel in json.loads(DASHBOARD.read_text("utf-8"))["panels"]]
    assert len(ids) == len(set(ids))


def test_every_alert_says_what_to_do_in_the_page() -> None:
    page = (ROOT / "docs" / "operations.md").read_text("utf-8")
    assert [rule["alert"] for rule in rules() if f"`{rule['alert']}`" not in page] == []
    assert all(rule["annotations"]["summary"].endswith(".") for rule in rules())


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ("sum(rate(wasap_sends_total[5m]))", 0),
        ("sum(wasap_sent_total)", 1),
        ("sum by (person) (wasap_sends_total)", 1),
        ('wasap_sends_total{phone="1"}', 1),
    ],
)
def test_a_query_for_what_is_not_there_is_found(
    told: Mapping[str, frozenset[str]], query: str, wrong: int
) -> None:
    assert len(list(unknown_parts(query, told))) == wrong
