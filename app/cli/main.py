"""python -m app: everything an owner does from a terminal."""

import asyncio
from typing import Annotated

import typer
from structlog.typing import Processor

from app.bootstrap.tools import known_secrets
from app.cli import keeping, servers
from app.cli.audit import verify_audit
from app.cli.connect.command import Options, open_world
from app.cli.connect.command import connect_number as run_wizard
from app.cli.connect.state import StepFailed
from app.cli.doctor.examine import examine, make_report
from app.cli.doctor.plan import World
from app.cli.doctor.settings import read_settings, secrets_of
from app.cli.models import fetch_model, list_models
from app.cli.serve import run_server
from app.cli.simulate import simulate_message
from app.config import Settings, load_settings
from app.database.db import Database
from app.database.lock import single_process
from app.database.migrate import migrate as migrate_database
from app.domain.errors import AppError, ConfigError
from app.log import setup_logging
from app.skills.tools.selfcode.runtime import LogRing

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
def doctor(
    is_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    is_quick: Annotated[bool, typer.Option("--quick", help="Do not ask the model anything.")] = False,
) -> None:
    """Check every hop from the settings to Meta, and name the fix for each that fails."""
    loaded = read_settings()
    # The report says what is wrong, once; the log of those who fail would say it again.
    setup_logging(level="CRITICAL", is_json=False, is_content_logged=False, secrets=secrets_of(loaded.settings))
    if not asyncio.run(examine(loaded, make_report(is_json=is_json), World(), is_quick=is_quick)):
        raise typer.Exit(1)


@cli.command()
def connect(
    app_id: Annotated[str, typer.Option(help="The App ID of the Meta app.")] = "",
    number: Annotated[str, typer.Option(help="The business number, or its id.")] = "",
    owner: Annotated[str, typer.Option(help="Your own number, with country code.")] = "",
    public_url: Annotated[str, typer.Option(help="The https address that leads to this machine.")] = "",
    is_hello_forced: Annotated[bool, typer.Option("--hello", help="Send a first message again.")] = False,
    says_yes: Annotated[
        bool, typer.Option("--yes", help="Ask nothing; secrets come from the environment.")
    ] = False,
) -> None:
    """Connect a WhatsApp number, step by step: checks, asks, sets Meta up, waits for the proof, writes .env."""
    # Whoever speaks of a failure is the wizard; the log of libraries could repeat an address with a secret in it.
    setup_logging(level="CRITICAL", is_json=False, is_content_logged=False)
    options = Options(app_id, number, owner, public_url, says_yes, is_hello_forced)

    async def run() -> None:
        async with open_world(says_yes=says_yes) as world:
            await run_wizard(options, world)

    try:
        asyncio.run(run())
    except StepFailed:
        raise typer.Exit(1) from None
    except AppError as exc:
        raise _failed(exc) from None
    except (KeyboardInterrupt, EOFError):
        typer.echo("\nStopped. Run connect again: it goes on where it is.", err=True)
        raise typer.Exit(130) from None


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


keeping.register(cli, lambda: _settings(level="WARNING"), _failed)
servers.register(cli, lambda: _settings(level="WARNING"), _failed)


def main() -> None:
    """Run the command line."""
    cli()
