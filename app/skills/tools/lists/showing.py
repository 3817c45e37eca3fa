"""Lists as they are shown, to the person and to the model."""

from collections.abc import Sequence
from typing import Final

from app.domain.tools import ToolResult
from app.domain.wording import CHECKBOXES, one_line
from app.language.catalogue import Language, say
from app.skills.tools.lists.naming import MAX_NAME_CHARS, name_of
from app.skills.tools.lists.repository import Item, NamedList
from app.skills.tools.lists.texts import LISTS

_SHOWN_ITEMS: Final = 60
_OPEN, _DONE = CHECKBOXES


def shows_items(answer: str) -> bool:
    """Tell whether an answer shows the items of a list."""
    return _OPEN in answer or _DONE in answer


def names_of(items: Sequence[Item]) -> str:
    return ", ".join(item.text for item in items)


def shown_lines(one: NamedList) -> str:
    shown = [f"{_DONE if item.is_done else _OPEN} {item.text}" for item in one.items[:_SHOWN_ITEMS]]
    return "\n".join(shown) or "empty"


def shown_list(one: NamedList, language: Language) -> str:
    if not one.items:
        return say(LISTS.empty, language, name=one.name)
    shown = f"{one.name}:\n{shown_lines(one)}"
    return shown if one.open_items else f"{shown}\n{say(LISTS.all_done, language, name=one.name)}"


def no_such_list(known: Sequence[NamedList], said: str, language: Language) -> ToolResult:
    if not known:
        return told_as("There are no lists yet.", say(LISTS.none, language))
    names = ", ".join(one.name for one in known)
    named = one_line(name_of(said) or said, MAX_NAME_CHARS)
    return told_as(f"No such list. The lists are: {names}", say(LISTS.unknown, language, name=named, names=names))


def told_as(output: str, reply: str) -> ToolResult:
    return ToolResult.ok(output, reply)
