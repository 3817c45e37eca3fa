"""The part of the Graph API that takes and hands out files."""

from collections.abc import Callable

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.simulator.media import MAX_MEDIA_BYTES, MediaFile, MediaStore
from app.simulator.requests import INVALID, GraphRefusal

Check = Callable[[Request], None]


def media_routes(store: MediaStore, *, check: Check, check_token: Check) -> list[Route]:
    """Build upload, look-up and download.

    `check` refuses a request for another phone number or with a wrong token, `check_token` only the latter;
    both by raising `GraphRefusal`.
    """

    async def upload(request: Request) -> Response:
        check(request)
        async with request.form(max_files=1) as form:
            file = form.get("file")
            if form.get("messaging_product") != "whatsapp" or not isinstance(file, UploadFile):
                raise GraphRefusal(INVALID, "file and messaging_product are needed")
            data = await file.read(MAX_MEDIA_BYTES + 1)
            if not 0 < len(data) <= MAX_MEDIA_BYTES:
                raise GraphRefusal(131053, f"a file has 1 to {MAX_MEDIA_BYTES} bytes")
            mime_type = str(form.get("type") or file.content_type or "application/octet-stream")
        return JSONResponse({"id": store.add(data, mime_type, file.filename)})

    def find(request: Request) -> tuple[str, MediaFile]:
        check_token(request)
        media_id = str(request.path_params["media_id"])
        file = store.find(media_id)
        if file is None:
            raise GraphRefusal(INVALID, "no such media", status=404)
        return media_id, file

    async def look_up(request: Request) -> Response:
        media_id, file = find(request)
        root = request.scope.get("root_path", "")  # where it is mounted
        return JSONResponse(
            {
                "messaging_product": "whatsapp",
                "id": media_id,
                "url": str(request.url.replace(path=f"{root}/media-files/{media_id}", query="")),
                "mime_type": file.mime_type,
                "sha256": file.sha256.hex(),
                "file_size": len(file.data),
            }
        )

    async def download(request: Request) -> Response:
        _, file = find(request)
        return Response(file.data, media_type=file.mime_type)

    return [
        Route("/{version}/{object_id}/media", upload, methods=["POST"]),
        Route("/media-files/{media_id}", download),
        Route("/{version}/{media_id}", look_up),
    ]
