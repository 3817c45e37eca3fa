"""Words: what an identifier is made of, and which words of a message tell something."""

import re
from typing import Final

from app.domain.wording import fold
from app.language.lexicon import COMMON_WORDS, STOP_WORDS

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_APART: Final = re.compile(r"[_\-./:&\s]+")
_WORD: Final = re.compile(r"[^\W_]+")
_IDENTIFIER: Final = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z0-9]++(?:[_\-.][A-Za-z0-9]++)+|(?<![a-z])[a-z]++(?:[A-Z][a-z0-9]++)+"
)
_MAX_CHARS: Final = 1_000
_MAX_WORDS: Final = 40

_SAYS_NOTHING: Final = STOP_WORDS | COMMON_WORDS["asking"]


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
    folded = fold(_CAMEL.sub(" ", text[:_MAX_CHARS]))
    found = list(dict.fromkeys(_WORD.findall(folded)))
    telling = [word for word in found if word not in _SAYS_NOTHING]
    return (telling or found)[:_MAX_WORDS]


def match_expression(text: str) -> str:
    """Return an FTS5 expression for any of the telling words; "" where there are none.

    Each is quoted, so it can be neither an operator nor a column (https://www.sqlite.org/fts5.html, section 3).
    """
    return " OR ".join(f'"{word}"' for word in search_words(text))
