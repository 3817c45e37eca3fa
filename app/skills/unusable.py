"""What a model writes that is no answer for a person, and how it is asked again: the same over and over, bare
JSON, or sentences that small models say whatever was said ("How can I help you?").
"""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from types import MappingProxyType
from typing import Final, Literal

from app.domain.chat import ChatMessage, ChatResponse
from app.domain.wording import CHECKBOXES, stem
from app.domain.wording import words as content_words
from app.language.catalogue import Language, Sentence, say
from app.language.detection import language_by_words
from app.language.folding import fold
from app.language.late import LatePattern
from app.language.lexicon import COMMON_WORDS
from app.llm.claims import claims_side_effect
from app.skills.lexicon import ANSWERS
from app.skills.texts import SKILLS

Objection = Literal[
    "malformed", "error", "loop", "claim", "noted", "stock", "same", "again", "repeated", "echo", "unchanged",
    "bare", "blank", "lacking", "kind", "tongue",
]  # fmt: skip

AGAIN: Final[Mapping[Objection, str]] = MappingProxyType(
    {
        "malformed": "That was neither a tool call nor an answer. {way} reply to the person in plain words.",
        "error": "That is a tool's error text; the person must not see it. {way} say in your words what failed.",
        "loop": "You repeated yourself. {way} answer in a few sentences, each thing once.",
        "claim": "That is not true: no tool has done it in this turn. {way} tell the person it is not done.",
    }
)
HINTS: Final[Mapping[Objection, str]] = MappingProxyType(
    {
        "malformed": "answer in plain words",
        "stock": "answer as a close friend would: with feeling, and one concrete piece of advice or idea",
        "noted": "they only tell this: answer with interest in one sentence, and note, promise and do nothing",
        "same": "tell something else than before",
        "again": "answer these words alone, in one or two sentences; what you said before is known",
        "repeated": "answer this question; what you said before is known: say something new",
        "unchanged": "make the change, so that the text is another",
        "bare": "write the whole message, and say in it what it is about",
        "blank": "leave out what you do not know, and write no brackets",
        "lacking": "say all that the person tells, with each name and number, and of whom it is told; add nothing",
        "kind": "write what is asked for: an apology says sorry, thanks thank, good wishes congratulate",
        "echo": "give what is asked for itself; do not repeat the message",
        "tongue": "answer in the language of the message",
    }
)
"""What a small model is told in plain talk beside the message, which then is as if asked for the first time."""
STRAYING: Final[frozenset[Objection]] = frozenset(
    {"malformed", "same", "again", "repeated", "echo", "unchanged", "bare", "blank", "lacking", "kind", "tongue"}
)
"""Who says the same again, or nothing but marks, needs to be let stray."""
IN_TALK: Final[Mapping[Objection, Sentence]] = MappingProxyType(
    {
        "claim": SKILLS.nothing_done,
        "noted": SKILLS.good_to_know,
        "stock": SKILLS.nothing_to_say,
        "malformed": SKILLS.nothing_to_say,
        "same": SKILLS.nothing_else,
        "again": SKILLS.nothing_to_say,
        "unchanged": SKILLS.text_unchanged,
        "bare": SKILLS.text_bare,
        "blank": SKILLS.text_bare,
        "lacking": SKILLS.text_bare,
        "kind": SKILLS.text_bare,
    }
)
"""What is said in plain talk instead of an answer that met one of these twice."""
_CALL_OR: Final = "Call the tool now, or"
_NO_CALL: Final = "Call no tool;"
_STOCK: Final = LatePattern(ANSWERS.pattern("stock_phrases"))
_ADVICE: Final = LatePattern(ANSWERS.pattern("asks_advice"))
_CONCLUDES: Final = LatePattern(ANSWERS.pattern("concluding"))
_DENIED: Final = LatePattern(ANSWERS.pattern("denials"))
SENTENCE: Final = re.compile(r"[^.!?\n]*(?:[.!?]+(?=\s|$)|\n|$)|[^.!?\n]*[.!?]+")
_PROMISES: Final = LatePattern(ANSWERS.pattern("promises"))
_HARMLESS: Final = LatePattern(ANSWERS.pattern("harmless_acts"))
_DENYING: Final = re.compile(
    rf"(?<!\w)(?:{'|'.join(sorted(COMMON_WORDS['denying']))}|can['’]t|cannot)(?!\w)", re.I
)
_MOST_PROMISES: Final = 5
_REPEATING: Final = LatePattern(ANSWERS.pattern("repeating"), flags=0)
_GOING_FURTHER: Final = LatePattern(rf"\W*{ANSWERS.pattern('going_further')}(?!\w)", flags=0)
_LENGTHY: Final = LatePattern(ANSWERS.pattern("lengthy"))
_ASKS_FIRST: Final = LatePattern(
    rf"(?:{ANSWERS.pattern('before_asking')} ){{0,4}}{ANSWERS.pattern('asking_first')}"
)
_EXCLAIMING: Final = LatePattern(
    rf"(?:{ANSWERS.pattern('before_asking')}[, ]{{1,2}}){{0,3}}"
    rf"{ANSWERS.pattern('exclaiming')}(?: \w+){{0,3}}(?=[,.!;]|\Z)"
)
_FOR_NEWS: Final = 2
_FOR_A_QUESTION: Final = 3
_CLAUSE_END: Final = re.compile(r"[.,;:!\n]")
_GREETING_WORDS: Final = 4
_WORDS_OF_A_GREETING: Final = 6
_ASKS_BRIEFLY: Final = frozenset({"q", "k", "ke", "wat", "wot"})
_FEW_MARKS: Final = 40
_LEAST_LETTERS: Final = 5
_SAME_RUNS: Final = 6
_BETTER_THAN_NOTHING: Final[frozenset[Objection]] = frozenset({"claim", "echo", "repeated", "tongue"})
_LEAST_ECHO: Final = 3
_LEAST_LEFT: Final = 3
# Written as we tell what was kept: "Noted (2): …".
_AS_KEPT: Final = re.compile(r"\W{0,4}(?:[^\W\d]{1,20} ){1,4}\(\d{1,4}\): ")
_LEAST_TOLD: Final = 8
_LONGEST_ECHO: Final = 30
# What is to be corrected, translated or repeated comes back in its own words.
_BRINGS_TEXT: Final = LatePattern(
    rf"[:\"“«\n]|{COMMON_WORDS.pattern('reworking')}|{COMMON_WORDS.pattern('translating')}",
)
_ECHO: Final = 0.75
_SAME: Final = 0.6
_ALL_SAME: Final = 0.9
_WANTS: Final = LatePattern(ANSWERS.pattern("wanting"))
_YES_OR_NO: Final = re.compile(r"\W*(?:s[ií]|yes|no)\b", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]\w*")
_LINE: Final = re.compile(r"^[^\w\n]{0,9}(?:\d{1,3}[.)])?[^\w\n]{0,9}(?P<said>[^\W\d_][^\n]*)", re.MULTILINE)
_FENCE: Final = re.compile(r"```\w*\n(.*)\n```", re.DOTALL)
_WINDOW: Final = 12
"""Words in a row. A refrain or the rows of a table share fewer, or come twice."""
_KEY: Final = re.compile(r"[{,]\s{0,9}\"\w[^\"\n]{0,60}\"\s{0,9}:")
_TIMES: Final = 3
_FEW: Final = 5
"""Different words; below it a window is counting or laughing, which may go on longer."""
_TIMES_OF_FEW: Final = 60


def loop_start(text: str) -> int | None:
    """Return where a text begins to repeat itself, in characters; None when it does not. Takes linear time."""
    lines = [(line.start(), line["said"].casefold()) for line in _LINE.finditer(text)]
    for (_, one), (start, two), (_, three) in zip(lines, lines[1:], lines[2:], strict=False):
        if one and one == two == three:
            return start
    found = list(_WORD.finditer(text))
    words = [match[0].casefold() for match in found]
    seen: Counter[tuple[str, ...]] = Counter()
    second: dict[tuple[str, ...], int] = {}
    for at in range(len(words) - _WINDOW + 1):
        window = tuple(words[at : at + _WINDOW])
        seen[window] += 1
        if seen[window] == _TIMES - 1:
            second[window] = at
        if seen[window] >= (_TIMES if len(set(window)) >= _FEW else _TIMES_OF_FEW):
            return found[second[window]].start()
    return None


def is_bare_json(text: str) -> bool:
    """Tell whether an answer is a JSON object, whole or broken, or an array of them, and nothing else, with or
    without a fence."""
    bare = text.strip()
    if (fenced := _FENCE.fullmatch(bare)) is not None:
        bare = fenced[1].strip()
    if not bare.startswith(("{", "[")):
        return False
    try:
        read = json.loads(bare)
    except (ValueError, RecursionError):
        return bare.endswith(("}", "]")) and _KEY.search(bare) is not None
    return isinstance(read, dict) or (isinstance(read, list) and any(isinstance(one, dict) for one in read))


def without_stock(text: str) -> str:
    """Return an answer without such sentences, nor what only concludes from one of them: "Therefore, I cannot"."""
    kept, is_left_out = "", False
    for one in SENTENCE.findall(text):
        said = " ".join(one.split())
        is_left_out = bool(_STOCK.search(said)) or (is_left_out and (not said or bool(_CONCLUDES.match(said))))
        kept += "" if is_left_out else one
    return kept.strip()


def sentences_wanted(text: str) -> int | None:
    """Return how many sentences are enough for a message; None for what may want any number.

    A small model that hears of somebody's life goes on to advice that nobody wanted.
    """
    if _WANTS.search(text) is not None or _LENGTHY.search(text) is not None or brings_text(text):
        return None
    return _FOR_A_QUESTION if "?" in text or _opens_asking(text) else _FOR_NEWS


def _opens_asking(text: str) -> bool:
    """Tell whether a clause of a message begins as a question does; many people write no marks."""
    clauses = [one.strip() for one in _CLAUSE_END.split(fold(text))]
    if exclaims(text):
        clauses = [one for one in clauses[1:] if one.partition(" ")[0] not in ANSWERS["telling_of"]]
    first = (_WORD.match(clause) for clause in clauses)
    asked = COMMON_WORDS["interrogatives"]
    return any(word is not None and word[0] in asked for word in first) or any(map(_ASKS_FIRST.match, clauses))


def exclaims(text: str) -> bool:
    """Tell whether a message without a question mark begins with a cry: "what a night, my cousin who drums …"."""
    cry = _EXCLAIMING.match(" ".join(fold(text).split()))
    return cry is not None and "?" not in text


def is_news(text: str) -> bool:
    """Tell whether a message neither asks nor wishes for anything."""
    return sentences_wanted(text) == _FOR_NEWS


def says_nothing(text: str, asked: str) -> bool:
    """Tell whether an answer to more than a greeting, or thanks, is made of such sentences and a greeting."""
    said = fold(asked)
    if len(said.split()) <= _GREETING_WORDS or not ANSWERS["gratitude"].isdisjoint(_WORD.findall(said)):
        return False
    rest = without_stock(text)
    return rest != text.strip() and len(rest.split()) < _GREETING_WORDS


def _asks_at_length(asked: str) -> bool:
    """Tell whether a message asks more than how somebody is."""
    return len(asked.split()) > _WORDS_OF_A_GREETING and _asks(asked)


def _only_asks_back(text: str) -> bool:
    """Tell whether an answer is a question, behind a cry at most: "How lovely! And how will you cook it?"."""
    said = [one.strip() for one in SENTENCE.findall(text) if any(map(str.isalpha, one))]
    cries = all(one.endswith("!") and len(one.split()) <= _GREETING_WORDS for one in said[:-1])
    return bool(said) and said[-1].endswith("?") and cries


def promises_act(text: str) -> bool:
    """Tell whether an answer promises an act in the world, or tells of one: "let me check the camera"."""
    said = " ".join(text.split())
    return any(
        not _HARMLESS.match(said, found.start() + found[0].rfind(" ") + 1)
        and not _HARMLESS.match(said, found.end() + 1)
        and not _DENYING.search(said[: found.start()].rpartition(". ")[2])
        and "?" not in said[found.end() :].partition(".")[0]
        for found in islice(_PROMISES.finditer(said), _MOST_PROMISES)
    )


def talk_objection(
    text: str, *, asked: str, before: str, language: Language, is_short: bool = False, asked_before: str = ""
) -> Objection | None:
    """Tell what is wrong with an answer in plain talk; `before` is the answer before it, `language` the person's.

    `is_short`: no long text is wanted, so that a promise in it is the model's own. `asked_before`: what the answer
    before it answered; "" where that is not known.
    """
    is_drawn = any(mark in text for mark in CHECKBOXES)  # a list that talk draws is none
    if is_drawn or _AS_KEPT.match(text) is not None or (is_short and promises_act(text)):
        return claim_about(asked)
    if is_mostly_marks(text):
        return "malformed"
    wants_another = not ANSWERS["another"].isdisjoint(_WORD.findall(_REPEATING.sub(" ", fold(asked))))
    if wants_another and _likeness(text, before) >= _SAME:
        return "same"
    is_further = _GOING_FURTHER.match(fold(asked)) is not None and _likeness(asked, asked_before) < _SAME
    if _likeness(text, before) >= _ALL_SAME and (not _asks(asked) or is_further):
        return "repeated" if _asks(asked) else "again"
    gives_none = denies(text) and _ADVICE.search(fold(asked)) is not None
    if gives_none or says_nothing(text, asked) or (_asks_at_length(asked) and _only_asks_back(text)):
        return "stock"
    if _echoes(text, asked):
        return "echo"
    names_tongue = brings_text(asked) or not COMMON_WORDS["tongues"].isdisjoint(fold(asked).split())
    return "tongue" if _is_elsewhere(text, language) and not names_tongue else None


def claim_about(asked: str) -> Objection:
    """Return what a claim of a deed is in plain talk: "noted" where the person asked for none."""
    return "noted" if is_news(asked) else "claim"


def without_claims(text: str, asked: str) -> str:
    """Return an answer to who only tells something without the sentences that claim or promise a deed; the whole
    answer where the person asked for something, or hardly anything is left."""
    if not is_news(asked) or not (claims_side_effect(text) or promises_act(text)):
        return text
    kept = [one for one in SENTENCE.findall(text) if not (claims_side_effect(one) or promises_act(one))]
    rest = without_stock("".join(kept))
    return rest if len(rest.split()) >= _LEAST_LEFT else text


def _is_elsewhere(text: str, language: Language) -> bool:
    """Tell whether a text of some length has words of another of our languages, and none of the person's."""
    return len(text.split()) >= _LEAST_TOLD and language_by_words(text) not in {None, language}


def brings_text(asked: str) -> bool:
    """Tell whether a message has a text in it to be corrected, translated or repeated."""
    return _BRINGS_TEXT.search(asked) is not None


def is_mostly_marks(text: str) -> bool:
    """Tell whether a text is empty, or has hardly a letter."""
    letters = sum(map(str.isalpha, text))
    return not text.strip() or (len(text) > _FEW_MARKS and letters * _LEAST_LETTERS < len(text))


def _asks(text: str) -> bool:
    """Tell whether a message may want to hear something again: a question, or a wish."""
    said = _WORD.findall(fold(text))
    asks = said[:1] != [] and said[0] in _ASKS_BRIEFLY
    asks = asks or not COMMON_WORDS["interrogatives"].isdisjoint(said)
    return asks or "?" in text or _WANTS.search(text) is not None


def _echoes(text: str, asked: str) -> bool:
    """Tell whether an answer has hardly a word that the message had not: "Sure, I need ideas for dinner"."""
    said, heard = content_words(without_stock(text)), set(map(stem, content_words(asked)))
    if not _LEAST_ECHO <= len(said) <= _LONGEST_ECHO or _YES_OR_NO.match(text):
        return False
    if brings_text(asked) or not _WANTS.search(asked):
        return False
    return sum(stem(word) in heard for word in said) >= _ECHO * len(said)


def _likeness(text: str, before: str) -> float:
    """Return the share of an answer's runs of three words that stood in the one before; 0 for few words."""
    runs, known = _runs(text), _runs(before)
    return len(runs & known) / len(runs) if len(runs) >= _SAME_RUNS else 0.0


def _runs(text: str) -> set[tuple[str, ...]]:
    said = words_alone(text).split()
    return set(zip(said, said[1:], said[2:], strict=False))


def words_alone(text: str) -> str:
    """Return a text for comparison: its words, without case, punctuation and a leading "error"."""
    return " ".join(_WORD.findall(text.casefold())).removeprefix("error ")


def denies(text: str) -> bool:
    """Tell whether an answer says that whoever wrote it does not know."""
    return _DENIED.search(" ".join(text.split())) is not None


def asked_again(objection: Objection, *, has_tools: bool) -> str:
    """Return what a model reads about an answer that was no use."""
    return AGAIN[objection].format(way=_CALL_OR if has_tools else _NO_CALL)


def with_hint(message: ChatMessage, objection: Objection) -> ChatMessage:
    """Add to the note in brackets behind a message what a small model needs that had nothing new to say."""
    if not message.content.endswith("]"):
        return replace(message, content=f"{message.content} ({HINTS[objection]})")
    return replace(message, content=f"{message.content.removesuffix(']')}; {HINTS[objection]}]")


def as_far_as_usable(response: ChatResponse, objection: Objection, in_talk: Language | None) -> ChatResponse:
    """What is told of an answer that met the same objection twice; `in_talk`: in plain talk of that language."""
    if in_talk is not None and objection in IN_TALK:
        return ChatResponse(say(IN_TALK[objection], in_talk))
    if objection == "loop":
        return replace(response, text=response.text[: loop_start(response.text)], tool_calls=(), is_truncated=True)
    return replace(response, text=response.text if objection in _BETTER_THAN_NOTHING else "", tool_calls=())
