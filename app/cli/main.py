"""wasap: everything an owner does from a terminal (also python -m app)."""

import asyncio
import os
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final

import typer
from structlog.typing import Processor
from typer.core import TyperGroup

from app.bootstrap import Ports
from app.cli import models, servers
from app.cli.backup import Home, make_backup
from app.cli.connect.guide import connect_inside
from app.cli.moving import move_everything
from app.cli.restore import Restored, read_commands, read_manifest, restore_backup
from app.cli.serve import run_server
from app.cli.simulate import simulate_message
from app.config import Settings, load_settings
from app.database.damage import AT_ONCE_BYTES, find_damage
from app.database.db import Database
from app.database.lock import single_process
from app.database.migrate import migrate as migrate_database
from app.database.repositories.audit import AuditEvents
from app.domain.errors import AppError, ConfigError
from app.domain.roles import Role
from app.language.late import compile_all
from app.log import LogRing, setup_logging, watch_every_level
from app.security.audit import verify_chain
from app.telemetry.opening import open_meter, open_traces

EXIT_CONFIG = 2
EXIT_DAMAGED = 65
"""The database is damaged: to start again changes nothing."""
_LATER: Final = MappingProxyType({"connect": "app.cli.connect.wizard", "doctor": "app.cli.doctor.plan"})
"""Commands whose modules are loaded when they are asked for: the service need not carry them."""


class _Commands(TyperGroup):
    """The commands by name; an error of ours ends them with a line that says why.

    The types of click are Typer's own, and private: hence `Any`.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        return [*super().list_commands(ctx), *_LATER]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in _LATER:
            return super().get_command(ctx, cmd_name)
        alone = typer.Typer(add_completion=False)
        alone.command(cmd_name)(getattr(import_module(_LATER[cmd_name]), cmd_name))
        return typer.main.get_command(alone)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except AppError as exc:
            raise _failed(exc) from None


cli = typer.Typer(
    name="wasap",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    help=__doc__,
    context_settings={"help_option_names": ["-h", "--help"]},
)

audit_cli = typer.Typer(no_args_is_help=True, help="The record of what tools did.")
cli.add_typer(audit_cli, name="audit")


@cli.command()
def serve(
    is_verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show the log here.")] = False,
    role: Annotated[
        Role,
        typer.Option(help="With several processes on one PostgreSQL: web takes messages in, worker answers them."),
    ] = "all",
) -> None:
    """Start the service; without WhatsApp credentials, with the simulator.

    The log goes to wasap.log in the data directory; with --verbose, as in a container, to standard error.
    """
    os.umask(0o077)  # what people write is nobody else's on this machine
    ring, meter = LogRing(), open_meter()
    settings = _settings(taps=(ring,), filed_as=None if is_verbose else role)
    _refuse_damage(settings, at_most_bytes=AT_ONCE_BYTES)
    ports = Ports(logs=ring, meter=meter, connect=connect_inside)
    with open_traces(settings.otel_exporter_otlp_endpoint) as traces:
        watch_every_level(*([] if meter is None else [meter]), *traces)
        is_started = run_server(settings, ports, role=role)
    if not is_started:
        _refuse_damage(settings)
        if not is_verbose:
            reasons = [event["exception"] for event in ring.list_recent() if "exception" in event]
            typer.echo(f"not started: {reasons[-1] if reasons else 'see the log'}", err=True)
            typer.echo(f"the log: {_log_file(settings, role)}", err=True)
        raise typer.Exit(EXIT_CONFIG)


def _refuse_damage(settings: Settings, *, at_most_bytes: int | None = None) -> None:
    """End with a sentence where the database is damaged; nothing is changed."""
    database = settings.own_database_file
    damage = find_damage(database, at_most_bytes=at_most_bytes) if database else None
    if damage is None:
        return
    archives = sorted((settings.data_dir / "backups").glob("wasap-*.zip"))
    newest = archives[-1] if archives else "FILE"
    typer.echo(f"not started: the database {database} is damaged ({damage}). Nothing was changed.", err=True)
    typer.echo(f"restore a backup, which sets the damaged one aside: wasap restore {newest}", err=True)
    if not archives:
        older = settings.data_dir / "backups"
        typer.echo(f"copies from before updates, if there are any, are in {older}", err=True)
    raise typer.Exit(EXIT_DAMAGED)


@cli.command()
def simulate(
    text: Annotated[str, typer.Argument(help="What to write to the assistant.")],
    timeout_s: Annotated[float, typer.Option(help="How long to wait for the answer.")] = 300,
) -> None:
    """Send one message through the simulator, signed and stored like a real one, and print the reply."""
    for reply in asyncio.run(simulate_message(_settings(level="WARNING"), text, timeout_s)):
        print(reply)


@cli.command("compile", hidden=True)
def compile_patterns() -> None:
    """Compile the patterns that the first start would, beside Python's byte code."""
    compile_all()


@cli.command()
def migrate(
    to: Annotated[
        str | None, typer.Option(help="Copy everything to this database: postgresql://…, or a file.")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="What is in that database goes.")] = False,
) -> None:
    """Bring the database to the newest schema, or move everything to another one."""
    settings = _settings(level="WARNING" if to else None)
    if to is not None:
        asyncio.run(move_everything(settings, to, replaces=replace))
        return

    async def run() -> str:
        async with Database.open(settings.database) as db:
            await db.serve_alone()
            count = await migrate_database(db, backup_dir=settings.data_dir / "backups")
            return f"migrations applied to {settings.own_database_file or db.label}: {count}"

    with single_process(settings.data_dir / "app.lock", database=settings.own_database_file):
        print(asyncio.run(run()))


@cli.command()
def backup(
    to: Annotated[Path | None, typer.Option(help="The file to write; it must not exist yet.")] = None,
    with_secrets: Annotated[
        bool, typer.Option("--with-secrets", help="Also .env and the secrets of MCP servers: guard it well.")
    ] = False,
) -> None:
    """Write one archive with everything that is kept, while the service runs or not."""
    settings = _settings(level="WARNING")
    home = _home(settings)
    os.umask(0o077)
    made = asyncio.run(make_backup(home, to, with_secrets=with_secrets))
    size = sum(entry.size for entry in made.manifest.files.values())
    print(f"{made.path}: {len(made.manifest.files)} files, {size / 1024 / 1024:.1f} MB before packing")
    for name in made.skipped:
        print(f"left out, not a regular file: {name}")
    if not with_secrets:
        print("left out on purpose: .env and the secrets of MCP servers; with them: wasap backup --with-secrets")
    print("left out, because it can be fetched again: the models")
    if settings.bucket is not None:
        print(
            f"left out, because they are elsewhere: people's files, in {settings.files_url}; copy the bucket, too"
        )
    print(f"to restore: stop the service, then: wasap restore {made.path}")


@cli.command()
def restore(
    file: Annotated[Path, typer.Argument(help="An archive made by `backup`.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Put a backup in place of what is there, which is set aside. Stop the service first."""
    home = _home(_settings(level="WARNING"))
    os.umask(0o077)
    manifest = read_manifest(file)
    question = (
        f"Replace what is in {home.data_dir} with {len(manifest.files)} files"
        f" of {manifest.created_at:%Y-%m-%d %H:%M} UTC? What is there now is set aside, not deleted."
    )
    for line in read_commands(file):
        print(line)
    if not yes and not typer.confirm(question):
        raise typer.Exit(1)
    _tell(asyncio.run(restore_backup(home, file)))


def _tell(restored: Restored) -> None:
    print(f"restored: {len(restored.manifest.files)} files of {restored.manifest.created_at:%Y-%m-%d %H:%M} UTC")
    for folder in restored.aside:
        print(f"what was there before is in {folder}; delete it when everything works")
    if restored.still_forgotten:
        print(f"{restored.still_forgotten} people who asked to be forgotten will be removed at the next start")


def _home(settings: Settings) -> Home:
    if settings.database_url:
        raise ConfigError(
            "DATABASE_URL",
            "the database is on a server, whose own tools copy it: pg_dump --format=custom, and pg_restore;"
            f" copy the folder {settings.data_dir} beside it, without models",
        )
    return Home(settings.data_dir, settings.database_file, servers=settings.mcp_config_file)


@audit_cli.command("verify")
def audit_verify() -> None:
    """Find records of the audit trail that were edited, removed or reordered."""
    settings = _settings(level="WARNING")
    key = settings.audit_hmac_key.get_secret_value().encode() if settings.audit_hmac_key else None
    findings = asyncio.run(verify_audit(settings.database, settings.data_dir / "audit.head", key))
    for finding in findings:
        print(finding)
    if findings:
        raise typer.Exit(1)
    print("the audit trail is whole")


async def verify_audit(database: Path | str, head_file: Path, key: bytes | None = None) -> list[str]:
    """Return a sentence for each record that was edited, removed or moved; empty when the trail is whole.

    Works beside a running service or without it.

    Raises:
        ConfigError: there is no database.
        Transient: the database cannot be read, or is older than the audit trail.
    """
    # Opening would make a new, empty database, whose trail is whole.
    if isinstance(database, Path) and not await asyncio.to_thread(database.is_file):
        raise ConfigError("DATABASE_PATH", "there is no database to verify")
    async with Database.open(database) as db:
        return await verify_chain(AuditEvents(db), head_file, key)


def _settings(
    *, level: str | None = None, taps: tuple[Processor, ...] = (), filed_as: Role | None = None
) -> Settings:
    settings = load_settings()
    if filed_as:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
    setup_logging(
        level=level or settings.log_level,
        is_json=settings.log_json,
        is_content_logged=settings.log_content,
        taps=taps,
        secrets=settings.secrets,
        file=_log_file(settings, filed_as) if filed_as else None,
    )
    return settings


def _log_file(settings: Settings, role: Role) -> Path:
    """Return where the log goes; processes that share a folder each have one of their own."""
    return settings.data_dir / ("wasap.log" if role == "all" else f"wasap-{role}-{settings.port}.log")


def _failed(exc: AppError) -> typer.Exit:
    typer.echo(f"{exc.code}: {exc.detail}", err=True)
    return typer.Exit(EXIT_CONFIG if isinstance(exc, ConfigError) else 1)


models.register(cli, lambda: _settings(level="ERROR"))
servers.register(cli, lambda: _settings(level="WARNING"), _failed)


def main() -> None:
    """Run the command line."""
    cli()
