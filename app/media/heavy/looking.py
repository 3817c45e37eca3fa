"""What a picture shows, seen by a GGUF model with its projector. Child process only."""

import base64
import ctypes
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import xllamacpp

from app.media.heavy.faults import Fault

_CONTEXT_TOKENS: Final = 4096
_ANSWER_TOKENS: Final = 400


def run(*, path: str, model: str, projector: str, prompt: str) -> Mapping[str, object]:
    """Ask the model about a JPEG picture; returns what it `says`."""
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.mmproj.path = projector
    params.n_ctx = _CONTEXT_TOKENS
    params.n_parallel = 1
    params.fit_params = False
    params.ui = False
    image = base64.b64encode(Path(path).read_bytes()).decode()
    content = [
        {"type": "text", "text": prompt},
        {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{image}"}},
    ]
    request = {
        "messages": [{"role": "user", "content": content}],
        "max_tokens": _ANSWER_TOKENS,
        "temperature": 0.1,
    }
    server = xllamacpp.Server(params)
    # Never freed: its end waits for its thread for ever where it comes before that thread began (llama.cpp's queue
    # is told to end, and only then begins), as it does when a request is refused at once. The process ends anyway.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(server))
    try:
        answer: Any = server.handle_chat_completions(request)
    except (RuntimeError, ValueError) as exc:
        # "image input is not supported - hint: ... you may need to provide the mmproj"
        raise Fault("cannot_see" if "image input" in str(exc) else "projector_unusable", str(exc)[:200]) from exc
    found = json.loads(answer) if isinstance(answer, str) else answer
    if "choices" not in found:
        raise Fault("cannot_see", json.dumps(found.get("error", ""))[:200])
    return {"says": str(found["choices"][0]["message"].get("content") or "")}
