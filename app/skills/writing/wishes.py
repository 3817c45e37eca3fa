"""Where a message wishes for a text that the person will send: "need a msg I can paste to …"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import Final

from app.domain.wording import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.skills.writing.lexicon import WRITING

_MAX_CHARS: Final = 1_500
_MOST_LEAD: Final = 6
_MOST_WHOM: Final = 5
_FEW_WORDS: Final = 6
_WORDS_AHEAD: Final = 4
_LEAST_BEHIND: Final = 25
_PAUSE: Final = r"[.,;:!?…¿¡()\n–—-]"
_NAME: Final = r"(?-i:[A-ZÀ-ÖØ-Þ])[\w'’.-]*"
_FEW: Final = r"(?: [\w'’-]+){0,2}?"


def _any(topic: str) -> str:
    """Return the words of a topic as choices."""
    return "|".join(sorted(WRITING[topic]))


def _begin() -> str:
    """Return what stands where a clause begins, with what may lead in."""
    lead = rf"(?:{WRITING.pattern('lead')}[ ,!.:]{{1,3}}){{0,{_MOST_LEAD}}}"
    return rf"(?:(?:\A|{_PAUSE}) ?|(?<= ){WRITING.pattern('joins')} ){lead}"


def _named(kind: str, words: str) -> str:
    """Return up to three words before the name of a text, which is a group of that name."""
    between = rf"(?: (?!(?:{_any('no_between')})(?!\w))[\w'’-]+,?){{0,3}}?"
    return rf"(?: {WRITING.pattern('article')})?{between} (?P<{kind}>{words})"


def _text() -> str:
    return _named("thing", WRITING.pattern("text"))


def _loose() -> str:
    return _named("loose", WRITING.pattern("loose"))


def _making() -> str:
    return rf"(?:(?<!\w){WRITING.pattern('making')}|{_begin()}{WRITING.pattern('making_first')})"


def _needing() -> str:
    return rf"{_begin()}{WRITING.pattern('needing')}"


def _not_behind(topic: str) -> str:
    return rf"(?! (?:{_any(topic)})(?!\w))"


def _somebody() -> str:
    person = "|".join(word for tongue in WRITING.tongues for word in tongue.lists["person"].split())
    who = rf"{WRITING.pattern('title')}\.? \w+|(?:\w+ )?(?:{person}|{_any('place')})(?!\w)|{_NAME}"
    return rf"(?:{WRITING.pattern('determiner')} )?(?:{who})"


def _handing_on() -> str:
    placed = rf"(?: (?:en|on|in) (?:{WRITING.pattern('determiner')} )?(?:{_any('place')})(?!\w))?"
    return rf"{WRITING.pattern('handing')}{placed}"


def _stops_ahead() -> str:
    return "|".join(sorted(_STOPS - WRITING["no_stops"]))


_STOPS: Final = WRITING["stops"]
_KEPT: Final = LatePattern(rf"(?<!\w){WRITING.pattern('kept_note')}(?!\w)")
_KEPT_SAYING: Final = LatePattern(rf"\W{{0,9}}{COMMON_WORDS.pattern('note_saying')}(?!\w)")
_KEPT_WRITTEN: Final = LatePattern(rf"\W{{0,9}}{COMMON_WORDS.pattern('note_written')}(?!\w)")
_NOT_TO_FORGET: Final = LatePattern(rf"(?<!\w){COMMON_WORDS.pattern('not_to_forget')}(?!\w)")
_HOURS: Final = frozenset(word for said in COMMON_WORDS.table("numbers").values() for word in said)
_THINGS: Final = (
    LatePattern(rf"(?<!\w){WRITING.pattern('giving')}{_text()}{_not_behind('given_from')}"),
    LatePattern(rf"(?<!\w){WRITING.pattern('giving')}{_loose()}{_not_behind('given_from')}"),
    LatePattern(rf"{_making()}{_text()}"),
    LatePattern(rf"{_making()}{_loose()}"),
    LatePattern(rf"{_needing()}{_text()}{_not_behind('needing_from')}"),
    LatePattern(rf"{_needing()}{_loose()}{_not_behind('needing_from')}"),
    LatePattern(rf"{_begin()}{WRITING.pattern('elliptic')}{_text()}{_not_behind('needing_from')}(?P<bare>)"),
    LatePattern(rf"{_begin()}(?P<thing>{WRITING.pattern('text')})(?P<bare>)(?= {WRITING.pattern('to_whom')})"),
    LatePattern(
        rf"{_begin()}(?:{WRITING.pattern('elliptic')} (?:\w+ ){{0,2}}?)?"
        rf"(?P<thing>{WRITING.pattern('shown_to_all')})(?P<bare>)"
        rf"(?= {WRITING.pattern('to_whom')} .{{{_LEAST_BEHIND}}})"
    ),
    LatePattern(
        rf"{_begin()}{WRITING.pattern('needing_whom')} (?P<whom>{_somebody()})"
        rf"{_named('thing', '|'.join((WRITING.pattern('text'), WRITING.pattern('loose'))))}"
    ),
)
_HANDED: Final = LatePattern(rf" {_handing_on()}")
_HANDING: Final = LatePattern(rf"{_FEW} {_handing_on()}")
_HANDED_ON: Final = LatePattern(rf" {WRITING.pattern('handed_on')}")
_SAYING: Final = LatePattern(rf"(?P<few>{_FEW}) {WRITING.pattern('what_said')}")
_ASKED_OF_READER: Final = LatePattern(rf" {WRITING.pattern('asked_of_reader')}")
_WHO_DOES: Final = LatePattern(rf" {WRITING.pattern('who_does')} ")
_WORDINGS: Final = (
    LatePattern(rf"(?:{_begin()}|(?<= ))(?P<asked>{WRITING.pattern('wording')})"),
    LatePattern(rf"{_begin()}(?P<asked>{WRITING.pattern('wording_first')})"),
)
_TONED: Final = LatePattern(rf"{_begin()}(?P<asked>{WRITING.pattern('toned')})")
_TONE: Final = LatePattern(WRITING.pattern("tone"))
_PUTTING: Final = LatePattern(rf"(?:{_begin()}|(?<= )){WRITING.pattern('putting')}")
_NO_PUTTING: Final = LatePattern(rf" ?{WRITING.pattern('no_putting')}")
_HANDED_OVER: Final = LatePattern(rf"{_begin()}{COMMON_WORDS.pattern('bring')}")
_SOUNDING: Final = LatePattern(rf",? {WRITING.pattern('sounding')}(?: (?:or|and|o|ni|y) \w+)?(?!\w)")
_ASKED_TO: Final = LatePattern(
    rf"{_FEW} {WRITING.pattern('asked_to')} (?P<whom>{_somebody()})(?: {WRITING.pattern('request')})"
)
_SPOKEN: Final = LatePattern(rf"(?<!\w){WRITING.pattern('spoken')}(?!\w)")
COPYING: Final = LatePattern(rf"(?:{_begin()}|(?<= )){WRITING.pattern('copying')}(?=\W{{0,3}}(?:{_PAUSE}|\Z))")
_READER: Final = LatePattern(
    rf"(?: (?!(?:{_stops_ahead()})(?!\w))[\w'’-]+){{0,{_WORDS_AHEAD}}}? "
    rf"(?P<to>{WRITING.pattern('to_whom')}) (?=\w)"
)
_BEGINS_WITH_SOMEBODY: Final = LatePattern(_somebody())
_WHOM_AT_ONCE: Final = LatePattern(rf" (?:{_somebody()}|{WRITING.pattern('plainly_whom')})")
_TIMED: Final = LatePattern(rf",? {WRITING.pattern('timed')}")
# "So I can send it to her" is no order.
_SENT: Final = LatePattern(rf"(?<!\w)(?<!to )(?<!i )(?<!can )(?<!ll )(?<!gonna ){WRITING.pattern('sent')}")
_NO_READER: Final = WRITING["no_reader"]
_JOTTED: Final = WRITING["jotted"]
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_MARK: Final = re.compile(_PAUSE)
_DETERMINERS: Final = frozenset(re.split("[/_ ]", " ".join(WRITING.phrases("determiner"))))
_VERBS: Final = tuple(WRITING["no_reader_ending"])
_OF_THEM: Final = ("le", "les", "selo")


@dataclass(frozen=True, slots=True)
class TextWish:
    """Where a text wishes for one: from `start` to `end` of it, with the words for whom that is.

    `thing` is what is wished for, folded: "msg", "aviso"; "" where it has no name.
    """

    text: str
    start: int
    end: int
    whom: str = ""
    thing: str = ""


def on_lines(text: str) -> str:
    """Return a text with single blanks, as the patterns want it; its lines stay lines."""
    return "\n".join(" ".join(line.split()) for line in text[:_MAX_CHARS].strip().split("\n") if line.strip())


@lru_cache(maxsize=16)
def find_text_wish(text: str) -> TextWish | None:
    """Return where a message wishes for a text that the person sends themselves; None where it does not.

    "Send her …", "decile que …" is to be done by somebody else, and no such wish.
    """
    whole = on_lines(text)
    if _SENT.search(whole) is not None:
        return None
    # How it is to sound is neither whom it is for nor what it tells.
    said = " ".join(_SOUNDING.sub("", whole).split(" "))
    found = [*_things(said), *_wordings(said, _WORDINGS), *_puttings(said)]
    if not found and _TONE.search(whole) is not None:
        found = [*_wordings(said, (_TONED,))]
    return min(found, key=lambda wish: wish.start) if found else _copied(said)


def is_timed(wish: TextWish) -> bool:
    """Tell whether what is wished for is to come at a time, as a reminder does, and is for nobody else."""
    return not wish.whom and _TIMED.match(wish.text, wish.end) is not None


def is_spoken(wish: TextWish) -> bool:
    """Tell whether what is wished for is said aloud to those who are there: "words to read at the wedding"."""
    keys = [one[0] for one in _WORD.finditer(fold(wish.text))]
    if any(one in WRITING["speeches"] for one in wish.thing.split()):
        return True
    is_of_words = wish.thing in WRITING["said_aloud"] and not WRITING["occasion"].isdisjoint(keys)
    return is_of_words and _SPOKEN.search(wish.text) is not None


def _things(said: str) -> Iterator[TextWish]:
    """Yield where something is asked for by the name of a text."""
    for pattern in _THINGS:
        for found in pattern.finditer(said):
            groups = found.groupdict()
            is_loose, is_bare = "loose" in groups, "bare" in groups
            thing = fold(groups["loose" if is_loose else "thing"])
            wish = TextWish(said, found.start(), found.end(), _without_determiner(groups.get("whom", "")), thing)
            wish, is_handed = _handed(wish)
            # "Make a mental note" keeps something, and "at seven" is nobody.
            if _is_kept(wish) or fold(wish.whom).split(" ")[0] in _HOURS:
                continue
            is_for = bool(wish.whom) and (wish.thing not in _JOTTED or is_somebody(wish.whom))
            if is_for or is_handed or is_spoken(wish) or not (is_loose or is_bare):
                yield wish
                break


def _is_kept(wish: TextWish) -> bool:
    """Tell whether a wish is for something to be kept: "make a mental note", "crea una nota que diga …"."""
    is_mental = _KEPT.search(wish.text[wish.start : wish.end]) is not None
    if is_mental or wish.whom:
        return is_mental
    is_written = _KEPT_WRITTEN.match(wish.text, wish.start) and _NOT_TO_FORGET.search(wish.text, wish.end)
    return bool(is_written) or _KEPT_SAYING.match(wish.text, wish.start) is not None


def _handed(wish: TextWish) -> tuple[TextWish, bool]:
    """Return a wish with whom it is for, and whether it says that it is to be sent, or what it is to say."""
    at_once = _HANDED.match(wish.text, wish.end)
    wish = _with_reader(wish) if at_once is None else wish
    handed = at_once or _HANDING.match(wish.text, wish.end)
    # "A note to the milkman to leave two pints": that is what he is asked.
    is_asked = handed is not None and at_once is None and _ASKED_OF_READER.match(handed[0]) is not None
    if is_asked and wish.whom:
        return wish, True
    if handed is not None:
        wish = replace(wish, end=handed.end())
        if not wish.whom and _WHOM_AT_ONCE.match(wish.text, wish.end) is not None:
            wish = _read_whom(wish, wish.end + 1)
        wish = _with_reader(wish)
    is_of_them = _HANDED_ON.match(wish.text, wish.end) is not None
    saying = _SAYING.match(wish.text, wish.end)
    # "For the lad who delivers saying …": that says who it is.
    if saying is not None and wish.whom and saying["few"].split()[:1] and _WHO_DOES.match(saying["few"]):
        wish = replace(wish, end=saying.end("few"))
    return wish, handed is not None or is_of_them or saying is not None


def _wordings(said: str, patterns: Sequence[LatePattern]) -> Iterator[TextWish]:
    """Yield where somebody asks how to say something to somebody."""
    if len(said.split()) < _FEW_WORDS:
        return
    for found in chain.from_iterable(one.finditer(said) for one in patterns):
        wish = TextWish(said, found.start(), found.end())
        # "I need to ask my neighbour to move" names the reader before "to".
        is_at_once = _WHOM_AT_ONCE.match(said, found.end()) is not None
        wish = _with_reader(_read_whom(wish, found.end() + 1) if is_at_once else wish)
        is_of_them = fold(found["asked"]).split()[-1].endswith(_OF_THEM)
        if is_somebody(wish.whom) or (is_of_them and wish.whom):
            yield wish
            return


def _puttings(said: str) -> Iterator[TextWish]:
    for found in _PUTTING.finditer(said):
        if _NO_PUTTING.match(said, found.end()) is None:
            yield _with_reader(TextWish(said, found.start(), found.end()))
            return


def _copied(said: str) -> TextWish | None:
    """Return the wish of somebody who only says that they will send it themselves, and tells what."""
    found = COPYING.search(said)
    if found is None or len(said[: found.start()].split()) < _FEW_WORDS:
        return None
    if _HANDED_OVER.search(said[: found.start()]) is not None:  # "Give me that code again, I'll copy it"
        return None
    return TextWish(said, found.start(), found.end())


def _with_reader(wish: TextWish) -> TextWish:
    """Return a wish with the words behind it for whom it is."""
    if not wish.whom and (asked := _ASKED_TO.match(wish.text, wish.end)) is not None:
        return replace(wish, end=asked.end(), whom=_without_determiner(asked["whom"]))
    found = _READER.match(wish.text, wish.end)
    if found is None or wish.whom:
        return wish
    return _read_whom(wish, found.end(), is_to=fold(found["to"]) in WRITING["before_verbs"])


def _read_whom(wish: TextWish, at: int, *, is_to: bool = False) -> TextWish:
    """Return a wish that is for whom the words at a place of the text name, as far as they do.

    `is_to`: they stand behind "to", as a verb may.
    """
    marked = _MARK.search(wish.text, at)
    read: list[str] = []
    end = wish.end
    for word in _WORD.finditer(wish.text, at, len(wish.text) if marked is None else marked.start()):
        if (fold(word[0]) in _STOPS and read) or len(read) == _MOST_WHOM:
            break
        read.append(word[0])
        end = word.end()
    whom = _without_determiner(" ".join(read))
    if not whom or whom[0].isdigit() or fold(whom).split()[0] in _NO_READER:
        return wish
    # "A text to thank her", "un mensaje para pedirle …" name nobody.
    is_named = len(whom.split()) < len(read) or is_somebody(whom)
    if not is_named and (fold(read[0]).endswith(_VERBS) or (is_to and len(read) > 1)):
        return wish
    return replace(wish, end=max(end, wish.end), whom=whom)


def _without_determiner(whom: str) -> str:
    named = whom.split()
    while named and fold(named[0]) in _DETERMINERS:
        named.pop(0)
    return " ".join(named)


def is_somebody(whom: str) -> bool:
    return _BEGINS_WITH_SOMEBODY.match(whom) is not None
