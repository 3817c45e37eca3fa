"""What runs here: version, settings, health and recent log lines, with nothing secret in them."""

import platform
import re
from collections.abc import Awaitable, Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from app.domain.wording import one_line
from app.log import LogRing, Redactor, is_private

_PACKAGE: Final = "wasap"
_HIDDEN: Final = "[redacted]"
_MAX_VALUE_CHARS: Final = 300
_USER_INFO: Final = re.compile(r"(?<=://)[^/\s@]+@")
_KNOWN_SECRET: Final = re.compile(
    r"\b(?:gh[opsu]|github_pat|glpat|xox[abps]|sk|pk|hf|npm)[-_][\w-]{16,}|\bAKIA[0-9A-Z]{16}\b"
    r"|\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?|-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^-]*-----END [A-Z ]*-----)?"
)
_ASSIGNED: Final = re.compile(
    r"(?i)(?<![\w-])([\w-]{0,99}(?:token|secret|passw|passphrase|authorization|api.?key|cookie|credential)[\w-]{0,99}[\"']?\s*[=:]\s*)"
    r"(?:\"[^\"]*\"|'[^']*'|(?:bearer|basic)\s+\S+|[^\s&,;]+)"
)
_HOST_PATH: Final = re.compile(r"(?<![\w.:/~])~?/(?:[\w.@+-]+/)*[\w.@+-]*[\w@+-]|(?<!\w)[A-Za-z]:\\\S*")
_REF: Final = re.compile(r"refs/[\w.-]+(?:/[\w.-]+)+")
_HASH: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class Runtime:
    """Facts about this process, as text that may be shown to the people who use it.

    `settings` and `health` come from bootstrap and should be safe already; what looks secret is hidden all
    the same, by its name or by its form. `secrets` are the values that must never appear anywhere (those
    shorter than 6 characters are not looked for).
    """

    def __init__(
        self,
        root: Path,
        settings: Callable[[], Mapping[str, str]],
        health: Callable[[], Awaitable[Mapping[str, str]]],
        logs: LogRing,
        *,
        secrets: tuple[str, ...] = (),
    ) -> None:
        self._root = root
        self._settings = settings
        self._health = health
        self._logs = logs
        self._redactor = Redactor(is_content_logged=True, secrets=secrets)

    def version_info(self) -> Mapping[str, str]:
        """Return version, revision, Python and platform. Blocks while it reads the revision."""
        return {
            "version": _package_version(),
            "revision": self.hide(read_revision(self._root)),
            "python": platform.python_version(),
            "platform": f"{platform.system()} {platform.machine()}",
        }

    def config(self) -> Mapping[str, str]:
        """Return the settings by name, sorted; secrets, people's numbers and host paths are hidden."""
        return {name: self._shown(name, value) for name, value in sorted(self._settings().items())}

    async def health(self) -> Mapping[str, str]:
        """Return the state of the parts, in the order in which they were given."""
        return {name: self._shown(name, value) for name, value in (await self._health()).items()}

    def recent_logs(self, count: int) -> list[str]:
        """Return the last events, one line each, oldest first."""
        return [self._line(event) for event in self._logs.list_recent(count)]

    def hide(self, text: str) -> str:
        """Return a text without the known secrets and without what has the form of one."""
        cleaned = str(self._redactor(None, "", {"value": text})["value"])
        return _KNOWN_SECRET.sub(_HIDDEN, _USER_INFO.sub(f"{_HIDDEN}@", cleaned))

    def _shown(self, name: str, value: str) -> str:
        return self._free_text(_HIDDEN if value and is_private(name, value) else value)

    def _free_text(self, text: str) -> str:
        # Before anything is cut or replaced: a secret may hold a space, a slash or a quote.
        hidden = _ASSIGNED.sub(rf"\g<1>{_HIDDEN}", self.hide(text))
        for place in (str(self._root.resolve()), str(Path.home())):
            hidden = hidden.replace(place, "~") if len(place) > 1 else hidden
        return one_line(_HOST_PATH.sub("[path]", hidden), _MAX_VALUE_CHARS)

    def _line(self, event: Mapping[str, str]) -> str:
        head = [event[name] for name in ("at", "level", "event") if name in event]
        rest = [f"{name}={value}" for name, value in event.items() if name not in {"at", "level", "event"}]
        return self._free_text(" ".join([*head, *rest]))


def read_revision(root: Path) -> str:
    """Return the checked-out revision and its branch, from the files in `.git`; "unknown" without them.

    Read as git's gitrepository-layout(5) describes them: HEAD, loose and packed refs, and the `gitdir:` and
    `commondir` files of a worktree. No program is run.
    """
    git = root / ".git"
    if pointer := _read(git).removeprefix("gitdir:").strip():
        git = root / pointer
    head = _read(git / "HEAD").strip()
    if _HASH.fullmatch(head):
        return head[:12]
    ref = head.removeprefix("ref:").strip()
    if not _REF.fullmatch(ref) or ".." in ref:
        return "unknown"
    common = git / (_read(git / "commondir").strip() or ".")
    found = _read(git / ref).strip() or _read(common / ref).strip() or _packed(common, ref)
    branch = ref.removeprefix("refs/heads/")
    return f"{found[:12]} on {branch}" if _HASH.fullmatch(found) else f"nothing committed on {branch}"


def _packed(common: Path, ref: str) -> str:
    lines = (line.split() for line in _read(common / "packed-refs").splitlines())
    return next((parts[0] for parts in lines if len(parts) == 2 and parts[1] == ref), "")


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


def _package_version() -> str:
    try:
        return version(_PACKAGE)
    except PackageNotFoundError:
        return "unknown"
