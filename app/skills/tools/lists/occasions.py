"""What stands between a list and the things for it: "on the market list for Sunday as Ann is coming: figs"."""

from typing import Final

from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token
from app.skills.tools.lists.lexicon import WORDS
from app.skills.tools.lists.slipped import words_of

_MOST_WORDS: Final = 16
_MOST_OF_A_NAME: Final = 3
_ENDS: Final = frozenset(".!?;\n…")
_APART: Final = frozenset("-–—")
_FOR: Final = frozenset({"for", "para", "pa"})
_WHY: Final = PICKING["breaks"] | WORDS["occasion_reasons"]
_ARTICLES: Final = PICKING["determiners"] | WORDS["place_links"] | WORDS["place_heads"]
_SHOPPING: Final = WORDS["shops"] | WORDS["shop_names"] | WORDS["shopping"] | _ARTICLES
_NO_REASON: Final = (
    WORDS["called_now"] | WORDS["naming_list"] | PICKING["pronouns"] | frozenset({"se", "me", "nos", "le"})
)


def without_occasion(text: str) -> str:
    """Return a message without why, or for when, things go on a list, between its name and the colon."""
    words = words_of(text) if ":" in text or " - " in text or "–" in text or "—" in text else []
    at = next((n for n, one in enumerate(words) if one.key in PICKING["list_words"]), None)
    if at is None:
        return text
    end = next((n for n in range(at + 1, min(len(words), at + _MOST_WORDS + 1)) if _ends(words[n])), None)
    if end is None or any(not _ENDS.isdisjoint(one.gap) for one in words[at + 1 : end + 1]):
        return text
    begin = _begins(words, at, end)
    return text if begin is None else f"{text[: words[begin - 1].end]}{words[end].gap}{text[words[end].start :]}"


def _ends(one: Token) -> bool:
    return ":" in one.gap or (one.gap[:1].isspace() and one.gap.strip() in _APART)


def _begins(words: list[Token], at: int, end: int) -> int | None:
    """Return where the occasion or the reason begins; a name may say for what: "lista para la playa"."""
    is_shopping = _is_shopping(words, at)
    for number in range(at + 1, end):
        key, behind = words[number].key, [one.key for one in words[number + 1 : end] if one.key not in _ARTICLES]
        is_day = bool(behind) and behind[0] in WORDS["occasions"]
        is_why = key in _WHY or (key in PICKING["relative"] and (is_shopping or words[number].is_cut))
        if is_why and behind and behind[0] not in _NO_REASON | WORDS["list_named"]:
            return number
        if key in _FOR and behind and (is_shopping or (is_day and len(behind) > 1)):
            return number
    return None


def _is_shopping(words: list[Token], at: int) -> bool:
    """Tell whether a list is called by shopping, or by a shop: "lista del súper", "the Tesco list"."""
    before, behind = words[at - 1 : at] if at else [], words[at + 1 : at + 1 + _MOST_OF_A_NAME]
    is_led = bool(behind) and behind[0].key in WORDS["place_links"]
    name = next((one for one in behind if one.key not in _ARTICLES), None) if is_led else None
    return any(one is not None and one.key in _SHOPPING - _ARTICLES for one in (*before, name))
