"""Prompt texts, one Markdown file each."""

from importlib import resources


def load_prompt(name: str) -> str:
    """Return a prompt's text; call at start, not for each message."""
    return resources.files(__package__).joinpath(f"{name}.md").read_text("utf-8").strip()
