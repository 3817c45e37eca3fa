"""Asking and telling on a terminal: secrets unseen, each value checked as it is pasted."""

import getpass
import ipaddress
import re
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, Protocol
from urllib.parse import urlsplit

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from app.domain.errors import AppError

Mark = Literal["done", "failed", "skipped"]
_SIGNS: Final[Mapping[Mark, str]] = MappingProxyType({"done": "✔", "failed": "✖", "skipped": "–"})
_HEX_SECRET: Final = re.compile(r"[0-9a-f]{32}")
_HOST: Final = re.compile(r"(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{1,62}")
_PRIVATE_ENDINGS: Final = (".local", ".localhost", ".internal", ".lan", ".home", ".invalid", ".test")


@dataclass(frozen=True, slots=True)
class Question:
    """A value that is needed. `check` returns it cleaned, or raises ValueError with what is wrong."""

    name: str
    text: str
    check: Callable[[str], str]
    is_secret: bool = False


class Unanswered(AppError):
    """There is nobody to ask; `code` is what must be given, `detail` how."""


class Reader(Protocol):
    def __call__(self, text: str, *, is_hidden: bool) -> str:
        """Show the text and return the line that was typed.

        Raises:
            EOFError, KeyboardInterrupt: the person wants to stop.
        """
        ...


def read_terminal(text: str, *, is_hidden: bool) -> str:
    """`Reader` on the controlling terminal; a hidden answer is not shown while it is typed."""
    # While the event loop runs, Ctrl-C is only noted for later; at a question it must end the question.
    earlier = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return getpass.getpass(text) if is_hidden else input(text)
    finally:
        signal.signal(signal.SIGINT, earlier)


class Screen:
    """One line for each hop; progress that moves on a terminal and is a line elsewhere."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def hop(self, mark: Mark, step: str, text: str) -> None:
        self._console.print(f"{_SIGNS[mark]} {step:<12} {text}", markup=False, highlight=False, soft_wrap=True)

    def note(self, text: str) -> None:
        self._console.print(f"  {text}", markup=False, highlight=False, soft_wrap=True)

    @contextmanager
    def working(self, text: str) -> Iterator[None]:
        """Show that something goes on for as long as the block runs."""
        if not self._console.is_terminal:
            self.note(f"{text} …")
            yield
            return
        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
        with Progress(*columns, console=self._console, transient=True) as bar:
            bar.add_task(text, total=None)
            yield


class Prompter:
    """Answers from what was given, else from the person; without a reader nobody is asked.

    `given` are options, the environment and `.env`, by the names of the questions.
    """

    def __init__(self, given: Mapping[str, str], reader: Reader | None, screen: Screen, *, says_yes: bool) -> None:
        self._known = dict(given)
        self._earlier: dict[str, str] = {}
        self._reader = reader
        self._screen = screen
        self._says_yes = says_yes

    @property
    def is_interactive(self) -> bool:
        return self._reader is not None

    def given(self, name: str) -> str:
        """What is known without asking; empty if nothing."""
        return self._known.get(name, "")

    def forget(self, names: tuple[str, ...]) -> None:
        """Ask for these anew, although there was an answer; an empty line then repeats it, unless it is secret."""
        for name in names:
            if earlier := self._known.pop(name, ""):
                self._earlier[name] = earlier

    def value(self, question: Question) -> str:
        """Return a checked answer; a person may try until it has the right shape.

        Raises:
            Unanswered: nobody can be asked, and nothing fitting was given.
        """
        problem = "is not set"
        if typed := self.given(question.name):
            try:
                return question.check(typed)
            except ValueError as exc:
                problem = str(exc)
        if self._reader is None:
            raise Unanswered(question.name, problem)
        if problem != "is not set":
            self._screen.note(f"{question.name}: {problem}")
        while True:
            earlier = "" if question.is_secret else self._earlier.get(question.name, "")
            text = f"  {question.text} [{earlier}]: " if earlier else f"  {question.text}: "
            try:
                answer = question.check(self._reader(text, is_hidden=question.is_secret) or earlier)
            except ValueError as exc:
                self._screen.note(f"{exc}")
                continue
            self._known[question.name] = answer
            return answer

    def confirm(self, text: str, *, default: bool = True) -> bool:
        """Ask yes or no; `--yes` answers yes.

        Raises:
            Unanswered: nobody can be asked.
        """
        if self._says_yes:
            return True
        if self._reader is None:
            raise Unanswered("--yes", "there is no terminal to ask on")
        typed = self._reader(f"  {text} [{'Y/n' if default else 'y/N'}] ", is_hidden=False).strip().lower()
        return typed.startswith(("y", "s")) if typed else default


# Shapes. What fits is still proven by Meta; a shape that cannot be right is said at once.


def check_app_id(typed: str) -> str:
    """The id of a Meta app: digits."""
    value = _tidy(typed)
    if not re.fullmatch(r"[0-9]{6,20}", value):
        raise ValueError("the App ID is a number of about 16 digits: Meta app > App settings > Basic")
    return value


def check_app_secret(typed: str) -> str:
    """An app secret; what is obviously another credential is refused."""
    value = _tidy(typed)
    if value.startswith("EA") and len(value) > 60:
        raise ValueError(
            "this is an access token; the App Secret is shorter: Meta app > App settings > Basic > Show"
        )
    if not re.fullmatch(r"[0-9A-Za-z]{20,64}", value) or value.isdigit():
        raise ValueError("the App Secret is 32 letters and digits: Meta app > App settings > Basic > Show")
    return value


def check_access_token(typed: str) -> str:
    """An access token; what is obviously another credential is refused."""
    value = _tidy(typed).removeprefix("Bearer ")
    if _HEX_SECRET.fullmatch(value):
        raise ValueError("this looks like the App Secret; the access token is longer and begins with EA")
    if not re.fullmatch(r"[0-9A-Za-z_|.-]{20,1000}", value):
        raise ValueError("an access token is one long word of letters and digits; copy it whole, without spaces")
    return value


def check_account_id(typed: str) -> str:
    """The id of a WhatsApp account: digits."""
    value = _tidy(typed)
    if not re.fullmatch(r"[0-9]{6,20}", value):
        raise ValueError("the WhatsApp Business Account ID is a number: Meta app > WhatsApp > API Setup")
    return value


def check_number(typed: str) -> str:
    """Digits of a phone number or of its id, or the place of a number in a list."""
    value = re.sub(r"[\s()+./-]", "", typed)
    if not re.fullmatch(r"[0-9]{1,20}", value):
        raise ValueError("type a place in the list, a Phone Number ID, or the number with its country code")
    return value


def check_owner(typed: str) -> str:
    """A person's number with country code, as digits."""
    value = re.sub(r"[\s()+./-]", "", typed)
    if not re.fullmatch(r"[1-9][0-9]{6,14}", value):
        raise ValueError("type your number with its country code, such as +54 9 11 5555 0101")
    return value


def check_public_url(typed: str) -> str:
    """An address that Meta may call, without its `/webhook`: HTTPS, and a public name."""
    value = _tidy(typed)
    try:
        parts = urlsplit(value if "://" in value else f"https://{value}")
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        raise ValueError("this is no web address; it looks like https://wasap.example.org") from None
    if parts.scheme != "https":
        raise ValueError("Meta calls https:// addresses only; a tunnel gives you one (docs/connecting.md)")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("give the address alone: no user, no question mark, no #")
    if _is_ip(host) or not _HOST.fullmatch(host) or host.endswith(_PRIVATE_ENDINGS):
        raise ValueError("Meta cannot reach that host: it needs a public name (docs/connecting.md)")
    path = parts.path.rstrip("/").removesuffix("/webhook")
    if not re.fullmatch(r"(?:/[A-Za-z0-9._~-]+)*", path):
        raise ValueError("the path holds characters that an address should not have")
    return f"https://{host}{f':{port}' if port else ''}{path}"


def _is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _tidy(typed: str) -> str:
    return typed.strip().strip("\"'").strip()
