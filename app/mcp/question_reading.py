"""What a person's answer to a server's question means: a value, nothing, or a refusal."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from app.asking.texts import ASKING
from app.domain.wording import fold
from app.language.catalogue import LANGUAGES, Language, Sentence, say
from app.mcp.connecting.elicitation import Field, FieldKind, Question, Value
from app.mcp.field_limits import Format, in_format, is_within

MAX_ANSWER_CHARS: Final = 4000
_NO: Final = "No"
"""The same word in all our languages."""
_YES_WORDS: Final = frozenset({"si", "yes"})
_NO_WORDS: Final = frozenset({"no"})
_SKIP_WORDS: Final = frozenset({"skip", "omitir", "saltar"})
_CANCEL_WORDS: Final = frozenset({"cancel", "cancelar", "cancela"})
_INTEGER: Final = re.compile(r"[+-]?\d{1,18}")
_SIZE_RULES: Final[Mapping[FieldKind, Sentence]] = MappingProxyType(
    {
        "text": ASKING.limit_length,
        "integer": ASKING.limit_number,
        "number": ASKING.limit_number,
        "choices": ASKING.limit_count,
    }
)
_FORMAT_RULES: Final[Mapping[Format, Sentence]] = MappingProxyType(
    {
        "email": ASKING.limit_email,
        "uri": ASKING.limit_uri,
        "date": ASKING.limit_date,
        "date-time": ASKING.limit_date_time,
    }
)
RULES: Final = frozenset((*_SIZE_RULES.values(), *_FORMAT_RULES.values()))
"""The limits that a field may set; other reasons are about what kind of thing was asked."""
_NUMBER: Final = re.compile(r"[+-]?(?:\d{1,30}(?:[.,]\d{1,30})?|[.,]\d{1,30})(?:e[+-]?\d{1,3})?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Given:
    """What goes to the server; for a question without fields, that the person agrees."""

    value: Value


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The person skipped an optional field."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The person wants none of it."""

    action: Literal["decline", "cancel"]


@dataclass(frozen=True, slots=True)
class Unfit:
    """An answer that cannot be used; `reason` is said when the person is asked again: a sentence of its own,
    or one of the `rules_of` the field."""

    reason: Sentence


Reading = Given | LeftOut | Refused | Unfit


@dataclass(frozen=True, slots=True)
class Prompt:
    """One thing to ask: a field of a question, or the question itself where it has none."""

    question: Question
    field: Field | None = None
    number: int = 1

    @property
    def is_first(self) -> bool:
        return self.number == 1

    @property
    def can_be_left_out(self) -> bool:
        return self.field is not None and (not self.field.is_required or self.field.default is not None)


@dataclass(frozen=True, slots=True)
class Option:
    """Something to press or to pick; `key` is its part of the button's id."""

    key: str
    title: str
    reading: Reading


def prompts_of(question: Question) -> tuple[Prompt, ...]:
    """Return what has to be asked, one thing after the other."""
    if not question.fields:
        return (Prompt(question),)
    return tuple(Prompt(question, field, number) for number, field in enumerate(question.fields, 1))


def options_of(prompt: Prompt, language: Language) -> tuple[Option, ...]:
    """Return what there is to press or to pick, skipping included; nothing where the answer is free."""
    field = prompt.field
    if field is None:
        word = ASKING.question_done if prompt.question.url else ASKING.question_yes
        return (Option("y", say(word, language), Given(True)), Option("n", _NO, Refused("decline")))
    if field.kind == "boolean":
        yes = Option("y", say(ASKING.question_yes, language), Given(True))
        options: tuple[Option, ...] = (yes, Option("n", _NO, Given(False)))
    elif field.kind == "choice":
        options = tuple(
            Option(str(number), choice.label, Given(choice.value))
            for number, choice in enumerate(field.choices, 1)
        )
    else:
        return ()
    skip = Option("s", say(ASKING.question_skip, language), LeftOut())
    return (*options, skip) if prompt.can_be_left_out else options


def rules_of(field: Field) -> tuple[Sentence, ...]:
    """Return which limits an answer has to keep."""
    size = _SIZE_RULES.get(field.kind) if field.limits.has_size else None
    wanted = _FORMAT_RULES[field.limits.format] if field.kind == "text" and field.limits.format else None
    return tuple(rule for rule in (wanted, size) if rule is not None)


def cancel_option(language: Language) -> Option:
    return Option("c", say(ASKING.approval_cancel, language), Refused("cancel"))


def read_key(prompt: Prompt, key: str) -> Reading | None:
    """Return what a pressed button says; None for one that this question does not have."""
    options = (*options_of(prompt, LANGUAGES[0]), cancel_option(LANGUAGES[0]))
    return next((option.reading for option in options if option.key == key), None)


def read_text(prompt: Prompt, text: str, *, is_typed: bool) -> Reading | None:
    """Return what a typed answer says, in any of our languages.

    None when it is no answer: only possible where there is something to press (`is_typed` is False), as
    people may well write something else then.
    """
    said = _bare(text)
    for option in _options_in_all_languages(prompt):
        if said == _bare(option.title) or (is_typed and said == option.key and said.isdecimal()):
            return option.reading
    if word := _read_word(prompt, said):
        return word
    return _read_value(prompt.field, text.strip()) if is_typed and prompt.field is not None else None


def _options_in_all_languages(prompt: Prompt) -> Iterator[Option]:
    for language in LANGUAGES:
        yield from options_of(prompt, language)


def _read_word(prompt: Prompt, said: str) -> Reading | None:
    if said in _CANCEL_WORDS:
        return Refused("cancel")
    if said in _SKIP_WORDS and prompt.can_be_left_out:
        return LeftOut()
    if said in _NO_WORDS:
        return Refused("decline")
    is_yes_or_no = prompt.field is None or prompt.field.kind == "boolean"
    return Given(True) if said in _YES_WORDS and is_yes_or_no else None


def _read_value(field: Field, text: str) -> Reading | None:
    match field.kind:
        case "text":
            return _read_free(field, text)
        case "integer":
            fits = _INTEGER.fullmatch(text)
            return _sized(field, Given(int(text))) if fits else Unfit(ASKING.question_not_integer)
        case "number":
            return _sized(field, _read_number(text))
        case "choices":
            return _sized(field, _read_choices(field, text))
        case "choice":
            return Unfit(ASKING.question_not_in_list)
        case "boolean":
            return None


def _read_free(field: Field, text: str) -> Reading:
    if len(text) > MAX_ANSWER_CHARS:
        return Unfit(ASKING.question_too_long)
    wanted = field.limits.format
    written = text if wanted is None else in_format(text, wanted)
    if wanted is not None and written is None:
        return Unfit(_FORMAT_RULES[wanted])
    return _sized(field, Given(written))


def _sized(field: Field, reading: Reading) -> Reading:
    """Let a value through that keeps the field's limits; what is none already stays as it is."""
    rule = _SIZE_RULES.get(field.kind)
    if rule is None or not isinstance(reading, Given) or not isinstance(reading.value, str | int | float | list):
        return reading
    return reading if is_within(field.limits, reading.value) else Unfit(rule)


def _read_number(text: str) -> Reading:
    value = float(text.replace(",", ".")) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value):
        return Unfit(ASKING.question_not_number)
    return Given(int(text) if _INTEGER.fullmatch(text) else value)


def _read_choices(field: Field, text: str) -> Reading:
    """Read numbers or labels between commas; the order is that of the list, and nothing counts twice."""
    named = {_bare(choice.label): choice.value for choice in field.choices}
    named |= {str(number): choice.value for number, choice in enumerate(field.choices, 1)}
    picked = {named.get(_bare(part)) for part in re.split(r"[,;\n]|\s+(?:y|and)\s+", text) if part.strip()}
    if not picked or None in picked:
        return Unfit(ASKING.question_not_in_list)
    return Given([choice.value for choice in field.choices if choice.value in picked])


def _bare(text: str) -> str:
    return fold(text).strip(" .,;!¡…")
