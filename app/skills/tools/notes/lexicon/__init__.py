"""Words of a wish to keep a note, which are no part of it."""

import re
from typing import Final

from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS, Lexicon

WORDS: Final = Lexicon.of(__package__)


def _not_linked() -> str:
    return "".join(rf"(?<!\b{word})" for word in sorted(WORDS["linking"]))


def _led(topic: str) -> str:
    return rf"\W{{0,9}}(?:{WORDS.pattern('note_with_lead')},? ){{0,3}}{WORDS.pattern(topic)}"


def _how() -> str:
    """Return what may stand before the mark: "note, word for word please: …"."""
    words = "|".join(sorted(WORDS["wish_words"]))
    return rf"(?:,?(?: (?:{words})){{1,8}}\s?:|\s?(?::|[–—-]\s))"


NOTE_FIRST: Final = LatePattern(
    rf"\W{{0,9}}(?:{WORDS.pattern('note_first')}{_how()}|{WORDS.pattern('note_small')}[,:]\s"
    rf"|{WORDS.pattern('on_record')}(?:\s?[:,.]\s|\s{WORDS.pattern('wish_that_all')}\s)"
    rf"|{WORDS.pattern('to_self')}[,:.]?\s(?!(?:{'|'.join(sorted(WORDS['linking']))})\s)|(?<=/){WORDS.pattern('slashed')}:?\s)\s*",
)
NOTE_TO: Final = LatePattern(rf"\W{{0,9}}{WORDS.pattern('note_to')}\s(?={WORDS.pattern('to_do')})")
NOTE_SAYING: Final = LatePattern(rf"{COMMON_WORDS.pattern('note_saying')},?:?\s")
NOTE_WRITTEN: Final = LatePattern(
    rf"{COMMON_WORDS.pattern('note_written')},?:?\s(?=.{{1,300}}(?<!\w){COMMON_WORDS.pattern('not_to_forget')}(?!\w))"
)
"""A note that is written so as not to forget: "write a note saying … before I forget"."""
NOTE_WITH: Final = LatePattern(rf"{_led('note_with')} {WORDS.pattern('note_of')} (?P<rest>.+)")
ANOTHER_WITH: Final = LatePattern(
    rf"{_led('another_with')} "
    rf"(?:{WORDS.pattern('that_of')} (?P<of>{WORDS.pattern('of_the')})|{WORDS.pattern('note_of')}) (?P<rest>.+)",
)
SEVERAL: Final = LatePattern(
    rf"{_led('several_wished')} (?:(?P<two>{WORDS.pattern('two')})|(?P<three>{WORDS.pattern('three')})) "
    rf"{WORDS.pattern('several_notes')}(?:\s?[:,.]\s?|\s?[–—-]\s|\s)",
)
"""What leads to a number of notes: "save two notes: …"."""
EACH_OF_THEM: Final = LatePattern(rf"\A{WORDS.pattern('each_of_them')}(?:\s?:|\s)\s*")
ANOTHER_SAYING: Final = LatePattern(
    rf"[,.;]?\s(?:(?:and|y|e|plus)\s)?(?:{WORDS.pattern('another_saying')}\s|{WORDS.pattern('another_marked')}:\s?)",
    re.IGNORECASE,
)
OF_THE: Final = LatePattern(rf" {WORDS.pattern('of_the')} ")
IDEA: Final = LatePattern(rf"\W{{0,9}}{WORDS.pattern('idea')}(?:\s?[:,]|\s-)\s")
OCCASION: Final = LatePattern(
    rf"\W{{0,9}}(?P<when>{WORDS.pattern('occasion')}(?:\s[\w'’]+){{0,7}}?)[,:]?\s(?={WORDS.pattern('noting_then')})",
)
INTO_NOTES: Final = LatePattern(rf"\s?(?:->|=>|→|»)\s?{WORDS.pattern('into_notes')}[.!\s]*\Z")
# "The butter is ok" ends with no courtesy.
POLITE_END: Final = LatePattern(
    rf"{_not_linked()}[\s,.!]{{1,9}}(?:{WORDS.pattern('polite_end')}"
    rf"|(?-i:{COMMON_WORDS.pattern('said_at_end')})|{COMMON_WORDS.pattern('not_to_forget')})[\s.!]{{0,9}}\Z",
)
IN_HASTE: Final = LatePattern(rf"{WORDS.pattern('in_haste')},? ?")
HURRIED: Final = LatePattern(
    rf"\W{{0,3}}(?:{WORDS.pattern('before_hurry')},? ){{0,3}}(?:{WORDS.pattern('in_a_hurry')}[,.!]* )?"
    rf"{WORDS.pattern('before_what')}(?: [\w'’]+){{1,8}}?"
    rf"(?:[,.!-]{{1,3}} | (?={WORDS.pattern('puts_this')} ))",
)
"""What a wish is hurried with: "quick before the van leaves, …"."""
WISH_TAIL: Final = LatePattern(rf"(?:,? {WORDS.pattern('wish_tail')}){{1,3}}(?P<mark>\s?[,:.]\s)(?=\S)")
"""What is polite between a wish and what is to be noted: "in a note for me if you can, …"."""
NOTED_OF: Final = LatePattern(
    rf"{_led('several_wished')} {WORDS.pattern('into_a_note')},? {WORDS.pattern('about_whom')} "
    r"(?P<whose>[^,:;!?\n–—]{1,60}?)(?P<mark>\s?:|,| [-–—])\s(?P<rest>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
ONE_MORE_NOTE: Final = LatePattern(
    rf"\W{{0,3}}(?:{WORDS.pattern('before_one_more')},? ){{0,3}}(?:{WORDS.pattern('one_more_note')}"
    rf"(?:,? {WORDS.pattern('polite_more')})?\s?(?:[:,]| [-–—])\s|{WORDS.pattern('one_more')}\s?(?::| [-–—])\s)"
)
"""What leads to one more note behind one that was just made: "and another note: …", "otra: …"."""
FIGURES_OF: Final = LatePattern(
    rf"(?:(?P<who>[^.;:!?\n]{{3,120}}?)(?:[,;.]|(?= {WORDS.pattern('so_note')} )))?\s?"
    rf"(?:{WORDS.pattern('so_note')},? ){{0,2}}{WORDS.pattern('noting_figures')}"
    r"(?P<what>[^:;!?\n]{0,60}?):\s(?P<figures>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
"""Somebody who came by, and figures of theirs to be noted: "Ann came by, note her sizes: …"."""
CAME_BY: Final = LatePattern(rf"(?<!\w){WORDS.pattern('came_by')}(?!\w)")
KEEP_IT: Final = LatePattern(
    rf"(?:[.,;:!…]|(?<=\w)) ?{WORDS.pattern('keep_it')}"
    rf"(?: {WORDS.pattern('at_once')})?(?:,? {WORDS.pattern('in_haste')})?[.! ]*\Z",
)
KEEP_BACK: Final = LatePattern(rf"(?<=[.!…]) {WORDS.pattern('keep_back')}(?=[.!] \w)")
"""A wish to keep what stands before it, with more talk behind it."""
POINTED_ALONE: Final = LatePattern(
    rf"\W{{0,3}}(?:{WORDS.pattern('before_pointing')}[,.!]{{0,3}} ){{0,3}}{WORDS.pattern('pointed_alone')}"
    rf"(?:,? {WORDS.pattern('named_so')} (?P<label>[^,.:;?!\n]{{1,40}}?))?"
    rf"(?:,? (?:{WORDS.pattern('behind_pointing')}|{WORDS.pattern('at_once')}|{WORDS.pattern('in_haste')})){{0,3}}"
    r"[\s.!?]{0,4}"
)
"""A wish to keep what was said before, and nothing else: "write that down please"."""
CALLED_NOTE: Final = LatePattern(
    rf"\W{{0,3}}(?:{WORDS.pattern('before_pointing')}[,.!]{{0,3}} ){{0,3}}{WORDS.pattern('note_named')} "
    r"(?P<label>[^:\n]{1,60}?)\s?:\s(?P<rest>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
"""A note that is given a name: "save a note called locker: 3381"."""
ANOTHER_OF: Final = LatePattern(
    rf"\W{{0,3}}(?:{WORDS.pattern('before_one_more')},? ){{0,3}}{WORDS.pattern('noting_another')} "
    rf"(?:{WORDS.pattern('the_one')} )(?P<of>{WORDS.pattern('of_the')}) (?P<whose>[^:\n]{{1,60}}?)"
    rf"(?: {WORDS.pattern('polite_more')})?\s?:\s(?P<rest>\S.*)",
)
"""One more of the kind that was just noted: "note the one of the van too: 4471"."""
SMALL_TALK: Final = LatePattern(rf"(?:[,.;!…]{{1,3}}|,? y) ¿?¡?{WORDS.pattern('small_talk')}[.!…]*\Z")
NO_MORE_SO: Final = LatePattern(rf"[,.;!…]{{1,3}} {WORDS.pattern('no_more_so')}(?!\w)")
BEHIND_TALK: Final = LatePattern(
    rf"(?:[,.;!…\n]{{1,3}}\s(?:(?:{WORDS.pattern('before_noting')}),?\s){{0,3}}"
    rf"|\s(?:(?:{WORDS.pattern('before_noting')}),?\s){{1,4}})(?={WORDS.pattern('surely_noting')})"
)
WRITING_DOWN: Final = LatePattern(WORDS.pattern("writing_down"))
AGAIN: Final = LatePattern(WORDS.pattern("again"))
WHETHER_NOTED: Final = LatePattern(
    rf"\W*{WORDS.pattern('whether_noted')} (?P<sought>[^?.,;:!\n]{{2,60}}?)\W*\Z", re.IGNORECASE
)
"""A question whether there are notes about something."""
ASKS_WHETHER: Final = LatePattern(rf"(?<!\w){WORDS.pattern('asks_whether')}\W*\Z")
TOLD_YOU: Final = LatePattern(WORDS.pattern("told_you"))
BRING: Final = LatePattern(
    rf"(?:\W{{0,9}}(?:{WORDS.pattern('before_bring')})){{0,4}}\W{{0,9}}{COMMON_WORDS.pattern('bring')} "
    rf"(?P<what>[^,.;:!?\n]{{1,80}}?)(?: {WORDS.pattern('bring_for')}|[,.;!?\n]|\Z)",
)
AND_THAT: Final = LatePattern(rf"\W{{0,9}}{WORDS.pattern('and_that')}:? ", flags=0)
PART_OF: Final = LatePattern(WORDS.pattern("part_of"))
OUT_OF_NOTE: Final = LatePattern(rf",? {WORDS.pattern('out_of_note')}(?=[\s.!?]|\Z)")
"""What a thing is to be taken out of: "delete the limes from that note"."""
SURELY_PART: Final = LatePattern(WORDS.pattern("surely_part"))
ALIKE: Final = tuple(WORDS.table("alike").values())
ONLY_KEPT: Final = LatePattern(WORDS.pattern("only_kept"))
WHAT: Final = LatePattern(rf"\b{WORDS.pattern('what')}\Z")
"""What is told otherwise, and not here: "anotá lo que hablamos"."""
