"""Tool output is kept small, deterministically, and says what it left out."""

import json

from hypothesis import given
from hypothesis import strategies as st

from app.skills.compaction import compact, shrink


def test_short_output_is_left_alone() -> None:
    assert compact('{"a": 1}', 100) == '{"a": 1}'


def test_a_json_list_keeps_what_identifies_its_items_and_says_how_many_are_shown() -> None:
    issues = [{"number": n, "title": f"Bug {n}", "body": "x" * 500, "user": {"login": "ana"}} for n in range(50)]

    small = compact(json.dumps(issues), 600)

    assert len(small) <= 600
    body, _, note = small.rpartition("\n")
    shown = json.loads(body)
    assert shown[0] == {"number": 0, "title": "Bug 0"}
    assert note == f"(showing {len(shown)} of 50)"


def test_a_list_inside_an_object_counts_against_the_total_the_server_tells() -> None:
    page = {"total_count": 900, "items": [{"name": f"repo-{n}", "blob": "y" * 300} for n in range(30)]}

    small = compact(json.dumps(page), 300)

    assert small.startswith('[{"name": "repo-0"}')
    assert small.endswith("of 900)")


def test_items_without_known_fields_keep_all_of_them_cut() -> None:
    rows = [{"colour": "red", "weight": "z" * 1000}, {"colour": "blue", "weight": "z" * 1000}]

    small = compact(json.dumps(rows), 500)

    assert '"colour": "red"' in small
    assert "z" * 301 not in small


def test_nested_owners_become_their_names() -> None:
    rows = [{"name": "a", "owner": {"login": "ana", "avatar": "w" * 200}, "noise": "n" * 500}] * 2

    assert '"owner": "ana"' in compact(json.dumps(rows), 400)


def test_one_large_object_keeps_what_identifies_it() -> None:
    record = {"id": 7, "title": "Report", "raw": "x" * 5000}

    assert json.loads(compact(json.dumps(record), 200)) == {"id": 7, "title": "Report"}


def test_long_logs_keep_their_beginning_and_their_end() -> None:
    log = "\n".join(f"line {n}" for n in range(500))

    lines = compact(log, 2000).splitlines()

    assert lines[0] == "line 0"
    assert lines[39:42] == ["line 39", "[… 440 lines left out …]", "line 480"]
    assert lines[-1] == "line 499"


def test_one_long_line_loses_its_middle() -> None:
    small = compact("a" * 500 + "b" * 500, 200)

    assert len(small) <= 200
    assert small.startswith("aaa")
    assert small.endswith("bbb")
    assert "characters left out" in small


def test_an_earlier_result_shrinks_to_its_first_line() -> None:
    assert shrink("Error: no such note\nmore") == "Error: no such note [earlier result, shortened]"
    assert shrink("358.8") == "358.8"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=8), inner, max_size=8),
    max_leaves=40,
)


@given(text=st.text(max_size=400) | json_values.map(json.dumps), limit_chars=st.integers(1, 300))
def test_the_limit_holds_for_any_output(text: str, limit_chars: int) -> None:
    small = compact(text, limit_chars)

    assert len(small) <= limit_chars
    assert small == compact(text, limit_chars)
