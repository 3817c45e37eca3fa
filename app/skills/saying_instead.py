"""What a correction puts in the place of what it denies: "it's the green one, not the red", "no es A, es B"."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final, NamedTuple

from app.domain.wording import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import Token, is_content, span, stripped, tokens_of

_MAX_CHARS: Final = 140
_MOST_WORDS: Final = 5
_SAID: Final = r"[^,.;:!?\n]{2,48}?"


def _fixing() -> str:
    return rf"{COMMON_WORDS.pattern('fixing')}(?: {COMMON_WORDS.pattern('beside_fixing')}){{0,9}}+"


def _shapes() -> tuple[str, ...]:
    """Return patterns for "it's NEW, not OLD", "it's not OLD, it's NEW"; behind what opens a correction also for
    "not OLD, NEW", "OLD no, NEW" and "NEW, not OLD"."""
    opening = rf"(?:{COMMON_WORDS.pattern('correcting')}|{COMMON_WORDS.pattern('wants_changed')}(?=[,.:;]))"
    says = rf"(?P<says>{COMMON_WORDS.pattern('somebody_says')},? )?"
    lead, it_is = rf"(?:\W*+{opening}){{0,3}}\W*+", COMMON_WORDS.pattern("it_is_so")
    new, old, end = rf"(?P<new>{_SAID})", rf"(?P<old>{_SAID})", r"(?=\W*\Z|[,.;!])"
    rather = rf"(?:{COMMON_WORDS.pattern('but_rather')}|{it_is})"
    opened = rf"(?:\W*+{opening}){{1,3}}\W*+"
    orders = "|".join(COMMON_WORDS.pattern(one) for one in ("make_it", "change_it", "changing", "meaning", "puts"))
    plain = rf"(?![^,.;:!?\n]{{0,48}}?(?<!\w)(?:{orders})(?!\w))"
    return (
        rf"{lead}{says}{it_is} {new},? {COMMON_WORDS.pattern('and_not')} {old}{end}",
        rf"{lead}{COMMON_WORDS.pattern('it_is_not')} {old},? {rather} {new}{end}",
        rf"{opened}not? {old}, {plain}{new}{end}",
        rf"(?!\W*not?\W){opened}{old},? not?, {plain}(?:{rather} )?{new}{end}",
        rf"{opened}{new}, {COMMON_WORDS.pattern('and_not')} {old}{end}",
    )


_ASKS_TO_FIX: Final = LatePattern(rf"(?<=[\w.,;!])[.,;! ] ?{COMMON_WORDS.pattern('asks_to_fix')} ?\?\W{{0,9}}\Z")
_WISH_TO_FIX: Final = LatePattern(
    rf"(?:{COMMON_WORDS.pattern('asks_to_fix')}|{COMMON_WORDS.pattern('wants_changed')}|{COMMON_WORDS.pattern('fix_it')})"
    r"(?: \w+){0,2}"
)
_TOLD_SO: Final = LatePattern(
    rf"(?<!\w){COMMON_WORDS.pattern('somebody_says')},? (?={COMMON_WORDS.pattern('it_is_so')})"
)
_CONTRADICTED: Final = LatePattern(rf"[,;.]? {COMMON_WORDS.pattern('however')} ")
_FIX_LAST: Final = LatePattern(rf"(?:[,.;:!…-]{{1,3}} ?| (?:and|y|so) ){_fixing()}(?=\W{{0,9}}\Z)")
_FIX_FIRST: Final = LatePattern(rf"\W{{0,3}}{_fixing()}[,.;:!…-]{{1,3}} ")
_SHAPES: Final = tuple(LatePattern(shape, flags=0) for shape in _shapes())


def _replacing() -> Iterator[str]:
    """Yield patterns for "OLD no, make it NEW", "not OLD, NEW i meant", "i said OLD but meant NEW", "change OLD to
    NEW", "instead of OLD put NEW", "OLD should say NEW"."""
    part = COMMON_WORDS.pattern
    called = "|".join(sorted(PICKING["thinking_again"] - PICKING["denying"] - PICKING["this_one"]))
    lead = rf"\W*+(?:(?:{part('correcting')}|{called})(?!\w)\W*+){{0,4}}"
    end = rf"(?: (?:{'|'.join(sorted(PICKING['closing']))}))?(?=\W*\Z|,| ?[.;!])"
    old, new = rf"(?P<old>{_SAID})", rf"(?P<new>{_SAID})"
    meant, put = part("meaning"), part("make_it")
    becomes = rf"{put} {new}", rf"{meant} {new}", rf"{new},? (?:{meant}|{part('change_it')})"
    for denied, become in product((rf"not? {old},?", rf"{old},? not?,?"), becomes):
        yield rf"(?P<slip>){lead}{denied} (?:{part('rather')},? )?{become}{end}"
    yield rf"(?P<slip>){lead}{part('i_said')} {old},? (?:{part('but')} )?{meant} {new}{end}"
    yield rf"{lead}{part('changing')} {old} {part('changed_to')} {new}{end}"
    yield rf"{lead}{part('in_place_of')} {old},? {part('puts')} {new}{end}"
    yield rf"{lead}{old} {part('should_say')} {new}{end}"


_REPLACING: Final = tuple(map(LatePattern, _replacing()))


class Instead(NamedTuple):
    """Where the kept text has what is denied, and what stands there instead."""

    start: int
    end: int
    new: str


def says_instead(said: str) -> bool:
    """Tell whether a message says of something what it is, and what it is not."""
    return _read(said) is not None


def put_instead(kept: str, said: str) -> Instead | None:
    """Return what a message puts right in a kept text; None where what is denied is not there, or twice."""
    if (found := _read(said)) is None:
        return None
    (flat, news), olds, there = found[0], found[1], tokens_of(kept)
    keys, new, old = ([one.key for one in some] for some in (there, _core(news), _core(olds)))
    places = [n for n in range(len(keys)) if old and keys[n : n + len(old)] == old]
    if not new or len(places) != 1 or set(new) <= set(keys):
        return None
    first, last = places[0], places[0] + len(old)
    words = _core(news)
    if count := next((n for n in range(len(new) - 1, 0, -1) if keys[max(0, first - n) : first] == new[:n]), 0):
        words = words[count:]  # "es para la prima, no la tía"
    elif new[0] != old[0] and not is_content(new[0]) and not new[0].isdigit():
        return None
    elif len(new) > 1 and new[-1] not in old and keys[last : last + 1] == new[-1:]:
        last += 1  # "the green suitcase", of "the red suitcase"
    lead, denied = (some[0].key if some[0].key in PICKING["determiners"] else "" for some in (news, olds))
    if lead and denied and lead != denied and first and keys[first - 1] == denied:
        first, words = first - 1, news
    return Instead(there[first].start, there[last - 1].end, span(flat, words))


def without_asking_to_fix(said: str) -> str:
    """Return a message without the question at its end that only asks to put right what it says."""
    return said if (asked := _ASKS_TO_FIX.search(said)) is None else said[: asked.start()]


def without_wish_to_fix(said: str) -> str:
    """Return a message without the wish at an end of it that only asks to put right what was kept: "…, fix it in
    the note", "change it there please: …"; "" where nothing else is said."""
    flat = fold(said).replace("’", "'")
    if len(flat) != len(said):
        return said
    if (found := _FIX_LAST.search(flat)) is not None:
        return said[: found.start()]
    found = _FIX_FIRST.match(flat)
    return said if found is None else said[found.end() :]


def bare_correction(said: str) -> str:
    """Return a message in one line without the wish to put right what it says, and without who says so."""
    told = without_wish_to_fix(" ".join(said.split()))
    flat = fold(told).replace("’", "'")
    found = _TOLD_SO.search(flat) if len(flat) == len(told) else None
    # "My dad says it is the landing, but he is wrong" wishes for nothing.
    if found is None or _CONTRADICTED.search(flat, found.end()):
        return told
    return told[: found.start()] + told[found.end() :]


def _read(said: str) -> tuple[tuple[str, list[Token]], list[Token]] | None:
    flat = without_asking_to_fix(" ".join(said.split()))
    folded = fold(flat).replace("’", "'")
    if len(flat) > _MAX_CHARS or "?" in flat or len(folded) != len(flat):
        return None
    found = next(filter(None, (one.match(folded) for one in _SHAPES)), None)
    if found is None:
        return None
    new, old = ([one for one in tokens_of(flat) if _within(one, found.span(name))] for name in ("new", "old"))
    is_told = any(one.key in COMMON_WORDS["relative"] for one in (*new, *old))
    # What somebody else says is wished for only where nothing else stands behind it: "… but I like the hall".
    behind = folded[found.end() :].strip(" ,.;!")
    is_told = is_told or bool(found.groupdict().get("says") and behind and not _WISH_TO_FIX.fullmatch(behind))
    is_short = 0 < len(new) <= _MOST_WORDS and 0 < len(old) <= _MOST_WORDS
    return ((flat, new), old) if is_short and not is_told else None


class Replacing(NamedTuple):
    """The words for a thing that is to be another one, those for that, the text of both, and whether the first was
    a slip: "not the jam, make it honey"."""

    old: list[Token]
    new: list[Token]
    text: str
    is_slip: bool

    @property
    def named(self) -> str:
        return span(self.text, self.new)


def read_replacing(said: str) -> Replacing | None:
    """Return what a message names to be another thing; None for any other message, or where that says nothing."""
    flat = " ".join(said.split())
    folded = fold(flat).replace("’", "'")
    if len(flat) > _MAX_CHARS or "?" in flat or len(folded) != len(flat):
        return None
    for shape in _REPLACING:
        if (found := shape.match(folded)) is None:
            continue
        new, old = ([one for one in tokens_of(flat) if _within(one, found.span(name))] for name in ("new", "old"))
        better = stripped(new, PICKING["joining"], PICKING["closing"])
        is_told = any(one.key in COMMON_WORDS["relative"] for one in (*better, *old))
        is_short = len(better) <= _MOST_WORDS and len(old) <= _MOST_WORDS
        if _core(old) and _core(better) and is_short and not is_told:
            return Replacing(old, better, flat, "slip" in found.groupdict())
    return None


def replaced_in(kept: str, old: Sequence[Token], new: str) -> str:
    """Return a kept text with the words for `new` in the place of those for `old`; "" where no one place fits.

    An article goes with its word: "buy the paint" with "a primer" is "buy a primer".
    """
    there, keys = tokens_of(kept), [one.key for one in _core(old)]
    places = [n for n in range(len(there)) if [one.key for one in there[n : n + len(keys)]] == keys]
    if len(places) != 1:
        return ""
    first, last = places[0], places[0] + len(keys) - 1
    is_led = tokens_of(new)[0].key in PICKING["determiners"]
    first -= is_led and first > 0 and there[first - 1].key in PICKING["determiners"]
    return kept[: there[first].start] + new + kept[there[last].end :]


def _within(one: Token, place: tuple[int, int]) -> bool:
    return place[0] <= one.start and one.end <= place[1]


def _core(words: Sequence[Token]) -> list[Token]:
    """Return words without the article before them and a "one" behind: "the brown one"."""
    rest = stripped(words, PICKING["determiners"], PICKING["described"] | PICKING["closing"])
    return rest if any(is_content(one.key) or one.key.isdigit() for one in rest) else []
