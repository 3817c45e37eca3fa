"""Which of our languages a person is writing in."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from lingua import Language as LinguaLanguage
from lingua import LanguageDetectorBuilder

from app.language.catalogue import Language

_NOT_PROSE: Final = re.compile(r"```.*?```|`[^`]*`|https?://\S+|/\w+", re.DOTALL)
_MIN_CONFIDENCE: Final = 0.65
"""Below it ("no", "dale", "si") both languages are likely, and the one used so far stays."""
_MIN_WORDS: Final = 3
"""Fewer words behind a command are its arguments ("undo", a server's name), in no language."""
_GREETINGS: Final[Mapping[str, Language]] = MappingProxyType(
    {"hello": "en", "hi": "en", "hey": "en", "hola": "es", "buenas": "es"}
)
"""First words of many chats, which letter statistics alone take for the wrong language."""


class LanguageDetector:
    """Statistical detection between Spanish and English; the models are loaded once, at start."""

    def __init__(self) -> None:
        self._detector = (
            LanguageDetectorBuilder.from_languages(LinguaLanguage.SPANISH, LinguaLanguage.ENGLISH)
            .with_preloaded_language_models()
            .build()
        )

    def detect(self, text: str, fallback: Language) -> Language:
        """Return the language of the text, or the fallback when the text does not tell."""
        prose = _NOT_PROSE.sub(" ", text)[:500]
        if text.lstrip().startswith("/") and len(prose.split()) < _MIN_WORDS:
            return fallback
        if (greeting := _GREETINGS.get(prose.strip(" !¡.,?¿").lower())) is not None:
            return greeting
        values = self._detector.compute_language_confidence_values(prose)
        if not values or values[0].value < _MIN_CONFIDENCE:
            return fallback
        return "es" if values[0].language == LinguaLanguage.SPANISH else "en"
