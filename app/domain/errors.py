"""The error taxonomy: each class says who can fix it."""

from typing import Literal

Scope = Literal["message", "recipient", "sender"]


class AppError(Exception):
    """Any failure that the application itself names.

    `code` is a constant for logs and tests; `detail` is for the operator, never for a user.
    """

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code}: {detail}" if detail else code)
        self.code = code
        self.detail = detail


class Rejected(AppError):
    """The caller sent something that can never be accepted; `status` is the HTTP answer."""

    def __init__(self, code: str, detail: str = "", *, status: int = 400) -> None:
        super().__init__(code, detail)
        self.status = status


class NotFound(AppError):
    """The thing asked for does not exist, or is not the asker's."""


class Conflict(AppError):
    """Somebody else changed the row first; the caller's work must not be applied."""


class ConfigError(AppError):
    """The operator must change a setting; `code` is the variable's name."""


class ToolFault(AppError):
    """A tool could not do what was asked; `detail` is a sentence that the model reads."""


class Unmatched(ToolFault):
    """None, or several, of what a person has is called so; `choices` are those that come near, or that fit."""

    def __init__(self, code: str, detail: str, *, wanted: str, choices: tuple[str, ...], fits: bool) -> None:
        super().__init__(code, detail)
        self.wanted = wanted
        self.choices = choices
        self.fits = fits


class UnknownPlace(ToolFault):
    """No place that is known is called `wanted`; `near` are names that look much like it."""

    def __init__(self, detail: str, *, wanted: str, near: tuple[str, ...]) -> None:
        super().__init__("unknown_place", detail)
        self.wanted = wanted
        self.near = near


class ToolArgumentError(ToolFault):
    """The arguments do not fit; `detail` names each field, what was expected and what came."""


class Transient(AppError):
    """Time may fix it. `retry_after_s` is the earliest sensible retry; `scope` is what must wait."""

    def __init__(
        self,
        code: str,
        detail: str = "",
        *,
        retry_after_s: float | None = None,
        scope: Scope = "message",
    ) -> None:
        super().__init__(code, detail)
        self.retry_after_s = retry_after_s
        self.scope: Scope = scope


class OutcomeUnknown(Transient):
    """The request was sent and nobody knows whether it took effect. Never repeat it blindly."""


class NotReady(Transient):
    """What the work needs is on its way, such as the model; `progress` is 0..1 where it is known."""

    def __init__(self, code: str, detail: str = "", *, progress: float | None = None) -> None:
        super().__init__(code, detail, retry_after_s=2.0)
        self.progress = progress


class Permanent(AppError):
    """Nobody can fix it by trying again."""


class WindowClosed(Permanent):
    """Meta's 24-hour window is closed: hold the message until the person writes again."""


class AccessRevoked(Permanent):
    """Our credentials or account do not work: stop sending, keep everything, tell the owner."""
