"""Words around the day on which a task is due."""

import re
from typing import Final

from app.language.lexicon import Lexicon

_WORDS: Final = Lexicon.of(__package__)
DUE: Final = re.compile(rf"\b{_WORDS.pattern('due')}\s+", re.IGNORECASE)
ABOUT_DATES: Final = re.compile(_WORDS.pattern("about_dates"), re.IGNORECASE)
NO_DATE: Final = _WORDS["no_date"]
TASKS_LISTED: Final = re.compile(
    rf"\W*(?:\w+\W+){{0,2}}?{_WORDS.pattern('tasks_listed')}:\s*(?P<tasks>\S.*)", re.IGNORECASE | re.DOTALL
)
AS_TASKS: Final = re.compile(_WORDS.pattern("as_tasks"), re.IGNORECASE)
RENAMING: Final = re.compile(_WORDS.pattern("renaming"), re.IGNORECASE)
NEW_NAME: Final = re.compile(rf"{_WORDS.pattern('new_name')}:? (?P<name>[^,.;!?\n]{{1,80}})", re.IGNORECASE)
NAME_BEHIND: Final = re.compile(rf"{_WORDS.pattern('name_behind')}:? (?P<name>[^,.;!?\n]{{1,80}})", re.IGNORECASE)
IN_PROJECT: Final = re.compile(rf"\s{_WORDS.pattern('in_project')}\s+[\"'“«]?", re.IGNORECASE)
"""What stands before a project's name: "to the project Garden"."""
ADDS_TASKS: Final = _WORDS["adds_tasks"]
TASKS_CALLED: Final = _WORDS["tasks_called"]
BESIDE_TASKS: Final = _WORDS["beside_tasks"]
PROJECT_WORDS: Final = _WORDS["project_words"]
NEW: Final = _WORDS["new_project"]
CALLED: Final = _WORDS["called"]
ENDS_PROJECT: Final = _WORDS["ends_project"]
BESIDE_ALONE: Final = _WORDS["beside_tasks_alone"]
TO_BE_DONE: Final = _WORDS["to_be_done"]
DAYS_OF_TASKS: Final = _WORDS["days_of_tasks"]
