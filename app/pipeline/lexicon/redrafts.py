"""Messages that want a text changed which was just written: shorter, in English, for somebody else."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Literal, cast

from app.domain.wording import fold, have_one_stem, words
from app.language.detection import language_by_words
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS, STOP_WORDS
from app.pipeline.lexicon import (
    RECALLING,
    SAID_TO_THEM,
    WORDS,
    asks_for_kept,
    opens_translation,
    translates,
    wants_done,
    wants_draft,
    wants_sent,
)
from app.pipeline.lexicon.translating import (
    ASKED,
    COURTESY,
    TO_WHOM,
    WHY,
    behind_pointing,
    into_tongue,
    is_courtesy,
    language_named,
    read_told_to,
    spoken_badly,
    spoken_in,
)
from app.skills import drafted
from app.skills.amending import is_correction

Kind = Literal["language", "recipient", "addition", "removal", "replacement", "complaint", "length", "manner"]
_MAX_CHARS: Final = 240
_MAX_STORY: Final = 400
_MOST_WORDS: Final = 18
_MOST_WORDS_OPENED: Final = 32
"""Where the first clause wants it, more may follow: why, and what to say instead."""
_MOST_WORDS_BEFORE: Final = 8
_MOST_WORDS_RIGHT: Final = 8
_MOST_WORDS_PLAIN: Final = 5
_MOST_WORDS_BARE: Final = 8
_WORDS_OF_A_TEXT: Final = 3
_WORDS_TRANSLATED: Final = 2
_LEAST_LETTERS: Final = 4
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_OPENED: Final = re.compile(r"(?<!\d):|:(?!\d)|[\n\"“«]|(?<!\w)['‘](?=\w)")
_OF_WORDING: Final = frozenset({"manner", "length", "complaint"})
_QUOTED: Final = re.compile(
    r"(?:[\"“«](?P<said>[^\"“”«»]+)[\"”»]|(?<!\w)['‘](?P<told>\w[^\"“”«»]{0,300}?)['’](?!\w))(?P<behind>.*)",
    re.DOTALL,
)
_LITTLE_BEHIND: Final = 3
# Who laughs pauses: "way too stiff lol shorter".
_CLAUSE: Final = re.compile(r"[.,;:!?¡¿()\n]+|(?<!\w)(?:lol|lmao|(?:ja|je|ha|he){2,9}j?)(?!\w)", re.IGNORECASE)
_LEAD: Final = LatePattern(rf"(?:{WORDS.pattern('redraft_lead')}(?: |\Z)){{0,6}}")
_KINDS: Final[Mapping[Kind, LatePattern]] = MappingProxyType(
    {
        "language": LatePattern(WORDS.pattern("redraft_language")),
        "addition": LatePattern(WORDS.pattern("redraft_addition")),
        "removal": LatePattern(WORDS.pattern("redraft_removal")),
        "replacement": LatePattern(WORDS.pattern("redraft_replacement")),
        "complaint": LatePattern(WORDS.pattern("redraft_complaint")),
        "length": LatePattern(WORDS.pattern("redraft_length")),
        "manner": LatePattern(WORDS.pattern("redraft_manner")),
        "recipient": LatePattern(WORDS.pattern("redraft_recipient")),
    }
)
_INTO: Final = LatePattern(rf"(?<!\w){WORDS.pattern('redraft_into')}(?!\w)")
_FEW: Final = 2
_RECALLED_IN: Final = 4
_MARKS: Final = " ,.;:¡!¿\"“”«»'‘’"
_AROUND: Final = WORDS["redraft_into_around"]
_BEHIND: Final = WORDS["redraft_into_behind"]
_TAKEN: Final = LatePattern(
    rf"{WORDS.pattern('redraft_takeable')} (?P<named>\w+(?: \w+){{0,4}}?) {WORDS.pattern('redraft_taken')}"
)
_ALSO_GONE: Final = LatePattern(rf"(?<= )(?:{WORDS.pattern('redraft_removal_too')}) (?P<named>\w+(?: \w+){{0,4}})")
_TOLD: Final = frozenset({"que", "that"})
_POLISHING: Final = LatePattern(rf"(?:{WORDS.pattern('leading_in')} ){{0,3}}{WORDS.pattern('polishing')}")
_MOST_BROUGHT: Final = 1_500
_INSTEAD: Final = LatePattern(rf"{WORDS.pattern('redraft_instead')} (?P<told>.+)")
_TOLD_TOO: Final = LatePattern(rf"(?<= ){WORDS.pattern('redraft_told')} (?P<told>[^.;!?]+)")
_PAUSE: Final = re.compile("[,;]")
_SAYING: Final = LatePattern(
    rf"(?:{WORDS.pattern('asks_saying')}|{WORDS.pattern('asks_telling')})(?: {into_tongue()})?[:,]? "
    r"(?:que |that )?(?P<said>[^?]{1,300})"
)
_ENDS_SAYING: Final = LatePattern(rf"{WORDS.pattern('asks_saying')}(?: {into_tongue()})?\W*\Z")
# "Where is the bus stop? We leave on Monday": what is told behind a question is no part of it.
_QUESTION_ALONE: Final = re.compile(r"[^?]{2,300}\?(?=\s[^?]+\Z)")
_MEANING: Final = LatePattern(WORDS.pattern("asks_meaning"))
_TELLS: Final = LatePattern(WORDS.pattern("tells_whom"))
_OF_ANY_TEXT: Final = LatePattern(WORDS.pattern("redraft_part"))
_DONE: Final[Mapping[str, drafted.Change]] = MappingProxyType(
    {word: cast(drafted.Change, name) for name, said in WORDS.table("redraft_directions").items() for word in said}
)
_OPPOSITES: Final[Mapping[drafted.Change, drafted.Change]] = MappingProxyType(
    {
        "shorter": "longer", "longer": "shorter", "formal": "casual", "casual": "formal", "warm": "firm",
        "firm": "warm", "funny": "formal",
    }
)  # fmt: skip
_LESS: Final = WORDS["redraft_less"]
_WHOM: Final = WORDS["redraft_whom"]
_DAYS: Final = COMMON_WORDS["days"]
# How many words stand behind these at most: "for my sister I bought a book" is news.
_MOST_BEHIND: Final[Mapping[Kind, int]] = MappingProxyType({"language": 3, "recipient": 1, "complaint": 2})


@dataclass(frozen=True, slots=True)
class Change:
    """What a message wants changed about a text; `language` is the code of the one it is wanted in, or "".

    `named` are the words for what is to be taken out; none where that is a part of any text: "the last line".
    `added` are those of what is to be told as well, which stands in `told` where there is more to be done.
    """

    kind: Kind
    language: str = ""
    named: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    told: str = ""

    @property
    def is_for_any(self) -> bool:
        """Whether it may be wanted of any answer: "shorter", "in English"."""
        return self.kind in {"length", "language"}

    def fits(self, text: str) -> bool:
        """Tell whether it can be done to a text: what is to be taken out stands in it."""
        present = words(text)
        is_there = any(have_one_stem(one, other) for one in self.named for other in present)
        return not self.named or self.kind != "removal" or is_there


def read_change(text: str) -> Change | None:
    """Return what a message wants changed about the text before it; None where it wants no such thing."""
    said = " ".join(text.split())
    opening = _read(next(_clauses(text), ""))
    # "Too long. Put his name to it" is about the text that is there, whatever "put" wants elsewhere.
    is_opened = opening is not None and opening.kind in _OF_WORDING
    if len(text) > _MAX_CHARS or (not is_opened and (wants_sent(said) or wants_draft(said))):
        return None
    found = _read_language_wanted(text)
    if found is None:
        found = next((change for clause in _clauses(text) if (change := _read(clause)) is not None), None)
    if (taken := _TAKEN.search(" ".join(_PAUSE.sub(" ", said).split()))) is not None:
        found = replace(found or Change("removal"), named=_named(taken["named"]))
    elif found is not None and (gone := _ALSO_GONE.search(said)) is not None and found.kind != "removal":
        left = tuple(one for one in found.added if one not in words(said[gone.start() :]))
        found = replace(found, named=_named(gone["named"]), added=left)
    if found is None or found.kind == "addition":
        return None if asks_for_kept(said) else found
    if is_opened and (told := _TOLD_TOO.search(said)) is not None and len(told["told"].split()) > 1:
        found = replace(found, added=_named(told["told"]), told=told["told"])
    # "Shorten this: …" brings a text of its own, and "put it on my list" is for the list, whatever was before.
    is_other = _brings_text(text) or (found.kind not in _OF_WORDING and asks_for_kept(said))
    most = _MOST_WORDS if opening is None else _MOST_WORDS_OPENED
    return None if is_other or len(said.split()) > most else found


def read_instead(text: str) -> str:
    """Return what the text before a message is to tell, and nothing else: "too long, just say I'll be in by 10".

    "" where it says no such thing.
    """
    said = " ".join(text.split()) if len(text) <= _MAX_CHARS and "?" not in text else ""
    ends = (one.end() for one in _CLAUSE.finditer(said) if len(said[: one.end()].split()) <= _MOST_WORDS_BEFORE)
    found = next(filter(None, (_INSTEAD.match(said, one) for one in (0, *(end + 1 for end in ends)))), None)
    told = [] if found is None or asks_for_kept(said) else words(found["told"])
    is_it = len(told) > 1 and COMMON_WORDS["one_more"].isdisjoint(told) and told[0] not in WORDS["hellos"]
    return found["told"] if found is not None and is_it else ""


def read_brought(text: str) -> tuple[str, str] | None:
    """Return the wish to have a text of one's own put better, and that text, which stands behind a colon, a quote
    or on the next line; None of any other message.
    """
    wish, brought = _opened(text)
    clauses = _CLAUSE.split(wish)
    if not wish:  # "put this kindly, as it goes on the door and people mind: …"
        explained, brought = _opened(text, _MOST_WORDS_OPENED)
        clauses = _CLAUSE.split(explained)[:1]
        wish = clauses[0]
    is_wish = any(_polishes(clause) for clause in clauses)
    return (wish, brought) if is_wish and len(brought.split()) >= _WORDS_OF_A_TEXT else None


def read_translation(text: str, into: str = "") -> tuple[str, str] | None:
    """Return the code of the language in which somebody wants words of theirs, and those words; None of any other
    message. What names no language is wanted `into` one, if any."""
    return (
        _read_brought_for_translation(text, into) or read_told_to(text) or _read_asked_for_translation(text, into)
    )


def _read_asked_for_translation(text: str, into: str) -> tuple[str, str] | None:
    """Read words that stand in a question, maybe behind a story: "how do you say good night in Greek"."""
    said = " ".join(text.split()) if len(text) <= _MAX_STORY else ""
    found = next((one for pattern in ASKED if (one := pattern.search(said)) is not None), _SAYING.search(said))
    bare = None if found is not None else COURTESY.match(said)
    found = bare if bare is not None and is_courtesy(bare["said"]) else found
    whom = None if found is None else TO_WHOM.match(said, found.start("said"))
    tongues = [one.groupdict().get("tongue") or "" for one in (found, whom) if one is not None]
    named = next(filter(None, map(language_named, map(fold, tongues))), "") or spoken_in(said)
    # Who speaks English badly may ask in English.
    badly = "" if found is None or named else language_named(fold(spoken_badly(said[: found.start()])))
    code = named or badly or into
    if (
        found is None
        or not code
        or (code == language_by_words(found["said"]) and not badly)
        or SAID_TO_THEM.search(text) is not None
    ):
        return None
    told = WHY.split(found["said"])[0].strip(_MARKS)
    whom = TO_WHOM.match(told) or whom
    # "… to a guest in Greek the lift is broken": the language may stand between.
    told = behind_pointing(told if whom is None else WHY.split(whom["said"])[0].strip(_MARKS))
    keys = [fold(one) for one in _LETTERS.findall(told)]
    is_pointing = len(keys) <= _FEW and not COMMON_WORDS["pointing"].isdisjoint(keys)
    is_recalled = not (RECALLING - WORDS["courtesies"]).isdisjoint(keys[:_RECALLED_IN]) and not is_courtesy(told)
    if not keys or is_pointing or is_recalled:
        return None
    others = said[: found.start()], said[found.end() :]
    is_alone = not any(wants_done(one) or asks_for_kept(one) for one in others) and not asks_for_kept(told)
    return (code, told) if is_alone else None


def asks_how_to_say(text: str) -> bool:
    """Tell whether a text asks how something is said, in a language that it may not name."""
    return _SAYING.search(" ".join(text.split())) is not None


def _read_brought_for_translation(text: str, language: str) -> tuple[str, str] | None:
    """Read a text that somebody brings as `read_brought` says."""
    wish, brought = _opened(text)
    if not wish:
        return None
    if (quoted := _QUOTED.search(text)) is not None:
        brought, behind = quoted["said"] or quoted["told"], " ".join(quoted["behind"].split())
        into = _INTO.match(behind)
        # "How would you say '…' in French": behind that, something else may be wished for.
        wish = wish if into is None else f"{wish} {into[0]}"
        is_long = into is None and not language_named(fold(wish)) and len(behind.split()) > _LITTLE_BEHIND
        if asks_for_kept(behind) or wants_done(behind) or is_long:
            return None
    is_wish = opens_translation(wish) or any(_read_language_wanted(one) for one in _CLAUSE.split(wish))
    # "My Greek is poor, how do I write '…'": what is in quotes is to be in the tongue of the story.
    is_opened = quoted is not None and _says(wish)
    is_wish = is_wish or ((is_opened or _ENDS_SAYING.search(wish) is not None) and not asks_for_kept(wish))
    if not is_wish and _MEANING.search(fold(wish)) is not None:
        spoken, theirs = language_by_words(wish) or "", language_by_words(brought)
        is_wish, language = theirs not in {None, language_named(fold(wish)) or spoken}, spoken
    is_wish = is_wish and len(brought.split()) >= _WORDS_TRANSLATED
    language = (language_named(fold(wish)) or language) if is_wish else ""
    if quoted is None:
        # What is to be said is one question; a text that is to be translated may have more behind it.
        words = set(map(fold, _LETTERS.findall(wish)))
        is_asked_how, is_asked = not WORDS["asks_how"].isdisjoint(words), not WORDS["asks_to"].isdisjoint(words)
        alone = _QUESTION_ALONE.match(brought) if is_asked_how or is_asked else None
        brought = WHY.split(brought)[0] if alone is None else alone[0]
        # "Could you put into Greek: many thanks?": the mark is the wish's own.
        brought = brought.rstrip("? ") if is_asked and not is_asked_how else brought
    return (language, brought) if language else None


def _says(wish: str) -> bool:
    """Tell whether a wish in front of a quotation asks how that is said, maybe to somebody."""
    return translates(wish) or _TELLS.search(fold(wish)) is not None


def _opened(text: str, most: int = _MOST_WORDS) -> tuple[str, str]:
    """Return a wish of few words and the text that it brings; ("", "") where there is none."""
    opened = _OPENED.search(text)
    if opened is None or len(text) > _MOST_BROUGHT or len(text[: opened.start()].split()) > most:
        return "", ""
    return text[: opened.end()].rstrip(' :\n"“«'), text[opened.end() :].strip(' \n"”»')


def _polishes(clause: str) -> bool:
    said = " ".join(clause.split())
    lead = _LEAD.match(said)
    return any(_POLISHING.match(said, start) is not None for start in {0, lead.end() if lead else 0})


def to_be_done(change: Change, asked: str) -> drafted.Change:
    """Return what is to be done to a text as its examples are sorted: "too stiff" wants it casual."""
    if change.kind != "manner" and change.kind != "length" and change.kind != "complaint":
        return change.kind
    return _direction(change, asked) or ("shorter" if change.kind == "length" else "warm")


def says_manner(wish: str) -> bool:
    """Tell whether a wish says how a text is to sound, or how long it is to be."""
    return _direction(Change("manner"), wish) is not None


def is_plain_wish(change: Change, asked: str) -> bool:
    """Tell whether a short message says no more than that: "make it shorter", and not "that it rhymes"."""
    is_plain = change.kind in _OF_WORDING and len(asked.split()) <= _MOST_WORDS_PLAIN
    return is_plain and _direction(change, asked) is not None


def is_bare(change: Change, asked: str) -> bool:
    """Tell whether a short message wants a text shorter, in another tone or language, and nothing else."""
    return change.kind in {"manner", "length", "language"} and len(asked.split()) <= _MOST_WORDS_BARE


def _direction(change: Change, asked: str) -> drafted.Change | None:
    said = _LETTERS.findall(fold(asked))
    for before, word in zip(["", *said], said, strict=False):
        if (done := _DONE.get(word)) is not None:
            is_opposite = before in _LESS or change.kind == "complaint"
            return _OPPOSITES.get(done, done) if is_opposite else done
    return None


def puts_right(text: str) -> bool:
    """Tell whether a short message says which day or number is the right one: "sorry, it's on Friday"."""
    said = fold(text).split()
    is_told = any(word.strip(",.!;:") in _DAYS or any(map(str.isdigit, word)) for word in said)
    return is_told and len(said) <= _MOST_WORDS_RIGHT and is_correction(text)


def _brings_text(text: str) -> bool:
    opened = _OPENED.search(text)
    return opened is not None and len(text[opened.end() :].split()) >= _WORDS_OF_A_TEXT


def _clauses(text: str) -> Iterator[str]:
    """Yield the clauses that may hold the wish: the first ones, before there is a story."""
    before = 0
    for clause in map(str.split, _CLAUSE.split(text)):
        if clause and before <= _MOST_WORDS_BEFORE:
            yield " ".join(clause)
        before += len(clause)


def _read(clause: str) -> Change | None:
    lead = _LEAD.match(clause)
    # What leads in may be the wish itself: "sin emojis", "y para Ana".
    for start in dict.fromkeys((lead.end() if lead else 0, 0)):
        for kind, pattern in _KINDS.items():
            if (found := pattern.match(clause, start)) is not None:
                behind = clause[found.end() :]
                return _change(kind, found[0], behind) if _is_meant(kind, found[0], behind.split()) else None
    return None


def _read_language_wanted(text: str) -> Change | None:
    """Return the language in which a clause wants the text before it: it says no more than for whom, and why."""
    for clause in _CLAUSE.split(text):
        said = " ".join(clause.split())
        found = _INTO.search(said)
        if found is None or not _AROUND.issuperset(_LETTERS.findall(fold(said[: found.start()]))):
            continue
        behind = _LETTERS.findall(fold(said[found.end() :]))
        if not behind or behind[0] in _BEHIND:
            return Change("language", language_named(fold(found[0])))
    return None


def _change(kind: Kind, said: str, behind: str) -> Change:
    if kind == "language":
        return Change(kind, language_named(fold(said)))
    if kind == "addition" and fold(said).split()[-1] in _TOLD:
        return Change(kind, added=tuple(one for one in _named(behind) if len(one) >= _LEAST_LETTERS))
    return Change(kind, named=_named(behind)) if kind == "removal" else Change(kind)


def _named(behind: str) -> tuple[str, ...]:
    """Return the words for what is to be taken out of a text."""
    return tuple(word for word in words(_OF_ANY_TEXT.sub("", behind)) if word not in STOP_WORDS | _BEHIND)


def _is_meant(kind: Kind, said: str, behind: list[str]) -> bool:
    """Tell whether what stands behind the words of a wish leaves it one."""
    if kind == "recipient" and fold(said).split()[-1] in _DAYS:
        return False
    # "Tell my aunt …" names somebody to be told, "tell her …" does not.
    if kind == "addition" and " " not in said and behind and fold(behind[0]) in _WHOM:
        return False
    return len(behind) <= _MOST_BEHIND.get(kind, _MAX_CHARS)
