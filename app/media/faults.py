"""What is said about a file that cannot be understood: one sentence for each reason."""

from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import Final

from app.domain.errors import Permanent
from app.domain.senses import Perceived
from app.language.catalogue import Language, Sentence, say
from app.media.questions import asks
from app.media.texts import MEDIA

EXTRAS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "voice": ("faster_whisper", "av", "onnxruntime"),
        "pictures": ("rapidocr", "PIL", "zxingcpp"),
        "documents": ("pypdfium2", "markitdown", "openpyxl"),
    }
)
"""The packages that each extra brings."""
_SENTENCES: Final[Mapping[str, Sentence]] = MappingProxyType(
    {
        "media_too_large": MEDIA.too_large,
        "media_gone": MEDIA.gone,
        "media_host_refused": MEDIA.gone,
        "media_damaged": MEDIA.damaged_download,
        "media_empty": MEDIA.empty,
        "empty": MEDIA.empty,
        "encrypted": MEDIA.encrypted,
        "damaged": MEDIA.damaged,
        "bomb": MEDIA.bomb,
        "too_many_pixels": MEDIA.too_many_pixels,
        "took_too_long": MEDIA.took_too_long,
        "too_much_memory": MEDIA.too_much_memory,
        "child_failed": MEDIA.too_much_memory,
        "no_text": MEDIA.no_text,
        "scanned": MEDIA.scanned,
        "old_office": MEDIA.old_office,
        "outlook_mail": MEDIA.outlook_mail,
        "archive": MEDIA.archive,
        "not_a_document": MEDIA.not_a_document,
        "nothing_heard": MEDIA.nothing_heard,
        "no_sound": MEDIA.no_sound,
        "recording_without_sound": MEDIA.recording_without_sound,
        "picture_kind": MEDIA.picture_kind,
        "no_voice": MEDIA.no_voice_extra,
        "no_pictures": MEDIA.no_pictures_extra,
        "no_documents": MEDIA.no_documents_extra,
        "model_unfetchable": MEDIA.model_unfetchable,
        "model_checksum": MEDIA.model_unfetchable,
        "model_no_space": MEDIA.model_unfetchable,
        "model_store_unusable": MEDIA.model_unfetchable,
    }
)


def require(extra: str) -> None:
    """Raise unless an extra is installed; nothing of it is imported.

    Raises:
        Permanent: "no_voice", "no_pictures" or "no_documents".
    """
    if not is_installed(extra):
        raise Permanent(f"no_{extra}", f"pip install -e '.[{extra}]'")


def is_installed(extra: str) -> bool:
    return all(find_spec(name) is not None for name in EXTRAS[extra])


def told(fault: Permanent, language: Language) -> str:
    """Say why a file was not understood; reasons that people can do nothing about are all one."""
    unknown = MEDIA.gone if fault.code.startswith("graph_") else MEDIA.not_understood
    sentence = _SENTENCES.get(fault.code, unknown)
    return say(sentence, language, limit=fault.detail)


def failed(fault: Permanent, caption: str, noun: str, language: Language) -> Perceived:
    """Return what stays of a message whose file was not understood: its caption, and a sentence."""
    sentence = told(fault, language)
    text = f"{caption}\n[with {noun} that could not be read]" if caption else ""
    # A question about the file has its answer; a wish beside it is still heard.
    wish = "" if asks(caption) else caption
    return Perceived(text, asked=wish, lead=sentence if wish else "", reply=sentence)
