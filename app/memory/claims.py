"""What a sentence claims about a person, in Spanish and English: "I live in X", "my wife is called Y".

A claim has an attribute (what it is about), a value, and says yes or no. Only plain statements at the beginning of
a clause are read; whatever is told in another way has no claims, and is never in contradiction with anything.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from app.domain.wording import fold
from app.memory.lexicon import ARTICLES, CONDITIONS, RELATIONS

# fmt: off
_ONE_OF_A_KIND: Final = frozenset({
    "wife", "husband", "partner", "girlfriend", "boyfriend", "mother", "father", "boss",
    "mother_in_law", "father_in_law",
})
_SINGLE_THINGS: Final = (
    "telefono|movil|celular|numero|correo|email|e-mail|mail|direccion|talla|clave|contrasena|pin|codigo|peso|altura"
    "|cumpleanos|aniversario|idioma|nacionalidad|matricula|grupo sanguineo|alarma|horario|presupuesto|sueldo"
    "|phone|phone number|number|address|size|password|code|weight|height|birthday|anniversary|nationality"
    "|blood type|alarm|schedule|budget|salary|time zone|zona horaria"
)
# fmt: on

_CLAUSES: Final = re.compile(r"[.;:!?\n]+(?=\s|$)|,|\s+(?:y|e|and|pero|but)\s+")
_LEAD: Final = re.compile(
    r"(?:(?:ahora|ya|actualmente|desde hoy|hoy|en realidad|recuerda|recorda|acordate de|acuerdate de|anota|que|oye"
    r"|el usuario|la usuaria|yo|sabes|now|currently|actually|from now on|today|remember|note|that|the user|user"
    r"|well|so|bueno|pues)\s+)+"
)
_TAIL: Final = re.compile(
    r"\s+(?:desde|hace|con|cerca|porque|aunque|cuando|since|for|with|near|because|although|when|last|this|ahora"
    r"|actualmente|now|currently|anymore|any more|any longer)\b.*"
)
_CONTRACTIONS: Final = (
    ("n't", " not"), ("'m ", " am "), ("'re ", " are "), ("can not", "cannot"), ("won't", "will not"),
)  # fmt: skip

_NEGATION: Final = (
    r"(?P<no>ya no|no|nunca|never|no longer|do not|does not|did not|am not|is not|are not|do not|not)?\s*"
)
_OF_A_THIRD: Final = re.compile(
    r"(?:ya no |no |nunca )?(?:vive|reside|se|trabaja|tiene|nacio|cumple|es|esta|ama|adora|odia|detesta|is|was"
    r"|lives|works|likes|loves|enjoys|hates|dislikes|has|moved)\b"
)
_IS_USER: Final = re.compile(r"\b(?:usuario|usuaria|user)\b")
_MY: Final = r"(?:mi|my|our|nuestro|nuestra)"
_REL: Final = r"(?P<rel>[a-z]+)"
_VALUE: Final = r"(?P<value>.+)"

_PATTERNS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (attribute, re.compile(pattern))
    for attribute, pattern in (
        ("name", rf"{_MY} {_REL} {_NEGATION}(?:se llama|is called|is named) {_VALUE}"),
        ("name", rf"{_MY} {_REL}(?:'s| s) name is {_VALUE}"),
        ("name", rf"el nombre de {_MY} {_REL} es {_VALUE}"),
        ("name", rf"the name of {_MY} {_REL} is {_VALUE}"),
        (
            "name",
            rf"{_NEGATION}(?:me llamo|se llama|mi nombre es|my name is|i am called|call me|llamame) {_VALUE}",
        ),
        ("home", rf"{_MY} {_REL} {_NEGATION}(?:vive|reside|lives|se mudo) (?:en|a|in|to) {_VALUE}"),
        ("home", rf"{_MY} {_REL} (?:moved|has moved) to {_VALUE}"),
        (
            "home",
            rf"{_NEGATION}(?:vivo|vive|resido|reside|me mude|se mudo|me he mudado|nos mudamos|vivimos)"
            rf" (?:en|a|al) {_VALUE}",
        ),
        (
            "home",
            rf"(?:i |we )?{_NEGATION}(?:live|lives|am living|moved|have moved|has moved|relocated)"
            rf" (?:in|to|at) {_VALUE}",
        ),
        ("employer", rf"{_NEGATION}(?:trabajo|trabaja) (?:en|para) {_VALUE}"),
        ("employer", rf"(?:i )?{_NEGATION}(?:work|works|am working) (?:at|for|in) {_VALUE}"),
        ("age", r"(?:tengo|tiene) (?P<value>\d+) anos\b.*"),
        ("age", r"(?:i am|is) (?P<value>\d+)(?: years old)?"),
        ("birth_place", r"(?:naci|nacio) en (?P<value>[^\d]+)"),
        ("birth_place", r"(?:i )?was born in (?P<value>[^\d]+)"),
        ("birthday", r"(?:naci|nacio|cumplo(?: anos)?|mi cumpleanos es|mi cumple es) (?:el )?(?P<value>.*\d.*)"),
        ("birthday", r"(?:(?:i )?was born|my birthday is) (?:on )?(?P<value>.*\d.*)"),
        ("like", rf"(?:a mi )?{_NEGATION}me (?:gusta|gustan|encanta|encantan) {_VALUE}"),
        ("like", rf"(?:i )?{_NEGATION}(?:really )?(?:like|likes|love|loves|enjoy|enjoys) {_VALUE}"),
        ("like", rf"{_NEGATION}(?:amo|adoro|ama|adora) {_VALUE}"),
        ("dislike", rf"{_NEGATION}(?:odio|odia|detesto|detesta|no soporto) {_VALUE}"),
        ("dislike", rf"(?:i )?{_NEGATION}(?:hate|hates|dislike|dislikes|cannot stand) {_VALUE}"),
        (
            "be",
            rf"(?:i )?{_NEGATION}(?:soy|estoy|am|is|es|esta)(?P<no2> not| no longer)? (?:una? |an? )?{_VALUE}",
        ),
        ("thing", rf"(?:mi|my) (?P<thing>(?:{_SINGLE_THINGS})(?: (?:de|del|of) .+?)?) (?:es|is) {_VALUE}"),
        ("thing", rf"(?:mi|my) (?P<thing>\w+ favorit[oa]|favou?rite \w+) (?:es|is) {_VALUE}"),
    )
)


@dataclass(frozen=True, slots=True)
class Claim:
    """`is_single`: two different values cannot both be true."""

    attribute: str
    value: tuple[str, ...]
    is_yes: bool
    is_single: bool


def normalised(text: str) -> str:
    """Return the text folded, with contractions written out ("don't" is "do not")."""
    said = fold(text.replace("’", "'"))
    for short, full in _CONTRACTIONS:
        said = said.replace(short, full)
    return said


def read_claims(text: str) -> tuple[Claim, ...]:
    """Return what the text plainly claims, in the order in which it does."""
    lines = "\n".join(normalised(line) for line in text.split("\n"))
    return tuple(claim for clause in _CLAUSES.split(lines) for claim in _claims_of(clause))


def _claims_of(clause: str) -> Iterator[Claim]:
    lead = _LEAD.match(clause.strip())
    said = clause.strip() if lead is None else clause.strip()[lead.end() :]
    # "My dog is old, is called Toby": who a clause without a subject is about is anybody's guess.
    if _OF_A_THIRD.match(said) and not (lead is not None and _IS_USER.search(lead[0])):
        return
    for attribute, pattern in _PATTERNS:
        if (match := pattern.fullmatch(said)) is not None:
            if (claim := _claim(attribute, match)) is not None:
                yield claim
            return


def _claim(attribute: str, match: re.Match[str]) -> Claim | None:
    found = match.groupdict()
    value = tuple(re.findall(r"[^\W_]+", _TAIL.sub("", found["value"])))
    is_yes = not (found.get("no") or found.get("no2"))
    value = tuple(word for word in value if word not in ARTICLES)
    if not value or (found.get("rel") is not None and found["rel"] not in RELATIONS):
        return None
    match attribute:
        case "like" | "dislike":
            return Claim("like", value, is_yes == (attribute == "like"), is_single=False)
        case "be":
            return _being(value, is_yes)
        case "thing":
            return Claim(f"thing:{found['thing']}", value, is_yes, is_single=True)
        case _:
            relation = RELATIONS.get(found.get("rel") or "", "")
            is_single = not relation or relation in _ONE_OF_A_KIND or attribute == "home"
            return Claim(f"{relation}:{attribute}", value, is_yes, is_single)


def _being(value: tuple[str, ...], is_yes: bool) -> Claim | None:
    group = next((CONDITIONS[word] for word in value if word in CONDITIONS), None)
    return None if group is None else Claim(group[0], (group[1],), is_yes, is_single=True)
