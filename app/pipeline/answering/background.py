"""What the assistant knows beside history, in the words of its prompt."""

from collections.abc import Iterable, Sequence
from typing import Final

from app.database.repositories.audit import JournalEntry
from app.domain.recollection import Recollection
from app.domain.wording import one_line
from app.pipeline.answering.builder import Background, opening_sections

_MAX_CALLS: Final = 8
_RESULT_CHARS: Final = 160


def describe_background(
    recollection: Recollection,
    *,
    capabilities: str = "",
    instructions: Iterable[tuple[str, str]] = (),
    summary: str = "",
    done_before: Sequence[JournalEntry] = (),
) -> Background:
    """Put together what stands below the system text, and what belongs to the newest message alone.

    `instructions` are pairs of a skill and its text, in an order that only ever grows at its end.
    `done_before` is what an earlier attempt at the same answer did; it comes first, so it is left out last.
    """
    lasting = (
        *opening_sections(capabilities),
        *((f"skill_{name}", text) for name, text in instructions),
        ("summary_of_earlier_messages", summary),
        *recollection.lasting,
    )
    recalled = (f'{one.says}: "{one.text}"' for one in recollection.items)
    passing = (*([_describe_done(done_before)] if done_before else ()), *recalled)
    return Background(tuple((tag, text) for tag, text in lasting if text), passing)


def _describe_done(entries: Sequence[JournalEntry]) -> str:
    told = ", ".join(_describe_call(entry) for entry in entries[-_MAX_CALLS:])
    more = f" and {len(entries) - _MAX_CALLS} calls before" if len(entries) > _MAX_CALLS else ""
    return (
        f"your first try at this answer was cut off after these tool calls: {told}{more}."
        " Do not do the same again, not in other words either; tell the person what was done"
    )


def _describe_call(entry: JournalEntry) -> str:
    if entry.result is None:
        return f"{entry.tool} (it may or may not have taken effect: ask the person)"
    how = "done" if entry.result.success else "failed"
    return f'{entry.tool} ({how}: "{one_line(entry.result.content, _RESULT_CHARS)}")'
