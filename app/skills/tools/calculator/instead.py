"""The same sum with another number: "and if it's 20%?", "y para seis?", "y kilo y medio?", "no, eran 14"."""

import re
from collections.abc import Sequence
from typing import Final

from app.domain.wording import stem
from app.skills.tools.calculator.conversions import with_unit
from app.skills.tools.calculator.each_gets import with_people
from app.skills.tools.calculator.lexicon import BEFORE, INSTEAD, OF_AMOUNT, PHRASES, TOLD_WISHES, WORDS
from app.skills.tools.calculator.measures import PART, Amount, amounts, dimension, has_more, measured_ways
from app.skills.tools.calculator.others_now import is_undecided, with_others
from app.skills.tools.calculator.over_time import with_span
from app.skills.tools.calculator.rates import with_period
from app.skills.tools.calculator.repriced import with_count, with_price
from app.skills.tools.calculator.scaling import with_portion
from app.skills.tools.calculator.spoken import WORD, behind, has_word, says, size, word_at

_MAX_CHARS: Final = 100
_MOST_WORDS: Final = 10
_FEW_WORDS: Final = 3
_MOST_TOLD: Final = 2
_NEAR: Final = 2
_FAR: Final = 10
_WHOLE: Final = 100
_NO: Final = re.compile(r"(?<!\w)(?:no|sorry|oops|wait|perdon|uy|ay)(?!\w)")
_ONE_WERE: Final = re.compile(r"(?<!\w)(?:it|that|this|price|each) were(?!\w)")
_POINTS_BACK: Final = re.compile(rf" (?:of|de) (?:{'|'.join(sorted(WORDS['told.points_back']))})(?!\w)")


def read_instead(text: str, before: str) -> str | None:
    """Return the message `before` with the number that `text` says instead; None where it is not sure which."""
    if len(text) > _MAX_CHARS:
        return None
    readers = (with_span, with_period, with_unit, with_others, with_price, with_people, with_count, with_portion)
    if (changed := next(filter(None, (read(text, before) for read in readers)), None)) is not None:
        return changed
    if is_undecided(text, before):
        return None
    for one in measured_ways(text):
        for earlier in measured_ways(before):
            if (changed := _changed(one, earlier)) is not None:
                return changed
    return None


def _changed(text: str, before: str) -> str | None:
    found, words = list(amounts(text)), WORD.findall(text)
    if len(found) != 1 or len(words) > _MOST_WORDS or has_word(text, *TOLD_WISHES) or has_more(text, found):
        return None
    new = found[0]
    if PHRASES["told.change_of"].match(text[new.end :].lstrip()):
        return None  # "Y con 3 mas?": of what there was.
    head = text[: new.start].rstrip().lstrip("¿¡ ")
    if INSTEAD.fullmatch(head) is None and not (
        _NO.match(text) and 0 < len(WORD.findall(_NO.sub("", head))) <= _FEW_WORDS
    ):
        return None
    places = _places(text, new, before)
    told = [word for word in WORD.findall(text[new.end :]) if word not in WORDS["around"]]
    if len(places) != 1 or len(told) > _MOST_TOLD:
        return None
    old = places[0]
    if _is_far_off(text, new, old):
        return None
    written = text[new.start : new.end] if new.unit and old.unit else _number(text, new)
    end = old.end if new.unit and old.unit else old.start + len(_number(before, old))
    return before[: old.start] + written + before[end:]


def _is_far_off(text: str, new: Amount, old: Amount) -> bool:
    """Whether a number is hundreds where there were few, so that it hardly counts the same: "make it 500"."""
    if new.unit or "%" in text or _noun(text, new) or "/" in new.value + old.value or not size(old.value):
        return False
    sizes = sorted((size(old.value), max(1, size(new.value))))
    return sizes[1] > _FAR * sizes[0]


def _number(text: str, one: Amount) -> str:
    """Return a number as it stands there, without its measure."""
    written = text[one.start : one.end]
    return written.rsplit(" ", 1)[0] if one.unit else written.rstrip(" €$£")


def _places(text: str, new: Amount, before: str) -> list[Amount]:
    """Return the numbers of the earlier message that the new one may take the place of."""
    earlier = [one for one in amounts(before) if not (one.unit and one.unit == PART and not new.unit)]
    if text[new.end : new.end + 2].strip().startswith("%"):
        return [one for one in earlier if before[one.end : one.end + 2].strip().startswith("%")]
    if new.unit:
        return [one for one in earlier if _is_like(new, one)]
    if _POINTS_BACK.match(text, new.end):
        return [one for one in earlier if one.unit or _noun(before, one)]
    people = [one for one in earlier if _is_of_people(before, one)]
    if not people and BEFORE["others.we"].search(_ONE_WERE.sub("", text[: new.start])):
        return []  # "We're 6", where nobody was told.
    is_scaled = len(people) > 1 and not _noun(text, new) and _is_plural(text[: new.start])
    is_bare = not _noun(text, new) or BEFORE["told.by_for"].search(text[: new.start])
    if people and (_is_of_people(text, new) or is_scaled) and (is_bare or _are_people(text, new)):
        return people[-1:]
    if says(text, "told.eaters"):
        return []  # Of people, nobody told.
    if noun := _noun(text, new):
        return [one for one in earlier if stem(_noun(before, one)) == stem(noun)]
    alike = _without_noun(text, new, before, earlier)
    return _by_size(text, new, before, earlier) if alike is None else alike


def _by_size(text: str, new: Amount, before: str, earlier: list[Amount]) -> list[Amount]:
    """Return the numbers of the kind that the new one seems to be: of a hundred, counted, or a price."""
    percents = [one for one in earlier if before[one.end : one.end + 2].strip().startswith("%")]
    if percents and (size(new.value) > _WHOLE or OF_AMOUNT.search(text[: new.start].rstrip())):
        return [one for one in earlier if one not in percents and not _is_of_people(before, one)]
    is_plural = _is_plural(text[: new.start])
    if percents and not is_plural:
        return percents
    near = [one for one in earlier if _is_near(one.value, new.value)]
    if len(earlier) == 1 or (len(near) == 1 and not is_plural):
        return near if len(earlier) > 1 else earlier
    if not is_plural and "/" not in new.value:
        return [one for one in earlier if not (one.unit or _noun(before, one) or _is_of_people(before, one))]
    counted = [one for one in earlier if one.unit or _noun(before, one)]
    if not counted and len(near) == 1:
        return near  # "45 por 12": "no, eran 54".
    return counted if is_plural or "/" in new.value else []


def _without_noun(text: str, new: Amount, before: str, earlier: Sequence[Amount]) -> list[Amount] | None:
    """Return the numbers that stand behind the same small word ("at 60"); after a bare "no", those near it.

    None where neither tells which is meant.
    """
    words = WORD.findall(_NO.sub("", text[: new.start]))
    if not words and len(earlier) > 1:
        near = [one for one in earlier if _is_near(one.value, new.value)]
        return near if len(near) == 1 else []
    same = [one for one in earlier if words and WORD.findall(before[: one.start])[-1:] == words[-1:]]
    if _NO.match(text) and INSTEAD.fullmatch(text[: new.start].rstrip()) is None:
        return same  # "No, gasto 80": what was said of it before.
    return same or None if words and words[-1] in WORDS["told.prepositions"] else None


def _is_plural(head: str) -> bool:
    """Whether what leads to a number says that it counts several; not "if it were"."""
    return has_word(_ONE_WERE.sub("", head), "told.plural")


def _is_near(one: str, other: str) -> bool:
    """Whether a number may stand for the other: it is of the same size."""
    sizes = (0,) if "/" in one + other else (size(one), size(other))
    return 0 < max(sizes) <= _NEAR * min(sizes)


def _is_like(new: Amount, old: Amount) -> bool:
    if new.unit == PART or old.unit == PART:
        return bool(old.unit)
    return bool(old.unit) and dimension(new.unit) == dimension(old.unit)


def _is_of_people(text: str, one: Amount) -> bool:
    topics = ("scaled_for", "between", "sharing", "wanted")
    return any(BEFORE[f"told.{topic}"].search(text[: one.start]) for topic in topics) or _are_people(text, one)


def _are_people(text: str, one: Amount) -> bool:
    """Whether a number counts people by name: "24 of us", "24 come"."""
    return any(PHRASES[f"told.{topic}"].match(text, one.end + 1) for topic in ("eaters", "sharers"))


def _noun(text: str, one: Amount) -> str:
    """Return what a number counts; "" where it is a price, or counts nothing."""
    if one.unit or behind("money", text, one.end) or behind("amount", text, one.end):
        return ""
    follows = word_at(text, one.end)
    is_thing = not follows.isdecimal() and follows not in WORDS["told.after_amount"] | {"each"}
    return follows if is_thing else ""
