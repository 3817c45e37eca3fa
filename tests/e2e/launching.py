"""What the real launchers need on the machine at hand, and which versions their registries have today."""

import os
import shutil
import subprocess
import sys
from typing import Final

import pytest
from uv import find_uv_bin

LAUNCH_S: Final = 180.0
_ASKING_S: Final = 60.0
_NAMES: Final = (
    "NPM_CONFIG_REGISTRY",
    "npm_config_cache",
    "NODE_EXTRA_CA_CERTS",
    "UV_DEFAULT_INDEX",
    "UV_INDEX_URL",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
)
"""Where launchers find their registry, its certificates, their cache and the way out, on machines that need it."""


def launcher_variables() -> dict[str, str]:
    """Return what launchers must see to fetch anything here; uv does not read where pip was told to look."""
    found = {name: os.environ[name] for name in _NAMES if name in os.environ}
    if not found.keys() & {"UV_DEFAULT_INDEX", "UV_INDEX_URL"}:
        asked = subprocess.run(
            [sys.executable, "-m", "pip", "config", "get", "global.index-url"],
            capture_output=True,
            text=True,
            timeout=_ASKING_S,
            check=False,
        )
        if asked.returncode == 0:
            found["UV_DEFAULT_INDEX"] = asked.stdout.strip()
    return found


def newest_on_npm(package: str) -> str:
    """Return the version to pin, as an installation does; skips where there is no npx or no registry."""
    if shutil.which("npx") is None or shutil.which("npm") is None:
        pytest.skip("npx is not installed")
    return _ask("npm", ["npm", "view", package, "version"])


def newest_on_pypi(package: str, *beside: str) -> str:
    """Return the newest version that goes with what it is to run beside; skips where there is no registry."""
    command = [find_uv_bin(), "pip", "compile", "--quiet", "--no-header", "--no-annotate", "-"]
    lines = _ask("PyPI", command, stdin="\n".join((package, *beside))).splitlines()
    return next(version for name, _, version in (line.partition("==") for line in lines) if name == package)


def _ask(registry: str, command: list[str], *, stdin: str = "") -> str:
    try:
        answer = subprocess.run(
            command,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=_ASKING_S,
            check=True,
            env={**os.environ, **launcher_variables()},
        )
    except (subprocess.SubprocessError, OSError) as exc:
        pytest.skip(f"the registry of {registry} cannot be reached: {type(exc).__name__}")
    return answer.stdout.strip()
