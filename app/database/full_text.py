"""Full text: finding rows by their words, and which of them hold most of what was asked for.

SQLite has FTS5 with BM25; PostgreSQL has `tsvector`, with a rank that counts occurrences, not rarity.
Both take the expressions of app/database/repositories/matching.py, fold case and accents, know no stop words.
"""

from dataclasses import dataclass

from app.database.db import Database


@dataclass(frozen=True, slots=True)
class WordSearch:
    """Parts of a statement whose first parameter is the expression.

    `matches` is the condition. `cost` is smaller where a row fits better, and negative.
    """

    matches: str
    cost: str


def word_search(db: Database, table: str, *weights: float, has_owner: bool = False) -> WordSearch:
    """Return how rows are found in `table`, the words of the table without its `_fts`.

    `weights` say how much each of its columns counts, in their order; without them, all count the same.
    `has_owner`: in SQLite the table has a column `user_id` in front, which counts nothing; see `of_owner`.
    """
    if db.engine == "sqlite":
        weights = (0.0, *(weights or (1.0,))) if has_owner else weights
        cost = f"bm25({table}, {', '.join(map(str, weights))})" if weights else f"{table}.rank"
        return WordSearch(f"{table} MATCH ?1", cost)
    # The first column has the letter A, which comes last. No letter may weigh more than 1.
    most = max(weights, default=1.0)
    letters = [1.0] * (4 - len(weights)) + [weight / most for weight in reversed(weights)]
    query = "fts_query(?1)"
    rank = f"ts_rank(ARRAY{letters}::real[], {table}.words, {query})"
    return WordSearch(f"{table}.words @@ {query}", f"-{most} * {rank}")


def of_owner(db: Database, expression: str, owner: str, column: str) -> str:
    """Restrict an expression to one person's rows: where FTS5 ranks, it must not rank those of everybody.

    In PostgreSQL the condition on `user_id` does.
    """
    if db.engine == "sqlite":
        return f'user_id : "{owner.replace(chr(34), "")}" AND {column} : ({expression})'
    return expression
