"""Messages that ask who it is that answers, and those that want words for somebody else."""

import re
from typing import Final

from app.domain.wording import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS, STOP_WORDS, Lexicon
from app.skills.writing.wishes import find_text_wish, is_timed

WORDS: Final = Lexicon.of(__package__)
"""Words and phrases of this room, by topic."""


def led_in() -> str:
    """Return a pattern for what may stand before a question: up to three of the words that lead in."""
    return rf"(?:(?:{WORDS.pattern('leading_in')}|{WORDS.pattern('recall')})\W+){{0,3}}"


_WHO: Final = LatePattern(rf"(?:{WORDS.pattern('greeting')}\W+){{0,3}}{WORDS.pattern('who_are_you')}", flags=0)
_SENDS_IT: Final = LatePattern(rf"(?<!\w){WORDS.pattern('sends_it')}(?!\w)")
_DAY_OFF: Final = LatePattern(WORDS.pattern("day_off"))
_NO_REMINDER: Final = LatePattern(rf"{WORDS.pattern('no_reminder')}(?! {WORDS.pattern('to_you')})")
_LEAD: Final = LatePattern(rf"\W*(?:{WORDS.pattern('greeting')}\W+){{0,3}}{led_in()}", flags=0)
_MAX_CHARS: Final = 60
_MOST_SMALL_TALK: Final = 12
_LETTERS: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_PART: Final = re.compile(r"[.,;:!?\n¿¡]")
_OWN_DAY: Final = LatePattern(
    rf"\W*(?:{WORDS.pattern('greeting')}\W+){{0,2}}{WORDS.pattern('asks_own_day')}", flags=0
)
_MAY: Final = LatePattern(WORDS.pattern("may"), flags=0)
_DOSE: Final = LatePattern(WORDS.pattern("asks_dose"), flags=0)
_COMPOSING: Final = LatePattern(WORDS.pattern("composing"), flags=0)
_REWORKING: Final = LatePattern(COMMON_WORDS.pattern("reworking"), flags=0)
_TRANSLATING: Final = LatePattern(COMMON_WORDS.pattern("translating"), flags=0)
SAID_TO_THEM: Final = LatePattern(rf"(?<!\w){WORDS.pattern('said_to_them')} ?[\"'“«‘]")
"""Who asks so how to say what is quoted wants it in another language."""
_SENTENCES: Final = re.compile(r"(?<=[.!?]) ")
_TRANSLATES: Final = LatePattern(
    rf"(?:{WORDS.pattern('greeting')}\W+){{0,3}}{led_in()}(?:\w+\W+){{0,2}}(?P<asked>{COMMON_WORDS.pattern('translating')})"
)
_TAKEN_BACK: Final = LatePattern(
    r"(?:[,.;!?…–-]|(?<= )(?:so|but|and|pero|y|entonces|asi que|así que)) "
    rf"(?:(?!es[aeo]s? |that |those )\w+,? ){{0,2}}{WORDS.pattern('taken_back')}"
    rf"(?P<behind>\W*\Z|[,.;!…]| {WORDS.pattern('why_taken_back')})"
)
_CALLED_OFF: Final = LatePattern(
    rf"(?:(?:[,.;!?…–-]|(?<= )(?:but|and|pero|y)) (?:{WORDS.pattern('thinking_aloud')},? ){{0,3}}"
    rf"{WORDS.pattern('called_off')}"
    rf"|[,.;!?…–-] (?:{WORDS.pattern('thinking_aloud')},? ){{1,3}}{WORDS.pattern('done_by')})"
    rf"(?P<behind>\W*\Z|[,.;!…]| {WORDS.pattern('why_taken_back')})"
)
"""Takes back only what a message begins with as a wish: "note …, no, better not"."""
_TAKING_AWAY: Final = WORDS["taking_away"]
_WISHED_ONCE: Final = LatePattern(rf"(?<!\w){WORDS.pattern('wished_once')}(?!\w)")
_ENDS: Final = frozenset(".;!…")
POINTS_AT_STORY: Final = LatePattern(rf"(?<!\w){WORDS.pattern('points_at_story')}(?!\w)")
CONDITIONAL: Final = frozenset({"if", "unless", "si"})
_NEAR_IF: Final = 3
_ANY_MORE: Final = WORDS["any_more"]
_DENIED: Final = LatePattern(rf"(?<!ya ){WORDS.pattern('denied')}")
_OPENING_WORDS: Final = 4
_MOST_BEHIND_TAKEN_BACK: Final = 6
_MOST_WHY: Final = 12
_MOST_OPENING: Final = 5
# "Ya estoy lista" names no list.
NO_LIST_KEPT: Final = LatePattern(WORDS.pattern("no_list_kept"))
_OF_ONESELF: Final = LatePattern(rf"\W*(?:{WORDS.pattern('of_oneself')})\s", flags=0)
_OUTCOME: Final = LatePattern(WORDS.pattern("outcome"), flags=0)
_ASKS_AT_ONCE: Final = LatePattern(
    rf"\W*(?:{WORDS.pattern('greeting')}\W+){{0,3}}{WORDS.pattern('asks_at_once')}", flags=0
)
_MOST_ASKING: Final = 100
_PRICE: Final = LatePattern(rf"\W*{led_in()}{WORDS.pattern('asks_price')}", flags=0)
_CONTENTS: Final = LatePattern(WORDS.pattern("asks_contents"))
_MOST_ASKING_PRICE: Final = 9
_SENDING: Final = LatePattern(WORDS.pattern("sending"), flags=0)
_FACT: Final = LatePattern(rf"\W*{led_in()}(?P<asked>{WORDS.pattern('asks_fact')})", flags=0)
_ASKED_OF_ONESELF: Final = LatePattern(
    rf"(?:^\W*|[,;:¿.(–-] ?){led_in()}{WORDS.pattern('asked_of_oneself')}"
    r"(?: (?!(?:y|o|and|or|but|pero) )\w+){0,3}\W*\Z",
    flags=0,
)
_FACT_INSIDE: Final = LatePattern(rf"[,;:¿(–-] ?{led_in()}{WORDS.pattern('asks_fact')}", flags=0)
_SURELY_INSIDE: Final = LatePattern(rf"[,;:(–-] ?{led_in()}(?P<asked>{WORDS.pattern('asks_surely')})", flags=0)
_WHEN: Final = WORDS["subordinate"]
_RECALL: Final = LatePattern(WORDS.pattern("recall"), flags=0)
_RECALLS_BEHIND: Final = LatePattern(rf"(?:[,;.?!…]{{0,3}} |\A)¿? ?{WORDS.pattern('recall_behind')}\W{{0,9}}\Z")
_ABOVE: Final = LatePattern(rf"\W*{led_in()}{WORDS.pattern('asks_above')}\W*", flags=0)
_SMALL_TALK: Final = WORDS["small_talk"]
_ADVICE: Final = LatePattern(WORDS.pattern("advice"), flags=0)
# "Guardé" tells what "guarde" wishes for.
_PAST: Final = re.compile(r"(?<!\w)(?!porqué)\w{3,}[éó](?!\w)", re.IGNORECASE)
_WISHING: Final = LatePattern(WORDS.pattern("wishing"), flags=0)
_KEPT: Final = LatePattern(WORDS.pattern("kept"), flags=0)
KIN: Final = tuple(
    (LatePattern(rf"(?<!\w)(?:{pattern})(?!\w)", flags=0), name) for name, pattern in WORDS.sequences("kin")
)
"""How somebody's relatives are described, and one word for each."""
_OTHERWISE_CALLED: Final = frozenset(word for said in WORDS.table("same").values() for word in said)
_OF_THEIRS: Final = WORDS["same.boss"] | WORDS["same.doctor"] | WORDS["same.car"] | WORDS["same.child"]
_OF_WORK: Final = LatePattern("|".join(one.pattern for one, name in KIN if name == "work"), flags=0)
RECALLING: Final = WORDS["recalling"]
REMINDING: Final = WORDS["reminding"]
NOTING: Final = WORDS["noting"]
NOTES_CALLED: Final = WORDS["notes_called"]
PUTTING: Final = WORDS["putting"]
PLACING: Final = WORDS["placing"]
LISTS_CALLED: Final = WORDS["lists_called"]
PROJECTS_CALLED: Final = WORDS["projects_called"]
REMINDERS_CALLED: Final = WORDS["reminders_called"]
MAKING: Final = WORDS["making"]
JOINING: Final = WORDS["joining"]
TELLS_FACT: Final = LatePattern(rf"{WORDS.pattern('tells_fact')}(?!\w)", flags=0)
POINTS_TO_KEEP: Final = LatePattern(WORDS.pattern("points_to_keep"), flags=0)
TELLING_ME: Final = WORDS["telling_me"]
_WISHES: Final = REMINDING | NOTING | PUTTING | MAKING
_OPENS_WISH: Final = REMINDING | NOTING | PUTTING | TELLING_ME | COMMON_WORDS["interrogatives"]
ASKS_NUMBER: Final = LatePattern(WORDS.pattern("asks_number"), flags=0)
OWN: Final = WORDS["own"]
OF_OTHERS: Final = WORDS["of_others"]
CHOOSING: Final = LatePattern(WORDS.pattern("choosing"))
"""Asks which one of those that were told of."""
FORBIDDEN: Final = LatePattern(WORDS.pattern("forbidden"))
"""Asks, or tells, what somebody must not or does not eat."""
_CONDITION: Final = LatePattern(rf"(?:{WORDS.pattern('leading_in')}\W+){{0,2}}{WORDS.pattern('condition')}")
_NO_CONDITION: Final = LatePattern(WORDS.pattern("no_condition"))
_MOST_OF_CONDITION: Final = 16


def without_lead(text: str) -> str:
    """Return a text without a greeting and the words that lead a question in: "hey so when is it?"."""
    lead = _LEAD.match(fold(text))
    return text if lead is None else text[lead.end() :]


def asks_who(text: str) -> bool:
    """Tell whether a text asks who or what the assistant is."""
    return len(text) <= _MAX_CHARS and _WHO.fullmatch(fold(text).strip(" .!?¡¿")) is not None


def is_small_talk(text: str) -> bool:
    """Tell whether a text only greets, thanks or says good-bye, and asks how things are at most."""
    said = _LETTERS.findall(fold(text).replace("’", "'"))
    has_number = any(map(str.isdigit, text))
    return not has_number and len(said) <= _MOST_SMALL_TALK and _SMALL_TALK.issuperset(said)


def opens_translation(text: str) -> bool:
    """Tell whether a text asks for a translation, and for nothing before it but a story: what follows is to be
    translated."""
    said = fold(" ".join(text.split()))
    found = next((match for one in _SENTENCES.split(said) if (match := _TRANSLATES.match(one))), None)
    if found is None:
        return False
    # "Note how you say …" is kept; "write this in German" is the wish for a translation itself.
    before = _LETTERS.findall(said[: said.index(found["asked"])])
    return (REMINDING | NOTING).isdisjoint(before[:3])


def takes_back(text: str) -> bool:
    """Tell whether a text ends with its own wish taken back: "I wanted you to …, but never mind"."""
    return bool(text) and not after_taken_back(text)


def after_taken_back(text: str) -> str:
    """Return what is wished for in a text instead of what it takes back: "I was going to have you note that, but
    leave it. Tell me the time in Lima instead"; "" where that is nothing, and the whole text where nothing is.
    """
    said = " ".join(text.split())
    last = next(iter([*_TAKEN_BACK.finditer(said)][-1:]), None)
    if last is None:
        return "" if _calls_off(said) else text
    opening, rest = fold(said[: last.start()]), said[last.end() :].lstrip(" ,.;:!…")
    # "Delete the alarm, no need" wants it deleted.
    if any(not _TAKING_AWAY.isdisjoint(_opening(one)) for one in _PART.split(opening)):
        return text
    is_little = len(rest.split()) <= _MOST_BEHIND_TAKEN_BACK
    is_apart = said[last.end() - 1 : last.end()] in _ENDS
    if not is_apart or (is_little and "?" not in rest and _OPENS_WISH.isdisjoint(_opening(fold(rest)))):
        return "" if is_little else text
    is_wish = not (REMINDING | NOTING | PUTTING).isdisjoint(_opening(opening))
    return rest if is_wish or _WISHED_ONCE.search(opening) is not None else text


def _calls_off(said: str) -> bool:
    """Tell whether a message that opens with a wish ends with it called off, and with why at most."""
    opens = not _WISHES.isdisjoint(_LETTERS.findall(fold(said[:_MAX_CHARS]))[:_MOST_OPENING])
    last = next(iter([*_CALLED_OFF.finditer(said)][-1:]), None) if opens else None
    if last is None:
        return False
    head, rest = fold(said[: last.start()]), fold(said[last.end("behind") :])
    opening = set(_LETTERS.findall(head)[:_MOST_OPENING])
    is_own = OF_OTHERS.isdisjoint(opening) and head.count('"') % 2 == 0
    is_wish = is_own and not opening.isdisjoint(_WISHES) and _TAKING_AWAY.isdisjoint(opening)
    is_why = len(rest.split()) <= _MOST_WHY and "?" not in rest and _WISHES.isdisjoint(_LETTERS.findall(rest))
    return is_wish and is_why


def _opening(folded: str) -> list[str]:
    return _LETTERS.findall(folded)[:_OPENING_WORDS]


def denies_wish(text: str) -> bool:
    """Tell whether a text says that nothing is to be kept or told at a time, and wishes for nothing else."""
    said = fold(" ".join(text.split())).replace("’", "'")
    found = _DENIED.search(said)
    # "Don't remind me about it any more" wants a reminder gone.
    is_ended = found is None or not _ANY_MORE.isdisjoint(_LETTERS.findall(_PART.split(said[found.end() :])[0]))
    # "If you don't remind me, I'll never do it" wishes for it.
    is_condition = found is not None and not CONDITIONAL.isdisjoint(
        _LETTERS.findall(said[: found.start()])[-_NEAR_IF:]
    )
    return not is_ended and not is_condition and not wants_done(_DENIED.sub(" ", said))


def adds_condition(text: str) -> bool:
    """Tell whether a short text may say what advice has to heed: "but she hates fish", "que sea barato"."""
    said = " ".join(fold(text).replace("’", "'").replace(",", " ").split()).lstrip(" .;:-¡¿(")
    is_short = 1 < len(said.split()) <= _MOST_OF_CONDITION and not is_small_talk(text)
    return is_short and _CONDITION.match(said) is not None and _NO_CONDITION.search(said) is None


def asks_outcome(text: str) -> bool:
    """Tell whether a short question asks what came of something that was to go out: "did she answer?"."""
    folded = fold(text)
    is_asked = "?" in text or _ASKS_AT_ONCE.match(folded) is not None
    return len(text) <= _MOST_ASKING and is_asked and _OUTCOME.search(folded) is not None


def asks_price(text: str) -> bool:
    """Tell whether a short text asks what something costs: "and how much would it be?"."""
    folded = fold(text)
    has_number = any(map(str.isdigit, text))
    return not has_number and len(folded.split()) <= _MOST_ASKING_PRICE and _PRICE.match(folded) is not None


def asks_contents(text: str) -> bool:
    """Tell whether a short question asks what is in a dish or a product: it is knowledge, and never an act."""
    is_short = "?" in text and len(text) <= _MOST_ASKING
    return is_short and _CONTENTS.search(fold(text)) is not None and not asks_for_kept(text)


def ends_asking_who(text: str) -> bool:
    """Tell whether the last thing in a text asks who or what the assistant is."""
    return asks_who(_PART.split(text.rstrip(" .!?"))[-1])


def asks_leave(text: str) -> bool:
    """Tell whether a text asks if something may be done or had: "can I give her nuts?"."""
    return _MAY.search(fold(text)) is not None


def asks_dose(text: str) -> bool:
    """Tell whether a text asks how much of something somebody may have: "how often can I give it to her"."""
    return _DOSE.search(fold(text)) is not None


def asks_of_own(text: str) -> bool:
    """Tell whether a short question asks what only the person can have told: "when's my sister's birthday".

    It names nobody and nothing else: "what size pan does my cake need" may be known.
    """
    said = set(_LETTERS.findall(fold(text).replace("'", " ").replace("’", " ")))
    if len(text) <= _MAX_CHARS and _OWN_DAY.match(fold(text)) is not None:
        return said.isdisjoint(WORDS["no_own_day"])
    if _ASKED_OF_ONESELF.match(fold(text)) and len(text) <= _MAX_CHARS and asks_fact(text):
        return not asks_for_kept(text)
    if (
        said.isdisjoint(OWN)
        or (WORDS["of_people"] | _OF_THEIRS).isdisjoint(said)
        or not said.isdisjoint(WORDS["not_own"])
    ):
        return False
    others = (
        said
        - OWN
        - WORDS["of_people"]
        - _OTHERWISE_CALLED
        - RECALLING
        - STOP_WORDS
        - COMMON_WORDS["interrogatives"]
    )
    return len(others) <= 1 and len(text) <= _MAX_CHARS and asks_fact(text) and not asks_for_kept(text)


def is_of_oneself(text: str) -> bool:
    """Tell whether a text begins as somebody who speaks of themselves does: "my mother …", "I work …"."""
    return _OF_ONESELF.match(fold(text)) is not None


def is_of_others(text: str) -> bool:
    """Tell whether a text asks about somebody whom it does not name: "what did she weigh", "su operación"."""
    return asks_fact(text) and not OF_OTHERS.isdisjoint(_LETTERS.findall(fold(text)))


def wants_sent(text: str) -> bool:
    """Tell whether a text wants something to go out: "send it to her"."""
    return _SENDING.search(fold(text)) is not None


def wants_text(text: str) -> bool:
    """Tell whether a text wants one written that can be changed: a message, a poem, a translation."""
    folded = fold(text)
    return wants_draft(text) or any(one.search(folded) for one in (_COMPOSING, _REWORKING, _TRANSLATING))


def translates(text: str) -> bool:
    """Tell whether a text asks how something is said in another language, which it may not name."""
    return _TRANSLATING.search(fold(text)) is not None or SAID_TO_THEM.search(text) is not None


def wants_draft(text: str) -> bool:
    """Tell whether a text wants a message to somebody written, and not sent."""
    return SAID_TO_THEM.search(text) is None and find_text_wish(text) is not None


def names_reader(text: str) -> bool:
    """Tell whether a wish for a text says for whom it is."""
    return (wish := find_text_wish(text)) is not None and bool(wish.whom)


def wants_draft_alone(text: str) -> bool:
    """Tell whether a text wants a message to somebody written, and nothing kept or told at a time."""
    wish = find_text_wish(text)
    return (
        wish is not None
        and not is_timed(wish)
        and not wants_done(_SENDS_IT.sub(" ", f"{wish.text[: wish.start]}; {wish.text[wish.end :]}"))
    )


def asks_fact(sentence: str) -> bool:
    """Tell whether a sentence asks who, which, when, where or how much: something to know, not to advise."""
    folded = fold(_PAST.sub(" ", sentence))
    # "Which of them can't have nuts" asks for no advice, and so does "what do I do for a living".
    is_choice = CHOOSING.search(folded) is not None
    is_recalled = bool(says_recall(sentence) or FORBIDDEN.search(folded)) and without_recall(sentence) != sentence
    advice = _OF_WORK.sub(" ", FORBIDDEN.sub(" ", folded) if is_choice else folded)
    if not is_recalled and _ADVICE.search(advice):
        return False
    folded = fold(sentence)
    if _SURELY_INSIDE.search(folded) or (
        "?" in sentence
        and (
            is_recalled or says_recall(sentence) or _FACT_INSIDE.search(folded) or _ASKED_OF_ONESELF.search(folded)
        )
    ):
        return True
    opening = _FACT.match(folded)
    return opening is not None and ("?" in sentence or says_recall(sentence) or opening["asked"] not in _WHEN)


def without_lead_in(sentence: str) -> str:
    """Return a question without the clauses before it: "listen, how old is he" from "how" on."""
    inside = _SURELY_INSIDE.search(fold(sentence))
    return sentence if inside is None else sentence[inside.start("asked") :]


def says_recall(text: str) -> bool:
    """Tell whether a text speaks of what was told before: "did I say", "te acuerdas"."""
    return _RECALL.search(fold(text)) is not None


def without_recall(text: str) -> str:
    """Return a question without "do you remember?" behind it, which belongs to it."""
    found = _RECALLS_BEHIND.search(flat := fold(text))
    return text if found is None or len(flat) != len(text) else text[: found.start()]


def asks_above(text: str) -> bool:
    """Tell whether a message asks what its author wrote before: "qué escribí arriba?"."""
    return len(text) <= _MAX_CHARS and _ABOVE.fullmatch(fold(text)) is not None


def wants_done(sentence: str) -> bool:
    """Tell whether a sentence, whatever else it says, wants something kept or done, or is a command."""
    return sentence.startswith("/") or _WISHING.search(fold(_PAST.sub(" ", sentence))) is not None


def tells_day_off(text: str) -> bool:
    """Tell whether a text says that somebody is off some day, and wishes for nothing: "mañana libro al menos"."""
    return "?" not in text and not wants_done(text) and _DAY_OFF.search(" ".join(fold(text).split())) is not None


def wishes_no_reminder(text: str) -> bool:
    """Tell whether a text only tells of a day off, or of reminding and forgetting: "I forgot to wake him"."""
    said = " ".join(fold(text).replace("’", "'").split())
    rest, found = _NO_REMINDER.subn(" ", said)
    return tells_day_off(text) or (found > 0 and not wants_done(rest))


def asks_for_kept(text: str) -> bool:
    """Tell whether a text names notes, lists, reminders and the like, or asks for the time."""
    return _KEPT.search(NO_LIST_KEPT.sub("", fold(text))) is not None
