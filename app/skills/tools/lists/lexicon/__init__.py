"""Words around lists: names that mean the shopping list, and what is no part of a name."""

import re
from typing import Final

from app.language.late import LatePattern
from app.language.lexicon import Lexicon
from app.skills.picking.lexicon import PICKING

WORDS: Final = Lexicon.of(__package__)
MOVING: Final = LatePattern(WORDS.pattern("moving"))
TO_A_LIST: Final = LatePattern(
    rf"{WORDS.pattern('to_a_list')} [\"“«']?(?P<name>[^\W_][^,.;:!?\n]{{0,59}})",
)
TO_NAMED: Final = LatePattern(
    rf"{WORDS.pattern('to_named')} (?P<name>(?:[^\W_][\w'’-]* ){{1,4}}?)list\b",
)
QUANTITY: Final = LatePattern(WORDS.pattern("quantity"), flags=0)
_SOUND: Final = (
    r"[ae]{1,9}h{1,9}m?|u{1,9}[hmfy]{1,9}|m{1,9}h?m{1,9}|h{1,9}m{1,9}|o{1,9}h{1,9}|e{1,9}rm?"
    r"|a{1,9}y{1,9}|p{1,9}f{1,9}"
)
SOUND: Final = re.compile(_SOUND)
SEARCHING: Final = LatePattern(WORDS.pattern("searching"), flags=0)
SEARCHES: Final = LatePattern(
    rf"(?:(?<=[,.;:] )|(?<!\w)(?:y|e|and|n|{_SOUND}),? )(?:(?:y|e|and|n|{_SOUND}),? )?"
    rf"{WORDS.pattern('searching_name')}[^,.;:\n]{{0,60}}"
    rf"(?:, {WORDS.pattern('describing')}[^,.;:\n]{{0,60}})?",
)
"""Where somebody searches for the word for a thing, and describes it: "uh what do you call it, for the drains"."""
AFTERTHOUGHT: Final = LatePattern(
    rf"(?P<mark>[,;.!…]{{0,3}}) (?:(?:y|e|and|n|{_SOUND}),? ){{0,3}}{WORDS.pattern('afterthought')}"
    rf"(?:,? (?:{_SOUND}|{WORDS.pattern('also_then')})(?!\w)){{0,3}}[,:;.…]{{0,3}} (?P<next>[^\W_]+)",
)
"""Where somebody who dictates thinks of one more thing: "and oh yes also olives"."""
TAG: Final = LatePattern(rf"(?<=\blist) {WORDS.pattern('tags')}\W{{0,9}}\Z")
"""What only seeks agreement behind the words for a list: "put salt on my list no"."""
MORE_BEHIND_TAG: Final = LatePattern(
    rf"(?P<list>(?<!\w)(?:list|lista)(?: (?:del?|de la|para(?: el| la)?) \w{{1,20}})?),? {WORDS.pattern('tags')}"
    rf"(?P<more>,? (?:y|e|and|n|also|ah|oh|ay|uy)(?!\w))"
)
"""Such words where one more thing follows: "put salt on my list will you, ah and rice"."""
PAUSE: Final = re.compile(r"(?<!\.)\.{2,5}(?= )|…(?= )")
DOING: Final = LatePattern(
    rf"(?<!\S)(?:{WORDS.pattern('somebody')} (?:\w{{2,20}} ){{1,2}}?"
    rf"(?:{'|'.join(sorted(WORDS['finite']))}|se \w+|nos \w+|"
    rf"\w{{2,20}}ed {WORDS.pattern('behind_done')})|(?:\w{{2,20}} ){{1,2}}{WORDS.pattern('all_day')})(?!\S)"
)
"""Where somebody does something: "the dog chewed the", "el gato se trepó", "wee Ava coughing all"."""
TURNED: Final = LatePattern(rf"[,;.…]{{0,3}} {WORDS.pattern('turned')}(?!\w)[,.…]{{0,3}}")
"""Where somebody begins to think otherwise, without a mark: "napkins oh hang on Kev has them"."""
UNDECIDED: Final = LatePattern(rf"(?<=[,.;…] ){WORDS.pattern('undecided')}[ .!…]{{0,9}}\Z")
"""Who does not know at last whether it is to be put down: "…, or maybe not"."""
REMEMBERING: Final = LatePattern(rf",? {WORDS.pattern('remembering')}(?=[ .!]{{0,9}}(?:\Z|[,;\n]))")
"""Why it is said just now, at the end of a clause: "before I forget"."""
LACKING: Final = LatePattern(WORDS.pattern("lacking"))
CALLS_IT: Final = LatePattern(rf"{WORDS.pattern('calls_it')} ")
CALLED_BEHIND: Final = LatePattern(rf",? (?={WORDS.pattern('calls_it')} )")
NAMES_IT: Final = LatePattern(rf"{WORDS.pattern('names_it')} (?=\S)")
GONE: Final = LatePattern(WORDS.pattern("gone"))
UNITS: Final = frozenset(word for tongue in WORDS.tongues for word in tongue.lists["unit"].split())
MEASURE: Final = re.compile(r"\d{1,4}(?:[.,]\d{1,3})? ?(?:kg|gr?|ml|lb|lt?|oz)s?")
INSTEAD_OF: Final = frozenset(one.replace("_", " ") for one in WORDS["instead_of"])
PUTTING_IT_BACK: Final = LatePattern(WORDS.pattern("putting_it_back"))
PUTTING_BACK: Final = LatePattern(WORDS.pattern("putting_back"), flags=0)
ASKED_BESIDE: Final = PICKING["determiners"] | PICKING["opening"] | PICKING["already"] | WORDS["asked_beside"]
NOT_FIRST: Final = LatePattern(WORDS.pattern("not_first"))
EXPENSES: Final = LatePattern(WORDS.pattern("expenses"))
TO_EXPENSES: Final = LatePattern(WORDS.pattern("to_expenses"))
KEEPS_EXPENSE: Final = LatePattern(WORDS.pattern("keeps_expense"))
MORE_SPENT: Final = LatePattern(WORDS.pattern("more_spent"))
COST_VERBS: Final = LatePattern(rf"\A{WORDS.pattern('cost_verbs')} ")
SPENT_ENDS: Final = LatePattern(rf" {WORDS.pattern('keeps_expense')} ")
ASKS_TOTAL: Final = LatePattern(WORDS.pattern("asks_total"))
ANY_LIST: Final = LatePattern(WORDS.pattern("any_list"))
"""A list of whoever has one: "what makes a good to-do list"; "these lists" are of those who were told of."""
