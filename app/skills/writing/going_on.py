"""What code changes by itself about a text that was just written: whom it greets, and a sentence that it lacks."""

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from app.domain.wording import fold, have_one_stem, words
from app.language.catalogue import Language, say
from app.language.detection import language_by_words
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS, STOP_WORDS
from app.skills.texts import SKILLS
from app.skills.writing.lexicon import WRITING

_MOST_CHARS: Final = 240
_LEAST_TOLD: Final = 2
_MOST_WORDS_OF_A_NAME: Final = 4
_FEW_LETTERS: Final = 4
_FEW: Final = 3
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_SENTENCE: Final = re.compile(r"[^.!?\n]*(?:[.!?]+(?=\s|$)|\n|$)|[^.!?\n]*[.!?]+")


def _lead() -> str:
    return rf"(?:{WRITING.pattern('going_on')}[ ,.!:]{{1,3}}){{0,4}}"


def _person() -> str:
    return "|".join(word for tongue in WRITING.tongues for word in tongue.lists["person"].split())


def _bare() -> str:
    return rf"{WRITING.pattern('adding_bare')}(?= {WRITING.pattern('adding_subject')})"


_NAMING: Final = LatePattern(
    rf"{_lead()}(?:(?:{WRITING.pattern('determiner')} )?(?P<subject>{_person()}) )?{WRITING.pattern('called_so')} "
    r"(?P<who>[^,;:!?¿¡()\n]{2,60}?)[.!]?(?:(?:[,;]| y| and){1,2} (?P<more>[^\n]+))?\Z"
)
_FOR: Final = LatePattern(
    rf"{_lead()}{WRITING.pattern('meant_for')} (?P<who>[^,;:!?¿¡()\n]{{2,60}}?)[.!]?"
    r"(?:(?:[,;]| y| and){1,2} (?P<more>[^\n]+))?\Z"
)
_TITLED: Final = LatePattern(
    rf"(?:{WRITING.pattern('determiner')} )?(?P<title>{WRITING.pattern('title')}\.?) (?=\w)"
)
_ARTICLE: Final = LatePattern(rf"{WRITING.pattern('determiner')} ")
_GREETING: Final = LatePattern(
    rf"(?P<greets>\W{{0,3}}{WRITING.pattern('greets_bare')})(?P<who>,? [^,:;.!?\n]{{1,40}}?)?(?P<mark> ?[,:;.!\n])"
)
_ADDING: Final = LatePattern(rf"{_lead()}(?:{WRITING.pattern('adding')}|{_bare()}),? (?P<told>[^\n]+)\Z")
_ASKING: Final = LatePattern(rf"{_lead()}{WRITING.pattern('adding_request')} (?P<told>[^\n]+)\Z")
_BEHIND: Final = LatePattern(rf"(?<![ ,])[ ,]{{1,3}}{WRITING.pattern('adding_behind')}\W{{0,4}}\Z")
_SIGNING: Final = LatePattern(
    rf"(?:nop?e?,? )?{_lead()}{WRITING.pattern('signs_it')}[,:]? (?P<who>[^,;:!?¿¡()\n]{{2,60}}?)"
    rf"(?: {WRITING.pattern('adding_behind')})?[.!]?\Z"
)
_CLOSING: Final = LatePattern(rf"\W{{0,3}}{WRITING.pattern('closing')}")
_OF_READER: Final = WRITING["of_reader"]
_OF_WHOM: Final = WRITING["of_whom"]
_MAY_LACK_ACCENT: Final = WRITING["may_lack_accent"]
_TURNING: Final = MappingProxyType({one: name for name, said in WRITING.table("turning").items() for one in said})
_I: Final = re.compile(r"(?<![\w'’])i(?=['’]|\s|$)")
_EMOJI: Final = re.compile("[ ]?[\u2600-\u27bf\u2b50\ufe0f\U0001f300-\U0001faff]")
_NO_EMOJI: Final = LatePattern(
    rf"{_lead()}{WRITING.pattern('no_emoji')}(?: {WRITING.pattern('adding_behind')})?\W*\Z"
)


@dataclass(frozen=True, slots=True)
class GoingOn:
    """What is said of a text: `reader` is the name of who reads it, `told` a sentence that it is to have, too.

    `subject` is the word for who is called so, "" where that is plain. `is_without_emoji`: they are to go.
    `signed` is the name to stand below it.
    """

    reader: str = ""
    told: str = ""
    subject: str = ""
    is_without_emoji: bool = False
    signed: str = ""

    def put_into(self, text: str) -> str:
        """Return a text with it; "" where code cannot tell how."""
        if self.is_without_emoji:
            return _EMOJI.sub("", text).strip()
        if self.signed:
            return _with_name_below(text, self.signed)
        if self.told and language_by_words(self.told) not in {None, language_by_words(text)}:
            return ""
        named = _greeting(text, self.reader, self.subject) if self.reader else text
        if not (self.told and named):
            return named
        body, name = _without_name_below(named)
        more = _with_sentence(body, self.told)
        return f"{more}\n\n{name}" if name else more


def read_going_on(asked: str) -> GoingOn | None:
    """Return what a message says of the text before it that code can put into it; None of any other message."""
    said = " ".join(asked.split())
    if len(asked) > _MOST_CHARS or "?" in said or not said:
        return None
    if _NO_EMOJI.match(said) is not None:
        return GoingOn(is_without_emoji=True)
    if (signing := _SIGNING.match(said)) is not None:
        return GoingOn(signed=signing["who"]) if _are_names(signing["who"]) else None
    if (named := _named(said)) is not None:
        return named
    told = _added(said)
    return GoingOn(told=told) if told else None


def _named(said: str) -> GoingOn | None:
    found = _NAMING.match(said) or _FOR.match(said)
    if found is None:
        return None
    groups = found.groupdict()
    who = _name(groups["who"].strip(), is_sure="subject" in groups)
    told = _added(groups["more"]) if groups["more"] else ""
    return GoingOn(who, told, fold(groups.get("subject") or "")) if who and (told or not groups["more"]) else None


def _name(who: str, *, is_sure: bool) -> str:
    """Return a name as it is written, "" where the words are none; in small letters, where it `is_sure`."""
    titled = _TITLED.match(who)
    title = "" if titled is None else titled["title"]
    name = who[titled.end() :] if titled is not None else who
    is_short = bool(name) and len(name.split()) <= _MOST_WORDS_OF_A_NAME
    if not is_short or not all(part[0].isalpha() for part in name.split()):
        return ""
    parts = name.split()
    if parts[0][0].isupper():
        small = [fold(one) for one in parts if one[0].islower()]
        return f"{title} {name}".strip() if all(one in STOP_WORDS for one in small) else ""
    is_word = fold(parts[0]) in STOP_WORDS or len(parts[0]) < _FEW_LETTERS or len(parts) > 1
    if is_word or not (title or is_sure):
        return ""
    return f"{title} {name.capitalize()}".strip()


def _added(said: str) -> str:
    """Return the sentence that a text is to have, too, in the person's words; "" where there is none."""
    asking = _ASKING.match(said)
    found = asking or _ADDING.match(said)
    if found is None:
        return ""
    told = found["told"]
    while (behind := _BEHIND.search(told)) is not None:
        told = told[: behind.start()]
    told = told.strip(" .,;:!")
    keys = [fold(one[0]) for one in _WORD.finditer(told)]
    if len(keys) < _LEAST_TOLD or keys[0] in _OF_WHOM or not _MAY_LACK_ACCENT.isdisjoint(told.lower().split()[1:]):
        return ""
    if asking is not None:
        told = say(SKILLS.draft_please, language_by_words(said) or "en", said=_WORD.sub(_turned, told))
    elif not _OF_READER.isdisjoint(keys):
        return ""
    told = _I.sub("I", told)
    return f"{told[:1].upper()}{told[1:]}."


def _turned(found: re.Match[str]) -> str:
    return _TURNING.get(fold(found[0]), found[0])


def _greeting(text: str, name: str, subject: str) -> str:
    """Return a text that greets by name who had none; "" where it greets somebody else by name."""
    found = _GREETING.match(text)
    language: Language = language_by_words(text) or "es"
    if found is None:
        return "" if subject else say(SKILLS.draft_told, language, whom=name, said=text)
    who = (found["who"] or "").strip(" ,")
    greeted = [one[0] for one in _WORD.finditer(who)]
    if subject and greeted and not any(have_one_stem(subject, one) for one in words(who)):
        return ""
    if any(_is_name(one) for one in greeted) and "[" not in who:
        return text if fold(name) in fold(who) else ""
    is_title = bool(greeted) and len(greeted) == 1 and _TITLED.match(f"{who} x") is not None
    keeps_title = is_title and _TITLED.match(name) is None
    put = f"{who} {name}" if keeps_title else name
    comma = ", " if (found["who"] or "").startswith(",") else " "
    greets = found["greets"]
    if not WRITING["female_titles"].isdisjoint(words(put)) and fold(greets) in WRITING["to_men"]:
        greets = f"{greets[:-1]}a"
    return f"{greets}{comma}{put}{found['mark']}{text[found.end() :]}"


def _is_name(word: str) -> bool:
    """Tell whether a word of a greeting is somebody's name, and no word for who they are."""
    known = fold(word) in _PERSONS or fold(word) in WRITING["place"] or fold(word) in STOP_WORDS
    return word[:1].isupper() and not known and _TITLED.match(f"{word} x") is None


_PERSONS: Final = frozenset(_person().split("|")) | COMMON_WORDS["days"]


def _with_sentence(text: str, sentence: str) -> str:
    """Return a text with a sentence before the words with which it closes."""
    parts = [one for one in _SENTENCE.findall(text) if one]
    at = len(parts)
    closing = at
    while at > 1:
        part = parts[at - 1]
        if _CLOSING.match(part) is not None:
            closing = at - 1
        elif not _may_follow_closing(part):
            break
        at -= 1
    before, behind = "".join(parts[:closing]), "".join(parts[closing:])
    gap = before[len(before.rstrip()) :]
    said = before.rstrip()
    said = said if said[-1:] in ".!?…,:" else f"{said}."
    joined = f"{said} {sentence}"
    return f"{joined}{gap or ' '}{behind.lstrip(' ')}".strip() if behind else joined


def _are_names(who: str) -> bool:
    """Tell whether these are names, or several with what joins them: "Bo and Mr Ek"."""
    each = [one for one in who.replace("&", " ").split() if fold(one) not in STOP_WORDS or one[0].isupper()]
    return bool(each) and len(each) <= _MOST_WORDS_OF_A_NAME and all(one[0].isupper() for one in each)


def _with_name_below(text: str, name: str) -> str:
    """Return a text with a name below it, in the place of the one that stands there alone."""
    return f"{_without_name_below(text)[0].rstrip()}\n\n{name}"


def _without_name_below(text: str) -> tuple[str, str]:
    """Return a text without the name that stands alone below it, and that name; "" where none does."""
    body, gap, last = text.rpartition("\n\n")
    is_name = bool(gap) and "\n" not in last and last[-1:].isalpha() and _CLOSING.match(last) is None
    return (body, last) if is_name and _are_names(last) else (text, "")


def _may_follow_closing(part: str) -> bool:
    """Tell whether a line may be the name below a text, or nothing but marks."""
    said = _WORD.findall(part)
    return len(said) <= _FEW and all(one[:1].isupper() for one in said) and part.strip()[-1:] not in {"?"}
