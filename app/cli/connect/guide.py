"""The wizard inside the running service: nobody types, what was given in a page is taken, each step is heard."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Final

import httpx
from rich.console import Console

from app.cli.connect.env_file import EnvFile, EnvFileError
from app.cli.connect.prompts import Dialog, Mark, Question, Unanswered
from app.cli.connect.state import Name, Options, StepFailed
from app.cli.connect.texts import CONNECT
from app.cli.connect.wizard import World, given_values, load_for_connect, take_steps
from app.config import ENV_FILE
from app.domain.connecting import Progress, Run
from app.domain.errors import ConfigError
from app.domain.health import Checked, Status
from app.language.catalogue import Sentence, in_each_language, lazy

_BY_NAME: Final = (Name.APP_SECRET, Name.ACCESS_TOKEN, Name.ACCOUNT_ID)
"""What has no option of its own, and is given as the environment would."""
_STEP_OF: Final[Mapping[Name, str]] = MappingProxyType(
    {
        Name.APP_ID: "app",
        Name.APP_SECRET: "app",
        Name.ACCESS_TOKEN: "token",
        Name.ACCOUNT_ID: "number",
        Name.NUMBER_ID: "number",
        Name.OWNER: "owner",
        Name.PUBLIC_URL: "address",
    }
)
_STATES: Final[Mapping[Mark, Status]] = MappingProxyType({"done": "ok", "failed": "failed", "skipped": "skipped"})


class _Heard(Dialog):
    """A dialog with a page: every step goes to `progress`, and the yes was given before or is missing."""

    def __init__(self, given: Mapping[str, str], progress: Progress, *, is_agreed: bool) -> None:
        super().__init__(Console(quiet=True), given, None, says_yes=is_agreed)
        self._progress = progress
        self._is_agreed = is_agreed
        self.awaits_yes = False

    def hop(self, mark: Mark, step: str, text: str) -> None:
        # A failure is told once, with its next step, by whoever catches it.
        if mark != "failed":
            self._progress.took(Checked(step, _STATES[mark], in_each_language(text)))

    def note(self, text: str) -> None:
        self._progress.said(in_each_language(text))

    def value(self, question: Question) -> str:
        try:
            return super().value(question)
        except Unanswered as exc:
            step = _STEP_OF[Name(question.name)]
            fix = lazy(CONNECT.correct_in_form, field=lazy(question.text))
            raise StepFailed(step, exc.detail, fix) from None

    def plan(self, lines: Sequence[str]) -> None:
        self._progress.planned(tuple(map(in_each_language, lines)))

    @contextmanager
    def working(self, text: str) -> Iterator[None]:
        yield

    def confirm(self, text: Sentence) -> bool:
        self.awaits_yes = not self._is_agreed
        return self._is_agreed


async def connect_inside(
    run: Run, *, http: httpx.AsyncClient | None = None, env_path: Path = ENV_FILE, wait_s: float = 180
) -> bool:
    """Be `Connect`: take the wizard's steps with what the page gave, the environment and `.env`."""
    options = Options(
        run.given.get(Name.APP_ID, ""),
        run.given.get(Name.NUMBER_ID, ""),
        run.given.get(Name.OWNER, ""),
        run.given.get(Name.PUBLIC_URL, ""),
        run.given.get(Name.FAMILY, ""),
        says_yes=run.is_agreed,
        wait_s=wait_s,
        hello_in=run.language,
    )
    environment: dict[str, str] = dict(os.environ)
    environment.update({str(name): run.given[name] for name in _BY_NAME if run.given.get(name)})
    async with httpx.AsyncClient() as own:
        world = World(http or own, Console(quiet=True), None, environment, env_path, run.reception)
        try:
            env, settings = EnvFile.read(env_path), load_for_connect(env_path)
            dialog = _Heard(given_values(options, environment, env), run.progress, is_agreed=run.is_agreed)
        except (EnvFileError, ConfigError) as exc:
            run.progress.took(_failed("settings", exc.detail, lazy(CONNECT.correct_file, file=env_path.name)))
            return False
        try:
            await take_steps(options, world, env, settings, dialog)
        except StepFailed as exc:
            if not dialog.awaits_yes:
                run.progress.took(_failed(exc.step, exc.cause, exc.next_step))
            return False
    return True


def _failed(step: str, cause: str, next_step: str) -> Checked:
    return Checked(step, "failed", in_each_language(cause), in_each_language(next_step))
