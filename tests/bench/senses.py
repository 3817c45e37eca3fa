"""What the senses can do, on sentences, pictures and pages made for it: error rates, seconds, and hostile files.

usage: python -m tests.bench.senses --models DIR [PART ...], of the parts at the end; all where none is named
DIR holds `whisper-base` and `kokoro`, as in `data/models`. Nothing is fetched.
"""

import argparse
import asyncio
import io
import random
import resource
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import av
import numpy as np
from PIL import Image, ImageDraw, ImageEnhance, ImageFont

from app.domain.errors import Permanent
from app.domain.wording import fold
from app.media.children import ChildProcesses
from app.media.speaking import sentences_of
from tests.bench.senses_more import PAGES, idle_memory
from tests.bench.senses_more import questions as find_pages
from tests.bench.senses_waits import waits as wait_for_others
from tests.fakes import files

_SPOKEN: Final[Mapping[str, tuple[str, tuple[str, ...], tuple[str, ...]]]] = {
    "es": (
        "es-419",
        ("ef_dora", "em_santa"),
        (
            "La farmacia de la esquina cierra a las nueve de la noche.",
            "Mi hermana llega el domingo con sus dos hijos.",
            "Necesito comprar pintura blanca y una brocha pequeña.",
            "El tren de Valencia sale con veinte minutos de retraso.",
            "Guarda la receta de las lentejas que te conté ayer.",
            "El gato se escondió debajo de la cama toda la tarde.",
            "Hay que pagar el recibo de la luz antes del viernes.",
            "Ayer vimos una película muy larga sobre un faro.",
            "Quiero aprender a tocar la guitarra este invierno.",
            "La reunión con el arquitecto empieza a las cuatro y media.",
        ),
    ),
    "en": (
        "en-us",
        ("af_bella", "af_heart"),
        (
            "The pharmacy on the corner closes at nine in the evening.",
            "My sister arrives on Sunday with her two children.",
            "I need to buy white paint and a small brush.",
            "The train to Bristol leaves twenty minutes late.",
            "Keep the lentil recipe that I told you yesterday.",
            "The cat was hiding under the bed all afternoon.",
            "The electricity bill has to be paid before Friday.",
            "Yesterday we watched a very long film about a lighthouse.",
            "I want to learn to play the guitar this winter.",
            "The meeting with the architect begins at half past four.",
        ),
    ),
}
# fmt: off
_WORDS: Final = (
    "leche", "harina", "tomate", "jamón", "queso", "aceite", "arroz", "pan", "huevos", "café", "azúcar", "piña",
    "niño", "señal", "farola", "plaza", "mercado", "horno", "receta", "factura", "importe", "cantidad", "cliente",
    "pedido", "entrega", "garantía", "devolución", "número", "calle", "portal", "puerta",
)
# fmt: on


PICTURES: Final = 30


class Bench:
    def __init__(self, models: Path, work: Path) -> None:
        self.models = models
        self.work = work
        self._children = ChildProcesses(work)

    async def run(self, task: str, **arguments: Any) -> tuple[Mapping[str, Any], float]:
        began = time.perf_counter()
        answer = await self._children.run(task, arguments, timeout_s=180)
        return answer, time.perf_counter() - began

    async def speak(self, sentences: Sequence[str], language: str, voice: str) -> tuple[Path, float, float]:
        target = self.work / "spoken.ogg"
        answer, took = await self.run(
            "speak",
            sentences=list(sentences),
            language=language,
            folder=str(self.models / "kokoro"),
            voice=voice,
            target=str(target),
            max_s=160,
        )
        return target, float(answer["seconds"]), took

    async def hear(self, path: Path) -> tuple[str, float]:
        model = str(self.models / "whisper-base")
        try:
            answer, took = await self.run("hear", path=str(path), model=model, compute_type="int8", max_s=1200)
        except Permanent as exc:
            return f"({exc.code})", 0.0
        return str(answer["text"]), took


async def speech(bench: Bench) -> None:
    for language, (espeak, voices, sentences) in _SPOKEN.items():
        totals: dict[str, list[float]] = {"clean": [0, 0, 0], "noise 10 dB": [0, 0, 0]}
        sounding, speaking = 0.0, 0.0
        for number, sentence in enumerate(sentences):
            path, seconds, took = await bench.speak([sentence], espeak, voices[number % 2])
            sounding, speaking = sounding + seconds, speaking + took
            for kind, total in totals.items():
                heard, listened = await bench.hear(path if kind == "clean" else noisy(path, bench.work))
                wrong = distance(words_of(sentence), words_of(heard))
                total[0] += wrong
                total[1] += len(words_of(sentence))
                total[2] += listened
                if wrong:
                    tell(f"  {language} {kind}: {sentence!r} -> {heard!r}")
        for kind, (missed, size, listened) in totals.items():
            tell(f"speech in {language}, {kind}: WER {100 * missed / size:.1f} % of {size:.0f}, {listened:.0f} s")
        tell(f"spoken {language}: {sounding:.0f} s in {speaking:.0f} s ({speaking / sounding:.2f} x)")


def noisy(path: Path, folder: Path) -> Path:
    """Add white noise 10 dB below the speech."""
    with av.open(str(path)) as container:
        parts = [frame.to_ndarray().reshape(-1) for frame in container.decode(container.streams.audio[0])]
    sound = np.concatenate(parts).astype(np.float32)
    power = float(np.mean(sound**2)) / 10
    sound = sound + np.random.default_rng(7).normal(0, power**0.5, len(sound)).astype(np.float32)
    target = folder / "noisy.wav"
    with av.open(str(target), "w") as container:
        stream = container.add_stream("pcm_s16le", rate=48_000, layout="mono")
        samples = (np.clip(sound, -1, 1) * 32767).astype(np.int16).reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
        frame.sample_rate = 48_000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return target


async def pictures(bench: Bench) -> None:
    chance = random.Random(3)
    totals = {"upright": [0, 0], "turned": [0, 0]}
    began = time.perf_counter()
    for number in range(PICTURES):
        lines = receipt(chance)
        picture = drawn(lines, size=14 if number % 5 == 4 else 26)
        if number % 5 == 3:
            picture = ImageEnhance.Brightness(picture).enhance(0.35)
        turn = (90, 180, 270)[number // 3 % 3] if number % 3 == 2 else 0
        path = bench.work / "picture.jpg"
        picture.rotate(turn, expand=True).save(path, quality=70)
        answer, _ = await bench.run("read_picture", path=str(path))
        wanted = squeezed("".join(lines))
        wrong = distance(list(wanted), list(squeezed(str(answer["text"]))))
        total = totals["turned" if turn else "upright"]
        total[0] += wrong
        total[1] += len(wanted)
        if wrong > 3:
            tell(f"  picture {number}, turned {turn}: {wrong} of {len(wanted)} wrong")
    for kind, (wrong, count) in totals.items():
        tell(f"pictures {kind}: CER {100 * wrong / count:.2f} % of {count} letters")
    tell(f"pictures: {(time.perf_counter() - began) / PICTURES:.1f} s each")


def receipt(chance: random.Random) -> list[str]:
    rows = [chance.sample(_WORDS, 2) for _ in range(5)]
    return [
        "".join((" ".join(row).capitalize(), "  ", f"{chance.uniform(1, 90):.2f} €".replace(".", ",")))
        for row in rows
    ]


def drawn(lines: Sequence[str], *, size: int) -> Image.Image:
    font = ImageFont.truetype("DejaVuSans.ttf", size)
    picture = Image.new("RGB", (size * 26, size * 2 * (len(lines) + 1)), "white")
    draw = ImageDraw.Draw(picture)
    for number, line in enumerate(lines):
        name, price = line.split("  ")
        draw.text((size, size + 2 * size * number), name, "black", font)
        draw.text((size * 19, size + 2 * size * number), price, "black", font)
    return picture


async def answers(bench: Bench) -> None:
    """Speak answers as people would get them, and write them down again."""
    for language, texts in PAGES["answers"].items():
        espeak, voices, _ = _SPOKEN[language]
        missed, size, sounding, speaking = 0, 0, 0.0, 0.0
        for number, text in enumerate(texts):
            path, seconds, took = await bench.speak(sentences_of(text), espeak, voices[number % 2])
            sounding, speaking = sounding + seconds, speaking + took
            heard, _ = await bench.hear(path)
            wrong = distance(words_of(text), words_of(heard))
            missed, size = missed + wrong, size + len(words_of(text))
            if wrong:
                tell(f"  {language}: {text!r} -> {heard!r}")
        tell(f"speech out {language}: WER {100 * missed / size:.1f} % of {size} words in {len(texts)} answers")
        tell(
            f"speech out {language}: {sounding:.0f} s in {speaking:.0f} s ({speaking / sounding:.2f} of real time)"
        )


async def questions(bench: Bench) -> None:
    async def read(path: Path) -> Mapping[str, Any]:
        return (await bench.run("read_document", path=str(path), filename=path.name))[0]

    for line in await find_pages(read, bench.work):
        tell(line)


async def waits(bench: Bench) -> None:
    folder = bench.work / "service"
    folder.mkdir()
    async for line in wait_for_others(folder):
        tell(line)


async def memory(bench: Bench) -> None:
    for line in await idle_memory():
        tell(line)


async def documents(bench: Bench) -> None:
    path = bench.work / "long.pdf"
    path.write_bytes(
        files.pdf([f"Page {n}\n" + "\n".join(["The quick brown fox runs on."] * 40) for n in range(200)])
    )
    answer, took = await bench.run("read_document", path=str(path), filename="long.pdf")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    tell(f"documents: 200 pages in {took:.1f} s, {answer['chars']} characters, {peak:.0f} MiB at most")


async def hostile(bench: Bench) -> None:
    """Read every shape while a loop counts how long others had to wait."""
    longest, outcomes, crashes = 0.0, {}, []
    is_done = False

    async def watch() -> None:
        nonlocal longest
        while not is_done:
            began = time.perf_counter()
            await asyncio.sleep(0.005)
            longest = max(longest, time.perf_counter() - began - 0.005)

    watching = asyncio.create_task(watch())
    shapes = list(hostile_shapes())
    for name, task, data in shapes:
        path = bench.work / "hostile"
        path.write_bytes(data)
        extra: dict[str, Any] = {"filename": name} if task == "read_document" else {}
        if task == "hear":
            extra = {"model": str(bench.models / "whisper-base"), "compute_type": "int8", "max_s": 1200}
        try:
            await bench.run(task, path=str(path), **extra)
            outcome = "read"
        except Permanent as exc:
            outcome = exc.code
        outcomes[f"{task} {name}"] = outcome
        if outcome == "child_failed":
            crashes.append(name)
    is_done = True
    await watching
    for name, outcome in outcomes.items():
        tell(f"  {name}: {outcome}")
    tell(f"hostile: {len(shapes)} shapes, {len(crashes)} ended the child ({', '.join(crashes)})")
    tell(f"hostile: the longest wait of others was {1000 * longest:.0f} ms")


def hostile_shapes() -> list[tuple[str, str, bytes]]:
    good, book = files.pdf(["hola"] * 3), files.docx(["hola"])
    chance = random.Random(5)
    noise = chance.randbytes(20_000)
    entity = (
        '<!DOCTYPE x [<!ENTITY a "'
        + "b" * 5000
        + '">'
        + "".join(f'<!ENTITY a{n} "{"&a;" * 50}">' for n in range(50))
        + "]><x>&a49;</x>"
    )
    big = io.BytesIO()
    Image.new("RGB", (64, 64)).save(big, "JPEG")
    shapes: list[tuple[str, str, bytes]] = [
        ("locked.pdf", "read_document", files.pdf(["x"], password="p")),
        ("cut.pdf", "read_document", good[: len(good) // 2]),
        ("head.pdf", "read_document", b"%PDF-1.7\n"),
        ("noise.pdf", "read_document", b"%PDF-1.7\n" + noise),
        ("no-pages.pdf", "read_document", files.pdf([])),
        ("5000.pdf", "read_document", files.pdf(["x"] * 5000)),
        ("empty.txt", "read_document", b""),
        ("blank.txt", "read_document", b" \n\t" * 100),
        ("nul.txt", "read_document", bytes(10_000)),
        ("one-line.txt", "read_document", b"a" * 5_000_000),
        ("dots.txt", "read_document", b". " * 1_000_000),
        ("noise.bin", "read_document", noise),
        ("bomb.docx", "read_document", files.docx(["x"], **{"word/z.xml": bytes(400 << 20)})),
        ("body.docx", "read_document", files.archive({"word/document.xml": "<w:p>" * 200_000})),
        ("entity.docx", "read_document", files.docx(["x"], **{"word/document.xml": entity})),
        ("cut.docx", "read_document", book[:-40]),
        ("noise.docx", "read_document", b"PK\x03\x04" + noise),
        ("names.docx", "read_document", files.archive({f"word/{n}": "" for n in range(25_000)})),
        ("slip.docx", "read_document", files.archive({"../../etc/passwd": "x", "word/document.xml": "<x/>"})),
        ("macro.docm", "read_document", files.docx(["macro"], **{"word/vbaProject.bin": noise})),
        ("nested.zip", "read_document", files.archive({"a.zip": files.archive({"b.zip": noise})})),
        ("empty.epub", "read_document", files.archive({"mimetype": "application/epub+zip"})),
        ("book.epub", "read_document", files.epub({"Uno": "hola", "Dos": "adiós"})),
        ("bad.xlsx", "read_document", files.archive({"xl/workbook.xml": "<x/>"})),
        ("old.doc", "read_document", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + noise),
        ("deep.html", "read_document", b"<html><body>" + b"<div>" * 100_000 + b"x"),
        ("open.html", "read_document", b"<html><table>" + b"<tr><td>" * 50_000),
        ("wide.csv", "read_document", b",".join([b"x"] * 100_000)),
        ("quote.csv", "read_document", b'a,b\n"' + b"x" * 2_000_000),
        (
            "deep.eml",
            "read_document",
            b"From: a\nTo: b\nSubject: c\nContent-Type: multipart/mixed; boundary=x\n\n" + b"--x\n" * 50_000,
        ),
        (
            "charset.eml",
            "read_document",
            b"From: a\nTo: b\nSubject: c\nContent-Type: text/plain; charset=nope\n\nx",
        ),
        ("deep.rtf", "read_document", b"{\\rtf1 " + b"{" * 500_000),
        ("cut.png", "read_picture", files.png(100, 100)[:60]),
        ("liar.png", "read_picture", files.png(3000, 3000, honest=False)),
        ("huge.png", "read_picture", files.png(10_000, 10_000)),
        ("vast.png", "read_picture", files.png(60_000, 60_000, honest=False)),
        ("line.png", "read_picture", files.png(10_000, 1)),
        ("dot.png", "read_picture", files.png(1, 1)),
        ("noise.jpg", "read_picture", b"\xff\xd8\xff\xe0" + noise),
        ("cut.jpg", "read_picture", big.getvalue()[:300]),
        ("noise.ogg", "hear", b"OggS" + noise),
        ("empty.ogg", "hear", b""),
        ("noise.mp4", "hear", b"\0\0\0\x18ftypmp42" + noise),
        ("noise.mp3", "hear", b"ID3" + noise),
        ("silence.wav", "hear", silence(5)),
    ]
    return shapes


def silence(seconds: int) -> bytes:
    size = 16_000 * 2 * seconds
    head = b"RIFF" + (36 + size).to_bytes(4, "little") + b"WAVEfmt " + (16).to_bytes(4, "little")
    return head + b"\x01\0\x01\0\x80>\0\0\0}\0\0\x02\0\x10\0data" + size.to_bytes(4, "little") + bytes(size)


def tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def words_of(text: str) -> list[str]:
    return "".join(char if char.isalnum() else " " for char in fold(text)).split()


def squeezed(text: str) -> str:
    return "".join(text.split())


def distance(wanted: Sequence[str], got: Sequence[str]) -> int:
    row = list(range(len(got) + 1))
    for i, one in enumerate(wanted, start=1):
        before, row[0] = row[0], i
        for j, other in enumerate(got, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (one != other))
    return row[-1]


_PARTS: Final[Mapping[str, Callable[[Bench], Awaitable[None]]]] = {
    "documents": documents,
    "questions": questions,
    "memory": memory,
    "waits": waits,
    "hostile": hostile,
    "pictures": pictures,
    "speech": speech,
    "answers": answers,
}


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, default=Path("data/models"))
    parser.add_argument("parts", nargs="*", choices=[*_PARTS, []], default=[])
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(chosen.models.resolve(), Path(folder))
        for name in chosen.parts or _PARTS:
            await _PARTS[name](bench)


if __name__ == "__main__":
    asyncio.run(main())
