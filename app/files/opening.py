"""Opens the place that the settings name for people's files."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.domain.errors import ConfigError
from app.domain.ports import PeoplesFiles
from app.files.bucket import Bucket
from app.files.copies import Copies
from app.files.folder import FolderFiles


@contextmanager
def opened_files(users_dir: Path, bucket: Bucket | None, *, data_dir: Path) -> Iterator[PeoplesFiles]:
    """Open the folder, or the store if there is one; its library is needed only then.

    Raises:
        ConfigError: the store cannot be used, its library is missing, or the folder still holds files: nobody
            would find, export or erase those any more.
    """
    if bucket is None:
        yield FolderFiles(users_dir)
        return
    if users_dir.is_dir() and any(users_dir.iterdir()):
        raise ConfigError(
            "FILES_URL", f"{users_dir} still holds files of people: copy it to the bucket, then take it away"
        )
    try:
        module = importlib.import_module("app.files.s3")
    except ModuleNotFoundError as exc:
        raise ConfigError("FILES_URL", f"the package {exc.name} is missing; run: pip install 'wasap[s3]'") from exc
    with Copies.opened(data_dir) as copies:
        files: PeoplesFiles = module.S3Files(bucket, copies)
        yield files
