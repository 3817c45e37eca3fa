"""Who shares an amount, where that changes: "hang on, one isn't paying, so 4 of us", "he pays half"."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.domain.turn import TurnContext
from app.language.catalogue import say
from app.skills.tools.calculator.arithmetic import evaluate, show_briefly
from app.skills.tools.calculator.calculator_tools import computed, in_words
from app.skills.tools.calculator.expressions import read_expression
from app.skills.tools.calculator.lexicon import BEFORE, PHRASES, TOLD_WISHES, WORDS
from app.skills.tools.calculator.measures import Amount, amounts, has_more, measured_ways
from app.skills.tools.calculator.spoken import (
    WORD,
    ends_at,
    first_read,
    has_word,
    is_grouped,
    says,
    with_plain_numbers,
    word_at,
)
from app.skills.tools.calculator.texts import CALCULATOR

_COUNT: Final = re.compile(r"[1-9]\d{0,2}")
_SHARED: Final = re.compile(r"(?P<whole>.+) / (?P<sharers>\d{1,3})")
_EDGES: Final = " .,;:!?¡¿"
_STEPS: Final = ("divide", "times", "more", "less", "off")
_PAUSE: Final = re.compile(r"[,.;:!?]")
_CLAUSES: Final = re.compile(r"[,.;:!?]? (?:but|pero|y|and|though|aunque)(?= )|[,;:?] |\. ", re.IGNORECASE)
_LEAVING: Final = ("not_sharing", "not_sharing_many", "named_out")
_TO_SHARE: Final = MappingProxyType(
    {"half": "1 / 2", "third": "1 / 3", "quarter": "1 / 4", "double": "2", "triple": "3"}
)


@dataclass(frozen=True, slots=True)
class Shared:
    """A whole amount, and how many share it."""

    whole: str
    sharers: int


@dataclass(frozen=True, slots=True)
class Unequal:
    """`each`: what each of the others pays, as a calculation; `share`: what part of that the one pays.

    `is_pair`: there is one other.
    """

    each: str
    share: str
    is_pair: bool = False


def read_shared(told: str) -> Shared | None:
    """Return what a calculation shares, and among how many; None for one that shares nothing."""
    found = _SHARED.fullmatch(told)
    if found is None or int(found["sharers"]) <= 1:
        return None
    is_whole = " / " not in found["whole"] or found["whole"].startswith("(")
    return Shared(found["whole"], int(found["sharers"])) if is_whole else None


def read_without_some(text: str, read: Callable[[str], str | None]) -> str | None:
    """Return what each of the others pays where a clause says that some do not; `read` computes without it."""
    if not any(says(one, f"told.{topic}") for topic in _LEAVING for one in measured_ways(text)):
        return None
    for pause in _CLAUSES.finditer(text):
        end = _CLAUSES.search(text, pause.end())
        clause = text[pause.end() : end.start() if end else len(text)]
        shared = read_shared(read(f"{text[: pause.start()]}{text[end.start() :] if end else ''}") or "")
        now = read_sharers(clause, shared.sharers) if shared else None
        if shared and now:
            return f"{shared.whole} / {now}"
    return None


def read_sharers(text: str, before: int) -> int | None:
    """Return how many share now what `before` shared; None for a message that says anything else."""
    return first_read(lambda one: _sharers(one, before), measured_ways(text))


def read_unequal(text: str, shared: Shared | None) -> Unequal | None:
    """Return who pays what where one pays a part of what each of the others does.

    `shared` is what was told before, or what the rest of the message says (see `without_unequal`).
    """
    return first_read(lambda one: _unequal(one, shared), measured_ways(text)) if shared else None


def answer_unequal(unequal: Unequal, ctx: TurnContext, *, is_local: bool = False) -> str | None:
    """Say what each of the others pays, and what the one does."""
    plain = with_plain_numbers(unequal.each, ctx) if not is_local else unequal.each
    if plain is None:
        return None
    is_local = is_local or is_grouped(unequal.each, ctx)
    each, rest = (read_expression(one) for one in (plain, f"{plain} * {unequal.share}"))
    one = in_words(show_briefly(evaluate(rest.source))[0], ctx, is_local=is_local)
    sentence = CALCULATOR.pair if unequal.is_pair else CALCULATOR.unequal
    return say(sentence, ctx.language, sum=in_words(computed(each), ctx, is_local=is_local), rest=one)


def answer_pair(text: str, ctx: TurnContext) -> str | None:
    """Say who pays what of an amount that two share, one of them so much of what the other does."""
    found = PHRASES["told.pair"].search(text)
    share = _share_in(found)
    if share is None or not says(text, "told.asks") or has_word(text, *TOLD_WISHES):
        return None
    told = [one for one in amounts(text) if one.value != "2"]
    if any(BEFORE["told.own_part"].search(text[: one.start]) for one in told):
        return None
    if len(told) != 1 or told[0].unit not in ("", "pound") or has_more(text, list(amounts(text))):
        return None
    return answer_unequal(Unequal(f"{told[0].value} / (1 + {share})", share, is_pair=True), ctx)


def _share_in(found: re.Match[str] | None) -> str | None:
    return next(
        (share for name, share in _TO_SHARE.items() if found and PHRASES[f"unequal.{name}"].search(found[0])), None
    )


def without_unequal(text: str) -> str | None:
    """Return a message without what it says of the one who pays another part; None where all are alike."""
    for one in measured_ways(text):
        if (found := PHRASES["told.unequal"].search(one)) is not None:
            pause = _PAUSE.search(one, found.end())
            start = max(one.rfind(mark, 0, found.start()) for mark in (", ", " but ", " pero "))
            return one[: max(start, 0)] + (one[pause.start() :] if pause else "")
    return None


def _sharers(text: str, before: int) -> int | None:
    found = list(amounts(text))
    heads = [head.end() + 1 for kind in _STEPS for head in PHRASES[f"firm.{kind}"].finditer(text)]
    is_joining = any(BEFORE["told.joining"].search(text[: one.start]) for one in found)
    is_step = any(one.start in heads for one in found) and not (is_joining or has_word(text, "told.rather"))
    # "Se borra" is no wish to have something deleted.
    told = text
    for topic in ("reported", "not_sharing", "taken_out"):
        told = PHRASES[f"told.{topic}"].sub(" ", told)
    if has_word(told, *TOLD_WISHES) or is_step:
        return None
    if len(found) > 1:
        # "No somos 6, somos 5"
        found = [one for one in found if one.value != str(before)]
    if len(found) > 1 or has_more(text, list(amounts(text))):
        return None
    now = _counted(text, found[0], before) if found else _named(text, before)
    return now if now is not None and 0 < now != before else None


def _named(text: str, before: int) -> int | None:
    """Return how many share where those go or come have names: "Ana y Leo no vienen"; or half of them come."""
    if PHRASES["others.half_now"].fullmatch(text.strip(_EDGES)):
        return before // 2 if before % 2 == 0 else None
    for topic, is_many in (("not_sharing_many", True), ("not_sharing", False)):
        for out in PHRASES[f"told.{topic}"].finditer(text):
            if _is_quiet(text[out.end() :]) and (count := _people(text[: out.start()], is_many=is_many)):
                return before - count
    if PHRASES["told.named_out"].search(text) or _is_taken_out(text) or _leaves_one(text):
        return before - 1
    more = PHRASES["told.one_more"].search(text)
    words = WORD.findall(more[0]) if more else []
    is_somebody = (
        more
        and (WORDS["told.nobody"].isdisjoint(words[-1:]) or not WORDS["told.one"].isdisjoint(words[-2:]))
        and (ends_at(text, more.end()) or word_at(text, more.end()) in WORDS["told.after_amount"])
    )
    return before + 1 if is_somebody else None


def _is_taken_out(text: str) -> bool:
    """Whether somebody is to be left out, and nothing but the reason follows: "quita a Ema", "leave Pat out"."""
    found = PHRASES["told.taken_out"].search(text)
    who, behind = (WORD.findall(found[0].partition(" out")[0])[1:], text[found.end() :]) if found else ([], "")
    none = WORDS["told.nobody"] | WORDS["told.groups"] | WORDS["elsewhere"]
    is_reason = not WORDS["told.whose_reason"].isdisjoint(WORD.findall(behind)[:1])
    return bool(who) and none.isdisjoint(who) and (is_reason or _is_quiet(behind))


def _people(head: str, *, is_many: bool) -> int | None:
    """Return how many people are named at the end of a text; None where nobody knows, or they are none."""
    clause = _PAUSE.split(head)[-1]
    words = _reported(clause)
    is_told = len(words) < len(WORD.findall(clause))
    while words and words[-1] in WORDS["told.before_people"]:
        del words[-1]
    while words and words[0] in WORDS["told.before_people"]:
        del words[0]
    named = " ".join(words)
    is_pair = PHRASES["told.pair_of_people"].fullmatch(named) and WORDS["told.groups"].isdisjoint(words)
    if is_pair or PHRASES["told.two_people"].fullmatch(named):
        return 2
    is_one = PHRASES["told.one_person"].fullmatch(named) or (not words and is_told)
    is_thing = not (WORDS["told.nobody"] | WORDS["told.groups"] | WORDS["elsewhere"]).isdisjoint(words[:1])
    return 1 if is_one and not is_many and not is_thing else None


def _leaves_one(text: str) -> bool:
    """Whether nothing is said but that somebody leaves: "se baja uno", "no viene mi primo"."""
    out = PHRASES["told.leaves_one"].search(text)
    none = WORDS["told.nobody"] | WORDS["told.groups"] | WORDS["elsewhere"]
    if out is None or not none.isdisjoint(WORD.findall(out[0])[1:]):
        return False
    return _is_quiet(f"{text[: out.start()]} {text[out.end() :]}")


def _is_quiet(text: str) -> bool:
    """Whether a text says nothing but a reason, or asks how much it is now, up to its question."""
    text = text.partition("?")[0]
    reason = PHRASES["because"].search(text)
    known = WORDS["around"] | WORDS["told.rather"] | WORDS["told.before_people"] | WORDS["told.of_people"]
    return known.issuperset(WORD.findall(text[: reason.start() if reason else None]))


def _counted(text: str, one: Amount, before: int) -> int | None:
    if one.unit or _COUNT.fullmatch(one.value) is None:
        return None
    count, after = int(one.value), text[one.end + 1 :]
    is_before = text[: one.start].endswith(" ") and any(
        found.end() == one.start - 1 for found in PHRASES["told.not_sharing_many"].finditer(text)
    )
    is_without = BEFORE["told.without"].search(text[: one.start]) is not None and _is_group(after)
    # "Ana and 3 others": nobody else may be named.
    is_led = _is_quiet(" ".join(_reported(_PAUSE.split(text[: one.start])[-1])))
    if is_before or is_without or (is_led and _go(after)):
        return before - count
    if not _ends_clause(text, one):
        return None
    if PHRASES["told.some_less"].match(after):
        return before - count
    come = BEFORE["told.come"].search(text[: one.start])
    is_joining = BEFORE["told.joining"].search(text[: one.start]) is not None
    if is_joining or PHRASES["told.more_come"].match(after) or (come and PHRASES["told.some_more"].match(after)):
        return before + count
    is_said = BEFORE["told.now_sharing"].search(text[: one.start]) or PHRASES["told.now_sharers"].match(after)
    return count if is_said else None


def _go(after: str) -> bool:
    """Whether those that are counted do not share: "[4] primos no vienen", "[two] of the lads dropped out"."""
    outs = (PHRASES[f"told.{topic}"].search(after) for topic in ("not_sharing_many", "not_sharing"))
    return any(out and _is_group(after[: out.start()]) for out in outs)


def _reported(clause: str) -> list[str]:
    """Return the words of a clause behind those that say who told it."""
    told = [one.end() for one in PHRASES["told.reported"].finditer(clause)]
    return WORD.findall(clause[told[-1] :] if told else clause)


def _is_group(text: str) -> bool:
    """Whether a text, up to its next pause, names whom a number counts, or nobody."""
    words = [word for word in WORD.findall(_PAUSE.split(text)[0]) if word not in WORDS["told.of_people"]]
    return len(words) <= 1 and WORDS["joining"].isdisjoint(words) and WORDS["told.nobody"].isdisjoint(words)


def _ends_clause(text: str, one: Amount) -> bool:
    """Whether nothing is told of those that are counted: not "somos 4 en el equipo", but for a reason."""
    reason = PHRASES["because"].search(text, one.end)
    clause = _PAUSE.split(text[one.end : reason.start() if reason else None])[0]
    for topic in ("more_come", "some_more", "some_less", "sharers", "now_sharers", "at_last"):
        clause = PHRASES[f"told.{topic}"].sub("", clause)
    return (WORDS["around"] | WORDS["told.rather"]).issuperset(WORD.findall(clause))


def _unequal(text: str, shared: Shared) -> Unequal | None:
    found = PHRASES["told.unequal"].search(text)
    share = _share_in(found)
    if share is None or has_word(text, *TOLD_WISHES):
        return None
    others = [one for one in amounts(text) if _is_others(text, one)]
    if any(int(one.value) != shared.sharers - 1 for one in others) or shared.sharers <= 1:
        return None
    return Unequal(f"{shared.whole} / ({shared.sharers - 1} + {share})", share)


def _is_others(text: str, one: Amount) -> bool:
    is_named = BEFORE["told.others"].search(text[: one.start]) or PHRASES["told.others"].match(text[one.end + 1 :])
    return bool(is_named) and _COUNT.fullmatch(one.value) is not None
