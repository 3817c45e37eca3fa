"""Money that was spent, kept on a list: "sumá 900 de pan a los gastos", "y 250 en el kiosco", "¿cuánto llevo?"."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from app.database.repositories.conversations import Conversations
from app.domain.chat import ToolCall
from app.domain.inbound import Audio, InboundMessage, Text
from app.domain.outbound import Reply
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.catalogue import say
from app.skills.amending import CALL_ID, is_correction
from app.skills.tools.lists.lexicon import (
    ASKS_TOTAL,
    COST_VERBS,
    EXPENSES,
    KEEPS_EXPENSE,
    MORE_SPENT,
    SPENT_ENDS,
    TO_EXPENSES,
    WORDS,
)
from app.skills.tools.lists.repository import Item, Lists, NamedList
from app.skills.tools.lists.texts import LISTS

_MAX_CHARS: Final = 160
_LEAST_LETTERS: Final = 4
_AMOUNT: Final = re.compile(r"(?<![\w.,:/-])[$€£]?\d{1,9}(?:[.,]\d{1,3}){0,3}(?![\w.,:/%-]*\d)(?![:/%\w])")
_PAUSE: Final = re.compile(r"[;:!?\n]|[,.](?!\d)")
_CENTS: Final = re.compile(r"[.,](\d{1,2})\Z")
_WORD: Final = re.compile(r"[^\W\d_]+")
_EDGES: Final = " ,.;:!"


def keeps_money(one: NamedList) -> bool:
    return EXPENSES.fullmatch(fold(one.name)) is not None


class Spent:
    """`call` is a `Certain`, `tell` a `Telling`.

    What goes on without naming the list is for it while it is shown.
    """

    def __init__(self, lists: Lists, conversations: Conversations) -> None:
        self._lists = lists
        self._conversations = conversations

    async def call(self, text: str, ctx: TurnContext) -> ToolCall | None:
        """Return the call that keeps an amount, or puts the one for the same thing right."""
        if len(text) > _MAX_CHARS or "?" in text or len(_AMOUNT.findall(text)) != 1:
            return None
        item, told = read_expense(text), ctx.said.answers[:1]
        if item is None and not any(EXPENSES.search(fold(answer)) for answer in told):
            return None
        known = await self._find(ctx)
        if item is not None:
            name = known.name if known else say(LISTS.expenses, ctx.language)
            return ToolCall(CALL_ID, "add_to_list", {"items": [item], "list_name": name})
        if known is None or not _is_shown(known, told):
            return None
        if (old := _corrected(text, known.open_items)) is not None:
            new = _AMOUNT.sub(_AMOUNT.findall(text)[0], old.text, count=1)
            return ToolCall(CALL_ID, "correct_item", {"new": new, "old": old.text, "list_name": known.name})
        opening = MORE_SPENT.match(text)
        more = _item(text) if opening is not None and _AMOUNT.match(text[opening.end() :].lstrip()) else None
        return ToolCall(CALL_ID, "add_to_list", {"items": [more], "list_name": known.name}) if more else None

    async def tell(self, messages: Sequence[InboundMessage], asked: str, ctx: TurnContext) -> Reply | None:
        """Return the sum of what is open on the list, with its parts; None for every other message."""
        is_alone = len(messages) == 1 and isinstance(messages[0].content, Text | Audio)
        plain = fold(asked).strip(" .!?¡¿")
        if not is_alone or ASKS_TOTAL.fullmatch(plain) is None or (known := await self._find(ctx)) is None:
            return None
        recent = await self._conversations.list_recent(ctx.user_id, ctx.conversation_id, limit=1)
        if EXPENSES.search(plain) is None and not _is_shown(known, [one.text for one in recent]):
            return None
        parts = [found[0] for item in known.open_items if (found := _AMOUNT.match(item.text)) is not None]
        if not parts:
            return None
        total = sum(map(_value, parts), Decimal(0))
        shown = f"{' + '.join(parts)} = {total}" if len(parts) > 1 else parts[0]
        return Reply(literal=say(LISTS.total, ctx.language, name=known.name, sum=shown))

    async def _find(self, ctx: TurnContext) -> NamedList | None:
        known = await self._lists.list_all(ctx.user_id)
        return next((one for one in known if keeps_money(one)), None)


def read_expense(text: str) -> str | None:
    """Return the amount, and what it was for, that a message wants kept among the expenses."""
    place = TO_EXPENSES.search(text)
    if place is None or KEEPS_EXPENSE.search(text) is None:
        return None
    return _item(text[: place.start()]) or _item(text[place.end() :])


def _item(text: str) -> str | None:
    """Return an amount with what it was for, in the person's words: "900 de pan"."""
    if (amount := _AMOUNT.search(text)) is None:
        return None
    rest = text[amount.end() :]
    pause = _PAUSE.search(rest)
    rest = SPENT_ENDS.split(f"{rest[: pause.start() if pause else None]} ")[0]
    thing = COST_VERBS.sub("", rest.strip(_EDGES)).strip(_EDGES)
    is_money = thing and fold(thing).split()[0] not in WORDS["measures"]
    return f"{amount[0].lstrip('$€£')} {thing}" if is_money else None


def _corrected(text: str, items: Sequence[Item]) -> Item | None:
    """Return the only item whose thing a correction names."""
    if not is_correction(text):
        return None
    said = {one for one in _WORD.findall(fold(text)) if len(one) >= _LEAST_LETTERS}
    hits = [one for one in items if not said.isdisjoint(_WORD.findall(fold(one.text)))]
    return hits[0] if len(hits) == 1 else None


def _is_shown(known: NamedList, answers: Sequence[str]) -> bool:
    return any(f"{known.name}:" in answer for answer in answers)


def _value(amount: str) -> Decimal:
    """Read an amount: one or two digits behind its last sign are cents, other signs stand between thousands."""
    cents = _CENTS.search(amount)
    whole = re.sub(r"\D", "", amount[: cents.start()] if cents else amount)
    return Decimal(f"{whole or 0}.{cents[1] if cents else 0}") if cents else Decimal(whole or 0)
