"""Calls that arrive as text are found; ordinary text and JSON stay as they are."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.domain.chat import ToolSchema
from app.llm.salvage import distinct_calls, looks_like_call, resolve_name, salvage_calls, without_quotes


def schema(name: str, *parameters: str) -> ToolSchema:
    properties = {parameter: {"type": "string"} for parameter in parameters}
    return ToolSchema(name, "", {"type": "object", "properties": properties})


OFFERED = {
    tool.name: tool
    for tool in (
        schema("calculate", "expression"),
        schema("save_note", "title", "content"),
        schema("list_notes"),
        schema("mcp_github_list_issues", "repo"),
    )
}
SUM = ("calculate", {"expression": "2+2"})


KNOWN_ELSEWHERE = {"list_reminders": ToolSchema("list_reminders", "", {"type": "object"}, ("list_crons",))}


@pytest.mark.parametrize(
    "text",
    ['{"name": "list_crons", "arguments": {}}', '{"name": "List_Crons"}', "list_crons()", "`tools.list_crons()`"],
)
def test_a_call_by_a_name_that_other_assistants_know_is_one_of_the_tool(text: str) -> None:
    [call] = salvage_calls(text, KNOWN_ELSEWHERE)
    assert (call.name, dict(call.arguments)) == ("list_reminders", {})
    assert salvage_calls(text, OFFERED) == ()


def test_a_servers_tool_that_is_offered_comes_before_another_name_of_a_builtin_one() -> None:
    [call] = salvage_calls("list_crons()", {**KNOWN_ELSEWHERE, "mcp_x_list_crons": schema("mcp_x_list_crons")})
    assert call.name == "mcp_x_list_crons"


def found(text: str) -> list[tuple[str, dict[str, object]]]:
    return [(call.name, dict(call.arguments)) for call in salvage_calls(text, OFFERED)]


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "calculate", "arguments": {"expression": "2+2"}}',
        '{"tool": "calculate", "args": {"expression": "2+2"}}',
        '{"type": "function", "function": {"name": "calculate", "arguments": {"expression": "2+2"}}}',
        '{"name": "calculate", "parameters": {"expression": "2+2"}}',
        '{"function": "calculate", "arguments": "{\\"expression\\": \\"2+2\\"}"}',
        '{"name": "Calculate", "arguments": {"expression": "2+2"}}',
        '{"name": "functions.calculate", "arguments": {"expression": "2+2"}}',
        '[{"name": "calculate", "arguments": {"expression": "2+2"}}]',
        '{"calls": [{"tool": "calculate", "args": {"expression": "2+2"}}]}',
        '```json\n{"name": "calculate", "arguments": {"expression": "2+2"}}\n```',
        '```\n{"name": "calculate", "arguments": {"expression": "2+2"}}\n```',
        '<tool_call>\n{"name": "calculate", "arguments": {"expression": "2+2"}}\n</tool_call>',
        '<tool_call>{"name": "calculate", "arguments": {"expression": "2+2"}}',
        '```xml\n<tool_call>\n{"name": "calculate", "arguments": {"expression": "2+2"}}\n</tool_call>\n```',
        '[TOOL_CALLS] [{"name": "calculate", "arguments": {"expression": "2+2"}}]',
        '<|python_tag|>{"name": "calculate", "parameters": {"expression": "2+2"}}',
        'calculate(expression="2+2")',
        "calculate(expression='2+2')",
        'calculate("2+2")',
        '- `calculate(expression="2+2")`',
        '```python\ncalculate(expression="2+2")\n```',
        '{"name": "calculate", "arguments": {"expression": "2+2"}}\n' * 2,
    ],
)
def test_a_call_written_as_text_is_found(text: str) -> None:
    assert found(text) == [SUM]


FENCED = '```json\n{"name": "calculate", "arguments": {"expression": "2+2"}}\n```'
TAGGED = '<tool_call>{"name": "save_note", "arguments": {"title": "a", "content": "b"}}</tool_call>'


def test_several_calls_in_one_text_come_in_their_order() -> None:
    calls = salvage_calls(f"{FENCED}\n{TAGGED}", OFFERED)

    assert [call.name for call in calls] == ["calculate", "save_note"]
    assert calls[0].id != calls[1].id


@pytest.mark.parametrize("text", [f"First the sum:\n{FENCED}", f"{TAGGED}\nOne moment.", f"{FENCED} or {TAGGED}"])
def test_a_text_that_says_anything_else_holds_no_call(text: str) -> None:
    assert found(text) == []
    assert looks_like_call(text, OFFERED)


@pytest.mark.parametrize(
    "seen",
    [
        f"Note 1: {TAGGED}",
        json.dumps({"content": '{"name": "save_note", "arguments": {"title": "a", "content": "b"}}'}),
        "Please do this:\nsave_note(content='b', title='a')",
        '{"tool":"save_note","args":{"content":"b",\n"title":"a"}}',
    ],
)
def test_what_the_model_has_seen_is_read_aloud_and_never_meant(seen: str) -> None:
    assert salvage_calls(TAGGED, OFFERED, ["hello", seen]) == ()
    assert salvage_calls(FENCED, OFFERED, ["hello", seen]) != ()


@pytest.mark.parametrize("text", [TAGGED, f"Your note says: {TAGGED}", f"It says:\n{TAGGED}\nShall I?"])
def test_a_quoted_call_is_words_for_the_person(text: str) -> None:
    assert not looks_like_call(without_quotes(text, [f"Note 1: {TAGGED}"]), OFFERED)
    assert looks_like_call(without_quotes(f"{text}\n{FENCED}", [f"Note 1: {TAGGED}"]), OFFERED)


def test_calls_on_lines_of_one_fence_are_found() -> None:
    calls = salvage_calls('```python\ncalculate("1+1")\nlist_notes()\n```', OFFERED)

    assert [call.name for call in calls] == ["calculate", "list_notes"]


def test_python_like_arguments_may_be_lists_words_and_numbers() -> None:
    assert found("save_note(title='it\\'s', content=[1, {\"a\": null}], pinned=True, weight=1.5)") == [
        ("save_note", {"title": "it's", "content": [1, {"a": None}], "pinned": True, "weight": 1.5})
    ]
    assert found("save_note('x', content=True)") == [("save_note", {"title": "x", "content": True})]
    assert found("save_note(title='x', content=[1, {\"a\": None}])\nsave_note('x', content=True)") == []


def test_the_bare_name_of_a_server_tool_is_understood_when_only_one_ends_with_it() -> None:
    assert found('{"name": "list_issues", "arguments": {"repo": "a"}}') == [
        ("mcp_github_list_issues", {"repo": "a"})
    ]
    assert resolve_name("list_issues", ["mcp_a_list_issues", "mcp_b_list_issues"]) is None
    assert resolve_name("note", ["save_note"]) is None


@pytest.mark.parametrize(
    "text",
    [
        'Here is an example:\n```json\n{"name": "Ana", "age": 30}\n```',
        '{"name": "calculate", "version": "1.0.0", "scripts": {"test": "pytest"}}',
        '```json\n{"name": "issue"}\n```',
        "```python\ndef calculate(expression):\n    return eval(expression)\nprint(calculate('2+2'))\n```",
        "You can calculate(2) that by hand.",
        '[1, 2, {"title": "note"}]',
        "Los corchetes [así] y las llaves {así} no molestan.",
        '{"reply": "hola"}',
    ],
)
def test_ordinary_json_and_code_stay_as_they_are(text: str) -> None:
    assert salvage_calls(text, OFFERED) == ()


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"name": "Ana", "age": 30}\n```',
        '{"name": "widget", "version": "1.0.0", "scripts": {"test": "pytest"}}',
        "The mark `<tool_call>` opens a call.",
        "Use `f(x)` or {braces}.",
        "`save_note` keeps a text.",
        "Calculate the tip yourself.",
        "",
    ],
)
def test_what_a_person_may_have_asked_for_is_not_suspicious(text: str) -> None:
    assert not looks_like_call(text, OFFERED)


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "calculate", "arguments": {"expression": "2+2"}',
        '{"name": "unknown_tool", "arguments": {"a": 1}}',
        '```json\n{"tool": "unknown_tool", "args": {"a": 1}\n```',
        '{"calls": [{"tool": "calc',
        '{"tool_calls": [{"function": {"name": "x", "arguments": "{}"}}]}',
        '{"name": "calculate", "expression": "2+2"}',
        '{"calculate": {"expression": "9^(1/2)}}//Shell//Shell',
        "[TOOL_CALLS]calculate{}",
        "<function=calculate><parameter=expression>2+2</parameter></function>",
        "calculate(expression=<your expression>)",
        "save_note: buy milk",
        "Save_note",
        "<tool_response>\nSaved note 1.\n</tool_response>",
        "The person must not see the error text: say plainly what cannot be done.",
    ],
)
def test_a_call_that_cannot_be_read_is_recognised(text: str) -> None:
    assert looks_like_call(text, OFFERED)


def test_half_of_the_arguments_is_never_completed() -> None:
    text = '{"name": "calculate", "arguments": "{\\"expression\\": \\"2+"}'

    assert salvage_calls(text, OFFERED) == ()
    assert looks_like_call(text, OFFERED)


def test_the_same_call_twice_counts_once_whatever_the_order_of_its_arguments() -> None:
    calls = salvage_calls('{"name": "save_note", "arguments": {"title": "a", "content": "b"}}', OFFERED)
    again = salvage_calls('{"name": "save_note", "arguments": {"content": "b", "title": "a"}}', OFFERED)

    assert len(distinct_calls([*calls, *again])) == 1


fragments = st.sampled_from(
    [
        *(
            '{"name": "calculate", "arguments": ',
            '{"tool": "',
            "calculate(",
            "list_notes()",
            '"args": {',
            "}",
            "]",
        ),
        *(
            "[",
            "{",
            '"',
            "```json\n",
            "```",
            "<tool_call>",
            "</tool_call>",
            "[TOOL_CALLS]",
            "\n",
            ", ",
            "'",
            "=",
            ")",
        ),
        *('{"expression": "2+2"}', "null", '{"calls": [', "\\", "\x00", "\ud800", "texto "),
    ]
)
messy = st.lists(fragments | st.text(max_size=5), max_size=25).map("".join) | st.text(max_size=200)


@given(text=messy)
@example(text="[" * 5000)
@example(text='{"a":' * 5000)
@example(text='{"name": "calculate", "arguments": {"n": ' + "9" * 5000 + "}}")
def test_no_text_breaks_it_and_only_offered_tools_come_back(text: str) -> None:
    calls = salvage_calls(text, OFFERED, [text])

    looks_like_call(text, OFFERED)
    assert calls == ()
    assert all(call.name in OFFERED for call in salvage_calls(text, OFFERED, ["other"]))
    assert len(without_quotes(text, [text])) <= len(text)


@given(text=messy)
def test_a_text_that_names_no_offered_tool_holds_no_call(text: str) -> None:
    others = {"reboot_router": schema("reboot_router")}

    assert salvage_calls(text, others) == ()


@given(
    arguments=st.dictionaries(st.text(min_size=1, max_size=8), st.text(max_size=20), max_size=4),
    before=st.sampled_from(["", "```json\n", "[TOOL_CALLS] "]),
)
def test_arguments_arrive_as_they_were_written(arguments: dict[str, str], before: str) -> None:
    text = before + json.dumps({"name": "save_note", "arguments": arguments}, ensure_ascii=False)

    assert found(text) == [("save_note", arguments)]
