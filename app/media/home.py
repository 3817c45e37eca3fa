"""Documents in the home: what was sent and read, to be downloaded and deleted."""

from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final

from app.domain.errors import NotFound, Transient
from app.domain.ports import PeoplesFiles
from app.media.arrivals import Arrivals
from app.media.repository import Document, Documents, MediaFile, MediaFiles
from app.media.texts import MEDIA
from app.skills.pages import Choice, Done, Download, Entry, Form, Page, Part, Section, Visit
from app.skills.texts import SKILLS

_ICON: Final = "M5 4h6a3 3 0 0 1 3 3v13a2 2 0 0 0-2-2H5zM14 7a3 3 0 0 1 3-3h2v14h-3a2 2 0 0 0-2 2"
_MAX_BYTES: Final = 100 * 1024 * 1024
_MAX_SHOWN: Final = 200


def part(files: MediaFiles, documents: Documents, arrivals: Arrivals, store: PeoplesFiles) -> Part:
    """Return the part; a document that is deleted is gone with its text and its file."""

    async def show(visit: Visit) -> Page:
        entries = [_entry(one, visit) for one in await documents.list_all(visit.user_id, limit=_MAX_SHOWN)]
        return Page([Section(entries=entries, empty=visit.say(MEDIA.home_empty))])

    async def summary(visit: Visit) -> str:
        return visit.say(MEDIA.home_count, count=len(await documents.list_all(visit.user_id, limit=_MAX_SHOWN)))

    async def download(visit: Visit, form: Form) -> Done:
        one, file = await _of(visit, form)
        try:
            data, _ = await store.read(visit.user_id, file.path, max_bytes=_MAX_BYTES)
        except (OSError, Transient) as exc:
            raise NotFound("file_unreadable") from exc
        ending = PurePosixPath(file.path).suffix
        return Download(data, one.title if one.title.endswith(ending) else f"{one.title}{ending}", file.mime_type)

    async def delete(visit: Visit, form: Form) -> Done:
        one, file = await _of(visit, form)
        await arrivals.take_back(visit.user_id, file.message_id, is_rewritten=False)
        return visit.say(MEDIA.home_deleted, title=one.title)

    async def _of(visit: Visit, form: Form) -> tuple[Document, MediaFile]:
        every = await documents.list_all(visit.user_id, limit=_MAX_SHOWN)
        one = next((one for one in every if str(one.number) == form.get("number")), None)
        file = None if one is None else await files.find_by_id(visit.user_id, one.media_id)
        if one is None or file is None:
            raise NotFound("document_unknown")
        return one, file

    acts = MappingProxyType({"download": download, "delete": delete})
    return Part("documents", MEDIA.home_title, _ICON, show, acts, summary)


def _entry(one: Document, visit: Visit) -> Entry:
    values = MappingProxyType({"number": str(one.number)})
    asks = visit.say(MEDIA.home_delete_asks)
    choices = (
        Choice("download", visit.say(SKILLS.home_download), values),
        Choice("delete", visit.say(SKILLS.home_delete), values, asks=asks, is_grave=True),
    )
    pages = visit.say(MEDIA.home_pages, count=one.page_count)
    return Entry(one.title, notes=(f"#{one.number}", pages, visit.told(one.created_at)), choices=choices)
