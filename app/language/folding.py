"""One spelling for what people write in several."""

import unicodedata


def fold(text: str) -> str:
    """Return the text without case and accents, words apart by one space: equal for "Jardín" and "JARDIN"."""
    text = text.casefold()
    if text.isascii():
        return " ".join(text.split())
    parts = unicodedata.normalize("NFKD", text)
    return " ".join("".join(char for char in parts if not unicodedata.combining(char)).split())
