"""How many things a message asks for, told from its form alone."""

import re
from typing import Final

MAX_REQUESTS: Final = 3
_DICTATED: Final = re.compile(r"\"[^\"]*\"|«[^»]*»|“[^”]*”|\B'[^']*'\B|:\s.*", re.DOTALL)
_BORDER: Final = re.compile(r"[.?!;\n]+(?:\s|$)|\s(?:y|e|and|then|luego|después|además|also)\s", re.IGNORECASE)
_WORDS_OF_A_REQUEST: Final = 2


def count_requests(text: str) -> int:
    """Count the clauses of at least two words, Spanish and English: 1 to `MAX_REQUESTS`.

    What stands in quotation marks or after a colon is somebody's text to be kept, not a request.
    """
    clauses = _BORDER.split(_DICTATED.sub(" ", text))
    asked = sum(len(clause.split()) >= _WORDS_OF_A_REQUEST for clause in clauses)
    return min(max(asked, 1), MAX_REQUESTS)
