"""Every payload Meta may send is taken, and ends as the type it is; nothing makes the parser raise."""

import contextlib
import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain import inbound as wa
from app.domain.errors import Rejected
from app.domain.ids import WaMessageId
from app.webhook.parser import parse
from tests.builders import ALICE, BOB, PHONE_NUMBER_ID, encode, message, status, text_message, webhook_payload

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
BSUID = "US.13491208655302741918"
W1 = WaMessageId("wamid.1")


def _parse(payload: object) -> wa.WebhookBatch:
    return parse(encode(payload), received_at=NOW)


def _only(payload: object) -> wa.InboundMessage:
    batch = _parse(payload)
    assert batch.notices == ()
    (parsed,) = batch.messages
    return parsed


def _content(type_: str, payload: object = None, **extra: object) -> wa.Content:
    return _only(webhook_payload({**message(type_, payload), **extra})).content


def _value(payload: Any) -> Any:
    return payload["entry"][0]["changes"][0]["value"]


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


def test_a_message_carries_its_envelope() -> None:
    sent_at = datetime(2026, 11, 20, 11, 59, 7, tzinfo=UTC)
    built = text_message("hi", id="wamid.1", at=sent_at, quote="wamid.3") | {"group_id": "G1"}
    sender = wa.Sender(wa_id=ALICE, name="Alice")
    assert _only(webhook_payload(built)) == wa.InboundMessage(
        W1, PHONE_NUMBER_ID, sender, sent_at, wa.Text("hi"), quoted_id=WaMessageId("wamid.3"), group_id="G1"
    )


def test_forwarded_messages_are_marked() -> None:
    contexts: list[object] = [
        {"forwarded": True},
        {"frequently_forwarded": True},
        {"forwarded": "yes"},
        "forwarded",
        {},
    ]
    messages = [text_message("hi") | {"context": context} for context in contexts]
    marks = [parsed.is_forwarded for parsed in _parse(webhook_payload(*messages)).messages]
    assert marks == [True, True, False, False, False]


def _from(contacts: object, **ids: object) -> wa.Sender:
    payload = webhook_payload({"id": "wamid.1", "type": "text", "text": {"body": "hi"}, **ids})
    _value(payload)["contacts"] = contacts
    return _only(payload).sender


def test_a_person_without_a_phone_number_is_known_by_the_business_scoped_id() -> None:
    contact = {"profile": {"name": "Zoe", "username": "zoe"}, "user_id": BSUID, "parent_user_id": "US.ENT.1"}
    expected = wa.Sender(None, BSUID, "US.ENT.1", "Zoe", "zoe")
    for ids in ({"from_user_id": BSUID}, {"from": BSUID}, {}):
        assert _from([contact], **ids) == expected
    alone = _from(None, from_user_id=BSUID, from_parent_user_id="US.ENT.1")
    assert alone == wa.Sender(None, BSUID, "US.ENT.1")


def test_contacts_complete_the_sender_by_id_and_not_by_position() -> None:
    bob = {"wa_id": BOB, "user_id": "US.2", "profile": {"name": "Bob"}}
    alice = {"wa_id": int(ALICE), "user_id": "US.1", "profile": {"name": "Alice"}}
    assert _from([bob, 7, alice], **{"from": ALICE}) == wa.Sender(ALICE, "US.1", name="Alice")
    assert _from([alice, bob], from_user_id="US.2") == wa.Sender(BOB, "US.2", name="Bob")
    assert _from([bob], **{"from": "4477"}) == wa.Sender("4477")


def test_a_contact_that_contradicts_the_message_is_not_the_sender() -> None:
    mallory = {"wa_id": ALICE, "user_id": "US.9", "profile": {"name": "Mallory"}}
    alice = {"wa_id": ALICE, "user_id": "US.1", "profile": {"name": "Alice"}}
    ids = {"from": ALICE, "from_user_id": "US.1"}
    assert _from([mallory, alice], **ids) == wa.Sender(ALICE, "US.1", name="Alice")
    assert _from([mallory], **ids) == wa.Sender(ALICE, "US.1")


def test_a_system_message_is_never_completed_with_another_identity() -> None:
    contact = {"wa_id": ALICE, "user_id": "US.new", "profile": {"name": "Alice"}}
    system = {"type": "system", "system": {"type": "user_changed_user_id"}}
    assert _from([contact], **{"from": ALICE}, **system) == wa.Sender(ALICE, name="Alice")


@pytest.mark.parametrize(
    ("type_", "contacts"),
    [
        ("text", None),
        ("text", [{"profile": {"name": "Z"}}]),
        ("text", [{"wa_id": "1"}] * 2),
        ("system", [{"wa_id": "1"}]),
    ],
)
def test_a_message_that_names_nobody_is_noticed_and_its_neighbours_are_read(type_: str, contacts: object) -> None:
    payload = webhook_payload(message(type_, {"body": "secret", "type": "x"}, sender=""), text_message("hi"))
    _value(payload)["contacts"] = contacts
    batch = _parse(payload)
    assert _texts(batch) == [wa.Text("hi")]
    summary = "entry[0].changes[0].value.messages[0].from: the message names nobody"
    assert batch.notices == (wa.AccountNotice("unknown_shape", summary),)


@pytest.mark.parametrize("id_", [None, "", "  ", True, 1.5, ["x"]])
def test_a_message_without_an_id_is_noticed_and_its_neighbours_are_read(id_: object) -> None:
    batch = _parse(webhook_payload(text_message("a"), text_message("b") | {"id": id_}, text_message("c")))
    assert _described(batch) == "text, text, notice unknown_shape"
    assert _texts(batch) == [wa.Text("a"), wa.Text("c")]


def test_numbers_are_taken_as_ids_however_long() -> None:
    body = encode(webhook_payload(text_message("hi") | {"id": 4711, "from": int(ALICE)}))
    (parsed,) = parse(body.replace(b"4711", b"9" * 6000), received_at=NOW).messages
    assert (parsed.id, parsed.sender.wa_id) == ("9" * 6000, ALICE)


def test_time_stamps_are_read_or_replaced_by_the_time_of_arrival() -> None:
    arrival = int(NOW.timestamp())
    expected = {
        1697043223: datetime(2023, 10, 11, 16, 53, 43, tzinfo=UTC),
        arrival + 300: NOW + timedelta(minutes=5),
    }
    unusable = (arrival + 301, 1697043223000, "9" * 30, "-5", 0, "", "soon", "١٦٩٧", 1.5, True, None, [1])
    cases = [*expected.items(), *((str(seconds), at) for seconds, at in expected.items())]
    for timestamp, at in [*cases, *((timestamp, NOW) for timestamp in unusable)]:
        assert _only(webhook_payload(text_message("hi") | {"timestamp": timestamp})).sent_at == at


def test_nul_and_lone_surrogates_are_taken_out_of_every_string() -> None:
    built = text_message("a\0b\ud83dc\ude00d 🙂 \ud83d\0\ude00", id="wamid.\0\ud83d1")
    parsed = _only(webhook_payload(built, names={ALICE: "Ali\0ce\udfff"}))
    assert parsed.content == wa.Text("ab\ufffdc\ufffdd 🙂 \ufffd\ufffd")
    assert (parsed.id, parsed.sender.name) == ("wamid.\ufffd1", "Alice\ufffd")


def test_statuses_are_read_with_tracker_error_and_price() -> None:
    sent = status("wamid.1", "sent", at=NOW, tracker="outbox-1")
    failed = status("wamid.1", "failed", at=NOW, error_code=131047)
    assert _parse(webhook_payload(statuses=[sent, failed])).statuses == (
        wa.StatusUpdate(
            W1, "sent", NOW, "outbox-1", PHONE_NUMBER_ID, is_billable=True, pricing_category="service"
        ),
        wa.StatusUpdate(
            W1, "failed", NOW, None, PHONE_NUMBER_ID, error_code=131047, error_detail="details of 131047"
        ),
    )


@pytest.mark.parametrize("damage", [{"status": "warning"}, {"id": ""}, {"status": ["sent"]}])
def test_a_status_we_cannot_use_is_noticed_and_its_neighbours_are_read(damage: dict[str, object]) -> None:
    statuses = [status("wamid.1", "read"), status("wamid.1", "sent") | damage, status("wamid.2", "played")]
    assert (
        _described(_parse(webhook_payload(statuses=statuses)))
        == "status read, status played, notice unknown_shape"
    )


def test_several_entries_changes_and_numbers_are_all_read_in_order() -> None:
    first = webhook_payload(text_message("1"), text_message("2", sender=BOB), phone_number_id="N1")
    second = webhook_payload(text_message("3"), statuses=[status("wamid.1", "read")], phone_number_id="N2")
    third = webhook_payload(text_message("4"))
    _value(third)["metadata"] = None
    second["entry"][0]["changes"] += third["entry"][0]["changes"]
    batch = _parse({**first, "entry": first["entry"] + second["entry"]})
    read = [(parsed.phone_number_id, parsed.sender.name) for parsed in batch.messages]
    assert read == [("N1", "Alice"), ("N1", "Bob"), ("N2", "Alice"), ("", "Alice")]
    assert _texts(batch) == [wa.Text("1"), wa.Text("2"), wa.Text("3"), wa.Text("4")]
    assert len(batch.statuses) == 1


def test_a_thousand_messages_of_one_body_are_all_read_in_order() -> None:
    built = [text_message(f"{n} ñ", sender=f"549{n}") for n in range(1000)]
    batch = _parse(webhook_payload(*built, names={"549999": "the last"}))
    assert _texts(batch) == [wa.Text(f"{n} ñ") for n in range(1000)]
    assert batch.messages[-1].sender == wa.Sender("549999", name="the last")
    assert batch.notices == ()


def test_errors_of_the_account_are_noticed_with_their_codes() -> None:
    payload = webhook_payload(text_message("hi"))
    _value(payload)["errors"] = [
        {"code": 131042, "title": "Payment problem"},
        {"code": "131031", "message": "x" * 300},
        {"code": 10**30},
    ]
    batch = _parse(payload)
    assert _described(batch) == "text, notice errors"
    assert batch.notices[0].codes == (131042, 131031)
    assert batch.notices[0].summary == f"Payment problem; {'x' * 182}…"


def _change(field: object, value: object) -> dict[str, object]:
    return {"object": "whatsapp_business_account", "entry": [{"changes": [{"field": field, "value": value}]}]}


# fmt: off
OTHER_FIELDS: list[tuple[str, object, str]] = [
    ("account_update", {"event": "ACCOUNT_DELETED"}, "ACCOUNT_DELETED"),
    ("account_update", {"event": "RESTRICTION", "restriction_info": [{"restriction_type": "X"}]},
        "RESTRICTION, restriction_type=X"),
    ("message_template_status_update", {"event": "REJECTED", "message_template_name": "cart", "reason": "FORMAT"},
        "REJECTED, reason=FORMAT, message_template_name=cart"),
    ("x" * 200, {"event": "y" * 300}, f"{'y' * 199}…"),
    ("history", None, "no details"),
]
# fmt: on


@pytest.mark.parametrize(("field", "value", "summary"), OTHER_FIELDS)
def test_other_fields_tell_the_owner_what_happened(field: str, value: object, summary: str) -> None:
    assert _parse(_change(field, value)).notices == (wa.AccountNotice(field, summary),)


@pytest.mark.parametrize("field", ["smb_message_echoes", "history", "", None, 7, ["messages"]])
def test_a_change_of_another_field_yields_no_messages_and_tells_nothing_of_them(field: object) -> None:
    value = _value(webhook_payload(text_message("secret"), statuses=[status("wamid.1", "sent")]))
    batch = _parse(_change(field, value | {"message_echoes": [{"text": {"body": "secret"}}]}))
    assert (batch.messages, batch.statuses, len(batch.notices)) == ((), (), 1)
    assert "secret" not in batch.notices[0].summary


# fmt: off
UNKNOWN_SHAPES: list[object] = [
    [], "text", 5, None, True, {},
    {"object": "instagram", "entry": []},
    {"object": "whatsapp_business_account"},
    {"object": "whatsapp_business_account", "entry": None},
    {"object": "whatsapp_business_account", "entry": {}},
    {"object": "whatsapp_business_account", "entry": [None]},
    {"object": "whatsapp_business_account", "entry": [{}]},
    {"object": "whatsapp_business_account", "entry": [{"changes": [5]}]},
    _change("messages", None), _change("messages", {"messages": None}), _change("messages", {"messages": {}}),
    _change("messages", {"statuses": "sent"}),
    _change("messages", {"messages": ["hi"]}),
]
# fmt: on


@pytest.mark.parametrize("payload", UNKNOWN_SHAPES)
def test_a_shape_we_do_not_know_is_one_notice(payload: object) -> None:
    assert _described(_parse(payload)) == "notice unknown_shape"


def test_notices_about_unknown_shapes_are_bounded() -> None:
    batch = _parse(_change("messages", {"messages": [None] * 5000}))
    assert (len(batch.notices), batch.notices[-1].summary) == (21, "4980 more")


@pytest.mark.parametrize(
    "body", [b"", b"{", b"hello", b"\xff\xfe", b'"\xed\xa0\x80"', b"[" * 100_000, '{"a":1}'.encode("utf-16")]
)
def test_bytes_that_are_no_json_are_refused(body: bytes) -> None:
    with pytest.raises(Rejected) as caught:
        parse(body, received_at=NOW)
    assert (caught.value.code, caught.value.status) == ("malformed_json", 400)


def test_nested_garbage_does_not_hide_the_message_that_carries_it() -> None:
    garbage: object = "\0"
    for _ in range(200):
        garbage = [{"x": garbage}]
    assert _content("text", {"body": "hi"}, referral=garbage) == wa.Text("hi")


_TYPES = "text image audio location contacts reaction interactive button order system edit revoke unsupported"
_KNOWN = st.sampled_from(
    sorted(set(re.findall(r"\w+", json.dumps(webhook_payload(*(message(type_, {}) for type_ in _TYPES.split()))))))
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | _KNOWN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KNOWN | st.text(max_size=3), inner, max_size=5),
    max_leaves=15,
)


def _assert_sound(batch: wa.WebhookBatch) -> None:
    for parsed in batch.messages:
        stored = wa.encode_message(parsed)
        assert "\\u0000" not in stored
        assert wa.decode_message(stored.encode("utf-8").decode()) == parsed
    assert all(len(notice.summary) <= 200 for notice in batch.notices)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    with contextlib.suppress(Rejected):
        _assert_sound(parse(body, received_at=NOW))


@given(_JSON)
def test_any_json_gives_a_batch(payload: object) -> None:
    _assert_sound(_parse(payload))
    _assert_sound(_parse(_change("messages", payload)))


def _rich() -> dict[str, Any]:
    contents = {
        "text": {"body": "hi"},
        "image": {"id": "777", "mime_type": "image/jpeg"},
        "location": {"latitude": 1.5, "longitude": 2},
        "contacts": [{"name": {"formatted_name": "Ana"}, "phones": [{"phone": "+1 5"}]}],
        "reaction": {"message_id": "wamid.0", "emoji": "😮"},
        "interactive": {"type": "button_reply", "button_reply": {"id": "yes", "title": "Yes"}},
        "order": {"product_items": [{"product_retailer_id": "H", "quantity": 3, "item_price": 30.5}]},
        "system": {"type": "user_changed_number", "wa_id": "1"},
        "edit": {"original_message_id": "wamid.1", "message": {"type": "image", "image": {"id": "778"}}},
        "unsupported": {"type": "poll_creation"},
    }
    messages = [message(type_, part, id=type_, at=NOW, quote="wamid.0") for type_, part in contents.items()]
    statuses = [status("wamid.1", "sent", at=NOW, tracker="1"), status("wamid.2", "failed", at=NOW, error_code=1)]
    # Through bytes, so that no part is in it twice.
    rich: dict[str, Any] = json.loads(encode(webhook_payload(*messages, statuses=statuses)))
    return rich


def _damage(data: st.DataObject, root: Any) -> None:
    """Replace or delete one part of a JSON value, at any depth below the root."""
    places: list[tuple[Any, Any]] = []
    todo = [root]
    while todo:
        part = todo.pop()
        keys = list(part) if isinstance(part, dict) else range(len(part))
        places += [(part, key) for key in keys]
        todo += [part[key] for key in keys if isinstance(part[key], dict | list)]
    if not places:
        return
    part, key = places[data.draw(st.integers(0, len(places) - 1))]
    if data.draw(st.booleans()):
        part[key] = data.draw(_JSON)
    else:
        del part[key]


@given(st.data())
def test_damage_anywhere_in_a_payload_never_stops_the_parser(data: st.DataObject) -> None:
    payload = _rich()
    for _ in range(data.draw(st.integers(1, 3))):
        _damage(data, payload)
    _assert_sound(_parse(payload))


@given(st.data())
def test_damage_within_one_message_leaves_all_others_as_they_were(data: st.DataObject) -> None:
    payload = _rich()
    whole = _parse(payload)
    index = data.draw(st.integers(0, len(whole.messages) - 1))
    _damage(data, _value(payload)["messages"][index])
    batch = _parse(payload)
    _assert_sound(batch)
    others = whole.messages[:index] + whole.messages[index + 1 :]
    assert tuple(parsed for parsed in batch.messages if parsed in others) == others
    assert len(batch.messages) - len(others) in (0, 1)
    assert batch.statuses == whole.statuses
