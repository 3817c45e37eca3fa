"""What is left where a share just told goes off: "quitando eso, lo que queda entre los 5", "and the rest?"."""

import re
from itertools import takewhile
from typing import Final

from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.skills.tools.calculator.lexicon import BEFORE, PHRASES, TOLD_WISHES, WORDS
from app.skills.tools.calculator.results import Told
from app.skills.tools.calculator.spoken import (
    NUMBER,
    PERCENT_SIGN,
    WORD,
    behind,
    first_read,
    has_number,
    has_word,
    says,
    ways,
    wishes,
)

_SHARE: Final = re.compile(r"(?P<share>\d{1,3}(?:\.\d{1,9})?%) (?:of|de) (?P<whole>[^%]{1,200})")
_LOOSE: Final = re.compile(r" [-+*/] ")
_MOST_WORDS: Final = 3
_MOST_ON_TOP: Final = 8
_MARKED: Final = re.compile(r"[^%]{1,200} [-+] \d{1,3}(?:\.\d{1,9})?%")
_PAIR: Final = 2
_PRAISE: Final = LatePattern(rf"\A\W*(?:{COMMON_WORDS.pattern('well_answered')}\W+){{1,3}}")
_NAMED: Final = ("rest.off_named", "rest.to_named", "rest.left_named", "rest.at_named")
_PAUSED: Final = re.compile(r" ?[,.;:!?] ?")
_SHARERS: Final = re.compile(r"[1-9]\d{0,2}")


def speaks_of_rest(text: str) -> bool:
    """Whether a message goes on with what is left, not with the result that was told."""
    return any(says(one, "rest.rest") for one in ways(text))


def read_put_on_top(text: str, told: str, before: str = "") -> str | None:
    """Return the whole of which `told` is a share with that share on top: "and added on?", "what's it in all".

    It goes off where a discount was asked for, `before` or now; where `told` is the whole already, that is it.
    None if not sure.
    """
    share = _SHARE.fullmatch(told)
    said = next((one for one in ways(text) if _asks_whole(one)), None)
    is_whole, said = said is not None, said or next((one for one in ways(text) if says(one, "rest.on_top")), None)
    if said is None or has_number(said) or (not is_whole and len(WORD.findall(said)) > _MOST_ON_TOP):
        return None
    if share is None:
        return told if is_whole and _MARKED.fullmatch(told) else None
    whole = f"({share['whole']})" if _LOOSE.search(share["whole"]) else share["whole"]
    is_off = any(has_word(one, "rest.discounts") for one in (said, ways(before)[0]))
    return f"{whole} {'-' if is_off else '+'} {share['share']}"


def _asks_whole(text: str) -> bool:
    """Whether a message asks what all comes to, and says nothing else: "so what do we pay in all"."""
    text = _PRAISE.sub("", text, count=1)
    rest, whole = PHRASES["rest.whole"].subn(" ", text)
    words = WORD.findall(text)
    known = WORDS["around"] | WORDS["told.before_people"] | WORDS["rest.beside_whole"]
    is_asked = "?" in text or has_word(text, "asking_how_much") or not WORDS["rest.opening"].isdisjoint(words[:1])
    return bool(whole) and is_asked and WORDS["negated"].isdisjoint(words) and known.issuperset(WORD.findall(rest))


def read_from_named(text: str, told: Told) -> str | None:
    """Return what the result makes of a number that is named, `{}` in its place: "take that off the 640".

    What is left of the number from which something went off is what was told.
    """
    return first_read(lambda one: _from_named(one, told), ways(text))


def _from_named(text: str, told: Told) -> str | None:
    numbers = list(NUMBER.finditer(text))
    # "For the month" behind a sum is no other one.
    if len(numbers) != 1 or has_word(text, "told.wishes") or has_word(text[: numbers[0].end()], "told.other_sums"):
        return None
    number, said = numbers[0]["number"], text[numbers[0].end() :]
    head, off = _without_opening(text[: numbers[0].start()], *_NAMED), None
    if PHRASES["rest.at_named"].fullmatch(head) and (off := PHRASES["rest.off_it"].match(said.lstrip(" ,"))):
        said = said.lstrip(" ,")[off.end() :]
    if PERCENT_SIGN.match(text, numbers[0].end()) or not _is_talk(said):
        return None
    if off:
        return f"{number} - {{}}"
    for topic, sign in (("rest.off_named", "-"), ("rest.to_named", "+"), ("rest.left_named", "-")):
        if PHRASES[topic].fullmatch(head):
            is_told = topic == "rest.left_named" and told.sum.startswith(f"{number} - ")
            return told.sum if is_told else f"{number} {sign} {{}}"
    return None


def read_part_off(text: str) -> str | None:
    """Return what is left of a number that is named: "knock 15% off the 240 for cash and that"."""
    return first_read(_part_off, ways(text))


def _part_off(text: str) -> str | None:
    numbers = list(NUMBER.finditer(text))
    if len(numbers) != _PAIR or (percent := PERCENT_SIGN.match(text, numbers[0].end())) is None:
        return None
    (part, end), whole = (numbers[0]["number"], percent.end()), numbers[1]
    is_off = PHRASES["rest.off_whole"].fullmatch(text[end : whole.start()].strip(" $€£"))
    if not is_off or PERCENT_SIGN.match(text, whole.end()) or has_word(text, *TOLD_WISHES):
        return None
    head = _without_opening(text[: numbers[0].start()], "rest.part_off")
    said = PHRASES["rest.for_it"].sub(" ", text[_money_end(text, whole.end()) :])
    is_all = PHRASES["rest.part_off"].fullmatch(head) and _is_talk(said)
    return f"{whole['number']} - {part}%" if is_all else None


def _money_end(text: str, at: int) -> int:
    """Return where an amount ends with what it is paid in."""
    return behind("money", text, at) or at


def _without_opening(head: str, *topics: str) -> str:
    """Return what stands before a number without pauses, and what only leads to it: "right so add that to"."""
    plain = " ".join(_PAUSED.sub(" ", head.strip("¡¿ ")).split())
    words = plain.split()
    quiet = WORDS["told.before_people"] - WORDS["negated"]
    led = len(list(takewhile(quiet.__contains__, words)))
    ways = (" ".join(words[start:]) for start in range(led + 1))
    return next((one for one in ways if any(PHRASES[topic].fullmatch(one) for topic in topics)), plain)


def _is_talk(told: str) -> bool:
    """Whether what follows a sum says nothing of another: it asks what is left, or tells why it is asked."""
    first, *rest = _PAUSED.split(PHRASES["left.asks"].sub(" ", told), maxsplit=1)
    words = first.split()
    led = len(list(takewhile((WORDS["around"] | COMMON_WORDS["address"]).__contains__, words)))
    ways = [" ".join(words[start:]) for start in range(led + 1)]
    reason = next((one for one in ways if not one or PHRASES["behind.whence"].match(one)), None)
    said = " ".join(((reason or "").partition(" ")[2], *rest)).strip(" .,;:!?¡¿")
    return reason is not None and not (has_number(said) or says(said, "told.sum_goes_on") or wishes(said))


def read_rest(text: str, told: str) -> str | None:
    """Return what is left of the whole of which `told` is a share, or what each gets of that; None if not sure."""
    share = _SHARE.fullmatch(told)
    if share is None:
        return None
    whole = f"({share['whole']})" if _LOOSE.search(share["whole"]) else share["whole"]
    left = f"{whole} - {share['share']}"
    return first_read(lambda one: _read(one, left), ways(text))


def _read(text: str, left: str) -> str | None:
    numbers = list(NUMBER.finditer(text))
    rest, quiet = NUMBER.sub(" ", text), WORDS["joining"] | WORDS["told.before_people"]
    for topic in ("rest.rest", "rest.each"):
        rest = PHRASES[topic].sub(" ", rest)
    unknown = [word for word in WORD.findall(rest) if word not in WORDS["around"] | quiet]
    if has_word(text, *TOLD_WISHES) or len(unknown) > _MOST_WORDS or len(numbers) > 1 or has_number(rest):
        return None
    if not numbers:
        is_asked = (
            has_word(text, "told.asks_many") or says(text, "left.asks") or quiet.issuperset(WORD.findall(rest))
        )
        is_each = says(text, "rest.each") or "each" in WORD.findall(text)
        return left if is_asked and not is_each else None
    number = numbers[0]
    is_said = BEFORE["rest.sharing"].search(text[: number.start()]) or any(
        PHRASES[topic].match(text, number.end() + 1) for topic in ("told.sharers", "behind.parts")
    )
    return f"({left}) / {number['number']}" if is_said and _SHARERS.fullmatch(number["number"]) else None
