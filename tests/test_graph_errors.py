"""What each Graph error code means for us, row by row of `whatsapp-cloud-api.md` §3.11."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import AccessRevoked, AppError, OutcomeUnknown, Permanent, Scope, Transient, WindowClosed
from app.whatsapp.errors import classify, classify_code, graph_code, parse_retry_after

REVOKED = [0, 190, 10, 3, 200, 234, 299, 131048, 131064, 368, 131031, 130497, 131042]
NOT_REGISTERED = [131045, 131037, 133010, 133016]
TRANSIENT: list[tuple[int, Scope]] = [
    (4, "sender"),
    (80007, "sender"),
    (130429, "sender"),
    (131056, "recipient"),
    (131000, "message"),
    (131016, "message"),
    (131057, "sender"),
    (135000, "message"),
    (2, "message"),
]
PERMANENT = [
    *(131026, 131021, 131030, 131049, 131050, 130472, 131051, 131052, 131053, 131060, 131062),
    *(131008, 131009, 100, 33, 137000, 131020, 131041, 131200, 131215, 131299),
    *(132000, 132001, 132005, 132007, 132008, 132012, 132015, 132016, 132068, 132069),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def error_body(code: object, **more: object) -> dict[str, object]:
    return {"error": {"message": "(#1) Something", "type": "OAuthException", "code": code, **more}}


def both_ways(code: int) -> list[AppError]:
    """The same code as an HTTP answer and in a failed status."""
    return [classify(400, error_body(code)), classify_code(code, "Something")]


@pytest.mark.parametrize("code", REVOKED + NOT_REGISTERED)
def test_account_trouble_stops_all_sending(code: int) -> None:
    for error in both_ways(code):
        assert type(error) is AccessRevoked
        assert error.code == f"graph_{code}"
        assert error.detail


@pytest.mark.parametrize(("code", "scope"), TRANSIENT)
def test_passing_trouble_is_retried_by_whoever_must_wait(code: int, scope: Scope) -> None:
    for error in both_ways(code):
        assert type(error) is Transient
        assert error.code == f"graph_{code}"
        assert error.scope == scope


@pytest.mark.parametrize("code", PERMANENT)
def test_what_no_retry_can_change_is_permanent(code: int) -> None:
    for error in both_ways(code):
        assert type(error) is Permanent
        assert error.code == f"graph_{code}"
        assert error.detail


def test_a_closed_window_holds_the_message() -> None:
    for error in both_ways(131047):
        assert type(error) is WindowClosed


@pytest.mark.parametrize("code", [0, 190, 10, 3, 200])
def test_a_refused_token_names_the_variable_and_never_repeats_metas_words(code: int) -> None:
    body = error_body(code, message="Malformed access token hunter2hunter2", error_data={"details": "hunter2"})
    error = classify(401, body)
    assert "WHATSAPP_ACCESS_TOKEN" in error.detail
    assert "whatsapp_business_messaging" in error.detail
    assert "hunter2" not in str(error)


def test_the_five_number_list_is_explained() -> None:
    error = classify_code(131030, "")
    assert "5 verified recipients" in error.detail
    assert "phone number list" in error.detail


@pytest.mark.parametrize("subcode", [33, "33"])
def test_a_wrong_object_id_points_to_the_phone_number_id(subcode: object) -> None:
    error = classify(400, error_body(100, error_subcode=subcode))
    assert type(error) is Permanent
    assert "WHATSAPP_PHONE_NUMBER_ID" in error.detail


@pytest.mark.parametrize("code", [130429, 131056, 4, 80007])
def test_rate_limits_say_how_long_to_wait_and_meta_overrules_us(code: int) -> None:
    own, told = classify(400, error_body(code)), classify(400, error_body(code), retry_after_s=17.0)
    assert isinstance(own, Transient)
    assert isinstance(told, Transient)
    assert own.retry_after_s is not None
    assert own.retry_after_s > 0
    assert told.retry_after_s == 17.0


@pytest.mark.parametrize("status", [200, 400, 404, 500, 503])
def test_a_known_code_decides_whatever_the_status(status: int) -> None:
    assert type(classify(status, error_body(131026))) is Permanent
    assert type(classify(status, error_body(3))) is AccessRevoked
    assert type(classify(status, error_body(131016))) is Transient


def test_the_title_decides_nothing() -> None:
    error = classify(400, error_body(131026, message="(#131047) Re-engagement message", type="Transient"))
    assert type(error) is Permanent


@pytest.mark.parametrize(
    ("status", "more", "expected"),
    [
        (400, {}, Permanent),
        (400, {"is_transient": False}, Permanent),
        (400, {"is_transient": "true"}, Permanent),
        (400, {"is_transient": True}, Transient),
        (429, {}, Transient),
        (500, {}, Transient),
        (503, {}, Transient),
    ],
)
def test_an_unknown_code_is_judged_by_status_and_metas_own_hint(
    status: int, more: dict[str, object], expected: type[AppError]
) -> None:
    error = classify(status, error_body(987654, **more))
    assert type(error) is expected
    assert error.code == "graph_987654"


def test_an_unknown_code_in_a_failed_status_is_permanent() -> None:
    assert type(classify_code(987654, "")) is Permanent


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (302, Transient),
        (400, Permanent),
        (401, AccessRevoked),
        (403, Permanent),
        (404, Permanent),
        (408, Transient),
        (429, Transient),
        (500, Transient),
        (502, Transient),
        (503, Transient),
    ],
)
@pytest.mark.parametrize("body", [None, "<html>Bad gateway</html>", [], {}, {"error": None}, {"error": {}}])
def test_without_a_graph_code_the_status_decides(status: int, expected: type[AppError], body: object) -> None:
    error = classify(status, body)
    assert type(error) is expected
    assert error.code == f"graph_http_{status}"


@pytest.mark.parametrize("code", [None, True, False, "", "x", 1.5, [], "١٩٠", "9" * 5000])
def test_a_code_that_is_no_number_is_no_code(code: object) -> None:
    assert graph_code(error_body(code)) is None


def test_a_code_in_a_string_counts() -> None:
    assert type(classify(400, error_body("131047"))) is WindowClosed


def test_the_detail_carries_what_support_asks_for() -> None:
    body = error_body(131009, error_data={"details": "Button title is not unique"}, fbtrace_id="Az8or2yhqkZ")
    detail = classify(400, body).detail
    assert "Button title is not unique" in detail
    assert "Az8or2yhqkZ" in detail


@pytest.mark.parametrize(
    "secret",
    ["5491155550101", "+54 9 11 5555-0101", "(650) 555-1234", "EAAGm0PX4ZCpsBAJ3kQ", "Bearer s3cr3tvalue"],
)
def test_numbers_and_tokens_are_blanked_in_details(secret: str) -> None:
    for error in (
        classify(400, error_body(131009, error_data={"details": f"Recipient {secret} is bad"})),
        classify_code(131026, f"{secret}"),
    ):
        assert secret not in str(error)
        assert secret[-6:] not in str(error)


def test_a_long_text_of_metas_is_bounded() -> None:
    assert len(classify_code(131026, "(1 " * 100_000).detail) < 500


@given(status=st.integers(300, 599), body=JSON | st.builds(lambda inner: {"error": inner}, JSON))
def test_any_body_gives_an_error_that_never_claims_an_unknown_outcome(status: int, body: object) -> None:
    error = classify(status, body)
    assert isinstance(error, Transient | Permanent)
    assert not isinstance(error, OutcomeUnknown)


@given(code=st.integers(), detail=st.text(max_size=400))
def test_any_code_of_a_failed_status_is_classified(code: int, detail: str) -> None:
    error = classify_code(code, detail)
    assert error.code == f"graph_{code}"
    assert json.dumps(str(error))


@pytest.mark.parametrize(
    ("value", "date", "seconds"),
    [
        ("30", "", 30.0),
        (" 30 ", "", 30.0),
        ("0", "", 0.0),
        ("99999999999", "", 86_400.0),
        ("", "", None),
        ("soon", "", None),
        ("-5", "", None),
        ("²", "", None),
        ("Wed, 18 Nov 2026 10:02:00 GMT", "Wed, 18 Nov 2026 10:00:00 GMT", 120.0),
        ("Wed, 18 Nov 2026 10:02:00 -0000", "Wed, 18 Nov 2026 10:00:00 GMT", 120.0),
        ("Wed, 18 Nov 2026 09:00:00 GMT", "Wed, 18 Nov 2026 10:00:00 GMT", 0.0),
        ("Wed, 18 Nov 2026 10:02:00 GMT", "", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_date(value: str, date: str, seconds: float | None) -> None:
    assert parse_retry_after(value, date) == seconds


@given(value=st.text(max_size=40), date=st.text(max_size=40))
def test_any_retry_after_is_survived(value: str, date: str) -> None:
    seconds = parse_retry_after(value, date)
    assert seconds is None or 0 <= seconds <= 86_400
