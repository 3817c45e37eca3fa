"""Files between the page and the simulated Graph: what people upload, and what the page shows."""

import re
from typing import Annotated, Final
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import Response

from app.simulator.media import MAX_MEDIA_BYTES, MediaFile, MediaStore

_MIME_TYPE: Final = r"^[a-z]+/[a-zA-Z0-9.+-]{1,80}(; ?codecs=[a-z0-9.]{1,30})?$"
# What a browser shows without running anything that stands in it.
_SHOWN: Final = re.compile(r"image/(png|jpeg|webp|gif)|(audio|video)/[a-z0-9.+-]+")


def media_router(store: MediaStore) -> APIRouter:
    """Build upload and display, for a router that has checked who asks."""
    router = APIRouter(prefix="/simulator/api/media")

    @router.post("")
    async def upload(
        request: Request,
        mime_type: Annotated[str, Query(pattern=_MIME_TYPE)],
        filename: Annotated[str | None, Query(max_length=240)] = None,
    ) -> dict[str, object]:
        data = bytearray()
        async for chunk in request.stream():
            data += chunk
            if len(data) > MAX_MEDIA_BYTES:
                raise HTTPException(413, f"a file has {MAX_MEDIA_BYTES} bytes at most")
        if not data:
            raise HTTPException(400, "an empty file cannot be sent")
        return {"id": store.add(bytes(data), mime_type, filename), "size_bytes": len(data)}

    @router.get("/{media_id}")
    async def show(media_id: str) -> Response:
        file = store.find(media_id)
        if file is None:
            raise HTTPException(404, "no such file")
        return Response(file.data, media_type=_shown_type(file), headers=_headers(file))

    return router


def _shown_type(file: MediaFile) -> str:
    essence = file.mime_type.partition(";")[0].strip().lower()
    return essence if _SHOWN.fullmatch(essence) else "application/octet-stream"


def _headers(file: MediaFile) -> dict[str, str]:
    """Nothing that a person or a model made may run as a part of the page."""
    headers = {
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, max-age=3600",
    }
    if _shown_type(file) == "application/octet-stream":
        headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(file.filename or 'file', safe='')}"
    return headers
