"""Sound as people send it, made for a test: WAV of one channel."""

import io
import math
import random
import wave

RATE = 8_000


def wav(samples: bytes, *, rate: int = RATE, width: int = 1) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as made:
        made.setnchannels(1)
        made.setsampwidth(width)
        made.setframerate(rate)
        made.writeframes(samples)
    return out.getvalue()


def silence(seconds: int, *, rate: int = RATE, width: int = 1) -> bytes:
    """Bytes of 8 bits are loudest at 0 and 255."""
    return wav((b"\x80" if width == 1 else bytes(width)) * rate * seconds, rate=rate, width=width)


def hum(seconds: int) -> bytes:
    """The noise of an empty room."""
    chance = random.Random(7)
    second = bytes(chance.randint(126, 130) for _ in range(RATE))
    return wav(second * seconds)


def music(seconds: int) -> bytes:
    """Plucked chords over a drum, nobody sings."""
    chance = random.Random(3)
    half = RATE // 2
    samples = bytearray()
    for _ in range(2 * seconds):
        chord = chance.sample((261.6, 293.7, 329.6, 349.2, 392.0, 440.0, 523.3), 3)
        for at in range(half):
            t = at / RATE
            tone = sum(math.sin(2 * math.pi * f * n * t) / n for f in chord for n in (1, 2, 4))
            sound = tone * math.exp(-3 * t) + 2 * chance.gauss(0, 1) * math.exp(-30 * t)
            samples.append(128 + max(-127, min(127, round(20 * sound))))
    return wav(bytes(samples))
