"""What a process does of the service."""

from typing import Literal

Role = Literal["all", "web", "worker"]
"""`web` takes messages in and serves pages; `worker` runs turns, sends and jobs; `all` does it alone."""
