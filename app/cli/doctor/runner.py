"""Goes through the hops in order: each bounded in time, none after one that it needs has failed."""

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import Final, Protocol
from urllib.parse import quote, quote_plus

from app.cli.doctor.outcome import Finding, Hop, Outcome, failed, skipped
from app.domain.errors import AppError, ConfigError, Transient

_MAX_CHARS: Final = 400
_MIN_SECRET_CHARS: Final = 4
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")


class Watcher(Protocol):
    """Whoever shows how the round goes."""

    def began(self, hop: Hop) -> None:
        """A hop is being looked at."""
        ...

    def found(self, finding: Finding) -> None:
        """A hop is done; texts are clean."""
        ...


async def run_hops(hops: Sequence[Hop], watcher: Watcher, clean: Callable[[str], str]) -> list[Finding]:
    """Run the checks one after the other and return what they found, in order.

    Every text goes through `clean` before anybody sees it. Never raises for what an `AppError` or a
    time-out can tell.
    """
    findings: list[Finding] = []
    came_out: dict[str, Outcome] = {}
    for hop in hops:
        missing = next((name for name in hop.needs if came_out[name].status != "ok"), None)
        if missing is None:
            watcher.began(hop)
            outcome = await _checked(hop)
        else:
            outcome = skipped(f"not checked: first comes {missing}")
        came_out[hop.name] = outcome
        shown = Outcome(outcome.status, clean(outcome.sentence), clean(outcome.next_step))
        findings.append(Finding(hop.name, shown))
        watcher.found(findings[-1])
    return findings


async def _checked(hop: Hop) -> Outcome:
    try:
        async with asyncio.timeout(hop.timeout_s):
            return await hop.check()
    except TimeoutError:
        return failed(
            f"no result within {hop.timeout_s:g} s",
            "look at what it waits for (network, disk, model), then run: python -m app doctor",
        )
    except ConfigError as exc:
        return failed(f"{exc.code}: {exc.detail}", f"correct {exc.code} in .env")
    except Transient as exc:
        return failed(exc.detail or exc.code, "try again in a minute: python -m app doctor")
    except AppError as exc:
        return failed(exc.detail or exc.code, "correct what the sentence names, then run: python -m app doctor")


class Cleaner:
    """Makes texts from anywhere fit to be shown: one line, of bounded length, without secrets.

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
        line = " ".join(_CONTROL.sub(" ", text).split())
        return line if len(line) <= _MAX_CHARS else f"{line[: _MAX_CHARS - 1]}…"
