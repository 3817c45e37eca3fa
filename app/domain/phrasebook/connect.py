"""What the wizard writes to the owner's phone."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.domain.phrasebook.key import PhraseKey


class ConnectPhrase(PhraseKey):
    """The sentences of `python -m app connect`."""

    HELLO = "connect_hello"


ES: Final[Mapping[ConnectPhrase, str]] = MappingProxyType(
    {
        ConnectPhrase.HELLO: (
            "Tu mensaje llegó y esta es la respuesta: el número está conectado. "
            "Cuando el asistente esté en marcha, escríbeme lo que necesites."
        ),
    }
)

EN: Final[Mapping[ConnectPhrase, str]] = MappingProxyType(
    {
        ConnectPhrase.HELLO: (
            "Your message arrived, and this is the answer: the number is connected. "
            "Once the assistant is running, write whatever you need."
        ),
    }
)
