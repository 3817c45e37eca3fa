"""What a person's answer to a server's question means: a value, nothing, or a refusal."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from app.asking.forms.model import Field, FieldKind, Format, Question, Value, in_format, is_within
from app.asking.lexicon import bare, items_of, read_word
from app.asking.texts import ASKING
from app.language.catalogue import LANGUAGES, Language, Sentence, say

MAX_ANSWER_CHARS: Final = 4000
NO: Final = "No"
"""The same word in all our languages."""
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
    yes = say(ASKING.question_yes, language)
    if field is None:
        agreed = say(ASKING.question_done, language) if prompt.question.url else yes
        return (Option("y", agreed, Given(True)), Option("n", NO, Refused("decline")))
    if field.kind == "boolean":
        options: tuple[Option, ...] = (Option("y", yes, Given(True)), Option("n", NO, Given(False)))
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
    said = bare(text)
    for option in _options_in_all_languages(prompt):
        if said == bare(option.title) or (is_typed and said == option.key and said.isdecimal()):
            return option.reading
    if word := _read_word(prompt, text):
        return word
    return _read_value(prompt.field, text.strip()) if is_typed and prompt.field is not None else None


def _options_in_all_languages(prompt: Prompt) -> Iterator[Option]:
    for language in LANGUAGES:
        yield from options_of(prompt, language)


def _read_word(prompt: Prompt, text: str) -> Reading | None:
    match read_word(text):
        case "cancel":
            return Refused("cancel")
        case "no":
            return Refused("decline")
        case "skip" if prompt.can_be_left_out:
            return LeftOut()
        case "yes" if prompt.field is None or prompt.field.kind == "boolean":
            return Given(True)
        case _:
            return None


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
    named = {bare(choice.label): choice.value for choice in field.choices}
    named |= {str(number): choice.value for number, choice in enumerate(field.choices, 1)}
    picked = {named.get(bare(part)) for part in items_of(text)}
    if not picked or None in picked:
        return Unfit(ASKING.question_not_in_list)
    return Given([choice.value for choice in field.choices if choice.value in picked])
