"""What only tells what happened, or what others do: it names errands, and wishes for none."""

import re
from typing import Final

from app.domain.wording import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.pipeline.lexicon import TELLING_ME, WORDS

_MAX_CHARS: Final = 400
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|[,.;:!…\n–—-]")
_TOLD: Final = WORDS["happened.told"]
_NO_PAST: Final = WORDS["happened.no_past"]
_LEADS: Final = WORDS["happened.leads"]
_ORDERS: Final = WORDS["happened.orders"]
_THANKS: Final = WORDS["happened.thanks"]
_FIRST: Final = 4
_FOR_WHOM: Final = WORDS["happened.for_whom"]
# What asks where it opens a clause; "when I worked there" tells.
_ASKING: Final = (COMMON_WORDS["interrogatives"] | TELLING_ME | WORDS["happened.asks"]) - WORDS[
    "happened.also_tells"
]
_NO_ORDERS: Final = WORDS["happened.no_orders"]
_TALK: Final = LatePattern(rf"(?<!\w){WORDS.pattern('happened.talk_to_all')}(?!\w)")
_MOST_OF_A_DAY: Final = 120
_TELLS_DAY: Final = LatePattern(
    rf"\W{{0,3}}{WORDS.pattern('happened.tells_day')}(?!\w)[^,.;:!?\n]{{0,60}}[.!\s]{{0,3}}\Z"
)
_TELLS_YIELD: Final = LatePattern(
    rf"\W{{0,3}}{WORDS.pattern('happened.tells_yield')}(?!\w)[^;:!?\n]{{0,60}}[.!\s]{{0,3}}\Z"
)
_WISHING: Final = LatePattern(rf"(?<!\w){WORDS.pattern('happened.wishing')}(?!\w)")
_PAST: Final = re.compile(r"\w{2,}(?:ed|[óé]|aron|ieron|yeron|aban?|[aá]bamos|í[ao]n?|i[oó])")
# "Pídele", "cómpramelo", "reserváme": an order by its form.
_ENCLITIC: Final = re.compile(r"\w{2,}[aeiáéín](?:me|nos|les?|l[ao]s?|(?:me|te|se|nos)l[ao]s?)")


def tells_what_happened(text: str) -> bool:
    """Tell whether a text tells what happened, or what others do, and has no order, no wish and no question in it:
    "the couple in six paid twice and nobody saw it"."""
    if "?" in text or len(text) > _MAX_CHARS:
        return False
    said = _TALK.sub(" ", " ".join(text.replace("’", "'").split()))
    written = [one.casefold() for one in _WORD.findall(said)]
    folded = [fold(one) for one in written]
    return any(map(_is_told, written, folded)) and not _wishes(said, written, folded)


def tells_day(text: str) -> bool:
    """Tell whether a text tells on which day something is, and nothing else: "our ferry is on 3 May"."""
    said = " ".join(text.replace("’", "'").split())
    return "?" not in said and len(said) <= _MOST_OF_A_DAY and _TELLS_DAY.match(said) is not None


def tells_yield(text: str) -> bool:
    """Tell whether a text tells how many come of one, and nothing else: "one sheet gives 36 tags"."""
    said = " ".join(text.replace("’", "'").split())
    return "?" not in said and len(said) <= _MOST_OF_A_DAY and _TELLS_YIELD.match(said) is not None


def thanks_first(text: str) -> bool:
    """Tell whether a text begins with thanks."""
    return not _THANKS.isdisjoint(_WORD.findall(fold(text))[:_FIRST])


def wishes_no_errand(text: str) -> bool:
    """Tell whether a text has no order, no wish and no question in it."""
    said = _TALK.sub(" ", " ".join(text.replace("’", "'").split()))
    written = [one.casefold() for one in _WORD.findall(said)]
    return "?" not in text and not _wishes(said, written, [fold(one) for one in written])


def _wishes(said: str, written: list[str], folded: list[str]) -> bool:
    return _WISHING.search(fold(said)) is not None or _has_order(written, folded)


def _is_told(written: str, folded: str) -> bool:
    if folded in _NO_PAST or written in _NO_PAST:
        return False
    return folded in _TOLD or _PAST.fullmatch(written) is not None


def _has_order(written: list[str], folded: list[str]) -> bool:
    """Tell whether a question or a verb of an errand opens a clause, that is for somebody ("book us"), or an order
    has its form."""
    is_open = True
    for said, word, behind in zip(written, folded, [*folded, ""][1:], strict=True):
        # "Qué pasó" asks where "que pasó" goes on telling.
        is_asked = word in _ASKING or (said != word and word in COMMON_WORDS["interrogatives"])
        if (is_open and is_asked) or (word in _ORDERS and (is_open or behind in _FOR_WHOM)):
            return True
        if word not in _NO_ORDERS and _ENCLITIC.fullmatch(word) is not None:
            return True
        is_open = not word[:1].isalpha() or word in _LEADS
    return False
