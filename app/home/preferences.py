"""Preferences in the home: how the assistant treats this person, and the language it speaks to them."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Final

from app.database.repository import Repository
from app.domain.errors import NotFound
from app.home.texts import AT_HOME
from app.language.catalogue import LANGUAGES, Language, say
from app.skills.pages import Form, Page, Part, Preference, Section, Visit, option

_ICON: Final = "M4 7h10M18 7h2M16 5v4M4 17h2M10 17h10M8 15v4M4 12h5M13 12h7M11 10v4"
_LANGUAGE: Final = "language"


def part(preferences: Sequence[Preference]) -> Part:
    """Return the part; `preferences` are those of all abilities, also of those that register later."""

    async def show(visit: Visit) -> Page:
        return Page([await one.show(visit) for one in preferences], visit.say(AT_HOME.preferences_intro))

    async def put(visit: Visit, form: Form) -> str:
        one = next((one for one in preferences if one.name == form.get("name")), None)
        if one is None:
            raise NotFound("preference_unknown")
        return await one.put(visit, form.get("value", ""))

    return Part("preferences", AT_HOME.preferences, _ICON, show, MappingProxyType({"set": put}))


def language(repository: Repository) -> Preference:
    """Return the language in which a person is answered; chosen here, it stays whatever they write in."""

    async def show(visit: Visit) -> Section:
        entries = [
            option(_LANGUAGE, say(AT_HOME.own_name, one), one, visit, is_chosen=one == visit.language)
            for one in LANGUAGES
        ]
        return Section(visit.say(AT_HOME.language), entries)

    async def put(visit: Visit, value: str) -> str:
        wanted: Language | None = next((one for one in LANGUAGES if one == value), None)
        if wanted is None:
            raise NotFound("language_unknown")
        async with repository.transaction() as tx:
            await repository.users.set_language(visit.user_id, wanted, is_settled=True, tx=tx)
        return say(AT_HOME.language_set, wanted)

    return Preference(_LANGUAGE, show, put)
