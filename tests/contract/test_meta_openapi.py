"""What leaves for Meta, caught at the wire and judged by Meta's own OpenAPI description of Graph (v23).

The description is not always right about itself; each place where it is not has a test that shows it.
"""

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, get_args

import httpx
import jsonschema
import pytest
import yaml

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
    OutTemplate,
    OutText,
    Recipient,
)
from app.domain.ports import NewTemplate
from app.whatsapp.admin import GraphAdmin
from app.whatsapp.graph import GraphClient
from app.whatsapp.templates import AccountTemplates

OPENAPI: Final = Path(__file__).resolve().parents[2] / "../shared/data/meta_openapi_v23.yaml"
PHONE: Final = Recipient(wa_id="5491155550101")
BOTH: Final = Recipient(wa_id="5491155550101", bsuid="AR.1a2b")
QUOTED: Final = WaMessageId("wamid.quoted")
MESSAGES: Final[Mapping[str, OutboundMessage]] = {
    "text": OutText("hello"),
    "text with link": OutText("see https://example.org"),
    "quote": OutText("yes", quote_id=QUOTED),
    "buttons": Buttons(
        "Run it?", (Button("y", "Yes"), Button("n", "No")), header="Tool", footer="Soon", quote_id=QUOTED
    ),
    "bare buttons": Buttons("Run it?", (Button("y", "Yes"),)),
    "list": ListMenu(
        "Pick",
        "Options",
        (
            ListSection("Fruit", (ListRow("f1", "Apple", "red"), ListRow("f2", "Pear"))),
            ListSection("Other", (ListRow("o1", "Bread"),)),
        ),
    ),
    "list of one section": ListMenu("Pick", "Open", (ListSection("", (ListRow("a", "A"),)),), quote_id=QUOTED),
    "reaction": OutReaction(QUOTED, "👍"),
    "removed reaction": OutReaction(QUOTED, ""),
    "image": OutMedia("image", "m1", caption="look"),
    "video": OutMedia("video", "m2", quote_id=QUOTED),
    "audio": OutMedia("audio", "m3"),
    "voice note": OutMedia("audio", "m4", is_voice=True),
    "document": OutMedia("document", "m5", caption="the report", filename="report.pdf"),
    "sticker": OutMedia("sticker", "m6"),
    "template": OutTemplate("reminder", "es", "Dentista", ("Dentista",)),
    "template with buttons": OutTemplate("reminder", "es", "Dentista", ("Dentista",), ("done", "later")),
}
# Meta documents these on its pages, but not in its description: usernames and business-scoped ids, sending
# messages, voice messages. Captions and names of files stand in examples of the description.
DOCUMENTED_ELSEWHERE: Final[Mapping[str, frozenset[str]]] = {
    "": frozenset({"recipient", "biz_opaque_callback_data"}),
    "audio": frozenset({"voice"}),
    "document": frozenset({"caption", "filename"}),
    "image": frozenset({"caption"}),
}

Json = dict[str, Any]
Judge = jsonschema.Draft202012Validator


class Wire:
    """Graph, as far as it has to be there for a request to leave."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        done: Json = {
            "id": "1",
            "status": "PENDING",
            "success": True,
            "data": [],
            "messages": [{"id": "wamid.out"}],
        }
        return httpx.Response(200, json=done)

    @property
    def body(self) -> Json:
        """The newest request's JSON."""
        found: Json = json.loads(self.requests[-1].content)
        return found


@pytest.fixture
async def wire() -> Wire:
    return Wire()


@asynccontextmanager
async def clients(wire: Wire) -> AsyncIterator[tuple[GraphClient, GraphAdmin]]:
    async with httpx.AsyncClient(transport=httpx.MockTransport(wire.answer)) as http:
        graph = GraphClient(
            http,
            base_url="http://graph.test",
            version="v26.0",
            phone_number_id="1000000000001",
            access_token="a-token",
            timeout_s=5,
        )
        yield graph, GraphAdmin(http, base_url="http://graph.test", version="v26.0")


async def sent(wire: Wire, message: OutboundMessage, to: Recipient = PHONE, tracker: str = "outbox-7") -> Json:
    async with clients(wire) as (graph, _):
        await graph.send(to, message, tracker=tracker)
    return wire.body


@pytest.fixture(scope="module")
def openapi() -> Json:
    if not OPENAPI.exists():
        pytest.skip("Meta's OpenAPI description is not beside the checkout")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    document = yaml.load(OPENAPI.read_text(encoding="utf-8"), Loader=loader)  # a safe loader, whichever it is
    assert isinstance(document, dict)
    return document


def judge(components: Json, name: str) -> Judge:
    """Judge by one named schema; OpenAPI 3.1 schemas are JSON Schema 2020-12."""
    return Judge({"$ref": f"#/components/schemas/{name}", "components": components})


@pytest.fixture(scope="module")
def message_schema(openapi: Json) -> Judge:
    """Meta's `Message`, without what makes it refuse Meta's own examples.

    Each message type is the base properties and a second part that forbids all properties but its own,
    hence also those that the base requires; and the place of a button in a template is a pattern that no
    place but 2 to 6 fits. Tests below show both.
    """
    return judge(_mended(openapi), "Message")


@pytest.fixture(scope="module")
def closed_schema(openapi: Json) -> Judge:
    """As `message_schema`, but nothing may be in a message that the description does not name."""
    components = _mended(openapi)
    schemas: Json = components["schemas"]
    parts = {name for schema in schemas.values() for name in _parts(schema)}
    for name in _reachable(schemas, "Message"):
        if name not in parts | {"Message"} and not {"properties", "allOf", "oneOf"}.isdisjoint(schemas[name]):
            schemas[name]["unevaluatedProperties"] = False
    return judge(components, "Message")


def _mended(openapi: Json) -> Json:
    components: Json = json.loads(json.dumps(openapi["components"]))
    for option in components["schemas"]["Message"]["oneOf"]:
        components["schemas"][_name(option)]["allOf"][1].pop("additionalProperties", None)
    components["schemas"]["TemplateComponent"]["properties"]["index"]["pattern"] = "^[0-9]$"
    return components


def _name(reference: Mapping[str, str]) -> str:
    return reference["$ref"].rsplit("/", 1)[-1]


def _parts(schema: object) -> Iterator[str]:
    """Yield the schemas that are only ever a part of another one."""
    if isinstance(schema, dict):
        yield from (_name(part) for part in schema.get("allOf", []) if "$ref" in part)
    for inner in _inside(schema):
        yield from _parts(inner)


def _reachable(schemas: Json, start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _references(schemas[name])
    return found


def _references(schema: object) -> list[str]:
    own = [_name(schema)] if isinstance(schema, dict) and isinstance(schema.get("$ref"), str) else []
    return own + [name for inner in _inside(schema) for name in _references(inner)]


def _inside(schema: object) -> list[object]:
    if isinstance(schema, dict):
        return list(schema.values())
    return schema if isinstance(schema, list) else []


def test_every_kind_of_message_is_judged() -> None:
    assert {type(message) for message in MESSAGES.values()} == set(get_args(OutboundMessage))
    kinds = {message.kind for message in MESSAGES.values() if isinstance(message, OutMedia)}
    assert kinds == set(get_args(OutMedia.__annotations__["kind"]))


@pytest.mark.parametrize("name", MESSAGES)
async def test_what_we_send_is_what_meta_describes(name: str, wire: Wire, message_schema: Judge) -> None:
    message_schema.validate(await sent(wire, MESSAGES[name], BOTH))


@pytest.mark.parametrize("name", MESSAGES)
async def test_what_meta_does_not_describe_is_on_a_short_list(name: str, wire: Wire, closed_schema: Judge) -> None:
    bare = await sent(wire, MESSAGES[name], BOTH)
    for place, names in DOCUMENTED_ELSEWHERE.items():
        part = bare.get(place, {}) if place else bare
        for key in names:
            part.pop(key, None)
    closed_schema.validate(bare)


async def test_a_voice_note_says_so_as_meta_describes_one(wire: Wire, openapi: Json) -> None:
    # Only what people send is described with the flag; what is sent carries the same one.
    described = openapi["components"]["schemas"]["AudioMessage_1"]["allOf"][1]["properties"]["audio"]["allOf"][1]
    Judge(described).validate((await sent(wire, MESSAGES["voice note"]))["audio"])
    assert not Judge(described).is_valid((await sent(wire, MESSAGES["audio"]))["audio"])


async def test_the_relaxed_schema_still_has_teeth(wire: Wire, message_schema: Judge, closed_schema: Judge) -> None:
    async for broken in broken_payloads(wire):
        assert not message_schema.is_valid(broken), broken
    unknown = {**await sent(wire, OutText("hello"), tracker=""), "colour": "red"}
    assert message_schema.is_valid(unknown)
    assert not closed_schema.is_valid(unknown)


async def broken_payloads(wire: Wire) -> AsyncIterator[Json]:
    good = await sent(wire, MESSAGES["text"])
    yield {key: value for key, value in good.items() if key != "text"}
    yield {**good, "type": "txt"}
    yield {**good, "text": {"body": 7}}
    yield {**good, "recipient_type": "everybody"}
    buttons = await sent(wire, MESSAGES["buttons"])
    yield {**buttons, "interactive": {"type": "button", "body": {"text": "b"}, "action": {"buttons": []}}}
    yield {**buttons, "interactive": {"type": "button", "body": {"text": "x" * 1025}, "action": {}}}
    template = await sent(wire, MESSAGES["template"])
    yield {**template, "template": {**template["template"], "language": {"code": "es"}}}
    yield {**template, "template": {**template["template"], "components": [{"type": "footer"}]}}


def test_metas_own_example_fails_metas_own_schema_as_it_stands(openapi: Json) -> None:
    example = {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        "to": "5491155550101",
        "type": "text",
        "text": {"body": "hello", "preview_url": False},
    }
    errors = list(judge(openapi["components"], "TextMessage").iter_errors(example))
    assert [error.validator for error in errors] == ["additionalProperties"]


def test_metas_own_place_of_a_button_fails_metas_own_pattern(openapi: Json) -> None:
    described = openapi["components"]["schemas"]["TemplateComponent"]["properties"]["index"]
    assert not Judge(described).is_valid(described["example"])


async def test_a_person_without_a_number_is_where_meta_contradicts_itself(
    wire: Wire, message_schema: Judge
) -> None:
    # The description (v23) requires `to`; since May 2026 Meta's page on business-scoped user ids lets
    # `recipient` stand in its place, and for people with a username there is nothing else to send.
    payload = await sent(wire, OutText("hello"), Recipient(bsuid="AR.1a2b"))
    assert not message_schema.is_valid(payload)
    message_schema.validate({**payload, "to": "5491155550101"})


@pytest.mark.parametrize("is_typing", [True, False])
async def test_the_read_mark_is_what_meta_describes(wire: Wire, openapi: Json, is_typing: bool) -> None:
    # `typing_indicator` is missing from this schema but stands in an example of the same description,
    # which lists it under the messages edge; the schema allows further properties.
    async with clients(wire) as (graph, _):
        await graph.mark_read(QUOTED, is_typing=is_typing)
    judge(openapi["components"], "MarkMessageRequestPayload").validate(wire.body)
    assert ("typing_indicator" in wire.body) == is_typing
    edge = json.dumps(openapi["paths"]["/{Version}/{Phone-Number-ID}/messages"])
    assert '"typing_indicator": {"type": "text"}' in edge


async def test_the_messages_of_setting_up_are_what_meta_describes(wire: Wire, closed_schema: Judge) -> None:
    async with clients(wire) as (_, admin):
        await admin.send_text("1000000000001", "a-token", "5491155550101", "It works.")
        closed_schema.validate(wire.body)
        await admin.send_template("1000000000001", "a-token", "5491155550101", "hello_world", "en_US")
        closed_schema.validate(wire.body)


async def test_a_template_is_submitted_as_meta_describes(wire: Wire, openapi: Json) -> None:
    async with clients(wire) as (_, admin):
        templates = AccountTemplates(admin, "200000000000001", "a-token")
        await templates.create(NewTemplate("reminder", "es", "⏰ {{1}}", "Dentista", ("Hecho", "En 10 minutos")))
    edge = openapi["paths"]["/{Version}/{WABA-ID}/message_templates"]["post"]["requestBody"]
    Judge(edge["content"]["application/json"]["schema"]).validate(wire.body)
    assert {"name", "language", "category", "components"} == set(wire.body)


async def test_a_file_is_uploaded_in_the_form_that_meta_describes(wire: Wire, openapi: Json) -> None:
    async with clients(wire) as (graph, _):
        await graph.upload(b"OggS" + bytes(60), mime_type="audio/ogg", filename="voice.ogg")
    request = wire.requests[-1]
    edge = openapi["paths"]["/{Version}/{Phone-Number-ID}/media"]["post"]["requestBody"]["content"]
    form = request.content.decode("latin-1")
    assert request.headers["content-type"].startswith("multipart/form-data")
    assert all(f'name="{field}"' in form for field in edge["multipart/form-data"]["schema"]["properties"])
    assert "Content-Type: audio/ogg" in form
