"""python -m app: everything an owner does from a terminal."""

import asyncio
from typing import Annotated

import typer
from structlog.typing import Processor

from app.bootstrap.tools import known_secrets
from app.cli.audit import verify_audit
from app.cli.models import fetch_model, list_models
from app.cli.serve import run_server
from app.cli.simulate import simulate_message
from app.config import Settings, load_settings
from app.database.db import Database
from app.database.lock import single_process
from app.database.migrate import migrate as migrate_database
from app.domain.errors import AppError, ConfigError
from app.introspection.runtime import LogRing
from app.log import setup_logging

cli = typer.Typer(name="wasap", no_args_is_help=True, add_completion=False, help=__doc__)

model_cli = typer.Typer(no_args_is_help=True, help="The model that answers.")
cli.add_typer(model_cli, name="model")

audit_cli = typer.Typer(no_args_is_help=True, help="The record of what tools did.")
cli.add_typer(audit_cli, name="audit")

EXIT_CONFIG = 2


@cli.command()
def serve() -> None:
    """Start the service; without WhatsApp credentials, with the simulator."""
    ring = LogRing()
    settings = _settings(taps=(ring,))
    try:
        has_started = run_server(settings, ring)
    except AppError as exc:
        raise _failed(exc) from None
    if not has_started:
        raise typer.Exit(EXIT_CONFIG)


@cli.command()
def simulate(
    text: Annotated[str, typer.Argument(help="What to write to the assistant.")],
    timeout_s: Annotated[float, typer.Option(help="How long to wait for the answer.")] = 300,
) -> None:
    """Send one message through the simulator, signed and stored like a real one, and print the reply."""
    settings = _settings(level="WARNING")
    try:
        for reply in asyncio.run(simulate_message(settings, text, timeout_s)):
            print(reply)
    except AppError as exc:
        raise _failed(exc) from None


@cli.command()
def migrate() -> None:
    """Bring the database to the newest schema."""
    settings = _settings()

    async def run() -> int:
        async with Database.open(settings.database_file) as db:
            return await migrate_database(db, backup_dir=settings.data_dir / "backups")

    try:
        with single_process(settings.data_dir / "app.lock", database=settings.database_file):
            count = asyncio.run(run())
    except AppError as exc:
        raise _failed(exc) from None
    print(f"{count} migrations applied to {settings.database_file}")


@model_cli.command("fetch")
def model_fetch() -> None:
    """Fetch the embedded model (about 1.1 GB, once), with its checksum verified."""
    settings = _settings(level="WARNING")
    try:
        print(asyncio.run(fetch_model(settings.data_dir / "models")))
    except AppError as exc:
        raise _failed(exc) from None


@model_cli.command("list")
def model_list() -> None:
    """Show which models this machine can answer with."""
    settings = _settings(level="ERROR")
    for line in asyncio.run(list_models(settings)):
        print(line)


@audit_cli.command("verify")
def audit_verify() -> None:
    """Find records of the audit trail that were edited, removed or reordered."""
    settings = _settings(level="WARNING")
    key = settings.audit_hmac_key
    try:
        findings = asyncio.run(
            verify_audit(
                settings.database_file,
                settings.data_dir / "audit.head",
                key.get_secret_value().encode() if key is not None else None,
            )
        )
    except AppError as exc:
        raise _failed(exc) from None
    for finding in findings:
        print(finding)
    if findings:
        raise typer.Exit(1)
    print("the audit trail is whole")


def _settings(*, level: str | None = None, taps: tuple[Processor, ...] = ()) -> Settings:
    try:
        settings = load_settings()
    except ConfigError as exc:
        raise _failed(exc) from None
    setup_logging(
        level=level or settings.log_level,
        is_json=settings.log_json,
        is_content_logged=settings.log_content,
        taps=taps,
        secrets=known_secrets(settings),
    )
    return settings


def _failed(exc: AppError) -> typer.Exit:
    typer.echo(f"{exc.code}: {exc.detail}", err=True)
    return typer.Exit(EXIT_CONFIG if isinstance(exc, ConfigError) else 1)


def main() -> None:
    """Run the command line."""
    cli()
