"""Whatever a person or a model writes is read in a time that grows with its length, and no faster."""

import time
from collections.abc import Callable
from datetime import date

import pytest

from app.commands.registry import parse_command
from app.database.repositories.matching import like_pattern, match_expressions
from app.domain.chat import ChatResponse, ToolSchema
from app.domain.errors import ToolFault
from app.llm.claims import claims_side_effect
from app.llm.protocols import ConstrainedProtocol, NativeProtocol
from app.llm.salvage import (
    looks_like_call,
    salvage_calls,
    without_quotes,
    without_result_tags,
)
from app.llm.small_models import count_requests
from app.llm.wire import strip_thinking
from app.memory.categories import category_of
from app.memory.claims import read_claims
from app.memory.grounding import find_source, in_own_words
from app.memory.history_tools import parse_day
from app.memory.mirror_format import parse
from app.memory.sessions import usable_title
from app.memory.similarity import FactText, compare, content_words, text_key, tidy
from app.memory.statements import Statement, bounded, happenings, self_statements, statements
from app.memory.summarizer import usable_summary
from app.skills.compaction import compact
from app.skills.router import parse_categories
from app.skills.search.text import identifiers

SHORT, LONG = 500, 4_000
"""Characters. A linear reader takes 8 times as long for the longer text, a quadratic one 64 times."""
HALF = SHORT // 2
TOO_MUCH = 24
MORE = 1.15
"""A linear reader takes as many times as long as its text is longer, what it takes for any text at all left out.
What takes no more than this many times that for the short text, beside half of it, is read no further: what is
partly linear, partly quadratic, and takes `TOO_MUCH` for the longer text takes 1.17 times that."""
TRIES = 7
FEW = 2
_CLOCK_S = 1e-3
"""Less than this a busy machine's clock does not tell apart."""
SOON_S = 0.02
"""What takes no longer than this for the longer text needs no ratio: no clock measures it on a busy machine."""
AT_ONCE_S = SOON_S / (LONG / SHORT) ** 2
"""What reads the shorter text in this time is done with the longer one soon, even if it is quadratic; whatever is
steeper takes longer for the shorter one."""

# What a text may be full of: marks, beginnings without ends, and words of our own patterns.
MARKS = (
    ". , ; : - – ! ? ¿ ¡ … x é 1 1. ( [ { < > | \\ <\\ / « «a “ \" ' ` ``` * ** _ #"
    " <!-- <!--# --> <| a.a a- a; user: title:"
)
BLANKS = (" ", "\n", "\t", " \n", "\r\n", "  a\n", "- a\n", "a\n", "\n#", "\n- ", "\nuser", ", ", "<!-- ", "# ")
WORDS = (
    "a, hola hola, y pero ya_no no mi mi_hija mi_hija_se mi_a_b_se_llama me_gusta y_vivo_en soy soy_un tengo"
    " tengo_2 que recuerda recuerda_que hoy my my_son my_son's i i_am i'm_not i_like and_i_like remember please if"
    " ahora the es es_de mi_clave_de my_name_is naci_en naci_el summary **summary Dr. 2026- lunes monday"
)
CALLS = (
    *("```", "```json\n", "<tool_call>", "</tool_call>", "<tool_response>", '{"name": "', '{"calls": ['),
    *("note(x)\n", "note(", "<think>", '{"name": "note", "arguments": {}} '),
    *("guardé la nota ", "no guardé ", "I saved ", "listo "),
)
UNITS = (*CALLS, *MARKS.split(), *BLANKS, *(f"{words.replace('_', ' ')} " for words in WORDS.split()))
AROUND = (("", "x"), ("hoy fui al cine", " x\n"), ("# ", ""))

OFFERED = {"note": ToolSchema("note", "", {"type": "object", "properties": {"text": {"type": "string"}}})}


def _parse_day(text: str) -> object:
    try:
        return parse_day(text, date(2026, 11, 22))
    except ToolFault as exc:
        return exc


def _facts(text: str) -> object:
    told = statements(text)
    return self_statements(told), happenings(told), [one.is_passing for one in told]


def _compared(text: str) -> object:
    fact = FactText(text)
    others = (FactText(f"{text} y mas"), FactText("vivo en Madrid"), FactText(f"no {text}"))
    return fact.fingerprints, fact.numbers, fact.is_negative, [compare(fact, other) for other in others]


READERS: tuple[Callable[[str], object], ...] = (
    _facts,
    bounded,
    lambda text: find_source("El usuario vive en Rosario", [Statement(text)]),
    lambda text: find_source(text, [Statement("vivo en Rosario con mi hija")]),
    lambda text: in_own_words("vivo en Rosario", Statement(text)),
    read_claims,
    _compared,
    tidy,
    text_key,
    content_words,
    category_of,
    parse,
    lambda text: usable_summary(text, "", limit_chars=1_500),
    usable_title,
    _parse_day,
    match_expressions,
    like_pattern,
    lambda text: salvage_calls(text, OFFERED, [text, f"{text} "]),
    lambda text: looks_like_call(text, OFFERED),
    lambda text: without_quotes(text, [f"{text} "]),
    without_result_tags,
    claims_side_effect,
    lambda text: NativeProtocol().read(ChatResponse(text), tuple(OFFERED.values()), [text]),
    lambda text: ConstrainedProtocol().read(ChatResponse(text), tuple(OFFERED.values()), [text]),
    count_requests,
    parse_command,
    identifiers,
    strip_thinking,
    lambda text: parse_categories(text, ["notes", "math"]),
    lambda text: compact(text, 400),
)


@pytest.mark.parametrize("reader", READERS)
def test_twice_the_text_takes_twice_the_time(reader: Callable[[str], object]) -> None:
    steep = [
        f"{beginning!r} + {unit!r} * n + {tail!r}: {slowdown:.0f} times"
        for beginning, tail in AROUND
        for unit in UNITS
        if (slowdown := _slowdown(reader, beginning, unit, tail)) > TOO_MUCH
    ]
    assert steep == []


def _slowdown(reader: Callable[[str], object], beginning: str, unit: str, tail: str) -> float:
    """Return how many times longer the longer text takes; 1 where both are read at once."""
    half, short, long = (beginning + unit * (chars // len(unit)) + tail for chars in (HALF, SHORT, LONG))
    if (first_s := _measured(reader, short)) <= AT_ONCE_S:
        return 1.0
    any_s = min(_measured(reader, beginning + unit + tail) for _ in range(FEW))
    half_s = min(_measured(reader, half) for _ in range(FEW))
    if first_s - any_s <= MORE * len(short) / len(half) * (half_s - any_s):
        return 1.0
    # A machine that is busy makes a reading longer, never shorter.
    if (long_s := _measured(reader, long)) < SOON_S:
        return 1.0
    short_s = min(_measured(reader, short) for _ in range(TRIES))
    for _ in range(TRIES - 1):
        if long_s < SOON_S or long_s <= TOO_MUCH * short_s:
            return 1.0
        long_s = min(long_s, _measured(reader, long))
    return long_s / max(short_s, _CLOCK_S)


def _measured(reader: Callable[[str], object], text: str) -> float:
    before = time.thread_time()
    reader(text)
    return time.thread_time() - before
