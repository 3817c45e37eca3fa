"""The container: what it may do is as little as it needs, and what it is made of is said exactly."""

import json
import re
from pathlib import Path
from typing import Any

import yaml

from tests.container_root import read_steps

ROOT = Path(__file__).resolve().parents[1]
RELEASE = re.compile(r"[a-z/]+:\d+\.\d+\.\d+[a-z0-9.-]*(@sha256:[0-9a-f]{64})?")


def compose() -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
    return services


def test_every_image_is_one_release() -> None:
    given = re.findall(r"^ARG PYTHON_IMAGE=(\S+)", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    images = [one["image"].partition(":-")[2].rstrip("}") for one in compose().values() if "image" in one]
    assert len(given) == 1
    assert len(images) == 2
    for image in given + images:
        assert RELEASE.fullmatch(image), image


def test_the_service_can_change_nothing_but_its_data_and_has_limits() -> None:
    service = compose()["wasap"]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert {"pids_limit", "mem_limit", "cpus"} <= service.keys()
    assert [port.startswith("127.0.0.1:") for port in service["ports"]] == [True]


def test_the_root_without_an_engine_takes_every_step_of_the_image() -> None:
    steps = list(read_steps((ROOT / "Dockerfile").read_text("utf-8")))
    assert [given for kind, given in steps if kind == "USER"] == ["wasap"]
    assert [json.loads(given) for kind, given in steps if kind == "CMD"] == [
        ["python", "-m", "app", "serve", "--verbose"]
    ]
    assert len([given for kind, given in steps if kind == "RUN"]) == 4
    assert "skills ./skills" in [given for kind, given in steps if kind == "COPY"]
    assert "!skills" in (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert (
        dict(word.split("=") for kind, given in steps if kind == "ENV" for word in given.split())["PORT"] == "8000"
    )
