"""Computes what goes on from the result just told, without the model, which computes wrong."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Final

from app.database.repositories.conversations import StoredMessage
from app.domain.errors import ToolFault
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.domain.wording import fold, stem
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS, STOP_WORDS
from app.skills.tools.calculator.again import is_answer_to, once_more
from app.skills.tools.calculator.alone import answer_alone
from app.skills.tools.calculator.apiece import read_apiece
from app.skills.tools.calculator.at_once import answer_at_once, read_calculation
from app.skills.tools.calculator.beside_talk import before_talk, behind_story
from app.skills.tools.calculator.both import read_both
from app.skills.tools.calculator.calculator_tools import computed, in_words
from app.skills.tools.calculator.clock_steps import with_more_time
from app.skills.tools.calculator.corrections import Correction, read_correction, without_excuse
from app.skills.tools.calculator.expressions import read_expression
from app.skills.tools.calculator.instead import read_instead
from app.skills.tools.calculator.lexicon import BEFORE, IN_TALK, PHRASES, WORDS
from app.skills.tools.calculator.markups import Markup, read_following
from app.skills.tools.calculator.measures import amounts, has_more, measured_ways
from app.skills.tools.calculator.others_now import is_scaled, ways_for_others, with_others
from app.skills.tools.calculator.per_measure import in_packs, read_count, read_packs, read_price_of_it
from app.skills.tools.calculator.repriced import each_with_price, with_told_price
from app.skills.tools.calculator.rests import read_from_named, read_put_on_top, read_rest, speaks_of_rest
from app.skills.tools.calculator.results import Told, read_result, without_again
from app.skills.tools.calculator.shared_out import in_instalments, share_out
from app.skills.tools.calculator.sharers import Shared, answer_unequal, read_shared, read_sharers, read_unequal
from app.skills.tools.calculator.spoken import (
    NUMBER,
    WORD,
    behind,
    ends_at,
    first_read,
    has_number,
    has_word,
    is_grouped,
    says,
    ways,
    with_plain_numbers,
    word_at,
)
from app.skills.tools.calculator.steps import is_bare_step, is_part, read_step, speaks_of_kept
from app.skills.tools.calculator.story import find_sum
from app.skills.tools.calculator.told import is_amount, read_put_on, with_tip

_FRESH: Final = timedelta(hours=6)
_NUMBERS: Final = re.compile(r"\d+(?:\.\d+)?")
_MAX_CHARS: Final = 600
_ADDED: Final = re.compile(r"\{\} [+-] \d+(?:\.\d+)?%?")
_EDGES: Final = " .,;:!?¡¿"
_ON_TOP: Final = ("{} +", "{} -")
_OF_ITSELF: Final = "{} - {}"
_FEW_WORDS: Final = 10
_MOST_TOLD: Final = 3
_PAIR: Final = 2
_JOINED: Final = LatePattern(rf"{COMMON_WORDS.pattern('going_on')} ")
_SIGNS: Final = re.compile(" ([-+]) ")
_WITH_PERCENT: Final = re.compile(
    r"\(?(?P<whole>[^()%]{1,200}) [-+] \d{1,9}(?:\.\d{1,9})?%\)?(?P<rest> / \d{1,9})?"
)
_COUNTED: Final = re.compile(r" (?P<noun>[^\W\d_]{3,})")


def answer_going_on(asked: str, recent: Sequence[StoredMessage], ctx: TurnContext) -> Reply | None:
    """Return what a step, a correction or another number makes of the newest result.

    None for every other message, and where the newest answer is not a result, or an old one.
    """
    newest = _newest_answer(recent, ctx)
    if newest is None or len(asked) > _MAX_CHARS:
        return None
    asked = without_excuse(asked)
    told, before = read_result(newest, ctx), _asked_before(recent)
    answers = [without_again(one.text) for one in reversed(recent) if one.role == "assistant"]
    if (both := read_both(asked, [read_result(one, ctx) for one in answers[: _PAIR + 1]])) is not None:
        return _worded(both.sum, ctx, is_local=both.is_local)
    if (again := once_more(asked, told, newest, before, ctx)) is not None:
        return again
    if told is not None and (count := read_count(asked, told.sum)) is not None:
        return _reply(f"{{}} * {count}", told, None, ctx)
    said = each_with_price([one.text for one in recent if one.role == "user"])
    named = read_from_named(asked, told) if told else None
    others = _for_others(asked, newest, said, ctx) if told else None
    goes_on = (_reply(named, told, None, ctx) if named else _going_on(asked, told, said, ctx)) if told else None
    goes_on = others or goes_on or _instead(asked, newest, said, ctx) or (_next(asked, ctx) if told else None)
    shared = share_out(asked, told) if told and goes_on is None else None
    return _worded(shared, ctx, is_local=told.is_local) if told and shared else goes_on


def answer_of_story(asked: str, said: Sequence[str], ctx: TurnContext) -> Reply | None:
    """Answer a question without a number for what the message before told: "we were 6, it came to 90", "each?"."""
    if said and (part := _of_told(asked, said[-1])) is not None:
        return (
            _worded(part, ctx, is_local=is_grouped(said[-1], ctx))
            if (part := with_plain_numbers(part, ctx))
            else None
        )
    if (part := in_instalments(asked, said)) is not None and (plain := with_plain_numbers(part, ctx)) is not None:
        return _worded(plain, ctx, is_local=any(is_grouped(one, ctx) for one in said[-_MOST_TOLD:]))
    if said and (priced := with_told_price(asked, said[-1])) is not None:
        return answer_alone(priced, ctx)
    plain = PHRASES["told.asks"].sub(" ", PHRASES["told.to_share"].sub(" ", fold(asked)))
    known = WORDS["around"] | WORDS["told.bare"] | WORDS["told.asks_many"] | WORDS["told.points_back"]
    is_bare = known.issuperset(WORD.findall(plain)) and len(plain) <= _MAX_CHARS
    if not said or has_number(plain) or not is_bare or not says(fold(asked), "told.asks"):
        return None
    return answer_alone(f"{said[-1].rstrip(_EDGES)}, {asked}", ctx)


def _of_told(asked: str, before: str) -> str | None:
    """Return what a percentage makes of the only amount of the message before: "knock 20% off that for tax"."""
    step, text = read_step(asked), measured_ways(before)[0]
    found = list(amounts(text))
    if step is None or not step.endswith("%") or "?" in before or len(found) != 1 or has_more(text, found):
        return None
    one, follows = found[0], word_at(text, found[0].end)
    is_alone = not one.unit and (not follows or is_amount(text, one) or follows in STOP_WORDS | WORDS["around"])
    is_money = (
        behind("money", text, one.end)
        or text[one.start] in "$€£"
        or BEFORE["told.earned"].search(text[: one.start])
    )
    return step.replace("{}", one.value) if is_alone and is_money else None


def _next(asked: str, ctx: TurnContext) -> Reply | None:
    """Answer the calculation behind a word that goes on: "and 12% of 250"."""
    plain = asked.lstrip(_EDGES)
    joined = _JOINED.match(plain)
    rest = plain[joined.end() :] if joined else ""
    return answer_at_once(rest, ctx, is_asked=" " in rest.strip(_EDGES)) if rest else None


def _another(asked: str, told: Told) -> str | None:
    """Return the step of "y otros 35 del pan", "and another 12 for the bus": once more what was done last.

    What is for a thing that is named is added, too, where nothing was done yet: "y con 1000 de velas".
    """
    signs = _SIGNS.findall(told.sum)
    for text in ways(asked):
        number = NUMBER.search(text)
        if number is None or has_number(text[number.end() :]) or len(WORD.findall(text)) > _FEW_WORDS:
            continue
        head = text[: number.start()].strip(_EDGES)
        is_amount = ends_at(text, number.end()) or behind("amount", text, number.end())
        is_more = signs and is_amount and PHRASES["another"].fullmatch(head)
        if is_more or (PHRASES["added"].fullmatch(head) and _is_for_a_thing(text[number.end() :])):
            return f"{{}} {signs[-1] if signs else '+'} {number['number']}"
    return None


def _is_for_a_thing(text: str) -> bool:
    """Whether a text says what an amount is for: "de velas", "pounds for the bus"; neither people nor a meal."""
    thing = PHRASES["told.thing"].fullmatch(text.strip(_EDGES))
    others = WORDS["told.groups"] | WORDS["told.no_thing"] | WORDS["periods"]
    return thing is not None and others.isdisjoint(WORD.findall(thing[0])[1:])


def _going_on(asked: str, told: Told, said: Sequence[str], ctx: TurnContext) -> Reply | None:
    """Return what a step, a correction or another number of sharers makes of a result."""
    before = said[-1] if said else ""
    shared = None if is_part(before) or is_scaled(told.sum, said[-_MOST_TOLD:]) else read_shared(told.sum)
    if (unequal := read_unequal(asked, shared)) is not None:
        answer = answer_unequal(unequal, ctx, is_local=told.is_local)
        return Reply(literal=answer) if answer else None
    if shared is not None and (sharers := read_sharers(asked, shared.sharers)) is not None:
        return _worded(f"{shared.whole} / {sharers}", ctx, is_local=told.is_local)
    of_others = _of_others(asked, told, said, ctx)
    on_top = of_others or read_put_on_top(asked, told.sum, before) or _step_instead(asked, before, told, ctx)
    if on_top is not None:
        return _worded(on_top, ctx, is_local=told.is_local)
    if speaks_of_rest(asked) and (rest := read_rest(asked, told.sum)) is not None:
        return _worded(rest, ctx, is_local=told.is_local)
    following, step, correction = read_following(asked), read_step(asked), read_correction(asked)
    if _is_unsure(step, asked, before, told):
        return None
    if following is not None and (marked := following.after(told.sum)) is not None:
        return _reply_marked(following, marked, told, ctx)
    if (
        step := step or (None if speaks_of_kept(asked) else read_put_on(asked)) or _another(asked, told)
    ) is not None:
        step = with_tip(step, asked, shared.whole if shared else told.value)
        return _reply(step, told, shared if shared and _is_of_the_whole(step, asked, said) else None, ctx)
    if (priced := read_price_of_it(asked, before)) is not None:
        return _reply(priced, told, None, ctx)
    if (packs := read_packs(asked)) is not None:
        in_all = in_packs(told.value, *packs, ctx, is_local=told.is_local)
        return Reply(literal=in_all) if in_all else None
    corrected = _corrected(told, correction, before, ctx) if correction else _without(asked, told)
    return _worded(corrected, ctx, is_local=told.is_local) if corrected else None


def _of_others(asked: str, told: Told, said: Sequence[str], ctx: TurnContext) -> str | None:
    """Return what it comes to where others go, or more of them, at the price for each that was told."""
    price, _, count = told.sum.partition(" × ")
    read = (first_read(read_apiece, measured_ways(one)) for one in said[-_MOST_TOLD:])
    is_of_each = any(one and with_plain_numbers(one.partition(" * ")[0], ctx) == price for one in read)
    now = read_sharers(asked, int(count)) if is_of_each and count.isdecimal() else None
    return f"{price} * {now}" if now else None


def _is_unsure(step: str | None, asked: str, before: str, told: Told) -> bool:
    """Whether nobody told of what is left, or a name of thousands is left out: "60 lucas", "restale 3000"."""
    if step is not None and (step.startswith(_OF_ITSELF) or speaks_of_kept(asked)):
        return False
    is_of_rest = speaks_of_rest(asked) and " - " not in told.sum
    in_talk = [any(pattern.search(ways(one)[0]) for pattern, _ in IN_TALK) for one in (before, asked)]
    return is_of_rest or (step is not None and step.startswith(_ON_TOP) and in_talk == [True, False])


def _step_instead(asked: str, before: str, told: Told, ctx: TurnContext) -> str | None:
    """Return the step told last with another number in it: "divide it by 8", "and if it were 12?"."""
    old = read_step(before)
    changed = read_instead(asked, before) if old else None
    new = read_step(changed) if changed else None
    plain = [with_plain_numbers(one, ctx) for one in (old, new) if one]
    if len(plain) != _PAIR or plain[0] is None or plain[1] is None:
        return None
    start, _, end = plain[0].partition("{}")
    whole = told.sum.replace("×", "*")
    is_last = whole.startswith(start) and whole.endswith(end)
    return plain[1].replace("{}", whole[len(start) : len(whole) - len(end)]) if is_last else None


def _instead(asked: str, newest: str, said: Sequence[str], ctx: TurnContext) -> Reply | None:
    """Answer the message before with another number in it, where our newest answer was to that."""
    before = _answered(newest, said, ctx)
    changed = _meant(asked, before, ctx) if before else None
    return _answer(changed, ctx) if changed else None


def _for_others(asked: str, newest: str, said: Sequence[str], ctx: TurnContext) -> Reply | None:
    """Answer the message before for others: behind a price, "y por 3 kilos y medio" multiplies no result."""
    if not ways_for_others(asked):
        return None
    before = _answered(newest, said, ctx)
    changed = with_others(asked, before) if before else None
    return _answer(changed, ctx) if changed else None


def _answered(newest: str, said: Sequence[str], ctx: TurnContext) -> str | None:
    """Return what was asked, with all that was changed of it since, where our newest answer was to that."""
    if not has_number(fold(newest)):
        return None  # no sum has such an answer, and those of long ago need not be read again
    for place in reversed(range(len(said))):
        if (found := find_sum(said[place], ctx)) is None:
            continue
        meant = found[0]
        for later in said[place + 1 :]:
            meant = _meant(later, meant, ctx) or meant
        return meant if is_answer_to(meant, newest, ctx) else None
    return None


def _meant(asked: str, before: str, ctx: TurnContext) -> str | None:
    """Return a message that asks what the one before and this one do together; None where they ask nothing."""
    again = read_instead(asked, before) or behind_story(asked, before) or before_talk(asked, before)
    ways = [with_more_time(asked, before, ctx), again]
    if _tells_more(asked):
        ways.append(f"{before.rstrip(_EDGES)}, {asked}")
    return next((one for one in ways if one and _answer(one, ctx) is not None), None)


def _tells_more(asked: str) -> bool:
    """Whether a message goes on telling of a sum: "y pague 1000 del taxi"."""
    plain = fold(asked)
    told = [word for word in WORD.findall(plain) if word not in WORDS["around"] and not word.isdecimal()]
    goes_on = PHRASES["told.goes_on"].match(plain) is not None and has_number(plain)
    return goes_on and len(told) <= _MOST_TOLD and not has_word(plain, "elsewhere", "told.wishes")


def _answer(said: str, ctx: TurnContext) -> Reply | None:
    return answer_alone(said, ctx) or answer_at_once(said, ctx)


def _without(asked: str, told: Told) -> str | None:
    """Return the calculation just told without its percentage: "and without the tip?"."""
    found = (
        _WITH_PERCENT.fullmatch(told.sum) if PHRASES["told.without"].fullmatch(fold(asked).strip(_EDGES)) else None
    )
    return f"{found['whole']}{found['rest'] or ''}" if found else None


def _is_of_the_whole(step: str, asked: str, said: Sequence[str]) -> bool:
    """Whether what comes on top is of what people share, not of what each pays.

    It is a part, or for a thing; what was only divided, with nobody who shares it, goes on from its result.
    """
    if step.endswith("%"):
        return True
    shared = next((one for one in reversed(said) if not (read_step(one) or "").startswith(_ON_TOP)), "")
    is_plain = read_calculation(shared) is not None or (read_step(shared) or "").startswith("{} /")
    is_of_people = any(says(one, "told.sharers") or says(one, "each") for one in ways(shared))
    return (is_of_people or not is_plain) and not is_bare_step(asked)


def _newest_answer(recent: Sequence[StoredMessage], ctx: TurnContext) -> str | None:
    newest = recent[-1] if recent else None
    if newest is None or newest.role != "assistant" or ctx.received_at - newest.created_at > _FRESH:
        return None
    return without_again(newest.text)


def _asked_before(recent: Sequence[StoredMessage]) -> str:
    return next((one.text for one in reversed(recent) if one.role == "user"), "")


def _reply(step: str, told: Told, shared: Shared | None, ctx: TurnContext) -> Reply | None:
    plain = with_plain_numbers(step, ctx)
    if plain is None:
        return None
    is_first = plain.startswith("{}")
    if shared is not None and _ADDED.fullmatch(plain):
        # What comes on top is of the whole: who shares it may change afterwards.
        whole = plain.replace("{}", shared.whole)
        return _worded(f"({whole}) / {shared.sharers}", ctx, is_local=told.is_local)
    value = f"({told.value})" if told.value.startswith("-") and not is_first else told.value
    return _worded(plain.replace("{}", value), ctx, is_local=told.is_local or is_grouped(step, ctx))


def _reply_marked(said: Markup, marked: Markup, told: Told, ctx: TurnContext) -> Reply | None:
    """Word a markup; what of it was `said` now is as it was written, the rest as it was told."""
    new = with_plain_numbers(said.price or said.percent, ctx)
    if new is None:
        return None
    plain = replace(marked, price=new) if said.price else replace(marked, percent=new)
    is_local = told.is_local or is_grouped(said.price, ctx)
    return _worded(plain.sum.replace("{}", told.value), ctx, is_local=is_local)


def _worded(plain: str, ctx: TurnContext, *, is_local: bool) -> Reply | None:
    try:
        return Reply(literal=in_words(computed(read_expression(plain)), ctx, is_local=is_local))
    except ToolFault:
        return None


def _corrected(told: Told, correction: Correction, asked: str, ctx: TurnContext) -> str | None:
    """Put the new number in the place of the one that is meant; None where that is none or several."""
    new = with_plain_numbers(correction.new, ctx)
    old = correction.old or _counted(asked, correction.noun)
    wrong = with_plain_numbers(old, ctx) if old else None
    if new is None or wrong is None:
        return None
    places = [found for found in _NUMBERS.finditer(told.sum) if Decimal(found[0]) == Decimal(wrong)]
    if len(places) != 1:
        return None
    return f"{told.sum[: places[0].start()]}{new}{told.sum[places[0].end() :]}"


def _counted(asked: str, noun: str) -> str | None:
    """Return the only number of a message that counts such things."""
    if not noun:
        return None
    for text in ways(asked):
        found = [
            number["number"]
            for number in NUMBER.finditer(text)
            if (counted := _COUNTED.match(text, number.end())) and stem(counted["noun"]) == stem(noun)
        ]
        if len(found) == 1:
            return found[0]
    return None
