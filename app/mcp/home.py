"""Servers in the home: each person sees those that they may use; an admin searches, installs and removes them.

Every deed goes the way of `/mcp`: its checks, rules, dry run, record and words.
"""

import asyncio
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from app.asking.asking import Asking
from app.domain.errors import NotFound, ToolFault
from app.domain.outbound import Buttons
from app.mcp.commands import STATES, ServerCommands
from app.mcp.installed import InstalledServers
from app.mcp.installing.cards import KIND, InstallCards, excuse
from app.mcp.installing.installer import Installer
from app.mcp.installing.listing import Listing
from app.mcp.installing.preview import Preview
from app.mcp.installing.recipe import Variable
from app.mcp.manager import ServerInfo
from app.mcp.texts import MCP
from app.skills.pages import Choice, Done, Entry, Field, Form, Page, Part, Section, Visit, bare, told

_ICON: Final = "M4 5h16v5H4zM4 14h16v5H4zM7 7.5h.01M7 16.5h.01"
_QUERY_CHARS: Final = 100
_VALUE_CHARS: Final = 4000
_PERSON_CHARS: Final = 100
_SHOWN: Final = 20
_INSTALL: Final = f"q:{KIND}:"


class ServersRoom:
    """The part of the servers."""

    def __init__(
        self,
        servers: InstalledServers,
        installer: Installer,
        commands: ServerCommands,
        cards: InstallCards,
        asking: Asking,
    ) -> None:
        self._servers = servers
        self._installer = installer
        self._commands = commands
        self._cards = cards
        self._asking = asking

    def part(self) -> Part:
        acts = MappingProxyType(
            {
                "search": self.search,
                "preview": self.preview,
                "install": self.install,
                "set": self.set_variable,
                "remove": self.remove,
                "undo": self.undo,
                "share": self.share,
                "everyone": self.share_with_everyone,
                "unshare": self.unshare,
                "login": self.log_in,
                "log": self.show_log,
            }
        )
        return Part("servers", MCP.home_title, _ICON, self.show, acts, self.summary)

    async def show(self, visit: Visit) -> Page:
        entries = [self._entry(info, visit) for info in self._seen_by(visit)]
        sections = [Section(entries=entries, empty=visit.say(MCP.home_none))]
        if visit.is_admin:
            sections.insert(0, Section(choices=tuple(self._choices(visit))))
            sections.append(Section(entries=_problems(self._servers, visit)))
        return Page(sections, visit.say(MCP.home_intro))

    async def summary(self, visit: Visit) -> str:
        return visit.say(MCP.home_count, count=len(self._seen_by(visit)))

    async def search(self, visit: Visit, form: Form) -> Done:
        """Show what the registries have for some words."""
        _require_admin(visit)
        words = visit.read(form, _query(visit))
        found = await self._installer.search(words)
        if not found.listings:
            return (
                visit.say(MCP.install_silent) if found.silent else visit.say(MCP.install_found_none, query=words)
            )
        entries = [_listed(one, visit) for one in found.listings[:_SHOWN]]
        again = Section(choices=(_search(visit, words),))
        return Page([again, Section(entries=entries)], visit.say(MCP.install_found, count=len(entries)))

    async def preview(self, visit: Visit, form: Form) -> Done:
        """Show what installing would run, with a button for just that; or ask for what is missing."""
        _require_admin(visit)
        name = form.get("name", "")
        try:
            preview = await self._installer.preview(name)
            if missing := self._installer.missing(preview):
                return _asking_for(preview, missing, visit)
            reply = await self._cards.ask(preview, visit.ctx())
        except ToolFault as exc:
            return told(excuse(exc, name, visit.language))
        (card,) = [message for message in reply.messages if isinstance(message, Buttons)]
        (button,) = card.buttons
        values = MappingProxyType({"button": button.id})
        lines = "\n".join(preview.lines())
        install = Choice(
            "install", visit.say(MCP.install_button_install), values, asks=visit.say(MCP.home_install_asks)
        )
        entry = Entry(preview.name, lines, tone="good", choices=(install,))
        return Page([Section(entries=[entry])], visit.say(MCP.home_would_run), title=preview.listing.name)

    async def install(self, visit: Visit, form: Form) -> Done:
        """Take the yes to what was shown: the same question, and the same button, as in the chat."""
        button = form.get("button", "")
        if not button.startswith(_INSTALL):
            raise NotFound("no_preview")
        answered = await self._asking.press(button, visit.ctx())
        return told(answered.reply)

    async def set_variable(self, visit: Visit, form: Form) -> Done:
        """Keep a value that a server needs, and show again what would run."""
        _require_admin(visit)
        value = visit.read(form, _value(visit))
        done = await self._run(f"set {form.get('variable', '')} {value}", visit)
        return await self.preview(visit, form) if form.get("name") else done

    async def remove(self, visit: Visit, form: Form) -> Done:
        return await self._run(f"remove {self._named(form)}", visit)

    async def undo(self, visit: Visit, form: Form) -> Done:
        return await self._run("undo", visit)

    async def share(self, visit: Visit, form: Form) -> Done:
        return await self._run(f"share {self._named(form)} {visit.read(form, _person(visit))}", visit)

    async def share_with_everyone(self, visit: Visit, form: Form) -> Done:
        return await self._run(f"share {self._named(form)} {visit.say(MCP.share_everyone_word)}", visit)

    async def unshare(self, visit: Visit, form: Form) -> Done:
        return await self._run(f"unshare {self._named(form)}", visit)

    async def log_in(self, visit: Visit, form: Form) -> Done:
        return await self._run(f"login {self._named(form)}", visit)

    async def show_log(self, visit: Visit, form: Form) -> Done:
        """Show what a server said last on its standard error, to an admin who may use it."""
        _require_admin(visit)
        name = self._named(form)
        if not any(info.name == name and _may_use(info, visit) for info in self._servers.manager.list_servers()):
            raise NotFound("server_of_another")
        lines = await asyncio.to_thread(self._servers.last_lines, name)
        entries = [Entry(line) for line in lines]
        return Page(
            [Section(entries=entries, empty=visit.say(MCP.home_log_empty))],
            visit.say(MCP.home_log_intro),
            title=name,
        )

    async def _run(self, command: str, visit: Visit) -> str:
        return told(await self._commands.run(command, visit.ctx()))

    def _named(self, form: Form) -> str:
        """Return the name of a server that is there: nothing else reaches the command."""
        known = [info.name for info in self._servers.manager.list_servers()]
        if (name := form.get("name", "")) not in known:
            raise NotFound("server_unknown")
        return name

    def _seen_by(self, visit: Visit) -> list[ServerInfo]:
        every = self._servers.manager.list_servers()
        return [info for info in every if visit.is_admin or _may_use(info, visit)]

    def _choices(self, visit: Visit) -> list[Choice]:
        choices = [_search(visit, "")]
        try:
            newest = self._servers.newest(visit.user_id)
        except ToolFault:
            return choices
        asks = visit.say(MCP.home_undo_asks, name=newest)
        return [*choices, Choice("undo", visit.say(MCP.home_undo, name=newest), asks=asks, is_grave=True)]

    def _entry(self, info: ServerInfo, visit: Visit) -> Entry:
        """What is wrong with a server, and its tools, is for those who may use it."""
        notes = [visit.say(STATES[info.state], count=len(info.tools))]
        if visit.is_admin and info.restarts:
            notes.append(visit.say(MCP.server_restarts, count=info.restarts))
        is_theirs = _may_use(info, visit)
        if visit.is_admin and is_theirs and info.error is not None:
            notes.append(visit.say(MCP.server_last_error, error=info.error))
        if info.access.is_for_everyone:
            notes.append(visit.say(MCP.share_with_everyone))
        tools = ", ".join(info.tools) if is_theirs else ""
        choices = tuple(self._deeds(info, visit))
        return Entry(
            info.name, tools, tuple(notes), tone="good" if info.state == "ready" else "bad", choices=choices
        )

    def _deeds(self, info: ServerInfo, visit: Visit) -> list[Choice]:
        values: Mapping[str, str] = MappingProxyType({"name": info.name})
        choices: list[Choice] = []
        if info.access.is_kept_by(visit.user_id, is_admin=visit.is_admin):
            choices.append(Choice("share", visit.say(MCP.home_share), values, (_person(visit),)))
            if not info.access.is_for_everyone:
                asks = visit.say(MCP.home_everyone_asks)
                choices.append(Choice("everyone", visit.say(MCP.home_everyone), values, asks=asks))
            if info.access.shared_with:
                choices.append(Choice("unshare", visit.say(MCP.home_unshare), values))
        if visit.is_admin and _may_use(info, visit):
            choices.append(Choice("log", visit.say(MCP.home_log), values))
        if visit.is_admin:
            config = self._servers.find(info.name)
            if config is not None and config.transport != "stdio":
                choices.append(Choice("login", visit.say(MCP.home_login), values))
            asks = visit.say(MCP.home_remove_asks, name=info.name)
            choices.append(Choice("remove", visit.say(MCP.home_remove), values, asks=asks, is_grave=True))
        return choices


def _require_admin(visit: Visit) -> None:
    if not visit.is_admin:
        raise NotFound("admins_only")


def _asking_for(preview: Preview, missing: Sequence[Variable], visit: Visit) -> Page:
    entries = [
        Entry(
            one.name,
            choices=(
                Choice(
                    "set",
                    visit.say(MCP.home_give),
                    MappingProxyType({"variable": f"{preview.name}.{one.name}", "name": preview.listing.name}),
                    (_value(visit),),
                ),
            ),
        )
        for one in missing
    ]
    return Page([Section(entries=entries)], visit.say(MCP.home_needs), title=preview.listing.name)


def _listed(one: Listing, visit: Visit) -> Entry:
    look = Choice("preview", visit.say(MCP.home_look), MappingProxyType({"name": one.name}))
    return Entry(one.name, one.description, notes=(one.publisher,) if one.publisher else (), choices=(look,))


def _search(visit: Visit, words: str) -> Choice:
    return Choice("search", visit.say(MCP.home_search), fields=(_query(visit, words),))


def _query(visit: Visit, words: str = "") -> Field:
    return Field("words", visit.say(MCP.home_words), _QUERY_CHARS, words)


def _value(visit: Visit) -> Field:
    return Field("value", visit.say(MCP.home_value), _VALUE_CHARS, kind="secret")


def _person(visit: Visit) -> Field:
    return Field("person", visit.say(MCP.home_person), _PERSON_CHARS)


def _may_use(info: ServerInfo, visit: Visit) -> bool:
    return info.access.allows(visit.user_id, is_admin=visit.is_admin)


def _problems(servers: InstalledServers, visit: Visit) -> list[Entry]:
    found = [
        Entry(one.name, visit.say(MCP.server_skipped, reason=one.reason), tone="bad")
        for one in servers.manager.skipped
    ]
    problem = servers.manager.problem
    if problem is not None:
        found.append(Entry(bare(visit.say(MCP.server_file_problem, problem=problem)), tone="bad"))
    return found
