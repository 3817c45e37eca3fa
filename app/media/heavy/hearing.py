"""Speech to text: any sound that FFmpeg knows, written down by Whisper. Child process only."""

import os
from collections.abc import Mapping
from typing import Final

import av
import numpy as np
from av.error import FFmpegError
from faster_whisper import BatchedInferencePipeline, WhisperModel
from numpy.typing import NDArray

from app.media.heavy.faults import Fault

RATE: Final = 16_000
_BATCHED_FROM_S: Final = 60
_BATCH: Final = 8
_SHORTEST_S: Final = 0.2
_UNSURE: Final = 0.6
_UNLIKELY: Final = -1.0


def run(*, path: str, model: str, compute_type: str, max_s: int) -> Mapping[str, object]:
    """Write down what is said in a file; returns `text`, `language`, `seconds` heard and `is_cut`."""
    sound, is_cut = _decoded(path, max_s)
    seconds = len(sound) / RATE
    if seconds < _SHORTEST_S:
        raise Fault("nothing_heard")
    whisper = WhisperModel(model, device="cpu", compute_type=compute_type, cpu_threads=os.cpu_count() or 1)
    if seconds > _BATCHED_FROM_S:
        heard, about = BatchedInferencePipeline(whisper).transcribe(sound, batch_size=_BATCH, vad_filter=True)
    else:
        heard, about = whisper.transcribe(sound, vad_filter=True, condition_on_previous_text=False)
    # What Whisper makes of music and noise it believes itself to be no speech.
    said = [one.text.strip() for one in heard if one.no_speech_prob < _UNSURE or one.avg_logprob > _UNLIKELY]
    text = " ".join(part for part in said if part)
    if not any(char.isalpha() for char in text):
        raise Fault("nothing_heard")
    return {"text": text, "language": about.language, "seconds": seconds, "is_cut": is_cut}


def _decoded(path: str, max_s: int) -> tuple[NDArray[np.float32], bool]:
    """Return the sound at 16 kHz, one channel, at most so many seconds of it."""
    pieces: list[NDArray[np.float32]] = []
    left = max_s * RATE
    try:
        with av.open(path, metadata_errors="ignore") as container:
            if not container.streams.audio:
                raise Fault("no_sound")
            resampler = av.AudioResampler(format="flt", layout="mono", rate=RATE)
            for frame in container.decode(container.streams.audio[0]):
                for one in resampler.resample(frame):
                    piece = one.to_ndarray().reshape(-1)[:left].astype(np.float32, copy=False)
                    pieces.append(piece)
                    left -= len(piece)
                if left <= 0:
                    break
    except (FFmpegError, ValueError, EOFError) as exc:
        # What came before the damage is heard all the same.
        if not pieces:
            raise Fault("damaged", type(exc).__name__) from exc
    if not pieces:
        raise Fault("no_sound")
    return np.concatenate(pieces), left <= 0
