"""What is told for so many and asked for others: a recipe for 4 made for 6, fuel for so many kilometres."""

import re
from typing import Final

from app.domain.turn import TurnContext
from app.domain.wording import stem
from app.skills.tools.calculator.lexicon import (
    ASKED_UNIT,
    BEFORE,
    EACH_ALSO,
    FOR_ONE,
    MEASURE_WORDS,
    OF_FUEL,
    PHRASES,
    TOLD_WISHES,
    WORDS,
)
from app.skills.tools.calculator.measures import (
    Amount,
    amounts,
    converted,
    dimension,
    has_more,
    is_divisible,
    measured_ways,
    shown,
    unit_named,
)
from app.skills.tools.calculator.ratios import is_asked_for, is_beside, is_unlike
from app.skills.tools.calculator.results import Quantity, told_of
from app.skills.tools.calculator.spoken import PERCENT_SIGN, behind, ends_at, has_word, says, size, word_at
from app.skills.tools.calculator.told import is_amount
from app.skills.tools.calculator.units import SIZES

_MOST: Final = 6
_PAIR: Final = 2
_TRIPLE: Final = 3
_THING: Final = re.compile(
    r" (?:de |of )?(?:(?:the|la|el|los|las) )?(?P<thing>[^\W\d_]{3,}"
    r"(?: (?:de )?[^\W\d_]{3,}(?=[,.;]| (?:and|n|y|e|&) ))?)"
)
_PEOPLE: Final = re.compile(r"\d{1,3}")
_COUNTED: Final = frozenset({"", "day", "night"})
_KITCHEN: Final = frozenset({"mass", "volume"})
# "250 g of ham each"; what "how much each" asks is the other way round.
_THINGS_EACH: Final = re.compile(r" (?P<thing>[^\W\d_]{3,20}(?: [^\W\d_]{1,20}){0,2}) each(?!\w)")
_FOR_EACH: Final = re.compile(r"(?: (?:of|de) \w+)? each(?!\w)")


def answer_recipe(text: str, ctx: TurnContext) -> str | None:
    """Say how much of each thing goes in for the others; None for a message that is no recipe."""
    text = text.replace(": ", ", ")
    if (recipe := _recipe(text)) is None:
        return None
    told, asked, things = recipe
    scaled = [_scaled(text, one, told, asked) for one in things]
    lines = [told_of(one, ctx) if one else None for one in scaled]
    return None if None in lines else "\n".join(filter(None, lines))


def recipe_people(text: str) -> tuple[Amount, Amount] | None:
    """Return for how many a recipe is, and for how many it is asked."""
    recipe = _recipe(text)
    is_known = recipe is not None and all(_scaled(text, one, *recipe[:2]) for one in recipe[2])
    return recipe[:2] if recipe and is_known else None


def _recipe(text: str) -> tuple[Amount, Amount, list[Amount]] | None:
    if not has_word(text, "told.recipe") or has_word(text, *TOLD_WISHES) or not _asks(text):
        return None
    if is_unlike(PHRASES["ratio.of_all"].sub("", text)):
        return None
    found = [one for one in amounts(text) if not is_beside(text, one)]
    # "Got 15 in": no inches.
    counted = [one for one in found if one.unit in ("", "inch") and _PEOPLE.fullmatch(one.value)]
    people = [one for one in counted if _is_of_people(text, one)]
    things = [one for one in found if one not in people]
    if len(people) != _PAIR or has_more(text, list(amounts(text))) or not 0 < len(things) <= _MOST:
        return None
    told, asked = _in_order(text, *people)
    if any(_is_no_ingredient(text, one) for one in things):
        return None
    is_late = told.start < asked.start and _is_served(text, asked) and not _is_served(text, told)
    if is_late:  # "10 people, 1 pizza feeds 3".
        return None
    is_apart = len({one.start > people[-1].start for one in things}) > 1  # "We are 9 and have 2 ovens".
    if is_apart or int(told.value) == 0:
        return None
    return told, asked, things


def _in_order(text: str, first: Amount, second: Amount) -> tuple[Amount, Amount]:
    """Return for how many a recipe is, and for how many it is asked: "we are 9, it serves 6"."""
    are_we = [BEFORE["ratio.we_are"].search(text[: one.start]) is not None for one in (first, second)]
    return (second, first) if are_we == [True, False] else (first, second)


def _is_served(text: str, one: Amount) -> bool:
    return BEFORE["ratio.serves"].search(text[: one.start]) is not None


def _is_no_ingredient(text: str, one: Amount) -> bool:
    """Whether a number goes in nowhere: "we are 6 plus 2", "page 32", "I only have 200 g", "450 calories each"."""
    named = _THING.match(text, one.end)
    word = named["thing"].split()[0] if named else ""
    is_none = not one.unit and word in WORDS["joining"] | WORDS["ratio.no_ingredient"]
    per = PHRASES["by_kind.each"].match(text, (named.end() if named else one.end) + 1)
    return is_none or per is not None or BEFORE["ratio.there_is"].search(text[: one.start]) is not None


def read_as_many(text: str) -> Quantity | None:
    """Return how much of a thing goes with others: "12 scones take 350 g of flour, how much flour for 30"."""
    found = list(amounts(text))
    if len(found) > _TRIPLE:
        found = [one for one in found if not is_beside(text, one)]
    if len(found) != _TRIPLE or has_more(text, list(amounts(text))) or has_word(text, *TOLD_WISHES):
        return None
    if is_unlike(text):
        return None
    if any("/" in one.value or not one.value.strip("0.,") or PERCENT_SIGN.match(text, one.end) for one in found):
        return None
    if (batch := _of_batch(text, found)) is not None:
        return batch
    asked = [one["unit"] for one in ASKED_UNIT.finditer(text)]
    measures, things = {MEASURE_WORDS.get(one) for one in asked} - {None}, {*map(stem, asked)}
    held = [one for one in found[:_PAIR] if (one.unit in measures if measures else _thing(text, one) in things)]
    if len(held) != 1 or (held[0].unit and dimension(held[0].unit) not in _KITCHEN):
        return None
    base, other = next(one for one in found if one not in held), found[-1]
    if _takes_turns(text, held[0], base) or _goes_elsewhere(text, held[0], base, other):
        return None
    is_for = all(BEFORE["told.scaled_for"].search(text[: one.start]) for one in (base, other))
    is_alike = base.unit == other.unit and (is_for or _thing(text, other) in ("", _thing(text, base)))
    if not is_alike or (measures and base.unit) or PHRASES["rate.each"].search(text):
        return None
    return _others_take(text, held[0], base, other)


def _goes_elsewhere(text: str, held: Amount, base: Amount, other: Amount) -> bool:
    """Whether what is held is for each: "2 buns per kid"; for the last: "1 pizza feeds 3"; or a pot's size."""
    named, asked = _THING.match(text, held.end), {one["unit"] for one in ASKED_UNIT.finditer(text)}
    is_size = held.unit and named and asked.isdisjoint((*MEASURE_WORDS, named["thing"].split()[0]))
    end = named.end() if named else held.end
    each = PHRASES["by_kind.each"].match(text, end + 1)
    if is_size or (each is not None and not text[each.end() :].lstrip()[:1].isdigit()):
        return True
    between = text[end : other.start].strip()
    return base.start < held.start and PHRASES["ratio.joins"].fullmatch(between) is not None


def _takes_turns(text: str, held: Amount, base: Amount) -> bool:
    """Whether so many may share a time: more of them need less of it, so that no more of it goes with them."""
    if word_at(text, held.end) not in WORDS["ratio.time"]:
        return False
    named = _THING.match(text, base.end)
    between = text[named.end() if named else base.end : held.start].strip()
    return held.start < base.start or PHRASES["ratio.in_time"].fullmatch(between) is None


def _of_batch(text: str, found: list[Amount]) -> Quantity | None:
    """Read "feeds 6 with 2 cups of rice, need it for 30": what is asked of has no name, as it is the only one."""
    held = [one for one in found[:_PAIR] if dimension(one.unit) in _KITCHEN]
    base, other = next((one for one in found if one not in held), found[0]), found[-1]
    is_told = len(held) == 1 and BEFORE["told.yields"].search(text[: base.start])
    is_wanted = BEFORE["told.wanted"].search(text[: other.start]) is not None
    is_of_people = PHRASES["told.sharers"].match(text, other.end + 1) or PHRASES["told.eaters"].match(
        text, other.end + 1
    )
    is_alike = is_of_people or _thing(text, other) in ("", _thing(text, base))
    is_money = any(behind("money", text, one.end) or text[one.start] in "$€£" for one in (base, other))
    if (
        not (is_told and is_wanted and is_alike)
        or is_money
        or base.unit != other.unit
        or base.unit not in _COUNTED
        or not base.value.isdecimal()
    ):
        return None
    asked = [one["unit"] for one in ASKED_UNIT.finditer(text) if one["unit"] in MEASURE_WORDS]
    is_other = any(MEASURE_WORDS[one] != held[0].unit for one in asked)
    return None if is_other or PHRASES["rate.each"].search(text) else _others_take(text, held[0], base, other)


def _others_take(text: str, held: Amount, base: Amount, other: Amount) -> Quantity:
    unit = text[held.start : held.end].removeprefix(held.value).strip()
    named = _THING.match(text, held.end)
    thing = named["thing"] if named and named["thing"] not in WORDS["around"] else ""
    return Quantity(f"{held.value} * {other.value} / {base.value}", " ".join(filter(None, (unit, thing))))


def _thing(text: str, one: Amount) -> str:
    """Return the stem of what so many are of; "" where that is not said."""
    named = _THING.match(text, one.end)
    word = named["thing"].split()[0] if named else ""
    return "" if word in WORDS["around"] | WORDS["told.asks_many"] else stem(word)


def _is_of_people(text: str, one: Amount) -> bool:
    if PHRASES["told.sharers"].match(text, one.end + 1) or PHRASES["told.eaters"].match(text, one.end + 1):
        return True
    is_for = any(BEFORE[f"told.{topic}"].search(text[: one.start]) for topic in ("scaled_for", "eats"))
    return is_for and (ends_at(text, one.end) or word_at(text, one.end) in WORDS["around"] | WORDS["told.recipe"])


def _scaled(text: str, one: Amount, first: Amount, second: Amount) -> Quantity | None:
    if one.unit and dimension(one.unit) not in _KITCHEN:
        return None
    thing = _THING.match(text, one.end)
    if not one.unit and (thing is None or thing["thing"] in WORDS["around"] | WORDS["ratio.time"]):
        return None
    unit = text[one.start : one.end].split()[-1] if one.unit else ""
    what = " ".join(filter(None, (unit, thing["thing"] if thing else "")))
    return Quantity(f"{one.value} * {second.value} / {first.value}", what)


def find_others(text: str) -> tuple[Amount, Amount | None] | None:
    """Return for how many it is asked where so many take so much, and what those cost; None for anything else."""
    found = list(amounts(text))
    if read_as_many(text) is not None:
        return found[-1], None
    if len(found) == _TRIPLE and read_proportion(text) is not None:
        is_priced = not found[1].unit or is_amount(text, found[1])
        return found[2], found[1] if is_priced else None
    people = recipe_people(text)
    return (people[1], None) if people else None


def read_fuel(text: str) -> Quantity | None:
    """Return the calculation of what a way takes, or costs where the price of a litre is told."""
    if has_word(text, *TOLD_WISHES) or not _asks(text):
        return None
    found = list(amounts(text))
    if says(text, "ratio.both_ways") or has_word(text, "periods"):
        return None
    rate = next((rate for one in found if (rate := _consumption(text, one, found)) is not None), None)
    if rate is None or has_more(text, found):
        return None
    calculation, used = rate
    left = [one for one in found if one not in used]
    way = [one for one in left if one.unit == ("mile" if used[0].unit == "mile" else "kilometre")]
    price = [one for one in left if not one.unit and _is_of_a_litre(text, one)]
    if len(way) != 1 or len(price) > 1 or len(left) != len(way) + len(price):
        return None
    taken = calculation.replace("{}", way[0].value)
    if price:
        return Quantity(f"{taken} * {price[0].value}")
    return Quantity(taken, "gal" if used[0].unit == "mile" else "l")


def read_portions(text: str) -> Quantity | None:
    """Return how much so many take who take so much each: "400 gramos por 9 personas"."""
    found = list(amounts(text))
    if len(found) != _PAIR or has_more(text, found) or has_word(text, *TOLD_WISHES) or not _asks(text):
        return None
    people = [one for one in found if not one.unit and _PEOPLE.fullmatch(one.value) and _is_of_people(text, one)]
    if len(people) != 1:
        return None
    if (things := next((one for one in found if one not in people), None)) and not things.unit:
        return _things_each(text, things, people[0])
    parts = [one for one in found if dimension(one.unit) in _KITCHEN]
    if len(parts) != 1:
        return None
    is_each = _FOR_EACH.match(text, parts[0].end) or BEFORE["told.by_people"].search(text[: people[0].start])
    unit = text[parts[0].start : parts[0].end].split()[-1]
    return _in_asked_unit(text, parts[0], people[0].value, unit) if is_each else None


def with_portion(text: str, before: str) -> str | None:
    """Return the message `before`, which asks for portions, with another one for each: "and 3 buns each"."""
    for way in measured_ways(text):
        head = EACH_ALSO.fullmatch(way.strip(" .,;:!?¡¿"))
        if head is None:
            continue
        for earlier in measured_ways(before):
            if read_portions(earlier) is None:
                continue
            people = next(one for one in amounts(earlier) if not one.unit and _is_of_people(earlier, one))
            return f"{head['portion']} each for {people.value} people, how many"
    return None


def _things_each(text: str, things: Amount, people: Amount) -> Quantity | None:
    """Read "3 buns each for 15 people": counted by their name, and no price."""
    named = _THINGS_EACH.match(text, things.end)
    is_for = BEFORE["told.scaled_for"].search(text[: people.start]) is not None
    is_count = named is not None and is_for and things.value.isdecimal() and text[things.start] not in "$€£"
    if named is None or not is_count or behind("money", text, things.end):
        return None
    return Quantity(f"{things.value} * {people.value}", named["thing"])


def _in_asked_unit(text: str, part: Amount, people: str, unit: str) -> Quantity | None:
    """Word what so many take in the unit that is asked for; None where none can be made of the other."""
    asked = {one["unit"] for one in ASKED_UNIT.finditer(text) if one["unit"] in MEASURE_WORDS}
    other = next(iter(asked), unit)
    into = MEASURE_WORDS.get(other, part.unit)
    whole = f"{part.value} * {people}"
    if len(asked) > 1 or dimension(into) != dimension(part.unit) or not SIZES[into][1] or not SIZES[part.unit][1]:
        return Quantity(whole, unit) if not asked else None
    return Quantity(whole if into == part.unit else converted(whole, part.unit, into), shown(other))


def _consumption(text: str, one: Amount, found: list[Amount]) -> tuple[str, list[Amount]] | None:
    """Return what a way takes, `{}` in its place, with the numbers that say so."""
    after = text[one.end + 1 :]
    if one.unit == "litre" and (per := PHRASES["told.per_hundred"].match(after)) is not None:
        end = one.end + 1 + per.end()
        hundred = [other for other in found if one.end < other.start < end]
        return f"{{}} * {one.value} / 100", [one, *hundred]
    if (one.unit == "kilometre" and PHRASES["told.per_litre"].match(after)) or (
        one.unit == "mile" and PHRASES["told.per_gallon"].match(after)
    ):
        return f"{{}} / {one.value}", [one]
    return None


def _is_of_a_litre(text: str, one: Amount) -> bool:
    per = FOR_ONE.match(text, one.end)
    if per is not None:
        return unit_named(per["thing"]) in {"litre", "gallon"}
    return OF_FUEL.search(text[: one.start]) is not None


def read_proportion(text: str) -> str | None:
    """Return what so many come to where others came to so much; None for any other message."""
    found = list(amounts(text))
    if len([one for one in found if dimension(one.unit) in _KITCHEN]) > 1 and has_word(text, "told.recipe"):
        return None  # Of each thing, not of the first alone.
    if len(found) == _PAIR and not has_more(text, found) and not has_word(text, "told.wishes"):
        return _of_one(text, *found)
    if len(found) != _TRIPLE or has_more(text, found) or not _asks(text) or has_word(text, "told.wishes"):
        return None
    if any("/" in one.value or PERCENT_SIGN.match(text, one.end) for one in found) or is_unlike(text):
        return None
    first, price, other = found
    if first.unit and price.unit and other.unit:
        return _of_measures(text, *found)
    between = text[price.end : other.start]
    is_asked_last = has_word(between, "told.asks_many") or text[other.end :].rstrip().endswith("?")
    is_priced = BEFORE["rate.costs"].search(text[first.end : price.start]) is not None
    if not (is_asked_last and is_priced and price.unit in ("", "pound") and is_amount(text, price)):
        return None
    return _at_the_price(text, *found)


def _of_one(text: str, first: Amount, price: Amount) -> str | None:
    """Return what one costs where the first, which are alike, cost so much."""
    asked = PHRASES["rate.one_asked"].search(text)
    is_priced = BEFORE["rate.costs"].search(text[first.end : price.start]) is not None and is_amount(text, price)
    if asked is None or not is_priced or "/" in first.value + price.value or not size(first.value):
        return None
    if not first.unit and is_amount(text, first):
        return None
    named = "" if first.unit else word_at(text, first.end)
    thing = word_at(text, asked.end())
    is_same = unit_named(thing) == first.unit if first.unit else stem(thing) in ("", stem(named))
    return f"{price.value} / {first.value}" if is_same else None


def _at_the_price(text: str, first: Amount, price: Amount, other: Amount) -> str | None:
    """Return what the others cost, where they are of the same measure, or the same things."""
    is_bare = is_asked_for(text, other)
    if first.unit or other.unit:
        is_alike = first.unit and dimension(first.unit) == dimension(other.unit or first.unit)
        is_sure = is_bare and is_divisible(first.unit) if not other.unit else True
        if not (is_alike and is_sure):
            return None
        return f"{price.value} * {converted(other.value, other.unit or first.unit, first.unit)} / {first.value}"
    things = [_THING.match(text, one.end) for one in (first, other)]
    names = [stem(one["thing"]) if one and one["thing"] not in WORDS["around"] else "" for one in things]
    is_same = names[1] == names[0] if names[1] else is_bare or _are_served(text, names[0], other)
    if not names[0] or not is_same or PHRASES["rate.each"].search(text):
        return None
    return f"{price.value} * {other.value} / {first.value}"


def _are_served(text: str, thing: str, other: Amount) -> bool:
    """Whether there is one for each of the people that a number counts: "4 tickets cost 60 and we are 5"."""
    names = {stem(one) for one in WORDS["apiece.for_people"] | WORDS["apiece.several"]}
    return thing in names and BEFORE["apiece.people"].search(text[: other.start]) is not None


def _of_measures(text: str, first: Amount, second: Amount, other: Amount) -> str | None:
    """Return how many litres 60 metres take where 3 litres were for 24."""
    asked = {MEASURE_WORDS.get(one["unit"]) for one in ASKED_UNIT.finditer(text)}
    sides = PHRASES["ratio.by"].fullmatch(text[second.end : other.start].strip())
    if sides is not None or any(FOR_ONE.match(text, one.end) for one in (first, second)):
        return None  # "50 kg a hectare, 300 metres by 400 metres".
    if first.unit in asked and second.unit not in asked:
        first, second = second, first
    is_scaled = is_divisible(first.unit) and is_divisible(second.unit)
    is_alike = dimension(first.unit) == dimension(second.unit)
    if second.unit not in asked or first.unit != other.unit or not is_scaled or is_alike:
        return None
    return f"{second.value} * {other.value} / {first.value}"


def _asks(text: str) -> bool:
    return "?" in text or has_word(text, "told.asks_many")
