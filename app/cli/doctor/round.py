"""A round of checks: in order, each with a time limit, and none after a check that it needs has failed."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol
from urllib.parse import quote, quote_plus

from app.cli.doctor.texts import DOCTOR
from app.domain.errors import AppError, ConfigError, Transient
from app.domain.health import NOTHING, Checked, Status
from app.domain.wording import one_line
from app.language.catalogue import InEachLanguage, in_each_language, lazy

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
    """One check; `needs` names earlier ones without which it tells nothing, `title` is its name for people.

    `check` may raise `AppError`; it is cancelled after `timeout_s`.
    """

    name: str
    title: str
    check: Callable[[], Awaitable[Outcome]]
    needs: tuple[str, ...] = ()
    timeout_s: float = 20


class Watcher(Protocol):
    """Whoever shows the round."""

    def began(self, hop: Hop) -> None:
        """A check begins."""
        ...

    def found(self, finding: Checked) -> None:
        """A check is done; its texts are clean."""
        ...


class Unwatched:
    """Nobody looks until the round is over."""

    def began(self, hop: Hop) -> None:
        """Say nothing."""

    def found(self, finding: Checked) -> None:
        """Say nothing."""


async def run_hops(hops: Sequence[Hop], watcher: Watcher, clean: Callable[[str], str]) -> list[Checked]:
    """Run the checks one after the other and return what they found, in order.

    Every text passes through `clean` before anybody sees it. An `AppError` and a time-out become findings.
    """
    findings: list[Checked] = []
    working: set[str] = set()
    titles = {hop.name: hop.title for hop in hops}
    for hop in hops:
        missing = next((name for name in hop.needs if name not in working), None)
        if missing is None:
            watcher.began(hop)
            outcome = await _check(hop)
        else:
            outcome = skipped(lazy(DOCTOR.waits_for, hop=titles[missing]))
        if outcome.status == "ok":
            working.add(hop.name)
        sentence, next_step = _cleaned(outcome.sentence, clean), _cleaned(outcome.next_step, clean)
        findings.append(Checked(hop.name, outcome.status, sentence, next_step, in_each_language(hop.title)))
        watcher.found(findings[-1])
    return findings


def _cleaned(text: str, clean: Callable[[str], str]) -> InEachLanguage:
    shown = {language: clean(said) for language, said in in_each_language(text).items()}
    return shown if any(shown.values()) else NOTHING


async def _check(hop: Hop) -> Outcome:
    try:
        async with asyncio.timeout(hop.timeout_s):
            return await hop.check()
    except TimeoutError:
        return failed(lazy(DOCTOR.no_result, seconds=f"{hop.timeout_s:g}"), lazy(DOCTOR.no_result_step))
    except ConfigError as exc:
        return failed(f"{exc.code}: {exc.detail}", lazy(DOCTOR.correct_setting, name=exc.code))
    except Transient as exc:
        return failed(exc.detail or exc.code, lazy(DOCTOR.again_soon))
    except AppError as exc:
        return failed(exc.detail or exc.code, lazy(DOCTOR.correct_and_run))


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
