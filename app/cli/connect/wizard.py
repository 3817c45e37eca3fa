"""The wizard: the steps in order, from nothing to a message that came back."""

import secrets
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Final

import httpx

from app.cli.connect.arrivals import Receiver, RunningService, take_port
from app.cli.connect.checks import Checks
from app.cli.connect.env_file import EnvFileError
from app.cli.connect.prompts import Dialog, Question, Unanswered
from app.cli.connect.setup import Setup
from app.cli.connect.state import Draft, Name, StepFailed
from app.cli.meta import challenge_problem, check_public_url
from app.cli.serve import serving
from app.config import Settings
from app.domain.errors import AppError, Transient
from app.webhook.router import WebhookSecrets

_ANY: Final = "0.0.0.0"  # noqa: S104 - compared, not bound
_URL: Final = Question(
    Name.PUBLIC_URL, "Public address of this machine, such as https://wasap.example.org", check_public_url
)
Step = Callable[[Draft], Awaitable[Draft]]


class Wizard:
    """Connects a number. It may run again at any time: what is in place is left alone, and said.

    First everything is asked and looked at; then the changes are shown and agreed to; then `.env` is written;
    then Meta is told. An end in between leaves a whole file and an account that the next run completes.
    """

    def __init__(
        self, dialog: Dialog, http: httpx.AsyncClient, settings: Settings, checks: Checks, setup: Setup
    ) -> None:
        self._dialog = dialog
        self._http = http
        self._host, self._port = settings.host, settings.port
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
            self._dialog.hop("failed", failure.step, failure.cause)
            self._dialog.note(f"→ {failure.next_step}.")
            if not self._dialog.is_interactive or not self._dialog.confirm("Try this step again?"):
                raise failure
            self._dialog.forget(failure.ask_again)

    async def _listen(self, draft: Draft, stack: AsyncExitStack) -> Draft:
        """Find the service that runs here, or answer Meta ourselves for as long as the wizard runs."""
        known = self._dialog.given(Name.VERIFY_TOKEN)
        draft = replace(
            draft, verify_token=known or secrets.token_urlsafe(24), is_verify_token_new=not known, arrivals=None
        )
        try:
            listening = take_port(self._host, self._port)
        except OSError as exc:
            cause = f"this machine cannot listen on {self._host}:{self._port}: {exc.strerror}"
            raise StepFailed("receiver", cause, "Correct HOST and PORT in .env") from None
        if listening is not None:
            secrets_of_meta = WebhookSecrets(draft.verify_token, (draft.app_secret,))
            receiver = Receiver(secrets_of_meta, draft.chosen.id)
            await stack.enter_async_context(serving(receiver.app, listening))
            self._dialog.hop("done", "receiver", f"listening on port {self._port} until the wizard ends")
            return replace(draft, arrivals=receiver)
        host = "127.0.0.1" if self._host == _ANY else self._host
        service = RunningService(self._http, f"http://{host}:{self._port}")
        if not await service.knows(draft.verify_token):
            cause = f"port {self._port} is taken by a program that does not know this verify token"
            fix = "Stop that program, or the service with other settings; connect itself listens until its end"
            raise StepFailed("receiver", cause, fix)
        self._dialog.hop("done", "receiver", f"the service runs on port {self._port} and answers")
        return replace(draft, arrivals=service, is_service_running=True)

    async def _prove_address(self, draft: Draft) -> Draft:
        draft = replace(draft, public_url=self._dialog.value(_URL))
        with self._dialog.working(f"asking {draft.callback_url} for its challenge"):
            problem = await challenge_problem(self._http, draft.callback_url, draft.verify_token)
        if problem is not None:
            cause = f"{draft.callback_url} does not lead here: {problem.cause}"
            raise StepFailed("address", cause, problem.next_step, Name.PUBLIC_URL)
        self._dialog.hop("done", "address", f"{draft.callback_url} leads here")
        return draft


def _explain(name: str, exc: AppError) -> StepFailed:
    match exc:
        case StepFailed():
            return exc
        case Unanswered():
            fix = "Set it in the environment or in .env, or run connect in a terminal without --yes"
            return StepFailed(name, f"{exc.code}: {exc.detail}", fix)
        case EnvFileError():
            return StepFailed(name, exc.detail, "Nothing was written")
        case Transient():
            return StepFailed(name, exc.detail, "Check this machine's network, or try again in a minute")
        case _:
            return StepFailed(name, f"Meta refuses: {exc.detail}", "Correct that, and run connect again")
