"""What stands behind a wish to keep something, joined to it: a question, and what a thing costs."""

from typing import Final

from app.language.late import LatePattern
from app.pipeline.lexicon import WORDS

ASKS_BEHIND: Final = LatePattern(
    r"(?:[,;.!?]? ¿?(?:y|and|also|n|&|then|and then|ah y|oh and)|[.;!?]) ¿?"
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
