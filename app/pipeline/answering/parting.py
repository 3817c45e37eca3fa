"""The wishes of a message one by one: what wishes for nothing goes with the wish that it belongs to."""

import re
from collections.abc import Awaitable, Callable, Sequence
from itertools import dropwhile, pairwise
from typing import Final, NamedTuple

from app.domain.wording import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.language.phrases import any_of
from app.pipeline import lexicon
from app.pipeline.lexicon.behind import ASKS_AFTER_PAUSE, ASKS_BEHIND, PRICED, SUM_BEFORE, TOLD_OF_SUM
from app.pipeline.lexicon.stories import tells_of_before
from app.pipeline.lexicon.world import only_tells_weather
from app.skills.picking.lexicon import PICKING
from app.skills.picking.tokens import BREAK, Token, tokens_of, without_call, without_pronouns
from app.skills.router import NO_CATEGORY, Intent

Sorting = Callable[[str], Awaitable[Intent]]
_MAX_CHARS: Final = 400
_FEWEST_PARTS: Final = 2
_NEAR: Final = 14
_FEW: Final = 3
_FEW_NAMED: Final = 4
_JOINER_AT_END: Final = re.compile(
    r"(?:\s(?:y|e|n|ah|oh|and|also|tambien|también|then|aparte|ademas|además)){1,2}\Z", re.IGNORECASE
)
_LEADING: Final = PICKING["opening"] | PICKING["joining"] | lexicon.JOINING
# "En la lista" opens a wish, too, but "voy a 90" does not.
_PLACE_LINKS: Final = frozenset({"en", "a"})
# Their words say what they are: "poneme de tarea …".
_PLAINLY_NAMED: Final = frozenset({"projects", "reminders"})
_PLACES: Final = frozenset({"lists", "notes", "projects", "reminders"})
# "Ayer anoté los gastos" tells what was written elsewhere.
_NOTED_BEFORE: Final = LatePattern(lexicon.WORDS.pattern("noted_before"))
# Of what goes into these the readers of a whole message lose, or mix up, what stands beside it.
_KINDS_APART: Final = frozenset({"lists", "projects", "memory"})
_ASKING: Final = COMMON_WORDS["interrogatives"] - COMMON_WORDS["asks_yes_or_no"]
_TO_ME: Final = frozenset({"me", "nos"})
_NUMBER: Final = re.compile(r"\d")
_ACTS: Final = lexicon.NOTING | lexicon.PUTTING | lexicon.MAKING | lexicon.REMINDING | lexicon.TELLING_ME
_IN_PASSING: Final = LatePattern(
    r"(?:(?:[,;.!?]? (?:y|e|and|n|also|tambien|oh and))|[,;.!?]) "
    rf"{lexicon.WORDS.pattern('in_passing')},?"
    rf"(?= (?:(?:please|porfa|me|can you|could you|podes|puedes) )?{any_of(sorted(_ACTS), {})})"
)
_PASSING_AT_END: Final = LatePattern(
    rf"(?:\A{lexicon.WORDS.pattern('in_passing')},? |(?:,? (?:y|and))? {lexicon.WORDS.pattern('in_passing')}\W*\Z)"
)
_OF_ONESELF: Final = LatePattern(rf"{lexicon.WORDS.pattern('of_oneself')}(?<!mi)(?<!mis) ", flags=0)
# What is told of oneself behind a wish: "… and my birthday is on the 9th".
_TOLD_BEHIND: Final = LatePattern(rf"(?:[,;.]|,? (?:y|and|e|n)) (?P<told>{lexicon.WORDS.pattern('of_oneself')} )")
# Behind what is to be noted, it is a part of that.
_TELLING_BEHIND: Final = frozenset({"lists", "reminders"})
# "The kettle broke so add one to the list":
_THEREFORE: Final = LatePattern(
    rf",? {lexicon.WORDS.pattern('therefore')},? (?={any_of(sorted(_ACTS - _PLACE_LINKS), {})}(?!\w))"
)
_NOTED_DOWN: Final = LatePattern(rf"{lexicon.WORDS.pattern('noting_down')} ", flags=re.IGNORECASE)
_THAT: Final = re.compile(r"\A(?:\S{1,20}\s){1,4}?(?:que|q|that)\s", re.IGNORECASE)
# "Write down that I owe Ann 20", "jot down she owes me 20": what is told is to be kept.
_THAT_TOLD: Final = PICKING["subjects"] | frozenset({"que", "q", "that", "i", "we"})
_REASON: Final = LatePattern(rf"\W*{COMMON_WORDS.pattern('giving_reason')}", flags=0)


class Part(NamedTuple):
    """A part of a message; `beside` has what it may be about before it. It is an act, of a `kind` where
    that is plain, or `may_be_talk`."""

    text: str
    beside: str = ""
    may_be_talk: bool = False
    kind: str = ""


async def wishes_in(message: str, parts: Sequence[str], sort: Sorting) -> list[tuple[str, Intent]]:
    """Return the wishes of a message, each with its words; [] where one is not clear so.

    A story goes with the wish behind it where that points to it ("the vet was 92, note that"), and a reason with
    the one before it.
    """
    groups: list[list[str]] = []
    before: list[str] = []
    found = [(part, await sort(part)) for part in parts]
    for number, (part, intent) in enumerate(found):
        points_back = number + 1 < len(found) and found[number + 1][1].refers_back
        if not is_beside(part, intent):
            groups.append([*before, part])
            before = []
        elif groups and not points_back:
            groups[-1].append(part)
        else:
            before.append(part)
    known = dict(found)
    texts = [_as_written(message, one) for one in groups]
    wishes = [(text, known.get(text) or await sort(text)) for text in texts]
    return [] if before or _is_changed(wishes, found) else wishes


def placed(part: Part, intent: Intent) -> Intent | None:
    """Return what is done for a part that was sorted; None where that is not what it says."""
    if part.kind == "kept" and "notes" not in intent.categories:
        return Intent(("notes",), by="rule", wish="act", is_one_wish=True)
    # Tasks of no project are a list.
    is_alone = part.kind == "projects" and intent.is_read
    if part.kind == "told" and intent.wish != "act":
        return Intent(("notes",), by="rule", wish="act", is_one_wish=True)
    is_elsewhere = part.kind in _PLACES and part.kind not in intent.categories and not is_alone
    if is_elsewhere and part.kind in _PLAINLY_NAMED:
        return Intent((part.kind,), by="rule", wish="act", is_one_wish=True)
    return None if is_elsewhere or (intent.is_plain and not part.may_be_talk) else intent


def wishes_none_of(categories: tuple[str, ...], text: str) -> bool:
    """Tell whether a text that was sorted to one of these wishes for none of it: "ya estoy lista"."""
    if categories == ("lists",) and tells_of_before(text):
        return True
    if categories == ("weather",):
        return only_tells_weather(text)
    if categories == ("reminders",):
        return lexicon.wishes_no_reminder(text)
    if categories == ("notes",):
        noted = _NOTED_BEFORE.search(said := fold(text))
        return noted is not None and not lexicon.wants_done(said.replace(noted[0], " "))
    rest, found = lexicon.NO_LIST_KEPT.subn("", fold(text))
    is_named = not lexicon.LISTS_CALLED.isdisjoint(one.key for one in tokens_of(rest))
    return categories == ("lists",) and found > 0 and not is_named and not lexicon.wants_done(rest)


def does_again(intent: Intent) -> bool:
    """Tell whether what stands before a question would be done once more with it."""
    return intent.wish == "act" and not (intent.calls and _PLACES.isdisjoint(intent.categories))


def asked_alone(part: Part) -> tuple[str, Intent] | None:
    """Return a question about the numbers of what stands before it, which is a sum; None of any other."""
    is_of_those = not _NUMBER.search(part.text) and _NUMBER.search(part.beside)
    return (part.beside, Intent(("math",), by="rule", wish="look", is_one_wish=True)) if is_of_those else None


def parts_of_kinds(message: str) -> list[Part]:
    """Return the parts of a message that wants things done in several places, one of them a list, a project, or
    what is known of the person; [] of any other. A question may stand before or behind them."""
    message = _IN_PASSING.sub(",", message) if len(message) <= _MAX_CHARS else ""
    words = tokens_of(message)
    opened = _opened(words)
    found: list[tuple[int, str]] = []
    end, behind = len(words), ""
    for number in sorted(opened, reverse=True):
        kind = _kind(words[number:end]) if number < end else ""
        # "Put bread and add milk to the list": both go there.
        if not kind and behind == "lists" and words[number].key in lexicon.PUTTING - lexicon.NOTING:
            kind = behind
        if kind:
            found[:0] = [(opened[number], kind)]
            end, behind = opened[number], kind
    found = [one for place, one in enumerate(found) if place == 0 or found[place - 1][1] != one[1]]
    head = {one.key for one in words[: found[0][0]]} if found else set()
    if not head.isdisjoint(lexicon.REMINDING) and found[0][1] != "reminders":
        found.insert(0, (0, "reminders"))
    if any(kind == "kept" for _, kind in found[1:]):
        return []
    if found and found[0][1] != "kept" and _asks_before(message[: words[found[0][0]].start]):
        found.insert(0, (0, ""))
    kinds = [kind for _, kind in found]
    is_apart = not _KINDS_APART.isdisjoint(kinds) or kinds[:1] == [""] or _reminds_beside_note(words, found)
    if len(found) < _FEWEST_PARTS or not is_apart:
        return []
    starts = [0, *(_behind_joiners(words, number) for number, _ in found[1:]), len(message)]
    each = [_part(message[first:last]) for first, last in pairwise(starts)]
    parts = [Part(said, kind=kind, may_be_talk=not kind) for said, (_, kind) in zip(each, found, strict=True)]
    return [*parts[:-1], *(question_behind(parts[-1].text) or parts[-1:])]


def _reminds_beside_note(words: Sequence[Token], found: Sequence[tuple[int, str]]) -> bool:
    """Tell whether a note is wished for beside a reminder that says of what: no "note it, and remind me at 6"."""
    kinds = ["notes" if kind == "told" else kind for _, kind in found]
    keys = {one.key for one in words[found[1][0] :]} if kinds == ["notes", "reminders"] else set()
    is_named = not keys.isdisjoint(lexicon.REMINDERS_CALLED | lexicon.WORDS["reminded_of"])
    return is_named or [kind for _, kind in found] == ["reminders", "told"]


def as_note(text: str) -> str:
    """Return a wish to keep what is told with the words that say that it is a note; "" where nothing is told."""
    words = tokens_of(text)
    lead = _THAT.search(text) or _NOTED_DOWN.match(text)
    said = text[lead.end() :] if lead else ""
    keys = {one.key for one in tokens_of(said)}
    is_noted = bool(words) and without_pronouns(words[0].key, lexicon.NOTING) in lexicon.NOTING
    is_told = not keys.isdisjoint(lexicon.WORDS["note_tells"]) and keys.isdisjoint(lexicon.LISTS_CALLED)
    return f"note: {said}" if is_noted and is_told else ""


def told_before(message: str) -> tuple[str, str]:
    """Return what is told before the wishes of a message, or "", and the rest of it."""
    message = _THEREFORE.sub(", ", message) if len(message) <= _MAX_CHARS else message
    words = tokens_of(message) if len(message) <= _MAX_CHARS else []
    opened = _opened(words)
    wished = next((number for number in sorted(opened) if _kind(words[number:]) not in ("", "kept")), None)
    if wished is None or not (begin := opened[wished]):
        return "", message
    first, wishes = _part(message[: words[begin].start]), message[_behind_joiners(words, begin) :]
    is_condition = not lexicon.CONDITIONAL.isdisjoint(one.key for one in words[:begin])
    # "They asked, can you remind me …" is what they wished for.
    is_reported = words[begin - 1].key in lexicon.WORDS["reported_by"]
    is_wish = is_condition or is_reported or _asks(first) or "?" in first or lexicon.wants_done(first)
    return ("", message) if is_wish or tells_of_before(first) or tells_of_before(wishes) else (first, wishes)


def told_behind(wishes: str) -> tuple[str, str]:
    """Return what is told of oneself behind a wish for a list or a reminder, or "", and the wish."""
    told = list(_TOLD_BEHIND.finditer(wishes)) if len(wishes) <= _MAX_CHARS else []
    if len(told) != 1 or _kind(tokens_of(wishes)) not in _TELLING_BEHIND:
        return "", wishes
    return wishes[told[0].start("told") :], _part(wishes[: told[0].start()])


def tells_story(message: str, told: str) -> bool:
    """Tell whether what stands before a wish is told of oneself, or the wish can be nothing else: "my aunt comes
    and adds jam to the list" and "add jam" are one word in Spanish."""
    said = [one.key for one in tokens_of(message)]
    wish = next((key for key in said[len(tokens_of(told)) :] if key not in _LEADING), "")
    is_plain = wish not in lexicon.WORDS["also_of_others"] or _OF_ONESELF.match(fold(told)) is not None
    return is_plain and wish not in lexicon.WORDS["also_of_before"]


def _opened(words: Sequence[Token]) -> dict[int, int]:
    """Return the places of words that open a clause, each with that of what leads to it ("and please put")."""
    found: dict[int, int] = {}
    for number, one in enumerate(words):
        before = words[number - 1].key if number else ""
        if number == 0 or BREAK.search(one.gap):
            found[number] = number
        elif number - 1 in found and before in _LEADING:
            found[number] = found[number - 1]
        elif before in PICKING["joining"] | lexicon.JOINING:
            found[number] = number - 1
    return found


def _behind_joiners(words: Sequence[Token], number: int) -> int:
    """Return where a part begins whose first word may be one that joins it."""
    rest = dropwhile(lambda one: one.key in PICKING["joining"] | lexicon.JOINING, words[number:])
    return next(rest, words[number]).start


def _asks(said: str) -> bool:
    """Tell whether a text is a question: by its mark, or by how it opens where it has none."""
    asked = said.strip()
    first = next(iter(asked.lower().split()), "")
    if fold(first) != first and fold(first) in COMMON_WORDS["interrogatives"]:
        return True  # "quién", "cuál" with their accents
    return asked.endswith("?") or ASKS_BEHIND.match(f". {asked}") is not None


def _asks_before(said: str) -> bool:
    """Tell whether what stands before a wish asks something: a sum needs no more than its numbers."""
    is_sum = any(map(str.isdigit, said)) and SUM_BEFORE.match(fold(said)) is not None
    keeps = lexicon.PUTTING | lexicon.NOTING | lexicon.REMINDING
    return _asks(said) or (
        is_sum and all(without_pronouns(one.key, keeps) not in keeps - _PLACE_LINKS for one in tokens_of(said))
    )


def question_beside(message: str) -> tuple[Part, str] | None:
    """Return the question that stands behind the wishes of a message, or before them, and all else that it says;
    None where there is none."""
    said = " ".join(message.split())
    parts = [] if lexicon.wants_draft_alone(message) else parts_of_kinds(message) or question_behind(message)
    found = next((one for one in reversed(parts) if one.may_be_talk), None)
    if found is None or (found is parts[-1] and _REASON.match(fold(found.text))):
        return None  # A reason belongs to what stands before it.
    if len(parts) == _FEWEST_PARTS:
        return found, parts[0].text if found is parts[-1] else parts[-1].text
    before, _, behind = said.partition(" ".join(found.text.split()))
    rest = _part(before if found is parts[-1] else behind).lstrip(" ,;.")
    return (found, rest) if rest else None


def question_behind(message: str) -> list[Part]:
    """Return a wish to keep something and the question behind it: "note that Ann paid 20, and what does she owe me
    of 50"; [] of any other message.
    """
    said = without_call(" ".join(message.split())) if len(message) <= _MAX_CHARS else ""
    said = said if (told := TOLD_OF_SUM.search(said)) is None else said[: told.start()]
    opening = {without_pronouns(one.key, lexicon.PUTTING | lexicon.NOTING) for one in tokens_of(said)[:_FEW]}
    is_put = not opening.isdisjoint(lexicon.PUTTING - _PLACE_LINKS)
    makes = not opening.isdisjoint(lexicon.MAKING) and bool(
        lexicon.PROJECTS_CALLED.intersection(one.key for one in tokens_of(said))
    )
    each = [*ASKS_BEHIND.finditer(said), *(ASKS_AFTER_PAUSE.finditer(said) if is_put else ())]
    asked = [one for number, one in enumerate(each) if all(one.start() >= other.end() for other in each[:number])]
    if len(asked) != 1:
        return []
    found = asked[0]
    is_asked = "?" in found[0][:1] or "?" in said[: found.start()][-1:]
    is_told = lexicon.TELLS_FACT.match(fold(said)) is not None
    if not (is_put or is_asked or makes or is_told) and opening.isdisjoint(lexicon.NOTING | lexicon.REMINDING):
        return []
    is_talk = found["talk"] is not None
    wish, question = (
        _thanked(_part(said[: found.start()])),
        bare(said[found.start("talk" if is_talk else "asks") :]),
    )
    if is_asked:
        return [Part(f"{wish.rstrip('?')}?", may_be_talk=True), Part(question, may_be_talk=True)]
    # "Note what I owe and what he owes" asks nothing.
    if {one.key for one in tokens_of(wish)} & _ASKING:
        return []
    lead = _THAT.search(wish)
    kept = wish[lead.end() :] if lead else wish
    # A thing goes on a list without its price; of what a note is to say, that is a part.
    is_note = lead is not None or not lexicon.NOTES_CALLED.isdisjoint(one.key for one in tokens_of(wish))
    if is_put and not is_note and (priced := PRICED.search(wish)) is not None:
        wish = wish[: priced.start()]
    kind = "told" if as_note(wish) else ""
    return [Part(wish, kind=kind), Part(question, "" if is_talk else f"{kept}, {question}", may_be_talk=True)]


def _thanked(wish: str) -> str:
    """Return a wish without the thanks at its end, behind a mark: "…, cheers"."""
    words = tokens_of(wish)
    is_thanks = len(words) > 1 and words[-1].is_cut and words[-1].key in lexicon.WORDS["happened.thanks"]
    return wish[: words[-2].end] if is_thanks else wish


def bare(part: str) -> str:
    """Return a part without what only joins it to another: "de paso", "while you're at it"."""
    return _PASSING_AT_END.sub("", part).strip()


def _part(said: str) -> str:
    """Return a part without the joiner that leads to the next one."""
    return _JOINER_AT_END.sub("", said.strip()).rstrip(" ,;")


def _kind(clause: Sequence[Token]) -> str:
    """Return where a clause wants something done; "kept" of one that only points to what stands before it."""
    keys = [one.key for one in clause[:_NEAR]]
    keys = keys[1:] if keys[0] in _TO_ME and len(keys) > 1 else keys
    verb, behind = without_pronouns(keys[0], lexicon.PUTTING | lexicon.NOTING), keys[1:]
    # "…, te acuerdas?" asks nothing of its own.
    if not lexicon.without_recall(" ".join(one.key for one in clause)):
        return ""
    if keys[0] in lexicon.REMINDING:
        return "reminders"
    if verb in lexicon.MAKING | lexicon.PUTTING and not lexicon.REMINDERS_CALLED.isdisjoint(keys[: _FEW + 1]):
        return "reminders"
    if lexicon.POINTS_TO_KEEP.fullmatch(" ".join(keys)):
        return "kept"
    if lexicon.TELLS_FACT.match(" ".join(keys)):
        return "memory"
    if verb in lexicon.MAKING | lexicon.NOTING and not lexicon.PROJECTS_CALLED.isdisjoint(keys[:_FEW]):
        return "projects"
    if verb in lexicon.NOTING and not lexicon.NOTES_CALLED.isdisjoint(keys[: _FEW + 1]):
        return "notes"
    if verb in lexicon.NOTING and not _THAT_TOLD.isdisjoint(keys[1:_FEW]):
        return "told"
    is_placed = verb in lexicon.PLACING
    puts = not lexicon.PUTTING.isdisjoint(behind) if is_placed else verb in lexicon.PUTTING
    if puts and not lexicon.LISTS_CALLED.isdisjoint(behind[:_FEW_NAMED] if is_placed else behind):
        return "lists"
    said = behind if puts or verb in lexicon.MAKING else keys[:_FEWEST_PARTS]
    return "" if lexicon.PROJECTS_CALLED.isdisjoint(said) else "projects"


def is_beside(part: str, intent: Intent) -> bool:
    is_plain = NO_CATEGORY in intent.categories
    # What is set is shown to who asks for it: "Ramón he's called, good lad but pricey" does not.
    is_told = intent.wish == "look" and intent.categories == ("reminders",) and not _asks(part)
    is_told = is_told and (_ASKING | lexicon.TELLING_ME).isdisjoint(one.key for one in tokens_of(part))
    if is_told or not lexicon.without_recall(part.strip()):
        return True
    return is_plain and (intent.wish in (None, "talk") or _REASON.match(fold(part)) is not None)


def _is_changed(wishes: Sequence[tuple[str, Intent]], found: Sequence[tuple[str, Intent]]) -> bool:
    """Tell whether a wish is another one with what belongs to it."""
    alone = [intent.categories for part, intent in found if not is_beside(part, intent)]
    return [intent.categories for _, intent in wishes] != alone


def _as_written(message: str, group: Sequence[str]) -> str:
    """Return the parts of a group as they stand in the message, with what is between them."""
    begin, last = message.find(group[0]), message.find(group[-1])
    if begin < 0 or last < begin:
        return ", ".join(group)
    return message[begin : last + len(group[-1])]
