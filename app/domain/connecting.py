"""Connecting a number from within the running service: what is given, who is answered, how far it came."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from app.domain.health import Checked
from app.domain.inbound import WebhookBatch
from app.language.catalogue import InEachLanguage, Language


@dataclass(frozen=True, slots=True)
class Guest:
    """A number that is being connected: how Meta proves itself for it, and who takes what it brings."""

    verify_token: str = field(repr=False)
    app_secrets: tuple[str, ...] = field(repr=False)
    take: Callable[[WebhookBatch], Awaitable[None]]


class Reception:
    """Who is answered at the webhook besides the account of the settings: at most one guest at a time."""

    def __init__(self) -> None:
        self.guest: Guest | None = None

    @contextmanager
    def welcome(self, guest: Guest) -> Iterator[None]:
        """Answer for a guest while the block runs."""
        self.guest = guest
        try:
            yield
        finally:
            self.guest = None


class Progress(Protocol):
    """Hears how a run goes, while it goes."""

    def took(self, step: Checked) -> None:
        """Hear how a step came out."""
        ...

    def planned(self, lines: tuple[InEachLanguage, ...]) -> None:
        """Hear what would change; it holds no secret."""
        ...

    def said(self, text: InEachLanguage) -> None:
        """Hear what the person should know or do now."""
        ...


@dataclass(frozen=True, slots=True)
class Run:
    """What is given by name, what has been agreed to, and who answers and hears meanwhile.

    Without `is_agreed` everything is proven and nothing is changed. `language` is that of the
    first message, where it was chosen.
    """

    given: Mapping[str, str] = field(repr=False)
    is_agreed: bool
    reception: Reception
    progress: Progress
    language: Language | None = None


Connect: TypeAlias = Callable[[Run], Awaitable[bool]]
"""Takes the steps in order; True when all of them are done, False when one failed or the yes is missing."""
