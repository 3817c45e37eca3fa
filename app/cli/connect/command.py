"""`connect` as a command: where values come from, and how it ends."""

import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import httpx
from rich.console import Console

from app.cli.connect.checks import Checks, wanted_settings
from app.cli.connect.env_file import EnvFile
from app.cli.connect.graph_admin import GraphAdmin
from app.cli.connect.prompts import Prompter, Reader, Screen, read_terminal
from app.cli.connect.setup import Setup
from app.cli.connect.state import ADMINS, ALLOWED, APP_ID, NUMBER_ID, OWNER, PUBLIC_URL, Draft
from app.cli.connect.wizard import Place, Wizard
from app.config import Settings, load_settings

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


@asynccontextmanager
async def open_world(*, says_yes: bool) -> AsyncIterator[World]:
    """Yield the real world; its person is asked only at a terminal, and not when yes was said beforehand."""
    reader = read_terminal if sys.stdin.isatty() and not says_yes else None
    async with httpx.AsyncClient() as http:
        yield World(http, Console(), reader)


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
    screen = Screen(world.console)
    ask = Prompter(_given(options, world, env), world.reader, screen, says_yes=options.says_yes)
    graph = GraphAdmin(world.http, base_url=settings.whatsapp_api_base_url, version=settings.whatsapp_api_version)
    checks = Checks(ask, graph, screen, lambda: datetime.now(UTC))
    setup = Setup(ask, graph, screen, env, wait_s=options.wait_s, is_hello_forced=options.is_hello_forced)
    place = Place(settings.host, settings.port)
    draft = await Wizard(ask, screen, world.http, place, checks, setup).run()
    for name in _shadowed(world.environment, draft):
        screen.note(f"{name} is set in the environment to something else, which wins over .env: unset it.")
    screen.note("All is set. " + ("The service runs." if draft.is_service_running else "Start it: make run"))
    return draft


def _given(options: Options, world: World, env: EnvFile) -> dict[str, str]:
    known = {**env.values, **{name: value for name, value in world.environment.items() if value}}
    said = {
        APP_ID: options.app_id,
        NUMBER_ID: options.number,
        OWNER: options.owner or _first_number(known),
        PUBLIC_URL: options.public_url,
    }
    return {**known, **{name: value for name, value in said.items() if value}}


def _first_number(known: Mapping[str, str]) -> str:
    """The first phone number among those who may write; user ids cannot be written to first."""
    entries = f"{known.get(ADMINS, '')},{known.get(ALLOWED, '')}".split(",")
    return next((entry.strip() for entry in entries if entry.strip() and not entry.strip()[0].isalpha()), "")


def _shadowed(environment: Mapping[str, str], draft: Draft) -> list[str]:
    wanted = wanted_settings(draft, environment.get(ALLOWED, ""))
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
