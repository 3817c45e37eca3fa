"""What a wish for a text says: whom it is for, what it is to tell, who signs it; and a plain text of that."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Final

from app.domain.wording import have_one_stem, stem, words
from app.language.catalogue import LANGUAGES, Language, say
from app.language.folding import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS, STOP_WORDS
from app.language.written_numbers import in_digits
from app.skills.lexicon import ANSWERS
from app.skills.texts import SKILLS
from app.skills.writing.kinds import is_of_kind, kind_wanted, plain_of_kind
from app.skills.writing.lexicon import WRITING
from app.skills.writing.wishes import COPYING, TextWish, find_text_wish, is_somebody, is_spoken

_NUMBER: Final = re.compile(r"\d+")
_NAME: Final = re.compile(r"(?<=[\w-] )[A-ZÀ-ÖØ-Þ]\w{2,}|(?<=[,;] )[A-ZÀ-ÖØ-Þ]\w{2,}")
_TITLED: Final = LatePattern(rf"{WRITING.pattern('title')}\.? (?P<name>(?-i:[A-ZÀ-ÖØ-Þ])\w{{2,}})")
_OPENING_NAME: Final = re.compile(r"(?:\A|(?<=[.!?:\n] ))[A-ZÀ-ÖØ-Þ][^\W_]{2,}")
_OWNER: Final = re.compile(r"(?<= )(?:de|del|of) ([A-ZÀ-ÖØ-Þ]\w{2,})|(?<!\w)([A-ZÀ-ÖØ-Þ]\w{2,})['’]s(?= )")
_CALLED: Final = re.compile(r"(?P<word>[^\W\d_]+)(?P<mark>[,.:!?])?")
_ENDED: Final = re.compile(r"[.!?…]\Z")
_CLAUSE: Final = re.compile(r"(?:[^,;:.!?…¿¡()\n]|(?<=\d)[.,:](?=\d))+[,;:.!?…)]*")
_SPLIT: Final = re.compile(r"\W+")
_TELLING: Final = LatePattern(rf"\W{{0,4}}{WRITING.pattern('telling')} ?")
# "… asking him to": what stands behind that is asked of the reader.
_REQUEST: Final = LatePattern(
    rf"{WRITING.pattern('asked_to')} (?:[\w'’-]+ ){{1,4}}{WRITING.pattern('request')} ?\Z"
)
_JOINED: Final = r"\W{0,4}(?:(?:and|but|also|oh|y|pero|e|ah|ni) )?"
# "I call her Nana Bev", "everyone calls him Mr Otis": whom the text is to greet.
_ADDRESSED: Final = LatePattern(
    rf"{_JOINED}{WRITING.pattern('addressing')} "
    r"(?P<who>(?-i:[A-ZÀ-ÖØ-Þ])[\w'’-]*\.?(?: (?-i:[A-ZÀ-ÖØ-Þ])[\w'’-]*\.?){0,3})\W*\Z",
    re.IGNORECASE,
)
# "Her name is Mrs Otis": the same, where nobody else is to read it.
_CALLED_SO: Final = LatePattern(
    rf"{_JOINED}{WRITING.pattern('naming')} "
    r"(?P<who>[\w'’-]+\.?(?: (?-i:[A-ZÀ-ÖØ-Þ])[\w'’-]*\.?){0,3})\W*\Z",
    re.IGNORECASE,
)
# "… which I hand over myself" says who hands it on.
_HANDED_ON: Final = LatePattern(rf"{_JOINED}{WRITING.pattern('handed_on')}")
_OWN_HAND: Final = LatePattern(WRITING.pattern("own_hand"))
_STYLE: Final = LatePattern(rf"{_JOINED}{WRITING.pattern('style')}")
# "… that it does not sound rude but I am fed up": how it is to sound leads to what it tells.
_STYLE_BEFORE: Final = LatePattern(rf"\A{_JOINED}{WRITING.pattern('style')}(?: \w+){{0,2}},? (?:pero|but) ")
_UNSAID: Final = LatePattern(rf"{_JOINED}{WRITING.pattern('unsaid')} (?P<thing>.+)")
_NAMED: Final = LatePattern(rf"{_JOINED}{WRITING.pattern('mentioning')} (?P<thing>.+)")
_ASIDE: Final = LatePattern(
    rf"(?P<style>(?:\A|[,;:.!?…(\n]| y| and| but| pero) ?{WRITING.pattern('style')}[^,;:.!?…\n]{{0,60}}?)"
    rf",? {WRITING.pattern('aside')} [^,;:.!?…\n]{{1,120}}"
)
_SIGNED: Final = LatePattern(
    rf"(?:\A(?:(?:y|and) )?|(?<=[,;:.!?(\n] )|(?<= )(?:y|and) )(?P<by>{WRITING.pattern('signing')}) "
    r"(?P<who>[^,;:.!?()\n]+)"
)
_LEAD: Final = LatePattern(rf"(?:{WRITING.pattern('lead')}[ ,!.:]{{1,3}}){{1,6}}")
_MOST_OF_STYLE: Final = 8
_MOST_SIGNING: Final = 6
_FEW_LEADING: Final = 3
_LETTERS: Final = 4
_LEAST_TOLD: Final = 3
_LEAST_SPOKEN: Final = 3
"""Sentences of a speech."""
_SHARE_NAMED: Final = 0.5
_ENDS_OF_SENTENCES: Final = re.compile(r"[.!?…](?=\s|\Z)")
_LEAST_SAID: Final = 2
_SHARE: Final = 0.6
_FREELY: Final = 4
_SHARE_FREELY: Final = 0.7
_ENDS: Final = re.compile(r"[.!?¿\n]")
_GREETS: Final = ANSWERS["greeting_words"] | WRITING["polite"] | frozenset({""})
_ASKS: Final = WRITING["asks"]
_HALF_A_DAY: Final = 12
# "Un" and "one" count nothing.
_PARTS_OF_ALL: Final = frozenset({"1"})
# Who says "half 5" or "cinco y cuarto" names a time that is written with one of these.
_PARTS_OF_HOURS: Final = frozenset({"00", "15", "30", "45", "0"})


@dataclass(frozen=True, slots=True)
class DraftWish:
    """`whom` is who is to read it, in the person's words, `said` what it is to tell, `signed` who signs it.

    `thing` is what is wished for, folded. `is_elsewhere`: it is wanted in a language that is named.
    `has_small_letters`: they begin sentences with small letters, and only names with a capital. `unsaid` is what
    the text is not to name, `named` what it is to name. `is_spoken`: it is said aloud to those who are there.
    `called` is how the writer calls who is to read it. `kind` is the kind of text that is named, such as an
    apology; `is_behind`: what it is to tell stands behind the wish, not in a story before it. `is_asked`: the
    reader is to do what is told, as "to bring …" says.
    """

    whom: str
    said: str
    signed: str = ""
    thing: str = ""
    is_elsewhere: bool = False
    has_small_letters: bool = False
    unsaid: str = ""
    named: str = ""
    is_spoken: bool = False
    called: str = ""
    kind: str = ""
    is_behind: bool = True
    is_asked: bool = False

    def is_of_another_kind(self, text: str) -> bool:
        """Tell whether a text has none of the words of its kind, such as an apology without "sorry"."""
        return not self.is_elsewhere and not is_of_kind(text, self.kind)

    def hands_on(self, text: str) -> bool:
        """Tell whether a text has what the person says of handing it on: "to her myself"."""
        return _OWN_HAND.search(text) is not None and _OWN_HAND.search(self.said) is None

    def lacks(self, text: str) -> bool:
        """Tell whether a text leaves out a number, a day, somebody who is named, or most of what is told.

        A reader without a name need not be in it, but "the teacher of Ana" names Ana.
        """
        if any(fold(name) not in fold(text) for name in self._named()) or self._is_taken_over(text):
            return True
        if self._greets_another(text):
            return True
        if self._names_unsaid(text) or not self._names_what_is_told(text):
            return True
        if self.is_spoken:
            return len(_ENDS_OF_SENTENCES.findall(text)) < _LEAST_SPOKEN
        if not _hours(_numbers(text)) >= _numbers(self.said) - _PARTS_OF_ALL:
            return True
        return not self.is_elsewhere and not (_days(text) >= _days(self.said) and self._is_told_by(text))

    def adds(self, text: str, asked: str) -> bool:
        """Tell whether a text names a number or a day that nobody `asked` for said, or asks what nobody asks."""
        if len(words(self.said)) < _LEAST_SAID:
            # It is about what was said before.
            return False
        if "?" in text and "?" not in self.said and not _ASKS.intersection(_SPLIT.split(fold(asked))):
            return not _GREETS.issuperset(_SPLIT.split(fold(_ENDS.split(text.rpartition("?")[0])[-1])))
        if self.is_spoken:
            return not _numbers(asked) >= set(_NUMBER.findall(text))
        known = _hours(_numbers(asked)) | _PARTS_OF_HOURS
        is_known = known >= set(_NUMBER.findall(text)) and (self.is_elsewhere or _days(asked) >= _days(text))
        return not is_known

    def strays(self, text: str) -> bool:
        """Tell whether a text says much of which nothing is told."""
        told = {stem(word) for word in words(f"{self.whom} {self.said} {self.signed}")}
        said = [word for word in words(text) if len(word) >= _LETTERS and word not in _GREETS]
        others = [word for word in said if not any(have_one_stem(word, one) for one in told)]
        is_much = len(set(others)) > _FREELY + _SHARE_FREELY * len(told)
        return is_much and len(told) >= _LEAST_SAID and not (self.is_elsewhere or self.is_spoken)

    def told(self, language: Language) -> str:
        """Return a plain text in the person's own words, or one of its kind; "" where they tell nothing."""
        said = self._of_kind(language)
        if (len(words(self.said)) < _LEAST_SAID and not said) or self.is_spoken:
            return ""
        said = said or (self.said if _ENDED.search(self.said) else f"{self.said}.")
        said = say(SKILLS.draft_please, language, said=said) if self.is_asked else said
        if self.thing in WRITING["notices"]:
            text = _capital(said)
        elif self.called or (is_somebody(self.whom) and len(self.whom.split()) <= _LETTERS):
            text = say(SKILLS.draft_told, language, whom=self.called or _greeted(self.whom), said=said)
        else:
            text = say(SKILLS.draft_told_plainly, language, said=said)
        return self.with_signature(text)

    def _of_kind(self, language: Language) -> str:
        """Return what a text of its kind says, where what is told says nothing of the kind.

        What one is sorry for is told, too, where that is sure to be said to the reader.
        """
        if is_of_kind(self.said, self.kind) or self.is_elsewhere:
            return ""
        plain = plain_of_kind(self.kind, language, self.said)
        is_to_reader = WRITING["theirs"].isdisjoint(_SPLIT.split(fold(self.said))) and self.is_behind
        if not plain or self.kind != "apology" or not is_to_reader or len(words(self.said)) < _LEAST_SAID:
            return plain
        return f"{plain} {_capital(self.said.rstrip(' .'))}."

    def with_signature(self, text: str) -> str:
        """Return a text with the name of whoever signs it below, where it lacks that."""
        is_there = all(word in fold(text) for word in words(self.signed))
        return text if not self.signed or is_there else f"{text}\n\n{self.signed[:1].upper()}{self.signed[1:]}"

    def _named(self) -> set[str]:
        opened = _OPENING_NAME.findall(self.said) if self.has_small_letters else []
        opening = {one for one in opened if fold(one) not in STOP_WORDS | COMMON_WORDS["days"]}
        others = {*names_in(self.said), *names_in(f"- {self.named}"), *opening}
        return {*names_in(f"- {self.whom}"), *names_in(f"- {self.called}"), *others}

    def _names_what_is_told(self, text: str) -> bool:
        """Tell whether a text has at least half of what it is to name, and everybody."""
        wanted, present = words(self.named), words(text)
        found = sum(any(have_one_stem(word, other) for other in present) for word in wanted)
        return self.is_elsewhere or found >= len(wanted) * _SHARE_NAMED

    def _names_unsaid(self, text: str) -> bool:
        told = {stem(word) for word in words(f"{self.whom} {self.said}")}
        hidden = [word for word in words(self.unsaid) if len(word) >= _LETTERS and stem(word) not in told]
        return any(have_one_stem(word, other) for word in hidden for other in words(text))

    def _greets_another(self, text: str) -> bool:
        """Tell whether a text opens with the name of whose the reader is: "Hi Ana, …" to "Ana's teacher"."""
        owners = {fold(one) for pair in _OWNER.findall(self.whom) for one in pair if one}
        opened = list(islice(_CALLED.finditer(fold(text)), _LETTERS))
        name = next((one for one in opened if one["word"] not in _GREETS), None)
        return name is not None and name["word"] in owners and bool(name["mark"])

    def _is_taken_over(self, text: str) -> bool:
        """Tell whether what is somebody else's became the writer's: "his dog" is no "my dog" to whoever has it."""
        own, told = _owned(text, WRITING["mine"]), _owned(self.said, WRITING["mine"])
        return not own.isdisjoint(_owned(self.said, WRITING["theirs"]) - told)

    def _is_told_by(self, text: str) -> bool:
        told = {word for word in words(self.said) if len(word) >= _LETTERS and not word.isdigit()}
        present = words(text)
        kept = sum(any(have_one_stem(word, other) for other in present) for word in told)
        return len(told) < _LEAST_TOLD or kept >= _SHARE * len(told)


def _greeted(whom: str) -> str:
    """Return how who is to read a text is greeted: "flatmate Ann" by the name alone, "aunt Ann" with both."""
    first, _, name = whom.partition(" ")
    return name if name[:1].isupper() and fold(first) in WRITING["not_greeted_so"] else whom


def without_asides(asked: str) -> str:
    """Return a wish without the reason for how the text is to sound: "keep it kind, even though he's a pest".

    A small model puts it into the text.
    """
    return _ASIDE.sub(r"\g<style>", " ".join(asked.split(" ")))


def names_in(text: str) -> set[str]:
    """Return the words that have a capital where no sentence begins, and are no days; and who has a title."""
    named = {*_NAME.findall(text), *(found["name"] for found in _TITLED.finditer(text))}
    return {name for name in named if fold(name) not in COMMON_WORDS["days"]}


def read_draft_wish(asked: str) -> DraftWish | None:
    """Return what a wish for a text says; None where there is none."""
    wish = find_text_wish(asked)
    return None if wish is None else _read(wish)


def _read(wish: TextWish) -> DraftWish:
    before, behind = wish.text[: wish.start], wish.text[wish.end :]
    in_law = "-in-law" if behind.startswith("-in-law") else ""
    behind = behind.removeprefix(in_law)
    behind = _without_lead(behind)
    led, followed = _clauses(before), _clauses(behind)
    # "No sé cómo decirle …": what leads a wish in is a part of it.
    if led and before[-1:] == " " and len(led[-1].split()) <= _FEW_LEADING:
        led.pop()
    # The wish asks, not what it is to tell.
    if followed and behind[:1] not in {"?", ".", "!", "\n"} and "?" not in wish.text[: wish.end]:
        followed = [
            f"{one[:-1]}." if one.endswith("?") and at == _first_asking(followed) else one
            for at, one in enumerate(followed)
        ]
    rest = [*led, *followed]
    signed, called, told, unsaid, named = "", "", list[str](), list[str](), list[str]()
    for clause in (_STYLE_BEFORE.sub("", one) for one in rest):
        said, name = (clause, "") if signed else _without_name(clause)
        signed = signed or name
        if (who := _reader_called(said, wish.whom)) != "":
            called = who
        elif (no := _UNSAID.match(said)) is not None:
            unsaid.append(no["thing"])
        elif (thing := _NAMED.match(said)) is not None:
            named.append(thing["thing"])
            told.append(thing["thing"])
        elif said and not _is_of_style(said) and find_text_wish(said) is None and not _is_handed_on(said):
            told.append(said)
    is_elsewhere = not _LANGUAGES.isdisjoint(_SPLIT.split(fold(wish.text)))
    return DraftWish(
        f"{wish.whom}{in_law}",
        _joined(told),
        signed,
        wish.thing,
        is_elsewhere,
        wish.text[:1].islower(),
        " ".join(unsaid),
        " ".join(named),
        is_spoken(wish),
        called,
        kind_wanted(wish),
        not led,
        _REQUEST.search(wish.text[: len(wish.text) - len(behind)]) is not None,
    )


def _without_lead(behind: str) -> str:
    """Return what stands behind a wish without who hands the text on, and "that" or "saying"."""
    for lead in (_HANDED_ON, _TELLING):
        if (found := lead.match(behind)) is not None:
            behind = behind[found.end() :]
    return behind


def _is_handed_on(clause: str) -> bool:
    """Tell whether a clause says no more than who hands the text on: "I'll give it to her myself"."""
    found = _HANDED_ON.match(clause)
    return found is not None and not any(map(str.isalnum, clause[found.end() :]))


def _reader_called(clause: str, whom: str) -> str:
    """Return how a clause calls who is to read the text, "" where it does not.

    "Her name is Mrs Otis" does where nobody else is to read it, and that is a title or a name.
    """
    named = _CALLED_SO.match(clause)
    if named is not None and not is_somebody(whom) and is_somebody(named["who"]):
        return named["who"].rstrip(".")
    found = _ADDRESSED.match(clause)
    return found["who"].rstrip(".") if found is not None else ""


_LANGUAGES: Final = COMMON_WORDS["tongues"]


def _first_asking(clauses: Sequence[str]) -> int:
    return next((at for at, one in enumerate(clauses) if one.endswith(("?", ".", "!"))), -1)


def _clauses(text: str) -> list[str]:
    return [one for found in _CLAUSE.findall(text) if (one := found.strip(" \n)")) and any(map(str.isalnum, one))]


def _joined(clauses: Sequence[str]) -> str:
    """Return clauses as one text: in the person's words, each as it ended, but for marks that lead to nothing."""
    text = " ".join(clauses)
    if (lead := _LEAD.match(text)) is not None:
        text = text[lead.end() :]
    if (telling := _TELLING.match(text)) is not None:
        text = text[telling.end() :]
    return text.strip().rstrip(" ,;:")


def _is_of_style(clause: str) -> bool:
    """Tell whether a clause says how a text is to sound, that it will be copied, or only pleads."""
    if COPYING.search(clause) is not None:
        return True
    if WRITING["pleas"].issuperset(filter(None, _SPLIT.split(fold(clause)))):
        return True
    has_fact = any(map(str.isdigit, clause)) or bool(_days(clause))
    return not has_fact and len(clause.split()) <= _MOST_OF_STYLE and _STYLE.match(clause) is not None


def _without_name(clause: str) -> tuple[str, str]:
    """Return a clause without what says who signs, and the name."""
    found = _SIGNED.search(clause)
    if found is None or not _is_name(found["by"], found["who"]):
        return clause, ""
    return clause[: found.start()].strip(), " ".join(found["who"].split())


def _is_name(by: str, who: str) -> bool:
    """Tell whether somebody signs: "I'm" and "soy" tell other things, too, and are followed by a name then."""
    if len(who.split()) > _MOST_SIGNING:
        return False
    if not WRITING["signing_surely"].isdisjoint(fold(by).split()):
        return True
    return all(word[:1].isupper() for word in who.split() if fold(word) not in STOP_WORDS)


def _owned(text: str, owners: frozenset[str]) -> set[str]:
    said = _SPLIT.split(fold(text))
    return {thing for owner, thing in pairwise(said) if owner in owners}


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _days(text: str) -> set[str]:
    return {word for word in _SPLIT.split(fold(text)) if word in COMMON_WORDS["days"]}


def _numbers(text: str) -> set[str]:
    ways = [text, *(in_digits(fold(text), language) for language in LANGUAGES)]
    return {number for way in ways for number in _NUMBER.findall(way)}


def _hours(numbers: set[str]) -> set[str]:
    """Return numbers with what they are on the other half of a clock: "4pm" is "16:00"."""
    hours = {int(one) for one in numbers if len(one) <= len(str(_HALF_A_DAY)) and int(one) <= 2 * _HALF_A_DAY}
    others = {hour + _HALF_A_DAY for hour in hours} | {hour - _HALF_A_DAY for hour in hours if hour > _HALF_A_DAY}
    return numbers | {str(one) for one in others} | {one.lstrip("0") for one in numbers}
