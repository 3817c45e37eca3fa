"""A real server that speaks S3 over HTTP, on this machine: moto, in a process of its own."""

import importlib.util
import itertools
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from app.files.bucket import Bucket

KEY_ID: Final = "a-key-id"
SECRET: Final = "a-secret-that-only-tests-know"
_START_S: Final = 60


@dataclass
class ObjectStore:
    """`endpoint` is where it listens."""

    endpoint: str
    process: subprocess.Popen[bytes]
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def create(self, prefix: str = "home/people") -> Bucket:
        """Make an empty bucket."""
        name = f"bucket-{next(self._numbers)}"
        urllib.request.urlopen(urllib.request.Request(f"{self.endpoint}/{name}", method="PUT"), timeout=10)
        return Bucket(name, prefix, self.endpoint, "us-east-1", KEY_ID, SECRET)


def settings_for(bucket: Bucket) -> dict[str, Any]:
    """The settings that name a bucket."""
    return {
        "files_url": f"s3://{bucket.name}/{bucket.prefix}",
        "aws_endpoint_url": bucket.endpoint,
        "aws_region": bucket.region,
        "aws_access_key_id": bucket.key_id,
        "aws_secret_access_key": bucket.secret,
    }


def why_there_is_none() -> str | None:
    """Return why tests cannot have a store; None where they can.

    moto is in no extra: its boto3 wants an older python-dateutil than we have, which it works without.
    """
    if importlib.util.find_spec("obstore") is None:
        return "obstore is not installed (pip install 'wasap[s3]')"
    if not all(importlib.util.find_spec(name) for name in ("moto", "flask", "flask_cors", "py_partiql_parser")):
        return "moto is not installed (see tests/object_store.py)"
    return None


@contextmanager
def running_store() -> Iterator[ObjectStore]:
    """Start a server on a free port; it ends with the block."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        store = ObjectStore(f"http://127.0.0.1:{port}", process)
        _wait_for(store)
        yield store
    finally:
        process.kill()
        process.wait()


def _wait_for(store: ObjectStore) -> None:
    until = time.monotonic() + _START_S
    while True:
        try:
            urllib.request.urlopen(f"{store.endpoint}/moto-api/", timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            if store.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("moto does not answer") from None
            time.sleep(0.1)
