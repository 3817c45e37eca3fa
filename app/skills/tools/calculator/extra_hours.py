"""Wages with hours beyond the usual ones: "18 an hour, 40 hours and 5 of overtime at time and a half"."""

import re
from dataclasses import dataclass
from typing import Final

from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.skills.tools.calculator.lexicon import BEFORE, PHRASES, TOLD_WISHES
from app.skills.tools.calculator.measures import Amount, amounts, has_more, measured_ways
from app.skills.tools.calculator.results import worded
from app.skills.tools.calculator.spoken import PERCENT_SIGN, behind, has_word, says

_HOUR: Final = "hour"
_TIMES: Final = (("double", "2"), ("triple", "3"), ("half_more", "1.5"))
_PERCENT: Final = re.compile(r"[1-9]\d{0,2}")
_WHOLE: Final = 100
_MOST: Final = 4
_PAIR_OF_HOURS: Final = 2


@dataclass(frozen=True, slots=True)
class _Wage:
    """The pay of an hour, all other amounts but the percentage, and how much of it an hour beyond is worth."""

    text: str
    pay: Amount
    hours: tuple[Amount, ...]
    factor: str


def answer_extra_hours(text: str, ctx: TurnContext) -> str | None:
    """Say what such wages come to; None for any other message, and where a number has no role."""
    calculation = _read_extra_hours(text)
    return worded(calculation, ctx) if calculation else None


def _read_extra_hours(text: str) -> str | None:
    plain = fold(text)
    if not says(plain, "extra.named") or not says(plain, "extra.asks"):
        return None
    for way in measured_ways(_without_halves(plain)):
        if (wage := _read(way, _factor(plain))) is not None and (told := _sum(wage)) is not None:
            return told
    return None


def _without_halves(plain: str) -> str:
    """Return a text without "time and a half", which is no number beside the others."""
    for topic, _ in _TIMES:
        plain = PHRASES[f"extra.{topic}"].sub(" ", plain)
    return plain


def _factor(plain: str) -> str:
    said = [worth for topic, worth in _TIMES if says(plain, f"extra.{topic}")]
    return said[0] if len(said) == 1 else ""


def _read(text: str, factor: str) -> _Wage | None:
    found = list(amounts(text))
    if not found or len(found) > _MOST or has_more(text, found) or has_word(text, *TOLD_WISHES):
        return None
    percents = [one for one in found if PERCENT_SIGN.match(text, one.end)]
    pays = [one for one in found if one not in percents and _is_pay(text, one)]
    if len(pays) != 1 or len(percents) + bool(factor) != 1:
        return None
    if percents:
        factor = _of_percent(text, percents[0])
    hours = tuple(one for one in found if one not in percents and one not in pays)
    return _Wage(text, pays[0], hours, factor) if factor else None


def _of_percent(text: str, percent: Amount) -> str:
    """Return what "50% more" makes of one; "" where it is not said that it comes on top."""
    sign = PERCENT_SIGN.match(text, percent.end)
    at = (sign.end() if sign else percent.end) + 1
    is_on_top = PHRASES["extra.on_top"].match(text, at) or BEFORE["extra.on_top"].search(text[: percent.start])
    if not is_on_top or not _PERCENT.fullmatch(percent.value) or int(percent.value) > _WHOLE:
        return ""
    whole, part = divmod(_WHOLE + int(percent.value), _WHOLE)
    return f"{whole}.{part:02}".rstrip("0").rstrip(".")


def _is_pay(text: str, one: Amount) -> bool:
    """Whether a number is what an hour is paid with."""
    if one.unit not in ("", "pound"):
        return False
    at = (behind("money", text, one.end) or one.end) + 1
    return bool(PHRASES["extra.an_hour"].match(text, at) or BEFORE["extra.an_hour"].search(text[: one.start]))


def _sum(wage: _Wage) -> str | None:
    limits = [one for one in wage.hours if BEFORE["extra.beyond"].search(wage.text[: one.start])]
    beyond = [one for one in wage.hours if one not in limits and _is_beyond(wage.text, one)]
    usual = [one for one in wage.hours if one not in limits and one not in beyond and one.unit == _HOUR]
    pay, factor = wage.pay.value, wage.factor
    if len(usual) != 1 or len(wage.hours) != _PAIR_OF_HOURS or len(limits) + len(beyond) != 1:
        return None
    all_hours = usual[0].value
    if limits:
        most = limits[0].value
        is_more = most.isdecimal() and all_hours.isdecimal() and int(all_hours) > int(most)
        return f"{pay} * {most} + {pay} * {factor} * ({all_hours} - {most})" if is_more else None
    extra = beyond[0].value
    if says(wage.text, "extra.of_them"):
        return f"{pay} * ({all_hours} - {extra}) + {pay} * {factor} * {extra}"
    return f"{pay} * {all_hours} + {pay} * {factor} * {extra}"


def _is_beyond(text: str, one: Amount) -> bool:
    return bool(
        PHRASES["extra.behind"].match(text[one.end :].lstrip()) or BEFORE["extra.before"].search(text[: one.start])
    )
