"""Files of the person's folder, sent to them in the chat."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final, Literal

from app.domain.errors import Permanent, ToolFault, Transient
from app.domain.ids import UserId
from app.domain.outbound import OutMedia
from app.domain.ports import FileEntry, MediaSource, PeoplesFiles
from app.domain.tools import OwnWords, ToolResult
from app.domain.turn import TurnContext
from app.domain.wording import fold, words
from app.language.catalogue import say
from app.security.paths import normalise_path, shown
from app.skills.function_tool import FunctionTool
from app.skills.signature import read_signature
from app.skills.tools.files.filesystem_tools import told_faults
from app.skills.tools.files.texts import FILES

SKILL: Final = "filesystem"
SEND_S: Final = 150.0
_MIB: Final = 1024 * 1024
_MAX_VISITED: Final = 5000
_MAX_LISTED: Final = 8
_OFFICE: Final = "application/vnd.openxmlformats-officedocument."
_Kind = Literal["image", "audio", "video", "document"]
_KINDS: Final[Mapping[str, tuple[_Kind, str]]] = MappingProxyType(
    {
        ".jpg": ("image", "image/jpeg"),
        ".jpeg": ("image", "image/jpeg"),
        ".png": ("image", "image/png"),
        ".mp4": ("video", "video/mp4"),
        ".3gp": ("video", "video/3gpp"),
        ".aac": ("audio", "audio/aac"),
        ".amr": ("audio", "audio/amr"),
        ".mp3": ("audio", "audio/mpeg"),
        ".m4a": ("audio", "audio/mp4"),
        ".ogg": ("audio", "audio/ogg"),
        ".pdf": ("document", "application/pdf"),
        ".doc": ("document", "application/msword"),
        ".xls": ("document", "application/vnd.ms-excel"),
        ".ppt": ("document", "application/vnd.ms-powerpoint"),
        ".docx": ("document", f"{_OFFICE}wordprocessingml.document"),
        ".xlsx": ("document", f"{_OFFICE}spreadsheetml.sheet"),
        ".pptx": ("document", f"{_OFFICE}presentationml.presentation"),
    }
)
"""What WhatsApp takes, by the ending of the name; whatever else is text goes as text."""
_LIMITS: Final[Mapping[_Kind, int]] = MappingProxyType(
    {"image": 5 * _MIB, "audio": 16 * _MIB, "video": 16 * _MIB, "document": 100 * _MIB}
)


class SendFileTool(FunctionTool):
    """Sends one file to the person whose it is, and to nobody else.

    It changes nothing: tried again after a crash it uploads a second copy, and one message leaves.
    """

    def __init__(self, media: MediaSource, files: PeoplesFiles) -> None:
        self._media = media
        self._files = files
        super().__init__(
            *read_signature(self.send_file), self.send_file, skill=SKILL, read_only=True, timeout_s=SEND_S
        )

    async def send_file(self, path: OwnWords, *, ctx: TurnContext) -> ToolResult:
        """Send the user one of their files, as a file.

        Args:
            path: its path or words of its name
        """
        name = await self._find(path, ctx.user_id)
        data, kind, mime_type = await self._load(name, ctx.user_id)
        filename = PurePosixPath(name).name
        try:
            media_id = await self._media.upload(data, mime_type=mime_type, filename=filename)
        except Transient as exc:
            raise ToolFault("not_sent", "WhatsApp does not take files now; it may later.") from exc
        except Permanent as exc:
            raise ToolFault("not_sent", f"WhatsApp refused '{shown(name)}' ({exc.code}).") from exc
        file = OutMedia(kind, media_id, filename=filename if kind == "document" else None)
        return ToolResult.ok(
            f"{shown(name)} goes to the user with your answer.",
            say(FILES.sent, ctx.language, name=shown(filename)),
            file,
        )

    async def _find(self, wanted: str, user_id: UserId) -> str:
        """Return the path of the file that is meant.

        Raises:
            ToolFault: there is none, or there are several.
        """
        with told_faults(wanted):
            try:
                await self._files.read(user_id, wanted, max_bytes=0)
            except OSError:
                entries = await self._list_all(user_id)
            else:
                return normalise_path(wanted)
        asked = words(wanted)
        found = [one.path for one in entries if asked and all(word in fold(one.path) for word in asked)]
        if len(found) == 1:
            return found[0]
        listed = ", ".join(shown(name) for name in sorted(found)[-_MAX_LISTED:])
        if found:
            raise ToolFault("several_files", f"{len(found)} files match; ask which one: {listed}")
        raise ToolFault("no_file", f"The user has no file '{shown(wanted)}'.")

    async def _list_all(self, user_id: UserId) -> list[FileEntry]:
        try:
            entries = await self._files.list_files(user_id, limit=_MAX_VISITED)
        except FileNotFoundError:
            return []
        return [one for one in entries if not one.is_folder]

    async def _load(self, name: str, user_id: UserId) -> tuple[bytes, _Kind, str]:
        """Return a file's content and what it goes as.

        Raises:
            ToolFault: it is empty, too large, or of a kind that WhatsApp does not take.
        """
        kind, mime_type = _KINDS.get(PurePosixPath(name).suffix.lower(), ("document", "text/plain"))
        limit = _LIMITS[kind]
        with told_faults(name):
            data, size = await self._files.read(user_id, name, max_bytes=limit)
        if not data:
            raise ToolFault("empty_file", f"'{shown(name)}' is empty; an empty file cannot be sent.")
        if size > limit:
            most = f"{limit // _MIB} MB"
            raise ToolFault(
                "too_large", f"'{shown(name)}' is larger than the {most} that WhatsApp takes of this kind."
            )
        if mime_type == "text/plain" and not _is_text(data):
            raise ToolFault("kind_not_sent", f"WhatsApp takes no files of the kind of '{shown(name)}'.")
        return data, kind, mime_type


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False
