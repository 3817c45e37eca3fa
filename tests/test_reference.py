"""The page of reference says what the code says."""

import pytest

from tests.reference import PAGE, README, build, with_figures


@pytest.mark.needs("notes", "lists", "reminders", "projects", "oversight", "status", "undo", "conversation")
async def test_the_page_of_reference_is_made_of_the_code_as_it_is() -> None:
    page, readme = await build(), README.read_text("utf-8")
    assert PAGE.read_text("utf-8") == page + "\n", "run: python -m tests.reference"
    assert readme == with_figures(readme, page), "run: python -m tests.reference"
    assert "In figures: " in readme
