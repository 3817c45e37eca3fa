"""What an admin finds is shown, and installed by choosing and pressing a button, without a model."""

from typing import Final

from app.asking.showing import neutralise
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
from app.domain.wording import one_line
from app.language.catalogue import Language, say
from app.mcp.installing.listing import Listing
from app.mcp.installing.preview import Preview
from app.mcp.installing.registries import Found
from app.mcp.texts import MCP

INSTALL: Final = "/mcp install"
_QUERY_CHARS: Final = 60
_MAX_NAME_CHARS: Final = 150
"""A row's id holds 200 characters (Cloud API, interactive list messages): the command and a name."""


def show_found(found: Found, query: str, language: Language) -> Reply:
    """Show what the registries have for some words; a row that is chosen is the command that installs it."""
    listings = [one for one in found.listings if len(one.name) <= _MAX_NAME_CHARS]
    if not listings and found.silent:
        return Reply(say(MCP.install_silent, language))
    if not listings:
        return Reply(literal=say(MCP.install_found_none, language, query=one_line(query, _QUERY_CHARS)))
    section = ListSection(say(MCP.install_found_section, language), tuple(map(_row, listings[:MAX_LIST_ROWS])))
    body = say(MCP.install_found, language, count=len(section.rows))
    return Reply(messages=(ListMenu(body, say(MCP.install_found_choose, language), (section,)),))


def ask_to_install(preview: Preview, language: Language) -> Reply:
    """Show exactly what would run, with a button that is the command to run just that."""
    card = "\n".join(map(neutralise, preview.lines()))
    button = Button(f"{INSTALL} {preview.name} {preview.digest}", say(MCP.install_button_install, language))
    body = say(MCP.install_question, language, card=card)
    if len(body) <= MAX_INTERACTIVE_BODY_CHARS:
        return Reply(messages=(Buttons(body, (button,)),))
    short = say(MCP.install_question, language, card=preview.name)
    return Reply(literal=card, messages=(Buttons(short, (button,)),))


def _row(listing: Listing) -> ListRow:
    told = one_line(f"{listing.publisher or '?'}: {listing.description}", MAX_ROW_DESCRIPTION_CHARS)
    title = one_line(listing.last_part, MAX_ROW_TITLE_CHARS)
    return ListRow(f"{INSTALL} {listing.name}", title, told)
