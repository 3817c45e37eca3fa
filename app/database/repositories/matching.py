"""Full-text queries made of what a person or a model wrote: words only, never FTS5 syntax."""

import re
from collections.abc import Awaitable, Callable
from typing import Final

from app.database.db import Row
from app.domain.wording import clean, stem, words

_WORD: Final = re.compile(r"[^\W_]+")
# What is left has four letters at least: "walking" finds "walk", "caminé" finds "caminar".
_VERB_ENDING: Final = re.compile(
    r"(?<=\w{4})(?:ing|ed|[aei]r|[aá]ndo|i[eé]ndo|ado|ido|é|ó|í|aste|iste|aron|ieron|amos|emos|imos)\Z"
)
_MAX_CHARS: Final = 200
_MAX_WORDS: Final = 16


def match_expressions(query: str) -> tuple[str, ...]:
    """Return FTS5 expressions, the strictest first: all words, then any; none where there is no word.

    Each word is quoted, so it can be neither an operator nor a column, and stands for the words it
    begins (https://www.sqlite.org/fts5.html, section 3). Plural endings are taken off;
    at last those of verbs, too.
    """
    tokens = _tokens(query)
    terms = [f'"{stem(word)}"*' for word in tokens]
    loose = [f'"{_VERB_ENDING.sub("", word)}"*' for word in tokens]
    expressions = (" AND ".join(terms), " OR ".join(terms), " OR ".join(loose))
    return tuple(dict.fromkeys(filter(None, expressions)))


def like_pattern(query: str) -> str:
    """Return a LIKE pattern (ESCAPE '\\') for the query as it stands, anywhere in a text."""
    escaped = re.sub(r"([\\%_])", r"\\\1", clean(query)[:_MAX_CHARS])
    return f"%{escaped}%"


async def first_found(
    query: str,
    full_text: Callable[[str], Awaitable[list[Row]]],
    like: Callable[[str], Awaitable[list[Row]]],
) -> list[Row]:
    """Return the rows of the strictest expression that finds any, else those that hold the text as it stands."""
    for expression in match_expressions(query):
        if rows := await full_text(expression):
            return rows
    return await like(like_pattern(query))


def _tokens(query: str) -> list[str]:
    """The words as they were written: the tokenizer of the index folds them in its own way."""
    telling = set(words(query[:_MAX_CHARS]))
    written = _WORD.findall(clean(query[:_MAX_CHARS]).lower())
    kept = [word for word in written if telling.intersection(words(word))]
    return list(dict.fromkeys(kept or written))[:_MAX_WORDS]
