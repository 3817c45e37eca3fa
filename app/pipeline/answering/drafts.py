"""Texts that the assistant wrote for a person, and messages that want the newest of them changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType
from typing import Final

from babel.core import Locale

from app.database.repositories.conversations import StoredMessage
from app.language.catalogue import LANGUAGES, Language, say
from app.pipeline.lexicon import is_small_talk, wants_text
from app.pipeline.lexicon.redrafts import Change, puts_right, read_change
from app.pipeline.texts import PIPELINE
from app.skills.amending import amended, is_correction
from app.skills.texts import SKILLS

_LEAST_WORDS: Final = 6
_MOST_CHANGES: Final = 12
_MOST_CHARS: Final = 3_000
_SENTENCES: Final = MappingProxyType(
    {
        "language": PIPELINE.redraft_language,
        "recipient": PIPELINE.redraft_recipient,
        "addition": PIPELINE.redraft_addition,
        "complaint": PIPELINE.redraft_complaint,
    }
)
_NO_TEXTS: Final = (
    PIPELINE.cannot_do,
    PIPELINE.cannot_look_up,
    PIPELINE.nothing_went_out,
    PIPELINE.nothing_found,
    SKILLS.nothing_done,
    SKILLS.nothing_to_say,
    SKILLS.nothing_else,
)


@dataclass(frozen=True, slots=True)
class Redraft:
    """A `text` that was just written, and in `wanted` what is to be done with it, in the person's language.

    `language` is the English name of the one that the text is to be in; "" for the one it is in.
    """

    text: str
    wanted: str
    language: str = ""


def read_redraft(
    asked: str, history: Sequence[StoredMessage], quoted: StoredMessage | None, language: Language
) -> Redraft | None:
    """Return what a message wants changed about the text that was just written, or is quoted; else None.

    A message that puts a name, a day or a number right makes the new text by itself: `wanted` is "".
    """
    change = read_change(asked)
    if change is None and not is_correction(asked):
        return None
    if quoted is not None:
        text = quoted.text if quoted.role == "assistant" else ""
    else:
        text = _just_written(history, is_any=change is not None and change.is_for_any)
    if len(text.split()) < _LEAST_WORDS or len(text) > _MOST_CHARS or _is_no_text(text):
        return None
    if change is not None and not change.fits(text):
        return None
    if change is None and (right := amended(text, asked)) is not None:
        return Redraft(right.text, "")
    if change is None and not puts_right(asked):
        return None
    change = change or Change("replacement")
    return Redraft(text, _wanted(change, asked, language), _name(change.language, "en"))


def _just_written(history: Sequence[StoredMessage], *, is_any: bool) -> str:
    """Return the newest answer where it is a text that was wished for, or one that was changed since; else "".

    Greetings and thanks in between, and their answers, are passed over. `is_any`: whatever text it is.
    """
    turns = [(role, [one.text for one in said]) for role, said in groupby(history, key=lambda one: one.role)]
    if not turns or turns[-1][0] != "assistant":
        return ""
    written = ""
    for (_, asked), (_, answered) in list(zip(turns[-2::-2], turns[::-2], strict=False))[:_MOST_CHANGES]:
        if is_small_talk(asked[-1]):
            continue
        written = written or answered[-1]
        if is_any or wants_text(asked[-1]):
            return written
        if read_change(asked[-1]) is None and not is_correction(asked[-1]):
            break
    return ""


def _is_no_text(text: str) -> bool:
    return any(say(one, language) in text for one in _NO_TEXTS for language in LANGUAGES)


def _wanted(change: Change, asked: str, language: Language) -> str:
    sentence = _SENTENCES.get(change.kind, PIPELINE.redraft_change)
    return say(sentence, language, change=" ".join(asked.split()), into=_name(change.language, language))


def _name(code: str, language: Language) -> str:
    return Locale(code).get_language_name(language) or code if code else ""
