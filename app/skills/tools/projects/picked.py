"""Which task a message means that wants one done, changed or deleted, and the call for it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from app.domain.chat import ToolCall
from app.domain.turn import TurnContext
from app.domain.wording import stem, words
from app.language.lexicon import COMMON_WORDS
from app.skills.amending import CALL_ID, amended, is_correction
from app.skills.counting import asked_what_is_in, asks_what_is_left
from app.skills.named_things import names_one
from app.skills.picking.choosing import FindClosest, choose_numbered, is_in_talk, named_in_reason
from app.skills.picking.in_its_place import parted_by_instead
from app.skills.picking.lexicon import PICKING
from app.skills.picking.reading import Wish, read_wish
from app.skills.picking.tokens import is_content, tokens_of
from app.skills.saying_instead import read_replacing, replaced_in
from app.skills.tools.projects.going_on import without_place
from app.skills.tools.projects.records import Project, Task
from app.skills.tools.projects.repository import Projects

_LEAST_CHARS: Final = 4


async def call_for(projects: Projects, closest: FindClosest | None, text: str, ctx: TurnContext) -> list[ToolCall]:
    """See `Certain`: tasks are told by their place, named, or described, where their project was just shown."""
    known = await projects.list_all(ctx.user_id)
    if (renamed := await _replaced(projects, known, text, ctx)) is not None:
        return [renamed]
    text, instead = parted_by_instead(text)
    wish = read_wish(without_place(text, known))
    if wish is None or wish.kind not in (None, "task") or (wish.deed == "change" and _is_no_title(wish.new)):
        return []
    every = [(one, await projects.list_tasks(ctx.user_id, one.id)) for one in known]
    owner = _owner(text, [(one, tasks) for one, tasks in every if tasks], ctx)
    if owner is None:
        return []
    project, tasks = owner
    told = [one for one in tasks if is_in_talk([one.title], ctx.said.answers[:1])]
    # "Sorry, page 8, page 7 is done" puts right what it is called.
    if is_correction(text) and any(amended(one.title, text) is not None for one in told):
        return []
    is_near = is_in_talk([one.title for one in tasks], ctx.said.answers)
    if wish.kind is None and not is_near and not is_in_talk([project.name], ctx.said.answers[:1]):
        return []
    several = wish.targets if len(wish.targets) > 1 and wish.deed != "change" and not wish.kept else ()
    each = [replace(wish, targets=(one,)) for one in several] or [wish]
    found = [task for one in each if (task := await choose_numbered(one, tasks, closest)) is not None]
    if not found and len(told) == 1 and not any(one.said for one in wish.targets) and not wish.kept:
        found = told  # "That one's done", right after it was told of.
    if wish.deed == "remove" and not found and not wish.targets and not wish.kept and wish.beside:
        is_meant = wish.kind is not None or is_in_talk([one.title for one in tasks], ctx.said.answers[:1])
        found = [tasks[n] for n in named_in_reason(wish.beside, [one.title for one in tasks])]
        if len(found) != 1:
            asked: dict[str, object] = {"task": wish.beside, "project": project.name}
            return [ToolCall(CALL_ID, "delete_task", asked)] if is_meant else []
    if instead and (wish.deed != "remove" or len(found) != 1 or _is_no_title(instead)):
        return []
    wish = replace(wish, deed="change", new=instead) if instead else wish
    calls = [_call(wish, task, project) for task in dict.fromkeys(found)]
    # What is not clear is not half done.
    return [replace(call, id=f"{CALL_ID}_{n}") for n, call in enumerate(calls)] if len(found) == len(each) else []


async def _replaced(projects: Projects, known: Sequence[Project], text: str, ctx: TurnContext) -> ToolCall | None:
    """Return the call for a task that is to say something else: "change X to Y, we've got the X"."""
    if (one := read_replacing(text)) is None or _is_no_title(one.named):
        return None
    every = [(project, await projects.list_tasks(ctx.user_id, project.id)) for project in known]
    near = [(project, task) for project, tasks in every for task in tasks if _is_shown(project, tasks, ctx)]
    found = [(*pair, new) for pair in near if (new := replaced_in(pair[1].title, one.old, one.named))]
    if len(found) != 1:
        return None
    project, task, new = found[0]
    arguments = {"task": str(task.number), "project": project.name, "new": new, "old": task.title}
    return ToolCall(CALL_ID, "correct_task", arguments)


def _is_no_title(new: str) -> bool:
    """Tell whether words say when, or how far something is, and nothing else: "change the fence to Friday"."""
    none = COMMON_WORDS["days"] | PICKING["closing"]
    return all(one.key in none or not is_content(one.key) for one in tokens_of(new))


def _is_shown(project: Project, tasks: Sequence[Task], ctx: TurnContext) -> bool:
    return is_in_talk([project.name, *(one.title for one in tasks)], ctx.said.answers)


async def left_in(projects: Projects, text: str, ctx: TurnContext) -> ToolCall | None:
    """See `Certain`: what is left is asked of a project that is named, or of which the last answer spoke."""
    if asked := asked_what_is_in(text):
        found = called_so(await projects.list_all(ctx.user_id), asked)
        return None if found is None else ToolCall(CALL_ID, "project_progress", {"project": found.name})
    last = ctx.said.answers[:1]
    if not last or not asks_what_is_left(text):
        return None
    named = [one for one in await projects.list_all(ctx.user_id) if is_in_talk([one.name], last)]
    tasks = {one.id: await projects.list_tasks(ctx.user_id, one.id) for one in named}
    shown = [one for one in named if is_in_talk([task.title for task in tasks[one.id]], last)] or named
    return ToolCall(CALL_ID, "project_progress", {"project": shown[0].name}) if len(shown) == 1 else None


def called_so(known: Sequence[Project], said: str) -> Project | None:
    """Return the only active project that is called so, or by words with which those of its name begin."""
    asked = words(said)
    near = [
        one
        for one in known
        if one.status == "active" and all(any(_begins(word, part) for part in words(one.name)) for word in asked)
    ]
    return near[0] if asked and len(near) == 1 else None


def _begins(said: str, word: str) -> bool:
    return stem(said) == stem(word) or (len(said) >= _LEAST_CHARS and word.startswith(said))


def _owner(
    text: str, every: Sequence[tuple[Project, list[Task]]], ctx: TurnContext
) -> tuple[Project, list[Task]] | None:
    """Return the project whose tasks are meant: the one that is named, was just shown, or is the only one."""
    named = [pair for pair in every if names_one(text, [pair[0].name])]
    shown = [pair for pair in every if is_in_talk([one.title for one in pair[1]], ctx.said.answers)]
    for pairs in (named, shown, every):
        if len(pairs) == 1:
            return pairs[0]
    return None


def _call(wish: Wish, task: Task, project: Project) -> ToolCall:
    where: dict[str, object] = {"task": str(task.number), "project": project.name}
    match wish.deed:
        case "remove":
            return ToolCall(CALL_ID, "delete_task", where)
        case "done":
            return ToolCall(CALL_ID, "update_task", where | {"status": "done"})
        case "change":
            return ToolCall(CALL_ID, "correct_task", where | {"new": wish.new, "old": task.title})
