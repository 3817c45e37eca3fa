"""Short messages of a chat are taken for the language they are in."""

import pytest

from app.language.catalogue import Language
from app.language.detection import LanguageDetector


@pytest.fixture(scope="module")
def languages() -> LanguageDetector:
    return LanguageDetector()


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("hola", "es"),
        ("¡Hola!", "es"),
        ("hello", "en"),
        ("Hi", "en"),
        ("que hora es", "es"),
        ("what time is it", "en"),
        ("Anotá comprar harina", "es"),
        ("gracias!", "es"),
        ("thanks", "en"),
        ("cuánto es 27*31", "es"),
        ("recordame mañana llamar al dentista", "es"),
        ("remind me to call mum", "en"),
        ("clima en Madrid", "es"),
        ("weather in London", "en"),
        ("contame un chiste", "es"),
        ("tell me a joke", "en"),
        ("ayuda", "es"),
        ("please help", "en"),
        ("no me he enterado de nada", "es"),
        ("he llegado tarde", "es"),
        ("no has visto nada", "es"),
        ("he left early", "en"),
        ("has gone", "en"),
        ("hay pan", "es"),
        ("her son eats hay", "en"),
        ("resume este enlace: https://example.com/the-quick-brown-fox-and-the-dog", "es"),
    ],
)
def test_the_language_of_a_message_is_recognised(
    languages: LanguageDetector, text: str, language: Language
) -> None:
    other: Language = "en" if language == "es" else "es"
    assert languages.detect(text, fallback=other) == language


@pytest.mark.parametrize(
    "text", ["no", "dale", "", "42", "👍", "/help", "/mcp undo", "/mcp remove time", "https://example.com/a"]
)
@pytest.mark.parametrize("language", ["es", "en"])
def test_what_tells_no_language_keeps_the_one_used_so_far(
    languages: LanguageDetector, text: str, language: Language
) -> None:
    assert languages.detect(text, fallback=language) == language
