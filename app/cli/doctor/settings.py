"""Are the settings complete, and does anybody get an answer with them."""

import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pydantic import SecretStr

from app.cli.doctor.round import Outcome, failed, ok, skipped
from app.config import Settings, load_settings
from app.domain.errors import ConfigError

ENV_FILE: Final = Path(".env")
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings, or why there are none: then `settings` holds the defaults."""

    settings: Settings
    problem: ConfigError | None = None


def read_settings() -> Loaded:
    """Read the environment and `.env`; what is wrong with them is an answer here, not an error."""
    try:
        return Loaded(load_settings())
    except ConfigError as exc:
        problem = exc
    except OSError as exc:
        problem = ConfigError(".env", f"cannot be read: {exc.strerror}")
    except UnicodeDecodeError:
        problem = ConfigError(".env", "is not UTF-8 text")
    # Nothing is looked at with these: they only give the hops their names.
    return Loaded(Settings.model_construct(), problem)


async def check_settings(loaded: Loaded) -> Outcome:
    """The settings can be read and make a service; no value is shown."""
    settings, problem = loaded.settings, loaded.problem
    if problem is not None:
        return failed(f"{problem.code}: {problem.detail}", _correction(problem))
    if not settings.has_whatsapp and not settings.is_simulated:
        fix = "run: python -m app connect, or remove SIMULATOR_ENABLED from .env to try the simulator"
        return failed("there are no WhatsApp credentials, and SIMULATOR_ENABLED is false", fix)
    transport = "WhatsApp and the simulator" if settings.is_simulated else "WhatsApp"
    sentence = f"complete; messages come from {transport if settings.has_whatsapp else 'the simulator'}"
    return ok(sentence, f"others on this machine can read {ENV_FILE}: chmod 600 .env" if _is_open() else "")


async def check_people(settings: Settings) -> Outcome:
    """Somebody may write."""
    if not settings.has_whatsapp:
        return skipped("simulator: its built-in people may write")
    count = len({*settings.allowed_phone_numbers, *settings.admin_phone_numbers})
    if not count:
        fix = "set ALLOWED_PHONE_NUMBERS in .env to your own number with its country code"
        return failed("ALLOWED_PHONE_NUMBERS is empty: nobody would get an answer", fix)
    return ok("one person may write" if count == 1 else f"{count} people may write")


def _correction(problem: ConfigError) -> str:
    if problem.code == ".env":
        return "make .env a UTF-8 text file that you can read"
    if problem.code == "WHATSAPP":
        return "set the missing ones in .env, or run: python -m app connect"
    return f"correct {problem.code} in .env or in the environment; .env.example says what it means"


def _is_open() -> bool:
    try:
        return bool(ENV_FILE.stat().st_mode & _OTHERS)
    except OSError:
        return False


def secrets_of(settings: Settings) -> tuple[str, ...]:
    """Return everything that may not be shown: secret settings, and passwords in addresses."""
    addresses = (settings.whatsapp_api_base_url, settings.ollama_base_url, settings.public_url)
    found = (urlsplit(address).password for address in addresses if address)
    return (*settings.secrets, *(password for password in found if password))


def plain(secret: SecretStr | None) -> str:
    """Return a secret's text; empty where there is none."""
    return secret.get_secret_value() if secret else ""
