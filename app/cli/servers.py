"""python -m app mcp: the servers that bring tools, for their owner, in the file that the service reads."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Final

import typer

from app.config import Settings
from app.domain.errors import AppError, ConfigError
from app.mcp.config import ServerConfig, check_name, parse_server, variable_key
from app.mcp.connecting.transports import Transports
from app.mcp.files import ConfigFile, SecretStore, forget_values

_AFTERWARDS: Final = "This takes effect at the next start of the service."


def register(cli: typer.Typer, load: Callable[[], Settings], failed: Callable[[AppError], typer.Exit]) -> None:
    """Add `mcp add`, `mcp remove` and `mcp list`."""
    servers = typer.Typer(no_args_is_help=True, help="The MCP servers that bring tools.")
    cli.add_typer(servers, name="mcp")

    @servers.command("add", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
    def add(
        name: Annotated[str, typer.Argument(help="What the server is called here.")],
        command: Annotated[list[str] | None, typer.Argument(help="The command and its arguments.")] = None,
        url: Annotated[str, typer.Option(help="Its address, for one that runs elsewhere.")] = "",
        is_sse: Annotated[bool, typer.Option("--sse", help="It speaks the older SSE.")] = False,
        env: Annotated[list[str] | None, typer.Option(help="A variable; you are asked for its value.")] = None,
        header: Annotated[list[str] | None, typer.Option(help="A header; you are asked for its value.")] = None,
    ) -> None:
        """Write a server into the file; any command may be used. Options come before the name."""
        settings = load()
        file = settings.mcp_config_file
        with _told(failed, name):
            # After options a shell user writes `--` before the command.
            words = (command or [])[(command or [])[:1] == ["--"] :]
            config = _config(name, words, url, is_sse=is_sse, env=env or [], headers=header or [])
            _ask_values(_secrets(settings), name, [*(env or []), *(header or [])])
            ConfigFile(file).put(name, config)
        print(f"{name} is in {file}. {_AFTERWARDS}")

    @servers.command("remove")
    def remove(name: Annotated[str, typer.Argument(help="What the server is called here.")]) -> None:
        """Take a server out of the file, and forget the variables that were kept for it alone."""
        settings = load()
        file = ConfigFile(settings.mcp_config_file)
        with _told(failed):
            was_there = file.remove(name)
            if was_there:
                forget_values(file, _secrets(settings), name)
                Transports(settings.data_dir / "mcp").forget(name)
        if not was_there:
            typer.echo(f"there is no server {name}", err=True)
            raise typer.Exit(1)
        print(f"{name} is removed. {_AFTERWARDS}")

    @servers.command("list")
    def list_all() -> None:
        """Show the servers of the file, and which variables they lack."""
        settings = load()
        with _told(failed):
            listed = ConfigFile(settings.mcp_config_file).load()
            given = frozenset(_secrets(settings).names())
        for name, config in listed.servers.items():
            print(_line(name, config, given))
        for entry in listed.skipped:
            print(f"{entry.name}: not used, {entry.reason}")
        if not listed.servers and not listed.skipped:
            print("there is no server")


@contextmanager
def _told(failed: Callable[[AppError], typer.Exit], name: str = "") -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise failed(ConfigError(name, f"its folder cannot be removed ({exc.strerror})")) from None
    except (ValueError, AppError) as exc:
        raise failed(exc if isinstance(exc, AppError) else ConfigError(name, str(exc))) from None


def _config(
    name: str, command: list[str], url: str, *, is_sse: bool, env: list[str], headers: list[str]
) -> ServerConfig:
    check_name(name)
    if bool(command) == bool(url):
        raise ValueError("give either a command or --url")
    raw: dict[str, object] = {"command": command[0], "args": command[1:]} if command else {"url": url}
    if url:
        raw["type"] = "sse" if is_sse else "http"
    for field, names in (("env", env), ("headers", headers)):
        if names:
            raw[field] = {one: f"${{{variable_key(name, one)}}}" for one in names}
    return parse_server(raw)


def _secrets(settings: Settings) -> SecretStore:
    return SecretStore(settings.data_dir / "mcp_secrets.json")


def _ask_values(secrets: SecretStore, server: str, names: list[str]) -> None:
    """Ask for each value without showing it; from a pipe, one line for each."""
    for name in names:
        value = typer.prompt(name, hide_input=True) if sys.stdin.isatty() else sys.stdin.readline().rstrip("\r\n")
        secrets.set(variable_key(server, name), value)


def _line(name: str, config: ServerConfig, given: frozenset[str]) -> str:
    runs = config.url or " ".join([config.command or "", *config.args])
    missing = [key for key in config.variables if key not in given]
    parts = [runs, *([] if config.is_enabled else ["off"]), *([f"lacks {', '.join(missing)}"] if missing else [])]
    return f"{name} ({config.transport}): {'; '.join(parts)}"
