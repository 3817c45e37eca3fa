"""Sums as people tell them, all roles in one message.

What is bought at which price, what comes on top or goes off, who shares it, and the note it is paid with. Where a
number has no role, there is no sum.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from app.domain.wording import stem
from app.skills.tools.calculator.apiece import kind_of_price, price_of_one
from app.skills.tools.calculator.arithmetic import evaluate
from app.skills.tools.calculator.expressions import read_expression
from app.skills.tools.calculator.goods import find_goods, read_priced
from app.skills.tools.calculator.lexicon import (
    BEFORE,
    COSTS,
    FOR_ONE,
    MARKED_BEFORE,
    MEASURE_WORDS,
    NO_SUM,
    PHRASES,
    SHARE_OFF,
    TOLD_WISHES,
    WORDS,
)
from app.skills.tools.calculator.measures import (
    PART,
    Amount,
    amounts,
    converted,
    dimension,
    has_more,
    is_divisible,
    measured_ways,
    unit_named,
)
from app.skills.tools.calculator.spoken import (
    PERCENT_SIGN,
    WORD,
    behind,
    ends_at,
    first_read,
    has_word,
    says,
    size,
    ways,
    word_at,
)

_LONGEST_HEAD: Final = 120
_MOST_PERCENT: Final = 100
_MOST_WORDS: Final = 14
_MOST_PERCENTS: Final = 2
_MOST_SHARERS: Final = 200
_MOST_TIP: Final = 25
# A tip of a fiftieth or less is none.
_LITTLE: Final = 50
_PAIR: Final = 2
_LOOSE: Final = re.compile(r" [+-] ")
_A_LITTLE_MORE: Final = re.compile(r"\{\} \+ (\d{1,2})")
# What was bought, one after the other: "eran 450, 380 y 610"; "a 7.35 sandwich".
_IN_A_ROW: Final = re.compile(r"\d, [$€£]?\Z")
_IN_CENTS: Final = re.compile(r"\d[.,]\d\d\Z")
_WHOLE: Final = re.compile(r"\d{1,3}")


@dataclass(slots=True)
class _Roles:
    """What each number of a message is for."""

    products: list[str] = field(default_factory=list)
    extras: list[str] = field(default_factory=list)
    percents: list[str] = field(default_factory=list)
    bases: list[str] = field(default_factory=list)
    sharers: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def sum(self) -> str | None:
        """Return the calculation; None where it is nothing but an amount, or not sure."""
        own = [*self.products, *(self.bases if not self.products else ())]
        if not own or len(self.bases) > (0 if self.products else 1):
            return None
        if len(self.sharers) > 1 or len(self.notes) > 1 or len(self.percents) > _MOST_PERCENTS:
            return None
        if self.extras and self.percents:
            return None
        total = " + ".join((*own, *self.extras)) + "".join(self.percents)
        if self.notes:
            return None if self.sharers else f"{self.notes[0]} - {closed(total)}"
        if self.sharers:
            return f"{closed(total)} / {self.sharers[0]}"
        return None if _is_number(total) else total


def read_put_on(text: str) -> str | None:
    """Return what a percentage makes of the result just told, `{}` in its place: "stick 10% on", "ponele un 8"."""
    return first_read(_put_on, measured_ways(text))


def _put_on(text: str) -> str | None:
    found = list(amounts(text))
    if len(found) != 1 or found[0].unit or has_word(text, *TOLD_WISHES) or has_more(text, found):
        return None
    roles, percent = _Roles(), PERCENT_SIGN.match(text, found[0].end)
    if percent is None and not BEFORE["told.taxes"].search(text[: found[0].start]):
        return None
    end = percent.end() if percent else found[0].end
    if _take_percent(text, found[0], end, roles):
        return f"{{}}{roles.percents[0]}"
    is_put_on = says(text, "told.put_on") and (PHRASES["told.on"].match(text[end:].lstrip()) or ends_at(text, end))
    return f"{{}} + {found[0].value}%" if is_put_on else None


def read_told(text: str) -> str | None:
    """Return the calculation that a message tells and asks for; None for any other message."""
    words = WORD.findall(text)
    is_asked = says(text, "told.asks")
    is_short = len(words) <= _MOST_WORDS and (says(text, "told.to_share") or _is_bare_sum(text))
    found = list(amounts(text))
    if not (is_asked or is_short) or has_word(text, *NO_SUM) or _are_other_ones(text, found):
        return None
    roles, taken = _Roles(), _priced(text, found)
    if PHRASES["hundred.asks_tax"].search(text):
        return None  # Of the tax alone.
    if taken is None:
        return None
    roles.products, spans = taken
    for goods in find_goods(text, is_named=False):
        is_new = not any(goods.start < end and start < goods.end for start, end in spans)
        if is_new and not has_word(text[goods.start : goods.end], "joining", "told.no_thing"):
            roles.products.append(goods.product)
            spans.append((goods.start, goods.end))
    is_change = says(text, "told.change")
    between = text[found[0].end : found[1].start].strip(" $€£") if len(found) == _PAIR else ""
    if is_change and PHRASES["told.for_bill"].fullmatch(between):
        return f"{found[0].value} - {found[1].value}"
    left = [one for one in found if not any(start <= one.start < end for start, end in spans)]
    if not all(_take(text, one, roles) for one in left) or has_more(text, found):
        return None
    is_open = _is_open(text) or any(_is_of_one_person(text, one) for one in left)
    if roles.sharers and (is_open or (not roles.products and _is_of_each(text, left))):
        return None
    if bool(roles.notes) != is_change and not (is_change and roles.percents):
        return None
    return roles.sum() if is_asked or roles.sharers or roles.percents else None


def _are_other_ones(text: str, found: list[Amount]) -> bool:
    """Whether single ones are asked for of a dozen: "half a dozen cost 3, how much for 20"; or "over 20"."""
    is_by_dozen = any(one.unit == "dozen" for one in found) and not found[-1].unit
    if says(text, "apiece.at_least"):
        return True
    return is_by_dozen and BEFORE["ratio.asked_for"].search(text[: found[-1].start]) is not None


def _is_bare_sum(text: str) -> bool:
    """Whether a message says nothing but what was paid, what comes on top, and who shares it."""
    rest = PHRASES["told.of_bill"].sub(" ", text)
    known = WORDS["around"] | WORDS["told.bare"]
    return not [word for word in WORD.findall(rest) if word not in known and not word.isdecimal()]


def _priced(text: str, found: list[Amount]) -> tuple[list[str], list[tuple[int, int]]] | None:
    """Return what amounts at a price for a measure come to, and where they stand; None where they do not fit."""
    prices = [(one, rate) for one in found if (rate := unit_priced(text, one)) is not None]
    if not prices:
        return [], []
    priced = {one.start for one, _ in prices}
    rest = [one for one in found if one.start not in priced]
    bought = rest if len(prices) > 1 else [one for one in rest if _is_bought(text, one, prices[0][1][0])]
    bought = bought or [one for one in rest if PHRASES["told.sharers"].match(text, one.end + 1)]
    if len(prices) == len(bought) > 1:
        is_in_order = all(one.start < price.start for one, (price, _) in zip(bought, prices, strict=True))
        if not is_in_order:
            return None
        pairs = list(zip(bought, prices, strict=True))
    elif len(prices) == len(bought) == 1:
        pairs = [(bought[0], prices[0])]
    else:
        return None
    products: list[str] = []
    spans: list[tuple[int, int]] = []
    for one, (price, (unit, end)) in pairs:
        if (product := _product(one, price, unit)) is None:
            return None
        products.append(product)
        spans.extend(((one.start, one.end), (price.start, end)))
    return products, spans


def bought_at_a_price(text: str) -> tuple[Amount, Amount] | None:
    """Return how much of a measure is asked for, and the price of one, where a message tells nothing else."""
    found = list(amounts(text))
    if len(found) != _PAIR or (read_told(text) or read_priced(text)) is None or has_more(text, found):
        return None
    prices = [one for one in found if unit_priced(text, one) is not None]
    if len(prices) != 1 or _priced(text, found) is None:
        return None
    return next(one for one in found if one != prices[0]), prices[0]


def _product(one: Amount, price: Amount, unit: str) -> str | None:
    if one.unit == PART or (not one.unit and is_divisible(unit)):
        return f"{price.value} * {one.value}" if is_divisible(unit) else None
    counted = one.unit or "piece"
    if dimension(counted) != dimension(unit):
        return None
    return f"{price.value} * {converted(one.value, counted, unit)}"


def unit_priced(text: str, one: Amount) -> tuple[str, int] | None:
    """Return the measure that a number is the price of, and where that is said."""
    end = behind("money", text, one.end) or one.end
    if not one.unit and word_at(text, end) == "each":
        return "piece", end + len(" each")
    if (
        one.unit in ("", "pound")
        and (per := FOR_ONE.match(text, end)) is not None
        and (unit := unit_named(per["thing"]))
    ):
        return (unit, per.end()) if unit != PART else None
    if one.unit and one.unit != "pound":
        return None
    place = max(0, one.start - _LONGEST_HEAD)
    while (head := COSTS.search(text, place)) is not None and head.end() <= one.start:
        is_counted = text[: head.start()].rstrip()[-1:].isdecimal()
        if head.end() == one.start and not is_counted:
            return MEASURE_WORDS[head["unit"]], end
        place = head.start() + 1
    return None


def _is_bought(text: str, one: Amount, unit: str) -> bool:
    """Whether an amount may be what is bought: so much of the measure, or of things that come by the dozen."""
    if one.unit:
        return one.unit == PART or dimension(one.unit) == dimension(unit)
    if is_divisible(unit):
        return "/" in one.value
    no_thing = WORDS["around"] | WORDS["told.after_amount"] | WORDS["joining"] | WORDS["apiece.not_all"] | {""}
    is_thing = word_at(text, one.end) not in no_thing and not behind("money", text, one.end)
    is_counted = BEFORE["told.counted"].search(text[: one.start]) is not None
    return dimension(unit) == "count" and (is_counted or (is_thing and not ends_at(text, one.end)))


def _take(text: str, one: Amount, roles: _Roles) -> bool:
    """Put a number where it belongs; False where that is not known."""
    before = text[: one.start]
    percent = PERCENT_SIGN.match(text, one.end)
    if percent is not None or (BEFORE["told.taxes"].search(before) and _is_bare(text, one)):
        return _take_percent(text, one, percent.end() if percent else one.end, roles)
    if one.unit and one.unit != "pound":
        return False
    is_change = says(text, "told.change")
    is_next = BEFORE["told.one_thing"].search(before) or (is_change and _IN_A_ROW.search(before))
    if is_next and (roles.products or roles.bases):
        roles.extras.append(one.value)
    elif PHRASES["told.tip_behind"].match(text, one.end + 1):
        return _take_tip(one, roles)
    elif BEFORE["told.note"].search(before):
        roles.notes.append(one.value)
    elif _shares(text, one) and not (roles.notes and is_change):
        roles.sharers.append(one.value)
    elif not is_amount(text, one) and not (is_change and _IN_CENTS.search(one.value)):
        return False
    elif MARKED_BEFORE.search(before) or _is_of_one(text, one):
        return False  # "más el 16": of an amount, or in hundred; "27 a plate": no whole that is shared
    elif BEFORE["told.more"].search(before) and (roles.products or roles.bases):
        roles.extras.append(one.value)
    else:
        roles.bases.append(one.value)
    return True


def _is_open(text: str) -> bool:
    """Whether how many share is not what is told."""
    return any(says(text, f"told.{topic}") for topic in ("not_sharing", "not_sharing_many"))


def _is_of_each(text: str, found: list[Amount]) -> bool:
    """Whether nobody shares what has the price, or nothing says that they do: "each entry", "the raft"."""
    if says(text, "told.to_share") or says(text, "loose.divide"):
        return False
    kinds = {kind_of_price(text, one) for one in found}
    return "each" in kinds or (
        "open" in kinds and not ("each" in WORD.findall(text) or says(text, "apiece.shared"))
    )


def _is_of_one_person(text: str, one: Amount) -> bool:
    """Whether a price is for each of some people, named before it: "adults at 20, kids at 10"."""
    who, at = (["", "", *WORD.findall(text[: one.start])])[-_PAIR:]
    people = {stem(word) for word in WORDS["apiece.for_people"] | WORDS["apiece.kids"]}
    return at in WORDS["told.prepositions"] and stem(who) in people


def _is_of_one(text: str, one: Amount) -> bool:
    price = price_of_one(text, one)
    return price is not None and price.thing != "" and price.is_sure


def _take_percent(text: str, one: Amount, end: int, roles: _Roles) -> bool:
    # "20% de descuento y el 21%": what went down is told.
    before = SHARE_OFF.sub(" ", text[: one.start])
    if "/" in one.value or float(one.value.replace(",", ".")) > _MOST_PERCENT:
        return False
    if BEFORE["told.without"].search(before):
        return False
    at = end + 1 if text[end : end + 1] == " " else end
    if PHRASES["told.down_behind"].match(text, at) or BEFORE["told.down"].search(before):
        roles.percents.append(f" - {one.value}%")
    elif (
        PHRASES["told.up_behind"].match(text, at)
        or BEFORE["told.taxes"].search(before)
        or (BEFORE["told.up"].search(before) and not SHARE_OFF.search(text))
    ):
        roles.percents.append(f" + {one.value}%")
    else:
        return False
    return True


def _take_tip(one: Amount, roles: _Roles) -> bool:
    """Take "con 10 de propina" for a percentage where that would be too little; else False, if small."""
    tip, is_percent = size(one.value), size(one.value) <= _MOST_TIP
    (roles.percents if is_percent else roles.extras).append(f" + {one.value}%" if is_percent else one.value)
    return not is_percent or sum(size(other) for other in roles.bases) >= _LITTLE * tip > 0


def with_tip(step: str, text: str, whole: str) -> str:
    """Return a step from `whole`; a tip that would be too little is a percentage: "con 10 de propina"."""
    found = _A_LITTLE_MORE.fullmatch(step)
    if found is None or not first_read(PHRASES["told.tip_behind"].search, ways(text)):
        return step
    tip = int(found[1])
    return f"{step}%" if tip <= _MOST_TIP and evaluate(read_expression(whole).source) >= _LITTLE * tip else step


def _is_bare(text: str, one: Amount) -> bool:
    return (
        not behind("money", text, one.end)
        and not text[one.start].startswith(("$", "€", "£"))
        and len(one.value) <= len("21.5")
    )


def _shares(text: str, one: Amount) -> bool:
    if (
        _WHOLE.fullmatch(one.value) is None
        or word_at(text, one.end) in WORDS["told.then_sharers"]
        or not 1 < int(one.value) <= _MOST_SHARERS
    ):
        return False
    if PHRASES["told.sharers"].match(text, one.end + 1) and not BEFORE["told.more"].search(text[: one.start]):
        return True
    said = (BEFORE[f"told.{topic}"].search(text[: one.start]) for topic in ("between", "sharing"))
    found = next(filter(None, said), None)
    return found is not None and not behind("money", text, one.end) and not _is_of_a_thing(text, found)


def _is_of_a_thing(text: str, said: re.Match[str]) -> bool:
    """Whether "were" tells what a thing cost: "the crisps were 3"; alone it is "we're"."""
    before = WORD.findall(text[: said.start()])[-_PAIR:]
    is_named = len(before) == _PAIR and before[0] in WORDS["told.names_thing"] and before[1] not in WORDS["around"]
    return is_named and said[0].split()[0] in WORDS["told.plural"]


def read_ordered(text: str) -> str | None:
    """Read "vendo a 700, me pidieron 35": what was ordered at a price of its own; None for any other message."""
    found = list(amounts(text))
    if len(found) != _PAIR or has_more(text, found) or has_word(text, *NO_SUM) or any(one.unit for one in found):
        return None
    price, count = found
    is_sold = BEFORE["told.sold_at"].search(text[: price.start]) and not FOR_ONE.match(text, price.end)
    is_ordered = BEFORE["told.ordered"].search(text[: count.start]) and ends_at(text, count.end)
    if not (is_sold and is_ordered and _WHOLE.fullmatch(count.value)):
        return None
    # "Me pidieron 650" of 700 may be a price.
    is_count = not size(price.value) <= 2 * size(count.value) <= 2 * size(price.value)
    return f"{count.value} * {price.value}" if is_count else None


def is_amount(text: str, one: Amount) -> bool:
    """Whether a number is an amount of money: nothing that it counts follows."""
    if one.unit == "pound" or ends_at(text, one.end) or behind("amount", text, one.end):
        return True
    return word_at(text, one.end) in WORDS["told.after_amount"]


def closed(total: str) -> str:
    """Return a calculation that more may follow, in parentheses where it needs them."""
    return f"({total})" if _LOOSE.search(total) else total


def _is_number(total: str) -> bool:
    return not set(" *+/%-").intersection(total)
