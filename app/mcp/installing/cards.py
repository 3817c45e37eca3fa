"""What an admin finds is shown, and installed by choosing and pressing a button, without a model."""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from app.asking.answers import Answered, Handler, Press
from app.asking.asking import Asking
from app.asking.showing import fits_beside_buttons, neutralise
from app.domain.errors import ToolFault
from app.domain.outbound import (
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
from app.language.catalogue import Language, Sentence, say
from app.mcp.installing.installer import PREVIEW_LIFE, Installer, VariablesMissing
from app.mcp.installing.listing import Listing
from app.mcp.installing.preview import Preview
from app.mcp.installing.registries import Found
from app.mcp.manager import ServerInfo
from app.mcp.texts import MCP
from app.security.oversight import BLOCKED, DRY_RUN, Oversight

INSTALL: Final = "/mcp install"
KIND: Final = "install"
_RUN: Final = "run"
_QUERY_CHARS: Final = 60
_NAME_CHARS: Final = 60
_MAX_NAME_CHARS: Final = 150
"""A row's id holds 200 characters (Cloud API, interactive list messages): the command and a name."""
_FAULTS: Final[Mapping[str, Sentence]] = MappingProxyType(
    {
        "server_exists": MCP.install_exists,
        "server_unknown": MCP.install_unknown,
        "server_busy": MCP.install_busy,
        "nothing_to_undo": MCP.install_nothing_to_undo,
        "variable_unknown": MCP.install_variable_unknown,
        "variable_ambiguous": MCP.install_variable_ambiguous,
        "variable_refused": MCP.install_variable_refused,
        "command_refused": MCP.install_command_refused,
        "not_previewed": MCP.install_stale,
        "preview_differs": MCP.install_stale,
        "server_unlisted": MCP.install_unlisted,
        "registries_silent": MCP.install_silent,
        "person_unknown": MCP.share_person_unknown,
        "person_ambiguous": MCP.share_person_ambiguous,
        BLOCKED: MCP.install_blocked,
        DRY_RUN: MCP.install_dry_run,
        "consent_pending": MCP.install_consent_pending,
    }
)
"""What is said for the faults of installing; any other is technical, and shown to the admin."""


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


class InstallCards:
    """The question whether to install a server: it shows exactly what would run, and its button runs just that."""

    def __init__(self, installer: Installer, asking: Asking, oversight: Oversight) -> None:
        self._installer = installer
        self._oversight = oversight
        self._asking = asking
        # Behind the person's turns: it takes minutes, and their other answers must not wait for it.
        asking.handle(KIND, Handler(self._install, is_for_admins=True, is_for_home=True, lane="turn"))

    async def ask(self, preview: Preview, ctx: TurnContext) -> Reply:
        card = "\n".join(map(neutralise, preview.lines()))
        bound_to = f"{preview.name} {preview.digest} {preview.listing.name}"
        button_id = await self._asking.open(ctx.user_id, KIND, bound_to, life=PREVIEW_LIFE)
        buttons = (Button(button_id(_RUN), say(MCP.install_button_install, ctx.language)),)
        body = say(MCP.install_question, ctx.language, card=card)
        if fits_beside_buttons([body]):
            return Reply(messages=(Buttons(body, buttons),))
        short = say(MCP.install_question, ctx.language, card=preview.name)
        return Reply(literal=card, messages=(Buttons(short, buttons),))

    async def _install(self, press: Press) -> Answered | None:
        question, language = press.question, press.ctx.language
        if question is None or press.key != _RUN or not await self._asking.settle(question):
            return None
        name, _, shown = question.bound_to.partition(" ")
        digest, _, listed_as = shown.partition(" ")
        try:
            facts = (await self._installer.recall(name, listed_as or name)).facts()
            install = partial(self._installer.install, name, digest, owner=press.ctx.user_id)
            info = await self._oversight.run(press.ctx, "install_mcp_server", facts, install)
            return Answered(KIND, installed(info, language))
        except ToolFault as exc:
            return Answered(KIND, excuse(exc, name, language))


def installed(info: ServerInfo, language: Language) -> Reply:
    return Reply(say(MCP.install_added, language, name=info.name, count=len(info.tools)))


def excuse(exc: ToolFault, name: str, language: Language) -> Reply:
    shown = one_line(name, _NAME_CHARS)
    if isinstance(exc, VariablesMissing):
        listed = ", ".join(exc.names)
        return Reply(
            say(MCP.install_variables_missing, language, name=exc.server, list=listed, count=len(exc.names))
        )
    return Reply(say(_FAULTS.get(exc.code, MCP.install_failed), language, name=shown, detail=exc.detail))


def _row(listing: Listing) -> ListRow:
    told = one_line(f"{listing.publisher or '?'}: {listing.description}", MAX_ROW_DESCRIPTION_CHARS)
    title = one_line(listing.last_part, MAX_ROW_TITLE_CHARS)
    return ListRow(f"{INSTALL} {listing.name}", title, told)
