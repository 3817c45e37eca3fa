"""Words around the day on which a task is due."""

import re
from typing import Final

from app.language.lexicon import Lexicon

WORDS: Final = Lexicon.of(__package__)
DUE: Final = re.compile(rf"\b{WORDS.pattern('due')}\s+", re.IGNORECASE)
ABOUT_DATES: Final = re.compile(WORDS.pattern("about_dates"), re.IGNORECASE)
TASKS_LISTED: Final = re.compile(
    rf"\W*(?:\w+\W+){{0,2}}?{WORDS.pattern('tasks_listed')}:\s*(?P<tasks>\S.*)", re.IGNORECASE | re.DOTALL
)
AS_TASKS: Final = re.compile(WORDS.pattern("as_tasks"), re.IGNORECASE)
RENAMING: Final = re.compile(WORDS.pattern("renaming"), re.IGNORECASE)
OPENS_PROJECT: Final = re.compile(rf"(?:\A|[,.;!?] ){WORDS.pattern('opens_project')}(?!\w)")
NEW_NAME: Final = re.compile(rf"{WORDS.pattern('new_name')}:? (?P<name>[^,.;!?\n]{{1,80}})", re.IGNORECASE)
NAME_BEHIND: Final = re.compile(rf"{WORDS.pattern('name_behind')}:? (?P<name>[^,.;!?\n]{{1,80}})", re.IGNORECASE)
IN_PROJECT: Final = re.compile(rf"\s{WORDS.pattern('in_project')}\s+[\"'“«]?", re.IGNORECASE)
"""What stands before a project's name: "to the project Garden"."""
