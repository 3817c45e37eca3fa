"""What is said to an admin who adds and removes servers by command."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.domain.phrasebook.key import PhraseKey


class ExpandPhrase(PhraseKey):
    """The sentences of `/mcp search`, `install`, `set`, `add`, `remove`, `undo`; `TOLD_…` are the tools' own."""

    USAGE_SEARCH = "expand_usage_search"
    USAGE_INSTALL = "expand_usage_install"
    FOUND = "expand_found"
    FOUND_NONE = "expand_found_none"
    FOUND_CHOOSE = "expand_found_choose"
    FOUND_SECTION = "expand_found_section"
    QUESTION = "expand_question"
    STALE = "expand_stale"
    UNLISTED = "expand_unlisted"
    SILENT = "expand_silent"
    CONSENT_PENDING = "expand_consent_pending"
    BUTTON_INSTALL = "expand_button_install"
    TOLD_FOUND = "expand_told_found"
    TOLD_PREVIEW = "expand_told_preview"
    TOLD_INSTALLED = "expand_told_installed"
    USAGE_SET = "expand_usage_set"
    USAGE_ADD = "expand_usage_add"
    USAGE_REMOVE = "expand_usage_remove"
    SET = "expand_set"
    SET_RESTART_NEEDED = "expand_set_restart_needed"
    ADDED = "expand_added"
    REMOVED = "expand_removed"
    NOTHING_TO_UNDO = "expand_nothing_to_undo"
    EXISTS = "expand_exists"
    UNKNOWN = "expand_unknown"
    BUSY = "expand_busy"
    VARIABLE_UNKNOWN = "expand_variable_unknown"
    VARIABLE_AMBIGUOUS = "expand_variable_ambiguous"
    VARIABLE_REFUSED = "expand_variable_refused"
    VARIABLES_MISSING = "expand_variables_missing"
    COMMAND_REFUSED = "expand_command_refused"
    FAILED = "expand_failed"


ES: Final[Mapping[ExpandPhrase, str]] = MappingProxyType(
    {
        ExpandPhrase.USAGE_SEARCH: "Escribe `/mcp search` y una palabra en inglés, como `/mcp search github`.",
        ExpandPhrase.USAGE_INSTALL: "Escribe `/mcp install NOMBRE`; el nombre lo da `/mcp search`.",
        ExpandPhrase.FOUND: "Encontré {count}. Elige uno y te muestro qué ejecutaría, antes de instalar nada.",
        ExpandPhrase.FOUND_NONE: "Ningún servidor responde a «{query}». Prueba con otra palabra en inglés.",
        ExpandPhrase.FOUND_CHOOSE: "Ver servidores",
        ExpandPhrase.FOUND_SECTION: "Servidores",
        ExpandPhrase.QUESTION: "¿Lo instalo? Se ejecutaría en tu máquina:\n{card}",
        ExpandPhrase.STALE: (
            "Lo que vale para {name} ya no es lo que te mostré, así que no ejecuté nada."
            " Escribe `/mcp install` y su nombre para verlo de nuevo."
        ),
        ExpandPhrase.UNLISTED: "Ningún registro tiene {name}. Búscalo con `/mcp search` y elígelo de la lista.",
        ExpandPhrase.SILENT: "Los registros de servidores no responden ahora. Inténtalo más tarde.",
        ExpandPhrase.CONSENT_PENDING: (
            "{name} quedó instalado, pero falta un permiso: los administradores recibieron un enlace."
            " Se conecta solo cuando lo abran."
        ),
        ExpandPhrase.BUTTON_INSTALL: "Instalar",
        ExpandPhrase.TOLD_FOUND: "{lines}\nPara ver qué ejecutaría uno e instalarlo: /mcp install {name}",
        ExpandPhrase.TOLD_PREVIEW: "{card}\nTodavía no se ejecuta nada. Para instalarlo: /mcp install {name}",
        ExpandPhrase.TOLD_INSTALLED: "Instalado {name}, con {count} herramientas. /mcp undo lo quita.",
        ExpandPhrase.USAGE_SET: (
            "Escribe `/mcp set NOMBRE VALOR`, o `/mcp set SERVIDOR.NOMBRE VALOR` si varios lo piden."
        ),
        ExpandPhrase.USAGE_ADD: (
            "Escribe `/mcp add NOMBRE npx -y PAQUETE@VERSIÓN` o `/mcp add NOMBRE uvx PAQUETE==VERSIÓN`;"
            " las variables que necesite, entre el nombre y el comando."
        ),
        ExpandPhrase.USAGE_REMOVE: "Escribe `/mcp remove NOMBRE`.",
        ExpandPhrase.SET: (
            "Guardado para *{name}*. No lo verá el modelo ni queda en el historial;"
            " borra tú el mensaje de este chat."
        ),
        ExpandPhrase.SET_RESTART_NEEDED: (
            "Guardado. *{name}* lo verá la próxima vez que se inicie el servicio; borra el mensaje de este chat."
        ),
        ExpandPhrase.ADDED: "Instalado *{name}*, con {count} herramientas. `/mcp undo` lo quita.",
        ExpandPhrase.REMOVED: "Quitado *{name}*, con sus herramientas y sus variables.",
        ExpandPhrase.NOTHING_TO_UNDO: "No hay ningún servidor instalado por mensaje.",
        ExpandPhrase.EXISTS: "Ya hay un servidor que se llama así o casi así: {name}. Quítalo primero.",
        ExpandPhrase.UNKNOWN: "No hay ningún servidor {name}. Escribe /mcp para verlos.",
        ExpandPhrase.BUSY: "{name} se está cambiando en este momento. Inténtalo en un rato.",
        ExpandPhrase.VARIABLE_UNKNOWN: (
            "Ningún servidor pide {name}. No guardé nada; borra el mensaje de este chat."
        ),
        ExpandPhrase.VARIABLE_AMBIGUOUS: (
            "Varios servidores piden {name}. Escribe `/mcp set SERVIDOR.NOMBRE VALOR`, y borra este mensaje."
        ),
        ExpandPhrase.VARIABLE_REFUSED: (
            "No guardé {name}: el valor está vacío, es demasiado largo o tiene varias líneas."
        ),
        ExpandPhrase.VARIABLES_MISSING: (
            "A {name} le faltan variables. Envía cada una con `/mcp set NOMBRE VALOR` y repite: {list}"
        ),
        ExpandPhrase.COMMAND_REFUSED: "No puedo ejecutar eso: {detail}",
        ExpandPhrase.FAILED: "No pude hacerlo con {name}: {detail}",
    }
)

EN: Final[Mapping[ExpandPhrase, str]] = MappingProxyType(
    {
        ExpandPhrase.USAGE_SEARCH: "Write `/mcp search` and a word, such as `/mcp search github`.",
        ExpandPhrase.USAGE_INSTALL: "Write `/mcp install NAME`; `/mcp search` gives the name.",
        ExpandPhrase.FOUND: "I found {count}. Choose one to see what it would run, before anything is installed.",
        ExpandPhrase.FOUND_NONE: "No server answers to “{query}”. Try another word.",
        ExpandPhrase.FOUND_CHOOSE: "See servers",
        ExpandPhrase.FOUND_SECTION: "Servers",
        ExpandPhrase.QUESTION: "Install it? This would run on your machine:\n{card}",
        ExpandPhrase.STALE: (
            "What stands for {name} is not what I showed you any more, so nothing was run."
            " Write `/mcp install` and its name to see it again."
        ),
        ExpandPhrase.UNLISTED: "No registry has {name}. Search it with `/mcp search` and choose from the list.",
        ExpandPhrase.SILENT: "The registries of servers do not answer now. Try again later.",
        ExpandPhrase.CONSENT_PENDING: (
            "{name} is installed, but lacks a permission: the admins were sent a link."
            " It connects by itself when they open it."
        ),
        ExpandPhrase.BUTTON_INSTALL: "Install",
        ExpandPhrase.TOLD_FOUND: "{lines}\nTo see what one would run, and to install it: /mcp install {name}",
        ExpandPhrase.TOLD_PREVIEW: "{card}\nNothing runs yet. To install it: /mcp install {name}",
        ExpandPhrase.TOLD_INSTALLED: "Installed {name}, with {count} tools. /mcp undo removes it.",
        ExpandPhrase.USAGE_SET: (
            "Write `/mcp set NAME VALUE`, or `/mcp set SERVER.NAME VALUE` when several ask for it."
        ),
        ExpandPhrase.USAGE_ADD: (
            "Write `/mcp add NAME npx -y PACKAGE@VERSION` or `/mcp add NAME uvx PACKAGE==VERSION`;"
            " variables that it needs go between the name and the command."
        ),
        ExpandPhrase.USAGE_REMOVE: "Write `/mcp remove NAME`.",
        ExpandPhrase.SET: (
            "Kept for *{name}*. The model does not see it and it is not in the history;"
            " please delete the message from this chat."
        ),
        ExpandPhrase.SET_RESTART_NEEDED: (
            "Kept. *{name}* will see it when the service starts again; please delete the message from this chat."
        ),
        ExpandPhrase.ADDED: "Installed *{name}*, with {count} tools. `/mcp undo` removes it.",
        ExpandPhrase.REMOVED: "Removed *{name}*, with its tools and its variables.",
        ExpandPhrase.NOTHING_TO_UNDO: "No server was installed by message.",
        ExpandPhrase.EXISTS: "There is a server of that name, or almost, already: {name}. Remove it first.",
        ExpandPhrase.UNKNOWN: "There is no server {name}. Write /mcp to see them.",
        ExpandPhrase.BUSY: "{name} is being changed at this moment. Try again in a while.",
        ExpandPhrase.VARIABLE_UNKNOWN: (
            "No server asks for {name}. I kept nothing; delete the message from this chat."
        ),
        ExpandPhrase.VARIABLE_AMBIGUOUS: (
            "Several servers ask for {name}. Write `/mcp set SERVER.NAME VALUE`, and delete this message."
        ),
        ExpandPhrase.VARIABLE_REFUSED: (
            "I did not keep {name}: the value is empty, too long, or has several lines."
        ),
        ExpandPhrase.VARIABLES_MISSING: (
            "{name} lacks variables. Send each with `/mcp set NAME VALUE` and repeat: {list}"
        ),
        ExpandPhrase.COMMAND_REFUSED: "I cannot run that: {detail}",
        ExpandPhrase.FAILED: "I could not do it with {name}: {detail}",
    }
)
