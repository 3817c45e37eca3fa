"""A round of checks: in order, each with a time limit, and none after a check that it needs has failed."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol
from urllib.parse import quote, quote_plus

from app.domain.errors import AppError, ConfigError, Transient
from app.domain.wording import one_line

Status = Literal["ok", "failed", "skipped"]
_MAX_CHARS: Final = 400
_MIN_SECRET_CHARS: Final = 4
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")


@dataclass(frozen=True, slots=True)
class Outcome:
    """`sentence` says what was found; `next_step` is never empty on "failed", and advice otherwise."""

    status: Status
    sentence: str
    next_step: str = ""


def ok(sentence: str, advice: str = "") -> Outcome:
    """It works; `advice` is what could be better."""
    return Outcome("ok", sentence, advice)


def failed(sentence: str, next_step: str) -> Outcome:
    """It does not work, and this is the fix."""
    return Outcome("failed", sentence, next_step)


def skipped(sentence: str, advice: str = "") -> Outcome:
    """It was not checked, for this reason."""
    return Outcome("skipped", sentence, advice)


@dataclass(frozen=True, slots=True)
class Hop:
    """One check; `needs` names earlier ones without which it tells nothing.

    `check` may raise `AppError`; it is cancelled after `timeout_s`.
    """

    name: str
    check: Callable[[], Awaitable[Outcome]]
    needs: tuple[str, ...] = ()
    timeout_s: float = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """How a hop came out."""

    hop: str
    outcome: Outcome


class Watcher(Protocol):
    """Whoever shows the round."""

    def began(self, hop: Hop) -> None:
        """A check begins."""
        ...

    def found(self, finding: Finding) -> None:
        """A check is done; its texts are clean."""
        ...


class Unwatched:
    """Nobody looks until the round is over."""

    def began(self, hop: Hop) -> None:
        """Say nothing."""

    def found(self, finding: Finding) -> None:
        """Say nothing."""


async def run_hops(hops: Sequence[Hop], watcher: Watcher, clean: Callable[[str], str]) -> list[Finding]:
    """Run the checks one after the other and return what they found, in order.

    Every text passes through `clean` before anybody sees it. An `AppError` and a time-out become findings.
    """
    findings: list[Finding] = []
    working: set[str] = set()
    for hop in hops:
        missing = next((name for name in hop.needs if name not in working), None)
        if missing is None:
            watcher.began(hop)
            outcome = await _check(hop)
        else:
            outcome = skipped(f"not checked until this works: {missing}")
        if outcome.status == "ok":
            working.add(hop.name)
        shown = Outcome(outcome.status, clean(outcome.sentence), clean(outcome.next_step))
        findings.append(Finding(hop.name, shown))
        watcher.found(findings[-1])
    return findings


async def _check(hop: Hop) -> Outcome:
    try:
        async with asyncio.timeout(hop.timeout_s):
            return await hop.check()
    except TimeoutError:
        next_step = "see what it waits for (network, disk, model), then run: python -m app doctor"
        return failed(f"no result within {hop.timeout_s:g} s", next_step)
    except ConfigError as exc:
        return failed(f"{exc.code}: {exc.detail}", f"correct {exc.code} in .env")
    except Transient as exc:
        return failed(exc.detail or exc.code, "try again in a minute: python -m app doctor")
    except AppError as exc:
        return failed(exc.detail or exc.code, "correct what the sentence names, then run: python -m app doctor")


class Cleaner:
    """Makes a text from anywhere fit to be shown: one line, of limited length, without secrets.

    Secrets are blanked as they are and as they stand in an address.
    """

    def __init__(self, secrets: Sequence[str]) -> None:
        known = {secret for secret in secrets if len(secret) >= _MIN_SECRET_CHARS}
        forms = known | {quote(secret, safe="") for secret in known} | {quote_plus(secret) for secret in known}
        # The longest first: one secret may be part of another.
        self._forms = tuple(sorted(forms, key=len, reverse=True))

    def __call__(self, text: str) -> str:
        for form in self._forms:
            text = text.replace(form, "[secret]")
        return one_line(_CONTROL.sub(" ", text), _MAX_CHARS)
