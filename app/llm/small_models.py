"""What only small models need, in one place: the prompt, the choice of tools and the loop ask it.

A small model imitates examples, adds calls that nobody asked for, takes a tool for a similar one, and does not
stop by itself. How it is spoken to about tools is `ConstrainedProtocol`'s.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.domain.tools import BaseTool
from app.llm.profiles import ModelProfile
from app.llm.protocols import ConstrainedProtocol, NativeProtocol, ToolProtocol

MAX_REQUESTS: Final = 3
_DICTATED: Final = re.compile(r"\"[^\"]*\"|«[^«»]*»|“[^“”]*”|\B'[^']*'\B|:\s.*", re.DOTALL)
_BORDER: Final = re.compile(
    r"(?<![.?!;\n])[.?!;\n]+(?:\s|$)|\s(?:y|e|and|then|luego|después|además|also)\s", re.IGNORECASE
)
_WORDS_OF_A_REQUEST: Final = 2


@dataclass(frozen=True, slots=True)
class ModelPolicy:
    """What a model is offered, told and trusted with, by its profile.

    `is_small`: it needs the constrained protocol. `protocol` is how it is spoken to about tools.
    `leaves_meta_tool_alone`: it may be offered the way to more tools in plain chat, and be asked to sort a message
    into "none" in case of doubt.
    """

    is_small: bool
    leaves_meta_tool_alone: bool
    protocol: ToolProtocol

    @classmethod
    def of(cls, profile: ModelProfile, *, closing_text: str = "") -> "ModelPolicy":
        """Return what a family needs; a small model puts results into words under `closing_text`."""
        is_small = profile.tool_protocol == "constrained"
        protocol = ConstrainedProtocol(closing_text) if is_small else NativeProtocol()
        return cls(is_small, profile.leaves_meta_tool_alone, protocol)

    def system_text(self, text: str, examples: str) -> str:
        """A small model imitates: examples in the text that never changes cost nothing after the first turn."""
        return f"{text}\n\n{examples}" if self.is_small else text

    @property
    def reads_instructions(self) -> bool:
        """Whether the instructions of skills are in the prompt; those of small models are in the examples."""
        return not self.is_small

    @property
    def reads_about_meta_tool(self) -> bool:
        """Whether the system text names the way to more tools in turns that offer it.

        Not in a small model's: it is described beside the message there, and a sentence that came and went
        would cost the cache of all that follows. With the others, the offered tools change that part anyway.
        """
        return not self.is_small

    def expected_calls(self, text: str, categories: Sequence[str]) -> int | None:
        """How many calls a message may lead to: as many as it asks for; None without a limit."""
        return max(len(categories), count_requests(text)) if self.is_small else None

    def may_offer(self, tool: BaseTool, said: str) -> bool:
        """Whether the words of a person let a tool be offered; see `BaseTool.trigger_pattern`."""
        return not self.is_small or tool.trigger_pattern is None or bool(tool.trigger_pattern.search(said))


def count_requests(text: str) -> int:
    """Count the clauses of at least two words, Spanish and English: 1 to `MAX_REQUESTS`.

    What stands in quotation marks or after a colon is somebody's text to be kept, not a request.
    """
    clauses = _BORDER.split(_DICTATED.sub(" ", text))
    asked = sum(len(clause.split()) >= _WORDS_OF_A_REQUEST for clause in clauses)
    return min(max(asked, 1), MAX_REQUESTS)
