"""What the assistant can do, for its own prompt."""

from collections.abc import Iterable


def build_capabilities_section(categories: Iterable[str]) -> str:
    """Name the categories of tools that exist, sorted, and the way to more; "" when there are none."""
    names = sorted(set(categories))
    if not names:
        return ""
    return (
        f"Your tools, by category: {', '.join(names)}. Only some are shown with a message; "
        "request_more_tools loads others."
    )
