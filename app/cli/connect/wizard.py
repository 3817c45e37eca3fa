"""python -m app connect: where values come from, and the steps from nothing to a message that came back."""

import asyncio
import os
import secrets
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import httpx
import typer
from rich.console import Console

from app.cli.connect.arrivals import Receiver, RunningService, take_port
from app.cli.connect.checks import Checks, wanted_settings
from app.cli.connect.env_file import EnvFile, EnvFileError
from app.cli.connect.prompts import Dialog, Question, Reader, Unanswered, read_terminal
from app.cli.connect.setup import Setup
from app.cli.connect.state import Draft, Name, Options, StepFailed
from app.cli.connect.texts import CONNECT
from app.cli.language import terminal_language
from app.cli.meta import challenge_problem, check_public_url
from app.cli.serve import serving
from app.cli.texts import AT_META
from app.config import ENV_FILE, Settings, load_settings
from app.domain.connecting import Guest, Reception
from app.domain.errors import AppError, Transient
from app.language.catalogue import OF_LOGS, Language, joined, lazy, say
from app.log import setup_logging
from app.webhook.router import WebhookSecrets
from app.whatsapp.admin import GraphAdmin

_ANY: Final = "0.0.0.0"  # noqa: S104 - compared, not bound
_URL: Final = Question(Name.PUBLIC_URL, CONNECT.ask_address, check_public_url)
Step = Callable[[Draft], Awaitable[Draft]]


@dataclass(frozen=True, slots=True)
class World:
    """What a test puts in place of the outside: the network, the terminal, the environment, the file."""

    http: httpx.AsyncClient
    console: Console
    reader: Reader | None
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    env_path: Path = ENV_FILE
    reception: Reception | None = None
    """Where the running service answers Meta for the number, when the wizard runs inside it."""
    language: Language = OF_LOGS


def connect(  # noqa: PLR0913, PLR0917 - the options of a command
    app_id: Annotated[str, typer.Option(help="The App ID of the Meta app.")] = "",
    number: Annotated[str, typer.Option(help="The business number, or its id.")] = "",
    owner: Annotated[str, typer.Option(help="Your own number, with country code.")] = "",
    public_url: Annotated[str, typer.Option(help="The https address that leads to this machine.")] = "",
    family: Annotated[str, typer.Option(help="Numbers of others who may write, separated by commas.")] = "",
    is_hello_forced: Annotated[bool, typer.Option("--hello", help="Send a first message again.")] = False,
    says_yes: Annotated[
        bool, typer.Option("--yes", help="Ask nothing; secrets come from the environment.")
    ] = False,
) -> None:
    """Connect a WhatsApp number, step by step: checks, asks, sets Meta up, waits for the proof, writes .env."""
    # The wizard explains each failure itself; the log of libraries could repeat an address with a secret in it.
    setup_logging(level="CRITICAL", is_json=False, is_content_logged=False)
    options = Options(app_id, number, owner, public_url, family, says_yes, is_hello_forced)
    try:
        asyncio.run(_connect(options))
    except StepFailed:
        raise typer.Exit(1) from None
    except (KeyboardInterrupt, EOFError):
        typer.echo(f"\n{say(CONNECT.stopped, terminal_language(os.environ))}", err=True)
        raise typer.Exit(130) from None


async def _connect(options: Options) -> None:
    """Run the wizard in the real world; a person is asked only at a terminal, and not after `--yes`."""
    reader = read_terminal if sys.stdin.isatty() and not options.says_yes else None
    async with httpx.AsyncClient() as http:
        await connect_number(options, World(http, Console(), reader, language=terminal_language(os.environ)))


async def connect_number(options: Options, world: World) -> Draft:
    """Run the wizard; returns what is known at its end.

    A value comes from the options, else the environment, else `.env`, else the person at the terminal.

    Raises:
        ConfigError: a setting that has nothing to do with WhatsApp is wrong.
        EnvFileError: `.env` cannot be read.
        StepFailed: a step does not work; it has been shown.
    """
    env = EnvFile.read(world.env_path)
    settings = load_for_connect(world.env_path)
    given = given_values(options, world.environment, env)
    dialog = Dialog(world.console, given, world.reader, says_yes=options.says_yes, language=world.language)
    return await take_steps(options, world, env, settings, dialog)


async def take_steps(options: Options, world: World, env: EnvFile, settings: Settings, dialog: Dialog) -> Draft:
    """As `connect_number`, over this dialog."""
    graph = GraphAdmin(world.http, base_url=settings.whatsapp_api_base_url, version=settings.whatsapp_api_version)
    checks = Checks(dialog, graph, lambda: datetime.now(UTC))
    setup = Setup(dialog, graph, env, options)
    draft = await Wizard(dialog, world, settings, checks, setup).run()
    for name in _shadowed(world.environment, draft):
        dialog.note(lazy(CONNECT.env_wins, name=name))
    dialog.note(lazy(CONNECT.all_set_running if draft.is_service_running else CONNECT.all_set_start))
    return draft


def given_values(options: Options, environment: Mapping[str, str], env: EnvFile) -> dict[str, str]:
    known = {**env.values, **{name: value for name, value in environment.items() if value}}
    said = {
        Name.APP_ID: options.app_id,
        Name.NUMBER_ID: options.number,
        Name.OWNER: options.owner or _first_number(known),
        Name.PUBLIC_URL: options.public_url,
        Name.FAMILY: options.family,
    }
    return {**known, **{name: value for name, value in said.items() if value}}


def _first_number(known: Mapping[str, str]) -> str:
    """The first phone number among those who may write; user ids cannot be written to first."""
    entries = f"{known.get(Name.ADMINS, '')},{known.get(Name.ALLOWED, '')}".split(",")
    return next((entry.strip() for entry in entries if entry.strip() and not entry.strip()[0].isalpha()), "")


def _shadowed(environment: Mapping[str, str], draft: Draft) -> list[str]:
    wanted = wanted_settings(draft, environment.get(Name.ALLOWED, ""))
    return [name for name, value in wanted.items() if environment.get(name) not in (None, "", value)]


def load_for_connect(env_path: Path) -> Settings:
    # A half-filled set of credentials is what the wizard is there for.
    return load_settings(
        _env_file=env_path,
        whatsapp_access_token=None,
        whatsapp_phone_number_id=None,
        whatsapp_verify_token=None,
        whatsapp_app_secret=None,
    )


class Wizard:
    """Connects a number. It may run again at any time: what is in place is left alone, and said.

    First everything is asked and looked at; then the changes are shown and agreed to; then `.env` is written;
    then Meta is told. An end in between leaves a whole file and an account that the next run completes.
    """

    def __init__(self, dialog: Dialog, world: World, settings: Settings, checks: Checks, setup: Setup) -> None:
        self._dialog = dialog
        self._http = world.http
        self._reception = world.reception
        self._host, self._port = settings.host, settings.port
        self._checks = checks
        self._setup = setup

    async def run(self) -> Draft:
        """Take every step; one that fails is told, and tried again while the person wants to.

        Raises:
            StepFailed: a step does not work, and nobody wants to try again; it has been shown.
        """
        draft = Draft()
        self._dialog.note(lazy(CONNECT.opening))
        self._dialog.note("\n")
        async with AsyncExitStack() as stack:

            async def listen(known: Draft) -> Draft:
                return await self._listen(known, stack)

            steps: tuple[tuple[str, Step], ...] = (
                ("app", self._checks.app),
                ("token", self._checks.token),
                ("number", self._checks.number),
                ("owner", self._checks.owner),
                ("receiver", listen),
                ("address", self._prove_address),
                ("settings", self._setup.settings),
                ("callback", self._setup.callback),
                ("subscription", self._setup.subscription),
                ("message", self._setup.first_message),
                ("webhook", self._setup.webhook),
                ("templates", self._setup.templates),
            )
            for name, step in steps:
                draft = await self._take(name, step, draft)
        return draft

    async def _take(self, name: str, step: Step, draft: Draft) -> Draft:
        while True:
            try:
                return await step(draft)
            except AppError as exc:
                failure = _explain(name, exc)
            self._dialog.hop("failed", failure.step, failure.cause)
            self._dialog.note(joined("", ("→ ", failure.next_step, ".")))
            if not self._dialog.is_interactive or not self._dialog.confirm(CONNECT.ask_again):
                raise failure
            self._dialog.forget(failure.ask_again)

    async def _listen(self, draft: Draft, stack: AsyncExitStack) -> Draft:
        """Find the service that runs here, or answer Meta ourselves for as long as the wizard runs."""
        known = self._dialog.given(Name.VERIFY_TOKEN)
        draft = replace(
            draft, verify_token=known or secrets.token_urlsafe(24), is_verify_token_new=not known, arrivals=None
        )
        if self._reception is not None:
            return self._listen_inside(draft, self._reception, stack)
        try:
            listening = take_port(self._host, self._port)
        except OSError as exc:
            address = f"{self._host}:{self._port}"
            cause = lazy(CONNECT.cannot_listen, address=address, detail=exc.strerror)
            raise StepFailed("receiver", cause, lazy(CONNECT.cannot_listen_step)) from None
        if listening is not None:
            secrets_of_meta = WebhookSecrets(draft.verify_token, (draft.app_secret,))
            receiver = Receiver(secrets_of_meta, draft.chosen.id)
            await stack.enter_async_context(serving(receiver.app, listening))
            self._dialog.hop("done", "receiver", lazy(CONNECT.listening, port=self._port))
            return replace(draft, arrivals=receiver)
        host = "127.0.0.1" if self._host == _ANY else self._host
        service = RunningService(self._http, f"http://{host}:{self._port}")
        if not await service.knows(draft.verify_token):
            cause = lazy(CONNECT.port_taken, port=self._port)
            raise StepFailed("receiver", cause, lazy(CONNECT.port_taken_step))
        self._dialog.hop("done", "receiver", lazy(CONNECT.service_answers, port=self._port))
        return replace(draft, arrivals=service, is_service_running=True)

    def _listen_inside(self, draft: Draft, reception: Reception, stack: AsyncExitStack) -> Draft:
        """Let the service that this runs in answer Meta for the number."""
        receiver = Receiver(WebhookSecrets(draft.verify_token, (draft.app_secret,)), draft.chosen.id)
        stack.enter_context(reception.welcome(Guest(draft.verify_token, (draft.app_secret,), receiver.accept)))
        self._dialog.hop("done", "receiver", lazy(CONNECT.service_inside))
        return replace(draft, arrivals=receiver, is_service_running=True)

    async def _prove_address(self, draft: Draft) -> Draft:
        draft = replace(draft, public_url=self._dialog.value(_URL))
        with self._dialog.working(lazy(CONNECT.asking_address, address=draft.callback_url)):
            problem = await challenge_problem(self._http, draft.callback_url, draft.verify_token)
        if problem is not None:
            cause = lazy(AT_META.leads_elsewhere, address=draft.callback_url, cause=problem.cause)
            raise StepFailed("address", cause, problem.next_step, Name.PUBLIC_URL)
        self._dialog.hop("done", "address", lazy(CONNECT.address_ok, address=draft.callback_url))
        return draft


def _explain(name: str, exc: AppError) -> StepFailed:
    match exc:
        case StepFailed():
            return exc
        case Unanswered():
            return StepFailed(name, joined(": ", (exc.code, exc.detail)), lazy(CONNECT.unanswered_step))
        case EnvFileError():
            return StepFailed(name, exc.detail, lazy(CONNECT.nothing_written))
        case Transient():
            return StepFailed(name, exc.detail, lazy(CONNECT.network_step))
        case _:
            return StepFailed(name, lazy(CONNECT.meta_refuses, detail=exc.detail), lazy(CONNECT.meta_refuses_step))
