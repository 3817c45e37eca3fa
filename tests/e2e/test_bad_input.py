"""Whatever is posted: the right status, one clear log line, nothing lost, nothing crashed."""

import asyncio
import json
import re
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import structlog
from structlog.testing import capture_logs

from app.pipeline.queueing.dispatcher import MAX_MERGED
from tests.builders import (
    ALICE,
    APP_SECRET,
    VERIFY_TOKEN,
    encode,
    signed_headers,
    text_message,
    webhook_payload,
)
from tests.harness import AppUnderTest, running_app

WRONG = "not the secret"


def quiet(logs: list[Any]) -> list[str]:
    """The events at WARNING and above."""
    return [entry["event"] for entry in logs if entry["log_level"] in {"warning", "error", "critical"}]


@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        (b"{}", {}, 401, "signature_missing"),
        (b"{}", {"X-Hub-Signature-256": "sha256=00"}, 403, "signature_wrong"),
        (b"{}", {b"X-Hub-Signature-256": b"sha256=\xe9"}, 403, "signature_wrong"),
        (b"{}", signed_headers(b"{}", WRONG), 403, "signature_wrong"),
        (b" " * 5_000_000, None, 413, "body_too_large"),
        (b"{", None, 400, "malformed_json"),
        (b"\xff\xfe{}", None, 400, "malformed_json"),
        (b"[" * 100_000, None, 400, "malformed_json"),
    ],
    ids=["unsigned", "wrong", "not ascii", "other secret", "5 MB", "half", "not UTF-8", "deep"],
)
async def test_a_post_that_is_not_metas_is_refused(
    app: AppUnderTest, body: bytes, headers: Mapping[Any, Any] | None, status: int, code: str
) -> None:
    with capture_logs() as logs:
        assert await app.post_raw(body, headers) == status
    assert [(e["event"], e["code"]) for e in logs if e["log_level"] == "warning"] == [("webhook.rejected", code)]
    await app.say(ALICE, "still there?")
    assert app.replies_to(ALICE) == ["echo: still there?"]


@pytest.mark.parametrize(
    "payload",
    [
        [],
        [1, 2],
        "text",
        7,
        None,
        {"object": "whatsapp_business_account", "entry": None},
        {"object": "whatsapp_business_account", "entry": [None, 3, {"changes": None}]},
        {"object": "page", "entry": []},
    ],
    ids=["list", "numbers", "string", "number", "null", "entry null", "entries odd", "other object"],
)
async def test_a_shape_nobody_knows_is_taken_with_one_log_line_and_no_answer(
    app: AppUnderTest, payload: object
) -> None:
    with capture_logs() as logs:
        assert await app.post_raw(json.dumps(payload).encode()) == 200
        await app.idle()
    assert set(quiet(logs)) <= {"webhook.notice"}
    assert len(quiet(logs)) >= 1
    assert app.graph.sends == []


async def test_a_text_message_without_text_gets_a_kind_answer(app: AppUnderTest) -> None:
    damaged = text_message("x")
    del damaged["text"]
    assert await app.post(damaged) == 200
    await app.idle()
    assert len(app.replies_to(ALICE)) == 1


async def test_nul_characters_and_lone_surrogates_are_survived(app: AppUnderTest) -> None:
    assert await app.post(text_message("a\x00b")) == 200
    body = encode(webhook_payload(text_message("MARK"))).replace(b"MARK", rb"lone \ud800 surrogate")
    assert await app.post_raw(body) == 200
    await app.idle()
    assert app.replies_to(ALICE) == ["echo: ab", "echo: lone � surrogate"]


async def test_a_thousand_updates_in_one_post_are_all_answered(tmp_path: Path) -> None:
    async with running_app(tmp_path, debounce_ms=1000) as app:
        assert await app.post(*(text_message(f"m{n}") for n in range(1000))) == 200
        await app.clock.advance(2)
        async with asyncio.timeout(60):
            await app.services.idle()
        answered = re.findall(r"m\d+", " ".join(app.replies_to(ALICE)))
        assert answered == [f"m{n}" for n in range(1000)]
        assert len(app.replies_to(ALICE)) == 1000 / MAX_MERGED


async def test_the_same_message_twice_at_once_is_answered_once(app: AppUnderTest) -> None:
    twice = text_message("only once")
    async with asyncio.timeout(5):
        statuses = await asyncio.gather(*(app.post(twice) for _ in range(5)))
    await app.idle()
    assert statuses == [200] * 5
    assert app.replies_to(ALICE) == ["echo: only once"]


async def test_the_same_message_twice_in_one_post_is_answered_once(app: AppUnderTest) -> None:
    twice = text_message("only once")
    assert await app.post(twice, twice) == 200
    await app.idle()
    assert app.replies_to(ALICE) == ["echo: only once"]


async def test_a_redelivery_days_later_is_ignored(app: AppUnderTest) -> None:
    once = text_message("only once")
    await app.post(once)
    await app.idle()
    await app.clock.advance(timedelta(days=6).total_seconds())
    assert await app.post(once) == 200
    await app.idle()
    assert app.replies_to(ALICE) == ["echo: only once"]


async def test_a_seven_day_old_message_is_logged_once(app: AppUnderTest) -> None:
    old = text_message("late", at=app.clock.now() - timedelta(days=7))
    with capture_logs() as logs:
        assert await app.post(old) == 200
        await app.idle()
    assert quiet(logs) == ["inbox.too_late"]


async def test_no_message_text_number_or_secret_reaches_the_log(app: AppUnderTest) -> None:
    with capture_logs(processors=[structlog.contextvars.merge_contextvars]) as logs:
        await app.say(ALICE, "the eagle lands at midnight")
        await app.post(text_message("who is this", sender="15551230000"))
        await app.idle()
    written = json.dumps(logs, default=str)
    for private in ("eagle", ALICE, "15551230000", APP_SECRET, VERIFY_TOKEN):
        assert private not in written


async def test_verification_answers_the_challenge_as_plain_text(app: AppUnderTest) -> None:
    query = {"hub.mode": "subscribe", "hub.verify_token": VERIFY_TOKEN, "hub.challenge": "1158201444"}
    response = await app.http.get("/webhook", params=query)
    assert (response.status_code, response.text) == (200, "1158201444")
    assert response.headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize(
    "change", [{"hub.verify_token": "wrong"}, {"hub.mode": "unsubscribe"}, {"hub.verify_token": "ñ"}]
)
async def test_verification_with_a_wrong_token_is_refused(app: AppUnderTest, change: dict[str, str]) -> None:
    query = {"hub.mode": "subscribe", "hub.verify_token": VERIFY_TOKEN, "hub.challenge": "1", **change}
    assert (await app.http.get("/webhook", params=query)).status_code == 403
