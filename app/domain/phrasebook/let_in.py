"""What admins are told when a server works that had waited for their consent."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.domain.phrasebook.key import PhraseKey


class LetInPhrase(PhraseKey):
    """The end of a sign-in that nobody waited for any more."""

    READY = "let_in_ready"


ES: Final[Mapping[LetInPhrase, str]] = MappingProxyType(
    {LetInPhrase.READY: "El servidor *{name}* ya tiene permiso y está conectado. Herramientas: {count}."}
)

EN: Final[Mapping[LetInPhrase, str]] = MappingProxyType(
    {LetInPhrase.READY: "The server *{name}* has its permission now and is connected. Tools: {count}."}
)
