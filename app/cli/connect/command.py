"""`connect` as a command: where values come from, and how it ends."""

import asyncio
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import httpx
import typer
from rich.console import Console

from app.cli.connect.checks import Checks, wanted_settings
from app.cli.connect.env_file import EnvFile
from app.cli.connect.prompts import Dialog, Reader, read_terminal
from app.cli.connect.setup import Setup
from app.cli.connect.state import Draft, Name, StepFailed
from app.cli.connect.wizard import Wizard
from app.config import Settings, load_settings
from app.log import setup_logging
from app.whatsapp.admin import GraphAdmin

ENV_FILE = Path(".env")


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line said. `wait_s` bounds the wait for a webhook; secrets never come this way."""

    app_id: str = ""
    number: str = ""
    owner: str = ""
    public_url: str = ""
    says_yes: bool = False
    is_hello_forced: bool = False
    wait_s: float = 180


@dataclass(frozen=True, slots=True)
class World:
    """What a test puts in place of the outside: the network, the terminal, the environment, the file."""

    http: httpx.AsyncClient
    console: Console
    reader: Reader | None
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    env_path: Path = ENV_FILE


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
    # The wizard explains each failure itself; the log of libraries could repeat an address with a secret in it.
    setup_logging(level="CRITICAL", is_json=False, is_content_logged=False)
    options = Options(app_id, number, owner, public_url, says_yes, is_hello_forced)
    try:
        asyncio.run(_connect(options))
    except StepFailed:
        raise typer.Exit(1) from None
    except (KeyboardInterrupt, EOFError):
        typer.echo("\nStopped. Run connect again to go on from here.", err=True)
        raise typer.Exit(130) from None


async def _connect(options: Options) -> None:
    """Run the wizard in the real world; a person is asked only at a terminal, and not after `--yes`."""
    reader = read_terminal if sys.stdin.isatty() and not options.says_yes else None
    async with httpx.AsyncClient() as http:
        await connect_number(options, World(http, Console(), reader))


async def connect_number(options: Options, world: World) -> Draft:
    """Run the wizard; returns what is known at its end.

    A value comes from the options, else the environment, else `.env`, else the person at the terminal.

    Raises:
        ConfigError: a setting that has nothing to do with WhatsApp is wrong.
        EnvFileError: `.env` cannot be read.
        StepFailed: a step does not work; it has been shown.
    """
    env = EnvFile.read(world.env_path)
    settings = _load(world.env_path)
    given = _given(options, world.environment, env)
    dialog = Dialog(world.console, given, world.reader, says_yes=options.says_yes)
    graph = GraphAdmin(world.http, base_url=settings.whatsapp_api_base_url, version=settings.whatsapp_api_version)
    checks = Checks(dialog, graph, lambda: datetime.now(UTC))
    setup = Setup(dialog, graph, env, wait_s=options.wait_s, is_hello_forced=options.is_hello_forced)
    draft = await Wizard(dialog, world.http, settings, checks, setup).run()
    for name in _shadowed(world.environment, draft):
        dialog.note(f"{name} is set in the environment to something else, which wins over .env: unset it.")
    dialog.note("All set. " + ("The service runs." if draft.is_service_running else "Start it: make run"))
    return draft


def _given(options: Options, environment: Mapping[str, str], env: EnvFile) -> dict[str, str]:
    known = {**env.values, **{name: value for name, value in environment.items() if value}}
    said = {
        Name.APP_ID: options.app_id,
        Name.NUMBER_ID: options.number,
        Name.OWNER: options.owner or _first_number(known),
        Name.PUBLIC_URL: options.public_url,
    }
    return {**known, **{name: value for name, value in said.items() if value}}


def _first_number(known: Mapping[str, str]) -> str:
    """The first phone number among those who may write; user ids cannot be written to first."""
    entries = f"{known.get(Name.ADMINS, '')},{known.get(Name.ALLOWED, '')}".split(",")
    return next((entry.strip() for entry in entries if entry.strip() and not entry.strip()[0].isalpha()), "")


def _shadowed(environment: Mapping[str, str], draft: Draft) -> list[str]:
    wanted = wanted_settings(draft, environment.get(Name.ALLOWED, ""))
    return [name for name, value in wanted.items() if environment.get(name) not in (None, "", value)]


def _load(env_path: Path) -> Settings:
    # A half-filled set of credentials is what the wizard is there for.
    return load_settings(
        _env_file=env_path,
        whatsapp_access_token=None,
        whatsapp_phone_number_id=None,
        whatsapp_verify_token=None,
        whatsapp_app_secret=None,
    )
