"""The running program in the home, for admins: settings with their source, and the last events of the log."""

import asyncio
import os
from typing import Final

from pydantic import SecretStr

from app.config import Settings
from app.language.catalogue import Sentence
from app.skills.pages import ENTRIES_PER_PAGE, Entry, Page, Part, Section, Visit
from app.skills.tools.selfcode.runtime import Runtime
from app.skills.tools.selfcode.texts import SELFCODE

_DIALS: Final = "M4 8h9M17 8h3M15 6v4M4 16h3M11 16h9M9 14v4"
_LINES: Final = "M4 5h16v14H4zM8 9h8M8 12h8M8 15h5"
_LAST_EVENTS: Final = 200


def settings_part(settings: Settings, runtime: Runtime) -> Part:
    """Return the settings; of a secret or a number only whether there is one."""

    async def show(visit: Visit) -> Page:
        shown = runtime.config()
        entries = [_setting(name, shown.get(name), settings, visit) for name in type(settings).model_fields]
        about = await asyncio.to_thread(runtime.version_info)
        version = Entry(about["version"], notes=tuple(value for name, value in about.items() if name != "version"))
        sections = [Section(visit.say(SELFCODE.home_version), [version]), Section(entries=entries)]
        return Page(sections, visit.say(SELFCODE.home_settings_intro))

    return Part("settings", SELFCODE.home_settings, _DIALS, show, for_admins=True)


def log_part(runtime: Runtime) -> Part:
    """Return the last events, which hold nobody's words."""

    async def show(visit: Visit) -> Page:
        lines = runtime.recent_logs(_LAST_EVENTS)[::-1]
        wanted = [line for line in lines if visit.words.casefold() in line.casefold()]
        entries = [Entry(*_parted(line)) for line in wanted[visit.offset : visit.offset + ENTRIES_PER_PAGE]]
        intro = visit.say(SELFCODE.home_log_intro)
        return Page([Section(entries=entries)], intro, count=len(wanted), is_searchable=True)

    return Part("log", SELFCODE.home_log, _LINES, show, for_admins=True)


def _setting(name: str, shown: str | None, settings: Settings, visit: Visit) -> Entry:
    value = getattr(settings, name)
    if shown is None or isinstance(value, SecretStr):
        shown = visit.say(SELFCODE.home_is_set if value else SELFCODE.home_not_set)
    elif value in (None, "", ()):
        shown = visit.say(SELFCODE.home_not_set)
    return Entry(name.upper(), shown, notes=(visit.say(_source(name, settings)),))


def _source(name: str, settings: Settings) -> Sentence:
    if name not in settings.model_fields_set:
        return SELFCODE.home_default
    is_exported = any(known.lower() == name for known in os.environ)
    return SELFCODE.home_environment if is_exported else SELFCODE.home_env_file


def _parted(line: str) -> tuple[str, str]:
    """Return the event, and the rest of its line."""
    at, _, rest = line.partition(" ")
    level, _, rest = rest.partition(" ")
    event, _, rest = rest.partition(" ")
    return event or line, " ".join(filter(None, (at, level, rest)))
