"""Which tools a person is asked about, by the mode of the conversation."""

from typing import get_args

from app.domain.tools import BaseTool
from app.domain.turn import ConfirmationMode


class ConfirmationPolicy:
    """The modes of the execution-engine document; rules of the policy files stand above them."""

    def __init__(self, mode: ConfirmationMode) -> None:
        """Take a mode.

        Raises:
            ValueError: there is no such mode.
        """
        if mode not in get_args(ConfirmationMode):
            raise ValueError(f"unknown confirmation mode {mode!r}; use one of {get_args(ConfirmationMode)}")
        self.mode = mode

    def should_confirm(self, tool: BaseTool) -> bool:
        """Tell whether a person must say yes before this tool runs."""
        if self.mode == "yolo":
            return False
        return self.mode == "confirm-all" or tool.sensitive
