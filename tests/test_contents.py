"""Every message type ends as what it is; a damaged one still reaches the person."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.domain import inbound as wa
from app.domain.ids import WaMessageId
from app.webhook.parser import parse
from tests.builders import encode, message, webhook_payload

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
SHARED = Path(__file__).resolve().parents[1] / "../shared/data"
BSUID = "US.13491208655302741918"
W1 = WaMessageId("wamid.1")

MEDIA = {"id": "777", "mime_type": "image/jpeg", "sha256": "4654+8g=", "url": "https://lookaside.fbsbx.com/x"}
MEDIA_REF = wa.MediaRef("777", "image/jpeg", "4654+8g=", "https://lookaside.fbsbx.com/x")
CARDS = [
    {
        "name": {"formatted_name": "Ana"},
        "phones": [{"phone": "+1 5"}, {"wa_id": "6"}, 7],
        "emails": [{"email": "a@b"}],
    },
    {"name": {"first_name": "Bo", "last_name": "Li"}},
    {"org": {"company": "Acme"}},
    {},
]
CARDS_READ = (
    wa.ContactCard("Ana", ("+1 5", "6"), ("a@b",)),
    *map(wa.ContactCard, ("Bo Li", "Acme", "")),
)
ITEM = {"product_retailer_id": "H", "quantity": 3, "item_price": 30.5, "currency": "ARS"}

# What each recorded payload must end as; the spaces of the names in Meta's description are written as underscores.
RECORDED: Mapping[str, str] = {
    "text": """message/text message/forwarded message/forwarded_many_times message/referral message/reply
        openapi/Text_Message openapi/Text_Message_from_Click_to_WhatsApp_Ad
        openapi/Text_Message_with_Context_(Product_Inquiry)""",
    "image": "message/image message/media_with_url openapi/Image_Message",
    "video": "message/video",
    "audio": "message/audio message/voice",
    "document": "message/document",
    "sticker": "message/animated_sticker message/static_sticker",
    "location": "message/chosen_location message/current_location openapi/Location_Message",
    "contacts": "message/contacts openapi/Contact_Sharing_Message",
    "reaction": """message/reaction message/unreaction_empty message/unreaction_no_emoji
        openapi/Reaction_Message""",
    "order": "message/order openapi/Order_Message",
    "choice button": "callback_button/button openapi/Interactive_Button_Reply_Message",
    "choice template": """callback_button/quick_reply callback_button/quick_reply_without_context
        openapi/Button_Message""",
    "choice list": """callback_selection/callback callback_selection/description
        openapi/Interactive_List_Reply_Message""",
    "call_permission": "call_permission_update/accept call_permission_update/reject",
    "flow_reply": "flow_completion/completion flow_completion/without_flow_token",
    "edit image": "edited_message/image",
    "revoke": "deleted_message/revoke",
    "system customer_identity_changed": "system/identity_change",
    "system user_changed_number": "system/phone_number_change openapi/System_Message",
    "unsupported unsupported": "message/unsupported openapi/Unsupported_Message",
    "unsupported pool": "message/unsupported_with_type",
    "unsupported interactive, notice errors": "message/interactive_message_with_err",
    "status sent": "message_status/sent message_status/with_tracker",
    "status delivered": "message_status/delivered",
    "status read": "message_status/read message_status/group",
    "status played": "message_status/played",
    "status failed": "message_status/failed",
    "notice calls": """call_connect/business_initiated call_connect/user_initiated call_status/call_status
        call_terminate/call_terminate""",
    "notice smb_message_echoes": "outgoing_message/delete outgoing_message/edit outgoing_message/text",
    "notice user_preferences": "user_marketing_preferences/resume user_marketing_preferences/signup",
    "notice template_category_update": "template_category_update/marketing",
    "notice message_template_components_update": "template_components_update/element",
    "notice message_template_quality_update": "template_quality_update/yellow",
    "notice message_template_status_update": "template_status_update/approved template_status_update/rejected",
    "notice group_lifecycle_update": "openapi/Group_Create_Message",
    "notice group_participants_update": "openapi/Group_Remove_Participants",
    "notice group_settings_update": "openapi/Group_Settings_Update",
    "notice account_update": """account_update/account_deleted account_update/account_disabled
        account_update/account_offboarded account_update/account_reconnected account_update/account_restriction
        account_update/account_violation account_update/ad_account_linked
        account_update/authentication_international_eligibility account_update/mm_api_for_wa_terms_of_service
        account_update/partner_added account_update/partner_app_installed account_update/partner_app_uninstalled
        account_update/partner_led_business_verification_status account_update/partner_removed
        account_update/partner_removed_wa_app_disconnection account_update/pricing_tiering_update
        account_update/primary_business_location_set""",
}


def _parse(payload: object) -> wa.WebhookBatch:
    return parse(encode(payload), received_at=NOW)


def _only(payload: object) -> wa.InboundMessage:
    batch = _parse(payload)
    assert batch.notices == ()
    (parsed,) = batch.messages
    return parsed


def _content(type_: str, payload: object = None, **extra: object) -> wa.Content:
    return _only(webhook_payload({**message(type_, payload), **extra})).content


def _texts(batch: wa.WebhookBatch) -> list[wa.Content]:
    return [parsed.content for parsed in batch.messages]


def _described(batch: wa.WebhookBatch) -> str:
    parts = [_name(content) for content in _texts(batch)]
    parts += [f"status {update.state}" for update in batch.statuses]
    return ", ".join(parts + [f"notice {notice.field}" for notice in batch.notices])


def _name(content: wa.Content) -> str:
    match content:
        case wa.Choice(source=source):
            return f"choice {source}"
        case wa.Edit(content=edited):
            return f"edit {_name(edited)}"
        case wa.System(kind=kind) | wa.Unsupported(kind=kind):
            return f"{content.type} {kind}"
        case _:
            return content.type


def test_every_recorded_payload_ends_as_what_it_is() -> None:
    if not SHARED.is_dir():
        pytest.skip("the recorded payloads lie beside the project and are not here")
    expected = {name: outcome for outcome, names in RECORDED.items() for name in names.split()}
    assert {name: _described(_parse(payload)) for name, payload in _recorded().items()} == expected


def _recorded() -> dict[str, object]:
    found: dict[str, object] = {}
    for path in (SHARED / "payloads/pywa").glob("*.json"):
        payloads = json.loads(path.read_text("utf-8"))
        found |= {f"{path.stem}/{name}": payload for name, payload in payloads.items()}
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    description = yaml.load((SHARED / "meta_openapi_v23.yaml").read_text("utf-8"), loader)
    body = description["paths"]["/whatsapp/webhooks"]["post"]["requestBody"]
    examples = body["content"]["application/json"]["examples"]
    return found | {f"openapi/{name.replace(' ', '_')}": example["value"] for name, example in examples.items()}


# fmt: off
CONTENTS: list[tuple[str, object, wa.Content]] = [
    ("text", {"body": "¿Qué tal? 🙂 a/b"}, wa.Text("¿Qué tal? 🙂 a/b")),
    ("image", MEDIA | {"caption": "sun"}, wa.Image(MEDIA_REF, "sun")),
    ("image", {"id": 777}, wa.Image(wa.MediaRef("777"))),
    ("video", MEDIA | {"caption": ""}, wa.Video(MEDIA_REF)),
    ("audio", MEDIA | {"voice": True}, wa.Audio(MEDIA_REF, is_voice=True)),
    ("audio", MEDIA, wa.Audio(MEDIA_REF)),
    ("voice", MEDIA, wa.Audio(MEDIA_REF, is_voice=True)),
    ("document", MEDIA | {"filename": "../a", "caption": "c"}, wa.Document(MEDIA_REF, "../a", "c")),
    ("sticker", MEDIA | {"animated": True}, wa.Sticker(MEDIA_REF, is_animated=True)),
    ("location", {"latitude": -34.5, "longitude": 58}, wa.Location(-34.5, 58.0)),
    ("location", {"latitude": 0, "longitude": 0, "name": "n", "address": "a"}, wa.Location(0.0, 0.0, "n", "a")),
    ("contacts", CARDS, wa.Contacts(CARDS_READ)),
    ("reaction", {"message_id": W1, "emoji": "😮"}, wa.Reaction(W1, "😮")),
    ("reaction", {"message_id": W1, "emoji": ""}, wa.Reaction(W1)),
    ("reaction", {"message_id": W1}, wa.Reaction(W1)),
    ("interactive", {"type": "button_reply", "button_reply": {"id": "y", "title": "Y"}}, wa.Choice("y", "Y")),
    ("interactive", {"type": "list_reply", "list_reply": {"id": 1}}, wa.Choice("1", "", "list")),
    ("interactive", {"type": "nfm_reply", "nfm_reply": {"response_json": "[1]"}}, wa.FlowReply("[1]")),
    ("interactive", {"type": "call_permission_reply", "call_permission_reply": {"response": "accept"}},
        wa.CallPermission(is_granted=True)),
    ("interactive", {"type": "call_permission_reply", "call_permission_reply": {"response": "reject"}},
        wa.CallPermission(is_granted=False)),
    ("button", {"payload": "p", "text": "Stop"}, wa.Choice("p", "Stop", "template")),
    ("button", {"text": "Stop"}, wa.Choice("Stop", "Stop", "template")),
    ("order", {"text": "soon", "product_items": [ITEM, {"product_retailer_id": "damaged"}]},
        wa.Order((wa.OrderItem("H", 3, 30.5, "ARS"),), "soon")),
    ("system", {"type": "user_changed_number", "body": "b", "wa_id": "54"},
        wa.System("user_changed_number", "b", new_wa_id="54")),
    ("system", {"type": "customer_changed_number", "new_wa_id": 54},
        wa.System("customer_changed_number", new_wa_id="54")),
    ("system", {"type": "user_changed_user_id", "user_id": BSUID},
        wa.System("user_changed_user_id", new_bsuid=BSUID)),
    ("system", {"type": "customer_identity_changed"}, wa.System("customer_identity_changed")),
    ("edit", {"original_message_id": W1, "message": {"type": "text", "text": {"body": "new"}}},
        wa.Edit(W1, wa.Text("new"))),
    ("edit", {"original_message_id": W1, "message": {"image": MEDIA}}, wa.Edit(W1, wa.Image(MEDIA_REF))),
    ("edit", {"original_message_id": W1, "message": {"type": "text"}},
        wa.Edit(W1, wa.Unsupported("text", detail="text.body is missing or damaged"))),
    ("edit", {"original_message_id": W1, "message": {"type": "audio", "audio": MEDIA}},
        wa.Edit(W1, wa.Unsupported("audio"))),
    ("revoke", {"original_message_id": W1}, wa.Revoke(W1)),
    ("request_welcome", None, wa.Welcome()),
    ("unsupported", {"type": "poll_creation"}, wa.Unsupported("poll_creation")),
    ("hologram", {"anything": 1}, wa.Unsupported("hologram")),
]
# fmt: on


@pytest.mark.parametrize(("type_", "payload", "expected"), CONTENTS)
def test_each_type_is_read(type_: str, payload: object, expected: wa.Content) -> None:
    assert _content(type_, payload) == expected


DAMAGED: Mapping[str, tuple[object, ...]] = {
    "text": ({}, {"body": ""}, {"body": "\0"}, {"body": 5}, {"body": ["x"]}, "x"),
    "image": ({"caption": "no id"}, {"id": True}, {"id": " "}),
    "video": ({},),
    "audio": ({"voice": True},),
    "voice": ({},),
    "document": ({"filename": "f"},),
    "sticker": ({"id": {}},),
    "location": ({"latitude": 1}, {"latitude": "1", "longitude": True}, {"latitude": 91, "longitude": 0}),
    "contacts": ({}, [], [1, None]),
    "reaction": ({"emoji": "😮"},),
    "interactive": ({}, {"type": "button_reply"}, {"type": "nfm_reply", "nfm_reply": {}}, {"type": ["x"]}),
    "button": ({}, {"payload": None}),
    "order": ({}, {"product_items": [{}]}),
    "system": ({}, []),
    "edit": ({}, {"message": {"type": "text", "text": {"body": "x"}}}),
    "revoke": ({},),
}


@pytest.mark.parametrize("type_", DAMAGED)
def test_a_damaged_type_still_reaches_the_person_as_unsupported(type_: str) -> None:
    for payload in (None, 7, *DAMAGED[type_]):
        content = _content(type_, payload)
        assert isinstance(content, wa.Unsupported)
        assert (content.kind, bool(content.detail)) == (type_, True)


def test_infinite_coordinates_are_no_location() -> None:
    for number in (b"1e999", b"NaN", b"-Infinity"):
        body = encode(webhook_payload(message("location", {"latitude": 1, "longitude": 4711})))
        batch = parse(body.replace(b"4711", number), received_at=NOW)
        assert _described(batch) == "unsupported location"


@pytest.mark.parametrize("type_", ["unsupported", "unknown", "image"])
def test_metas_own_error_explains_what_could_not_be_handed_over(type_: str) -> None:
    error = {"code": 131051, "title": "t", "message": "m", "error_data": {"details": "not supported"}}
    assert _content(type_, errors=[error]) == wa.Unsupported(type_, 131051, "not supported")


@pytest.mark.parametrize("type_", [None, 5, "", ["text"]])
def test_a_message_without_a_type_is_unsupported(type_: object) -> None:
    assert _content("text", {"body": "x"}, type=type_) == wa.Unsupported("unknown")


def test_edits_within_edits_end_at_the_first() -> None:
    nested: dict[str, Any] = {"type": "text", "text": {"body": "x"}}
    for _ in range(200):
        nested = {"type": "edit", "edit": {"original_message_id": W1, "message": nested}}
    assert _content("edit", nested["edit"]) == wa.Edit(W1, wa.Unsupported("edit"))
