"""Which tasks a named project has, asked loosely: "hang on, which tasks were in Barn? my sister is asking"."""

from collections.abc import Sequence
from typing import Final

from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, tokens_of
from app.skills.tools.projects import lexicon
from app.skills.tools.projects.lexicon import WORDS
from app.skills.tools.projects.records import Project

_MAX_CHARS: Final = 240
_MOST_BETWEEN: Final = 7
_MOST_OF_A_TITLE: Final = 80
_BEFORE: Final = PICKING["opening"] | PICKING["joining"] | PICKING["calls_out"] | WORDS["before_asked"]


def may_ask_tasks(text: str) -> bool:
    """Tell whether a text has a word for tasks, or asks what was somewhere: else no project is read."""
    flat = " ".join(text[:_MAX_CHARS].split())
    return lexicon.ASKS_TASKS.search(flat) is not None or lexicon.ASKS_WHAT_WAS.search(flat) is not None


def asked_tasks_of(text: str, known: Sequence[Project]) -> Project | None:
    """Return the only active project of which a text asks for the tasks, or for what there was in it."""
    said = " ".join(text.split())
    if not known or len(said) > _MAX_CHARS:
        return None
    words = tokens_of(said)
    for asks in (lexicon.ASKS_TASKS, lexicon.ASKS_WHAT_WAS):
        most = _MOST_BETWEEN if asks is lexicon.ASKS_TASKS else 0
        for found in asks.finditer(said):
            behind = [one for one in words if one.start >= found.end()]
            if _opens_clause([one for one in words if one.start < found.start()], words, found.start()) and (
                named := _named(behind, known, most)
            ):
                return named
    return None


def read_tasks_of(text: str) -> str:
    """Return whose tasks a text asks for by these words alone, "tareas de la mudanza", "garden tasks"; else ""."""
    found = lexicon.TASKS_OF.fullmatch(" ".join(text.split())) if len(text) <= _MOST_OF_A_TITLE else None
    return "" if found is None else found["behind"] or found["before"] or ""


def _opens_clause(before: Sequence[Token], words: Sequence[Token], start: int) -> bool:
    """Tell whether only an opening stands in a clause before a question: "she knows which …" is none."""
    first = next((one for one in words if one.start >= start), None)
    cut = next((n for n in range(len(before), 0, -1) if _is_cut(n, before, first)), 0)
    return all(one.key in _BEFORE for one in before[cut:])


def _is_cut(at: int, before: Sequence[Token], first: Token | None) -> bool:
    one = before[at] if at < len(before) else first
    return one is not None and one.is_cut


def _named(words: Sequence[Token], known: Sequence[Project], most: int) -> Project | None:
    """Return the project whose whole name stands among the next words of a clause; the longest name where several
    do."""
    clause = [one.key for one in words]
    found: list[tuple[int, Project]] = []
    for project in known:
        name = [one.key for one in tokens_of(project.name)]
        places = range(min(most, len(clause) - len(name)) + 1) if name and project.status == "active" else range(0)
        at = next((place for place in places if clause[place : place + len(name)] == name), None)
        if at is not None and WORDS["not_asked"].isdisjoint(clause[:at]):
            found.append((len(name), project))
    longest = max((size for size, _ in found), default=0)
    each = [project for size, project in found if size == longest]
    return each[0] if len(each) == 1 else None
