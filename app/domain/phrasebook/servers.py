"""What is said about the servers that bring tools."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.domain.phrasebook.key import PhraseKey


class ServerPhrase(PhraseKey):
    """The sentences of `/mcp`, and what the admins are told without asking."""

    HELP_MCP = "servers_help_mcp"
    TITLE = "servers_title"
    NONE = "servers_none"
    UNKNOWN = "servers_unknown"
    CONNECTING = "servers_connecting"
    READY = "servers_ready"
    WAITING = "servers_waiting"
    FAILED = "servers_failed"
    STOPPED = "servers_stopped"
    RESTARTS = "servers_restarts"
    LAST_ERROR = "servers_last_error"
    SKIPPED = "servers_skipped"
    FILE_PROBLEM = "servers_file_problem"
    NO_TOOLS = "servers_no_tools"
    NEWS_FAILED = "servers_news_failed"
    NEWS_WAITING = "servers_news_waiting"


ES: Final[Mapping[ServerPhrase, str]] = MappingProxyType(
    {
        ServerPhrase.HELP_MCP: "mis servidores de herramientas; con un nombre, sus herramientas",
        ServerPhrase.TITLE: "Servidores ({count}):",
        ServerPhrase.NONE: "No hay ningún servidor de herramientas.",
        ServerPhrase.UNKNOWN: "No tengo ningún servidor {name}. Escribe /mcp para verlos.",
        ServerPhrase.CONNECTING: "conectando",
        ServerPhrase.READY: "listo, {count} herramientas",
        ServerPhrase.WAITING: "sin conexión, lo intento de nuevo",
        ServerPhrase.FAILED: "no se puede usar hasta que se corrija",
        ServerPhrase.STOPPED: "detenido",
        ServerPhrase.RESTARTS: "reinicios: {count}",
        ServerPhrase.LAST_ERROR: "último error: {error}",
        ServerPhrase.SKIPPED: "entrada sin usar: {reason}",
        ServerPhrase.FILE_PROBLEM: "No puedo leer el archivo de servidores: {problem}",
        ServerPhrase.NO_TOOLS: "Ahora no ofrece ninguna herramienta.",
        ServerPhrase.NEWS_FAILED: (
            "El servidor *{name}* no funciona y no vuelve solo: alguien tiene que corregirlo. Mira /mcp."
        ),
        ServerPhrase.NEWS_WAITING: (
            "Ahora no alcanzo el servidor *{name}*. Sigo intentándolo; mientras tanto faltan sus herramientas."
        ),
    }
)

EN: Final[Mapping[ServerPhrase, str]] = MappingProxyType(
    {
        ServerPhrase.HELP_MCP: "my tool servers; with a name, its tools",
        ServerPhrase.TITLE: "Servers ({count}):",
        ServerPhrase.NONE: "There is no tool server.",
        ServerPhrase.UNKNOWN: "I have no server {name}. Write /mcp to see them.",
        ServerPhrase.CONNECTING: "connecting",
        ServerPhrase.READY: "ready, {count} tools",
        ServerPhrase.WAITING: "not connected, trying again",
        ServerPhrase.FAILED: "cannot be used until it is corrected",
        ServerPhrase.STOPPED: "stopped",
        ServerPhrase.RESTARTS: "restarts: {count}",
        ServerPhrase.LAST_ERROR: "last error: {error}",
        ServerPhrase.SKIPPED: "entry not used: {reason}",
        ServerPhrase.FILE_PROBLEM: "I cannot read the file of servers: {problem}",
        ServerPhrase.NO_TOOLS: "It offers no tool now.",
        ServerPhrase.NEWS_FAILED: (
            "The server *{name}* does not work and will not come back by itself: somebody has to correct it. "
            "See /mcp."
        ),
        ServerPhrase.NEWS_WAITING: (
            "I cannot reach the server *{name}* now. I keep trying; its tools are missing meanwhile."
        ),
    }
)
