"""A picture as a model wants to see it: upright, small, JPEG. Child process only."""

from collections.abc import Mapping
from typing import Final

from PIL import Image, ImageOps, UnidentifiedImageError

from app.media.heavy.faults import Fault

MAX_PIXELS: Final = 50_000_000
LONGEST_SIDE: Final = 1024
_QUALITY: Final = 85


def run(*, path: str, target: str) -> Mapping[str, object]:
    """Write a copy to `target`; returns its `width` and `height`."""
    Image.MAX_IMAGE_PIXELS = MAX_PIXELS
    try:
        with Image.open(path) as opened:
            if opened.width * opened.height > MAX_PIXELS:
                raise Fault("too_many_pixels", str(MAX_PIXELS // 1_000_000))
            picture = ImageOps.exif_transpose(opened).convert("RGB")
    except Image.DecompressionBombError as exc:
        raise Fault("too_many_pixels", str(MAX_PIXELS // 1_000_000)) from exc
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError, TypeError) as exc:
        raise Fault("damaged", type(exc).__name__) from exc
    picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.Resampling.LANCZOS)
    picture.save(target, "JPEG", quality=_QUALITY)
    return {"width": picture.width, "height": picture.height}
