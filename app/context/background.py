"""What the assistant knows beside history, in the words of its prompt."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from app.context.builder import Background
from app.database.repositories.embeddings import EmbeddingKind
from app.memory.recollection import Recollection

_SAYS: Final[Mapping[EmbeddingKind, str]] = MappingProxyType(
    {
        "memory": "you know about the person",
        "note": "a note of theirs says",
        "project_note": "a project note of theirs says",
        "snapshot": "in an earlier conversation",
    }
)


def describe_background(
    recollection: Recollection,
    *,
    capabilities: str = "",
    instructions: Iterable[tuple[str, str]] = (),
    summary: str = "",
) -> Background:
    """Put together what stands below the system text, and what belongs to the newest message alone.

    `instructions` are pairs of a skill and its text, in an order that only ever grows at its end.
    """
    lasting = (
        ("capabilities", capabilities),
        *((f"skill_{name}", text) for name, text in instructions),
        ("summary_of_earlier_messages", summary),
        ("recent_days", recollection.days),
    )
    passing = tuple(f'{_SAYS[one.kind]}: "{one.text}"' for one in recollection.items)
    return Background(tuple((tag, text) for tag, text in lasting if text), passing)
