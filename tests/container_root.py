"""The image's own steps without a container engine: in a Debian root made with debootstrap, as the image's user.

usage (as root): python -m tests.container_root --root DIR [--keep]
The root is made from this machine's own apt mirror (`--keep` takes the one that is there), then each step of the
Dockerfile runs in it, chrooted, in a mount namespace of its own. At last the CMD runs as the USER, with a model
that echoes, and answers a message. What differs: Python is Debian's instead of the official image's, and there
are no limits, no read-only root. Exit code 1 when something of it fails.
"""

import argparse
import asyncio
import json
import os
import random
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from app.cli.serve import serving
from tests.e2e.crash_world import MODEL, EchoingOllama

REPOSITORY: Final = Path(__file__).resolve().parents[1]
PACKAGES: Final = "ca-certificates,python3,python3-pip"
SHARED_FILES: Final = ("/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs/ca-certificates.crt", "/etc/pip.conf")
"""How this machine reaches the network; the root gets copies."""
ANSWER_WITHIN_S: Final = 120.0
_STEP: Final = re.compile(r"^([A-Z]+) +(.*)$", re.DOTALL)


@dataclass
class Image:
    """What the steps so far have set."""

    root: Path
    env: dict[str, str] = field(default_factory=dict)
    folder: str = "/"
    user: str = ""
    command: list[str] = field(default_factory=list)
    release: str = ""


def read_steps(text: str) -> Iterator[tuple[str, str]]:
    """Yield the instructions of a Dockerfile with what follows them, lines joined."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for step in re.sub(r"\\\n\s*", " ", "\n".join(lines)).splitlines():
        if found := _STEP.match(step.strip()):
            yield found[1], found[2].strip()


def make_root(root: Path, release: str) -> None:
    """Make a minimal Debian of that release from the first mirror of this machine's apt that has it."""
    listed = ("apt-get", "indextargets", "--format", "$(SITE) $(CODENAME)", "Created-By: Packages")
    targets = subprocess.run(listed, capture_output=True, text=True, check=True).stdout
    mirror = next(line.split()[0] for line in targets.splitlines() if line.split()[1:] == [release])
    say(f"debootstrap of {release} from this machine's mirror")
    made = ("debootstrap", "--variant=minbase", f"--include={PACKAGES}", release, str(root), mirror)
    subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
    (root / "usr/local/bin/python").symlink_to("/usr/bin/python3")


def share_network(root: Path) -> None:
    for name in SHARED_FILES:
        with suppress(FileNotFoundError):
            (root / name[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(name, root / name[1:])


def inside(image: Image, words: list[str], env: dict[str, str] | None = None) -> list[str]:
    """Return the command that runs these words in the root, as the user of the image."""
    root, wheels = shlex.quote(str(image.root)), os.environ.get("PIP_FIND_LINKS", "")
    mounts = [f"mount -t proc proc {root}/proc", f"mount --rbind /dev {root}/dev"]
    if wheels.startswith("/") and Path(wheels).is_dir():
        mounts.append(f"mkdir -p {root}{wheels} && mount --bind {wheels} {root}{wheels}")
    passed = {
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        "HOME": f"/home/{image.user}" if image.user else "/root",
        "DEBIAN_FRONTEND": "noninteractive",
        "PIP_BREAK_SYSTEM_PACKAGES": "1",
        **({} if image.user else {key: value for key, value in os.environ.items() if key.startswith("PIP_")}),
        **image.env,
        **(env or {}),
    }
    chroot = ["chroot", *([f"--userspec={image.user}:{image.user}"] if image.user else []), str(image.root)]
    cleared = ["env", "-i", *(f"{key}={value}" for key, value in passed.items())]
    entered = ["sh", "-c", f'cd {shlex.quote(image.folder)} && exec "$@"', "sh", *words]
    script = " && ".join([*mounts, f"exec {shlex.join([*chroot, *cleared, *entered])}"])
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", script]


def do_step(image: Image, kind: str, given: str) -> None:
    """Do one instruction of the Dockerfile as the builder of an image would."""
    match kind:
        case "RUN":
            say(f"RUN {given[:100]}")
            words = json.loads(given.replace("\n", "\\n")) if given.startswith("[") else ["sh", "-c", given]
            subprocess.run(inside(image, words), check=True, stdout=subprocess.DEVNULL)
        case "ENV":
            image.env |= dict(word.split("=", 1) for word in shlex.split(given))
        case "WORKDIR":
            image.folder = given
            (image.root / given[1:]).mkdir(parents=True, exist_ok=True)
        case "COPY":
            *sources, target = given.split()
            for source in sources:
                _copy(REPOSITORY / source, (image.root / image.folder[1:] / target).resolve(), len(sources) > 1)
        case "USER":
            image.user = given
        case "CMD":
            image.command = json.loads(given)
        case _:
            say(f"{kind}: nothing to do here")


def _copy(source: Path, target: Path, is_many: bool) -> None:
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target / source.name if is_many or target.is_dir() else target)


async def answers_a_message(image: Image) -> str:
    """Start the service as its user and send it a message; returns the answer."""
    model = EchoingOllama(random.Random(1), delay_s=0.01)
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.create_server(("127.0.0.1", 0)) as free:
        env = {
            "LLM_PROVIDER": "ollama",
            "OLLAMA_BASE_URL": f"http://127.0.0.1:{listening.getsockname()[1]}",
            "OLLAMA_MODEL": MODEL,
            "PORT": str(free.getsockname()[1]),
            "HOST": "127.0.0.1",
        }
        free.close()
        async with serving(model.app, listening):
            say(f"CMD {' '.join(image.command)} as {image.user}")
            service = await asyncio.create_subprocess_exec(*inside(image, image.command, env))
            try:
                async with asyncio.timeout(ANSWER_WITHIN_S):
                    await _until_alive(int(env["PORT"]), service)
                    asked = inside(image, ["python", "-m", "app", "simulate", "are you there?"], env)
                    client = await asyncio.create_subprocess_exec(*asked, stdout=asyncio.subprocess.PIPE)
                    told, _ = await client.communicate()
                    return told.decode()
            finally:
                with suppress(ProcessLookupError):
                    service.terminate()
                await service.wait()


async def _until_alive(port: int, service: asyncio.subprocess.Process) -> None:
    while True:
        if service.returncode is not None:
            raise RuntimeError(f"the service ended with {service.returncode}")
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        await asyncio.sleep(0.2)


def say(line: str) -> None:
    print(f"container root: {line}", flush=True)  # noqa: T201 - a report


def main() -> int:
    """Make the root, do the steps, start, ask."""
    parser = argparse.ArgumentParser(prog="tests.container_root")
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--keep", action="store_true", help="take the root that is there")
    asked = parser.parse_args()
    steps = list(read_steps((REPOSITORY / "Dockerfile").read_text("utf-8")))
    image = Image(asked.root.absolute())
    release = next(given.rpartition("-")[2] for kind, given in steps if kind == "ARG" and "IMAGE" in given)
    if not asked.keep:
        make_root(image.root, release)
    share_network(image.root)
    for kind, given in steps:
        do_step(image, kind, given)
    answer = asyncio.run(answers_a_message(image))
    say(f"answered: {answer.strip()}")
    return 0 if "are you there?" in answer else 1


if __name__ == "__main__":
    sys.exit(main())
