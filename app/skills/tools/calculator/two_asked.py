"""Two questions in one message: both are sums, or one of them is for something else.

"How many pounds is 6 kilos and what's 15% of 340", "what's the weather in Quito and how much is 12 x 30".
"""

import re
from functools import lru_cache
from typing import Final

from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.skills.tools.calculator.alone import answer_alone
from app.skills.tools.calculator.at_once import answer_at_once
from app.skills.tools.calculator.lexicon import WORDS
from app.skills.tools.calculator.spoken import WORD, has_number, says

_MAX_CHARS: Final = 300
_PAIR: Final = 2
_EDGES: Final = " ,.;:!¡¿"
_JOIN: Final = LatePattern(
    rf"(?:[?.!,;]{{1,3}} ?¿?|(?<=\w) )(?:{WORDS.pattern('two.joins')} ¿?)?(?={WORDS.pattern('two.opens')})"
)
_JOINED: Final = LatePattern(rf"(?:{WORDS.pattern('two.joins')}|[?.!,;])")
_ASKING: Final = COMMON_WORDS["interrogatives"]
_FROM_HERE: Final = re.compile(r"\w")


@lru_cache(maxsize=16)
def questions(text: str) -> tuple[str, ...]:
    """Return the two parts of a message that asks twice, the second from its question word; else nothing."""
    plain = " ".join(text.split())
    if len(plain) > _MAX_CHARS or len(fold(plain)) != len(plain):
        return ()
    folded = fold(plain)
    found = [one for one in _JOIN.finditer(folded) if one.start() and _JOINED.search(one[0])]
    if len(found) != 1:
        return ()
    parts = plain[: found[0].start()].strip(_EDGES), plain[found[0].end() :].strip(_EDGES)
    return parts if all(_FROM_HERE.search(one) for one in parts) else ()


def asks_elsewhere(text: str) -> bool:
    """Whether one of two questions is for the weather, a clock or today's date: no sum answers all of it."""
    return any(says(folded, "two.elsewhere") and not has_number(folded) for folded in map(fold, questions(text)))


def answer_two(text: str, ctx: TurnContext) -> tuple[str, Reply] | None:
    """Answer two questions that are sums each; with the last of them, from which a message may go on."""
    parts = questions(text)
    if len(parts) != _PAIR or says(fold(parts[0]), "wishes_anywhere"):
        return None
    answers = [reply.literal for one in parts if (reply := _answer(one, ctx)) is not None]
    if len(answers) != _PAIR:
        return None
    return parts[-1], Reply(literal="\n".join(filter(None, answers)))


def leaves_one(text: str, ctx: TurnContext) -> bool:
    """Whether of two questions with numbers one is no sum that is understood."""
    parts = questions(text)
    if not parts or not all(map(has_number, map(fold, parts))) or _ASKING.isdisjoint(WORD.findall(fold(parts[0]))):
        return False
    return any(_answer(one, ctx) is None for one in parts)


def _answer(asked: str, ctx: TurnContext) -> Reply | None:
    return answer_alone(asked, ctx) or answer_at_once(asked, ctx)
