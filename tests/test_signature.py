"""Only Meta's signature over exactly these bytes opens the webhook."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import Rejected
from app.webhook.signature import sign, verify
from tests.builders import APP_SECRET, encode, signed_headers, text_message, webhook_payload

BODY = rb'{"entry":[{"text":"\u00f1 and a\/b"}]}'


def _refusal(body: bytes, header: str | None, *secrets: str) -> tuple[str, int]:
    with pytest.raises(Rejected) as caught:
        verify(body, header, secrets)
    return caught.value.code, caught.value.status


def test_signature_is_the_hmac_of_the_raw_bytes_under_the_app_secret() -> None:
    digest = hmac.new(b"secret", BODY, hashlib.sha256).hexdigest()
    assert sign(BODY, "secret") == f"sha256={digest}"


def test_signature_agrees_with_a_published_vector() -> None:
    # RFC 4231, test case 2.
    expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    assert sign(b"what do ya want for nothing?", "Jefe") == f"sha256={expected}"


def test_body_signed_by_meta_is_taken() -> None:
    body = encode(webhook_payload(text_message("¿Qué tal? 🙂 a/b")))
    verify(body, signed_headers(body)["X-Hub-Signature-256"], [APP_SECRET])


def test_body_dumped_anew_is_refused_because_its_bytes_differ() -> None:
    header = sign(BODY, APP_SECRET)
    assert _refusal(BODY.replace(rb"\/", b"/"), header, APP_SECRET) == ("signature_wrong", 403)


def test_either_secret_is_taken_during_a_rotation() -> None:
    for secret in ("old", "new"):
        verify(BODY, sign(BODY, secret), ["old", "new"])
    assert _refusal(BODY, sign(BODY, "older"), "old", "new") == ("signature_wrong", 403)


@pytest.mark.parametrize("header", [None, "", "  \t"])
def test_missing_signature_is_401(header: str | None) -> None:
    assert _refusal(BODY, header, APP_SECRET) == ("signature_missing", 401)


@pytest.mark.parametrize(
    "header",
    [
        "sha256=",
        "sha256=zz",
        "=",
        hmac.new(APP_SECRET.encode(), BODY, hashlib.sha256).hexdigest(),
        sign(BODY, APP_SECRET).replace("sha256", "sha1"),
        sign(BODY, APP_SECRET)[:-1],
        sign(BODY, APP_SECRET) + "0",
        sign(BODY, APP_SECRET).replace("=", "= "),
        "sha256=ñ🙂",
        "sha256=\udc80",
        "\x00",
    ],
)
def test_wrong_signature_is_403(header: str) -> None:
    assert _refusal(BODY, header, APP_SECRET) == ("signature_wrong", 403)


def test_letter_case_and_outer_spaces_of_the_header_do_not_matter() -> None:
    verify(BODY, f"  {sign(BODY, APP_SECRET).upper()}\r\n", [APP_SECRET])


def test_nothing_is_taken_without_a_secret() -> None:
    assert _refusal(BODY, sign(BODY, APP_SECRET)) == ("signature_wrong", 403)


def test_empty_secret_never_matches() -> None:
    assert _refusal(BODY, sign(BODY, ""), "", APP_SECRET) == ("signature_wrong", 403)


@given(body=st.binary(), header=st.text())
def test_no_header_crashes_the_check(body: bytes, header: str) -> None:
    code = "signature_wrong" if header.strip() else "signature_missing"
    assert _refusal(body, header, APP_SECRET)[0] == code


@given(
    body=st.binary(min_size=1),
    secret=st.text(min_size=1),
    position=st.integers(min_value=0),
    bit=st.integers(0, 7),
)
def test_one_changed_bit_is_noticed(body: bytes, secret: str, position: int, bit: int) -> None:
    secret = secret.encode("utf-8", "replace").decode()
    header = sign(body, secret)
    verify(body, header, [secret])
    changed = bytearray(body)
    changed[position % len(body)] ^= 1 << bit
    assert _refusal(bytes(changed), header, secret) == ("signature_wrong", 403)
