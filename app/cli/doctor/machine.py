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
from app.cli.doctor.texts import DOCTOR
from app.config import ENV_FILE, Settings, load_settings
from app.database.db import MEMORY, Database
from app.database.lock import single_process
from app.database.migrate import find_newer, list_applied, load_migrations
from app.domain.errors import ConfigError, Transient
from app.language.catalogue import joined, lazy
from app.llm.model_catalogue import Catalogue, CatalogueModel
from app.mcp.config import ServerConfig
from app.mcp.files import ConfigFile
from app.mcp.installing.launchers import LAUNCHERS, search_path
from app.skills.loader import load_folder

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
        return failed(lazy(DOCTOR.no_credentials), lazy(DOCTOR.no_credentials_step))
    source: str = lazy(DOCTOR.from_both) if settings.is_simulated else "WhatsApp"
    source = source if settings.has_whatsapp else lazy(DOCTOR.from_simulator)
    advice = lazy(DOCTOR.env_is_open, file=ENV_FILE) if _is_open() else ""
    return ok(lazy(DOCTOR.complete, source=source), advice)


async def check_people(settings: Settings) -> Outcome:
    """Somebody may write."""
    if not settings.has_whatsapp:
        return skipped(lazy(DOCTOR.people_simulated))
    count = len({*settings.allowed_phone_numbers, *settings.admin_phone_numbers})
    if not count:
        return failed(lazy(DOCTOR.nobody), lazy(DOCTOR.nobody_step))
    return ok(lazy(DOCTOR.may_write, count=count))


def _correction(problem: ConfigError) -> str:
    if problem.code == ".env":
        return lazy(DOCTOR.correct_env_file)
    if problem.code == "WHATSAPP":
        return lazy(DOCTOR.correct_credentials)
    return lazy(DOCTOR.correct_named, name=problem.code)


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
        closed = lazy(DOCTOR.disk_closed, folder=data_dir, place=place)
        return failed(closed, lazy(DOCTOR.disk_closed_step, place=place))
    free = await asyncio.to_thread(free_bytes, place)
    if free < _MIN_FREE_BYTES:
        fix = lazy(DOCTOR.disk_full_step, least=_MIN_FREE_BYTES // _MIB)
        return failed(lazy(DOCTOR.disk_full, free=free // _MIB, folder=data_dir), fix)
    sentence = DOCTOR.disk_ok if place == data_dir else DOCTOR.disk_new
    return ok(lazy(sentence, folder=data_dir, free=f"{free / _GIB:.1f}"))


async def check_memory(settings: Settings, memory_bytes: int) -> Outcome:
    """The machine's memory carries the chosen model; the largest of the catalogue that it could carry is named."""
    catalogue, context = Catalogue.read(), settings.llm_context_tokens
    largest = catalogue.largest_for(memory_bytes, context)
    memory = f"{memory_bytes / _GIB:.1f}"
    found = (
        lazy(DOCTOR.memory_could, memory=memory, largest=_needing(largest, context))
        if largest
        else lazy(DOCTOR.memory_none, memory=memory)
    )
    if settings.llm_provider in ("ollama", "openai"):
        return ok(lazy(DOCTOR.memory_elsewhere, found=found))
    path = settings.llm_model_path
    chosen = catalogue.find_file(path.name) if path is not None else catalogue.default
    if chosen is None:
        return ok(lazy(DOCTOR.memory_unknown, found=found, file=path))
    if not chosen.fits(memory_bytes, context):
        fix = lazy(DOCTOR.memory_smaller_step, name=largest.name) if largest else lazy(DOCTOR.memory_server_step)
        return failed(lazy(DOCTOR.memory_too_small, found=found, chosen=_needing(chosen, context)), fix)
    sentence = lazy(DOCTOR.memory_chosen, found=found, chosen=_needing(chosen, context))
    return ok(sentence, lazy(DOCTOR.memory_advice) if largest != chosen else "")


def _needing(model: CatalogueModel, context_tokens: int) -> str:
    return f"{model.name} ({model.memory_bytes(context_tokens) / _GIB:.1f} GiB)"


async def check_database(settings: Settings) -> Outcome:
    """The database takes writes, and its schema is one that this program knows."""
    path, copies = settings.own_database_file, settings.data_dir / "backups"
    if path is None:
        return await _check_server(settings)
    if not path.exists():
        return ok(lazy(DOCTOR.database_new, file=path))
    try:
        if is_service_running(settings):
            return await _check_schema(path, str(path), copies, is_write_proved=False)
        with single_process(settings.data_dir / "app.lock", database=path):
            return await _check_schema(path, str(path), copies, is_write_proved=True)
    except ConfigError as exc:
        return failed(exc.detail, lazy(DOCTOR.database_copy_step, copies=copies))
    except Transient as exc:
        return failed(
            lazy(DOCTOR.database_refuses, file=path, detail=exc.detail),
            lazy(DOCTOR.database_refuses_step, copies=copies),
        )


async def _check_server(settings: Settings) -> Outcome:
    try:
        return await _check_schema(settings.database, "", settings.data_dir / "backups", is_write_proved=True)
    except ConfigError as exc:
        return failed(exc.detail, lazy(DOCTOR.database_server_step))
    except Transient as exc:
        return failed(lazy(DOCTOR.database_server_refuses, detail=exc.detail), lazy(DOCTOR.database_log_step))


async def _check_schema(where: Path | str, name: str, copies: Path, *, is_write_proved: bool) -> Outcome:
    async with Database.open(where) as db:
        path = name or db.label
        if is_write_proved:
            await db.probe_write()
        applied = await list_applied(db)
        wanted = load_migrations(db.engine)
    if newer := find_newer(applied, wanted):
        fix = lazy(DOCTOR.schema_newer_step, copies=copies)
        return failed(lazy(DOCTOR.schema_newer, file=path, newer=newer), fix)
    how = DOCTOR.database_writes if is_write_proved else DOCTOR.database_in_use
    behind = sum(migration.key not in applied for migration in wanted)
    return ok(lazy(how, file=path), lazy(DOCTOR.migrations_missing, number=behind) if behind else "")


async def check_vectors(has_vectors: Callable[[], Awaitable[bool]]) -> Outcome:
    """The extension that searches vectors can be loaded."""
    if await has_vectors():
        return ok(lazy(DOCTOR.vectors_ok))
    return failed(lazy(DOCTOR.vectors_slow), lazy(DOCTOR.vectors_step))


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
        return failed(lazy(DOCTOR.skills_no_folder, folder=directory), lazy(DOCTOR.skills_no_folder_step))
    skills, problems = await asyncio.to_thread(load_folder, directory)
    if problems:
        folder, reason, others = directory / problems[0].folder, problems[0].reason, len(problems) - 1
        sentence = DOCTOR.skills_broken if others else DOCTOR.skill_broken
        fix = lazy(DOCTOR.skill_broken_step, file=folder / "SKILL.md")
        return failed(lazy(sentence, folder=folder, reason=reason, others=others), fix)
    return ok(lazy(DOCTOR.skills_found, count=len(skills), folder=directory))


async def check_mcp(config_file: Path, can_confine: bool) -> Outcome:
    """The file is one that the service can use, every entry of it, and each command can be found.

    What installations by message would lack is told as advice, and whether servers can be confined here.
    """
    missing = await asyncio.to_thread(_missing_launchers)
    advice = missing if can_confine else [lazy(DOCTOR.mcp_unconfined), *missing]
    if not await asyncio.to_thread(config_file.exists):
        return skipped(lazy(DOCTOR.mcp_none), joined("; ", [lazy(DOCTOR.mcp_hint), *advice]))
    try:
        listed = await asyncio.to_thread(ConfigFile(config_file).load)
    except ConfigError as exc:
        broken = lazy(DOCTOR.mcp_file_broken, file=config_file, detail=exc.detail)
        return failed(broken, lazy(DOCTOR.mcp_file_step, file=config_file))
    if listed.skipped:
        first = listed.skipped[0]
        return failed(
            lazy(DOCTOR.mcp_left_out, name=repr(first.name), reason=first.reason),
            lazy(DOCTOR.mcp_entry_step, name=repr(first.name), file=config_file),
        )
    enabled = {name: config for name, config in listed.servers.items() if config.is_enabled}
    for name, config in enabled.items():
        if not await asyncio.to_thread(_can_be_launched, config):
            how = _how_to_get(config.command or "")
            fix = lazy(DOCTOR.mcp_program_step, how=how, name=repr(name), file=config_file)
            lost = lazy(DOCTOR.mcp_no_program, name=repr(name), command=repr(config.command))
            return failed(lost, fix)
    sentence = DOCTOR.mcp_ok_confined if can_confine else DOCTOR.mcp_ok
    return ok(lazy(sentence, count=len(enabled), all=len(listed.servers)), joined("; ", advice))


def _can_be_launched(config: ServerConfig) -> bool:
    return config.transport != "stdio" or _is_here(config.command or "", config.env.get("PATH"))


def _missing_launchers() -> list[str]:
    missing = [command for command in LAUNCHERS if not _is_here(command)]
    return [lazy(DOCTOR.launcher_missing, command=one, how=_how_to_get(one)) for one in missing]


def _is_here(command: str, path: str | None = None) -> bool:
    """Look where the service would, `path` being what the server's own entry says."""
    where = search_path(command, path or os.environ.get("PATH", os.defpath))
    return shutil.which(command, path=where) is not None


def _how_to_get(command: str) -> str:
    match command:
        case "npx":
            return lazy(DOCTOR.get_npx)
        case "uvx":
            return lazy(DOCTOR.get_uvx)
        case _:
            return lazy(DOCTOR.get_program, command=command)
