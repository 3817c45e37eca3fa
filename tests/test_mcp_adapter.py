"""A server's tool as one of ours: its name, its schema, its arguments and its answers."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import types

from app.asking.forms.model import Answer, Choice, Question
from app.domain.chat import ChatMessage, ChatRequest
from app.domain.errors import ToolArgumentError
from app.domain.turn import TurnContext
from app.llm.openai_wire import to_openai
from app.llm.wire import OllamaSettings, to_ollama
from app.mcp.adapter import MAX_DESCRIPTION_CHARS, MAX_SCHEMA_CHARS, MCPToolAdapter, tool_names
from app.mcp.config import slug
from app.mcp.connecting.calls import CallFailed
from app.mcp.connecting.elicitation import elicit, read_question
from app.mcp.connecting.filtering import MAX_BLOCKS, tidy_result
from app.mcp.connecting.wire import MAX_BRACKETS, MAX_MESSAGE_BYTES, LineReader, parse_line
from app.mcp.content import MAX_OUTPUT_CHARS, to_text
from tests.fakes.mcp import ANN, Person, turn_of

SAFE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"


class Server:
    """What a call reaches: notes the arguments, gives the answer."""

    def __init__(self, answer: types.CallToolResult | CallFailed | None = None) -> None:
        self.answer = answer or types.CallToolResult(content=[types.TextContent(text="done")])
        self.calls: list[tuple[str, Mapping[str, object]]] = []

    async def __call__(self, tool: str, arguments: Mapping[str, object], ctx: TurnContext) -> types.CallToolResult:
        self.calls.append((tool, arguments))
        if isinstance(self.answer, CallFailed):
            raise self.answer
        return self.answer


def tool_of(schema: Mapping[str, Any] | None = None, **more: Any) -> types.Tool:
    return types.Tool(**{"name": "do", "input_schema": dict(schema or {"type": "object"}), **more})


def adapt(tool: types.Tool, server: Server | None = None, *, trusts: bool = False) -> MCPToolAdapter:
    return MCPToolAdapter(tool, name="mcp_s_do", server="s", call=server or Server(), trusts_annotations=trusts)


def test_a_tool_is_named_after_its_server_and_itself() -> None:
    assert tool_names([("github", "list_issues")]) == {("github", "list_issues"): "mcp_github_list_issues"}


def test_names_that_would_be_the_same_differ_whoever_came_first() -> None:
    pairs = [("a_b", "c"), ("a", "b_c"), ("a.b", "c"), ("a", "b.c")]
    names = tool_names(pairs)
    assert len(set(names.values())) == 4
    assert names["a", "b_c"] == "mcp_a_b_c"
    assert tool_names(reversed(pairs)) == names


@given(st.sets(st.tuples(st.text(min_size=1, max_size=60), st.text(min_size=1, max_size=100)), max_size=12))
def test_every_tool_has_a_name_of_its_own_that_any_model_can_call(pairs: set[tuple[str, str]]) -> None:
    names = tool_names(pairs)
    assert names.keys() == pairs
    assert len(set(names.values())) == len(pairs)
    assert all(len(name) <= 64 and set(name) <= set(SAFE) and name.startswith("mcp_") for name in names.values())


@pytest.mark.parametrize("name", ["Brave Search", "a.b", "..", "x/y"])
def test_a_servers_name_is_safe_as_a_file_and_a_category(name: str) -> None:
    assert set(slug(name)) <= set(SAFE)


def test_a_tool_is_sensitive_whatever_its_server_says() -> None:
    tool = adapt(tool_of(annotations=types.ToolAnnotations(read_only_hint=True)))
    assert (tool.sensitive, tool.read_only) == (True, False)


@pytest.mark.parametrize(("hint", "is_sensitive"), [(True, False), (False, True), (None, True)])
def test_an_owner_may_trust_what_a_server_says(hint: bool | None, is_sensitive: bool) -> None:
    tool = adapt(tool_of(annotations=types.ToolAnnotations(read_only_hint=hint)), trusts=True)
    assert (tool.sensitive, tool.read_only) == (is_sensitive, not is_sensitive)


LINKED: Mapping[str, Any] = {
    "$defs": {"n": {"properties": {"next": {"$ref": "#/$defs/n"}}}},
    "properties": {"n": {"$ref": "#/$defs/n"}},
}


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        ({"properties": {"a": {"type": "string"}, "b": {"type": "integer", "default": 5}}}, {"a": "x"}),
        ({"properties": {"schema": {}, "_id": {}, "from": {}, "$filter": {}, "": {}}}, {"_id": 1, "": 2}),
        ({"additionalProperties": True}, {"anything": {"nested": [1, None, {"a": "b"}]}}),
        ({"properties": {"a": {"type": ["integer", "null"]}}}, {"a": None}),
        ({"properties": {"a": {"oneOf": [{"type": "string"}, {"type": "array"}]}}}, {"a": ["x"]}),
        (LINKED, {"n": {"next": {"next": {}}}}),
        ({"properties": {"a": True}}, {"a": 3.5}),
    ],
)  # fmt: skip
async def test_arguments_reach_the_server_as_they_were_given(
    schema: Mapping[str, Any], arguments: Mapping[str, object]
) -> None:
    server = Server()
    tool = adapt(tool_of({"type": "object", **schema}), server)
    result = await tool.execute(tool.validate_args(arguments), ctx=turn_of())
    assert result.success
    assert server.calls == [("do", arguments)]
    assert tool.args_model.model_validate(arguments).model_dump() == arguments


def test_arguments_that_do_not_fit_are_refused_field_by_field() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 3}}, "required": ["n", "m"]}
    with pytest.raises(ToolArgumentError, match=r"m: required.*n: expected at most 3"):
        adapt(tool_of(schema)).validate_args({"n": 9})


def test_a_broken_schema_leaves_the_tool_usable() -> None:
    tool = adapt(tool_of({"type": "object", "properties": {"a": {"type": "no such type"}}}))
    assert tool.validate_args({"a": 1}) == {"a": 1}
    assert tool.get_schema().parameters["type"] == "object"


NESTED: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "filter": {
            "type": "object",
            "properties": {"labels": {"type": "array", "items": {"type": "string", "enum": ["bug", "idea"]}}},
            "required": ["labels"],
        },
        "to": {"oneOf": [{"type": "string"}, {"type": "object", "properties": {"id": {"type": "integer"}}}]},
    },
    "required": ["filter"],
}


def test_nested_objects_and_unions_are_on_the_wire_of_every_provider() -> None:
    request = ChatRequest((ChatMessage("user", "hi"),), tools=(adapt(tool_of(NESTED)).get_schema(),))
    ollama: Any = to_ollama(request, OllamaSettings("m", 8192, "5m", think=False))
    openai: Any = to_openai(request, model="any")
    for body in (ollama, openai):
        shown = json.loads(json.dumps(body))["tools"][0]["function"]["parameters"]["properties"]
        assert shown["filter"]["properties"]["labels"]["items"]["enum"] == ["bug", "idea"]
        assert shown["filter"]["required"] == ["labels"]
        assert shown["to"]["anyOf"][1]["properties"]["id"]["type"] == "integer"


def test_a_long_schema_loses_its_descriptions_before_its_fields() -> None:
    properties = {f"field{n}": {"type": "string", "description": "word " * 100} for n in range(40)}
    shown = adapt(tool_of({"type": "object", "properties": properties})).get_schema().parameters
    assert len(json.dumps(shown)) <= MAX_SCHEMA_CHARS
    assert isinstance(shown["properties"], dict)
    assert shown["properties"].keys() == properties.keys()


@pytest.mark.parametrize("depth", [50, 5_000])
def test_a_schema_of_any_depth_is_survived(depth: int) -> None:
    node: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        node = {"type": "object", "properties": {"a": node}}
    shown = adapt(tool_of(node)).get_schema().parameters
    assert shown["type"] == "object"


def test_a_description_is_one_short_line() -> None:
    text = "First\nline.\x1b[2J\u202e " + "word " * 400
    description = adapt(tool_of(description=text)).description
    assert len(description) <= MAX_DESCRIPTION_CHARS
    assert description.isprintable()
    assert adapt(tool_of()).description == "do of the server s"


def blocks(*content: types.ContentBlock, **more: Any) -> types.CallToolResult:
    return types.CallToolResult(content=list(content), **more)


def test_texts_are_joined_and_pictures_named() -> None:
    result = blocks(
        types.TextContent(text="one"),
        types.ImageContent(data="A" * 4000, mime_type="image/png"),
        types.EmbeddedResource(resource=types.TextResourceContents(uri="file:///a.txt", text="inside")),
        types.EmbeddedResource(resource=types.BlobResourceContents(uri="file:///b", blob="QUFB")),
        types.ResourceLink(name="c", uri="https://x.example/c", description="more"),
        types.AudioContent(data="QUFB", mime_type="audio/ogg"),
        types.TextContent(text="two"),
    )
    text = to_text(result)
    assert text.startswith("one\n[image, image/png, 3 kB")
    assert text.endswith("two")
    assert "AAAA" not in text
    assert "inside" in text
    assert "https://x.example/c: more" in text


def test_structured_content_stands_in_for_a_missing_text_only() -> None:
    assert to_text(blocks(structured_content={"día": 1})) == '{"día": 1}'
    assert to_text(blocks(types.TextContent(text="1"), structured_content={"a": 1})) == "1"


def test_an_answer_of_any_length_is_cut_and_says_so() -> None:
    text = to_text(blocks(types.TextContent(text="x" * (MAX_OUTPUT_CHARS + 7))))
    assert text.endswith("[cut here: 7 more characters]")


async def test_what_the_tool_calls_an_error_is_a_failure() -> None:
    tool = adapt(tool_of(), Server(blocks(types.TextContent(text="no such issue"), is_error=True)))
    result = await tool.execute({}, ctx=turn_of())
    assert (result.success, result.error) == (False, "no such issue")
    silent = await adapt(tool_of(), Server(blocks(is_error=True))).execute({}, ctx=turn_of())
    assert not silent.success
    assert silent.error


async def test_a_call_that_found_no_server_is_a_failure_of_its_kind() -> None:
    result = await adapt(tool_of(), Server(CallFailed("cut off", "uncertain"))).execute({}, ctx=turn_of())
    assert (result.success, result.error, result.kind) == (False, "cut off", "uncertain")


def test_a_listing_that_breaks_the_rules_is_repaired_tool_by_tool() -> None:
    result: dict[str, Any] = {
        "tools": [
            {"name": "bare"},
            {"name": "wrong", "inputSchema": [], "description": 7, "annotations": "?", "title": None},
            {"name": "hinted", "inputSchema": {"properties": {}}, "annotations": {"readOnlyHint": True, "x": 1}},
            {"name": "judge", "inputSchema": {"type": "object"}, "outputSchema": {"pattern": "^(a+)+$"}},
            {"name": ""},
            {"inputSchema": {}},
            "nonsense",
        ]
    }
    tidy_result(result)
    listed = types.ListToolsResult.model_validate(result)
    assert [tool.name for tool in listed.tools] == ["bare", "wrong", "hinted", "judge"]
    assert all(tool.input_schema["type"] == "object" for tool in listed.tools)
    assert listed.tools[2].annotations == types.ToolAnnotations(read_only_hint=True)
    assert listed.tools[3].output_schema is None


def test_a_result_of_very_many_parts_is_cut() -> None:
    result: dict[str, Any] = {"content": [{"type": "text", "text": "x"}] * (MAX_BLOCKS + 3)}
    tidy_result(result)
    assert result["content"][-1]["text"] == "[3 more parts left out]"
    assert len(result["content"]) == MAX_BLOCKS + 1


@given(st.lists(st.binary(max_size=30).filter(lambda line: b"\n" not in line)), st.integers(1, 7))
def test_lines_come_out_whole_however_they_arrive(lines: list[bytes], step: int) -> None:
    stream = b"".join(line + b"\n" for line in lines) + b"rest"
    reader = LineReader()
    found = [one for at in range(0, len(stream), step) for one in reader.feed(stream[at : at + step])]
    assert found == [(line, False) for line in lines]


def test_a_line_without_an_end_costs_no_memory_and_is_answered_for() -> None:
    reader = LineReader()
    chunk = b'{"id": 7, "result": "' + b"x" * 999_979
    for _ in range(MAX_MESSAGE_BYTES // len(chunk) + 3):
        assert list(reader.feed(chunk)) == []
    ((line, is_cut),) = reader.feed(b'"}\n')
    assert is_cut
    assert len(line) < 1000
    message = parse_line(line, is_cut=True)
    assert message is not None
    assert isinstance(message.message, types.JSONRPCError)
    assert message.message.id == 7


@pytest.mark.parametrize(
    "line", [b"", b"starting up...", b"[1]", b"null", b'{"a"', b'{"jsonrpc": "2.0", "method": 5}']
)
def test_what_is_no_message_is_passed_over(line: bytes) -> None:
    assert parse_line(line) is None


def test_text_full_of_brackets_is_no_burden_but_real_ones_are() -> None:
    text = "[{" * MAX_BRACKETS
    harmless = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"a": text + '"'}}).encode()
    message = parse_line(harmless)
    assert message is not None
    assert isinstance(message.message, types.JSONRPCResponse)
    heavy = parse_line(b'{"jsonrpc":"2.0","id":1,"result":{"a":[' + b"[]," * MAX_BRACKETS + b"[]]}}")
    assert heavy is not None
    assert isinstance(heavy.message, types.JSONRPCError)


FORM: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Your name", "default": "Ann"},
        "size": {"type": "string", "enum": ["s", "m"], "enumNames": ["small", "medium"], "default": "m"},
        "colour": {"oneOf": [{"const": "r", "title": "red"}, {"const": "b", "title": "blue"}]},
        "days": {"type": "array", "items": {"type": "string", "enum": ["mon", "tue"]}},
        "count": {"type": "integer", "default": 3},
        "sure": {"type": "boolean", "default": True},
        "price": {"type": "number"},
    },
    "required": ["name"],
}


def form(schema: Mapping[str, Any] = FORM, message: str = "Fill in") -> types.ElicitRequestFormParams:
    return types.ElicitRequestFormParams(message=message, requested_schema=dict(schema))


def test_a_form_is_read_field_by_field() -> None:
    question = read_question("shop", form())
    assert question is not None
    assert [field.kind for field in question.fields] == [
        "text", "choice", "choice", "choices", "integer", "boolean", "number",
    ]  # fmt: skip
    assert question.fields[0].is_required
    assert question.fields[1].choices == (Choice("s", "small"), Choice("m", "medium"))
    assert question.fields[2].choices == (Choice("r", "red"), Choice("b", "blue"))


async def test_what_a_person_leaves_out_gets_the_servers_default() -> None:
    person = Person({ANN: Answer("accept", {"name": "Eva", "price": 1.5})})
    result = await elicit(form(), server="shop", ctx=turn_of(), asker=person)
    assert result.action == "accept"
    assert result.content == {"name": "Eva", "size": "m", "count": 3, "sure": True, "price": 1.5}


@pytest.mark.parametrize("answer", [Answer("accept", {"count": "many"}), Answer("accept", {"size": "xl"})])
async def test_an_answer_that_does_not_fit_never_leaves(answer: Answer) -> None:
    result = await elicit(form(), server="shop", ctx=turn_of(), asker=Person({ANN: answer}))
    assert (result.action, result.content) == ("cancel", None)


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "https://x.example/\nfake"])
async def test_an_address_that_is_none_is_not_shown(url: str) -> None:
    person = Person({ANN: Answer("accept")})
    params = types.ElicitRequestURLParams(message="Open", url=url, elicitation_id="1")
    assert (await elicit(params, server="s", ctx=turn_of(), asker=person)).action == "cancel"
    assert person.asked == []


async def test_an_address_is_shown_and_nothing_is_sent_with_the_consent() -> None:
    person = Person({ANN: Answer("accept", {"password": "x"})})
    params = types.ElicitRequestURLParams(message="Log in", url="https://x.example/login", elicitation_id="1")
    result = await elicit(params, server="s", ctx=turn_of(), asker=person)
    assert (result.action, result.content) == ("accept", None)
    assert person.asked == [(ANN, Question("s", "Log in", url="https://x.example/login"))]


def test_a_question_cannot_be_longer_than_people_read() -> None:
    many = {"type": "object", "properties": {f"f{n}": {"type": "string"} for n in range(30)}}
    assert read_question("s", form(many)) is None
    long = read_question("s", form(message="word " * 1000))
    assert long is not None
    assert len(long.message) <= 1000
