"""What people say of themselves, found by its wording: Spanish and English, no model.

The patterns were written for this program, after the ways in which people present themselves in a chat. They
would rather miss a fact than keep a question, a request or a text that somebody wants translated.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from app.domain.wording import clean, one_line

MAX_FACT_CHARS: Final = 200
_MIN_EVENT_WORDS: Final = 4

_SENTENCE_END: Final = re.compile(
    r"(?<=[.!?…;])(?<!\bDr\.)(?<!\bDra\.)(?<!\bSr\.)(?<!\bSra\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bAv\.)"
    r"(?<!\bSt\.)(?<!\b[A-Z]\.)\s+|\n+|(?=[¿¡])"
)
_LETTER: Final = re.compile(r"[^\W\d_]")
_QUOTED: Final = re.compile(r"\"[^\"\n]*\"|«[^»\n]*»|“[^”\n]*”|```.*?```|`[^`\n]*`", re.DOTALL)

_FILLER: Final = re.compile(
    r"(?:(?:hola|holis|buenas|buenos d[ií]as|buen d[ií]a|che|bueno|ok|okay|dale|mir[aá]|ah+|eh+|mmm+|y|e|pero|"
    r"adem[aá]s|tambi[eé]n|por cierto|a prop[oó]sito|igual|s[ií]|en realidad|gracias|hi|hey|hello|well|so|also|"
    r"and|but|btw|by the way|oh|yes|actually|thanks|fyi|sabes|sab[eé]s)(?![\w'’])[,:!.\s¡-]*)+",
    re.IGNORECASE,
)
_EXPLICIT: Final = re.compile(
    r"(?:por favor,?\s+|please,?\s+)?(?:"
    r"(?:record[aá]|recuerda|recuerde|acu[eé]rdate|acordate|acu[eé]rdese|ten[eé] (?:en cuenta|presente)|"
    r"ten (?:en cuenta|presente)|no te olvides|no olvides|no olvid[eé]s|que sepas|quiero que sepas|para que sepas|"
    r"sab[eé]|quiero que recuerdes)\s+(?:de\s+)?que|"
    r"(?:please\s+)?(?:remember|keep in mind|bear in mind|don['’]?t forget|do not forget|you should know|"
    r"i want you to (?:know|remember))\s+that|"
    r"remember[:,]|record[aá][:,]|recuerda[:,]|for your information[,:]?)\s*(?P<fact>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_QUESTION_WORD: Final = re.compile(
    r"(?:qu[eé] (?:hora|d[ií]a|tal|es)|qué|quién|quiénes|cuándo|dónde|adónde|cómo|cuánt[oa]s?|cuál(?:es)?|por qué|"
    r"como (?:se|est[aá]s?|hago|puedo|hac[eé]s)|sab[eé]s (?:si|qu|c[oó]m|d[oó]n|cu)|sabes (?:si|"
    r"qu|c[oó]m|d[oó]n|cu)|"
    r"what|who|whose|when(?: is| are| do| did| does| was)|where|how|why|which|is (?:it|there|"
    r"that|this)|are (?:you|there)|"
    r"do (?:you|i|we)|does|did (?:you|i|we)|have you|has)(?!\w)",
    re.IGNORECASE,
)
_REQUEST: Final = re.compile(
    r"(?:por favor|porfa|please|me (?:pod[eé]s|puedes|podr[ií]as|dec[ií]s|dices|ayud[aá]s|das|"
    r"hac[eé]s|mostr[aá]s)|"
    r"pod[eé]s|puedes|podr[ií]as|necesito que|quiero que|quisiera que|"
    r"(?:busc|cont|mostr|explic|anot|apunt|guard|agreg|cre|borr|elimin|record|avis|redact|list|calcul|pas|ayud|"
    r"prepar|compar|mand|revis|imagin|inici|program|agend)[aá](?:me|lo|la|los|las|le|melo|mela)?|"
    r"(?:dec|traduc|correg|escrib|resum|a[ñn]ad|convert|eleg)[ií](?:me|lo|la|los|las)?|"
    r"(?:hac|pon|le)[eé](?:me|lo|la)?|dime|haz(?:me)?|ponme|cu[eé]ntame|mu[eé]stra(?:me)?|expl[ií]ca(?:me)?|"
    r"recu[eé]rda(?:me)?|ay[uú]dame|traduce|corrige|escribe|resume|convierte|elige|lee|supon(?:[eé]|gamos)|"
    r"can you|could you|would you|will you|tell me|show me|give me|find|search|look up|write|translate|correct|"
    r"summari[sz]e|list|add|create|delete|remove|remind me|save|note|make|set|calculate|convert|explain|help|"
    r"let['’]?s|let me|i (?:want|need) you to|i['’]?d like you to|imagine|"
    r"suppose|pretend|rewrite|draft|read)(?!\w)",
    re.IGNORECASE,
)
_TEXT_WORK: Final = re.compile(
    r"(?:(?:traduc|correg|escrib|resum|reescrib)[ií]|traduce|corrige|escribe|resume|redact[aá]|"
    r"reescribe|imagin[aá]|"
    r"supon(?:[eé]|gamos)|"
    r"translate|correct|write|rewrite|summari[sz]e|draft|proofread|"
    r"paraphrase|imagine|suppose|pretend)(?:me|lo|la)?(?!\w)",
    re.IGNORECASE,
)
_HYPOTHETICAL: Final = re.compile(
    r"(?:si|if|ojal[aá]|i wish|as if|como si|quiz[aá]s?|tal vez|maybe|perhaps)(?!\w)", re.I
)

_KIN: Final = (
    r"(?:espos[oa]|marido|mujer|novi[oa]|pareja|hij[oa]s?|herman[oa]s?|madre|padre|mam[aá]|"
    r"pap[aá]|viej[oa]|abuel[oa]s?|"
    r"niet[oa]s?|t[ií][oa]s?|prim[oa]s?|sobrin[oa]s?|suegr[oa]s?|cu[ñn]ad[oa]s?|amig[oa]s?|"
    r"jef[ea]|perr[oa]s?|gat[oa]s?|"
    r"mascotas?|conej[oa]s?|caballos?|wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|"
    r"sons?|daughters?|kids?|"
    r"child(?:ren)?|brothers?|sisters?|mother|father|mom|mum|dad|grand(?:mother|father|ma|pa|"
    r"son|daughter)|uncles?|aunts?|"
    r"cousins?|nephews?|nieces?|friends?|boss|dogs?|cats?|pets?|twins|rabbits?|horses?)"
)
_COUNT: Final = r"(?:un[oa]?s?|dos|tres|cuatro|cinco|an?|one|two|three|four|five|\d+)"
_TRADE: Final = (
    r"\w*(?:ista|[oó]log[oa]|er[oa]|ora?|m[eé]dic[oa]|abogad[oa]|arquitect[oa]|docente|estudiante|jubilad[oa]|"
    r"polic[ií]a|m[uú]sic[oa]|chef)"
)
_TRADE_EN: Final = r"\w*(?:er|or|ist|ian|nurse|chef|student|vegan|architect|accountant|retired)"
_DIET: Final = (
    r"(?:al[eé]rgic[oa]s?|vegetarian[oa]?|vegan[oa]?|cel[ií]ac[oa]|diab[eé]tic[oa]|hipertens[oa]|asm[aá]tic[oa]|"
    r"intolerante|zurd[oa]|hincha|fan[aá]tic[oa]|solter[oa]|casad[oa]|viud[oa]|divorciad[oa]|embarazad[oa])"
)
_DIET_EN: Final = (
    r"(?:allergic|vegetarian|vegan|coeliac|celiac|diabetic|asthmatic|lactose|intolerant|"
    r"left-handed|married|single|"
    r"divorced|widowed|pregnant|retired)"
)
_TRIGGER: Final = re.compile(
    r"(?:(?:yo\s+)?(?:ya\s+no\s+|no\s+)?(?:"
    r"me llamo|me dicen|mi nombre es|vivo (?:en|con|sol[oa]|cerca)|nac[ií] (?:en|el)|me mud[eé]|me cas[eé]|"
    rf"soy (?:de(?! l[oa]s que)|{_DIET}|(?:un[ao]? )?{_TRADE})|estoy {_DIET}|"
    r"trabajo (?:en|como|de|para|desde)|estudio \w+|"
    rf"tengo (?:alergia|intolerancia|\d+ a[ñn]os|diabetes|asma|celiaqu[ií]a|{_COUNT} {_KIN}(?!\w))|"
    r"como (?:carne|pescado|gluten)|puedo comer|tomo (?:caf[eé]|alcohol|mate|medicaci[oó]n|pastillas)|"
    r"me (?:gustan?|encantan?|molestan?)|odio|detesto|prefiero|hablo (?!con|de)|cumplo (?:a[ñn]os|\d+)|"
    rf"mis? {_KIN}(?:\s+\w+){{0,2}}?\s+(?:se llaman?|cumplen?|viven? en|trabajan? (?:en|de|como)|"
    rf"naci[oó]|nacieron|"
    r"(?:es|son) al[eé]rgic[oa]s?|tienen? \d+|(?:es|son) (?-i:[A-ZÁÉÍÓÚÑ])\w*)|"
    r"mis? \w+(?:\s+\w+){0,2}?\s+se llaman?|"
    r"mis? (?:cumplea[ñn]os|direcci[oó]n|tel[eé]fono|mail|correo|talle|n[uú]mero de \w+|grupo sangu[ií]neo|"
    r"\w+ favorit[oa]s?|aniversario) (?:es|son)"
    r")|"
    r"my name(?:['’]s| is)|(?:you can |please )?call me|"
    r"i (?:no longer |don['’]?t |do not |never |now |currently )?"
    r"(?:live (?:in|with|alone|near)|work (?:at|as|for|in|from)|study|speak|eat|drink|smoke|"
    r"like|love|hate|prefer)|"
    r"i (?:was born|moved to|got married|grew up in|can['’]?t eat|cannot eat|can['’]?t stand|turn \d+)|"
    rf"i(?:['’]?m| am)(?: not| no longer)? (?:called|from|(?:an? )?{_DIET_EN}(?!\w)|"
    rf"an? {_TRADE_EN}(?!\w)|\d+ years)|"
    rf"i (?:have|don['’]?t have) (?:an allergy|diabetes|asthma|{_COUNT} {_KIN}(?!\w))|"
    rf"my {_KIN}(?:\s+\w+){{0,2}}?(?:['’]s name is|['’]s birthday is|\s+(?:is called|are called|"
    rf"is named|lives? in|"
    r"works? (?:at|as|for|in)|was born|is allergic|(?:is|are) (?-i:[A-Z])\w*|is \d+|turns \d+))|"
    r"my \w+(?:\s+\w+){0,2}?(?:['’]s name is|\s+is (?:called|named))|"
    r"my (?:birthday|address|phone(?: number)?|e-?mail|blood type|shoe size|size|favou?rite \w+|"
    r"anniversary) (?:is|are)"
    r")(?!\w)",
    re.IGNORECASE,
)
_CLAUSE_START: Final = re.compile(
    r"(?:^|[,:(–-]\s*|(?<!\w)(?:y|e|and|pero|but|que|that|porque|because|aunque|though)\s+)\Z", re.IGNORECASE
)
_TRAILING: Final = re.compile(r"[\s,;:.!–-]+(?:(?:y|e|and|pero|but|as[ií] que|so)\s*)?\Z", re.IGNORECASE)
_ASIDE: Final = re.compile(r",\s+")
_EMPTY_OBJECT: Final = re.compile(
    r"(?:no\s+)?(?:me (?:gusta|gustan|encanta|encantan|molesta|molestan)|odio|detesto|prefiero|"
    r"i (?:don['’]?t |do not |never |now )?(?:like|love|hate|prefer))"
    r"(?:\s+(?:es[aeo]s?|est[aeo]s?|eso|esto|as[ií]|much[oa]|tu|tus|l[oa]s? que|que|it|that|"
    r"this|these|those|you|your|"
    r"how|when|what|to know)(?!\w).*|\s*)",
    re.IGNORECASE | re.DOTALL,
)
_PASSING: Final = re.compile(
    r"(?<!\w)(?:hoy|ayer|anteayer|anoche|ma[ñn]ana|esta (?:ma[ñn]ana|tarde|noche|semana)|ahora|reci[eé]n|"
    r"today|yesterday|tomorrow|tonight|last night|this (?:morning|afternoon|"
    r"evening|week)|right now|just now)(?!\w)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence as it was written; `is_asked_for`: the person wants it remembered."""

    text: str
    is_asked_for: bool = False

    @property
    def is_passing(self) -> bool:
        """It speaks of these days, and will not be true for long."""
        return _PASSING.search(self.text) is not None


def statements(text: str) -> list[Statement]:
    """Return the sentences in which a person tells something, in order, as they wrote them.

    Questions, requests, conditions and quotations tell nothing; nor does a message that brings a text to work
    on. What somebody wants remembered is told, without the words that ask for it.
    """
    sentences = [part for part in map(str.strip, _SENTENCE_END.split(_QUOTED.sub(" ", clean(text)))) if part]
    bare = [_FILLER.sub("", sentence, count=1) if _FILLER.match(sentence) else sentence for sentence in sentences]
    if any(_TEXT_WORK.match(sentence) for sentence in bare):
        return []
    return [told for sentence in bare if (told := _told(sentence)) is not None]


def self_statements(told: Sequence[Statement]) -> list[str]:
    """Return what a person says of themselves in plain words, each as they wrote it, without repetition."""
    found: list[str] = []
    for one in told:
        found += [bounded(one.text)] if one.is_asked_for else _triggered(one.text)
    return list(dict.fromkeys(one for one in found if one))


def happenings(told: Sequence[Statement]) -> list[str]:
    """Return what a person says of these days: what happened, or will."""
    long_enough = (one.text for one in told if one.is_passing and len(one.text.split()) >= _MIN_EVENT_WORDS)
    return list(dict.fromkeys(bounded(text) for text in long_enough))


def bounded(text: str) -> str:
    """Return a statement as it is kept: on one line, of at most 200 characters, without trailing punctuation."""
    return one_line(_TRAILING.sub("", text.strip()), MAX_FACT_CHARS)


def _told(sentence: str) -> Statement | None:
    if "?" in sentence or sentence.startswith("¿"):
        return None
    if explicit := _EXPLICIT.match(sentence):
        return Statement(explicit["fact"], is_asked_for=True)
    if any(kind.match(sentence) for kind in (_QUESTION_WORD, _REQUEST, _HYPOTHETICAL)):
        return None
    return Statement(sentence) if _LETTER.search(sentence) else None


def _triggered(sentence: str) -> list[str]:
    starts = [
        match.start() for match in _TRIGGER.finditer(sentence) if _CLAUSE_START.search(sentence, 0, match.start())
    ]
    parts = (sentence[start:end] for start, end in pairwise([*starts, len(sentence)]))
    clauses = [bounded(_without_asides(part)) for part in parts]
    return [one for one in clauses if not _EMPTY_OBJECT.fullmatch(one) and not _PASSING.search(one)]


def _without_asides(clause: str) -> str:
    """Cut the clause where, after a comma, a request or a question begins."""
    for comma in _ASIDE.finditer(clause):
        rest = clause[comma.end() :]
        if _REQUEST.match(rest) or _QUESTION_WORD.match(rest):
            return clause[: comma.start()]
    return clause
