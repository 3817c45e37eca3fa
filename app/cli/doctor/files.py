"""Doctor's check of the object store that has people's files."""

from typing import Final

from app.bootstrap.connections import bucket_of
from app.cli.doctor.round import Outcome, failed, ok
from app.cli.doctor.texts import DOCTOR
from app.config import Settings
from app.domain.errors import Transient
from app.domain.ids import UserId
from app.files.opening import opened_files
from app.language.catalogue import lazy

_NOBODY: Final = "doctor"
_PROBE: Final = b"wasap doctor"


async def check_files(settings: Settings) -> Outcome:
    """The store takes a file, gives it back, and lets go of it; the file is under an id that nobody has."""
    place, nobody = settings.files_url or "", UserId(_NOBODY)
    try:
        with opened_files(settings.users_dir, bucket_of(settings), data_dir=settings.data_dir) as files:
            await files.write(nobody, "probe.txt", _PROBE)
            data, _ = await files.read(nobody, "probe.txt", max_bytes=len(_PROBE))
            await files.remove_all(nobody)
    except (Transient, OSError) as exc:
        reason = exc.detail if isinstance(exc, Transient) else str(exc)
        return failed(lazy(DOCTOR.files_failed, place=place, reason=reason), lazy(DOCTOR.files_failed_step))
    if data != _PROBE:
        return failed(lazy(DOCTOR.files_changed, place=place), lazy(DOCTOR.files_failed_step))
    return ok(lazy(DOCTOR.files_ok, place=place))
