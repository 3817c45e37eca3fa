"""/mcp search, install, set, add, remove and undo: what an admin does to servers by command."""

import re
import shlex
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from app.commands.builtin.mcp_install import install_server, search_servers
from app.commands.registry import parse_command
from app.domain.errors import ToolFault
from app.domain.outbound import Reply
from app.domain.phrasebook.expand import ExpandPhrase
from app.domain.phrases import Phrase, say
from app.domain.turn import TurnContext
from app.domain.wording import one_line
from app.mcp.installer import Installer
from app.mcp.launchers import LAUNCHERS

_FIRST_WORD: Final = re.compile(r"(search|install|set|add|remove|undo)(?:\s+(.*))?", re.IGNORECASE | re.DOTALL)
_SHORTEST_ADD: Final = 3
_NAME_CHARS: Final = 60
_SENTENCES: Final[Mapping[str, ExpandPhrase]] = MappingProxyType(
    {
        "server_exists": ExpandPhrase.EXISTS,
        "server_unknown": ExpandPhrase.UNKNOWN,
        "server_busy": ExpandPhrase.BUSY,
        "nothing_to_undo": ExpandPhrase.NOTHING_TO_UNDO,
        "variable_unknown": ExpandPhrase.VARIABLE_UNKNOWN,
        "variable_ambiguous": ExpandPhrase.VARIABLE_AMBIGUOUS,
        "variable_refused": ExpandPhrase.VARIABLE_REFUSED,
        "variables_missing": ExpandPhrase.VARIABLES_MISSING,
        "command_refused": ExpandPhrase.COMMAND_REFUSED,
        "not_previewed": ExpandPhrase.STALE,
        "preview_differs": ExpandPhrase.STALE,
        "server_unlisted": ExpandPhrase.UNLISTED,
        "registries_silent": ExpandPhrase.SILENT,
        "consent_pending": ExpandPhrase.CONSENT_PENDING,
    }
)
"""What is said for the faults that an installer raises; any other is technical, and shown to the admin."""


def carries_secret(text: str) -> bool:
    """Tell whether a message gives a variable, so that its text may be kept nowhere."""
    command = parse_command(text)
    return (
        command is not None
        and command.name == "mcp"
        and command.args.lower().split(maxsplit=1)[:1] in (["set"], ["code"])
    )


async def run_subcommand(installer: Installer, args: str, ctx: TurnContext) -> Reply | None:
    """Do what follows `/mcp`; None when it is none of these, and `/mcp` means something else."""
    match = _FIRST_WORD.fullmatch(args.strip())
    if match is None:
        return None
    if not ctx.is_admin:
        return Reply(say(Phrase.ADMIN_ONLY, ctx.language))
    rest = (match[2] or "").strip()
    match match[1].lower():
        case "search" | "install" as word:
            act = search_servers if word == "search" else install_server
            try:
                return await act(installer, rest, ctx)
            except ToolFault as exc:
                return _excuse(exc, rest.partition(" ")[0], ctx)
        case "set":
            return await set_variable(installer, rest, ctx)
        case "add":
            return await add_server(installer, rest, ctx)
        case "remove":
            return await remove_server(installer, rest, ctx)
        case _:
            return await undo(installer, ctx)


async def set_variable(installer: Installer, args: str, ctx: TurnContext) -> Reply:
    """Keep a variable: `NAME VALUE` or `SERVER.NAME VALUE`. The reply repeats no value."""
    words = args.split(maxsplit=1)
    if len(words) != 2:
        return Reply(say(ExpandPhrase.USAGE_SET, ctx.language))
    server, _, name = words[0].rpartition(".")
    try:
        kept = await installer.set_variable(name, words[1].strip(), server or None)
    except ToolFault as exc:
        return _excuse(exc, name, ctx)
    phrase = ExpandPhrase.SET if kept.is_seen else ExpandPhrase.SET_RESTART_NEEDED
    return Reply(say(phrase, ctx.language, name=kept.server))


async def add_server(installer: Installer, args: str, ctx: TurnContext) -> Reply:
    """Install a server from a command line: `NAME [VARIABLE …] npx|uvx ARGUMENT …`, quoted as in a shell."""
    try:
        words = shlex.split(args)
    except ValueError:
        words = []
    at = next((place for place, word in enumerate(words) if place and word in LAUNCHERS), 0)
    if len(words) < _SHORTEST_ADD or not at:
        return Reply(say(ExpandPhrase.USAGE_ADD, ctx.language))
    name = words[0]
    try:
        info = await installer.install_from_command(name, words[at], words[at + 1 :], words[1:at])
    except ToolFault as exc:
        missing = installer.missing(installer.pending(name)) if exc.code == "variables_missing" else ()
        return _excuse(exc, name, ctx, [one.name for one in missing])
    return Reply(say(ExpandPhrase.ADDED, ctx.language, name=info.name, count=len(info.tools)))


async def remove_server(installer: Installer, args: str, ctx: TurnContext) -> Reply:
    """End a server and forget it."""
    if not args:
        return Reply(say(ExpandPhrase.USAGE_REMOVE, ctx.language))
    try:
        await installer.remove(args)
    except ToolFault as exc:
        return _excuse(exc, args, ctx)
    return Reply(say(ExpandPhrase.REMOVED, ctx.language, name=args))


async def undo(installer: Installer, ctx: TurnContext) -> Reply:
    """Remove the server that was installed last."""
    try:
        name = await installer.undo()
    except ToolFault as exc:
        return _excuse(exc, "undo", ctx)
    return Reply(say(ExpandPhrase.REMOVED, ctx.language, name=name))


def _excuse(exc: ToolFault, name: str, ctx: TurnContext, variables: Sequence[str] = ()) -> Reply:
    phrase = _SENTENCES.get(exc.code, ExpandPhrase.FAILED)
    shown = one_line(name, _NAME_CHARS)
    return Reply(say(phrase, ctx.language, name=shown, list=", ".join(variables), detail=exc.detail))
