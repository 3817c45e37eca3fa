"""SQL as it is written here, for PostgreSQL: what both can say in the same way, with other words.

Functions of SQLite that queries use are defined in the core's migration for PostgreSQL.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_TOKEN: Final = re.compile(
    r"""(?P<kept>'(?:[^']|'')*'|"[^"]*")
    |(?P<hint>\ INDEXED\ BY\ \w+)
    |(?P<join>\bCROSS\ JOIN\b)
    |(?P<differs>\bIS\ NOT\ (?=\?|\w+\.\w))
    |(?P<equals>\bIS\ (?=\?|\w+\.\w))
    |(?P<like>\bLIKE\b)
    |(?P<char>\bchar\()
    |(?P<concat>\bgroup_concat\()
    |\bCAST\((?P<bytes>[\w.]+)\ AS\ BLOB\)
    |\bjson_group_array\((?P<array>[\w.]+)\)
    |\?(?P<place>\d*)""",
    re.VERBOSE,
)
_OTHER_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "kept": "{}",
        "hint": "",
        "join": "JOIN",
        "differs": "IS DISTINCT FROM ",
        "equals": "IS NOT DISTINCT FROM ",
        "like": "ILIKE",
        "char": "chr(",
        "concat": "string_agg(",
        "bytes": "convert_to({}, 'UTF8')",
        "array": "coalesce(json_agg({}), '[]')::text",
    }
)


def for_postgresql(sql: str) -> str:
    """Translate a statement.

    Placeholders become `$1`; hints for SQLite's planner (INDEXED BY, the order of a CROSS JOIN) fall away. LIKE
    takes no notice of the case of a to z, as in SQLite.
    """
    last = 0

    def reword(match: re.Match[str]) -> str:
        nonlocal last
        word = match.lastgroup or ""
        if word != "place":
            return _OTHER_WORDS[word].format(match[word])
        number = int(match["place"] or last + 1)
        last = max(last, number)
        return f"${number}"

    return _TOKEN.sub(reword, sql)


class Statements:
    """Translated statements: there are some hundreds of them, and each is translated once."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def translate(self, sql: str) -> str:
        if (known := self._known.get(sql)) is None:
            known = self._known[sql] = for_postgresql(sql)
        return known
