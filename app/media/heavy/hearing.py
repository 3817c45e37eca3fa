"""Speech to text: any sound that FFmpeg knows, written down by Whisper. Child process only."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final

import av
import numpy as np
from av.error import FFmpegError
from numpy.typing import NDArray

from app.media.heavy.endings import breaks_off
from app.media.heavy.faults import Fault

RATE: Final = 16_000
_BATCHED_FROM_S: Final = 60
_BATCH: Final = 8
_SHORTEST_S: Final = 0.2
_UNSURE: Final = 0.6
_UNLIKELY: Final = -1.0
# Measured on short sentences of synthetic voices: "it" at 0.66 with "es" at 0.27 was Spanish.
_SURELY_FOREIGN: Final = 0.8
_PERHAPS_OURS: Final = 0.1


def run(
    *, path: str, model: str, compute_type: str, max_s: int, languages: Sequence[str] = ()
) -> Mapping[str, object]:
    """Write down what is said in a file, in doubt in one of these languages.

    Returns `text`, `language`, `seconds` heard, `is_cut` (there is more) and `is_damaged`: parts were left out, or
    the file ends before the recording does.
    """
    recording = Recording.read(path, max_s)
    sound = recording.sound()
    seconds = len(sound) / RATE
    if seconds < _SHORTEST_S:
        raise Fault("nothing_heard")
    # It takes longer to load than a broken file to be refused.
    faster_whisper: Any = import_module("faster_whisper")
    if not faster_whisper.vad.get_speech_timestamps(sound):
        raise Fault("nothing_heard")
    whisper = faster_whisper.WhisperModel(
        model, device="cpu", compute_type=compute_type, cpu_threads=os.cpu_count() or 1
    )
    found, probability, every = whisper.detect_language(sound, vad_filter=True)
    language = likely_language(found, probability, dict(every), languages)
    if seconds > _BATCHED_FROM_S:
        pipeline = faster_whisper.BatchedInferencePipeline(whisper)
        heard, about = pipeline.transcribe(sound, language=language, batch_size=_BATCH, vad_filter=True)
    else:
        heard, about = whisper.transcribe(
            sound, language=language, vad_filter=True, condition_on_previous_text=False
        )
    # What Whisper makes of music and noise it believes itself to be no speech.
    said = [one.text.strip() for one in heard if one.no_speech_prob < _UNSURE or one.avg_logprob > _UNLIKELY]
    text = " ".join(part for part in said if part)
    if not any(char.isalpha() for char in text):
        raise Fault("nothing_heard")
    return {
        "text": text,
        "language": about.language,
        "seconds": seconds,
        "is_cut": recording.is_cut,
        "is_damaged": recording.is_damaged,
    }


def likely_language(found: str, probability: float, every: Mapping[str, float], languages: Sequence[str]) -> str:
    """Return the language that is spoken: a related one, "it" for "es", only where that is sure."""
    ours = max(languages, key=lambda one: every.get(one, 0.0), default=found)
    is_doubtful = probability < _SURELY_FOREIGN and every.get(ours, 0.0) >= _PERHAPS_OURS
    return ours if found not in languages and is_doubtful else found


@dataclass(slots=True)
class Recording:
    """Sound at 16 kHz, one channel. `left` is how many samples more are wanted."""

    max_s: int
    left: int
    is_damaged: bool = False
    _pieces: list[NDArray[np.float32]] = field(default_factory=list)

    @classmethod
    def read(cls, path: str, max_s: int) -> "Recording":
        """Decode at most so many seconds of a file; what is damaged is left out."""
        recording = cls(max_s, max_s * RATE)
        try:
            with av.open(path, metadata_errors="ignore") as container:
                if not container.streams.audio:
                    raise Fault("no_sound")
                recording._take(container)
                if not recording.is_cut:
                    recording.is_damaged |= breaks_off(path, container, recording.seconds)
        except (FFmpegError, ValueError, EOFError) as exc:
            if not recording._pieces:
                raise Fault("damaged", type(exc).__name__) from exc
            recording.is_damaged = True
        if not recording._pieces:
            raise Fault("damaged" if recording.is_damaged else "no_sound")
        return recording

    def sound(self) -> NDArray[np.float32]:
        return np.concatenate(self._pieces)

    @property
    def is_cut(self) -> bool:
        return self.left <= 0

    @property
    def seconds(self) -> float:
        return self.max_s - self.left / RATE

    def _take(self, container: Any) -> None:
        resampler = av.AudioResampler(format="flt", layout="mono", rate=RATE)
        for frame in self._frames(container):
            for one in resampler.resample(frame):
                piece = one.to_ndarray().reshape(-1)[: self.left].astype(np.float32, copy=False)
                self._pieces.append(piece)
                self.left -= len(piece)
            if self.is_cut:
                break

    def _frames(self, container: Any) -> Iterator[av.AudioFrame]:
        """Yield frame by frame; packets that cannot be decoded are skipped."""
        for packet in container.demux(container.streams.audio[0]):
            self.is_damaged |= packet.is_corrupt
            try:
                yield from packet.decode()
            except (FFmpegError, ValueError):
                self.is_damaged = True
