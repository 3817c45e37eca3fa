"""Every recorded payload and every example of Meta's own description is taken with 200."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import yaml

from app.asking.texts import ASKING
from app.language.catalogue import say
from app.media.texts import MEDIA
from app.pipeline.texts import PIPELINE
from tests.builders import PHONE_NUMBER_ID
from tests.fakes.clock import BEGINNING
from tests.harness import AppUnderTest, running_app

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "data"
RECORDED = SHARED / "payloads" / "pywa"
DESCRIPTION = SHARED / "meta_openapi_v23.yaml"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def recorded() -> dict[str, Any]:
    return {
        f"{file.stem}.{name}": payload
        for file in sorted(RECORDED.glob("*.json"))
        for name, payload in json.loads(file.read_text("utf-8")).items()
    }


def described() -> dict[str, Any]:
    paths = yaml.load(DESCRIPTION.read_text("utf-8"), Loader=_LOADER)["paths"]
    examples = paths["/whatsapp/webhooks"]["post"]["requestBody"]["content"]["application/json"]["examples"]
    return {name: example["value"] for name, example in examples.items()}


def for_our_number(payload: dict[str, Any]) -> dict[str, Any]:
    """Address the payload to the number of the application under test."""
    for entry in payload["entry"]:
        for change in entry["changes"]:
            if "metadata" in change["value"]:
                change["value"]["metadata"]["phone_number_id"] = PHONE_NUMBER_ID
    return payload


# What a person who may use the assistant gets back, by recorded payload; all others end without a word.
NOTICES = {
    "callback_button.button": ASKING.stale_question,
    "callback_selection.callback": ASKING.stale_question,
    "callback_selection.description": ASKING.stale_question,
    "flow_completion.completion": PIPELINE.cannot_flow,
    "flow_completion.without_flow_token": PIPELINE.cannot_flow,
    "message.animated_sticker": PIPELINE.cannot_sticker,
    "message.audio": MEDIA.gone,
    "message.image": MEDIA.gone,
    "message.interactive_message_with_err": PIPELINE.cannot_unsupported,
    "message.media_with_url": MEDIA.gone,
    "message.order": PIPELINE.cannot_order,
    "message.static_sticker": PIPELINE.cannot_sticker,
    "message.unsupported": PIPELINE.cannot_unsupported,
    "message.unsupported_with_type": PIPELINE.cannot_unsupported,
    "message.voice": MEDIA.gone,
}
ANSWERED = {
    "callback_button.quick_reply",
    "callback_button.quick_reply_without_context",
    "message.chosen_location",
    "message.contacts",
    "message.current_location",
    "message.document",
    "message.forwarded",
    "message.forwarded_many_times",
    "message.referral",
    "message.reply",
    "message.text",
    "message.video",
}
PERSON = "972987654321"


def with_new_ids(payload: dict[str, Any]) -> dict[str, Any]:
    """The recordings share their message ids, which would make them repetitions of one another."""
    for entry in payload["entry"]:
        for change in entry["changes"]:
            for message in change["value"].get("messages", []):
                message["id"] = f"wamid.{uuid4().hex}"
                message["timestamp"] = str(int(BEGINNING.timestamp()))
    return payload


async def test_all_recorded_payloads_are_taken_and_end_as_they_should(tmp_path: Path) -> None:
    if not RECORDED.is_dir():
        pytest.skip("the recorded payloads are not beside this checkout")
    payloads = recorded()
    assert len(payloads) == 74
    ends: dict[str, list[str]] = {}
    async with running_app(tmp_path, allowed_phone_numbers=(PERSON,), admin_phone_numbers=(PERSON,)) as app:
        for name, payload in payloads.items():
            before = len(app.graph.sends)
            assert await app.post_raw(json.dumps(with_new_ids(for_our_number(payload))).encode()) == 200, name
            await app.idle()
            ends[name] = [send.text for send in app.graph.sends[before:]]
    notices = {name: [say(phrase, "en")] for name, phrase in NOTICES.items()}
    assert {name: texts for name, texts in ends.items() if texts and name not in ANSWERED} == notices
    assert {name for name in ANSWERED if len(ends[name]) == 1} == ANSWERED


async def test_all_examples_of_metas_description_are_taken(app: AppUnderTest) -> None:
    if not DESCRIPTION.is_file():
        pytest.skip("Meta's description is not beside this checkout")
    payloads = described()
    assert len(payloads) > 10
    statuses = {name: await app.post_raw(json.dumps(for_our_number(p)).encode()) for name, p in payloads.items()}
    await app.idle()
    assert set(statuses.values()) == {200}
