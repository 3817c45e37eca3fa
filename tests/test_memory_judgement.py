"""A new fact is compared with few of many, and what it means for them is the same as if it were with all."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from app.memory.judgement import KnownFacts
from app.memory.repository import Memory
from app.memory.similarity import FactText, compare
from tests.examples import some

NOW = datetime(2026, 11, 22, tzinfo=UTC)
SAID = """vivo en Madrid|vivo en Lisboa|ya no vivo en Madrid|vivo en Madrid, España|I live in Leeds|fumo|ya no fumo
mi mujer se llama Ana|my wife is called Eva|mi hija se llama Ana|tengo 42 años|tengo 43 años|me gusta el café|no
me gusta el té|no me gusta el café|I hate tea|I like tea|tengo un perro|tengo un perro labrador llamado Toby|👍|7
tengo un gato|mi alarma es 12|mi alarma es 7|el código es 12|el código es 13|soy vegano|soy vegetariana
hablo francés""".replace("\n", "|").split("|")
facts = st.sampled_from((*SAID, *(f"{one} y {other}" for one in SAID for other in SAID)))


def memories(texts: list[str]) -> list[Memory]:
    return [
        Memory(number, number, text, "general", "active", None, None, None, NOW, NOW)
        for number, text in enumerate(texts, 1)
    ]


@some(2)
@given(facts, st.lists(facts, max_size=40, unique=True))
def test_a_fact_is_judged_as_if_it_were_compared_with_all(new: str, old: list[str]) -> None:
    active = memories(old)
    judged = KnownFacts(active).judge(FactText(new))
    stands = {one: compare(FactText(new), FactText(one.text)) for one in active}
    known = [one for one in active if stands[one] in {"same", "is_covered"}]
    assert judged.known == (known[0] if known else None)
    assert judged.merged == tuple(one for one in active if stands[one] == "covers")
    assert judged.contradicted == tuple(one for one in active if stands[one] == "contradicts")


def test_what_was_added_or_removed_since_counts_as_well() -> None:
    first, second = memories(["vivo en Madrid", "tengo un perro"])
    known = KnownFacts([first])
    known.remove(first)
    known.add(second)
    assert known.judge(FactText("vivo en Lisboa")).contradicted == ()
    assert known.judge(FactText("tengo un perro labrador")).merged == (second,)


def comparisons(count: int) -> int:
    """Take in a file with so many lines that have most words in common."""
    lines = [f"Me gusta el vino {n} de la tienda" for n in range(count)]
    lines += [f"En el estante {n} está la caja {n * n}" for n in range(count)]
    known = KnownFacts(())
    for memory in memories(lines):
        known.judge(FactText(memory.text))
        known.add(memory)
    return known.comparisons


def test_twice_the_lines_of_a_file_are_twice_the_comparisons() -> None:
    assert comparisons(600) <= 3 * comparisons(300) + 600
    assert comparisons(600) <= 10 * 1_200
