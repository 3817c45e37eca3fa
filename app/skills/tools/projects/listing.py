"""Tasks that a message lists for a project: "en el proyecto Casa agregá dos tareas: …"."""

import re
from collections.abc import Iterable, Sequence
from itertools import dropwhile, takewhile
from typing import Final, NamedTuple

from app.domain.wording import clean, fold, one_line
from app.language.lexicon import COMMON_WORDS, STOP_WORDS
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, span, stripped, tokens_of, without_call
from app.skills.tools.projects.lexicon import CALL_IT, LEADS_TO_FIRST, ONE_TASK, OPENS_PROJECT, WORDS

MAX_TASK_CHARS: Final = 200
_MAX_CHARS: Final = 600
_MOST_OF_A_NAME: Final = 6
_MOST_BEFORE_PROJECT: Final = 4
_ENGLISH: Final = frozenset({"project"})
_HEAD_ENDS: Final = re.compile(r"\s?:\s?|\s[-–—]\s|\n")
_SENTENCE: Final = re.compile(r"[.!]\s+\w")
_TODO: Final = frozenset({"todo", "todos"})
_DAYS: Final = COMMON_WORDS["days"] | WORDS["days_of_tasks"]
_AROUND_TASKS: Final = (
    WORDS["adds_tasks"]
    | WORDS["tasks_called"]
    | WORDS["to_be_done"]
    | WORDS["beside_tasks"]
    | WORDS["beside_tasks_alone"]
    | _DAYS
    | PICKING["determiners"]
    | PICKING["opening"]
    | COMMON_WORDS["address"]
    | PICKING["pronouns"]
    | PICKING["list_words"]
    | PICKING["list_links"]
    | STOP_WORDS
) - WORDS["project_words"]
INFINITIVES: Final = ("ar", "er", "ir")
# No comma in parentheses parts tasks.
_MARK: Final = re.compile(r"(?:[;\n]|,(?!\d)|(?<!\d),)(?![^()\n]{0,80}\))")
_JOINER: Final = re.compile(r"\s(?:y|e|and|&)\s", re.IGNORECASE)
_LED_BY_JOINER: Final = re.compile(r"(?:y|e|and|&)\s", re.IGNORECASE)


class Listed(NamedTuple):
    """Tasks that a message lists for a project, which may be new."""

    project: str
    tasks: list[str]


def read_listed(text: str, known: Sequence[str] = ()) -> Listed | None:
    """Return the tasks that a message lists behind a colon, and their project; `known` are names of projects."""
    text = without_call(text)
    head, colon, tail = text.partition(":")
    first = None if colon or OPENS_PROJECT.match(fold(text)) is None else LEADS_TO_FIRST.search(text)
    if first is not None:
        head, colon, tail = text[: first.start()], ":", text[first.end() :]
    if not colon or not tail.strip() or len(text) > _MAX_CHARS:
        return None
    words = tokens_of(head)
    keys = {one.key for one in words}
    if first is None and keys.isdisjoint(WORDS["adds_tasks"]) and keys.isdisjoint(WORDS["tasks_called"]):
        return None
    if _tells_of_making(head, words):
        return None
    name = _name(head, words) or next((one for one in known if _holds(words, one)), "")
    return Listed(name, as_called(head, tail)) if name else None


def wished_for(tasks: Sequence[str], said: Sequence[str]) -> list[str]:
    """Return the tasks that a model gives a new project; where nobody named any, neither a single one nor what
    only tells why: "start a project Barn, she's been asking for it"."""
    keys = {one.key for text in said for one in tokens_of(text)}
    naming = WORDS["tasks_called"] | WORDS["to_be_done"] | WORDS["adds_tasks"]
    if any(":" in text for text in said) or not keys.isdisjoint(naming):
        return [*tasks]
    named = [one for one in tasks if not _tells(one)]
    return named if len(named) > 1 else []


def _tells(task: str) -> bool:
    first = next(iter(tokens_of(task)), None)
    return first is not None and fold(first.key).replace("'", "").replace("’", "") in WORDS["begins_talk"]


def _tells_of_making(head: str, words: Sequence[Token]) -> bool:
    """Tell whether it is only told that somebody made a project: "my boss created a project Barn with …"."""
    at = next((n for n, one in enumerate(words) if one.key in WORDS["project_words"]), 0)
    is_made = any(
        one.key in WORDS["made_already"] or head[one.start : one.end].lower().endswith("ó")
        for one in words[max(0, at - _MOST_BEFORE_PROJECT) : at]
    )
    return is_made and WORDS["adds_tasks"].isdisjoint(one.key for one in words)


def as_called(head: str, tail: str) -> list[str]:
    """Return the tasks behind a colon; one where the head says "one task", whatever is told behind its comma."""
    is_one = ":" not in tail and ONE_TASK.search(fold(head)) is not None
    return [one_line(_bare(tail), MAX_TASK_CHARS)] if is_one else each_task(tail)


class Alone(NamedTuple):
    """Tasks that a message lists for no project, or the one that it wants; `when`: what says for which days.

    `called` is what they are called, where that names a list ("to do: …").
    """

    when: str
    tasks: list[str]
    called: str = ""
    is_listed: bool = True


def read_alone(text: str) -> Alone | None:
    """Return the tasks that a message lists behind "two tasks:", "todo:" or "para hacer hoy:"."""
    mark = _HEAD_ENDS.search(text[:_MAX_CHARS])
    if mark is None or "?" in text or len(text) > _MAX_CHARS or _SENTENCE.search(text, mark.end()):
        return None
    head = text[: mark.start()]
    words = tokens_of(head)
    keys = [one.key for one in words]
    is_named = any(key in WORDS["tasks_called"] | WORDS["to_be_done"] for key in keys)
    if not is_named or not all(key in _AROUND_TASKS or key.isdecimal() for key in keys):
        return None
    last = max(
        n
        for n, key in enumerate(keys)
        if key in WORDS["tasks_called"] | WORDS["to_be_done"] | PICKING["list_words"]
    )
    when = span(head, words[last + 1 :]) if any(key in _DAYS for key in keys[last + 1 :]) else ""
    tasks = each_task(text[mark.end() :])
    # "Todo" is a word of Spanish, too.
    is_sure = any(key in (WORDS["tasks_called"] | WORDS["to_be_done"]) - _TODO for key in keys)
    called = span(head, words[: last + 1]) if "_".join(keys[: last + 1]) in WORDS["called_so"] else ""
    return Alone(when, tasks, called) if tasks and (is_sure or all(" " in one for one in tasks)) else None


def each_task(said: str) -> list[str]:
    """Return tasks one by one, as they are written: behind commas an "and" parts only the last two."""
    marked = [one.strip() for one in _MARK.split(said) if _bare(one)]
    *first, last = marked or [""]
    parts = [last] if first and _LED_BY_JOINER.match(last) else _JOINER.split(last)
    # "Lavar y guardar las macetas" is one.
    if len(parts[0].split()) == 1 and parts[0].endswith(INFINITIVES) and len(parts[-1].split()) > 1:
        parts = [last]
    each = [one_line(bare, MAX_TASK_CHARS) for one in (*first, *parts) if (bare := _bare(one))]
    return list({fold(one): one for one in each}.values())


def _bare(piece: str) -> str:
    bare = clean(piece).strip(" .!¡?¿")
    joiner = _LED_BY_JOINER.match(bare)
    return bare[joiner.end() :].strip() if joiner else bare


def _name(head: str, words: Sequence[Token]) -> str:
    """Return what stands behind "proyecto", or before "project"."""
    at = next((n for n, one in enumerate(words) if one.key in WORDS["project_words"]), None)
    if at is None:
        return ""
    end = at + 1
    if (called := CALL_IT.match(head, words[at].end)) is not None:
        return span(head, _called(one for one in words if one.start >= called.end()))
    is_new = at > 0 and words[at - 1].key in WORDS["new_project"]
    # "New project, loft room": what the pause leads to is its name.
    if is_new and end < len(words) and words[end].is_cut and not _is_word_for_it(words[end]):
        end += 1
    while end < len(words) and not _ends(words[end]):
        end += 1
    first = at + 1
    if end == first and words[at].key in _ENGLISH:
        first, end = at, at
        while first > 0 and not _ends(words[first - 1]) and words[first - 1].key not in PICKING["determiners"]:
            first -= 1
    named = list(dropwhile(lambda one: one.key in WORDS["called"], words[first:end]))
    while named and named[-1].key in PICKING["joining"] | WORDS["leads_to_tasks"]:
        named.pop()  # "a project Loft and put a task in it: …", "Mudanza con estas tareas: …"
    is_name = any(one.key not in WORDS["new_project"] | PICKING["opening"] for one in named)
    return span(head, named) if is_name and len(named) <= _MOST_OF_A_NAME else ""


def _called(words: Iterable[Token]) -> list[Token]:
    """Return the name with which words begin that stand behind "call it"; [] where it is none."""
    said = list(words)
    if not said or _is_word_for_it(said[0]) or said[0].key in PICKING["determiners"]:
        return []
    ends = WORDS["adds_tasks"] | WORDS["tasks_called"] | WORDS["beside_tasks"]
    name = [said[0], *takewhile(lambda one: not one.is_cut and one.key not in ends, said[1:])]
    name = stripped(name, frozenset(), PICKING["joining"] | WORDS["leads_to_tasks"] | PICKING["pronouns"])
    return name if len(name) <= _MOST_OF_A_NAME else []


def _ends(one: Token) -> bool:
    return _is_word_for_it(one) or one.is_cut


def _is_word_for_it(one: Token) -> bool:
    return one.key in WORDS["adds_tasks"] | WORDS["ends_project"] | WORDS["tasks_called"] | WORDS["beside_tasks"]


def _holds(words: Sequence[Token], name: str) -> bool:
    return f" {' '.join(one.key for one in tokens_of(name))} " in f" {' '.join(one.key for one in words)} "
