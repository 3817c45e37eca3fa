"""Which object store has the files of people."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Bucket:
    """What is empty comes from the machine: Amazon's address, us-east-1, the role of the machine or container."""

    name: str
    prefix: str = ""
    endpoint: str = ""
    region: str = ""
    key_id: str = ""
    secret: str = field(default="", repr=False)
    session_token: str = field(default="", repr=False)
