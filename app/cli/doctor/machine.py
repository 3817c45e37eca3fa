"""What this machine has: settings, disk, database, skills, MCP servers, looked at without changing them."""

import asyncio
import fcntl
import os
import shutil
import stat
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pydantic import SecretStr

from app.cli.doctor.round import Outcome, failed, ok, skipped
from app.config import ENV_FILE, Settings, load_settings
from app.database.db import MEMORY, Database
from app.database.lock import single_process
from app.database.migrate import find_newer, list_applied, load_migrations
from app.domain.errors import ConfigError, Transient
from app.llm.model_catalogue import Catalogue, CatalogueModel
from app.mcp.config import ServerConfig
from app.mcp.files import ConfigFile
from app.mcp.installing.launchers import LAUNCHERS, search_path
from app.skills.loader import load_folder

_OPEN_TO_SERVERS: Final = (
    "this system cannot keep local MCP servers from the service's own files (Linux 5.19 or newer with Landlock "
    "can): install only what you would run yourself"
)
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
_MIN_FREE_BYTES: Final = 500 * 1024 * 1024
_MIB: Final = 1024 * 1024
_GIB: Final = 1024 * _MIB


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
    servers = (*settings.ollama_base_url, *settings.openai_base_url)
    addresses = (settings.whatsapp_api_base_url, settings.public_url, *servers)
    found = (urlsplit(address).password for address in addresses if address)
    return (*settings.secrets, *(password for password in found if password))


def plain(secret: SecretStr | None) -> str:
    """Return a secret's text; empty where there is none."""
    return secret.get_secret_value() if secret else ""


def is_service_running(settings: Settings) -> bool:
    """Tell whether a process works in the data directory or with the database."""
    locks = [settings.data_dir / "app.lock"]
    if settings.own_database_file is not None:
        real = settings.own_database_file.resolve()
        locks.append(real.with_name(real.name + ".lock"))
    return any(map(_is_held, locks))


async def check_disk(data_dir: Path, free_bytes: Callable[[Path], int]) -> Outcome:
    """The data directory can be written, and there is space. `free_bytes` tells the space beside a folder."""
    place = _nearest_folder(data_dir)
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        fix = f"let this account write to {place} (chown, chmod), or set DATA_DIR in .env"
        return failed(f"DATA_DIR {data_dir} cannot be written: {place} is not a folder that you may write to", fix)
    free = await asyncio.to_thread(free_bytes, place)
    if free < _MIN_FREE_BYTES:
        fix = f"free at least {_MIN_FREE_BYTES // _MIB} MiB there, or set DATA_DIR in .env to another disk"
        return failed(f"only {free // _MIB} MiB are free where DATA_DIR {data_dir} lies", fix)
    about = "" if place == data_dir else "; the first start makes it"
    return ok(f"{data_dir} can be written, {free / _GIB:.1f} GiB free{about}")


async def check_memory(settings: Settings, memory_bytes: int) -> Outcome:
    """The machine's memory carries the chosen model; the largest of the catalogue that it could carry is named."""
    catalogue, context = Catalogue.read(), settings.llm_context_tokens
    largest = catalogue.largest_for(memory_bytes, context)
    could = f"could carry {_needing(largest, context)}" if largest else "carries no model of the catalogue"
    found = f"{memory_bytes / _GIB:.1f} GiB: this machine {could}"
    if settings.llm_provider in ("ollama", "openai"):
        return ok(f"{found}; the chosen model runs in another program")
    path = settings.llm_model_path
    chosen = catalogue.find_file(path.name) if path is not None else catalogue.default
    if chosen is None:
        return ok(f"{found}; {path} is not in the catalogue, so its needs are not known")
    if not chosen.fits(memory_bytes, context):
        smaller = (
            f"choose {largest.name} (python -m app model fetch {largest.name})" if largest else "use a server"
        )
        fix = f"lower LLM_CONTEXT_TOKENS in .env, {smaller}, or set LLM_PROVIDER=openai to use another machine"
        return failed(
            f"{found}; the chosen one, {_needing(chosen, context)}, does not fit beside the service", fix
        )
    advice = "python -m app model list shows all; without a GPU, twice the size takes twice the time"
    return ok(f"{found}; the chosen one is {_needing(chosen, context)}", advice if largest != chosen else "")


def _needing(model: CatalogueModel, context_tokens: int) -> str:
    return f"{model.name} ({model.memory_bytes(context_tokens) / _GIB:.1f} GiB)"


async def check_database(settings: Settings) -> Outcome:
    """The database takes writes, and its schema is one that this program knows."""
    path, copies = settings.own_database_file, settings.data_dir / "backups"
    if path is None:
        return await _check_server(settings)
    if not path.exists():
        return ok(f"{path} does not exist yet; the first start makes it")
    try:
        if is_service_running(settings):
            return await _check_schema(path, str(path), copies, is_write_proved=False)
        with single_process(settings.data_dir / "app.lock", database=path):
            return await _check_schema(path, str(path), copies, is_write_proved=True)
    except ConfigError as exc:
        return failed(exc.detail, f"put a copy from {copies} in its place, or correct DATABASE_PATH")
    except Transient as exc:
        return failed(
            f"{path} does not take writes: {exc.detail}",
            "check the owner and mode of the file and its folder, and the free space; "
            f"replace a damaged file with a copy from {copies}",
        )


async def _check_server(settings: Settings) -> Outcome:
    try:
        return await _check_schema(settings.database, "", settings.data_dir / "backups", is_write_proved=True)
    except ConfigError as exc:
        return failed(exc.detail, "correct DATABASE_URL, and see that the server runs and lets this machine in")
    except Transient as exc:
        return failed(f"the server does not take writes: {exc.detail}", "see its log, and the space on its disk")


async def _check_schema(where: Path | str, name: str, copies: Path, *, is_write_proved: bool) -> Outcome:
    async with Database.open(where) as db:
        path = name or db.label
        if is_write_proved:
            await db.probe_write()
        applied = await list_applied(db)
        wanted = load_migrations(db.engine)
    if newer := find_newer(applied, wanted):
        fix = f"update the program, or put a copy from {copies} in its place"
        return failed(f"{path} has schema {newer}, which is newer than this program", fix)
    how = "takes writes" if is_write_proved else "is in use by the running service, so it was only read"
    behind = sum(migration.key not in applied for migration in wanted)
    advice = f"migrations missing: {behind}; the next start applies them (python -m app migrate)"
    return ok(f"{path} {how}", advice if behind else "")


async def check_vectors(has_vectors: Callable[[], Awaitable[bool]]) -> Outcome:
    """The extension that searches vectors can be loaded."""
    if await has_vectors():
        return ok("sqlite-vec loads")
    return failed(
        "sqlite-vec cannot be loaded: searches by meaning fall back to a slower exact scan",
        "run: .venv/bin/python -m pip install sqlite-vec pysqlite3-binary "
        "(or use a Python whose sqlite3 can load extensions)",
    )


async def vectors_load() -> bool:
    """Try sqlite-vec on a database in memory."""
    async with Database.open(MEMORY) as db:
        return db.has_vectors


def _nearest_folder(path: Path) -> Path:
    """The folder itself, or the first of its parents that exists."""
    absolute = path.absolute()
    place = next((each for each in (absolute, *absolute.parents) if each.exists()), absolute)
    return path if place == absolute else place


def _is_held(lock_file: Path) -> bool:
    """Ask the kernel; a shared lock of a moment is all that a service starting just now could notice."""
    try:
        descriptor = os.open(lock_file, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


async def check_skills(directory: Path) -> Outcome:
    """Every SKILL.md below the folder is one that the service can use."""
    if not await asyncio.to_thread(directory.is_dir):
        fix = "run this in the project's folder, or set SKILLS_DIR in .env to where the skills are"
        return failed(f"SKILLS_DIR {directory} is not a folder: your own skills are left out", fix)
    skills, problems = await asyncio.to_thread(load_folder, directory)
    if problems:
        first = problems[0]
        more = f" ({len(problems) - 1} more)" if len(problems) > 1 else ""
        fix = f"correct {directory / first.folder / 'SKILL.md'}, or remove that folder"
        return failed(f"the skill in {directory / first.folder} is left out: {first.reason}{more}", fix)
    return ok(f"{len(skills)} found in {directory}")


async def check_mcp(config_file: Path, can_confine: bool) -> Outcome:
    """The file is one that the service can use, every entry of it, and each command can be found.

    What installations by message would lack is told as advice, and whether servers can be confined here.
    """
    missing = await asyncio.to_thread(_missing_launchers)
    advice = "; ".join(missing if can_confine else [_OPEN_TO_SERVERS, *missing])
    if not await asyncio.to_thread(config_file.exists):
        hint = "to get one, tell the assistant which one to install"
        return skipped("no MCP servers are set up", f"{hint}; {advice}" if advice else hint)
    try:
        listed = await asyncio.to_thread(ConfigFile(config_file).load)
    except ConfigError as exc:
        return failed(f"{config_file} {exc.detail}: no MCP server starts", f"correct {config_file}, or remove it")
    if listed.skipped:
        first = listed.skipped[0]
        return failed(
            f"MCP server {first.name!r} is left out: {first.reason}", f"correct {first.name!r} in {config_file}"
        )
    enabled = {name: config for name, config in listed.servers.items() if config.is_enabled}
    for name, config in enabled.items():
        if not await asyncio.to_thread(_can_be_launched, config):
            fix = f"{_how_to_get(config.command or '')}, or correct {name!r} in {config_file}"
            return failed(f"MCP server {name!r} starts with {config.command!r}, which is not on this machine", fix)
    kept = "; local ones reach only their own files" if can_confine else ""
    return ok(
        f"{len(enabled)} of {len(listed.servers)} servers are on, and what starts them is installed{kept}", advice
    )


def _can_be_launched(config: ServerConfig) -> bool:
    return config.transport != "stdio" or _is_here(config.command or "", config.env.get("PATH"))


def _missing_launchers() -> list[str]:
    missing = [command for command in LAUNCHERS if not _is_here(command)]
    return [
        f"{command} is missing, so servers that need it cannot be installed: {_how_to_get(command)}"
        for command in missing
    ]


def _is_here(command: str, path: str | None = None) -> bool:
    """Look where the service would, `path` being what the server's own entry says."""
    where = search_path(command, path or os.environ.get("PATH", os.defpath))
    return shutil.which(command, path=where) is not None


def _how_to_get(command: str) -> str:
    match command:
        case "npx":
            return "install Node.js, which brings npx"
        case "uvx":
            return "install uv, which brings uvx (python -m pip install uv)"
        case _:
            return f"install {command}"
