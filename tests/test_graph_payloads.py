"""What we send: exact bodies within Meta's limits. Meta's own description judges them in `tests/contract`."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import Permanent
from app.domain.ids import WaMessageId
from app.domain.outbound import (
    Button,
    Buttons,
    ListMenu,
    ListRow,
    ListSection,
    OutboundMessage,
    OutMedia,
    OutReaction,
    OutText,
    Recipient,
)
from app.whatsapp.payloads import check_upload, message_payload, read_payload

PHONE = Recipient(wa_id="5491155550101")
QUOTED = WaMessageId("wamid.quoted")

MENU = ListMenu(
    body="Pick",
    label="Options",
    sections=(
        ListSection("Fruit", (ListRow("f1", "Apple", "red"), ListRow("f2", "Pear"))),
        ListSection("Other", (ListRow("o1", "Bread"),)),
    ),
)


def body_of(message: OutboundMessage, kind: str) -> dict[str, object]:
    part = message_payload(PHONE, message, tracker=None)[kind]
    assert isinstance(part, dict)
    return part


def button_titles(*titles: str) -> list[str]:
    buttons = tuple(Button(f"id{index}", title) for index, title in enumerate(titles))
    action = body_of(Buttons("b", buttons), "interactive")["action"]
    assert isinstance(action, dict)
    return [button["reply"]["title"] for button in action["buttons"]]


def refusal(message: OutboundMessage, *, to: Recipient = PHONE, tracker: str | None = None) -> str:
    with pytest.raises(Permanent) as caught:
        message_payload(to, message, tracker=tracker)
    assert type(caught.value) is Permanent
    return caught.value.code


def test_a_text_goes_out_with_its_tracker() -> None:
    assert message_payload(PHONE, OutText("hello"), tracker="outbox-7") == {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        "to": "5491155550101",
        "type": "text",
        "text": {"body": "hello", "preview_url": False},
        "biz_opaque_callback_data": "outbox-7",
    }


@pytest.mark.parametrize("body", ["see https://example.org", "HTTP://EXAMPLE.ORG", "(http://a.b)"])
def test_a_link_asks_for_a_preview(body: str) -> None:
    assert body_of(OutText(body), "text") == {"body": body, "preview_url": True}


@pytest.mark.parametrize("body", ["example.org", "ftp://example.org", "https:// nothing", "https"])
def test_no_link_asks_for_no_preview(body: str) -> None:
    assert body_of(OutText(body), "text")["preview_url"] is False


def test_a_quote_names_the_message() -> None:
    payload = message_payload(PHONE, OutText("yes", quote_id=QUOTED), tracker=None)
    assert payload["context"] == {"message_id": "wamid.quoted"}


@pytest.mark.parametrize(
    ("to", "address"),
    [
        (Recipient(wa_id="549"), {"to": "549"}),
        (Recipient(bsuid="AR.1a2b"), {"recipient": "AR.1a2b"}),
        (Recipient(wa_id="549", bsuid="AR.1a2b"), {"to": "549", "recipient": "AR.1a2b"}),
    ],
)
def test_every_known_id_is_named(to: Recipient, address: dict[str, str]) -> None:
    payload = message_payload(to, OutText("hello"), tracker=None)
    assert {key: payload[key] for key in ("to", "recipient") if key in payload} == address


def test_nobody_to_send_to_is_refused() -> None:
    assert refusal(OutText("hello"), to=Recipient()) == "recipient_unknown"


def test_buttons_become_reply_buttons() -> None:
    message = Buttons("Run it?", (Button("y", "Yes"), Button("n", "No")), header="Tool", footer="Expires soon")
    assert body_of(message, "interactive") == {
        "type": "button",
        "header": {"type": "text", "text": "Tool"},
        "body": {"text": "Run it?"},
        "footer": {"text": "Expires soon"},
        "action": {
            "buttons": [
                {"type": "reply", "reply": {"id": "y", "title": "Yes"}},
                {"type": "reply", "reply": {"id": "n", "title": "No"}},
            ]
        },
    }


def test_a_menu_becomes_a_list() -> None:
    assert body_of(MENU, "interactive") == {
        "type": "list",
        "body": {"text": "Pick"},
        "action": {
            "button": "Options",
            "sections": [
                {
                    "title": "Fruit",
                    "rows": [
                        {"id": "f1", "title": "Apple", "description": "red"},
                        {"id": "f2", "title": "Pear"},
                    ],
                },
                {"title": "Other", "rows": [{"id": "o1", "title": "Bread"}]},
            ],
        },
    }


def test_an_empty_section_is_left_out() -> None:
    menu = ListMenu("b", "l", (ListSection("", ()), ListSection("", (ListRow("a", "A"),))))
    action = body_of(menu, "interactive")["action"]
    assert action == {"button": "l", "sections": [{"rows": [{"id": "a", "title": "A"}]}]}


@pytest.mark.parametrize("emoji", ["👍", ""])
def test_a_reaction_names_message_and_emoji(emoji: str) -> None:
    assert body_of(OutReaction(QUOTED, emoji), "reaction") == {"message_id": "wamid.quoted", "emoji": emoji}


@pytest.mark.parametrize(
    ("message", "content"),
    [
        (OutMedia("image", "m", caption="look", filename="a.png"), {"id": "m", "caption": "look"}),
        (OutMedia("audio", "m"), {"id": "m"}),
        (OutMedia("audio", "m", is_voice=True), {"id": "m", "voice": True}),
        (OutMedia("document", "m", filename="a.pdf"), {"id": "m", "filename": "a.pdf"}),
        (OutMedia("sticker", "m"), {"id": "m"}),
    ],
)
def test_media_goes_by_id_with_what_its_kind_takes(message: OutMedia, content: dict[str, object]) -> None:
    payload = message_payload(PHONE, message, tracker=None)
    assert payload["type"] == message.kind
    assert payload[message.kind] == content


def test_the_read_mark_shows_typing_only_when_asked() -> None:
    read = {"messaging_product": "whatsapp", "status": "read", "message_id": "wamid.quoted"}
    assert read_payload(QUOTED, is_typing=False) == read
    assert read_payload(QUOTED, is_typing=True) == {**read, "typing_indicator": {"type": "text"}}


def test_long_display_text_is_cut_with_an_ellipsis() -> None:
    long = "palabra " * 20
    buttons = body_of(Buttons("b", (Button("a", long),), header=long, footer=long), "interactive")
    assert button_titles(long) == ["palabra palabra pal…"]
    assert buttons["header"] == {"type": "text", "text": "palabra " * 7 + "pal…"}
    assert buttons["footer"] == {"text": "palabra " * 7 + "pal…"}
    menu = ListMenu("b", long, (ListSection(long, (ListRow("r", long, long),)),))
    assert body_of(menu, "interactive")["action"] == {
        "button": "palabra palabra pal…",
        "sections": [
            {
                "title": "palabra palabra palabra…",
                "rows": [
                    {
                        "id": "r",
                        "title": "palabra palabra palabra…",
                        "description": ("palabra " * 9)[:-1] + "…",
                    }
                ],
            }
        ],
    }


def test_text_of_exactly_the_limit_is_left_whole() -> None:
    assert button_titles("x" * 20) == ["x" * 20]
    assert body_of(OutText("x" * 4096), "text")["body"] == "x" * 4096


def test_a_blank_header_or_footer_is_left_out() -> None:
    interactive = body_of(Buttons("b", (Button("a", "A"),), header=" ", footer=""), "interactive")
    assert set(interactive) == {"type", "body", "action"}


def test_titles_stay_on_one_line() -> None:
    assert button_titles(" Yes,\n  please ") == ["Yes, please"]


def test_an_accent_or_joined_emoji_is_not_torn_apart() -> None:
    assert button_titles("x" * 18 + "e\u0301 and more") == ["x" * 18 + "…"]
    assert button_titles("x" * 18 + "👩\u200d💻 and more") == ["x" * 18 + "…"]
    assert button_titles("x" * 18 + "👍🏽 and more") == ["x" * 18 + "…"]


def test_titles_that_became_equal_are_numbered() -> None:
    prefix = "Show the invoice of "
    assert button_titles(prefix + "May", prefix + "June", prefix + "July") == [
        "Show the invoice of…",
        "Show the invoice… 2",
        "Show the invoice… 3",
    ]


@pytest.mark.parametrize(
    "message",
    [
        OutText("x" * 4097),
        Buttons("x" * 1025, (Button("a", "A"),)),
        Buttons("b", tuple(Button(str(n), str(n)) for n in range(4))),
        Buttons("b", (Button("x" * 257, "A"),)),
        ListMenu("x" * 1025, "l", MENU.sections),
        ListMenu("b", "l", (ListSection("", tuple(ListRow(str(n), "r") for n in range(11))),)),
        ListMenu("b", "l", tuple(ListSection("s", (ListRow(str(n), "r"),)) for n in range(11))),
        ListMenu("b", "l", (ListSection("", (ListRow("x" * 201, "r"),)),)),
        OutMedia("image", "m", caption="x" * 1025),
    ],
)
def test_cutting_content_is_refused(message: OutboundMessage) -> None:
    assert refusal(message) == "message_too_large"


def test_a_tracker_that_would_come_back_cut_is_refused() -> None:
    assert refusal(OutText("x"), tracker="t" * 513) == "message_too_large"


@pytest.mark.parametrize(
    "message",
    [
        OutText(" \n "),
        Buttons("", (Button("a", "A"),)),
        Buttons("b", ()),
        Buttons("b", (Button("a", " "),)),
        Buttons("b", (Button("", "A"),)),
        Buttons("b", (Button(" a", "A"),)),
        Buttons("b", (Button("a", "A"), Button("a", "B"))),
        ListMenu(" ", "l", MENU.sections),
        ListMenu("b", " ", MENU.sections),
        ListMenu("b", "l", ()),
        ListMenu("b", "l", (ListSection("s", ()),)),
        ListMenu("b", "l", (ListSection("", (ListRow("a", "A"),)), ListSection("s", (ListRow("b", "B"),)))),
        ListMenu("b", "l", (ListSection("", (ListRow("a", "A"), ListRow("a", "B"))),)),
        ListMenu("b", "l", (ListSection("", (ListRow("a", ""),)),)),
        OutMedia("image", ""),
        OutMedia("audio", "m", caption="not shown"),
        OutMedia("sticker", "m", caption="not shown"),
    ],
)
def test_what_meta_would_refuse_is_refused_before(message: OutboundMessage) -> None:
    assert refusal(message) == "message_invalid"


WEBP_STILL = b"RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00"
WEBP_MOVING = b"RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00"


@pytest.mark.parametrize(
    ("mime_type", "limit", "start"),
    [
        ("audio/ogg; codecs=opus", 16 * 1024 * 1024, b""),
        ("IMAGE/JPEG", 5 * 1024 * 1024, b""),
        ("video/mp4", 16 * 1024 * 1024, b""),
        ("image/webp", 100 * 1024, WEBP_STILL),
        ("image/webp", 100 * 1024, b"not a webp at all"),
        ("image/webp", 500 * 1024, WEBP_MOVING),
    ],
)
def test_a_file_may_be_as_large_as_its_kind_allows(mime_type: str, limit: int, start: bytes) -> None:
    check_upload(start.ljust(limit, b"\0"), mime_type)
    with pytest.raises(Permanent) as caught:
        check_upload(start.ljust(limit + 1, b"\0"), mime_type)
    assert caught.value.code == "media_too_large"


@pytest.mark.parametrize(
    ("data", "mime_type", "code"),
    [
        (b"x", "image/gif", "media_type_unsupported"),
        (b"x", "", "media_type_unsupported"),
        (b"x", "application/x-msdownload", "media_type_unsupported"),
        (b"", "application/pdf", "media_empty"),
    ],
)
def test_a_file_that_whatsapp_does_not_take_is_refused(data: bytes, mime_type: str, code: str) -> None:
    with pytest.raises(Permanent) as caught:
        check_upload(data, mime_type)
    assert caught.value.code == code


IDS = st.uuids().map(str) | st.integers(0, 2**24).map(str) | st.integers(190, 258).map(lambda size: "i" * size)
LINES = st.text(max_size=90).map("x".__add__) | st.text(alphabet="ab ́👩\u200d💻🏽", max_size=90).map("x".__add__)
BODIES = st.text(max_size=30) | st.integers(1, 1028).map(lambda size: "x" * size)
BUTTONS = st.builds(
    Buttons,
    body=BODIES,
    buttons=st.lists(st.builds(Button, id=IDS, title=LINES), min_size=1, max_size=4).map(tuple),
    header=st.none() | LINES,
    footer=st.none() | LINES,
)
ROWS = st.lists(st.builds(ListRow, id=IDS, title=LINES, description=LINES), min_size=1, max_size=4).map(tuple)
MENUS = st.builds(
    ListMenu,
    body=BODIES,
    label=LINES,
    sections=st.lists(st.builds(ListSection, title=LINES, rows=ROWS), min_size=1, max_size=4).map(tuple),
)


def payload_unless_refused(message: OutboundMessage) -> dict[str, object] | None:
    try:
        return message_payload(PHONE, message, tracker="t")
    except Permanent:
        return None


@given(message=BUTTONS)
def test_any_buttons_fit_metas_limits_or_are_refused(message: Buttons) -> None:
    payload = payload_unless_refused(message)
    if payload is None:
        return
    interactive = json.loads(json.dumps(payload["interactive"]))
    replies = [button["reply"] for button in interactive["action"]["buttons"]]
    assert [reply["id"] for reply in replies] == [button.id for button in message.buttons]
    assert 1 <= len(replies) <= 3
    assert len({reply["title"] for reply in replies}) == len(replies)
    assert all(1 <= len(reply["title"]) <= 20 and len(reply["id"]) <= 256 for reply in replies)
    assert interactive["body"]["text"] == message.body
    assert len(message.body) <= 1024
    assert 1 <= len(interactive.get("header", {"text": "-"})["text"]) <= 60
    assert 1 <= len(interactive.get("footer", {"text": "-"})["text"]) <= 60


@given(message=MENUS)
def test_any_menu_fits_metas_limits_or_is_refused(message: ListMenu) -> None:
    payload = payload_unless_refused(message)
    if payload is None:
        return
    interactive = json.loads(json.dumps(payload["interactive"]))
    sections = interactive["action"]["sections"]
    rows = [row for section in sections for row in section["rows"]]
    assert [row["id"] for row in rows] == [row.id for section in message.sections for row in section.rows]
    assert 1 <= len(rows) <= 10
    assert len({row["id"] for row in rows}) == len(rows)
    assert all(1 <= len(row["title"]) <= 24 and len(row["id"]) <= 200 for row in rows)
    assert all(1 <= len(row.get("description", "-")) <= 72 for row in rows)
    assert all(1 <= len(section.get("title", "-")) <= 24 for section in sections)
    assert len(sections) == 1 or all("title" in section for section in sections)
    assert 1 <= len(interactive["action"]["button"]) <= 20
    assert interactive["body"]["text"] == message.body
    assert len(message.body) <= 1024
