"""Whose phones the simulator shows: two from the start, more as they are added, each with a name of its own."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import structlog

from app.disk import replace_file
from app.domain.errors import Rejected
from app.domain.wording import clean
from app.simulator.payloads import SimUser

log = structlog.get_logger(__name__)

MAX_NAME_CHARS: Final = 25
"""As many as WhatsApp lets a name have."""
DEFAULT_USERS: Final = (
    SimUser("5491100000001", "Ana", "AR.100000000000001"),
    SimUser("15550000002", "Ben", "US.100000000000002"),
)
SPARE_USERS: Final = tuple(
    SimUser(wa_id, "", f"{wa_id[:2]}.10000000000000{number}")
    for number, wa_id in enumerate(
        ("34600000003", "525500000004", "447700000005", "5491100000006", "573000000007", "15550000008"), start=3
    )
)
"""Numbers of people who can be added: they may write to the assistant, too."""


class Phones:
    """Keeps who was added and how everybody is called, in a file if there is one."""

    def __init__(self, path: Path | None = None, *, spare: Sequence[SimUser] = SPARE_USERS) -> None:
        self._path = path
        self._spare = tuple(spare)
        self._names = {user.wa_id: user.name for user in DEFAULT_USERS}
        known = {user.wa_id for user in (*DEFAULT_USERS, *self._spare)}
        self._names |= {wa_id: name for wa_id, name in _read(path).items() if wa_id in known}

    def list(self) -> list[SimUser]:
        """Return everybody, in the order in which they came."""
        every = {user.wa_id: user for user in (*DEFAULT_USERS, *self._spare)}
        return [replace(every[wa_id], name=name) for wa_id, name in self._names.items()]

    def find(self, wa_id: str) -> SimUser | None:
        return next((user for user in self.list() if user.wa_id == wa_id), None)

    def add(self, name: str) -> SimUser:
        """Give a phone to somebody new.

        Raises:
            Rejected: the name is empty or too long, or there is no phone left.
        """
        free = next((user for user in self._spare if user.wa_id not in self._names), None)
        if free is None:
            raise Rejected("phones_taken", "there are no more phones to give", status=409)
        return self._call(free.wa_id, name)

    def rename(self, wa_id: str, name: str) -> SimUser:
        """Call somebody otherwise; the assistant hears it with their next message.

        Raises:
            Rejected: nobody has that number, or the name is empty or too long.
        """
        if wa_id not in self._names:
            raise Rejected("person_unknown", "no such person in the simulator", status=404)
        return self._call(wa_id, name)

    def is_added(self, wa_id: str) -> bool:
        """Tell whether somebody came later, so that they can go again."""
        return wa_id in self._names and wa_id in {user.wa_id for user in self._spare}

    def remove(self, wa_id: str) -> None:
        """Take a phone away again; what the assistant knows of its owner is theirs to erase.

        Raises:
            Rejected: nobody has been added with that number.
        """
        if not self.is_added(wa_id):
            raise Rejected("person_unknown", "nobody was added with that number", status=404)
        self._keep({known: name for known, name in self._names.items() if known != wa_id})

    def _call(self, wa_id: str, name: str) -> SimUser:
        called = " ".join(clean(name).split())
        if not 0 < len(called) <= MAX_NAME_CHARS:
            raise Rejected("name_unfit", f"a name has 1 to {MAX_NAME_CHARS} characters", status=422)
        self._keep({**self._names, wa_id: called})
        return next(user for user in self.list() if user.wa_id == wa_id)

    def _keep(self, names: dict[str, str]) -> None:
        if self._path is not None:
            replace_file(self._path, json.dumps(names, ensure_ascii=False).encode())
        self._names = names


def _read(path: Path | None) -> dict[str, str]:
    if path is None or not path.exists():
        return {}
    try:
        names = json.loads(path.read_text("utf-8"))
        return {str(wa_id): str(name)[:MAX_NAME_CHARS] for wa_id, name in names.items() if name}
    except (OSError, ValueError, AttributeError) as exc:
        log.warning("simulator.people_unreadable", reason=type(exc).__name__)
        return {}
