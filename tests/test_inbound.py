"""Messages survive the inbox: what is written is read back, by this version and by later ones."""

import json
from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from app.domain.ids import WaMessageId
from app.domain.inbound import (
    Content,
    Edit,
    InboundMessage,
    Location,
    Order,
    OrderItem,
    Reaction,
    Sender,
    Text,
    Unsupported,
    decode_message,
    encode_message,
)
from tests.examples import some

CONTENT_TYPES: tuple[type[Content], ...] = get_args(Content)

coordinates = st.floats(-180, 180)
items = st.builds(OrderItem, unit_price=st.floats(0, 1e9), quantity=st.integers(0, 10**6))
locations = st.builds(Location, latitude=coordinates, longitude=coordinates)
orders = st.builds(Order, items=st.lists(items, max_size=3).map(tuple))


def contents(type_: type[Content]) -> st.SearchStrategy[Any]:
    """Any content of that type; numbers are such as JSON can carry."""
    if type_ is Location:
        return locations
    return orders if type_ is Order else st.from_type(type_)


def messages(content: st.SearchStrategy[Any]) -> st.SearchStrategy[InboundMessage]:
    sent_at = st.datetimes(min_value=datetime(2009, 1, 1), timezones=st.just(UTC))
    return st.builds(InboundMessage, sent_at=sent_at, content=content)


def stored(content: object) -> str:
    """An inbox payload with this content, as some version may have written it."""
    message = InboundMessage(
        WaMessageId("wamid.1"), "1000", Sender(wa_id="15550001"), datetime(2026, 1, 1, tzinfo=UTC), Text("hi")
    )
    return json.dumps({**json.loads(encode_message(message)), "content": content})


@pytest.mark.parametrize("type_", CONTENT_TYPES, ids=lambda type_: type_.__name__)
@some(0.4)
@given(data=st.data())
def test_every_type_of_message_comes_back_as_it_was(type_: type[Content], data: st.DataObject) -> None:
    message = data.draw(messages(contents(type_)))
    again = decode_message(encode_message(message))
    assert again == message
    assert type(again.content) is type_
    assert again.sent_at.tzinfo is not None


def test_every_type_has_a_name_of_its_own_in_what_is_stored() -> None:
    names = [get_args(type_.__annotations__["type"])[0] for type_ in CONTENT_TYPES]
    assert len(set(names)) == len(names)


def test_what_is_stored_is_one_json_object_that_names_its_type() -> None:
    payload = json.loads(stored({"type": "text", "body": "hi"}))
    assert payload["content"]["type"] == "text"
    assert decode_message(json.dumps(payload)).content == Text("hi")


@pytest.mark.parametrize(
    "content",
    [
        {"type": "hologram", "depth": 3},
        {"type": "text"},
        {"type": "text", "body": None},
        {"body": "no type at all"},
        {"type": "edit", "original_id": "wamid.0", "content": {"type": "hologram"}},
        None,
        [],
        "text",
    ],
    ids=["unknown type", "no body", "null body", "no type", "unknown edit", "null", "list", "string"],
)
def test_a_content_that_this_version_does_not_know_is_unsupported_and_keeps_its_envelope(content: object) -> None:
    message = decode_message(stored(content))
    assert isinstance(message.content, Unsupported)
    assert message.id == "wamid.1"
    assert message.sender.wa_id == "15550001"
    assert message.sent_at == datetime(2026, 1, 1, tzinfo=UTC)


def test_fields_that_a_newer_version_added_are_ignored() -> None:
    message = decode_message(stored({"type": "text", "body": "hi", "mood": "good"}))
    assert message.content == Text("hi")


def test_fields_that_an_older_version_did_not_write_have_their_defaults() -> None:
    payload = json.loads(stored({"type": "reaction", "message_id": "wamid.0"}))
    for newer in ("quoted_id", "is_forwarded", "group_id"):
        del payload[newer]
    message = decode_message(json.dumps(payload))
    assert message.content == Reaction(WaMessageId("wamid.0"))
    assert (message.quoted_id, message.is_forwarded, message.group_id) == (None, False, None)


def test_an_edit_within_an_edit_is_not_believed() -> None:
    inner = {"type": "edit", "original_id": "wamid.0", "content": {"type": "text", "body": "hi"}}
    message = decode_message(stored({"type": "edit", "original_id": "wamid.0", "content": inner}))
    assert not isinstance(message.content, Edit)


@pytest.mark.parametrize("field", ["id", "phone_number_id", "sender", "sent_at"])
def test_a_damaged_envelope_is_an_error(field: str) -> None:
    payload = json.loads(stored({"type": "text", "body": "hi"}))
    for broken in ({**payload, field: None}, {key: value for key, value in payload.items() if key != field}):
        with pytest.raises(ValidationError):
            decode_message(json.dumps(broken))


@pytest.mark.parametrize("field", ["id", "sent_at"])
def test_a_damaged_envelope_is_an_error_even_around_an_unknown_content(field: str) -> None:
    payload = json.loads(stored({"type": "hologram"}))
    with pytest.raises(ValidationError):
        decode_message(json.dumps({**payload, field: None}))


@pytest.mark.parametrize("payload", ["", "{", "{}", "[]", "null", "7"])
def test_what_is_no_message_at_all_is_an_error(payload: str) -> None:
    with pytest.raises(ValidationError):
        decode_message(payload)
