"""Word, slides, books and web pages as Markdown. Child process only; the library takes a second to load."""

import io

from markitdown import MarkItDown, MarkItDownException, StreamInfo

from app.media.heavy.faults import Fault


def convert(kind: str, data: bytes) -> tuple[str, str]:
    """Return the title and the text."""
    try:
        result = MarkItDown(enable_plugins=False).convert_stream(
            io.BytesIO(data), stream_info=StreamInfo(extension=f".{kind}")
        )
    except (MarkItDownException, RecursionError, ValueError, OSError) as exc:
        raise Fault("damaged", type(exc).__name__) from exc
    return str(result.title or "").strip(), result.markdown
