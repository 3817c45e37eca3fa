"""What a Graph API error means for us: decided on the number, never on Meta's wording."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from typing import Final, Literal

from app.domain.errors import AccessRevoked, AppError, Permanent, Scope, Transient, WindowClosed

_Kind = Literal["revoked", "window", "transient", "permanent"]

_MAX_READ_CHARS: Final = 2000
_MAX_DETAIL_CHARS: Final = 300
_MAX_RETRY_AFTER_S: Final = 86_400.0
_SECRET: Final = re.compile(r"(?i)bearer\s+\S+|\bEA[A-Z][A-Za-z0-9]{8,}")
_PHONE: Final = re.compile(r"\+?\d[\d\s().-]{5,}\d")


@dataclass(frozen=True, slots=True)
class _Rule:
    """`hint` is the next step for the operator.

    `is_text_kept` is false where Meta's text may repeat the access token that it refuses.
    """

    kind: _Kind
    hint: str
    scope: Scope = "message"
    retry_after_s: float | None = None
    is_text_kept: bool = True


def _access(hint: str) -> _Rule:
    return _Rule("revoked", hint, is_text_kept=False)


def _retry(hint: str, scope: Scope = "message", retry_after_s: float | None = None) -> _Rule:
    return _Rule("transient", hint, scope, retry_after_s)


_TOKEN: Final = _access(
    "Meta refuses WHATSAPP_ACCESS_TOKEN. In Business Settings > System users generate a token that never expires, "
    "with whatsapp_business_messaging and whatsapp_business_management; set the variable and restart"
)
_PERMISSION: Final = _access(
    "WHATSAPP_ACCESS_TOKEN may not use this phone number. In Business Settings give its System user the app and "
    "the WhatsApp account, generate it anew with whatsapp_business_messaging and whatsapp_business_management"
)
_REGISTRATION: Final = _Rule(
    "revoked",
    "the business phone number cannot send: in WhatsApp Manager > Phone numbers see that it is registered for the "
    "Cloud API and that its display name is approved",
)
_TEMPLATE: Final = _Rule("permanent", "the template or flow cannot be used: see its state in WhatsApp Manager")
_TEMPLATE_CODES: Final = (132000, 132001, 132005, 132007, 132008, 132012, 132015, 132016, 132068, 132069)
_TEMPORARY: Final = _retry("trouble at Meta that passes")
_TOO_MANY: Final = _retry("too many requests", "sender", 60.0)
_NOT_TODAY: Final = _Rule("permanent", "Meta withholds this from the person: do not try again within 24 hours")
_PARAMETER: Final = _Rule("permanent", "Meta refuses a parameter: a fault of ours, a retry gives the same answer")
_OBJECT_ID: Final = _Rule(
    "permanent",
    "Meta does not know this id. When it is about sending, WHATSAPP_PHONE_NUMBER_ID must be the Phone Number ID "
    "of App Dashboard > WhatsApp > API Setup, not the phone number; when about media, the file is gone",
)
_GROUP: Final = _Rule("permanent", "a group error: groups are not served")
_UNKNOWN: Final = _Rule("permanent", "an error code this version does not know")

_RULES: Final[Mapping[int, _Rule]] = MappingProxyType(
    {
        0: _TOKEN,
        190: _TOKEN,
        3: _PERMISSION,
        10: _PERMISSION,
        4: _retry("the app's call limit is reached", "sender", 300.0),
        80007: _retry("the WhatsApp account's call limit is reached", "sender", 300.0),
        130429: _retry("the number's throughput is used up", "sender", 5.0),
        131056: _retry("too many messages to one person: Meta asks for 4^n seconds", "recipient", 6.0),
        131048: _Rule("revoked", "the number is limited as spam: see its quality in WhatsApp Manager"),
        131064: _Rule("revoked", "the number's messaging is restricted: see its limits in WhatsApp Manager"),
        368: _Rule("revoked", "the account is blocked for a policy: see Account Quality in Business Settings"),
        131031: _Rule("revoked", "the account is locked: see Account Quality in Business Settings"),
        130497: _Rule("revoked", "the account may not write to people of this country"),
        131042: _Rule("revoked", "payment trouble: add a payment method in WhatsApp Manager > Payment settings"),
        131045: _REGISTRATION,
        131037: _REGISTRATION,
        133010: _REGISTRATION,
        133016: _REGISTRATION,
        131047: _Rule("window", "more than 24 hours since the person wrote"),
        131026: _Rule("permanent", "cannot be delivered: no WhatsApp, an old client, or terms not accepted"),
        131021: _Rule("permanent", "sender and recipient are the same number"),
        131030: _Rule(
            "permanent",
            "a test number writes to at most 5 verified recipients: add this one in App Dashboard > WhatsApp > "
            "API Setup > To > Manage phone number list",
        ),
        131049: _NOT_TODAY,
        131050: _NOT_TODAY,
        130472: _NOT_TODAY,
        131051: _Rule("permanent", "a message type that WhatsApp does not support: use another form"),
        131052: _Rule("permanent", "Meta cannot fetch the person's file: ask for it again"),
        131053: _Rule("permanent", "the file or its type is refused: convert or shrink it, or send a document"),
        131060: _Rule("permanent", "the message is not available: ask for it again"),
        131062: _Rule("permanent", "a business-scoped user id is not accepted here: the phone number is needed"),
        131008: _PARAMETER,
        131009: _PARAMETER,
        100: _PARAMETER,
        33: _OBJECT_ID,
        2: _TEMPORARY,
        131000: _TEMPORARY,
        131016: _TEMPORARY,
        131057: _retry("the account is in maintenance", "sender", 60.0),
        135000: _TEMPORARY,
        137000: _Rule("permanent", "the person's identity changed and must be confirmed anew"),
        131020: _GROUP,
        131041: _GROUP,
        **dict.fromkeys(_TEMPLATE_CODES, _TEMPLATE),
    }
)


def classify(status: int, body: object, *, retry_after_s: float | None = None) -> AppError:
    """Return the error that an unsuccessful answer stands for; `.code` is `graph_{code}`.

    `body` is the decoded JSON, or anything else. `retry_after_s` is the answer's Retry-After and wins
    over our own figure. Without a Graph code the HTTP status decides and `.code` is
    `graph_http_{status}`. Source: `whatsapp-cloud-api.md` §3.11.
    """
    error = _error_object(body)
    code = graph_code(body)
    if code is None:
        return _by_status(status, retry_after_s)
    rule = _find_rule(code)
    if rule is None:
        rule = _guess(status, is_transient=error.get("is_transient") is True)
    elif code == 100 and _number(error.get("error_subcode")) == 33:
        rule = _OBJECT_ID
    return _build(f"graph_{code}", rule, _describe(error), retry_after_s)


def classify_code(code: int, detail: str) -> AppError:
    """Return what a code means where there is no HTTP answer: in a failed status.

    A code this version does not know is permanent, because the message was already refused.
    """
    return _build(f"graph_{code}", _find_rule(code) or _UNKNOWN, detail, None)


def graph_code(body: object) -> int | None:
    """Return the Graph error code, or None when the body is not a Graph error."""
    return _number(_error_object(body).get("code"))


def parse_retry_after(value: str, date: str) -> float | None:
    """Return the seconds that a Retry-After header asks for, at most a day; None when it is unreadable.

    A date instead of seconds is measured from the answer's own Date header, which needs no clock of ours.
    """
    value = value.strip()
    if value.isascii() and value.isdigit():
        return min(float(value), _MAX_RETRY_AFTER_S)
    try:
        wait_s = (_http_date(value) - _http_date(date)).total_seconds()
    except ValueError:
        return None
    return min(max(wait_s, 0.0), _MAX_RETRY_AFTER_S)


def _http_date(value: str) -> datetime:
    parsed = parsedate_to_datetime(value)
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def _find_rule(code: int) -> _Rule | None:
    if 200 <= code <= 299:
        return _PERMISSION
    if 131200 <= code <= 131299:
        return _GROUP
    return _RULES.get(code)


def _guess(status: int, *, is_transient: bool) -> _Rule:
    if status == 429:
        return _TOO_MANY
    return _TEMPORARY if is_transient or status >= 500 else _UNKNOWN


def _by_status(status: int, retry_after_s: float | None) -> AppError:
    code = f"graph_http_{status}"
    if status == 401:
        return _build(code, _TOKEN, "", None)
    if status == 429:
        return _build(code, _TOO_MANY, "", retry_after_s)
    if status >= 500 or status == 408 or 300 <= status < 400:
        hint = "no Graph error in the answer; if it lasts, check WHATSAPP_API_BASE_URL and any proxy"
        return _build(code, _retry(hint), "", retry_after_s)
    return _build(code, _Rule("permanent", "no Graph error in the answer"), "", None)


def _build(code: str, rule: _Rule, said: str, retry_after_s: float | None) -> AppError:
    said = _clean(said) if rule.is_text_kept else ""
    detail = f"{rule.hint} (Meta: {said})" if said else rule.hint
    match rule.kind:
        case "revoked":
            return AccessRevoked(code, detail)
        case "window":
            return WindowClosed(code, detail)
        case "permanent":
            return Permanent(code, detail)
        case "transient":
            wait_s = rule.retry_after_s if retry_after_s is None else retry_after_s
            return Transient(code, detail, retry_after_s=wait_s, scope=rule.scope)


def _error_object(body: object) -> Mapping[str, object]:
    error = body.get("error") if isinstance(body, dict) else None
    return error if isinstance(error, dict) else {}


def _describe(error: Mapping[str, object]) -> str:
    """Join what helps support: Meta's details (else its message) and the trace id."""
    data = error.get("error_data")
    details = data.get("details") if isinstance(data, dict) else None
    parts = [details if isinstance(details, str) and details else error.get("message")]
    trace = error.get("fbtrace_id")
    if isinstance(trace, str) and trace:
        parts.append(f"trace {trace[:40]}")
    return ", ".join(part for part in parts if isinstance(part, str) and part)


def _clean(text: str) -> str:
    """Bound the text and blank what looks like a token or a phone number."""
    text = _SECRET.sub("[token]", " ".join(text[:_MAX_READ_CHARS].split()))
    return _PHONE.sub("[number]", text)[:_MAX_DETAIL_CHARS]


def _number(value: object) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 9:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
