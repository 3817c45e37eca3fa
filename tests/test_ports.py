"""A port that is taken is named before anything is opened, with who has it."""

import os
import socket
import sys

import pytest

from app.cli.ports import require_free_port
from app.domain.errors import ConfigError


def test_a_free_port_is_left_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    require_free_port("127.0.0.1", port)
    require_free_port("127.0.0.1", port)


def test_a_taken_port_names_who_has_it_and_what_to_set() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        with pytest.raises(ConfigError) as caught:
            require_free_port("127.0.0.1", port)
    assert caught.value.code == "PORT"
    assert f"{port} is taken" in caught.value.detail
    assert f"PORT={port + 1}" in caught.value.detail
    if sys.platform == "linux":
        assert f"(process {os.getpid()})" in caught.value.detail


def test_an_address_that_is_not_ours_is_a_setting_to_correct() -> None:
    with pytest.raises(ConfigError) as caught:
        require_free_port("203.0.113.7", 8000)
    assert caught.value.code == "HOST"
