"""What can be wrong with a file, said with a code that the service has a sentence for."""


class Fault(Exception):
    """`code` names a sentence; `detail` is a number or a name that it may mention."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail
