"""What is made of the conformance suite's output; the suite itself is `make conformance`."""

import pytest

from tests.conformance.report import (
    NOT_PASSED,
    REQUIRED,
    Result,
    Scenario,
    document,
    parse_list,
    parse_run,
    summary,
    surprises,
)

LISTED = """Client scenarios (test against a client):
  - initialize [2025-06-18,2025-11-25]
  - tools_call [2025-06-18,2025-11-25]
  - elicitation-sep1034-client-defaults [2025-11-25]
  - sse-retry [2025-11-25]
  - auth/metadata-default [2025-11-25]
  - something-new [draft]
"""
PASSED = "Checks:\n...\n\nTest Results:\nPassed: 14/14, 0 failed, 0 warnings\n\n✅ OVERALL: PASSED\n"
WARNED = "Test Results:\nPassed: 2/2, 0 failed, 1 warnings\n\n❌ OVERALL: FAILED\n"
AUTH = Scenario("auth/metadata-default", "2025-11-25")


def result(name: str, *, is_passed: bool) -> Result:
    return Result(Scenario(name, "2025-11-25"), is_passed, int(is_passed), 1, 0)


def test_the_scenarios_that_count_are_those_required_and_all_of_auth() -> None:
    wanted = [scenario for scenario in parse_list(LISTED) if scenario.is_wanted]
    assert [scenario.name for scenario in wanted] == [*REQUIRED, AUTH.name]
    assert wanted[-1] == AUTH


def test_a_suite_that_does_not_list_a_required_scenario_is_an_error() -> None:
    with pytest.raises(ValueError, match="sse-retry"):
        parse_list(LISTED.replace("sse-retry", "sse-other"))


def test_a_run_is_read_with_its_counts() -> None:
    assert parse_run(AUTH, PASSED, 0) == Result(AUTH, True, 14, 14, 0)
    assert parse_run(AUTH, WARNED, 1) == Result(AUTH, False, 2, 2, 1)


def test_a_verdict_that_the_exit_code_contradicts_does_not_count() -> None:
    assert not parse_run(AUTH, PASSED, 1).is_passed


def test_a_run_without_verdict_is_an_error() -> None:
    with pytest.raises(ValueError, match="came to no verdict"):
        parse_run(AUTH, "SyntaxError", 1)


def test_what_is_not_as_expected_is_named_in_both_directions() -> None:
    known = next(iter(NOT_PASSED))
    as_expected = [result("initialize", is_passed=True), result(known, is_passed=False)]
    assert surprises(as_expected) == []
    assert surprises([result("initialize", is_passed=False)]) == ["initialize fails"]
    assert surprises([result(known, is_passed=True)]) == [f"{known} passes now: take it out of NOT_PASSED"]


def test_the_page_counts_and_explains() -> None:
    known = next(iter(NOT_PASSED))
    results = [
        result("initialize", is_passed=True),
        result("auth/x", is_passed=True),
        result(known, is_passed=False),
    ]
    assert summary(results) == "required: 1 of 1 pass; auth/*: 1 of 2 pass"
    page = document(results, {"conformance": "0.1.16"})
    assert f"| `{known}` | 2025-11-25 | **fails** | 0 of 1 |" in page
    assert NOT_PASSED[known] in page
    assert "conformance 0.1.16" in page
