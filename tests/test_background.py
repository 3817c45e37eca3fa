"""What a retry is told about its first try: all that matters, in one sentence that cannot grow."""

from app.database.repositories.audit import JournalEntry
from app.domain.recollection import Recollection
from app.domain.tools import ToolResult
from app.pipeline.answering.background import describe_background

NOTHING_RECALLED = Recollection()


def told(*entries: JournalEntry) -> str:
    [sentence] = describe_background(NOTHING_RECALLED, done_before=entries).passing
    return sentence


def test_a_first_try_is_told_nothing() -> None:
    assert describe_background(NOTHING_RECALLED).passing == ()


def test_what_was_done_failed_or_is_unknown_is_told_apart() -> None:
    sentence = told(
        JournalEntry("save_note", ToolResult.ok("Saved note 3:\nmilk")),
        JournalEntry("delete_note", ToolResult.failed("There is no note 9.")),
        JournalEntry("write_file", None),
    )
    assert 'save_note (done: "Saved note 3: milk")' in sentence
    assert 'delete_note (failed: "Error: There is no note 9.")' in sentence
    assert "write_file (it may or may not have taken effect" in sentence
    assert "Do not do the same again" in sentence


def test_many_and_long_results_do_not_fill_the_prompt() -> None:
    sentence = told(*(JournalEntry(f"tool_{n}", ToolResult.ok("x" * 5000)) for n in range(30)))
    assert len(sentence) < 2000
    assert "tool_29" in sentence
    assert "22 calls before" in sentence
