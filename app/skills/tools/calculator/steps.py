"""What goes on from a result just told: "divide that by 6", "restale 900 de la leña", "half of that"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from types import MappingProxyType
from typing import Final

from app.domain.wording import fold
from app.skills.tools.calculator.goods import goods_at
from app.skills.tools.calculator.lexicon import PHRASES, WORDS
from app.skills.tools.calculator.spoken import (
    NUMBER,
    PERCENT_SIGN,
    WORD,
    behind,
    ends_at,
    first_read,
    has_number,
    has_word,
    says,
    size,
    ways,
)

_LONG: Final = 160
_MOST_WORDS: Final = 8
_MOST_WORDS_LOOSE: Final = 4
_FEW_WORDS: Final = 2
_SHORT: Final = 2
_LEAST_EXTRA: Final = 10
_MOST_REASONS: Final = 3
_CHANGES: Final = re.compile(r"\{\} [+-]|%")
_EACH: Final = "each"
_BARE: Final = ("firm.more", "firm.less", "firm.taken", "loose.more", "loose.less", "behind.off", "behind.extra")
_CLAUSE: Final = re.compile(r"(?<![.,;:!?…])[.,;:!?…]++(?=\s|\Z)|[¿¡]")
_SIGN: Final = re.compile(r"(?<!\S)[-+*/×÷−](?= )")
_KIND_OF_SIGN: Final = MappingProxyType(
    {"+": "more", **dict.fromkeys("-−", "less"), **dict.fromkeys("*×", "times"), **dict.fromkeys("/÷", "divide")}
)
_HEADS: Final = tuple(topic for topic in PHRASES if topic.startswith(("firm.", "loose.")))
SHARES_OF_IT: Final = MappingProxyType(
    {
        "half": "{} / 2",
        "third": "{} / 3",
        "quarter": "{} / 4",
        "fifth": "{} / 5",
        "tenth": "{} / 10",
        "two_thirds": "{} * 2 / 3",
        "three_quarters": "{} * 3 / 4",
        "double": "{} * 2",
        "triple": "{} * 3",
    }
)


@dataclass(frozen=True, slots=True)
class _Step:
    """`sum` has `{}` for the result it goes on from. A firm one may stand between other words."""

    sum: str
    start: int
    end: int
    is_firm: bool


def read_step(text: str) -> str | None:
    """Return the calculation that a message makes of a result, with `{}` in its place; None for any other message.

    The numbers are as they were written.
    """
    return first_read(lambda one: _read_alone(one) or _read_with_reason(one), ways(text))


def is_bare_step(text: str) -> bool:
    """Whether a step is all that a message says: an amount, and not what it is for."""
    named = PHRASES["behind.money"].sub(" ", ways(text)[0])
    for topic in _BARE:
        named = PHRASES[topic].sub(" ", named)
    return not _unknown(NUMBER.sub(" ", named))


def is_part(asked: str) -> bool:
    """Whether a message asked for a part of an amount, which nobody shares: "a third of that"."""
    return any(PHRASES[f"shares.{name}"].search(fold(asked)) for name in SHARES_OF_IT)


def _read_with_reason(text: str) -> str | None:
    """Read a step with a reason behind it, which counts nothing else: "split it by 4 cos there's four of us"."""
    for pattern in (PHRASES["because_of_them"], PHRASES["because"]):
        for found in islice(pattern.finditer(text), _MOST_REASONS):
            head, reason = text[: found.start()].rstrip(" ,"), text[found.end() :]
            counted = {one["number"] for one in NUMBER.finditer(head)}
            if has_word(reason, "elsewhere") or _counts_else(reason, counted):
                continue
            if (step := _read_alone(head, firm_only=pattern is PHRASES["because"])) is not None:
                return step
    return None


def _counts_else(reason: str, counted: set[str]) -> bool:
    """Whether a reason has another number than those, or a question in it."""
    rest = NUMBER.sub(lambda one: " " if one["number"] in counted else one[0], reason)
    return has_number(rest) or "?" in reason.rstrip(" ?!.")


def _read_alone(text: str, *, firm_only: bool = False) -> str | None:
    found: list[_Step] = []
    for step in sorted((*_by_number(text), *_shares(text)), key=lambda one: (one.start, -one.end)):
        if not found or step.start >= found[-1].end:
            found.append(step)
    if len(found) != 1 or (firm_only and not found[0].is_firm):
        return None
    return found[0].sum if _stands_alone(text, found[0]) else None


def _by_number(text: str) -> Iterator[_Step]:
    heads = [
        (head, topic.partition(".")[2], topic.startswith("firm."))
        for topic in _HEADS
        for head in PHRASES[topic].finditer(text)
    ]
    heads.extend((sign, _KIND_OF_SIGN[sign[0]], False) for sign in _SIGN.finditer(text))
    for number in NUMBER.finditer(text):
        for head, kind, is_firm in heads:
            if head.end() + 1 == number.start() and (made := _made(kind, text, number)) is not None:
                yield _Step(made[0], head.start(), made[1], is_firm)
        yield from _percentage(text, number)


def _made(kind: str, text: str, number: re.Match[str]) -> tuple[str, int] | None:
    """Return what a number means behind such words, and where that ends."""
    percent = PERCENT_SIGN.match(text, number.end())
    end = percent.end() if percent else number.end()
    operand = f"{number['number']}{'%' if percent else ''}"
    match kind:
        case "more" | "raised" if percent or kind == "more":
            return _changed("+", text, number, operand, end)
        case "less" | "lowered" | "off":
            return _changed("-", text, number, operand, end)
        case "kept" | "charged" if percent and takes_off(text, end):
            return f"{{}} - {operand}", end
        case "stuck" if on := _stuck_on(text, end):
            return f"{{}} + {operand}", on
        case "taken" if off := behind("off", text, end):
            return f"{{}} - {operand}", off
        case "with":
            return _with(text, operand, end)
    return None if percent else _divided(kind, text, operand, end)


def _stuck_on(text: str, end: int) -> int | None:
    """Return where "on that", or "on" at the end of all, ends behind a number; None for "on the shelf"."""
    alone = behind("on_alone", text, end)
    return behind("on_it", text, end) or (alone if alone and ends_at(text, alone) else None)


def takes_off(text: str, end: int) -> bool:
    """Whether a share that somebody keeps, which `end`s there, goes off: no tax is, nor what each or they get."""
    is_put_on = behind("surcharge", text, end) or behind("cost", text, end) or _EACH in WORD.findall(text)
    return not is_put_on and (says(text, "left.ours") or not says(text, "told.asks"))


def speaks_of_kept(text: str) -> bool:
    """Whether a message tells of a share that somebody keeps."""
    return any(
        says(one, "firm.kept") or (says(one, "firm.charged") and says(one, "left.ours")) for one in ways(text)
    )


def _with(text: str, operand: str, end: int) -> tuple[str, int] | None:
    if behind("discount", text, end):
        return f"{{}} - {operand}", end
    is_more = behind("surcharge", text, end) or behind("cost", text, end)
    return (f"{{}} + {operand}", end) if is_more else None


def _divided(kind: str, text: str, operand: str, end: int) -> tuple[str, int] | None:
    match kind:
        case "times" if not behind("money", text, end):
            return f"{{}} * {operand}", end
        case "ways" | "parts" if parts := behind("parts", text, end):
            return f"{{}} / {operand}", parts
        case "each" if _EACH in WORD.findall(text):
            return f"{{}} / {operand}", end
        case "divide":
            return f"{{}} / {operand}", end
    return None


def _changed(sign: str, text: str, number: re.Match[str], operand: str, end: int) -> tuple[str, int] | None:
    """Add or take off an amount, a percentage, or things at a price; never a number of things without one."""
    if (goods := goods_at(text, number)) is not None:
        return f"{{}} {sign} {goods.product}", goods.end
    rest = behind("extra", text, end) or end
    # "Agregale 2 más" may be of people.
    is_last = ends_at(text, end) or (ends_at(text, rest) and size(operand) >= _LEAST_EXTRA)
    if operand.endswith("%") or is_last or behind("amount", text, rest):
        return f"{{}} {sign} {operand}", end
    return None


def _percentage(text: str, number: re.Match[str]) -> Iterator[_Step]:
    if (percent := PERCENT_SIGN.match(text, number.end())) is None:
        return
    if end := behind("discount", text, percent.end()):
        yield _Step(f"{{}} - {number['number']}%", number.start(), end, is_firm=True)
    elif end := behind("surcharge", text, percent.end()) or _extra(text, percent.end()):
        yield _Step(f"{{}} + {number['number']}%", number.start(), end, is_firm=False)
    elif (end := behind("that", text, percent.end())) and _is_whole(text, end):
        yield _Step(f"{number['number']}% of {{}}", number.start(), end, is_firm=False)


def _extra(text: str, at: int) -> int:
    """Return where words for what is added end that close a sentence; 0 where others do."""
    end = behind("extra", text, at)
    return end if end and ends_at(text, end) else 0


def _shares(text: str) -> Iterator[_Step]:
    for name, share in SHARES_OF_IT.items():
        for found in PHRASES[f"shares.{name}"].finditer(text):
            end = behind("that", text, found.end()) or found.end()
            given = behind("given", text, end)
            rest = PHRASES["left.asks"].search(text, given) if given else None
            if rest is not None and not _unknown(text[given : rest.start()]):
                yield _Step(f"{{}} - {share}", found.start(), rest.end(), is_firm=False)
            elif given or _is_whole(text, end):
                yield _Step(share, found.start(), end, is_firm=False)


def _is_whole(text: str, end: int) -> bool:
    """Whether nothing is told of a part: not "half of that was paid"."""
    return ends_at(text, end) or behind("goal", text, end) > 0


def _stands_alone(text: str, step: _Step) -> bool:
    """Whether what is around a step says nothing else: no number, no other wish, no other question."""
    before, after = text[: step.start], text[step.end :]
    if has_number(f"{before} {after}") or has_word(f"{before} {after}", "elsewhere"):
        return False
    if _is_denied(before) or ("/" in step.sum and _joins(after)):
        return False
    if not step.is_firm:
        if PHRASES["own_story"].search(" ".join(after.split())) and _unknown(after):
            return False
        most = _MOST_WORDS_LOOSE if _CHANGES.search(step.sum) else _FEW_WORDS
        return len(text) <= _LONG and not _unknown(before) and len(_unknown(after)) <= most
    return _is_first_or_last(text, step) and not _asks_elsewhere(text, step)


def _is_first_or_last(text: str, step: _Step) -> bool:
    before, after = _CLAUSE.split(text[: step.start]), _CLAUSE.split(text[step.end :])
    is_at_edge = not _unknown(" ".join(before[:-1])) or not _unknown(" ".join(after[1:]))
    return (is_at_edge or len(text) <= _LONG) and all(
        len(_unknown(clause)) <= _MOST_WORDS for clause in (before[-1], after[0])
    )


def _asks_elsewhere(text: str, step: _Step) -> bool:
    """Whether another clause is a question of its own."""
    before, after = text[: step.start].rpartition("?")[0], _CLAUSE.split(text[step.end :], maxsplit=1)
    rest = after[1] if len(after) > 1 else ""
    return bool(_unknown(before)) or ("?" in rest and bool(_unknown(rest)))


def _is_denied(before: str) -> bool:
    """Whether a step is not wanted ("no le sumes"), or takes the place of the one before ("no, dividido 6")."""
    *others, own = map(WORD.findall, _CLAUSE.split(before))
    return any(
        not WORDS["negated"].isdisjoint(words) for words in (own, *(one for one in others if len(one) <= _SHORT))
    )


def _joins(text: str) -> bool:
    """Whether somebody else is counted in or out: "and me", "sin Ana"."""
    words = WORD.findall(text)
    return any(one in WORDS["joining"] and other not in WORDS["asking_how_much"] for one, other in pairwise(words))


def _unknown(text: str) -> list[str]:
    return [word for word in WORD.findall(text) if word not in WORDS["around"]]
