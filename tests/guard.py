"""The tests that docs/testing/guard.md names, in one run: `python -m tests.guard [options of pytest]`."""

import re
import sys
from pathlib import Path
from typing import Final

import pytest

_PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "testing" / "guard.md"
_TEST: Final = re.compile(r"`(tests/[\w/]+\.py(?:::test_\w+)?)`")


def main() -> int:
    named = dict.fromkeys(_TEST.findall(_PAGE.read_text("utf-8")))
    return int(pytest.main([*named, *sys.argv[1:]]))


if __name__ == "__main__":
    sys.exit(main())
