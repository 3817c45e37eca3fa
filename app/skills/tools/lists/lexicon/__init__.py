"""Words around lists: names that mean the shopping list, and what is no part of a name."""

import re
from typing import Final

from app.language.late import LatePattern
from app.language.lexicon import Lexicon
from app.skills.picking.lexicon import PICKING

_WORDS: Final = Lexicon.of(__package__)
SHOPPING: Final = _WORDS["shopping"]
NOT_A_NAME: Final = _WORDS["not_a_name"]
BEHIND_NAME: Final = _WORDS["behind_name"]
MOVING: Final = re.compile(_WORDS.pattern("moving"), re.IGNORECASE)
TO_A_LIST: Final = re.compile(
    rf"{_WORDS.pattern('to_a_list')} [\"“«']?(?P<name>[^\W_][^,.;:!?\n]{{0,59}})", re.IGNORECASE
)
TO_NAMED: Final = re.compile(
    rf"{_WORDS.pattern('to_named')} (?P<name>(?:[^\W_][\w'’-]* ){{1,4}}?)list\b", re.IGNORECASE
)
QUANTITY: Final = re.compile(_WORDS.pattern("quantity"))
COUNTING: Final = _WORDS["counting"]
COUNTED: Final = _WORDS["counted"]
ADD_VERBS: Final = _WORDS["add_verbs"]
FILLING: Final = _WORDS["filling"]
STORY: Final = _WORDS["story"]
INSTEAD: Final = _WORDS["instead"]
LACKING: Final = re.compile(_WORDS.pattern("lacking"), re.IGNORECASE)
IN_ITEMS: Final = _WORDS["in_items"]
TO_LIST: Final = _WORDS["to_list"]
IN_LIST: Final = _WORDS["in_list"]
NO_THINGS: Final = _WORDS["no_things"]
COUNTS: Final = _WORDS["counts"]
ALSO_THINGS: Final = _WORDS["also_things"]
NOUN_VERBS: Final = _WORDS["noun_verbs"]
THING_OPENERS: Final = _WORDS["thing_openers"]
VOCATIVES: Final = _WORDS["vocatives"]
ENGLISH_MARKS: Final = _WORDS["english_marks"]
NOT_OPENING: Final = _WORDS["not_opening"]
LIST_NAMED: Final = _WORDS["list_named"]
HAVING: Final = _WORDS["having"]
HAVING_ELSE: Final = _WORDS["having_else"]
GOT_BY: Final = _WORDS["got_by"]
SURELY_GOT: Final = _WORDS["surely_got"]
IN_DOUBT: Final = _WORDS["in_doubt"]
AT_PLACES: Final = _WORDS["at_places"]
CONSUMED: Final = _WORDS["consumed"]
BESIDE_LIST: Final = _WORDS["beside_list"]
PUT_VERBS: Final = _WORDS["put_verbs"]
PLACE_LEADS: Final = _WORDS["place_leads"]
PLACE_HEADS: Final = _WORDS["place_heads"]
PLACE_LINKS: Final = _WORDS["place_links"]
PLACE_LISTS: Final = _WORDS["place_lists"]
PLACE_ENDS: Final = _WORDS["place_ends"]
SHOPS: Final = _WORDS["shops"]
NO_ITEM: Final = _WORDS["no_item"]
TELLING_WHICH: Final = _WORDS["telling_which"]
WHICH_TOO: Final = _WORDS["which_too"]
HOUSEHOLD: Final = _WORDS["household"]
BEFORE_WHAT: Final = _WORDS["before_what"]
DESCRIBED_AS: Final = _WORDS["described_as"]
AMOUNTS: Final = _WORDS["amounts"]
UNITS: Final = frozenset(word for tongue in _WORDS.tongues for word in tongue.lists["unit"].split())
CLEARING: Final = _WORDS["clearing"]
CLEARING_ALONE: Final = _WORDS["clearing_alone"]
WHOLE: Final = _WORDS["whole"]
CLEARED: Final = _WORDS["cleared"]
BEFORE_LIST: Final = _WORDS["before_list"]
CALLED_NOW: Final = _WORDS["called_now"]
NAMING_LIST: Final = _WORDS["naming_list"]
ONE_MORE_LIST: Final = _WORDS["one_more_list"]
BECOMES: Final = _WORDS["becomes"]
IS_NOW: Final = _WORDS["is_now"]
MAKES: Final = _WORDS["makes"]
INSTEAD_OF: Final = frozenset(one.replace("_", " ") for one in _WORDS["instead_of"])
SWAPPING: Final = _WORDS["swapping"]
SWAPPED_FOR: Final = _WORDS["swapped_for"]
SKIPPING: Final = _WORDS["skipping"]
NEEDED: Final = _WORDS["needed"]
MOVES: Final = _WORDS["moves"]
THOSE: Final = _WORDS["those"]
PUTTING_BACK: Final = re.compile(_WORDS.pattern("putting_back"))
ASKS_WHETHER: Final = _WORDS["asks_whether"]
ON_IT: Final = _WORDS["on_it"]
ASKED_BESIDE: Final = PICKING["determiners"] | PICKING["opening"] | PICKING["already"] | _WORDS["asked_beside"]
SEVERAL: Final = _WORDS["several"]
HENCE: Final = _WORDS["hence"]
STAPLES: Final = _WORDS["staples"]
BEHIND_STAPLES: Final = _WORDS["behind_staples"]
SIZES: Final = _WORDS["sizes"]
BEING: Final = _WORDS["being"]
WHOSE: Final = _WORDS["whose"]
MORE: Final = _WORDS["more"]
LACKED: Final = _WORDS["lacked"]
WEAK_VERBS: Final = _WORDS["weak_verbs"]
AGAIN: Final = _WORDS["again"]
AS_WELL: Final = _WORDS["as_well"]
EXCEPT: Final = _WORDS["except"]
GOT_OF_ALL: Final = _WORDS["got_of_all"]
NO_LONGER: Final = _WORDS["no_longer"]
MAKING: Final = _WORDS["making"]
FOR_THAT: Final = _WORDS["for_that"]
WITH: Final = _WORDS["with"]
RATHER: Final = _WORDS["rather"]
PLANNING: Final = _WORDS["planning"]
NOT_FIRST: Final = re.compile(_WORDS.pattern("not_first"), re.IGNORECASE)
EXPENSES: Final = LatePattern(_WORDS.pattern("expenses"))
TO_EXPENSES: Final = LatePattern(_WORDS.pattern("to_expenses"))
KEEPS_EXPENSE: Final = LatePattern(_WORDS.pattern("keeps_expense"))
MEASURES: Final = _WORDS["measures"]
MORE_SPENT: Final = LatePattern(_WORDS.pattern("more_spent"))
COST_VERBS: Final = LatePattern(rf"\A{_WORDS.pattern('cost_verbs')} ")
SPENT_ENDS: Final = re.compile(rf" {_WORDS.pattern('keeps_expense')} ", re.IGNORECASE)
ASKS_TOTAL: Final = LatePattern(_WORDS.pattern("asks_total"))
