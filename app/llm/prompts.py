"""Prompt texts, one Markdown file each, in the folder `prompts/` of the room that uses them."""

from importlib import resources


def load_prompt(package: str, name: str) -> str:
    """Return a prompt's text; call at start, not for each message."""
    return resources.files(package).joinpath("prompts", f"{name}.md").read_text("utf-8").strip()
