"""Thinking never survives, and what goes over the wire is what was meant."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.chat import ChatMessage, ChatRequest, ToolCall, ToolSchema, Usage
from app.llm.profiles import profile_for
from app.llm.wire import (
    OllamaChunk,
    OllamaSettings,
    estimate_tokens,
    from_ollama,
    strip_thinking,
    to_call,
    to_ollama,
)
from tests.fakes.ollama import Chunk, call, chunk, last_chunk

SETTINGS = OllamaSettings("qwen3:8b", 8192, "30m", think=False)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("<think>hmm</think>Hola", "Hola"),
        ("<thinking>hmm</thinking>\n\nHola\n", "Hola"),
        ("<reasoning>hmm</reasoning>Hola", "Hola"),
        ("<thought>hmm</thought>Hola", "Hola"),
        ("<THINK>hmm</Think>Hola", "Hola"),
        ("<think>one</think>Ho<think>two</think>la", "Hola"),
        ("Ho<think>one</think><think>two</think>la", "Hola"),
        ("<think>a<think>b</think>c</think>Hola", "Hola"),
        ("<think>a</reasoning>Hola", "Hola"),
        ('<think type="deep">a</think>Hola', "Hola"),
        ("Hola<think/>", "Hola"),
    ],
)
def test_closed_blocks_disappear(said: str, shown: str) -> None:
    assert strip_thinking(said) == shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Hola<think>and so on", "Hola"),
        ("<think>never ends", ""),
        ("<think>a<think>b</think>still thinking", ""),
        ("it began in the prompt</think>Hola", "Hola"),
        ("one</think>two</think>Hola", "Hola"),
        ("Ho<think>x</think>la</think>Bien", "Bien"),
        ("a</think>Hola <think>b</think>y chau<think>c", "Hola y chau"),
        ("the ` char\n</think>\nUse `x`", "Use `x`"),
    ],
)
def test_half_a_block_hides_its_open_side(said: str, shown: str) -> None:
    assert strip_thinking(said) == shown


@pytest.mark.parametrize(
    "said",
    [
        "no tags at all, 2 < 3 > 1\n",
        "The `<think>` tag opens and `</think>` closes.",
        "Use ``a ` b <think>`` here.",
        "```\n<think>\nplan\n</think>\nanswer\n```\nThat is how it looks.",
        "~~~xml\n<think>x</think>\n~~~",
        "```python\nanswer = text.split('</think>')[-1]\n```",
        "> ```\n> <think>x</think>\n> ```",
        "````\n```\n<think>\n```\n````",
        "Cut short:\n```python\nTAG = '<think>'",
        "<thinking-budget> and <thinker> are other words",
    ],
)
def test_tags_somebody_asked_about_stay(said: str) -> None:
    assert strip_thinking(said) == said


@pytest.mark.parametrize("mention", ["`<think>`", "`</think>`", "`<think>` and `</think>`"])
def test_a_mention_inside_thinking_does_not_count(mention: str) -> None:
    said = f"<think>They ask about {mention}.</think>It is a tag: {mention}."

    assert strip_thinking(said) == f"It is a tag: {mention}."


def test_an_open_fence_inside_thinking_does_not_hide_its_end() -> None:
    assert strip_thinking("<think>```py\nx = 1</think>\nListo") == "Listo"
    assert strip_thinking("Plan:\n```py\nx = 1\n</think>\nMirá:\n```py\nx\n```") == "Mirá:\n```py\nx\n```"


def test_pieces_that_join_up_to_a_tag_are_examined_again() -> None:
    assert strip_thinking("Hola<thi<think>x</think>nk>secret") == "Hola"


PIECES = st.sampled_from(
    [
        "<think>",
        "</think>",
        "<Reasoning>",
        "</THOUGHT>",
        "<think/>",
        "<",
        "think>",
        "`",
        "```",
        "\n",
        "\n```\n",
        " ",
        "ab",
    ]
)


@given(st.lists(PIECES, max_size=14).map("".join))
def test_stripping_twice_changes_nothing(said: str) -> None:
    once = strip_thinking(said)

    assert strip_thinking(once) == once


@given(st.lists(PIECES.filter(lambda piece: "`" not in piece), max_size=14).map("".join))
def test_no_tag_survives_outside_code(said: str) -> None:
    shown = strip_thinking(said).lower()

    assert not any(tag in shown for tag in ("<think>", "</think>", "<reasoning>", "</thought>", "<think/>"))


@given(secret=st.text(alphabet="xyz`\n *", min_size=1), shown=st.text(alphabet="abc ñ", min_size=1))
def test_nothing_of_a_leading_block_is_shown(secret: str, shown: str) -> None:
    assert strip_thinking(f"<think>{secret}</think>{shown}") == shown.strip()


@given(st.text().filter(lambda text: "<" not in text))
def test_a_text_without_tags_is_untouched(text: str) -> None:
    assert strip_thinking(text) == text


def test_many_tags_and_backticks_are_handled_quickly() -> None:
    assert strip_thinking("`" * 20_000 + "x" * 20_000) == "`" * 20_000 + "x" * 20_000
    assert strip_thinking("<think>" * 2_000 + "</think>" * 2_000 + "Hola") == "Hola"
    assert strip_thinking("a</think>" * 2_000 + "Hola") == "Hola"


def test_every_call_sends_the_same_context_size_and_stays_loaded() -> None:
    body = to_ollama(ChatRequest((ChatMessage("user", "hola"),), temperature=0.0), SETTINGS)

    assert body == {
        "model": "qwen3:8b",
        "messages": [{"role": "user", "content": "hola"}],
        "stream": True,
        "think": False,
        "keep_alive": "30m",
        "options": {"num_ctx": 8192, "temperature": 0.0},
    }


def test_limit_schema_and_tools_are_sent_untouched() -> None:
    parameters = {
        "type": "object",
        "properties": {"at": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": None}},
        "required": ["at"],
    }
    request = ChatRequest(
        (ChatMessage("user", "hola"),),
        tools=(ToolSchema("add", "Add a date.", parameters),),
        response_schema={"type": "object", "maxProperties": 1},
        max_tokens=12,
    )

    body = to_ollama(request, SETTINGS)

    assert body["tools"] == [
        {"type": "function", "function": {"name": "add", "description": "Add a date.", "parameters": parameters}}
    ]
    assert body["format"] == {"type": "object", "maxProperties": 1}
    assert body["options"] == {"num_ctx": 8192, "temperature": 0.2, "num_predict": 12}


def test_a_tool_round_keeps_names_ids_and_order() -> None:
    calls = (ToolCall("a", "add", {"x": 1}), ToolCall("b", "now", {}))
    messages = (
        ChatMessage("assistant", "", tool_calls=calls),
        ChatMessage("tool", "2", tool_call_id="a", name="add"),
        ChatMessage("tool", "3 pm", tool_call_id="b", name="now"),
    )

    assert to_ollama(ChatRequest(messages), SETTINGS)["messages"] == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "a", "function": {"name": "add", "arguments": {"x": 1}}},
                {"id": "b", "function": {"name": "now", "arguments": {}}},
            ],
        },
        {"role": "tool", "content": "2", "tool_name": "add", "tool_call_id": "a"},
        {"role": "tool", "content": "3 pm", "tool_name": "now", "tool_call_id": "b"},
    ]


def test_lone_surrogates_never_reach_the_wire() -> None:
    body = to_ollama(ChatRequest((ChatMessage("user", "a\ud83d b \ud83d\ude00"),)), SETTINGS)

    assert body["messages"] == [{"role": "user", "content": "a\ufffd b 😀"}]
    json.dumps(body, ensure_ascii=False).encode()


def chunks(*lines: Chunk) -> list[OllamaChunk]:
    return [OllamaChunk.model_validate(line) for line in lines]


def test_pieces_calls_and_counts_become_one_response() -> None:
    response = from_ollama(
        chunks(
            chunk("<thi"),
            chunk("nk>hmm</think>Ho", thinking="hidden"),
            chunk("la"),
            chunk(tool_calls=[call("add", {"x": 1}, id="c1")]),
            chunk(tool_calls=[call("now", {})]),
            last_chunk(prompt_eval_count=900, prompt_eval_cached_count=850, eval_count=7, done_reason="length"),
        )
    )

    assert response.text == "Hola"
    assert [(c.name, c.arguments) for c in response.tool_calls] == [("add", {"x": 1}), ("now", {})]
    assert response.usage == Usage(prompt_tokens=900, cached_tokens=850, completion_tokens=7, calls=1)
    assert response.is_truncated


def test_counts_that_the_server_left_out_are_zero() -> None:
    last = last_chunk()
    del last["prompt_eval_count"], last["eval_count"]

    assert from_ollama(chunks(chunk("hola"), last)).usage == Usage(calls=1)


def test_calls_without_an_id_get_different_ones() -> None:
    response = from_ollama(chunks(chunk(tool_calls=[call("now", {}), call("now", {})]), last_chunk()))

    assert len({c.id for c in response.tool_calls}) == 2


@pytest.mark.parametrize(
    ("sent", "arguments"),
    [({"x": [1]}, {"x": [1]}), ('{"x": "ñ"}', {"x": "ñ"}), (None, {}), ("", {}), (" ", {}), ("null", {})],
)
def test_arguments_are_read_in_every_form(sent: object, arguments: dict[str, object]) -> None:
    assert to_call("add", sent).arguments == arguments


@pytest.mark.parametrize("sent", ['{"x": 1', "[1]", "7", [1], 7, True])
def test_arguments_that_are_no_object_are_refused(sent: object) -> None:
    with pytest.raises(ValueError, match=r"not an object|Expecting"):
        to_call("add", sent)


def test_an_answer_without_lines_is_refused() -> None:
    with pytest.raises(ValueError, match="without a single line"):
        from_ollama([])


def test_the_estimate_counts_tools_calls_and_wide_characters() -> None:
    plain = estimate_tokens([ChatMessage("user", "a" * 350)])

    assert plain == 106
    assert estimate_tokens([ChatMessage("user", "日" * 350)]) > 2 * plain
    assert estimate_tokens([ChatMessage("user", "a" * 350)], [ToolSchema("t", "x" * 70, {})]) > plain + 20
    assert estimate_tokens([ChatMessage("assistant", "", (ToolCall("1", "t", {"x": "a" * 350}),))]) > plain
    assert estimate_tokens([]) == 0


@pytest.mark.parametrize(
    ("name", "family", "can_think", "protocol"),
    [
        ("qwen3:8b", "qwen3", True, "native"),
        ("Qwen3", "qwen3", True, "native"),
        ("qwen3:1.7b", "qwen3", True, "constrained"),
        ("qwen3-coder:30b", "qwen3-coder", False, "native"),
        ("hf.example/somebody/Qwen3-8B-GGUF:Q4_K_M", "qwen3", True, "native"),
        ("qwen2.5-coder:1.5b", "qwen2.5-coder", False, "constrained"),
        ("qwen2.5:0.5b-instruct", "qwen2.5", False, "constrained"),
        ("qwen2.5:14b", "qwen2.5", False, "native"),
        ("llama3.1:8b", "llama3.1", False, "native"),
        ("llama3.2", "llama3.2", False, "constrained"),
        ("llama3:8b", "llama3", False, "constrained"),
        ("mistral:7b", "mistral", False, "native"),
        ("gemma3:12b", "gemma", False, "constrained"),
        ("gpt-oss:20b", "gpt-oss", True, "native"),
        ("deepseek-r1:8b", "deepseek-r1", True, "constrained"),
        ("something-new:70b", "unknown", False, "constrained"),
        ("", "unknown", False, "constrained"),
    ],
)
def test_a_model_gets_the_profile_of_its_family(name: str, family: str, can_think: bool, protocol: str) -> None:
    profile = profile_for(name)

    assert (profile.family, profile.can_think, profile.tool_protocol) == (family, can_think, protocol)


def test_small_and_unknown_models_are_not_trusted_with_the_meta_tool() -> None:
    assert profile_for("qwen3:8b").leaves_meta_tool_alone
    assert not profile_for("qwen3:0.6b").leaves_meta_tool_alone
    assert not profile_for("something-new:70b").leaves_meta_tool_alone
