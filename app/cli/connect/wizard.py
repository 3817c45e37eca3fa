"""The wizard: the steps in order, from nothing to a message that came back."""

import secrets
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Final

import httpx

from app.cli.connect.checks import Checks
from app.cli.connect.env_file import EnvFileError
from app.cli.connect.prompts import Prompter, Question, Screen, Unanswered, check_public_url
from app.cli.connect.proof import Receiver, RunningService, prove_address, serving, take_port
from app.cli.connect.setup import Setup
from app.cli.connect.state import PUBLIC_URL, VERIFY_TOKEN, Draft, StepFailed
from app.domain.errors import AppError, Transient

_ANY: Final = "0.0.0.0"  # noqa: S104 - compared, not bound
_URL: Final = Question(
    PUBLIC_URL, "Public address of this machine, such as https://wasap.example.org", check_public_url
)
Step = Callable[[Draft], Awaitable[Draft]]


@dataclass(frozen=True, slots=True)
class Place:
    """Where the service listens, or will listen."""

    host: str
    port: int

    @property
    def local_url(self) -> str:
        return f"http://{'127.0.0.1' if self.host == _ANY else self.host}:{self.port}"


class Wizard:
    """Connects a number. It may run again at any time: what is in place is left alone, and said.

    First everything is asked and looked at; then the changes are shown and agreed to; then `.env` is written;
    then Meta is told. An end in between leaves a whole file and an account that the next run completes.
    """

    def __init__(
        self, ask: Prompter, screen: Screen, http: httpx.AsyncClient, place: Place, checks: Checks, setup: Setup
    ) -> None:
        self._ask = ask
        self._screen = screen
        self._http = http
        self._place = place
        self._checks = checks
        self._setup = setup

    async def run(self) -> Draft:
        """Take every step; one that fails is told, and tried again while the person wants to.

        Raises:
            StepFailed: a step does not work, and nobody wants to try again; it has been shown.
        """
        draft = Draft()
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
            self._screen.hop("failed", failure.step, failure.cause)
            self._screen.note(f"→ {failure.next_step}.")
            if not self._ask.is_interactive or not self._ask.confirm("Try this step again?"):
                raise failure
            self._ask.forget(failure.ask_again)

    async def _listen(self, draft: Draft, stack: AsyncExitStack) -> Draft:
        """Find the service that runs here, or answer Meta ourselves for as long as the wizard runs."""
        known = self._ask.given(VERIFY_TOKEN)
        draft = replace(
            draft, verify_token=known or secrets.token_urlsafe(24), is_verify_token_new=not known, arrivals=None
        )
        port = self._place.port
        try:
            listening = take_port(self._place.host, port)
        except OSError as exc:
            cause = f"this machine cannot listen on {self._place.host}:{port}: {exc.strerror}"
            raise StepFailed("receiver", cause, "Correct HOST and PORT in .env") from None
        if listening is not None:
            receiver = Receiver(draft.verify_token, draft.app_secret, draft.chosen.id)
            await stack.enter_async_context(serving(receiver, listening))
            self._screen.hop("done", "receiver", f"listening on port {port} until the wizard ends")
            return replace(draft, arrivals=receiver)
        service = RunningService(self._http, self._place.local_url)
        if not await service.knows(draft.verify_token):
            cause = f"port {port} is taken by a program that does not know this verify token"
            next_step = (
                "Stop it: the service with other settings, or another program. Until the end, connect listens"
            )
            raise StepFailed("receiver", cause, next_step)
        self._screen.hop("done", "receiver", f"the service runs on port {port} and answers")
        return replace(draft, arrivals=service, is_service_running=True)

    async def _prove_address(self, draft: Draft) -> Draft:
        draft = replace(draft, public_url=self._ask.value(_URL))
        with self._screen.working(f"asking {draft.callback_url} for its challenge"):
            await prove_address(self._http, draft.callback_url, draft.verify_token)
        self._screen.hop("done", "address", f"{draft.callback_url} leads here")
        return draft


def _explain(name: str, exc: AppError) -> StepFailed:
    match exc:
        case StepFailed():
            return exc
        case Unanswered():
            how = "Set it in the environment or in .env, or run connect in a terminal without --yes"
            return StepFailed(name, f"{exc.code}: {exc.detail}", how)
        case EnvFileError():
            return StepFailed(name, exc.detail, "Nothing was written")
        case Transient():
            return StepFailed(name, exc.detail, "Check this machine's network, or try again in a minute")
        case _:
            return StepFailed(name, f"Meta refuses: {exc.detail}", "Mend that, and run connect again")
