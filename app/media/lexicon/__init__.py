"""Words that ask about what somebody showed."""

from types import MappingProxyType
from typing import Final

from app.language.late import LatePattern
from app.language.lexicon import Lexicon

_WORDS: Final = Lexicon.of(__package__)
PICTURES: Final = _WORDS["pictures"]
WRITTEN: Final = _WORDS["written"]
POINTING: Final = _WORDS["pointing"]
ASKING: Final = _WORDS["asking"]
LOOKING: Final = _WORDS["looking"]
SAYING: Final = _WORDS["saying"]
AMOUNTS: Final = _WORDS["amounts"]
BESIDE: Final = _WORDS["beside"]
DOCUMENTS: Final = _WORDS["documents"]
AS_DOCUMENT: Final = LatePattern(_WORDS.pattern("as_document"))
ELSEWHERE: Final = _WORDS["elsewhere"]
HEARD_IN_TWO: Final = tuple(_WORDS.phrases("heard_in_two"))
HEARD_OTHERWISE: Final = MappingProxyType(
    {heard: meant for meant, words in _WORDS.table("heard").items() for heard in words}
)
PAID: Final = _WORDS["paid"]
OLDEST: Final = _WORDS["oldest"]
TODAY: Final = _WORDS["today"]
YESTERDAY: Final = _WORDS["yesterday"]
BEFORE_YESTERDAY: Final = _WORDS["before_yesterday"]
