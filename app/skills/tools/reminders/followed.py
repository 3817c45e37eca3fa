"""What becomes of the reminder that was just told of, by a message of which a head says how it relates to it."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from app.database.repositories.acts import Acts
from app.domain.chat import ToolCall
from app.domain.ports import ChatModel, Clock
from app.domain.turn import TurnContext
from app.domain.wording import fold
from app.language.catalogue import Language, openings
from app.skills.amending import CALL_ID
from app.skills.following.following import DOUBTFUL_ID, Calls, Spoken
from app.skills.following.relations import Relation
from app.skills.selection import READ_ID
from app.skills.tools.reminders import lexicon
from app.skills.tools.reminders.by_form import look_near
from app.skills.tools.reminders.clauses import clauses, pieces
from app.skills.tools.reminders.left_out import left_out
from app.skills.tools.reminders.lexicon import spoken
from app.skills.tools.reminders.pointing import best_named, called, most_alike, names_of, read_called_off
from app.skills.tools.reminders.repository import Reminder, Reminders
from app.skills.tools.reminders.texts import REMINDERS
from app.when.reading import read_wish
from app.when.rules import to_local

_CALL: Final = f"{READ_ID}_0"
_MOST_BESIDE: Final = 1
_MOST_NAMES: Final = 2
_OWN: Final = frozenset({"my", "mi", "mis", "our"})
_NAME: Final = re.compile(r"(?<=\w )[A-ZÁÉÍÓÚÑ]")
_IN_DOUBT: Final = f"{_CALL}_{DOUBTFUL_ID}"


async def recall(reminders: Reminders, acts: Acts, clock: Clock, answer: str, ctx: TurnContext) -> Spoken | None:
    """See `Recall`: the newest reminder, where an answer told that it is set, or moved."""
    count = sum(map(answer.count, openings(REMINDERS.set, REMINDERS.changed)))
    if not count:
        return None
    near = await look_near(reminders, acts, ctx.user_id, clock.now())
    newest = near.newest
    if newest is None or newest.due_at is None or newest.subject or newest.text not in answer:
        return None
    now = to_local(clock.now(), ZoneInfo(ctx.timezone))

    async def act(relation: Relation, text: str, ctx: TurnContext, model: ChatModel) -> Calls:
        if count > 1:
            return [ToolCall(CALL_ID, "list_reminders", {})] if relation == "ask" else []
        other = most_alike(names_of(text, lexicon.OFF_WORDS), near.active)
        return [] if other and other != [newest] else calls_for(relation, text, newest, now, ctx.language)

    return Spoken("reminder", newest.text, act, _says)


def _says(relation: Relation, text: str) -> bool:
    return relation == "change" and not lexicon.MOVING.isdisjoint(spoken(text))


def calls_for(relation: Relation, text: str, one: Reminder, now: datetime, language: Language) -> Calls:
    """Return what a message that relates so to a reminder does with it; `now` is local."""
    if relation in {"change", "off"}:
        if left_out(one, text, now, language) is not None:
            return [ToolCall(_CALL, "change_reminder", {"when": text})]
        if _is_kept(text):
            return []
    match relation:
        case "ask":
            return [ToolCall(_CALL, "list_reminders", {})]
        case "off" if not _names_something_else(text, one, now, language):
            return [ToolCall(_CALL, "cancel_reminder", {"reminder": called(one)})]
        case "off" if _may_name_it(text, one, now, language):
            return [ToolCall(_IN_DOUBT, "cancel_reminder", {"reminder": called(one)})]
        case "got" if not one.rule and (names_of(text, lexicon.OFF_WORDS) & names_of(one.text, frozenset())):
            return [ToolCall(_IN_DOUBT, "cancel_reminder", {"reminder": called(one)})]
        case "change" if (when := new_time_in(clauses(text), now, language)) and not (one.rule and _denies(when)):
            return [ToolCall(_CALL, "change_reminder", {"when": when, "reminder": str(one.number)})]
        case _:
            return []


def _is_kept(text: str) -> bool:
    """Tell whether it is not to be called off after all, or another one than this, or more than it, is meant."""
    plain = fold(text)
    return any(one.search(plain) for one in (lexicon.NOT_OFF, lexicon.OTHER_ONE, lexicon.BOTH))


def _denies(said: str) -> bool:
    return not lexicon.NOT_REMINDING.isdisjoint(spoken(said)[:1])


def _may_name_it(text: str, one: Reminder, now: datetime, language: Language) -> bool:
    """Tell whether what is called off by another word may be this: "cancel the plumber", behind "fix the tap".

    What has a name of its own is none, nor what one has for long: "cancel my broadband".
    """
    off = read_called_off(text, now, language)
    if off is None or off.when is not None or _NAME.search(text) is not None:
        return False
    is_the_one = lexicon.OF_ONE.search(fold(text)) is not None or not lexicon.ARTICLES.isdisjoint(spoken(text))
    is_own = not _OWN.isdisjoint(spoken(text))
    return bool(most_alike(off.names, [one])) or (is_the_one and not is_own and len(off.names) <= _MOST_NAMES)


def _names_something_else(text: str, one: Reminder, now: datetime, language: Language) -> bool:
    """Tell whether what is called off is named, and is not this: "cancel my broadband"."""
    off = read_called_off(text, now, language)
    if off is None:
        # "Cancel all of my broadband" may be anything.
        is_called_off = lexicon.CALLING_OFF.search(text) is not None
        names = names_of(text, lexicon.OFF_WORDS | lexicon.EVERY_ONE) if is_called_off else frozenset[str]()
        return bool(names) and not most_alike(names, [one])
    return not off.says_reminder and bool(off.names) and not best_named(off.names, [one])


def new_time_in(parts: Sequence[str], now: datetime, language: Language) -> str:
    """Return the clause that says until when something is moved: of several that name a time the one that says so,
    else the last of those that say least beside it; "" where none names one."""
    said = [
        piece
        for part in parts
        for piece in (pieces(part) if not lexicon.MOVING.isdisjoint(spoken(part)) else [part])
    ]
    read = [(piece, read_wish(piece, now, language)) for piece in said]
    timed = [(len(spoken(wish.what)), piece) for piece, wish in read if wish.when is not None]
    # "On Friday, not tomorrow": what is denied is the old time.
    timed = [(beside, piece) for beside, piece in timed if not _denies(piece)] or timed
    moving = [piece for _, piece in timed if not lexicon.MOVING.isdisjoint(spoken(piece))]
    least = min((beside for beside, _ in timed), default=0)
    # "At 6 he still was not home" is a story.
    plain = [piece for beside, piece in timed if beside == least <= _MOST_BESIDE]
    return next(reversed(moving or plain), "")
