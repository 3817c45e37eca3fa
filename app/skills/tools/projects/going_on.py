"""A task for a project that is named, or for the one just spoken of: "and one more, sand the beams"."""

from collections.abc import Sequence
from typing import Final

from app.domain.wording import fold
from app.language.lexicon import STOP_WORDS
from app.skills.picking.choosing import is_in_talk
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import is_other_wish, tokens_of
from app.skills.tools.projects import lexicon
from app.skills.tools.projects.listing import INFINITIVES, MAX_TASK_CHARS, Alone, Listed
from app.skills.tools.projects.records import Project

_MOST_WORDS: Final = 14
_MOST_WORDS_TOLD: Final = 32
_NO_TASK: Final = PICKING["pronouns"] | PICKING["subjects"] | PICKING["relative"] | lexicon.WORDS["no_task"]
_OF_PROJECTS: Final = lexicon.WORDS["project_words"] | lexicon.WORDS["tasks_called"]
_BOX: Final = "☐"
"""Stands before what is on a list, which may be called as a project is."""
_MARKS: Final = " \"'“”«»:,"


def read_added(text: str, known: Sequence[Project]) -> Listed | None:
    """Return the task that a message wants in a project that is there and named: "put X in the Y project"."""
    said = " ".join(text.split()).rstrip(".! ")
    opened = lexicon.PUTS.match(said)
    if opened is None or "?" in said or len(said) > MAX_TASK_CHARS:
        return None
    names = {fold(one.name): one.name for one in known}
    is_called = not _OF_PROJECTS.isdisjoint(one.key for one in tokens_of(said))
    for place in lexicon.IN_PROJECT.finditer(said, opened.end() - 1):
        behind = lexicon.TASK_BEHIND.search(said, place.end()) if place.start() < opened.end() else None
        ends, task = len(said), said[opened.end() : place.start()]
        if behind is not None:
            ends, task = behind.start(), said[behind.end() :]
        name = names.get(fold(said[place.end() : ends].strip(_MARKS).removesuffix(" project").strip(_MARKS)))
        first = tokens_of(task)[:1]
        # "Put soap in the garden" may be meant as it is said.
        if name and first and (is_called or first[0].key.endswith(INFINITIVES)):
            return Listed(name, [task.strip(_MARKS)])
    return None


def read_more(text: str, known: Sequence[Project], answer: Sequence[str]) -> Listed | None:
    """Return the task that a message adds to the project of which an `answer` told: "one more: call Ann"."""
    said = " ".join(text.split()).rstrip(".! ")
    there = lexicon.TASK_THERE.match(said)
    found = there or lexicon.ANOTHER.match(said) or lexicon.MORE_OF_IT.match(said)
    named = [one for one in known if one.status == "active" and is_in_talk([one.name], answer)]
    if found is None or len(named) != 1 or "?" in said or _BOX in "".join(answer):
        return None
    task = said[found.end() :].strip(f"{_MARKS}-")
    if there is not None:
        added = _task_there(task, named[0].name, is_bare=there["bare"] is not None)
        found = lexicon.ANOTHER.match(said) if added is None and there["bare"] is not None else None
        if found is None:
            return added
        task = said[found.end() :].strip(f"{_MARKS}-")  # "Stick another on it, paint the lid"
    keys = [one.key for one in tokens_of(task)]
    if not 0 < len(keys) <= _MOST_WORDS or keys[0] in _NO_TASK or not PICKING["list_words"].isdisjoint(keys):
        return None
    # What no mark leads to has to sound like a thing to do.
    is_led = found.re is lexicon.ANOTHER.compiled and (":" in found[0] or bool(found["kind"] or found["puts"]))
    is_english = not lexicon.WORDS["no_ending"].isdisjoint(one.key for one in tokens_of(found[0]))
    is_verb = is_english and keys[0] not in PICKING["determiners"] | lexicon.WORDS["no_verb"]
    sounds_so = len(keys) > 1 and (is_verb or keys[0].endswith(INFINITIVES))
    return Listed(named[0].name, [task]) if is_led or sounds_so else None


def _task_there(said: str, project: str, *, is_bare: bool) -> Listed | None:
    """Return a task that is called one, as it is said, without why it is to be done behind a mark."""
    reason = next((one for one in lexicon.WHY_TASK.finditer(said) if one.start() > 0), None)
    task = said[: reason.start()].strip(_MARKS) if reason is not None else said
    keys = [one.key for one in tokens_of(task)]
    if (
        not keys
        or len(keys) > _MOST_WORDS_TOLD
        or keys[0] in _NO_TASK
        or not PICKING["list_words"].isdisjoint(keys)
    ):
        return None
    return Listed(project, [task]) if not is_bare or keys[0].endswith(INFINITIVES) else None


def read_one(text: str) -> Alone | None:
    """Return the task that a message wants, for no project that it names: "ponme de tarea pedir otra"."""
    said = " ".join(text.split()).rstrip(".! ")
    opened = lexicon.PUTS_TASK.match(said)
    task = said[opened.end() :].strip(_MARKS) if opened is not None and "?" not in said else ""
    words = tokens_of(task)
    keys = [one.key for one in words]
    if opened is None or not 1 < len(keys) <= _MOST_WORDS or keys[0] in _NO_TASK | STOP_WORDS:
        return None
    is_english = not lexicon.WORDS["no_ending"].isdisjoint(fold(opened[0]).split())
    if not (is_english or opened[0].rstrip().endswith(":") or keys[0].endswith(INFINITIVES)):
        return None
    is_elsewhere = not (_OF_PROJECTS | PICKING["list_words"]).isdisjoint(keys)
    is_plain = not is_elsewhere and not any(map(is_other_wish, words[1:]))
    return Alone("", [task], is_listed=False) if is_plain else None


def without_place(text: str, known: Sequence[Project]) -> str:
    """Return a text without the words that name the project of a task: "off the bathroom project"."""
    names = {fold(one.name) for one in known}
    found = [one for one in lexicon.AT_PROJECT.finditer(text) if fold(one["name"] or one["named"]) in names]
    return f"{text[: found[-1].start()]}{text[found[-1].end() :]}" if found else text
