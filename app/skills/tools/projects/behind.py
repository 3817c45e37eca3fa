"""A task said right behind a project or task that was just made: "put sand the door in it", "y lijar la puerta
también"."""

from collections.abc import Sequence
from typing import Final

from app.skills.picking.choosing import is_in_talk
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import is_other_wish, tokens_of
from app.skills.tools.projects.lexicon import GOES_IN_IT, ONE_MORE_TOO, PUT_IN_IT, TOO_AT_END, WORDS
from app.skills.tools.projects.listing import INFINITIVES, MAX_TASK_CHARS, Listed
from app.skills.tools.projects.records import Project

_MOST_WORDS: Final = 14
_MARKS: Final = " \"'“”«»:,"
_NOT_OF_IT: Final = (
    PICKING["list_words"]
    | PICKING["task_words"]
    | PICKING["elsewhere"]
    | WORDS["project_words"]
    | WORDS["tasks_called"]
)
_NO_VERB: Final = (
    PICKING["determiners"]
    | PICKING["pronouns"]
    | PICKING["subjects"]
    | PICKING["relative"]
    | WORDS["no_task"]
    | WORDS["no_verb"]
)


def read_behind(text: str, known: Sequence[Project], answer: Sequence[str]) -> Listed | None:
    """Return the task that a message adds to the only project of which an `answer` told that it was made, or got
    a task; None of any other message."""
    said = " ".join(text.split()).rstrip(".! ")
    named = [one for one in known if one.status == "active" and is_in_talk([one.name], answer)]
    if len(named) != 1 or "?" in said or len(said) > MAX_TASK_CHARS:
        return None
    task = _said_of_it(said)
    return Listed(named[0].name, [task]) if task else None


def _said_of_it(said: str) -> str:
    for pattern in (PUT_IN_IT, GOES_IN_IT):
        if (found := pattern.match(said)) is not None:
            task = next(filter(None, (found["task"], found["behind"])), "").strip(_MARKS)
            task = TOO_AT_END.sub("", task)
            return task if _is_task(task, is_sure=True) else ""
    if (found := ONE_MORE_TOO.match(said)) is None:
        return ""
    task = TOO_AT_END.sub("", said[found.end() :]).strip(_MARKS)
    return task if _is_task(task, is_sure=False) else ""


def _is_task(task: str, *, is_sure: bool) -> bool:
    """Tell whether words are a thing to do; where it is not said that they belong there, by a verb that is one."""
    words = tokens_of(task)
    keys = [one.key for one in words]
    if not 1 < len(keys) <= _MOST_WORDS or not _NOT_OF_IT.isdisjoint(keys) or keys[0] in _NO_VERB:
        return False
    if keys[1] in PICKING["pronouns"] - PICKING["determiners"] - WORDS["leads_on"] or any(
        map(is_other_wish, words[1:])
    ):
        return False
    if not is_sure and not WORDS["within_a_story"].isdisjoint(keys):
        return False
    is_known = keys[0].endswith(INFINITIVES) or keys[0] in WORDS["things_to_do"]
    # A verb that nobody knows leads to a thing: "caulk the bath".
    return is_known or (is_sure and keys[1] in WORDS["leads_on"])
