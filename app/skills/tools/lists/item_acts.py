"""What becomes of the items of a list, and the calls for that."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from app.domain.chat import ToolCall
from app.skills.selection import READ_ID
from app.skills.tools.lists.repository import Item, NamedList

_TOOLS: Final = (
    ("remove", "remove_from_list"),
    ("done", "check_off"),
    ("reword", "correct_item"),
    ("add", "add_to_list"),
)
Deed = Literal["remove", "done", "reword", "add"]


class ItemAct(NamedTuple):
    """What becomes of an item, or what is put beside it: `new` is what it is called then."""

    deed: Deed
    item: Item | None = None
    new: str = ""


def calls_for(acts: Sequence[ItemAct], one: NamedList) -> list[ToolCall]:
    """Return the calls for what becomes of the items of a list, in the order in which they are to run."""
    where: dict[str, object] = {"list_name": one.name}
    calls = list[tuple[str, dict[str, object]]]()
    for deed, tool in _TOOLS:
        named = [act for act in acts if act.deed == deed]
        if deed == "reword":
            calls += [(tool, {"new": act.new, "old": act.item.text} | where) for act in named if act.item]
        elif named:
            calls.append((tool, {"items": [act.item.text if act.item else act.new for act in named]} | where))
    return [ToolCall(f"{READ_ID}_{number}", tool, arguments) for number, (tool, arguments) in enumerate(calls)]
