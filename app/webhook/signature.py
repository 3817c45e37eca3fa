"""Meta's proof that a webhook body comes from Meta and was not changed on the way."""

import hashlib
import hmac
from collections.abc import Sequence
from typing import Final

from app.domain.errors import Rejected

_PREFIX: Final = "sha256="


def sign(body: bytes, secret: str) -> str:
    """Return the value of `X-Hub-Signature-256` for these raw bytes: `sha256=<64 hex digits>`.

    HMAC-SHA256 keyed with the app secret (Meta, "Webhooks: validating payloads").
    """
    return _PREFIX + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def verify(body: bytes, header: str | None, secrets: Sequence[str]) -> None:
    """Return if one of the secrets signed exactly these bytes.

    Several secrets serve a rotation. Every one is compared, each in constant time. An empty secret
    never matches, because anybody could sign with it. Letter case and outer whitespace of the header do not count.

    Raises:
        Rejected: `signature_missing` (401) without a header, `signature_wrong` (403) otherwise.
    """
    given = (header or "").strip()
    if not given:
        raise Rejected("signature_missing", status=401)
    # As bytes, because compare_digest refuses text that is not ASCII.
    candidate = given.encode("utf-8", "replace").lower()
    matches = [hmac.compare_digest(candidate, sign(body, secret).encode()) for secret in secrets if secret]
    if not any(matches):
        raise Rejected("signature_wrong", status=403)
