"""What may be run when it was named in a chat: npx and uvx, one exact version of one package, no shell; and
where the two are found.

npm: `npx` takes its own options only before the package (https://docs.npmjs.com/cli/commands/npx). uv: likewise,
and the package's command is `uvx --from NAME==VERSION COMMAND` (https://docs.astral.sh/uv/guides/tools/).
"""

import os
import re
import sysconfig
from collections.abc import Sequence
from shutil import which
from typing import Final

LAUNCHERS: Final = ("npx", "uvx")
_MAX_ARGS: Final = 60
_MAX_ARG_CHARS: Final = 2_000
_NPM_NAME: Final = re.compile(r"(?:@[a-z0-9~][a-z0-9._~-]{0,100}/)?[a-zA-Z0-9~][a-zA-Z0-9._~-]{0,200}")
_NPM_VERSION: Final = re.compile(r"(?<!\d)\d++\.\d++\.\d++(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?")
_PYPI_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,200}[A-Za-z0-9])?")
_PYPI_VERSION: Final = re.compile(r"\d[0-9A-Za-z.!+-]{0,60}")
_COMMAND: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,100}")
_STEERS_THE_LAUNCHER: Final = re.compile(
    r"PATH|HOME|LANG|SHELL|BASH_ENV|ENV|IFS|TMPDIR|(?!NODE_ENV)(?:LD|DYLD|NODE|NPM|UV|PIP|PYTHON|GIT|SSL|XDG|GCONV|PERL|RUBY|"
    r"OPENSSL|CURL|MALLOC|GLIBC|JAVA|JDK|DOTNET|CORECLR|COMPLUS|PHP|LUA|DENO|BUN|ELECTRON|KRB5|LC|NLSPATH|HOSTALIASES|"
    r"RES|LOCALDOMAIN|BASH|ZDOTDIR|PROMPT|PS[0-9]|EDITOR|PAGER|BROWSER|TMP|TEMP|RESOLV|NSS|SASL|LIBPATH|SHLIB)"
    r"(?:_.*)?|PYTHON.*|_JAVA_OPTIONS|(?:HTTPS?|ALL|NO)_PROXY|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE",
    re.IGNORECASE,
)


class Unfit(ValueError):
    """It cannot be run from a chat; the message is a clause that says why."""


def check_launch(command: str, args: Sequence[str]) -> tuple[str, str]:
    """Return package and version of a command line; its own arguments come after them.

    Raises:
        Unfit: it is not `npx -y NAME@VERSION …`, `uvx NAME==VERSION …` (or `NAME@VERSION`) or
            `uvx --from NAME==VERSION COMMAND …`, or an argument is none.
    """
    if command not in LAUNCHERS:
        raise Unfit(f"only {' and '.join(LAUNCHERS)} may be run from a chat, without a path")
    if len(args) > _MAX_ARGS:
        raise Unfit("it has too many arguments")
    for arg in args:
        _check_argument(arg)
    return _npx_package(args) if command == "npx" else _uvx_package(args)


def search_path(command: str, path: str, ours: str | None = None) -> str:
    """Return the PATH under which a command is run: `path`, and `ours` behind it where only that has a launcher.

    `ours` is by default where our own dependencies put their programs, uv among them: a service is seldom
    started from an activated virtual environment. Other commands are not looked for there.
    """
    folder = ours or sysconfig.get_path("scripts")
    if command not in LAUNCHERS or which(command, path=path) or not which(command, path=folder):
        return path
    return os.pathsep.join(filter(None, (path, folder)))


def npx_args(package: str, version: str) -> tuple[str, ...]:
    return ("-y", f"{package}@{version}")


def uvx_args(package: str, version: str) -> tuple[str, ...]:
    return ("--from", f"{package}=={version}", package)


def check_text(text: str) -> str:
    """Return a stranger's text that goes into a command line, an address or a header as it stands.

    Raises:
        Unfit: it is too long, has control characters, or what would be read as a reference to a secret.
    """
    if "${" in text:
        raise Unfit("it refers to variables in a way that is not allowed")
    _check_argument(text)
    return text


def check_environment_name(name: str) -> str:
    """Return the name of a variable that a server may be given.

    Raises:
        Unfit: it is none, or it would change what the launcher itself does.
    """
    if _VARIABLE.fullmatch(name) is None or _STEERS_THE_LAUNCHER.fullmatch(name):
        raise Unfit(f"it wants the variable {name[:60]!r}, which may not be set")
    return name


def _check_argument(text: str) -> None:
    if len(text) > _MAX_ARG_CHARS:
        raise Unfit("an argument is too long")
    if any(ord(char) < 32 or ord(char) == 127 for char in text):
        raise Unfit("an argument has control characters")


def _npx_package(args: Sequence[str]) -> tuple[str, str]:
    rest = list(args)
    if not rest or rest.pop(0) not in {"-y", "--yes"} or not rest:
        raise Unfit("npx must be given -y and then NAME@VERSION")
    name, _, version = rest[0].rpartition("@")
    return _exact(name, version, _NPM_NAME, _NPM_VERSION)


def _uvx_package(args: Sequence[str]) -> tuple[str, str]:
    rest = list(args)
    if rest[:1] == ["--from"]:
        if len(rest) < 3 or _COMMAND.fullmatch(rest[2]) is None:
            raise Unfit("uvx --from must be given NAME==VERSION and then the command")
        rest = rest[1:2]
        if "==" not in rest[0]:
            raise Unfit("uvx --from must be given NAME==VERSION and then the command")
    spec = rest[0] if rest else ""
    name, _, version = spec.partition("==") if "==" in spec else spec.partition("@")
    return _exact(name, version, _PYPI_NAME, _PYPI_VERSION)


def _exact(name: str, version: str, names: re.Pattern[str], versions: re.Pattern[str]) -> tuple[str, str]:
    if names.fullmatch(name) is None:
        raise Unfit("what follows the launcher is no name of a package")
    if versions.fullmatch(version) is None:
        raise Unfit("the package has no exact version, such as 1.2.3")
    return name, version
