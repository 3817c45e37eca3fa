"""What only small models need, in one place: the prompt, the choice of tools and the loop ask it.

A small model imitates examples, adds calls that nobody asked for, takes a tool for a similar one, and does not
stop by itself. How it is spoken to about tools is `ConstrainedProtocol`'s.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from app.domain.tools import BaseTool
from app.llm.brief import BriefProtocol, CallExample
from app.llm.profiles import ModelProfile
from app.llm.protocols import ConstrainedProtocol, NativeProtocol, ToolProtocol

MAX_REQUESTS: Final = 3
_DICTATED: Final = re.compile(r"\"[^\"]*\"|«[^«»]*»|“[^“”]*”|\B'[^']*'\B|:\s.*", re.DOTALL)
_BORDER: Final = re.compile(
    r"(?<![.?!;\n])[.?!;\n]+(?:\s|$)|\s(?:y|e|and|then|luego|después|además|also)\s", re.IGNORECASE
)
_WORDS_OF_A_REQUEST: Final = 2


class CallTexts(NamedTuple):
    """What a small model is asked for calls with: the opening of the text, and examples for all tools."""

    head: str
    examples: Sequence[CallExample]


@dataclass(frozen=True, slots=True)
class ModelPolicy:
    """What a model is offered, told and trusted with, by its profile.

    `is_small`: it needs the constrained protocol. `protocol` is how it is spoken to about tools.
    `leaves_meta_tool_alone`: it may be offered the way to more tools in plain chat, and be asked to sort a message
    into "none" in case of doubt. `brief` is its protocol, too, where messages are sorted
    beforehand, so that it gets short prompts with one purpose each.
    """

    is_small: bool
    leaves_meta_tool_alone: bool
    protocol: ToolProtocol
    brief: BriefProtocol | None = None

    @classmethod
    def of(cls, profile: ModelProfile, *, closing_text: str = "", calls: CallTexts | None = None) -> "ModelPolicy":
        """Return what a family needs; a small model puts results into words under `closing_text`.

        `calls` is what it is asked for calls with, where somebody else sorts messages.
        """
        if profile.tool_protocol != "constrained":
            return cls(False, profile.leaves_meta_tool_alone, NativeProtocol())
        constrained = ConstrainedProtocol(closing_text)
        if calls is None:
            return cls(True, profile.leaves_meta_tool_alone, constrained)
        brief = BriefProtocol(calls.head, calls.examples, constrained)
        return cls(True, profile.leaves_meta_tool_alone, brief, brief)

    @property
    def is_brief(self) -> bool:
        """Whether it gets short prompts with one purpose each."""
        return self.brief is not None

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
        if self.is_brief:
            return max(len(categories), 1)
        return max(len(categories), count_requests(text)) if self.is_small else None

    def may_offer(self, tool: BaseTool, said: str, *, may_act: bool = True) -> bool:
        """Whether a tool may be offered: what changes something only to who `may_act`, because a small model takes
        what it is shown; and see `BaseTool.trigger_pattern`."""
        if not self.is_small:
            return True
        if not may_act and not tool.read_only:
            return False
        return tool.trigger_pattern is None or bool(tool.trigger_pattern.search(said))


def count_requests(text: str) -> int:
    """Count the clauses of at least two words, Spanish and English: 1 to `MAX_REQUESTS`.

    What stands in quotation marks or after a colon is somebody's text to be kept, not a request.
    """
    clauses = _BORDER.split(_DICTATED.sub(" ", text))
    asked = sum(len(clause.split()) >= _WORDS_OF_A_REQUEST for clause in clauses)
    return min(max(asked, 1), MAX_REQUESTS)
