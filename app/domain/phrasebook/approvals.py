"""What is said about a question that nobody waits for any more."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from app.domain.phrasebook.key import PhraseKey


class ApprovalPhrase(PhraseKey):
    """The sentences around approvals, beside the question itself."""

    QUESTION_LOST = "approval_question_lost"


ES: Final[Mapping[ApprovalPhrase, str]] = MappingProxyType(
    {
        ApprovalPhrase.QUESTION_LOST: (
            "Tuve que reiniciarme y mi última pregunta ya no vale: eso no lo hice. "
            "Retomo tu mensaje y, si hace falta, te pregunto de nuevo."
        ),
    }
)

EN: Final[Mapping[ApprovalPhrase, str]] = MappingProxyType(
    {
        ApprovalPhrase.QUESTION_LOST: (
            "I had to restart and my last question no longer counts: I did not do that. "
            "I am taking up your message again and will ask anew if needed."
        ),
    }
)
