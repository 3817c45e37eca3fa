"""The page of reference says what the code says."""

import pytest

from tests.reference import PAGE, build


@pytest.mark.needs("notes", "lists", "reminders", "projects", "oversight", "status", "undo", "conversation")
async def test_the_page_of_reference_is_made_of_the_code_as_it_is() -> None:
    assert PAGE.read_text("utf-8") == await build() + "\n", "run: python -m tests.reference"
