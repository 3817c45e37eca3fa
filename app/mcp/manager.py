"""All servers: brought up in the background, added and removed while everything runs."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import structlog
from mcp import types

from app.domain.clock import first_of
from app.domain.errors import ConfigError
from app.domain.tools import BaseTool
from app.domain.turn import TurnContext
from app.mcp.adapter import MCPToolAdapter, tool_names
from app.mcp.config import FOR_ADMINS, Access, ServerConfig, Transport, check_name, refuse_own_environment, slug
from app.mcp.connecting.calls import CallFailed
from app.mcp.connecting.connection import McpConnection, State
from app.mcp.connecting.host import Host
from app.mcp.files import ConfigFile, Skipped

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """A server as it is now. `error` is the last one, cleaned of secrets but meant for the owner's eyes;
    `tools` are our names for its tools, `category` the one they are in; `restarts` counts since it was added.

    `is_consent_pending`: it connects by itself once an admin has given consent. `is_consent_granted`: that made it
    ready, when whoever added it waited no more.
    """

    name: str
    state: State
    transport: Transport
    category: str
    tools: tuple[str, ...] = ()
    error: str | None = None
    restarts: int = 0
    protocol: str = ""
    is_consent_pending: bool = False
    is_consent_granted: bool = False
    access: Access = FOR_ADMINS


OnState = Callable[[ServerInfo], None]


class McpManager:
    """The `ToolSource` of all MCP servers; each server is a category of its own.

    Nothing here waits for a server, except who adds or removes one: and that may be any task, in any order,
    cancelled at any moment, without an effect on anything else. Adding and removing are of this process;
    what shall last is written with `ConfigFile`.

    `on_state` hears of each change of a server's state, synchronously.
    """

    def __init__(self, file: ConfigFile, host: Host, *, on_state: OnState = lambda info: None) -> None:
        self._file = file
        self._host = host
        self._on_state = on_state
        self._connections: dict[str, McpConnection] = {}
        self._leaving: set[McpConnection] = set()
        self._awaited: set[McpConnection] = set()
        self._listed: dict[str, tuple[types.Tool, ...]] = {}
        self._tools: tuple[MCPToolAdapter, ...] = ()
        self._states: dict[str, State] = {}
        self._access: dict[str, Access] = {}
        self._is_closed = False
        self.version = 0
        """Grows with every change of the tools."""
        self.problem: str | None = None
        """Why the file as a whole cannot be used; None when it can."""
        self.skipped: tuple[Skipped, ...] = ()
        """The entries of the file that cannot be used."""

    def list_tools(self) -> tuple[BaseTool, ...]:
        """Return the tools of all servers that are ready: by server, then as the server lists them."""
        return self._tools

    def list_servers(self) -> tuple[ServerInfo, ...]:
        """Return all servers by name, whatever their state."""
        return tuple(self._describe(self._connections[name]) for name in sorted(self._connections))

    def find_server(self, name: str) -> ServerInfo | None:
        connection = self._connections.get(name)
        return None if connection is None else self._describe(connection)

    def access_of(self, name: str) -> Access:
        """Return who may use a server: its own owner's, or of one that is not there the admins'."""
        return self._access.get(name, FOR_ADMINS)

    def set_access(self, name: str, access: Access) -> None:
        """Change who may use a server, from the next tool that anybody is offered or calls."""
        if name in self._access:
            self._access[name] = access
            self.version += 1

    def start(self) -> None:
        """Begin to connect the servers of the file; returns at once and raises nothing."""
        try:
            listed = self._file.load()
        except ConfigError as exc:
            self.problem = str(exc)
            log.error("mcp.file_unusable", problem=self.problem)
            return
        skipped = list(listed.skipped)
        for name, config in listed.servers.items():
            try:
                if config.is_enabled:
                    self._add(name, config)
            except ValueError as exc:
                skipped.append(Skipped(name, str(exc)))
        self.skipped = tuple(skipped)
        for entry in skipped:
            log.warning("mcp.server_skipped", server=entry.name, reason=entry.reason)

    async def hot_add_server(self, name: str, config: ServerConfig, *, wait_s: float = 300) -> ServerInfo:
        """Connect a server; its tools are in the catalog as soon as it is ready.

        Returns when it is ready or has failed once, or after `wait_s`; it goes on trying in any case, until
        it is removed.

        Raises:
            ValueError: the name is none or taken, or the entry refers to our own environment.
        """
        refuse_own_environment(config)
        check_name(name)
        await self._let_go(name)
        connection = self._add(name, config)
        self._awaited.add(connection)
        try:
            await first_of(connection.settled(), self._host.clock.sleep(wait_s))
        finally:
            self._awaited.discard(connection)
        return self._describe(connection)

    async def hot_remove_server(self, name: str) -> bool:
        """End a server; returns whether there was one. Its tools are gone at once, its processes on return."""
        connection = self._take_out(name)
        if connection is None:
            return False
        await connection.stop()
        return True

    def config_of(self, name: str) -> ServerConfig | None:
        """Return the entry with which a server was added."""
        connection = self._connections.get(name)
        return None if connection is None else connection.config

    async def renew(self, name: str, config: ServerConfig) -> None:
        """Connect a server of the file, in place of the one of that name; returns before it is ready.

        Raises:
            ValueError: the name is none or too much like another one.
        """
        await self.hot_remove_server(name)
        await self._let_go(name)
        self._add(name, config)

    async def call(
        self, server: str, tool: str, arguments: Mapping[str, object], ctx: TurnContext
    ) -> types.CallToolResult:
        """Call a tool by the server's own name for it, for the person of that turn.

        Raises:
            CallFailed: see `McpConnection.call`.
        """
        connection = self._connections.get(server)
        if connection is None:
            raise CallFailed(f"The server {server} was removed. Tell the person, or try another way.")
        return await connection.call(tool, arguments, ctx)

    async def aclose(self) -> None:
        """End all servers, side by side; nothing can be added any more."""
        self._is_closed = True
        for name in tuple(self._connections):
            self._take_out(name)
        await asyncio.gather(*(connection.stop() for connection in tuple(self._leaving)))

    async def _let_go(self, name: str) -> None:
        """Wait for one of the same name that is still closing: it has the folder and the log, perhaps a port."""
        await asyncio.gather(*(old.stop() for old in tuple(self._leaving) if slug(old.name) == slug(name)))

    def _add(self, name: str, config: ServerConfig) -> McpConnection:
        if self._is_closed:
            raise ValueError("the service is stopping")
        if any(slug(known) == slug(name) for known in self._connections):
            raise ValueError(f"there is a server named {name}, or too much alike, already")
        connection = self._connections[name] = McpConnection(name, config, self._host, on_change=self._changed)
        self._access[name] = config.access
        connection.start()
        return connection

    def _take_out(self, name: str) -> McpConnection | None:
        """Forget a server at once; it is kept in `_leaving` until it is over, whoever waits for that."""
        connection = self._connections.pop(name, None)
        if connection is not None:
            self._leaving.add(connection)
            self._states.pop(name, None)
            self._take_tools(name, ())
            self._listed.pop(name, None)
            self._access.pop(name, None)
        return connection

    def _changed(self, connection: McpConnection) -> None:
        """Hear from a connection; one that was taken out has nothing to say but that it is over."""
        name = connection.name
        if self._connections.get(name) is not connection:
            if connection.state == "stopped":
                self._leaving.discard(connection)
            return
        self._take_tools(name, connection.tools)
        if self._states.get(name) != connection.state:
            self._states[name] = connection.state
            self._on_state(self._describe(connection))

    def _take_tools(self, name: str, tools: tuple[types.Tool, ...]) -> None:
        """Swap a server's tools as a whole; names may change with the set, adapters are kept where they fit."""
        if self._listed.get(name, ()) == tools:
            return
        self._listed[name] = tools
        first: dict[tuple[str, str], types.Tool] = {}
        for server, listed in sorted(self._listed.items()):
            for tool in listed:
                first.setdefault((server, tool.name), tool)
        names = tool_names(first)
        known = {(adapter.server, adapter.tool_name): adapter for adapter in self._tools}
        self._tools = tuple(
            self._adapt(pair[0], tool, names[pair], known.get(pair))
            for pair, tool in first.items()
            if pair in names
        )
        self.version += 1

    def _adapt(self, server: str, tool: types.Tool, name: str, known: MCPToolAdapter | None) -> MCPToolAdapter:
        if known is not None and known.is_same(tool, name) and known.owner == self.access_of(server).owner:
            return known
        trusts = self._connections[server].config.trust_annotations
        return MCPToolAdapter(
            tool,
            name=name,
            server=server,
            call=partial(self.call, server),
            trusts_annotations=trusts,
            access=partial(self.access_of, server),
        )

    def _describe(self, connection: McpConnection) -> ServerInfo:
        name = connection.name
        return ServerInfo(
            name,
            connection.state,
            connection.config.transport,
            slug(name),
            tools=tuple(tool.name for tool in self._tools if tool.server == name),
            error=connection.error,
            restarts=connection.restarts,
            protocol=connection.protocol,
            is_consent_pending=connection.is_consent_pending,
            access=self.access_of(name),
            is_consent_granted=connection.is_consent_granted and connection not in self._awaited,
        )
