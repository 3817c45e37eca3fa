"""The kind of text that a wish names, such as an apology, and whether a text is of it."""

from types import MappingProxyType
from typing import Final

from app.language.catalogue import Language, say
from app.language.folding import fold
from app.language.late import LatePattern
from app.skills.texts import SKILLS
from app.skills.writing.lexicon import WRITING
from app.skills.writing.wishes import TextWish

_BEHIND_CHARS: Final = 60
# What the text is to tell begins here; what the person says out of courtesy is of no kind.
_ENDS: Final = LatePattern(
    rf"[.,;:!?¿¡\n]|(?= {WRITING.pattern('telling')})| {WRITING.pattern('kind_courtesy')}\W*\Z"
)
_LEAD: Final = LatePattern(rf"\W{{0,4}}(?:{WRITING.pattern('lead')}[ ,!.:]{{1,3}}){{1,6}}")
KINDS: Final = ("apology", "thanks", "condolence", "congratulation", "complaint", "invitation", "excuse")
_WANTED: Final = MappingProxyType({kind: LatePattern(WRITING.pattern(f"kind_wanted.{kind}")) for kind in KINDS})
_SAID: Final = MappingProxyType({kind: LatePattern(WRITING.pattern(f"kind_said.{kind}")) for kind in KINDS})
_REASON: Final = LatePattern(WRITING.pattern("kind_reason"))
# What a text of a kind says where nothing else is sure.
_PLAIN: Final = MappingProxyType(
    {
        "apology": SKILLS.kind_apology,
        "thanks": SKILLS.kind_thanks,
        "condolence": SKILLS.kind_condolence,
        "congratulation": SKILLS.kind_congratulation,
    }
)


def kind_wanted(wish: TextWish) -> str:
    """Return the kind of text that a wish names, "" where it names none, or several."""
    wanted, behind = wish.text[wish.start : wish.end], wish.text[wish.end : wish.end + _BEHIND_CHARS]
    lead, end = _LEAD.match(wanted), _ENDS.search(behind)
    said = fold(wanted[lead.end() if lead else 0 :] + behind[: end.start() if end else len(behind)])
    kinds = [kind for kind in KINDS if _WANTED[kind].search(said)]
    return kinds[0] if len(kinds) == 1 else ""


def is_of_kind(text: str, kind: str) -> bool:
    """Whether a text has one of the words without which it is not of a kind."""
    return not kind or _SAID[kind].search(fold(text)) is not None


def plain_of_kind(kind: str, language: Language, said: str) -> str:
    """Return the sentences that are a text of a kind by themselves; "" where no such text can be made.

    Of what is `said` a reason for thanks is told: "for mending our gate".
    """
    if kind == "thanks" and _REASON.match(said):
        return say(SKILLS.kind_thanks_for, language, reason=said.rstrip(" .!"))
    return say(_PLAIN[kind], language) if kind in _PLAIN else ""
