"""Words around the day on which a task is due."""

import re
from typing import Final

from app.language.late import LatePattern
from app.language.lexicon import Lexicon

WORDS: Final = Lexicon.of(__package__)
DUE: Final = LatePattern(rf"\b{WORDS.pattern('due')}\s+")
ABOUT_DATES: Final = re.compile(WORDS.pattern("about_dates"), re.IGNORECASE)
TASKS_LISTED: Final = LatePattern(
    rf"\W*(?:\w+\W+){{0,2}}?{WORDS.pattern('tasks_listed')}:\s*(?P<tasks>\S.*)", re.IGNORECASE | re.DOTALL
)
ONE_TASK: Final = LatePattern(rf"{WORDS.pattern('a_single_task')}(?:\W+\w+){{0,2}}\W*\Z", flags=0)
AS_TASKS: Final = LatePattern(WORDS.pattern("as_tasks"))
RENAMING: Final = LatePattern(WORDS.pattern("renaming"))
OPENS_PROJECT: Final = LatePattern(rf"(?:\A|[,.;!?] ){WORDS.pattern('opens_project')}(?!\w)", flags=0)
NEW_NAME: Final = LatePattern(rf"{WORDS.pattern('new_name')}:? (?P<name>[^,.;!?\n]{{1,80}})")
# "Make a project and call it X": what stands behind the word for it, and before its name.
CALL_IT: Final = LatePattern(
    rf"(?:\W{{1,3}}{WORDS.pattern('beside_new')}){{0,3}}\W{{1,3}}{WORDS.pattern('call_it')}:? [\"'“«]?"
)
NAME_BEHIND: Final = LatePattern(rf"{WORDS.pattern('name_behind')}:? (?P<name>[^,.;!?\n]{{1,80}})")
IN_PROJECT: Final = LatePattern(rf"\s{WORDS.pattern('in_project')}\s+[\"'“«]?")
"""What stands before a project's name: "to the project Garden"."""


def _led() -> str:
    return rf"\W{{0,3}}(?:{WORDS.pattern('leads_to_more')}\W{{1,3}}){{0,3}}"


def _task() -> str:
    return rf"(?:{WORDS.pattern('the_task')}:? )"


def _kind() -> str:
    return rf"(?: (?P<kind>{WORDS.pattern('of_tasks')}))?(?:,? {WORDS.pattern('after_more')})?"


# "Add X to the Y project", "agregale a Y la tarea X".
PUTS: Final = LatePattern(rf"{_led()}(?:{WORDS.pattern('puts')} {_task()}?|{_task()})")
# "Give me a task to X", "ponme de tarea X".
PUTS_TASK: Final = LatePattern(rf"{_led()}{WORDS.pattern('puts')} {_task()}")
TASK_BEHIND: Final = re.compile(rf":? {_task()}", re.IGNORECASE)
# "And another one, X", "otra tarea: X", "y otra ahí mismo, X", "also to that: X".
ANOTHER: Final = LatePattern(
    rf"{_led()}(?:(?P<puts>{WORDS.pattern('puts')}) )?"
    rf"(?:(?:{WORDS.pattern('another')}"
    rf"|{WORDS.pattern('a_new')}(?= {WORDS.pattern('of_tasks')})){_kind()}"
    rf"(?: {WORDS.pattern('same_place')})?|{WORDS.pattern('same_place')})"
    r"(?:[:,] ?| [-–—] )",
)
# "In that one put a task, X", "add a task there: X", "ponele como tarea X".
TASK_THERE: Final = LatePattern(
    rf"{_led()}(?:{WORDS.pattern('same_place')},? )?(?:{WORDS.pattern('puts')}|{WORDS.pattern('puts_day')}) "
    rf"(?:{WORDS.pattern('same_place')},? )?{WORDS.pattern('one_task')}(?: {WORDS.pattern('same_place')})?"
    rf"(?:[:,.] ?| [-–—] | (?P<to>{WORDS.pattern('task_to')}) | (?P<bare>(?=\w)))",
)
# "Sumale también X", "also add X".
MORE_OF_IT: Final = LatePattern(rf"{_led()}{WORDS.pattern('also_add')} {_task()}?")
_NAME: Final = r"\w+(?: \w+){0,3}?"
AT_PROJECT: Final = LatePattern(
    rf" {WORDS.pattern('at_the_project')} (?:(?P<name>{_NAME}) project|proy(?:ecto)? (?P<named>{_NAME}))(?!\w)",
)
# "With the task X": what leads to the first tasks of a new project where there is no colon.
LEADS_TO_FIRST: Final = LatePattern(rf",? {WORDS.pattern('leads_to_first')},? ")
# "Barn with these tasks: …", "Barn. Tasks: …", "Barn with: …".
TASKS_FOLLOW: Final = LatePattern(
    rf"(?:,? {WORDS.pattern('with_tasks')}(?: (?:on|in|en) (?:it|el|ella))?(?: are| son)?(?: ?: ?| [-–—] |,? )"
    rf"|(?:[,.;] | ?\(){WORDS.pattern('tasks_led')}(?: ?: ?| [-–—] |(?<=are) |(?<=son) )"
    rf"|,? {WORDS.pattern('leads_to_tasks_at_mark')}: ?)"
    r"(?=\w)",
)
WHY_TASK: Final = LatePattern(rf",? {WORDS.pattern('ends_task')}(?!\w)")
# "Can you make me a new project", "quiero abrir un proyecto": who begins so wants one made.
NEW_PROJECT: Final = LatePattern(
    rf"\W{{0,3}}(?:{WORDS.pattern('leads_to_new')}[,.!]{{0,3}} ){{0,4}}"
    rf"(?:(?:(?P<wants>{WORDS.pattern('wants_new')}) {WORDS.pattern('wanted_verb')}"
    rf"|(?P<verb>{WORDS.pattern('makes_new')})) {WORDS.pattern('one_project')}|{WORDS.pattern('only_new')})(?!\w)",
)
NAMED: Final = LatePattern(
    rf"(?:\W{{1,3}}{WORDS.pattern('beside_new')}){{0,3}}\W{{1,3}}{WORDS.pattern('named_so')}:? [\"'“«]?"
)
IS_CALLED: Final = LatePattern(rf" {WORDS.pattern('is_called')}(?!\w)")
# What no mark parts from a name: "Barn for us please", "Barn they lent it to us".
TALK_BEHIND: Final = LatePattern(rf" {WORDS.pattern('talk_behind')}(?!\w)")
NAME_ENDS: Final = LatePattern(rf"(?: {WORDS.pattern('ends_name')}){{0,3}} ?")
# "Which tasks were in X", "qué tareas tenía lo de X"; and "what did we have in X".
ASKS_TASKS: Final = LatePattern(rf"(?<!\w){WORDS.pattern('asks_tasks')}(?!\w)")
ASKS_WHAT_WAS: Final = LatePattern(rf"(?<!\w){WORDS.pattern('asks_what_was')}(?!\w)")


def _behind() -> str:
    return rf"\W{{0,3}}(?:{WORDS.pattern('leads_behind')},? ){{0,3}}"


def _too() -> str:
    return rf"(?:,? {WORDS.pattern('too_said')}){{0,3}}(?:[,.;] .*)?\Z"


# Right behind a project: "put X in it", "in it put X"; "X goes in there too", "también va X"; "oh and X too".
PUT_IN_IT: Final = LatePattern(
    rf"{_behind()}(?:{WORDS.pattern('put_behind')} (?P<task>[^.;:?]{{3,120}}?) {WORDS.pattern('in_it')}{_too()}"
    rf"|{WORDS.pattern('in_it')},? {WORDS.pattern('put_behind')}:? (?P<behind>[^.;:?]{{3,120}})\Z)"
)
GOES_IN_IT: Final = LatePattern(
    rf"{_behind()}(?:(?:{WORDS.pattern('in_it')} )?{WORDS.pattern('goes_there')} (?P<behind>[^.;:?]{{3,120}})\Z"
    rf"|(?P<task>[^.;:?]{{3,120}}?)(?: {WORDS.pattern('too_said')})? {WORDS.pattern('goes_there')}{_too()})"
)
ONE_MORE_TOO: Final = LatePattern(rf"\W{{0,3}}(?:{WORDS.pattern('more_behind')},? ){{1,3}}")
TOO_AT_END: Final = LatePattern(rf"(?:,? {WORDS.pattern('too_said')}){{1,3}}\Z")

# "Tareas de la mudanza", "garden tasks", as the whole of a message.
TASKS_OF: Final = LatePattern(
    rf"\W{{0,3}}(?:{WORDS.pattern('see_tasks')} )?(?:{WORDS.pattern('all_tasks')} )?"
    rf"(?:{WORDS.pattern('called_tasks')} {WORDS.pattern('tasks_lead')} (?P<behind>\w[\w ]{{1,40}})"
    rf"|(?P<before>\w[\w ]{{1,40}}) {WORDS.pattern('tasks_behind')})\W{{0,3}}",
)
