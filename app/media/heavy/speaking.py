"""Text to speech: phonemes by the espeak-ng program, sound by Kokoro, Opus in OGG by PyAV. Child process only."""

import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

import av
import numpy as np
import onnxruntime
from numpy.typing import NDArray

from app.media.heavy.faults import Fault

RATE: Final = 24_000
_OPUS_RATE: Final = 48_000
_BIT_RATE: Final = 24_000
_MOST_SYMBOLS: Final = 500
_PAUSE_S: Final = 0.25
_ESPEAK_S: Final = 20
_MARKS: Final = re.compile(r"([.!?;:,…¡¿—]+)")
_EDGES: Final = 2_400

Sound = NDArray[np.float32]


def run(
    *, sentences: Sequence[str], language: str, folder: str, voice: str, target: str, max_s: int
) -> Mapping[str, object]:
    """Speak sentences, one after the other, into one voice note at `target`.

    Returns its `seconds`, and how many `spoken` sentences fitted into `max_s`.
    """
    speaker = _Speaker(Path(folder), voice)
    parts: list[Sound] = []
    seconds, spoken = 0.0, 0
    pause = np.zeros(round(_PAUSE_S * RATE), np.float32)
    for sentence in sentences:
        sound = np.concatenate([*speaker.say(sentence, language), pause])
        if seconds + len(sound) / RATE > max_s:
            break
        parts.append(sound)
        seconds += len(sound) / RATE
        spoken += 1
    if not parts:
        raise Fault("nothing_to_say")
    _write(np.concatenate(parts), target)
    return {"seconds": seconds, "spoken": spoken}


class _Speaker:
    def __init__(self, folder: Path, voice: str) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = os.cpu_count() or 1
        self._session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        loaded = json.loads((folder / "vocab.json").read_text("utf-8"))
        self._symbols: Mapping[str, int] = loaded.get("vocab", loaded)
        self._style = np.fromfile(folder / f"{voice}.bin", np.float32).reshape(-1, 1, 256)
        self._inputs = [one.name for one in self._session.get_inputs()]

    def say(self, text: str, language: str) -> Iterator[Sound]:
        ids = [self._symbols[char] for char in _phonemes(text, language) if char in self._symbols]
        for start in range(0, len(ids), _MOST_SYMBOLS):
            part = ids[start : start + _MOST_SYMBOLS]
            values = {
                self._inputs[0]: np.array([[0, *part, 0]], np.int64),
                self._inputs[1]: self._style[min(len(part), len(self._style) - 1)],
                self._inputs[2]: np.array([1.0], np.float32),
            }
            yield np.asarray(self._session.run(None, values)[0], np.float32).reshape(-1)


def _phonemes(text: str, language: str) -> str:
    """Return IPA; marks stay where they are, because the model breathes at them."""
    parts = [part for part in _MARKS.split(text) if part.strip()]
    spoken = []
    for part in parts:
        if _MARKS.fullmatch(part):
            spoken.append(part[0] + " ")
            continue
        command = ("espeak-ng", "-q", "--ipa=3", "-v", language, "--", part)
        try:
            done = subprocess.run(command, capture_output=True, timeout=_ESPEAK_S, check=True)  # noqa: S603 - no shell
        except (OSError, subprocess.SubprocessError) as exc:
            raise Fault("no_espeak", type(exc).__name__) from exc
        spoken.append(done.stdout.decode("utf-8", "replace").replace("\n", " ").replace("_", "").strip())
    return " ".join("".join(f"{part}" if part[-1] == " " else f" {part}" for part in spoken).split())


def _write(sound: Sound, target: str) -> None:
    """Encode as WhatsApp wants a voice note: Opus, one channel, in OGG."""
    peak = float(np.max(np.abs(sound))) or 1.0
    samples = (sound * min(1.0, 0.95 / peak) * 32767).astype(np.int16).reshape(1, -1)
    with av.open(target, "w", format="ogg") as container:
        stream = container.add_stream("libopus", rate=_OPUS_RATE, layout="mono")
        stream.bit_rate = _BIT_RATE
        resampler = av.AudioResampler(format="s16", layout="mono", rate=_OPUS_RATE)
        frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = RATE, 0, Fraction(1, RATE)
        for one in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(stream.encode(one))
        container.mux(stream.encode(None))
