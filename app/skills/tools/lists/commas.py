"""A new list whose name and things only a comma parts: "need a hardware list, glue, tape"."""

from collections.abc import Set
from typing import Final

from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import pieces, stripped
from app.skills.tools.lists.lexicon import WORDS
from app.skills.tools.lists.slipped import household_word, words_of
from app.skills.tools.lists.strung import things_in
from app.skills.tools.lists.talk import tells

_MOST_BEFORE_LIST: Final = 7
_WANTING: Final = WORDS["needed"] | WORDS["making"] | WORDS["lacked"]
_OPENING: Final = WORDS["filling"] | PICKING["opening"] | PICKING["subjects"] | WORDS["spoken_to"]


def with_colon(text: str, own: Set[str]) -> str:
    """Return a message that wants a new list with a colon before its things, where a comma stands there: "need a
    hardware list, glue, tape"; any other as it is, or where it is not sure that all behind it are things."""
    words = stripped(words_of(text), _OPENING)
    at = next((n for n, one in enumerate(words[:_MOST_BEFORE_LIST]) if one.key in PICKING["list_words"]), 0)
    wants = [one.key in some for one, some in zip(words, (_WANTING, PICKING["determiners"]), strict=False)]
    end = next((n for n in range(1, min(len(words), at + _MOST_BEFORE_LIST)) if words[n].is_cut), 0)
    if wants != [True, True] or not 1 < at < end or words[end].gap.strip() != "," or ":" in text:
        return text
    behind = [part for part in pieces(words[end:]) if not tells(text, part)]
    is_led = any(part[0].key in WORDS["counts"] and len(part) > 1 for part in behind)
    is_row = len(behind) > 1 and (is_led or any(household_word(one.key) for part in behind for one in part))
    if not is_row or things_in(text, words[end : end + sum(map(len, behind))], own) is None:
        return text
    return f"{text[: words[end - 1].end]}:{text[words[end - 1].end + 1 :]}"
