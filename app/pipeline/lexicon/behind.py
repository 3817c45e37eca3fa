"""What stands behind a wish to keep something, joined to it: a question, and what a thing costs."""

from typing import Final

from app.language.late import LatePattern
from app.pipeline.lexicon import WORDS

ASKS_BEHIND: Final = LatePattern(
    r"(?:[,;.!?]? ¿?(?:y|and|an|also|n|&|then|and then|ah y|oh and)|[.;!?]) ¿?"
    rf"(?!.{{0,40}}(?<!\w){WORDS.pattern('of_what_was_set')})"
    rf"(?:{WORDS.pattern('asks_lead')}[,:.]? (?:que |y )?)?"
    rf"(?:(?P<asks>{WORDS.pattern('asks_behind')})|(?P<talk>{WORDS.pattern('asks_talk_behind')}))(?!\w)"
)
"""Where a question stands behind a wish, joined to it."""
ASKS_AFTER_PAUSE: Final = LatePattern(
    rf", (?:{WORDS.pattern('asks_lead')}[,:.]? )?(?P<asks>{WORDS.pattern('asks_behind')})(?!\w)(?P<talk>(?!))?"
)
TOLD_OF_SUM: Final = LatePattern(rf"(?<=\d),? {WORDS.pattern('told_of_sum')} (?:\w{{1,20}} ?){{1,4}}\W*\Z")
"""What the number is that a sum comes to, behind it."""
PRICED: Final = LatePattern(rf",? {WORDS.pattern('priced')} .{{0,20}}?\d")
"""Where what a thing costs is said behind it."""
SUM_BEFORE: Final = LatePattern(
    rf"\A\W*(?:[^\W\d]{{1,14}}\W{{1,3}}){{0,4}}\d[\d.,]{{0,11}} ?"
    rf"(?:%|[x×*+/÷-] ?\d[\d.,]{{0,11}}|{WORDS.pattern('between_numbers')} \d[\d.,]{{0,11}}"
    rf"|[^\W\d]{{1,14}} {WORDS.pattern('into_unit')} [^\W\d]{{1,14}})"
    rf"(?:\W{{1,3}}[^\W\d]{{1,3}}){{0,2}}\W*\Z"
)
"""A sum, or what is wanted in another measure, and no more: "30 miles in km", "12 x 4"."""
