"""The log: one line for each event, and nothing in it that somebody else must not read."""

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st
from structlog.typing import EventDict, WrappedLogger

from app.database.db import Database
from app.log import Redactor, setup_logging, user_tag, watch_every_level

META_TOKEN = "EA" + "Gm0PX4ZCpsBA" * 3
OUR_SECRET = "correct horse battery"

Lines = Callable[[], list[str]]


@pytest.fixture(autouse=True)
def _restored_logging() -> Iterator[None]:
    """What `setup_logging` changes belongs to the whole process."""
    root, config = logging.getLogger(), structlog.get_config()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.getLogger("app").setLevel(logging.NOTSET)
    structlog.configure(**config)
    structlog.contextvars.clear_contextvars()


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]) -> Lines:
    """What was written to standard error since the last look."""

    def look() -> list[str]:
        return capsys.readouterr().err.splitlines()

    return look


def start(*, level: str = "DEBUG", is_json: bool = True, is_content_logged: bool = False) -> None:
    setup_logging(level=level, is_json=is_json, is_content_logged=is_content_logged, secrets=(OUR_SECRET,))


def redact(field: str, value: object, *, is_content_logged: bool = False) -> object:
    """What is left of one field's value."""
    redactor = Redactor(is_content_logged=is_content_logged, secrets=(OUR_SECRET, "short"))
    return redactor(None, "info", {"event": "thing.happened", field: value})[field]


@pytest.mark.parametrize(
    "field",
    [
        "token",
        "access_token",
        "verify_token",
        "app_secret",
        "SECRET",
        "password",
        "Authorization",
        "api_key",
        "apikey",
        "set_cookie",
    ],
)
def test_a_field_named_like_a_secret_is_blanked_whatever_it_holds(field: str) -> None:
    for value in ("hunter2", b"hunter2", 7, None):
        assert redact(field, value) == "[redacted]"


@pytest.mark.parametrize("field", ["prompt_tokens", "cached_tokens", "completion_tokens", "tokens"])
def test_counts_of_tokens_are_not_secrets(field: str) -> None:
    assert redact(field, 1234) == 1234


@pytest.mark.parametrize(
    "text",
    [
        f"Bearer {OUR_SECRET.split()[0]}abc",
        "authorization: bearer abc.def-ghi",
        META_TOKEN,
        f"https://example.test/?access={META_TOKEN}&x=1",
        "sha256=" + "0123456789abcdef" * 4,
        f"the secret is {OUR_SECRET}, do not tell",
    ],
)
def test_a_secret_in_free_text_is_cut_out(text: str) -> None:
    shown = str(redact("detail", text))
    assert "[redacted]" in shown
    for secret in (OUR_SECRET, META_TOKEN, "abc.def-ghi", "0123456789abcdef"):
        assert secret not in shown


@pytest.mark.parametrize(
    "value",
    [
        {"headers": {"authorization": "hunter2"}},
        {"headers": {"x-trace": f"Bearer {META_TOKEN}"}},
        [OUR_SECRET],
        ({"deep": [{"deeper": (f"with {OUR_SECRET} in it",)}]},),
        {META_TOKEN: 1},
        {"app_secret": ["hunter2"]},
        OUR_SECRET.encode(),
        {OUR_SECRET},
        ValueError(f"refused {META_TOKEN}"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_secret_is_cut_out_however_deep_it_lies(value: object) -> None:
    shown = repr(redact("request", value))
    for secret in (OUR_SECRET, META_TOKEN, "hunter2"):
        assert secret not in shown


def test_a_text_is_no_count_of_tokens() -> None:
    assert redact("access_tokens", "hunter2") == "[redacted]"


def test_what_is_nested_and_harmless_stays_as_it_is() -> None:
    value = {"rounds": 2, "tools": ["now", "calculate"], "is_late": False, "none": None, "ms": 1.5}
    assert redact("summary", value) == value
    assert redact("summary", {"text": "dear diary"}) == {"text": "[content]"}


def test_the_event_itself_is_cleaned_too() -> None:
    assert META_TOKEN not in str(redact("event", f"failed with {META_TOKEN}"))


def test_ordinary_text_is_left_alone() -> None:
    detail = "EAT more bears; sha256=abc; shortbread; the bearer of bad news"
    shown = str(redact("detail", detail))
    assert shown.startswith("EAT more bears; sha256=abc; shortbread")


@pytest.mark.parametrize("field", ["text", "content", "body", "reply"])
def test_message_content_is_hidden_unless_asked_for(field: str) -> None:
    assert redact(field, "dear diary") == "[content]"
    assert redact(field, "dear diary", is_content_logged=True) == "dear diary"


def test_even_content_that_is_logged_shows_no_secret() -> None:
    assert OUR_SECRET not in str(redact("text", f"it is {OUR_SECRET}", is_content_logged=True))


@given(st.text(max_size=40), st.text(max_size=40))
def test_our_own_secret_is_cut_out_of_any_surroundings(before: str, after: str) -> None:
    assert OUR_SECRET not in str(redact("detail", before + OUR_SECRET + after))


def test_each_event_is_one_line_of_json(lines: Lines) -> None:
    start()
    log = structlog.get_logger("somewhere")
    log.info("turn.finished", outcome="answer\nwith lines", prompt_tokens=12, text="dear diary")
    try:
        raise LookupError(f"no such thing\n{META_TOKEN}")
    except LookupError:
        log.exception("turn.failed")
    first, second = (json.loads(line) for line in lines())
    assert (first["event"], first["level"], first["outcome"]) == ("turn.finished", "info", "answer\nwith lines")
    assert (first["prompt_tokens"], first["text"]) == (12, "[content]")
    assert first["at"].endswith("Z")
    assert (second["event"], second["level"]) == ("turn.failed", "error")
    assert "LookupError" in second["exception"]
    assert META_TOKEN not in json.dumps(second)


def test_the_loggers_of_libraries_go_through_the_same_door(lines: Lines) -> None:
    start()
    logging.getLogger("some.library").warning("calling with %s", META_TOKEN, extra={"access_token": "hunter2"})
    [line] = lines()
    entry = json.loads(line)
    assert entry["event"] == "calling with [redacted]"
    assert entry["access_token"] == "[redacted]"
    assert entry["level"] == "warning"


def test_fields_bound_for_a_turn_are_on_each_of_its_lines(lines: Lines) -> None:
    start()
    with structlog.contextvars.bound_contextvars(turn_id=7, user=user_tag("alice")):
        structlog.get_logger().info("inside")
    structlog.get_logger().info("outside")
    inside, outside = (json.loads(line) for line in lines())
    assert (inside["turn_id"], inside["user"]) == (7, user_tag("alice"))
    assert "turn_id" not in outside


def test_what_is_below_the_level_is_not_written(lines: Lines) -> None:
    start(level="WARNING")
    structlog.get_logger().info("too.quiet")
    logging.getLogger("some.library").info("too quiet")
    structlog.get_logger().warning("loud.enough")
    assert [json.loads(line)["event"] for line in lines()] == ["loud.enough"]


def test_http_libraries_do_not_log_each_request(lines: Lines) -> None:
    start(level="INFO")
    logging.getLogger("httpx").info("HTTP Request: GET https://example.test/?access_token=x")
    assert lines() == []


def test_without_json_the_lines_are_for_people_and_still_redacted(lines: Lines) -> None:
    start(is_json=False)
    structlog.get_logger().info("turn.finished", outcome="answer", access_token="hunter2")
    written = "\n".join(lines())
    assert "turn.finished" in written
    assert "answer" in written
    assert "hunter2" not in written


def test_setting_up_twice_writes_each_event_once(lines: Lines) -> None:
    start()
    start()
    structlog.get_logger().info("once")
    assert len(lines()) == 1


def test_a_user_is_always_the_same_short_tag_that_does_not_tell_who_it_is() -> None:
    tags = {user_tag(f"5491155550{n:03}") for n in range(500)}
    assert len(tags) == 500
    assert user_tag("alice") == user_tag("alice")
    assert "alice" not in user_tag("alice")
    assert {len(tag) for tag in tags} == {10}


async def test_at_debug_no_driver_tells_what_passes_through_it(lines: Lines, tmp_path: Path) -> None:
    setup_logging(level="DEBUG", is_json=True, is_content_logged=False)
    async with Database.open(tmp_path / "log.db") as db, db.transaction() as tx:
        await tx.execute("CREATE TABLE said(text TEXT)")
        await tx.execute("INSERT INTO said VALUES (?)", "the gate code is 7719")
    logging.getLogger("aiosqlite").debug("executing %s", "the gate code is 7719")
    structlog.get_logger("app.anything").debug("thing.happened")
    written = "\n".join(lines())
    assert "7719" not in written
    assert "thing.happened" in written


def test_watchers_see_every_level_and_what_is_written_stays_as_it_was_set_up(lines: Lines) -> None:
    seen: list[str] = []

    def watch(logger: WrappedLogger, method: str, event_dict: EventDict) -> EventDict:
        seen.append(f"{method} {event_dict['event']} {event_dict.get('turn_id', '')}")
        return event_dict

    start(level="WARNING")
    watch_every_level(watch)
    log = structlog.get_logger("app.somewhere")
    with structlog.contextvars.bound_contextvars(turn_id="t7"):
        log.debug("llm.called", access_token="hunter2")
        log.info("turn.finished")
        log.warning("outbox.held", access_token="hunter2")
    logging.getLogger("some.library").error("of others")
    assert seen == ["debug llm.called t7", "info turn.finished t7", "warning outbox.held t7"]
    written = lines()
    assert [json.loads(line)["event"] for line in written] == ["outbox.held", "of others"]
    assert "hunter2" not in "".join(written)
