"""Prompt texts, one Markdown file each, in the folder `prompts/` of the room that uses them."""

from importlib import resources


def load_prompt(package: str, name: str, **parts: str) -> str:
    """Return a prompt's text with its `{parts}` filled in; call at start, not for each message."""
    text = resources.files(package).joinpath("prompts", f"{name}.md").read_text("utf-8").strip()
    for part, filling in parts.items():
        text = text.replace(f"{{{part}}}", filling)
    return text
