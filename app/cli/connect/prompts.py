"""The talk with the owner on a terminal: secrets unseen, each value checked as it is pasted.

`questionary` reads the line (and shows a star for each character of a secret). The loop around it is ours: values
come from options, environment and `.env` first, a wrong one is explained, and without a terminal nobody is asked.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, Protocol

import questionary
from rich.console import Console
from rich.text import Text

from app.cli.connect.texts import CONNECT
from app.cli.meta import Unfit
from app.domain.errors import AppError
from app.language.catalogue import OF_LOGS, Language, Sentence, lazy, say, worded

Mark = Literal["done", "failed", "skipped"]
_SIGNS: Final[Mapping[Mark, str]] = MappingProxyType({"done": "✔", "failed": "✖", "skipped": "–"})
_HEX_SECRET: Final = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Question:
    """A value that is needed. `check` returns it cleaned, or raises `Unfit` with what is wrong."""

    name: str
    text: Sentence
    check: Callable[[str], str]
    is_secret: bool = False


class Unanswered(AppError):
    """There is nobody to ask; `code` is what must be given, `detail` says what is wrong with what was."""


class Reader(Protocol):
    def __call__(self, text: str, *, is_hidden: bool) -> str:
        """Show the text and return the line that was typed.

        Raises:
            EOFError, KeyboardInterrupt: the person wants to stop.
        """
        ...


def read_terminal(text: str, *, is_hidden: bool) -> str:
    """`Reader` on the controlling terminal; a hidden answer is not shown while it is typed."""
    ask = questionary.password if is_hidden else questionary.text
    # In a thread: an event loop runs already in this one.
    return str(ask(text.strip(), qmark=" ").application.run(in_thread=True))


class Dialog:
    """Tells the owner what happens, and gets answers: from what was given, else from the owner.

    `given` are options, the environment and `.env`, by the names of the questions. Without a reader nobody is
    asked; with `says_yes` every yes-or-no question is answered with yes.
    """

    def __init__(
        self,
        console: Console,
        given: Mapping[str, str],
        reader: Reader | None,
        *,
        says_yes: bool,
        language: Language = OF_LOGS,
    ) -> None:
        self._console = console
        self._language = language
        self._known = dict(given)
        self._earlier: dict[str, str] = {}
        self._reader = reader
        self._says_yes = says_yes

    @property
    def is_interactive(self) -> bool:
        return self._reader is not None

    def hop(self, mark: Mark, step: str, text: str) -> None:
        """Print how a step came out."""
        self._print(f"{_SIGNS[mark]} {step:<12} {worded(text, self._language)}")

    def note(self, text: str) -> None:
        """Print what the person should know, in as many lines as it has."""
        for line in worded(text, self._language).splitlines():
            self._print(f"  {line}")

    def plan(self, lines: Sequence[str]) -> None:
        """Show what would change."""
        self.note(lazy(CONNECT.would_change))
        for line in lines:
            self._print(f"    {worded(line, self._language)}")

    def _print(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    @contextmanager
    def working(self, text: str) -> Iterator[None]:
        """Show that something goes on while the block runs."""
        line = f"{worded(text, self._language)} …"
        if not self._console.is_terminal:
            self.note(line)
            yield
            return
        with self._console.status(Text(line)):
            yield

    def given(self, name: str) -> str:
        """Return what is known without asking; empty if nothing."""
        return self._known.get(name, "")

    def forget(self, names: tuple[str, ...]) -> None:
        """Ask for these again; an empty line then repeats the earlier answer, unless it is secret."""
        for name in names:
            if earlier := self._known.pop(name, ""):
                self._earlier[name] = earlier

    def value(self, question: Question) -> str:
        """Return a checked answer; the owner may try until it has the right shape.

        Raises:
            Unanswered: nobody can be asked, and nothing fitting was given.
        """
        problem: str | None = None
        if known := self.given(question.name):
            try:
                return question.check(known)
            except Unfit as exc:
                problem = exc.why
        if self._reader is None:
            raise Unanswered(question.name, problem or lazy(CONNECT.unset))
        if problem:
            self.note(f"{question.name}: {worded(problem, self._language)}")
        answer = self._known[question.name] = self._ask(question, self._reader)
        return answer

    def _ask(self, question: Question, reader: Reader) -> str:
        earlier = "" if question.is_secret else self._earlier.get(question.name, "")
        asked = say(question.text, self._language)
        text = f"  {asked} [{earlier}]: " if earlier else f"  {asked}: "
        while True:
            try:
                return question.check(reader(text, is_hidden=question.is_secret) or earlier)
            except Unfit as exc:
                self.note(exc.why)

    def confirm(self, text: Sentence) -> bool:
        """Ask yes or no; an empty line means yes.

        Raises:
            Unanswered: nobody can be asked.
        """
        if self._says_yes:
            return True
        if self._reader is None:
            raise Unanswered("--yes", lazy(CONNECT.no_terminal))
        asked = say(CONNECT.yes_or_no, self._language, question=say(text, self._language))
        typed = self._reader(f"  {asked} ", is_hidden=False).strip().lower()
        return not typed or typed.startswith(("y", "s"))


# Shapes. Meta still proves what fits; a shape that cannot be right is refused at once.


def check_app_id(typed: str) -> str:
    """The id of a Meta app: digits."""
    return _fitting(r"[0-9]{6,20}", _tidy(typed), CONNECT.shape_app_id)


def check_app_secret(typed: str) -> str:
    """An app secret; what is obviously another credential is refused."""
    value = _tidy(typed)
    if value.startswith("EA") and len(value) > 60:
        raise Unfit(lazy(CONNECT.shape_not_secret))
    return _fitting(r"(?![0-9]+$)[0-9A-Za-z]{20,64}", value, CONNECT.shape_app_secret)


def check_access_token(typed: str) -> str:
    """An access token; what is obviously another credential is refused."""
    value = _tidy(typed).removeprefix("Bearer ")
    if _HEX_SECRET.fullmatch(value):
        raise Unfit(lazy(CONNECT.shape_not_token))
    return _fitting(r"[0-9A-Za-z_|.-]{20,1000}", value, CONNECT.shape_token)


def check_account_id(typed: str) -> str:
    """The id of a WhatsApp account: digits."""
    return _fitting(r"[0-9]{6,20}", _tidy(typed), CONNECT.shape_account)


def check_number(typed: str) -> str:
    """Digits of a phone number or of its id, or the place of a number in a list."""
    return _fitting(r"[0-9]{1,20}", re.sub(r"[\s()+./-]", "", typed), CONNECT.shape_number)


def check_owner(typed: str) -> str:
    """A person's number with country code, as digits."""
    return _fitting(r"[1-9][0-9]{6,14}", re.sub(r"[\s()+./-]", "", typed), CONNECT.shape_owner)


def _fitting(pattern: str, value: str, problem: Sentence) -> str:
    if not re.fullmatch(pattern, value):
        raise Unfit(lazy(problem))
    return value


def _tidy(typed: str) -> str:
    return typed.strip().strip("\"'").strip()
