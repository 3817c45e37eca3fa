"""What a model writes that is no answer for a person: the same over and over, or bare JSON."""

import json
import re
from collections import Counter
from typing import Final

_WORD: Final = re.compile(r"[^\W\d_]\w*")
_FENCE: Final = re.compile(r"```\w*\n(.*)\n```", re.DOTALL)
_WINDOW: Final = 12
"""Words in a row. A refrain or the rows of a table share fewer, or come twice."""
_TIMES: Final = 3
_FEW: Final = 5
"""Different words; below it a window is counting or laughing, which may go on longer."""
_TIMES_OF_FEW: Final = 60


def loop_start(text: str) -> int | None:
    """Return where a text begins to repeat itself, in characters; None when it does not. Takes linear time."""
    found = list(_WORD.finditer(text))
    words = [match[0].casefold() for match in found]
    seen: Counter[tuple[str, ...]] = Counter()
    second: dict[tuple[str, ...], int] = {}
    for at in range(len(words) - _WINDOW + 1):
        window = tuple(words[at : at + _WINDOW])
        seen[window] += 1
        if seen[window] == _TIMES - 1:
            second[window] = at
        if seen[window] >= (_TIMES if len(set(window)) >= _FEW else _TIMES_OF_FEW):
            return found[second[window]].start()
    return None


def is_bare_json(text: str) -> bool:
    """Tell whether an answer is a JSON object, or an array of them, and nothing else, with or without a fence."""
    bare = text.strip()
    if (fenced := _FENCE.fullmatch(bare)) is not None:
        bare = fenced[1].strip()
    if not bare.startswith(("{", "[")):
        return False
    try:
        read = json.loads(bare)
    except (ValueError, RecursionError):
        return False
    return isinstance(read, dict) or (isinstance(read, list) and any(isinstance(one, dict) for one in read))
