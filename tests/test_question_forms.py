"""A server's question fits WhatsApp, draws nothing of its own, and every answer to it is understood or refused."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.asking.forms.model import Choice, Field, FieldKind, Question, Value
from app.asking.forms.reading import (
    MAX_ANSWER_CHARS,
    Given,
    LeftOut,
    Prompt,
    Reading,
    Refused,
    Unfit,
    options_of,
    prompts_of,
    read_key,
    read_text,
)
from app.asking.forms.showing import build_prompt, is_typed
from app.asking.lines import button_id
from app.asking.texts import ASKING
from app.domain.errors import Permanent
from app.domain.outbound import MAX_INTERACTIVE_BODY_CHARS, Buttons, OutboundMessage, OutText, Recipient
from app.language.catalogue import Language
from app.whatsapp.payloads import message_payload

BUTTON = partial(button_id, "form", "t" * 22)
KINDS: tuple[FieldKind, ...] = ("text", "number", "integer", "boolean", "choice", "choices")
LANGUAGE = st.sampled_from(("es", "en"))


def text_of(message: OutboundMessage) -> str:
    assert isinstance(message, OutText | Buttons)
    return message.body


def prompt_of(kind: FieldKind, *labels: str, is_required: bool = True, default: Value = None) -> Prompt:
    choices = tuple(Choice(f"value of {label}", label) for label in labels)
    field = Field("f", "A field", kind, choices=choices, is_required=is_required, default=default)
    [prompt] = prompts_of(Question("shop", "Which?", (field,)))
    return prompt


@st.composite
def prompts(draw: st.DrawFn) -> Prompt:
    kind = draw(st.sampled_from(KINDS))
    labels = draw(st.lists(st.text(max_size=120), min_size=1, max_size=50)) if kind.startswith("choice") else []
    field = Field(
        "f",
        draw(st.text(max_size=120)),
        kind,
        draw(st.text(max_size=300)),
        tuple(Choice(str(number), label) for number, label in enumerate(labels)),
        is_required=draw(st.booleans()),
    )
    fields = draw(st.sampled_from(((), (field,), (field, field))))
    return draw(st.sampled_from(prompts_of(Question("shop", draw(st.text(max_size=1000)), fields))))


@given(
    prompts(),
    LANGUAGE,
    st.sampled_from((None, Unfit(ASKING.question_not_in_list), Unfit(ASKING.question_too_long))),
)
def test_every_question_fits_what_whatsapp_takes(prompt: Prompt, language: Language, unfit: Unfit | None) -> None:
    messages = build_prompt(prompt, BUTTON, language, unfit=unfit)
    assert messages
    for message in messages:
        message_payload(Recipient("1"), message, tracker="1")
    assert is_typed(prompt) is isinstance(messages[-1], OutText)


@given(prompts(), st.text(max_size=60))
def test_whatever_is_written_is_read_or_refused_and_never_fails(prompt: Prompt, text: str) -> None:
    typed = read_text(prompt, text, is_typed=is_typed(prompt))
    assert typed is not None or not is_typed(prompt)


@pytest.mark.parametrize("language", ["es", "en"])
def test_every_button_is_understood_whatever_the_language(language: Language) -> None:
    for prompt in (
        Prompt(Question("shop", "Sure?")),
        Prompt(Question("shop", "Open", url="https://example.com/")),
        prompt_of("boolean", is_required=False),
        prompt_of("choice", "Red", "Green", is_required=False),
    ):
        for option in options_of(prompt, language):
            assert read_key(prompt, option.key) == option.reading
            assert read_text(prompt, option.title.upper(), is_typed=False) == option.reading
        assert read_key(prompt, "c") == Refused("cancel")
        assert read_key(prompt, "99") is None


@pytest.mark.parametrize(
    ("kind", "text", "reading"),
    [
        ("text", " Ann Example ", Given("Ann Example")),
        ("text", "x" * (MAX_ANSWER_CHARS + 1), Unfit(ASKING.question_too_long)),
        ("integer", "12", Given(12)),
        ("integer", "12.5", Unfit(ASKING.question_not_integer)),
        ("integer", "9" * 4000, Unfit(ASKING.question_not_integer)),
        ("number", "3,5", Given(3.5)),
        ("number", "-2", Given(-2)),
        ("number", "1e999", Unfit(ASKING.question_not_number)),
        ("number", "nan", Unfit(ASKING.question_not_number)),
        ("choices", "a y c", Given(["value of a", "value of c"])),
        ("choices", "1;1, 3", Given(["value of a", "value of c"])),
        ("choices", "a, nothing", Unfit(ASKING.question_not_in_list)),
        ("text", "No.", Refused("decline")),
        ("text", "cancelar", Refused("cancel")),
        ("text", "skip", Given("skip")),
    ],
)
def test_a_written_answer_is_read_by_the_kind_of_its_field(kind: FieldKind, text: str, reading: Reading) -> None:
    labels = ("a", "b", "c") if kind == "choices" else ()
    assert read_text(prompt_of(kind, *labels), text, is_typed=True) == reading


@pytest.mark.parametrize("text", ["hello", "sí, pero espera", "what is the weather?", "3"])
def test_where_there_are_buttons_another_message_is_no_answer(text: str) -> None:
    assert read_text(prompt_of("choice", "Red", "Green"), text, is_typed=False) is None
    assert read_text(Prompt(Question("shop", "Sure?")), text, is_typed=False) is None


def test_a_choice_named_no_is_chosen_and_refuses_nothing() -> None:
    assert read_text(prompt_of("choice", "Yes", "No"), "no", is_typed=False) == Given("value of No")


@pytest.mark.parametrize(("is_required", "default"), [(False, None), (True, "x"), (False, "x")])
def test_what_is_optional_or_has_a_default_can_be_skipped(is_required: bool, default: Value) -> None:
    prompt = prompt_of("text", is_required=is_required, default=default)
    assert read_text(prompt, "Omitir", is_typed=True) == LeftOut()


def test_a_servers_text_is_quoted_line_by_line_and_draws_nothing() -> None:
    message = "Hello\n*WasAP*: enter your password at https://evil.example\n```approved```"
    [question] = build_prompt(Prompt(Question("a_b*", message)), BUTTON, "en")
    heading, *lines = text_of(question).splitlines()
    assert len(lines) == 3
    assert all(line.startswith("> ") for line in lines)
    assert "https://" not in "".join(lines)
    assert "evil.example" not in "".join(lines)
    assert not any(mark in "".join(lines) for mark in ("*WasAP*", "```"))
    assert "a_b*" not in heading


def test_a_long_text_stands_in_full_above_the_buttons() -> None:
    message = " ".join(f"word{number}" for number in range(140))
    field = Field("f", "Label", "boolean", "hint " * 50)
    *texts, question = build_prompt(Prompt(Question("shop", message, (field,)), field), BUTTON, "en")
    assert message in " ".join(" ".join(map(text_of, texts)).split())
    assert len(text_of(question)) <= MAX_INTERACTIVE_BODY_CHARS
    assert "> Label" in text_of(question)


def test_an_address_is_never_in_a_plain_text_that_whatsapp_would_fetch() -> None:
    url = f"https://example.com/{'a' * 600}"
    *texts, question = build_prompt(Prompt(Question("shop", "word " * 190, url=url)), BUTTON, "en")
    assert texts
    assert not any("https://" in text_of(text) for text in texts)
    assert url in text_of(question)


@pytest.mark.parametrize(
    "url",
    [
        "https://good.example@evil.example/",
        "https://ex\u0430mple.com/",
        f"https://e.com/{'x' * 900}",
        "https://",
        "https://[",
        "https://e.com/ x",
    ],
)
def test_an_address_that_could_deceive_is_not_shown(url: str) -> None:
    with pytest.raises(Permanent, match="question_unshowable"):
        build_prompt(Prompt(Question("mail", "Log in", url=url)), BUTTON, "en")
