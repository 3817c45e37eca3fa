"""Addresses with a password in them."""

from urllib.parse import parse_qs, unquote, urlsplit


def passwords_of(address: str) -> tuple[str, ...]:
    """Return the passwords in an address, each as it stands there and as it is meant."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ()
    found = (parts.password, *parse_qs(parts.query).get("password", ()))
    return tuple(dict.fromkeys(text for one in found if one for text in (one, unquote(one))))
