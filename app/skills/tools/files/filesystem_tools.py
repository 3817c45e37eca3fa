"""Files by message: read, write, delete and list text files in the user's own workspace."""

import asyncio
from codecs import getincrementaldecoder
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final, Literal, Unpack

from app.asking.showing import neutralise
from app.domain.errors import ToolArgumentError, ToolFault, Transient
from app.domain.ids import UserId
from app.domain.ports import FileEntry, PeoplesFiles
from app.domain.tools import LooseWords, OwnWords, ToolResult
from app.domain.turn import TurnContext
from app.language.catalogue import Language, say
from app.security.paths import file_faults, matches, normalise_path, shown, validate_pattern
from app.skills.function_tool import FunctionTool, ToolFlags, ToolHandler
from app.skills.registry import SkillRegistry
from app.skills.signature import read_signature
from app.skills.tools.files.texts import FILES

SKILL: Final = "filesystem"
MAX_READ_BYTES: Final = 64 * 1024
MAX_FILE_BYTES: Final = 1024 * 1024
MAX_LISTED: Final = 200

_MAX_VISITED: Final = 5000
_ASKED_IN_WORDS_CHARS: Final = 400
"""A longer content is shown as it is, whole, before it is written."""
_DELETE_IS_OFF: Final = "Deleting files is turned off here. Nothing was deleted; tell the user so."


class _FileTool(FunctionTool):
    """A tool on the files of whoever asks; it checks its arguments itself too, so it can be called directly."""

    def __init__(self, files: PeoplesFiles, function: ToolHandler, **flags: Unpack[ToolFlags]) -> None:
        self._files = files
        super().__init__(*read_signature(function), function, skill=SKILL, **flags)

    async def execute(self, arguments: Mapping[str, object], *, ctx: TurnContext) -> ToolResult:
        try:
            checked = self.validate_args(arguments)
        except ToolArgumentError as exc:
            return ToolResult.failed(exc.detail, "invalid")
        return await super().execute(checked, ctx=ctx)


class ReadFileTool(_FileTool):
    """Shows a UTF-8 text file, at most `MAX_READ_BYTES` of it."""

    def __init__(self, files: PeoplesFiles) -> None:
        super().__init__(files, self.read_file, read_only=True)

    async def read_file(self, path: OwnWords, *, ctx: TurnContext) -> str:
        """Read a text file of the user's.

        Args:
            path: relative, such as lists/todo.txt
        """
        with told_faults(path):
            raw, size = await self._files.read(ctx.user_id, path, max_bytes=MAX_READ_BYTES)
        text = _text(raw, path, is_cut=size > len(raw))
        if not text:
            return f"File {shown(path)} is empty."
        note = f"\n\n(the first {len(raw)} of {size} bytes)" if size > len(raw) else ""
        return f"Contents of {shown(path)}:\n\n{text}{note}"


class ListFilesTool(_FileTool):
    """Lists files and folders with their paths relative to what is the person's."""

    def __init__(self, files: PeoplesFiles) -> None:
        super().__init__(files, self.list_files, read_only=True)

    async def list_files(
        self, path: OwnWords = ".", pattern: str | None = None, recursive: bool = False, *, ctx: TurnContext
    ) -> str:
        """List the user's files and folders.

        Args:
            path: a folder; leave out for all (default: ".")
            pattern: such as *.txt
            recursive: (default: false)
        """
        wanted = validate_pattern(pattern) if pattern else "*"
        # A pattern that names folders is meant for what is in them.
        is_deep = recursive or "/" in wanted or wanted == "**"
        visited = await self._visit(ctx.user_id, path, is_deep=is_deep)
        if visited is None:
            return "There are no files yet."
        start = len(f"{normalise_path(path)}/".removeprefix("/"))
        found = [entry for entry in visited if matches(entry.path[start:], wanted)]
        if not found:
            return f"Nothing in {shown(path)} matches {shown(pattern)}." if pattern else f"{shown(path)} is empty."
        found.sort(key=lambda entry: entry.path)
        lines = [f"{'DIR ' if entry.is_folder else 'FILE'} {shown(entry.path)}" for entry in found[:MAX_LISTED]]
        total = f"{len(found)} items"
        if len(visited) == _MAX_VISITED or len(found) > MAX_LISTED:
            total = f"at least {len(found)} items, {len(lines)} are shown; list a folder or use a pattern"
        return "\n".join([f"Contents of {shown(path)}:", *lines, f"Total: {total}"])

    async def _visit(self, user_id: UserId, path: str, *, is_deep: bool) -> list[FileEntry] | None:
        """Return what is in a folder; None where the person has nothing at all."""
        with told_faults(path):
            try:
                return await self._files.list_files(user_id, path, is_deep=is_deep, limit=_MAX_VISITED)
            except FileNotFoundError:
                if normalise_path(path):
                    raise
                return None


class WriteFileTool(_FileTool):
    """Writes a UTF-8 text file of at most `MAX_FILE_BYTES`, whole or not at all; makes missing folders.

    `locks` keep writers apart: two calls of one round that append to one file both count.
    """

    def __init__(self, files: PeoplesFiles, locks: "Locks") -> None:
        self._locks = locks
        super().__init__(files, self.write_file, sensitive=True)

    def describe_call(self, arguments: Mapping[str, object], language: Language) -> str | None:
        content = str(arguments.get("content", ""))
        if not content.strip() or len(content) > _ASKED_IN_WORDS_CHARS:
            return None
        sentence = FILES.ask_append if arguments.get("mode") == "append" else FILES.ask_write
        shown_content = ", ".join(neutralise(line) for line in content.splitlines() if line.strip())
        return say(sentence, language, path=neutralise(str(arguments.get("path", ""))), content=shown_content)

    async def write_file(
        self,
        path: LooseWords,
        content: LooseWords,
        mode: Literal["overwrite", "append"] = "overwrite",
        *,
        ctx: TurnContext,
    ) -> str:
        """Write a text file of the user's, or append to it.

        Args:
            path: relative, such as lists/todo.txt
            mode: (default: "overwrite")
        """
        try:
            raw = content.encode()
        except UnicodeEncodeError as exc:
            raise ToolFault("not_text", "content has characters that are no valid text.") from exc
        with told_faults(path):
            async with self._locks.of(ctx.user_id):
                before = await self._existing(ctx.user_id, path)
                if mode == "append" and before is not None:
                    _text(before, path, is_cut=len(before) > MAX_FILE_BYTES)
                    raw = _appended(before, raw)
                if len(raw) > MAX_FILE_BYTES:
                    limit = MAX_FILE_BYTES // 1024
                    raise ToolFault(
                        "too_large", f"'{shown(path)}' would be larger than {limit} KB; nothing was written."
                    )
                await self._files.write(ctx.user_id, path, raw)
        if mode == "append" and before is not None:
            return f"Content appended to file {shown(path)} successfully ({len(content)} characters added)."
        done = "created" if before is None else "overwritten"
        return f"File {shown(path)} {done} successfully ({len(content)} characters)."

    async def _existing(self, user_id: UserId, path: str) -> bytes | None:
        """Return what a file holds, and one byte over the limit at most; None when there is none."""
        try:
            return (await self._files.read(user_id, path, max_bytes=MAX_FILE_BYTES + 1))[0]
        except FileNotFoundError:
            return None


def _appended(before: bytes, raw: bytes) -> bytes:
    """Return a text with more behind it, on a line of its own: "flour" and "milk" are no "flourmilk".

    What begins with a blank goes on with the line.
    """
    is_open = bool(before) and not before.endswith(b"\n") and not raw[:1].isspace()
    return before + b"\n" * is_open + raw


class DeleteFileTool(_FileTool):
    """Deletes one file, never a folder. Unless `is_enabled`, it only tells that it may not.

    Then it changes nothing, so it is not `sensitive`: nobody is asked to approve what will be refused.
    """

    def __init__(self, files: PeoplesFiles, locks: "Locks", *, is_enabled: bool) -> None:
        self._locks = locks
        self._is_enabled = is_enabled
        super().__init__(
            files,
            self.delete_file,
            sensitive=is_enabled,
            read_only=not is_enabled,
        )

    async def execute(self, arguments: Mapping[str, object], *, ctx: TurnContext) -> ToolResult:
        if not self._is_enabled:
            return ToolResult.failed(_DELETE_IS_OFF)
        return await super().execute(arguments, ctx=ctx)

    def describe_call(self, arguments: Mapping[str, object], language: Language) -> str | None:
        return say(FILES.ask_delete, language, path=neutralise(str(arguments.get("path", ""))))

    async def delete_file(self, path: OwnWords, *, ctx: TurnContext) -> str:
        """Delete a file of the user's.

        Args:
            path: relative, such as lists/todo.txt
        """
        with told_faults(path):
            async with self._locks.of(ctx.user_id):
                await self._files.remove(ctx.user_id, path)
        return f"File {shown(path)} deleted successfully."


class Locks:
    """One for each person, so that nobody waits for the files of somebody else."""

    def __init__(self) -> None:
        self._of: dict[UserId, asyncio.Lock] = {}

    def of(self, user_id: UserId) -> asyncio.Lock:
        return self._of.setdefault(user_id, asyncio.Lock())


def register(
    registry: SkillRegistry, files: PeoplesFiles, *, is_write_enabled: bool, is_delete_enabled: bool
) -> None:
    """Add the file tools; those that change files only when writing is enabled."""
    registry.tools.register(ReadFileTool(files))
    registry.tools.register(ListFilesTool(files))
    if is_write_enabled:
        locks = Locks()
        registry.tools.register(WriteFileTool(files, locks))
        registry.tools.register(DeleteFileTool(files, locks, is_enabled=is_delete_enabled))


@contextmanager
def told_faults(path: str) -> Iterator[None]:
    """Turn what goes wrong with a file into a sentence for the model.

    Raises:
        ToolFault: in place of any OSError or Transient.
    """
    try:
        with file_faults(path):
            yield
    except Transient as exc:
        raise ToolFault("files_away", "The files cannot be reached now; it may work in a moment.") from exc


def _text(raw: bytes, path: str, *, is_cut: bool = False) -> str:
    """Decode UTF-8; where the file was cut, the end may lie in the middle of a character."""
    try:
        text = getincrementaldecoder("utf-8")().decode(raw, final=not is_cut)
    except UnicodeDecodeError as exc:
        raise ToolFault("not_text", f"'{shown(path)}' is not a text file (UTF-8).") from exc
    if "\0" in text:
        raise ToolFault("not_text", f"'{shown(path)}' is not a text file.")
    return text
