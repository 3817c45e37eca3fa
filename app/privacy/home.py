"""What is yours, in the home: everything to take along, or erased for good."""

from types import MappingProxyType
from typing import Final

from app.database.db import Transaction
from app.domain.errors import NotFound, Transient
from app.privacy.commands import is_last_word
from app.privacy.erasure import Eraser
from app.privacy.export import Exporter
from app.privacy.texts import PRIVACY
from app.skills.pages import Choice, Done, Download, Farewell, Field, Form, Page, Part, Section, Visit

_ICON: Final = "M12 3l7 3v5c0 5-3 8.5-7 10-4-1.5-7-5-7-10V6zM9 12l2 2 4-4"

_WORD_CHARS: Final = 100


def part(exporter: Exporter, eraser: Eraser) -> Part:
    """Return the part."""

    async def show(visit: Visit) -> Page:
        word = Field("word", visit.say(PRIVACY.home_word, word=visit.say(PRIVACY.forget_word)), _WORD_CHARS)
        erase = Choice(
            "erase",
            visit.say(PRIVACY.home_erase),
            fields=(word,),
            asks=visit.say(PRIVACY.home_erase_asks),
            is_grave=True,
        )
        take = Choice("export", visit.say(PRIVACY.home_export))
        return Page(
            [
                Section(visit.say(PRIVACY.home_take_along), empty=visit.say(PRIVACY.home_about), choices=(take,)),
                Section(visit.say(PRIVACY.home_take_away), choices=(erase,)),
            ]
        )

    async def export(visit: Visit, form: Form) -> Download:
        try:
            archive = await exporter.build_archive(visit.user_id, language=visit.language, timezone=visit.zone.key)
        except Transient as exc:
            raise NotFound(exc.code) from exc
        return Download(archive.data, archive.filename, archive.mime_type)

    async def erase(visit: Visit, form: Form) -> Done:
        if not is_last_word(form.get("word", "")):
            return visit.say(PRIVACY.home_wrong_word)
        await eraser.erase(visit.user_id, visit.language, confirmed=_by_hand)
        return Farewell(visit.say(PRIVACY.erased))

    acts = MappingProxyType({"export": export, "erase": erase})
    return Part("privacy", PRIVACY.home_title, _ICON, show, acts)


async def _by_hand(tx: Transaction) -> bool:
    """The word was typed into the form of this very session."""
    return True
