"""An answer as a Word document: headings, lists, tables and code of its Markdown. Child process only."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from docx import Document
from markdown_it import MarkdownIt
from markdown_it.token import Token

_MAX_LEVEL: Final = 4
_CODE_FONT: Final = "Courier New"


def run(*, title: str, markdown: str, target: str) -> Mapping[str, object]:
    """Write Markdown as a .docx file at `target`; returns how many `blocks` it has."""
    document: Any = Document()
    document.core_properties.title = title
    document.core_properties.author = ""
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    blocks = 0
    for style, inline in _blocks(tokens):
        _add(document, style, inline)
        blocks += 1
    document.save(target)
    return {"blocks": blocks}


def _blocks(tokens: Sequence[Token]) -> Iterator[tuple[str, Token]]:
    """Yield what is written, with its style."""
    lists: list[str] = []
    heading = ""
    for token in tokens:
        match token.type:
            case "bullet_list_open":
                lists.append("List Bullet")
            case "ordered_list_open":
                lists.append("List Number")
            case "bullet_list_close" | "ordered_list_close":
                lists.pop()
            case "heading_open":
                heading = f"Heading {min(int(token.tag[1:]), _MAX_LEVEL)}"
            case "heading_close":
                heading = ""
            case "inline":
                yield heading or (lists[-1] if lists else "Normal"), token
            case "fence" | "code_block":
                yield "Code", token


def _add(document: Any, style: str, token: Token) -> None:
    if style == "Code":
        document.add_paragraph().add_run(token.content.rstrip()).font.name = _CODE_FONT
        return
    paragraph = document.add_paragraph(style=style)
    is_bold = is_italic = False
    for child in token.children or ():
        match child.type:
            case "strong_open" | "strong_close":
                is_bold = child.type == "strong_open"
            case "em_open" | "em_close":
                is_italic = child.type == "em_open"
            case "softbreak" | "hardbreak":
                paragraph.add_run().add_break()
            case "text" | "code_inline":
                run = paragraph.add_run(child.content)
                run.bold, run.italic = is_bold, is_italic
                if child.type == "code_inline":
                    run.font.name = _CODE_FONT
            case _:
                pass
