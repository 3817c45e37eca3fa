"""Words: what an identifier is made of, and which words of a message tell something."""

import re
import unicodedata
from typing import Final

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_APART: Final = re.compile(r"[_\-./:&\s]+")
_WORD: Final = re.compile(r"[^\W_]+")
_IDENTIFIER: Final = re.compile(r"[A-Za-z0-9]+(?:[_\-.][A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+")
_MAX_CHARS: Final = 1_000
_MAX_WORDS: Final = 40

# fmt: off
_ENGLISH: Final = frozenset((
    "a", "about", "all", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could",
    "did", "do", "does", "for", "from", "had", "has", "have", "he", "help", "her", "his", "how", "i", "if", "in",
    "into", "is", "it", "its", "just", "know", "like", "m", "me", "my", "need", "no", "not", "of", "on", "or",
    "our", "out", "please", "s", "she", "should", "so", "some", "t", "than", "that", "the", "their", "them",
    "then", "there", "these", "they", "this", "to", "up", "us", "use", "using", "want", "was", "we", "were",
    "what", "when", "where", "which", "who", "why", "will", "with", "would", "you", "your",
))
_SPANISH: Final = frozenset((
    "a", "aca", "ahi", "al", "algo", "algun", "alguna", "como", "con", "cual", "cuales", "cuando", "cuanta",
    "cuanto", "cuantos", "dame", "de", "decime", "del", "desde", "donde", "el", "ella", "en", "entre", "era",
    "es", "esa", "ese", "eso", "esta", "estan", "estas", "este", "esto", "estoy", "fue", "ha", "hace", "haceme",
    "hay", "hoy", "la", "las", "le", "les", "lo", "los", "mas", "me", "mi", "mis", "muy", "necesito", "no",
    "nos", "o", "para", "pero", "podes", "podrias", "por", "porque", "puedo", "que", "quiero", "se", "ser", "si",
    "sin", "sobre", "son", "soy", "su", "sus", "tan", "te", "tenes", "tengo", "tiene", "tienen", "tu", "tus",
    "un", "una", "uno", "unos", "voy", "y", "ya", "yo",
))
# fmt: on


def split_identifier(name: str) -> str:
    """Return the words that a name is made of: "list_pullRequests" → "list pull requests"."""
    return " ".join(part.lower() for part in _APART.split(_CAMEL.sub(" ", name)) if part)


def identifiers(text: str) -> frozenset[str]:
    """Return what looks like the name of a tool in a message, split: "run create_issue" → {"create issue"}."""
    return frozenset(split_identifier(found) for found in _IDENTIFIER.findall(text[:_MAX_CHARS]))


def search_words(text: str) -> list[str]:
    """Return the words of a message that tell something, without case and accents, each once.

    Names are split. All words, where none tells anything.
    """
    folded = _fold(_CAMEL.sub(" ", text[:_MAX_CHARS]))
    found = list(dict.fromkeys(_WORD.findall(folded)))
    telling = [word for word in found if word not in _ENGLISH and word not in _SPANISH]
    return (telling or found)[:_MAX_WORDS]


def match_expression(text: str) -> str:
    """Return an FTS5 expression for any of the telling words; "" where there are none.

    Each is quoted, so it can be neither an operator nor a column (https://www.sqlite.org/fts5.html, section 3).
    """
    return " OR ".join(f'"{word}"' for word in search_words(text))


def _fold(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in parts if not unicodedata.combining(char))
