"""The limits of a server's question are read from its schema, told, and kept by every answer that leaves."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import types

from app.asking.forms.model import NO_LIMITS, Choice, Field, Format, Limits, Question, in_format
from app.asking.forms.reading import Given, Prompt, Reading, Unfit, prompts_of, read_text
from app.asking.forms.showing import build_prompt
from app.asking.lines import button_id
from app.asking.texts import ASKING
from app.domain.outbound import OutboundMessage, OutText
from app.language.catalogue import Language
from app.mcp.connecting.elicitation import read_limits, read_question
from app.skills.schema.arguments import ToolArguments

BUTTON = partial(button_id, "form", "t" * 22)
TITLED = [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}, {"const": "b", "title": "Blue"}]


def prompt_of(schema: Mapping[str, Any]) -> Prompt:
    """What a server asks with that schema, read as it comes over the wire."""
    form = {"type": "object", "properties": {"f": dict(schema)}, "required": ["f"]}
    question = read_question("shop", types.ElicitRequestFormParams(message="Say", requested_schema=form))
    assert question is not None
    [prompt] = prompts_of(question)
    return prompt


def text_of(messages: tuple[OutboundMessage, ...]) -> str:
    assert isinstance(messages[-1], OutText)
    return messages[-1].body


@pytest.mark.parametrize(
    ("schema", "limits"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 10}, Limits(1, 10)),
        ({"type": "number", "minimum": 0.5}, Limits(least=0.5)),
        ({"type": "string", "minLength": 2, "maxLength": 5, "format": "email"}, Limits(2, 5, "email")),
        ({"type": "array", "maxItems": 2, "items": {"enum": ["a"]}}, Limits(most=2)),
        ({"type": "string", "format": "hostname", "minimum": 3}, NO_LIMITS),
        ({"type": "string", "minLength": "3", "maxLength": True, "format": ["date"]}, NO_LIMITS),
        ({"type": "integer", "minimum": 10**400, "maximum": float("nan"), "format": "date"}, NO_LIMITS),
        ({"type": ["string"], "minLength": 3}, NO_LIMITS),
        ({}, NO_LIMITS),
    ],
)
def test_limits_are_read_as_far_as_they_make_sense(schema: Mapping[str, Any], limits: Limits) -> None:
    assert read_limits(schema) == limits


@pytest.mark.parametrize(
    ("schema", "text", "reading"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 10}, "10", Given(10)),
        ({"type": "integer", "minimum": 1, "maximum": 10}, "11", Unfit(ASKING.limit_number)),
        ({"type": "number", "minimum": 0.5}, "0,4", Unfit(ASKING.limit_number)),
        ({"type": "string", "minLength": 3}, "  ab  ", Unfit(ASKING.limit_length)),
        ({"type": "string", "maxLength": 3}, "ñandú", Unfit(ASKING.limit_length)),
        ({"type": "string", "maxLength": 5}, "ñandú", Given("ñandú")),
        ({"type": "string", "format": "email"}, "ana@example.com", Given("ana@example.com")),
        ({"type": "string", "format": "email"}, "ana at example", Unfit(ASKING.limit_email)),
        ({"type": "string", "format": "email", "maxLength": 9}, "ana@example.com", Unfit(ASKING.limit_length)),
        ({"type": "string", "format": "date"}, "2026-02-30", Unfit(ASKING.limit_date)),
        ({"type": "array", "minItems": 2, "items": {"anyOf": TITLED}}, "red", Unfit(ASKING.limit_count)),
        ({"type": "array", "minItems": 2, "items": {"anyOf": TITLED}}, "Blue, red", Given(["r", "b"])),
        ({"type": "array", "maxItems": 1, "items": {"enum": ["a", "b"]}}, "1, 2", Unfit(ASKING.limit_count)),
    ],
)
def test_an_answer_beyond_a_limit_is_none_and_the_limit_is_named(
    schema: Mapping[str, Any], text: str, reading: Reading
) -> None:
    assert read_text(prompt_of(schema), text, is_typed=True) == reading


@pytest.mark.parametrize(
    ("wanted", "text", "written"),
    [
        ("email", "a@b", None),
        ("email", "a b@example.com", None),
        ("email", "first.last+tag@mail.example.org", "first.last+tag@mail.example.org"),
        ("uri", "example.com", None),
        ("uri", "https://example.com/a b", None),
        ("uri", "https://example.com/a?b=1#c", "https://example.com/a?b=1#c"),
        ("uri", "urn:isbn:0451450523", "urn:isbn:0451450523"),
        ("date", "31/1/2026", None),
        ("date", "20260131", "2026-01-31"),
        ("date-time", "2026-01-31 18:30", None),
        ("date-time", "2026-01-31 18:30 -03:00", "2026-01-31T18:30:00-03:00"),
        ("date-time", "2026-01-31t18:30:00z", "2026-01-31T18:30:00Z"),
    ],
)
def test_a_format_is_written_as_the_server_reads_it(wanted: Format, text: str, written: str | None) -> None:
    assert in_format(text, wanted) == written


@pytest.mark.parametrize(
    ("schema", "language", "told"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 10}, "es", "Valor permitido: de 1 a 10."),
        ({"type": "number", "minimum": 0.5}, "es", "Valor permitido: 0,5 como mínimo."),
        ({"type": "number", "maximum": 1e6}, "en", "Value allowed: at most 1000000."),
        ({"type": "string", "minLength": 8, "maxLength": 8}, "en", "in characters: exactly 8."),
        ({"type": "array", "minItems": 2, "items": {"enum": ["a", "b"]}}, "en", "may be chosen: at least 2."),
        ({"type": "string", "format": "date-time"}, "en", "2026-01-31 18:30-03:00"),
    ],
)
def test_a_limit_is_told_before_it_can_be_broken(schema: Mapping[str, Any], language: Language, told: str) -> None:
    assert told in text_of(build_prompt(prompt_of(schema), BUTTON, language))


def test_whoever_broke_a_limit_is_told_which_and_that_once() -> None:
    prompt = prompt_of({"type": "string", "format": "email", "maxLength": 30})
    asked = text_of(build_prompt(prompt, BUTTON, "es", unfit=Unfit(ASKING.limit_email)))
    assert asked.startswith("Eso no vale. Tiene que ser una dirección de correo")
    assert asked.count("dirección de correo") == 1
    assert "Largo permitido, en caracteres: 30 como máximo." in asked


BOUND = st.none() | st.integers(-5, 12) | st.floats(-5, 12, allow_nan=False)
LENGTH = st.none() | st.integers(0, 6)


@st.composite
def asked(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    """A schema of any kind, and what somebody might write to it."""
    kind = draw(st.sampled_from(("string", "integer", "number", "array")))
    names = {"string": ("minLength", "maxLength"), "array": ("minItems", "maxItems")}.get(kind)
    drawn = LENGTH if names else BOUND
    bounds = zip(names or ("minimum", "maximum"), (draw(drawn), draw(drawn)), strict=True)
    schema: dict[str, Any] = {"type": kind, **{key: value for key, value in bounds if value is not None}}
    if kind == "array":
        schema["items"] = {"anyOf": TITLED}
    if kind == "string" and draw(st.booleans()):
        schema["format"] = draw(st.sampled_from(("email", "uri", "date", "date-time", "hostname")))
    written = st.sampled_from(("red", "1,2", "1, 2, 3", "a@b.cd", "x:y", "2026-01-31")) | st.text(max_size=9)
    return schema, draw(written | st.integers(-9, 15).map(str) | st.floats(-9, 15).map(str))


@given(asked(), st.sampled_from(("es", "en")))
def test_what_is_taken_keeps_the_servers_schema_and_what_is_not_is_explained(
    case: tuple[dict[str, Any], str], language: Language
) -> None:
    schema, text = case
    prompt = prompt_of(schema)
    reading = read_text(prompt, text, is_typed=True)
    if isinstance(reading, Given):
        whole = {"type": "object", "properties": {"f": schema}, "required": ["f"]}
        assert ToolArguments(whole).errors({"f": reading.value}) == []
    if isinstance(reading, Unfit):
        assert len(text_of(build_prompt(prompt, BUTTON, language, unfit=reading)).splitlines()[0]) > 10


def test_titles_of_a_list_are_shown_and_their_values_sent() -> None:
    prompt = prompt_of({"type": "array", "items": {"anyOf": TITLED}, "maxItems": 2})
    assert prompt == Prompt(
        Question(
            "shop",
            "Say",
            (
                Field(
                    "f",
                    "f",
                    "choices",
                    choices=(Choice("r", "Red"), Choice("g", "Green"), Choice("b", "Blue")),
                    is_required=True,
                    limits=Limits(most=2),
                ),
            ),
        ),
        prompt.field,
    )
    assert "> 2. Green" in text_of(build_prompt(prompt, BUTTON, "en"))
    assert read_text(prompt, "green and blue", is_typed=True) == Given(["g", "b"])
