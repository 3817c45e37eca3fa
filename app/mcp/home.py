"""Servers in the home: each person sees those that they may use, an admin all of them."""

from typing import Final

from app.mcp.commands import STATES
from app.mcp.installed import InstalledServers
from app.mcp.manager import ServerInfo
from app.mcp.texts import MCP
from app.skills.pages import Entry, Page, Part, Section, Visit

_ICON: Final = "M4 5h16v5H4zM4 14h16v5H4zM7 7.5h.01M7 16.5h.01"


def part(servers: InstalledServers) -> Part:
    """Return the part, which changes nothing."""

    def seen_by(visit: Visit) -> list[ServerInfo]:
        every = servers.manager.list_servers()
        return [info for info in every if visit.is_admin or _may_use(info, visit)]

    async def show(visit: Visit) -> Page:
        entries = [_entry(info, visit) for info in seen_by(visit)]
        sections = [Section(entries=entries, empty=visit.say(MCP.server_none))]
        if visit.is_admin:
            sections.append(Section(entries=_problems(servers, visit)))
        return Page(sections, visit.say(MCP.home_intro))

    async def summary(visit: Visit) -> str:
        return visit.say(MCP.home_count, count=len(seen_by(visit)))

    return Part("servers", MCP.home_title, _ICON, show, summary=summary)


def _may_use(info: ServerInfo, visit: Visit) -> bool:
    return info.access.allows(visit.user_id, is_admin=visit.is_admin)


def _entry(info: ServerInfo, visit: Visit) -> Entry:
    """What is wrong with a server, and its tools, is for those who may use it."""
    notes = [visit.say(STATES[info.state], count=len(info.tools))]
    if visit.is_admin and info.restarts:
        notes.append(visit.say(MCP.server_restarts, count=info.restarts))
    is_theirs = _may_use(info, visit)
    if visit.is_admin and is_theirs and info.error is not None:
        notes.append(visit.say(MCP.server_last_error, error=info.error))
    tools = ", ".join(info.tools) if is_theirs else ""
    return Entry(info.name, tools, notes=tuple(notes), tone="good" if info.state == "ready" else "bad")


def _problems(servers: InstalledServers, visit: Visit) -> list[Entry]:
    found = [
        Entry(one.name, visit.say(MCP.server_skipped, reason=one.reason), tone="bad")
        for one in servers.manager.skipped
    ]
    problem = servers.manager.problem
    if problem is not None:
        found.append(Entry(visit.say(MCP.server_file_problem, problem=problem), tone="bad"))
    return found
