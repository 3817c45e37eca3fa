"""Texts that a model wrote for somebody else: made tidy, and looked at whether they are what was wished for."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import pairwise
from types import MappingProxyType
from typing import Final, Literal

from app.domain.chat import ChatRequest
from app.domain.wording import end_of_sentences, have_one_stem, stem
from app.domain.wording import words as content_words
from app.language.catalogue import LANGUAGES, Language, say
from app.language.detection import language_by_words
from app.language.folding import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.language.weekdays import has_weekdays, weekdays_in, with_weekday
from app.llm.claims import claims_side_effect
from app.skills.lexicon import ANSWERS
from app.skills.texts import SKILLS
from app.skills.unusable import Objection, is_mostly_marks
from app.skills.writing.lexicon import WRITING
from app.skills.writing.told import DraftWish, names_in, read_draft_wish
from app.skills.writing.wishes import is_somebody

Change = Literal[
    "", "shorter", "longer", "formal", "casual", "warm", "funny", "firm",
    "addition", "removal", "replacement", "recipient", "language", "correction",
]  # fmt: skip
"""What is to be done to a text; "" where it is a new one."""
# Hotter, a small model makes things up in the person's name.
_MOST_HEAT: Final = 0.7
_LEAST_HEAT: Final = 0.2
_OF_A_FEW_WORDS: Final[frozenset[Change]] = frozenset(
    {"addition", "removal", "replacement", "recipient", "shorter", "longer"}
)
_OF_TONE: Final[frozenset[Change]] = frozenset({"formal", "casual", "warm", "funny", "firm"})
_LEAST_SHARE: Final = 0.1
_LEAST_OTHER: Final = 3
_LEAST_KEPT: Final = 0.3
_LEAST_GONE_ON: Final = 0.5
_LEAST_KEPT_OF_BROUGHT: Final = 0.5
_MOST_ADDED: Final = 0.4
# As `difflib` measures it: "teusday" and "Tuesday" 0.86, "avuela" and "abuela" 0.83, "yevo" and "llevo" 0.67.
_SAME_SPELLING: Final = 0.65
_WHOM: Final = ANSWERS["whom"]
_SPELT: Final = MappingProxyType(COMMON_WORDS.table("numbers"))
_LETTERS: Final = 4
_LEAST_TOLD: Final = 2
_LEAST_OF_MUCH: Final = 4
_MUCH: Final = 6
_OF_A_TEXT: Final = 2
_OPENING_WORDS: Final = 3
_WORD: Final = re.compile(r"[^\W_]+")
_SENTENCE: Final = re.compile(r"[^.!?\n]*(?:[.!?]+(?=\s|$)|\n|$)|[^.!?\n]*[.!?]+")
_MARKS: Final = re.compile(r"^[ \t]*(?:```\w*|\"\"\"|'''|---+)[ \t]*$|\"\"\"|```", re.MULTILINE)
_QUOTES: Final = ('""', "“”", "«»", "''", "``")
_LEAD: Final = LatePattern(rf"\W*{ANSWERS.pattern('text_lead')}(?:[^\n:]{{0,200}}:)[ \t]*\n*(?=\S)")
_LABEL: Final = LatePattern(rf"\W*{ANSWERS.pattern('text_label')} ?:\s*")
_REPEATED: Final = LatePattern(rf"\n[ \t]{{0,9}}{ANSWERS.pattern('change_label')} ?:.*", re.IGNORECASE | re.DOTALL)
_HELPDESK: Final = LatePattern(rf"\W{{0,9}}{WRITING.pattern('helpdesk')}")
_BLANK: Final = r"(?:\[[^\[\]\n]{1,60}\]|<[^<>\n]{1,60}>|\{[^{}\n]{1,60}\})"
_BLANKS: Final = re.compile(_BLANK)
_SALUTATION: Final = LatePattern(rf"^[^\w\n]*{ANSWERS.pattern('salutation')} ?{_BLANK}\W*?[,:;.!]*[ \t]*",
                                 re.IGNORECASE | re.MULTILINE)  # fmt: skip
_AFTER_FEW_WORDS: Final = re.compile(
    rf"(?P<said>(?:^|[.!?¡¿] ?)[^\w\n\[<{{]{{0,9}}\w+(?: \w+){{0,3}}?),? ?{_BLANK}(?=[ \t]*(?:[,.!?:;)]|$))",
    re.MULTILINE,
)
_OWN_LINE: Final = re.compile(rf"^[^\w\n]*{_BLANK}[^\w\n]*$\n?", re.MULTILINE)
_LINES: Final = re.compile(r"\n{3,}")
_GREETED: Final = LatePattern(
    rf"(?P<greets>¡?{WRITING.pattern('greets')}),? (?P<who>(?-i:[A-ZÀ-ÖØ-Þ])[\w'’-]+)(?= ?[,:!.\n])"
)
_OPENS: Final = LatePattern(rf"\W{{0,3}}{WRITING.pattern('greets_bare')}(?!\w)")
_NO_EMOJI: Final = LatePattern(WRITING.pattern("no_emoji"), re.IGNORECASE)
_EMOJI: Final = re.compile("[ ]?[\u2600-\u27bf\u2b50\ufe0f\U0001f300-\U0001faff]")
_TITLE: Final = LatePattern(WRITING.pattern("title"))


@dataclass(frozen=True, slots=True)
class WantedText:
    """A text that a person `asked` for, in their name: a new one, or a `change` of the one `before`.

    `named` are the words for what is to be taken out of it; `context` is what was said before, where a wish is
    about that. Of the words `added`, one is in the new text, in which code puts what is to be `told` as it was
    said. A text that `is_brought` is the person's own: what it tells is told again. `into` is the code of the
    language in which it is wanted.
    """

    asked: str
    before: str = ""
    change: Change = ""
    named: tuple[str, ...] = ()
    context: str = ""
    is_brought: bool = False
    into: str = ""
    added: tuple[str, ...] = ()
    told: str = ""

    def asked_for(self, request: ChatRequest) -> ChatRequest:
        """Return the request as it is made for a text: it takes no conversation's place in the cache."""
        most = _LEAST_HEAT if self.change == "language" or self.is_brought else _MOST_HEAT
        return replace(request, purpose="closing", temperature=min(request.temperature, most))

    def tidied(self, text: str) -> str:
        """Return the text alone: no fences, quotes, words to the person, blanks for names."""
        text = _unquoted(_MARKS.sub("", text))
        text = _REPEATED.sub("", text[label.end() :] if (label := _LABEL.match(text)) is not None else text)
        if (lead := _LEAD.match(text)) is not None:
            text = _unquoted(text[lead.end() :])
        if self._blanks(text):
            text = _AFTER_FEW_WORDS.sub(r"\g<said>", _OWN_LINE.sub("", _SALUTATION.sub("", text)))
            text = text[:1].upper() + text[1:]
        if _NO_EMOJI.search(self.asked) is not None:
            text = _EMOJI.sub("", text)
        text = self._greeting_nobody_else(_LINES.sub("\n\n", text).strip())
        if (wish := self._wish()) is None:
            return text
        # What nobody told, in a sentence of its own, is left out, unless that leaves nothing.
        return wish.with_signature(_without(text, lambda sentence: self._adds(wish, sentence)) or text)

    def objection_to(self, text: str) -> Objection | None:
        """Tell what is wrong with a tidied text.

        What it tells or promises is the person's own, but for a claim that a message went out.
        """
        if is_mostly_marks(text):
            return "malformed"
        if self._blanks(text):
            return "blank"
        if self.before and (self._makes_up(text) or not self._is_changed(text)):
            return "unchanged"
        wish = self._wish()
        if not self.before and (self._is_bare(text) or self._repeats(text) or _asks_back(text, wish)):
            return "bare"
        first = text[: end_of_sentences(text, 1)]
        says_of_text = not ANSWERS["sent_things"].isdisjoint(_words(first))
        if says_of_text and claims_side_effect(first):
            return "claim"
        if wish is not None and wish.hands_on(text):
            return "lacking"
        if wish is not None and wish.is_of_another_kind(text):
            return "kind"
        is_true = wish is None or not (wish.lacks(text) or wish.strays(text) or self._adds(wish, text))
        return None if is_true else "lacking"

    def mended(self, text: str, objection: Objection, language: Language) -> str:
        """Return what code makes of a text that met an objection again; "" where it can make nothing of it."""
        if objection == "blank":
            kept = _without(text, lambda sentence: bool(self._blanks(sentence)))
        elif objection == "unchanged" and self.named:
            # What a small model added stays.
            kept = _without(text if self.added else self.before, self._names)
        elif objection == "unchanged" and self.into:
            kept = self._with_its_day(text)
            return kept if kept and self.objection_to(kept) is None else say(SKILLS.not_translated, language)
        elif objection == "unchanged" and (self.change == "shorter" or self.told):
            least = _least_telling(self.before) if self.change == "shorter" else None
            kept = _without(self.before, lambda sentence: sentence.strip() == least)
            if self.told:
                return f"{kept.rstrip(' .')}. {self.told[:1].upper()}{self.told[1:].rstrip(' .')}."
        elif self.is_brought and self.change != "correction":
            # In plain words rather than not at all: nothing of it is lost.
            said = self.before.strip().rstrip(" .!")
            return say(SKILLS.draft_told_plainly, language_by_words(said) or language, said=f"{said}.")
        else:
            kept = ""
        is_little = len(_words(kept)) < _LEAST_OF_MUCH or self._is_bare(kept)
        if not is_little and self.objection_to(kept) is None:
            return kept
        return "" if (told := self._wish()) is None else told.told(language)

    def _greeting_nobody_else(self, text: str) -> str:
        """Return a text that greets by name only who is named: a small model greets whom its examples greet."""
        found = _GREETED.match(text)
        if found is None:
            return text
        own = {*_words(f"{self.asked} {self.before} {self.context}"), *ANSWERS["greeting_words"]}
        if any(have_one_stem(fold(found["who"]), word) for word in own):
            return text
        wish, rest = self._wish(), text[found.end() :]
        whom = f" {wish.whom}" if wish and not wish.is_elsewhere and is_somebody(wish.whom) else ""
        greeting = found["greets"].split()[0] if whom or len(found["greets"].split()) > 1 else found["greets"]
        return greeting + whom + rest

    def _adds(self, wish: DraftWish, text: str) -> bool:
        return wish.adds(text, f"{self.context}\n{self.asked}")

    def _wish(self) -> DraftWish | None:
        return None if self.before else read_draft_wish(self.asked)

    def _blanks(self, text: str) -> list[str]:
        """Return what stands in brackets, but for the person's own."""
        own = f"{self.asked}\n{self.before}"
        return [blank for blank in _BLANKS.findall(text) if blank not in own]

    def _is_changed(self, text: str) -> bool:
        old, new = _words(self.before), _words(text)
        before, after = Counter(map(stem, old)), Counter(map(stem, new))
        others = (after - before).total() + (before - after).total()
        if (self.named and self._names(text)) or (self.added and not self._names(text, self.added)):
            return False
        match self.change:
            case "shorter" if len(new) >= len(old) + len(_words(self.told)):
                return False
            case "longer" if len(new) <= len(old):
                return False
        if self.change == "correction":
            return self._keeps(text)
        if self.change in _OF_A_FEW_WORDS:
            return new != old and self._goes_on(text) and not (self.change == "shorter" and _turns_round(old, new))
        if self.change == "language":
            return new != old and self._keeps(text)
        return others >= max(_LEAST_OTHER, _LEAST_SHARE * len(old)) and self._keeps(text)

    def _goes_on(self, text: str) -> bool:
        """Tell whether a message that was added to or cut has what nobody wanted out, names, numbers and days."""
        if (
            self.change not in {"addition", "shorter"}
            or self.told
            or self.named
            or _OPENS.match(self.before) is None
        ):
            return True
        old, new = _words(self.before), _words(text)
        calendar = {one for one in old if _is_of_calendar(one)}
        is_there = all(one in new or not {*new}.isdisjoint(_SPELT.get(one, ())) for one in calendar)
        told = {one for one in content_words(self.before) if one not in ANSWERS["greeting_words"]}
        kept = sum(any(have_one_stem(one, other) for other in new) for one in told)
        least = 0 if self.change == "shorter" else _LEAST_GONE_ON
        return is_there and self._names_all(text) and kept >= least * len(told) and not self._is_bare(text)

    def _makes_up(self, text: str) -> bool:
        """Tell whether a text names a day or a number of which nobody spoke, such as those of its examples."""
        if self.change == "language" or any(map(_is_of_calendar, _words(self.asked))):
            return False
        old = _words(self.before)
        return any(
            _is_of_calendar(word) and not _is_spelt_as_one_of(word, old) for word in set(_words(text)) - {*old}
        )

    def _keeps(self, text: str) -> bool:
        """Tell whether a text in another tone still is that text, and no answer to it, with its numbers."""
        told = {word for word in content_words(self.before) if len(word) >= _LETTERS or word.isdigit()}
        present = set(content_words(text))
        kept = {one for one in told if any(have_one_stem(one, other) for other in present)}
        if self.is_brought:
            kept |= {one for one in told if _is_spelt_as_one_of(one, present)}
            long = [one for one in present if len(one) >= _LETTERS]
            added = [one for one in long if one not in told and not _is_spelt_as_one_of(one, told)]
            if _turns_round(_words(self.before), _words(text)):
                return False
            if self.change == "correction" and len(added) > _MOST_ADDED * len(long):
                return False
        least = _LEAST_KEPT_OF_BROUGHT if self.is_brought else _LEAST_KEPT
        is_kept = len(kept) >= least * len(told) or self.change == "language"
        if self.change in _OF_TONE and not self._tells_the_same(text):
            return False
        if self.change == "language" and not (self._names_all(text) and self._days() <= self._days(text)):
            return False
        numbers, new = filter(str.isdigit, told), set(_words(text))
        return is_kept and all(one in new or not new.isdisjoint(_SPELT.get(one, ())) for one in numbers)

    def _tells_the_same(self, text: str) -> bool:
        """Tell whether a text in another tone still has the days, colours and names of the one before."""
        present = [stem(word) for word in _words(text)]
        none = COMMON_WORDS["days"] | COMMON_WORDS["colours"]
        forms = ({word, word.removesuffix("s"), word.removesuffix("es")} for word in _words(self.before))
        fixed = {min(each, key=len) for each in forms if not none.isdisjoint(each)}
        return self._names_all(text) and all(
            any(have_one_stem(stem(one), word) for word in present) for one in fixed
        )

    def _names_all(self, text: str) -> bool:
        """Tell whether a translation has everybody who is named, but for titles, which are translated."""
        names = (name for name in names_in(self.before) if _TITLE.fullmatch(fold(name)) is None)
        return all(fold(name) in fold(text) for name in names)

    def _days(self, text: str = "") -> set[int]:
        """Return the days of the week in a translation, or in what it is of; none of a language nobody knows."""
        if not has_weekdays(self.into):
            return set()
        ways = [weekdays_in(text, self.into)] if text else [weekdays_in(self.before, one) for one in LANGUAGES]
        return set().union(*ways)

    def _with_its_day(self, text: str) -> str:
        """Return a translation that names another day than what it is of, with the right one; else ""."""
        right, wrong = self._days(), self._days(text)
        is_one = len(right) == len(wrong) == 1 and right != wrong
        return with_weekday(text, self.into, *wrong, *right) if is_one else ""

    def _names(self, text: str, some: Sequence[str] = ()) -> bool:
        present = _words(text)
        return any(have_one_stem(one, other) for one in some or self.named for other in present)

    def _is_bare(self, text: str) -> bool:
        """Tell whether a text only greets."""
        told = [word for word in _words(text) if word not in ANSWERS["greeting_words"]]
        has_much = len(content_words(self.asked)) >= _MUCH
        return len(told) < (_LEAST_OF_MUCH if has_much else _LEAST_TOLD)

    def _repeats(self, text: str) -> bool:
        """Tell whether a text is the wish itself: "Could you help me write to my boss that …?"."""
        opening = " ".join(_words(self.asked)[:_OPENING_WORDS])
        return f" {opening} " in f" {' '.join(_words(text))} "


def _asks_back(text: str, wish: DraftWish | None) -> bool:
    """Tell whether a text offers what was asked for, or asks for what was told."""
    opens = _HELPDESK.match(text) is not None
    return opens and (wish is None or not wish.said or wish.lacks(text) or "?" in text)


def _is_spelt_as_one_of(word: str, others: Iterable[str]) -> bool:
    return bool(get_close_matches(word, others, n=1, cutoff=_SAME_SPELLING))


def _turns_round(old: Sequence[str], new: Sequence[str]) -> bool:
    """Tell whether somebody else is owed or told something: "you owe me" became "I owe you"."""
    before, after = ({*pairwise(words)} for words in (old, new))
    turned = {verb for verb, whom in before if whom in _WHOM and (verb, whom) not in after}
    return any(verb in turned and whom in _WHOM for verb, whom in after)


def _is_of_calendar(word: str) -> bool:
    return word in COMMON_WORDS["days"] or any(map(str.isdigit, word))


def _least_telling(text: str) -> str | None:
    """Return the sentence behind the first one that tells least; None where there are no three."""
    sentences = [one.strip() for one in _SENTENCE.findall(text) if _words(one)]
    return min(sentences[1:], key=_telling) if len(sentences) > _OF_A_TEXT else None


def _telling(sentence: str) -> int:
    return sum(word not in ANSWERS["greeting_words"] for word in content_words(sentence))


def _unquoted(text: str) -> str:
    text = text.strip()
    for first, last in _QUOTES:
        inside = text[1:-1]
        if text.startswith(first) and text.endswith(last) and len(text) > 1 and first not in inside:
            return inside.strip()
    return text[1:].strip() if text[:1] == '"' and text.count('"') == 1 else text


def _without(text: str, is_out: Callable[[str], bool]) -> str:
    return _LINES.sub("\n\n", "".join(one for one in _SENTENCE.findall(text) if not is_out(one))).strip()


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text))
