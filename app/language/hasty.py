"""A wish typed in haste: "anotaa que …", "undo taht", "my ntoes", "add brd tothe list".

The words that make a wish are put right where they lead it, before anybody reads the message. What is behind them
is the person's own, and stays as it is written.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from types import MappingProxyType
from typing import Final

from app.language.catalogue import LANGUAGES, Language
from app.language.folding import fold
from app.language.lexicon import COMMON_WORDS
from app.language.slips import Change, slipped_forms, sound_of, with_changes

_MOST_WORDS: Final = 12
_MAX_CHARS: Final = 400
_LEAST_LETTERS: Final = 4
_WORD: Final = re.compile(r"(?<![^\W\d_])[^\W\d_]++(?:'[^\W\d_]++)?+(?![/=_@#&+*])")
_OWN: Final = re.compile(r"[:\n\"«“/=_@#&+*]")
_NO_SPANISH: Final = re.compile(r"[pstgkr]h|ck|w|h[rnlm]")
"""Who writes Spanish by ear writes none of these."""
_TO_WORD: Final = re.compile(r"\s{1,3}[^\W\d_]")
_TO_NUMBER: Final = re.compile(r"\s{1,3}[^\W_]")
_TOLD: Final = "ó"
"""With it ends what somebody did, "nevó", and nothing that is wished for."""
_ENDS: Final = re.compile(r"[\s.!?¡¿…]{0,9}\Z")
_KEEPING: Final = COMMON_WORDS["hasty.keeping"]
_NOTING: Final = COMMON_WORDS["hasty.noting"]
_MAKING: Final = COMMON_WORDS["hasty.making"]
_REMINDING: Final = COMMON_WORDS["hasty.reminding"]
_THINGS: Final = COMMON_WORDS["hasty.things"] | COMMON_WORDS["hasty.kept"]
_KEPT: Final = COMMON_WORDS["hasty.kept"]
_TOWARDS: Final = COMMON_WORDS["hasty.towards"]
_ARTICLES: Final = COMMON_WORDS["hasty.articles"]
_WITH_ENYE: Final = COMMON_WORDS["hasty.with_enye"]
_BEFORE_NUMBER: Final = COMMON_WORDS["hasty.before_number"]
_FIRM: Final = _KEEPING | _REMINDING | _THINGS | COMMON_WORDS["hasty.asking"]
_LEADING: Final = _FIRM | COMMON_WORDS["hasty.between"] | COMMON_WORDS["hasty.before"]
_OTHERS: Final = COMMON_WORDS["hasty.others"] | COMMON_WORDS["stop_words"] | _LEADING
_OPENS_OWN: Final = COMMON_WORDS["hasty.opens_own"]
_OPENS_REMINDER: Final = _OPENS_OWN | COMMON_WORDS["hasty.opens_own_of_reminder"]
_WRITTEN: Final = MappingProxyType(
    {
        slip: meant.replace("_", " ")
        for slip, _, meant in (one.partition("=") for one in sorted(COMMON_WORDS["hasty.written"]))
    }
)


def _said_in(language: Language) -> frozenset[str]:
    words = COMMON_WORDS.tongues[LANGUAGES.index(language)].words
    topics = ("keeping", "reminding", "asking", "things", "kept", "between", "before", "opens_own")
    return words["stop_words"].union(*(words[f"hasty.{topic}"] for topic in topics))


_ENGLISH: Final = frozenset(_said_in("en") - _said_in("es"))
_SPANISH: Final = frozenset(_said_in("es") - _said_in("en"))


def _all_slips() -> Iterator[tuple[str, str]]:
    for word in sorted(_FIRM | COMMON_WORDS["hasty.between"]):
        if len(word) >= _LEAST_LETTERS:
            yield from ((slip, word) for slip in slipped_forms(word) if slip not in _OTHERS)


_HEARD: Final = MappingProxyType(
    {
        sound_of(word): word
        for topic in ("keeping", "reminding", "asking", "things", "kept")
        for word in sorted(COMMON_WORDS.tongues[LANGUAGES.index("es")].words[f"hasty.{topic}"])
        if len(word) > _LEAST_LETTERS
    }
)
_SLIPS: Final = MappingProxyType(dict(chain(_all_slips(), _WRITTEN.items())))


def as_wished(text: str) -> str:
    """Return a message with the words that lead its wish as they are meant; any other message as it is."""
    if len(text) > _MAX_CHARS:
        return text
    own = _OWN.search(text)
    words = [*islice(_WORD.finditer(text, 0, len(text) if own is None else own.end()), _MOST_WORDS)]
    return with_changes(text, _Wish(text, words).changes())


class _Wish:
    """Reads the words of one message up to where the person's own begin."""

    def __init__(self, text: str, words: Sequence[re.Match[str]]) -> None:
        self._text = text
        self._words = words
        self._verb = ""
        self._before = ""
        self._end = 0
        self._is_led = False
        """Whether words lead from a verb of noting to where it notes: "save this to"."""
        self._sure: list[Change] = []
        self._maybe: list[Change] = []

    def changes(self) -> Sequence[Change]:
        """Return what is to be put right, in order: of small words, only those on the way to one of the wish."""
        if not all(map(self._goes_on, self._words)):
            return self._sure
        is_whole = not self._text[self._end :].strip(" .!?¡¿…%$0123456789") and self._verb not in _KEEPING
        return [*self._sure, *self._maybe] if is_whole else self._sure

    def _goes_on(self, one: re.Match[str]) -> bool:
        """Read the next word; tell whether further ones may be of the wish."""
        key, verb = fold(one[0]), self._verb
        if verb in _KEEPING and any(map(str.isdigit, self._text[self._end : one.start()])):
            return False
        meant = self._meant(one, key)
        if verb and meant in (_OPENS_REMINDER if verb in _REMINDING else _OPENS_OWN):
            self._sure += [] if meant == key else [Change(*one.span(), meant)]
            return False
        last = meant.rpartition(" ")[2]
        if not meant or (verb in _KEEPING and last in _FIRM and not self._is_of_keeping(one, key, last)):
            return False
        self._take(one, key, meant)
        return verb not in _KEEPING or last not in _THINGS

    def _take(self, one: re.Match[str], key: str, meant: str) -> None:
        last, self._end = meant.rpartition(" ")[2], one.end()
        if self._verb in _KEEPING and key in _TOWARDS:
            self._maybe = [each for each in self._maybe if each.meant not in _ARTICLES]
        if meant != key:
            self._maybe.append(Change(*one.span(), meant))
        if last in (_KEPT if self._verb in _KEEPING else _FIRM):
            self._sure, self._maybe = [*self._sure, *self._maybe], []
        self._is_led = self._is_led or not _TOWARDS.isdisjoint(meant.split())
        self._before = last
        if not self._verb and last in _KEEPING | _REMINDING:
            self._verb, self._is_led = last, False

    def _is_of_keeping(self, one: re.Match[str], key: str, last: str) -> bool:
        """Tell whether a firm word behind a verb of keeping leads to where things are kept, and is none itself:
        "add to the lsit" does, "note lsit" and "add tomorow" do not."""
        if last not in _KEPT:
            return key == last and last in _KEEPING
        is_own = self._verb in _THINGS or (self._verb in _NOTING and not self._is_led)
        is_thing = self._verb not in _MAKING and self._before == self._verb
        is_alone = is_thing and _ENDS.match(self._text, one.end()) is not None
        return key == last or not (is_own or is_alone)

    def _meant(self, one: re.Match[str], key: str) -> str:
        """Return the word of a wish that is written so, or was meant by a slip, or by ear; "" for any other."""
        said = one[0]
        is_plain = said.islower() or self._text.isupper()
        if is_plain and (meant := _WRITTEN.get(f"{self._before}_{key}", "")):
            led = _TO_NUMBER if self._before in _BEFORE_NUMBER else _TO_WORD
            return meant if len(key) > 1 or led.match(self._text, one.end()) else ""
        if key in _LEADING or key in _OTHERS:
            return key if key in _LEADING else ""
        if not (is_plain or self._opens_sentence(one)) or said.casefold().endswith(_TOLD):
            return ""
        meant = _SLIPS.get(key) or self._heard(key)
        return meant if "ñ" not in said.casefold() or meant in _WITH_ENYE else ""

    def _heard(self, key: str) -> str:
        if len(key) < _LEAST_LETTERS or _NO_SPANISH.search(key) is not None:
            return ""
        meant = _HEARD.get(sound_of(key), "")
        said = {fold(one[0]) for one in self._words} if meant else frozenset[str]()
        return "" if said & _ENGLISH and not said & _SPANISH else meant

    def _opens_sentence(self, one: re.Match[str]) -> bool:
        before = self._text[: one.start()].rstrip(" \"'¡¿")
        return not before or before[-1] in ".!?…"
