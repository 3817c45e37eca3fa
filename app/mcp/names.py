"""What servers and their tools are called among ours: safe in a file name, a category and a tool call."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Final

MAX_TOOL_NAME_CHARS: Final = 64
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]+")
_HASH_CHARS: Final = 8


def slug(server: str) -> str:
    """Return a server's name as a category, a file name and a part of its tools' names."""
    return _UNSAFE.sub("_", server).strip("_") or "server"


def tool_names(offered: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
    """Return the name under which each (server, tool) is offered: `mcp_SERVER_TOOL`.

    All names are distinct, at most `MAX_TOOL_NAME_CHARS` long, of letters, digits, `_` and `-`. They depend
    on the set of tools only, not on who came first: a name that had to be changed or cut ends in a hash of
    the pair, and of several pairs that would share a name (`a_b` with `c`, `a` with `b_c`) the first in
    alphabetical order keeps it.
    """
    names: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for pair in sorted(set(offered)):
        plain = f"mcp_{slug(pair[0])}_{_UNSAFE.sub('_', pair[1])}"
        is_itself = plain == f"mcp_{pair[0]}_{pair[1]}" and len(plain) <= MAX_TOOL_NAME_CHARS
        name = plain if is_itself and plain not in taken else _hashed(plain, pair)
        if name not in taken:
            taken.add(name)
            names[pair] = name
    return names


def _hashed(plain: str, pair: tuple[str, str]) -> str:
    digest = hashlib.blake2s("\0".join(pair).encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_CHARS]
    return f"{plain[: MAX_TOOL_NAME_CHARS - _HASH_CHARS - 1]}_{digest}"
