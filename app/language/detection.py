"""Which of our languages a person is writing in, and which one they want to be answered in."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final

from babel.core import Locale
from lingua import Language as LinguaLanguage
from lingua import LanguageDetector as LinguaDetector
from lingua import LanguageDetectorBuilder

from app.language.catalogue import LANGUAGES, Language
from app.language.folding import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS, Words

_READ_CHARS: Final = 800
_NOT_PROSE: Final = re.compile(
    r'```.*?```|`[^`]*`|https?://\S+|/\w+|\[[^\[\]]*\]|"[^"]*"|“[^“”]*”|«[^«»]*»', re.DOTALL
)
_PROPER_NAME: Final = re.compile(r"(?<=\w )[A-ZÀ-ÖØ-Þ][\wÀ-ÿ]+")
"""A capital inside a sentence: a person or a place, which tells nothing about the language around it."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_MIN_CONFIDENCE: Final = 0.65
"""Below it ("no", "si", "menu") both languages are likely, and the one used so far stays."""
_MIN_WORDS: Final = 3
"""Fewer words behind a command are its arguments ("undo", a server's name), in no language."""
_LONGEST_WISH: Final = 14
"""Words; what is longer is about something else, too, and is for the model."""


_FREQUENT: Final[Mapping[Language, Words]] = MappingProxyType(
    {
        language: tongue.words["stop_words"]
        | tongue.words["asking"]
        | tongue.words["opening"]
        | tongue.words["contracted"]
        for language, tongue in zip(LANGUAGES, COMMON_WORDS.tongues, strict=True)
    }
)
_OWN_WORDS: Final[Mapping[Language, Words]] = MappingProxyType(
    {
        language: words.difference(*(others for other, others in _FREQUENT.items() if other != language))
        for language, words in _FREQUENT.items()
    }
)
"""The frequent words of each language that are not frequent in another."""
_CERTAIN_WORDS: Final[Mapping[Language, Words]] = MappingProxyType(
    {
        language: _OWN_WORDS[language] - tongue.words["ambiguous"]
        for language, tongue in zip(LANGUAGES, COMMON_WORDS.tongues, strict=True)
    }
)
"""Of these, those that another language does not have at all, as Spanish has "he" and "has"."""
_NAMES: Final[Mapping[str, Language]] = MappingProxyType(
    {
        fold(Locale(language).get_language_name(speaking) or language): language
        for language in LANGUAGES
        for speaking in LANGUAGES
    }
)
"""What our languages are called in any of them, folded."""
_WISHES: Final = tuple(
    (topic, LatePattern(pattern, flags=0))
    for topic, pattern in COMMON_WORDS.sequences("wish", language=f"(?P<language>{'|'.join(_NAMES)})")
)


@dataclass(frozen=True, slots=True)
class Wish:
    """The language in which a person wants to be answered from now on; None: that of each message."""

    language: Language | None


def read_wish(text: str) -> Wish | None:
    """Return what a message asks about the language of all answers, if it asks for nothing else."""
    said = _WORD.findall(fold(text[:_READ_CHARS]))
    if len(said) > _LONGEST_WISH:
        return None
    for topic, pattern in _WISHES:
        if (match := pattern.fullmatch(" ".join(said))) is not None:
            return Wish(_NAMES[match["language"]] if topic == "settled" else None)
    return None


@cache
def _by_statistics() -> LinguaDetector:
    builder = LanguageDetectorBuilder.from_languages(LinguaLanguage.SPANISH, LinguaLanguage.ENGLISH)
    return builder.with_preloaded_language_models().build()


class LanguageDetector:
    """Frequent words first, which decide what is short, then letter statistics between Spanish and English.

    A word that both languages have decides only where the letters do not.

    The models of the statistics are loaded once, when the first one is made.
    """

    def __init__(self) -> None:
        self._detector = _by_statistics()

    def detect(self, text: str, fallback: Language) -> Language:
        """Return the language of the text, or the fallback when the text does not tell."""
        prose = _NOT_PROSE.sub(" ", text[:_READ_CHARS])
        if text.lstrip().startswith("/") and len(prose.split()) < _MIN_WORDS:
            return fallback
        return (
            _spoken(prose, _CERTAIN_WORDS)
            or self._by_letters(_PROPER_NAME.sub(" ", prose))
            or _spoken(prose, _OWN_WORDS)
            or fallback
        )

    def _by_letters(self, prose: str) -> Language | None:
        values = self._detector.compute_language_confidence_values(prose)
        if not values or values[0].value < _MIN_CONFIDENCE:
            return None
        return values[0].language.iso_code_639_1.name.lower()


def language_by_words(prose: str) -> Language | None:
    """Return the language whose own words stand in a text, if no other's do."""
    return _spoken(prose, _CERTAIN_WORDS) or _spoken(prose, _OWN_WORDS)


def _spoken(prose: str, own: Mapping[Language, Words]) -> Language | None:
    said = frozenset(_WORD.findall(fold(prose)))
    found = [language for language, words in own.items() if words & said]
    return found[0] if len(found) == 1 else None
