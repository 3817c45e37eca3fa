"""In which language a terminal is spoken to."""

from collections.abc import Mapping
from typing import Final

from app.language.catalogue import LANGUAGES, OF_LOGS, Language

_LOCALES: Final = ("LC_ALL", "LC_MESSAGES", "LANG")
"""The first that is set names the locale of messages, as gettext has it."""


def terminal_language(environment: Mapping[str, str]) -> Language:
    """Return the language of the locale, where it is one of ours; else English."""
    locale = next((environment[name] for name in _LOCALES if environment.get(name)), "")
    language = locale.replace("-", "_").partition("_")[0].partition(".")[0].lower()
    return language if language in LANGUAGES else OF_LOGS
