"""Files in the home: what lies in the person's own folder, to be downloaded and deleted."""

from types import MappingProxyType
from typing import Final

from app.domain.errors import NotFound, Transient
from app.domain.ids import UserId
from app.domain.ports import PeoplesFiles
from app.security.paths import shown
from app.skills.pages import ENTRIES_PER_PAGE, Choice, Done, Download, Entry, Form, Page, Part, Section, Visit
from app.skills.texts import SKILLS
from app.skills.tools.files.texts import FILES

_ICON: Final = "M7 3h7l5 5v13H7zM14 3v5h5"
_MAX_VISITED: Final = 5000
_MAX_BYTES: Final = 100 * 1024 * 1024


def part(files: PeoplesFiles, *, is_delete_enabled: bool) -> Part:
    """Return the part; files are deleted only where tools may do so, too."""

    async def show(visit: Visit) -> Page:
        found = await _list_paths(files, visit.user_id)
        if found is None:
            return Page([Section(empty=visit.say(FILES.home_away))])
        wanted = [path for path in found if visit.words.casefold() in path.casefold()]
        chosen = wanted[visit.offset : visit.offset + ENTRIES_PER_PAGE]
        entries = [_entry(path, visit, is_delete_enabled=is_delete_enabled) for path in chosen]
        sections = [Section(entries=entries, empty=visit.say(FILES.home_empty))]
        return Page(sections, visit.say(FILES.home_intro), count=len(wanted), is_searchable=True)

    async def summary(visit: Visit) -> str:
        found = await _list_paths(files, visit.user_id)
        return visit.say(FILES.home_away) if found is None else visit.say(FILES.home_count, count=len(found))

    async def download(visit: Visit, form: Form) -> Done:
        path = form.get("path", "")
        try:
            data, _ = await files.read(visit.user_id, path, max_bytes=_MAX_BYTES)
        except (OSError, Transient) as exc:
            raise NotFound("file_unreadable") from exc
        return Download(data, path.rpartition("/")[2], "application/octet-stream")

    async def delete(visit: Visit, form: Form) -> Done:
        path = form.get("path", "")
        try:
            await files.remove(visit.user_id, path)
        except (OSError, Transient) as exc:
            raise NotFound("file_unreadable") from exc
        return visit.say(FILES.home_deleted, path=shown(path))

    acts = {"download": download, **({"delete": delete} if is_delete_enabled else {})}
    return Part("files", FILES.home_title, _ICON, show, MappingProxyType(acts), summary)


async def _list_paths(files: PeoplesFiles, user_id: UserId) -> list[str] | None:
    """Return the paths of a person's files; None where they cannot be reached now."""
    try:
        found = await files.list_files(user_id, limit=_MAX_VISITED)
    except OSError:
        return []  # nobody wrote a file for this person yet
    except Transient:
        return None
    return [one.path for one in found if not one.is_folder]


def _entry(path: str, visit: Visit, *, is_delete_enabled: bool) -> Entry:
    values = MappingProxyType({"path": path})
    folder, _, name = path.rpartition("/")
    choices = [Choice("download", visit.say(SKILLS.home_download), values)]
    if is_delete_enabled:
        asks = visit.say(FILES.ask_delete, path=shown(path))
        choices.append(Choice("delete", visit.say(SKILLS.home_delete), values, asks=asks, is_grave=True))
    return Entry(shown(name), notes=(f"{folder}/",) if folder else (), choices=tuple(choices))
