"""How a server's question looks on WhatsApp: buttons, a list, or plain text, and never as our own words."""

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from app.asking.forms.model import Field, Limits, Value
from app.asking.forms.reading import (
    MAX_ANSWER_CHARS,
    NO,
    RULES,
    Option,
    Prompt,
    Unfit,
    cancel_option,
    options_of,
    rules_of,
)
from app.asking.lines import ButtonId
from app.asking.showing import fits_beside_buttons, neutralise, quoted, unlinked
from app.asking.texts import ASKING
from app.domain.errors import Permanent
from app.domain.outbound import (
    MAX_BUTTON_TITLE_CHARS,
    MAX_BUTTONS,
    MAX_LIST_ROWS,
    MAX_ROW_DESCRIPTION_CHARS,
    MAX_ROW_TITLE_CHARS,
    Button,
    Buttons,
    ListMenu,
    ListRow,
    ListSection,
    OutboundMessage,
    OutText,
)
from app.language.catalogue import LANGUAGES, Language, Sentence, say
from app.whatsapp.split import split

_MAX_QUOTED_CHARS: Final = 2000
_MAX_BRIEF_CHARS: Final = 200
_MAX_URL_CHARS: Final = 700
_MOST_WRITTEN_OUT: Final = 1e15
_PLAIN_URL: Final = re.compile(r"[!-~]+")


def is_typed(prompt: Prompt) -> bool:
    """Tell whether the answer has to be written, because it is free or the options fit on no button."""
    return _layout(prompt) == "text"


def build_prompt(
    prompt: Prompt, button: ButtonId, language: Language, *, unfit: Unfit | None = None
) -> tuple[OutboundMessage, ...]:
    """Return the messages that ask; the last one is what an answer quotes.

    `unfit` is why the answer before could not be used. The server's words are quoted, cannot draw anything
    or be tapped, and stand in full above the buttons where they are too long to be beside them.

    Raises:
        Permanent: "question_unshowable" for an address that cannot be shown as it is.
    """
    lines = _lines(prompt, language, unfit)
    if is_typed(prompt):
        return tuple(map(OutText, split("\n".join([*lines, *_how_to_type(prompt, language)]))))
    if fits_beside_buttons(lines):
        return (_interactive(prompt, button, "\n".join(lines), language),)
    # An address stands beside the buttons only: in a plain text WhatsApp would fetch it for a preview, and
    # nobody but the person may open it (MCP 2025-11-25, "Elicitation", safe URL handling).
    pieces = split("\n".join(_lines(prompt, language, unfit, has_link=False)))
    asked = prompt.field.label if prompt.field is not None else prompt.question.message
    brief = [_heading(prompt, language), *quoted(asked, _MAX_BRIEF_CHARS), *_link(prompt, language)]
    return (*map(OutText, pieces), _interactive(prompt, button, "\n".join(brief), language))


def _layout(prompt: Prompt) -> str:
    """Decide alike in all languages, as nobody remembers in which one the question was asked."""
    options = options_of(prompt, LANGUAGES[0])
    longest = max((len(neutralise(option.title)) for option in options), default=0)
    is_blank = any(not option.title.strip() for option in options)
    if not options or is_blank or len(options) > MAX_LIST_ROWS or longest > MAX_ROW_DESCRIPTION_CHARS:
        return "text"
    return "buttons" if len(options) <= MAX_BUTTONS and longest <= MAX_BUTTON_TITLE_CHARS else "list"


def _interactive(prompt: Prompt, button: ButtonId, body: str, language: Language) -> OutboundMessage:
    options = options_of(prompt, language)
    is_list = _layout(prompt) == "list"
    if len(options) < (MAX_LIST_ROWS if is_list else MAX_BUTTONS):
        options = (*options, cancel_option(language))
    if not is_list:
        return Buttons(body, tuple(Button(button(each.key), neutralise(each.title)) for each in options))
    rows = tuple(_row(button, each) for each in options)
    return ListMenu(body, say(ASKING.question_choose, language), (ListSection("", rows),))


def _row(button: ButtonId, option: Option) -> ListRow:
    title = neutralise(option.title)
    return ListRow(button(option.key), title, title if len(title) > MAX_ROW_TITLE_CHARS else "")


def _lines(prompt: Prompt, language: Language, unfit: Unfit | None, *, has_link: bool = True) -> list[str]:
    lines = []
    if unfit is not None:
        lines.append(_why_unfit(unfit, prompt, language))
    lines.append(_heading(prompt, language))
    if prompt.is_first and unfit is None:
        lines += quoted(prompt.question.message, _MAX_QUOTED_CHARS)
    field = prompt.field
    if field is not None:
        lines += quoted(field.label, _MAX_QUOTED_CHARS)
        lines += quoted(field.hint, _MAX_QUOTED_CHARS)
        told = None if unfit is None else unfit.reason
        lines += [_rule_text(rule, field, language) for rule in rules_of(field) if rule is not told]
        if field.default is not None:
            lines.append(say(ASKING.question_default, language, value=_default_text(field, language)))
    return [*lines, *(_link(prompt, language) if has_link else ())]


def _why_unfit(unfit: Unfit, prompt: Prompt, language: Language) -> str:
    if unfit.reason in RULES and prompt.field is not None:
        rule = _rule_text(unfit.reason, prompt.field, language)
        return say(ASKING.limit_broken, language, rule=rule)
    return say(unfit.reason, language, limit=MAX_ANSWER_CHARS)


def _rule_text(rule: Sentence, field: Field, language: Language) -> str:
    return say(rule, language, range=_range_text(field.limits, language))


def _range_text(limits: Limits, language: Language) -> str:
    least, most = _number_text(limits.least, language), _number_text(limits.most, language)
    if not most:
        return say(ASKING.limit_at_least, language, least=least)
    if not least:
        return say(ASKING.limit_at_most, language, most=most)
    phrase = ASKING.limit_exactly if least == most else ASKING.limit_between
    return say(phrase, language, least=least, most=most)


def _number_text(value: float | None, language: Language) -> str:
    if value is None:
        return ""
    is_whole = abs(value) < _MOST_WRITTEN_OUT and value == int(value)
    text = str(int(value)) if is_whole else repr(float(value))
    return text.replace(".", ",") if language == "es" else text


def _heading(prompt: Prompt, language: Language) -> str:
    server, count = neutralise(prompt.question.server), len(prompt.question.fields)
    if prompt.is_first and count <= 1:
        return say(ASKING.question_asks, language, server=server)
    return say(ASKING.question_goes_on, language, server=server, number=prompt.number, count=count)


def _link(prompt: Prompt, language: Language) -> Sequence[str]:
    url = prompt.question.url
    if url is None:
        return ()
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        host = None
    # Letters of other alphabets and names before an @ make one host look like another.
    if not host or "@" in parts.netloc or len(url) > _MAX_URL_CHARS or not _PLAIN_URL.fullmatch(url):
        raise Permanent("question_unshowable", "the address cannot be shown as it is")
    return (say(ASKING.question_open_link, language, host=unlinked(host), url=url),)


def _how_to_type(prompt: Prompt, language: Language) -> list[str]:
    field = prompt.field
    lines = []
    how = ASKING.question_type_it
    if field is not None and field.choices:
        lines += [f"> {number}. {unlinked(choice.label)}" for number, choice in enumerate(field.choices, 1)]
        how = ASKING.question_type_numbers if field.kind == "choices" else ASKING.question_type_number
    lines.append(say(how, language))
    if prompt.can_be_left_out:
        lines.append(say(ASKING.question_or_skip, language))
    return lines


def _default_text(field: Field, language: Language) -> str:
    labels = {choice.value: choice.label for choice in field.choices}

    def text(value: Value) -> str:
        if isinstance(value, list):
            return ", ".join(map(text, value))
        if isinstance(value, bool):
            return say(ASKING.question_yes, language) if value else NO
        return labels.get(str(value), str(value))

    return unlinked(text(field.default))[:_MAX_BRIEF_CHARS]
