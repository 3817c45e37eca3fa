"""One spelling for what people write in several."""

import unicodedata


def fold(text: str) -> str:
    """Return the text without case and accents, words apart by one space: equal for "Jardín" and "JARDIN"."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(char for char in parts if not unicodedata.combining(char)).split())
