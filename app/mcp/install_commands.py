"""/mcp search and install: what an admin finds is shown, and runs at the press of a button, without a model."""

from typing import Final

from app.asking.approvals import neutralise
from app.domain.outbound import (
    MAX_INTERACTIVE_BODY_CHARS,
    MAX_LIST_ROWS,
    MAX_ROW_DESCRIPTION_CHARS,
    MAX_ROW_TITLE_CHARS,
    Button,
    Buttons,
    ListMenu,
    ListRow,
    ListSection,
    Reply,
)
from app.domain.turn import TurnContext
from app.domain.wording import one_line
from app.language.catalogue import Language, say
from app.mcp.installing.installer import Installer
from app.mcp.installing.listing import Listing
from app.mcp.installing.preview import Preview
from app.mcp.texts import MCP

INSTALL: Final = "/mcp install"
_QUERY_CHARS: Final = 60
_MAX_NAME_CHARS: Final = 150
"""A row's id holds 200 characters (Cloud API, interactive list messages): the command and a name."""


async def search_servers(installer: Installer, query: str, ctx: TurnContext) -> Reply:
    """Show what the registries have for some words; a row that is chosen is the command that installs it."""
    if not query:
        return Reply(say(MCP.install_usage_search, ctx.language))
    answer = await installer.search(query)
    found = [one for one in answer.listings if len(one.name) <= _MAX_NAME_CHARS]
    if not found and answer.silent:
        return Reply(say(MCP.install_silent, ctx.language))
    if not found:
        return Reply(literal=say(MCP.install_found_none, ctx.language, query=one_line(query, _QUERY_CHARS)))
    section = ListSection(say(MCP.install_found_section, ctx.language), tuple(map(_row, found[:MAX_LIST_ROWS])))
    body = say(MCP.install_found, ctx.language, count=len(section.rows))
    return Reply(messages=(ListMenu(body, say(MCP.install_found_choose, ctx.language), (section,)),))


async def install_server(installer: Installer, args: str, ctx: TurnContext) -> Reply:
    """Show exactly what installing `NAME` would run, with a button; `NAME HASH`, which is its id, runs just that.

    Raises:
        ToolFault: it cannot be installed, or is not what was shown any more.
    """
    name, _, digest = args.partition(" ")
    if not name:
        return Reply(say(MCP.install_usage_install, ctx.language))
    if digest:
        info = await installer.install(name, digest.strip())
        return Reply(say(MCP.install_added, ctx.language, name=info.name, count=len(info.tools)))
    preview = await installer.preview(name)
    if missing := installer.missing(preview):
        wanted = ", ".join(one.name for one in missing)
        return Reply(say(MCP.install_variables_missing, ctx.language, name=preview.name, list=wanted))
    return _question(preview, ctx.language)


def _question(preview: Preview, language: Language) -> Reply:
    card = "\n".join(map(neutralise, preview.lines()))
    button = Button(f"{INSTALL} {preview.name} {preview.digest}", say(MCP.install_button_install, language))
    body = say(MCP.install_question, language, card=card)
    if len(body) <= MAX_INTERACTIVE_BODY_CHARS:
        return Reply(messages=(Buttons(body, (button,)),))
    short = say(MCP.install_question, language, card=preview.name)
    return Reply(literal=card, messages=(Buttons(short, (button,)),))


def _row(listing: Listing) -> ListRow:
    told = one_line(f"{listing.publisher or '?'}: {listing.description}", MAX_ROW_DESCRIPTION_CHARS)
    title = one_line(listing.name.rsplit("/", 1)[-1], MAX_ROW_TITLE_CHARS)
    return ListRow(f"{INSTALL} {listing.name}", title, told)
