"""Questions for a number or a name of what was told, and those whose answer was never told."""

from collections.abc import Sequence

import pytest

from app.memory.asked import asks_to_forget
from app.memory.statements import sentences_told
from app.pipeline.answering.nearest import nearest, own_thing
from app.pipeline.answering.quoting import each_question, told_of, without_asker
from app.pipeline.lexicon import asks_of_own
from app.pipeline.lexicon.world import asks_of_those, asks_world, stands_alone
from app.skills.amending import amended


@pytest.mark.parametrize(
    ("asked", "told", "is_answer"),
    [
        ("how old is maya", "my daughter Maya is 7", True),
        ("how old's my lad", "my lad is 9 and mad about football", True),
        ("how old is my son", "my son is 6 and he hates peas", True),
        ("what size was he again", "my husband is a size 11 shoe", True),
        ("cuántos años tiene mi perra?", "mi perra se llama Chispa y tiene 4 años", True),
        ("cómo se llaman mis hijos?", "vivo en Rosario con mis dos hijos, Tomi y Lola", True),
        ("cómo se llaman mis hijos?", "vivo en Rosario con mis hijos", False),
        ("how old is my dad", "my daughter Maya is 7", False),
        ("how old is my son", "my daughter is 7", False),
        ("how many people live in Rosario", "vivo en Rosario con mis 2 hijos", False),
        ("what cant oscar eat again", "my grandson Oscar is allergic to prawns", True),
        ("qué no podía comer mi cuñado?", "mi cuñado es celíaco", True),
        ("what can't cats eat", "my grandson Oscar is allergic to prawns", False),
        ("how does he take his", "my uncle takes his tea black", True),
        ("how long does it take", "my uncle takes his tea black", False),
        ("where do I leave the bike", "I leave my bike behind the library", True),
        ("where do people leave a bike in Bristol", "I leave my bike behind the library", False),
        ("cómo se llamaba el cerrajero?", "el cerrajero se llama Ismael, cobra poco", True),
        ("cómo se llama la capital de Perú?", "mi hermana se llama Ana", False),
        ("im at the chapel, whats the code", "the code of the chapel is 9091", True),
        ("cuándo era la revisión de Kiko", "la revisión de Kiko es en marzo", True),
        ("cuándo es la mejor hora de comer?", "Kiko come a las 9", False),
        ("who is the youngest of them", "my grandkids are Leo 9, Mia 6 and Zak 4", True),
        ("quien es el mas chico de ellos", "mis nietos son Bruno de 12, Caro de 8 y Fede de 5", True),
        ("quien es el mas chico de los Jackson Five", "mis nietos son Bruno de 12 y Caro de 8", False),
        ("cual es el mas grande", "compre 3 kilos de papas y 2 de cebolla", False),
        ("y cuándo era lo de su operación?", "mi suegro se opera de la rodilla el jueves 3", True),
        ("when is mum's operation", "my dad's operation is on the 9th", False),
        ("where is the wedding", "the wedding is on 12 June in Cork", True),
        ("where is the station", "the concert is in Leeds", False),
        ("when is the concert", "the concert is in Leeds", False),
        ("whats the rabbit called", "the dog's called Bramble and the rabbit's Pip", True),
        ("si le compro ojotas a Bruno cuánto era que calzaba", "a Bruno le queda todo chico, calza 29", True),
        ("now what did I say her dog was called", "my neighbour's dog is called Biscuit", True),
        ("big roast for everyone, what was it Fergal couldn't have", "my cousin Fergal is coeliac", True),
        ("ay no me sale, cómo era que se llamaba mi jefe", "mi jefe se llama Anselmo Rivas", True),
        ("filling in a form here where does my gran live", "my gran lives in Sligo", True),
        ("form for the school, what class is Orla in", "my wee girl Orla's in P3", True),
        ("y mi viejo cuanto calzaba", "mi viejo calza 44 y mi sobrino va por 41", True),
        ("when was it, my sister's wedding", "my sister's wedding is on 3 May in Bath", True),
        ("which of mine is the eldest", "my kids are Ada 12, Sol 9 and Ivo 4", True),
        ("whose is Alfie", "The youngest is Alfie, he's my son Ken's", True),
        ("dog's limping, whats the vets name", "the vet for our dog is Mr Hollis", True),
        ("mi hermana me contó cómo es la vida en Quito", "mi hermana vive en Quito", False),
        ("where is Cork", "my mum is in Cork", False),
        ("no idea what's up with my boss, he's so weird", "my boss is called Alan", False),
        ("con mi suegra en la farmacia, a qué era alérgica ella", "mi marido es alérgico al látex", False),
        ("which planet is the biggest", "my kids are Ada 12, Sol 9 and Ivo 4", False),
    ],
)
def test_a_number_or_a_name_that_was_told_answers_who_asks_for_it(asked: str, told: str, is_answer: bool) -> None:
    assert told_of(asked, [told]) == (told if is_answer else None)


@pytest.mark.parametrize(
    ("said", "is_asked"),
    [
        ("when's my sister's birthday", True),
        ("qué número calzo?", True),
        ("what am i allergic to", True),
        ("how old is the earth", False),
        ("how old do i have to be to drive", False),
        ("what size pan does my cake want", False),
        ("qué edad tiene que tener mi hijo para viajar solo", False),
        ("cuál es la edad para jubilarme, yo soy docente", False),
        ("my size is 9", False),
        ("what's on my list", False),
        ("cuándo es mi turno?", False),
    ],
)
def test_what_only_the_person_can_tell_is_known(said: str, is_asked: bool) -> None:
    assert asks_of_own(said) == is_asked


def test_of_two_sides_the_other_one_is_put_right() -> None:
    found = amended("my right knee is bad, the doctor says its arthritis", "no sorry, it's my left knee")
    assert found is not None
    assert found.text == "my left knee is bad, the doctor says its arthritis"


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("cuanto peso la beba, decile vos a mi suegra que pregunta", "cuanto peso la beba"),
        ("aunt Jo asks when is the wedding", "when is the wedding"),
        ("what did she weigh again, my mum is asking", "what did she weigh again"),
        ("mi marido quiere saber cuando es la reunion", "cuando es la reunion"),
        ("decile a mi suegra que la beba peso 3,4", "decile a mi suegra que la beba peso 3,4"),
    ],
)
def test_who_wants_to_know_is_no_part_of_the_question(said: str, asked: str) -> None:
    assert without_asker(said) == asked


@pytest.mark.parametrize(
    ("said", "does"),
    [
        ("what's the standard gauge of a tramway", True),
        ("how far is it from Cardiff to Bristol", True),
        ("what rpm does a single spin at", True),
        ("a cuántos hertz se afina la quinta cuerda", True),
        ("how far is it from my flat to the stop", False),
        ("what's the speed limit here today", False),
        ("where is Melbourne", True),
        ("donde queda Cusco?", True),
        ("how many notes in an octave", True),
        ("a qué temperatura se hornea un bizcochuelo, es para mi hija", True),
        ("what heat do I wash baby clothes at", True),
        ("how much should a baby weigh at one month", True),
        ("what's the temperature in Melbourne", False),
        ("where is Tom", False),
        ("where's my parcel", False),
        ("how many notes do i have", False),
        ("cuantas notas tiene mi lista", False),
        ("que temperatura hace en Cusco", False),
        ("", False),
    ],
)
def test_what_is_so_for_everybody_is_looked_for_nowhere(said: str, does: bool) -> None:
    assert asks_world(said) is does


@pytest.mark.parametrize(
    ("said", "does"),
    [
        ("and of those, which still have a king?", True),
        ("y de ellos cuántos vuelan", True),
        ("how many of them live in water", True),
        ("two of those broke", False),
        ("me comí tres de esos", False),
        ("which metal is the heaviest", False),
    ],
)
def test_who_asks_of_those_asks_of_what_was_told_before(said: str, does: bool) -> None:
    assert asks_of_those(said) is does


@pytest.mark.parametrize(
    ("asked", "is_alone"),
    [
        ("qué es un glaciar", True),
        ("por qué el hielo flota en el agua", True),
        ("how far is the moon from here in miles", True),
        ("is a spider an insect", True),
        ("what is the biggest one in the world", False),
        ("cuál es el más largo de todos los ríos", False),
        ("what is the currency they use there", False),
        ("cuántos habitantes tiene", False),
        ("and what does a beaver eat", False),
        ("right, and of those how many are longer than the whole coast of Norway is", False),
        ("y de esas cuántas tienen salida al mar y cuántas están en las montañas altas", False),
    ],
)
def test_a_question_that_names_what_it_is_about_stands_alone(asked: str, is_alone: bool) -> None:
    assert stands_alone(asked) is is_alone


_SAID_SO = {"dog": "schnoodle", "hamster": "fluffball", "boat": "dinghy"}


async def _alike(word: str, others: Sequence[str]) -> list[float]:
    return [0.6 if _SAID_SO.get(word) == one else 0.4 for one in others]


@pytest.mark.parametrize(
    ("asked", "told", "is_found"),
    [
        ("whats my dogs name", "me and Pretzel thats my lurcher got soaked", True),
        ("whats my dogs name", "me and pretzel thats my lurcher got soaked", True),
        ("what's my dog called", "our schnoodle Mabel dug up the lawn", True),
        ("what is my boat called", "I took our dinghy Skipjack out at dawn", True),
        ("how old is my horse", "rode out on the old mare at six, she's 19 now", True),
        (
            "what are my grandkids called, see if you were listening",
            "my son Ned brought his two boys Gus and Kit",
            True,
        ),
        ("cómo se llaman mis nietos a ver si estabas atento", "vino mi hija con sus nenes, Tadeo y Uma", True),
        ("como se llama mi gata", "la siamesa, Lila, se comió el pollo", True),
        ("where does my gran live", "gran rang from Whitby, she's moved into a flat", True),
        ("what is my sister's dog called", "my sister's spaniel Otto ate my shoes", True),
        ("whats my dogs name", "my mate Col got a lurcher called Bess", False),
        ("whats my dogs name", "my sister's lurcher Bess ate a sock", False),
        ("whats my dogs name", "my sisters lurcher Bess ate a sock", False),
        ("whats my dogs name", "my lurcher is poorly", False),
        ("whats my dogs name", "I saw our cat Bess in the yard", False),
        ("whats my dogs name", "we walked the lurcher in Whitby", False),
        ("how old is my dog", "the lurcher ate 2 sausages", False),
        ("como se llama mi perro", "el caniche de mi prima se llama Lolo", False),
        ("como se llama mi perra", "su galga Lola me mordió", False),
        ("what are my grandkids called", "my son Ned and my daughter Bea came", False),
        ("where does my gran live", "gran rang, she's moved into a flat", False),
    ],
)
async def test_a_thing_of_ones_own_is_found_by_another_word(asked: str, told: str, is_found: bool) -> None:
    thing = own_thing(asked)
    assert thing is not None
    assert (await nearest(thing, [told], _alike)).found == ((told,) if is_found else ())


async def test_all_that_may_be_the_answer_is_found() -> None:
    thing, told = (
        own_thing("what are my dogs called"),
        ["our lurcher Bess", "the tide was out", "my pug Zed snores"],
    )
    assert thing is not None
    assert (await nearest(thing, told, _alike)).found == ("our lurcher Bess", "my pug Zed snores")


@pytest.mark.parametrize(
    "asked",
    [
        "what is the dog in Oliver Twist called",
        "what does a lurcher eat",
        "how old is the king",
        "what should I call my dog",
        "which of my dogs is the oldest",
        "my dog is called Bess",
        "what do you know about dogs",
    ],
)
def test_what_is_not_asked_of_ones_own_is_looked_for_nowhere(asked: str) -> None:
    assert own_thing(asked) is None


@pytest.mark.parametrize(
    ("said", "told", "is_gone"),
    [
        ("forget what I said about the parrot", "we had a parrot called Rio", True),
        ("olvidate de lo del loro", "teníamos un loro, Rio", True),
        ("forget the parrot", "we had a budgie called Rio", False),
        ("don't forget the parrot food", "we had a parrot called Rio", False),
        ("I always forget the parrot's name", "we had a parrot called Rio", False),
    ],
)
def test_what_is_to_be_forgotten_is_said_no_more(said: str, told: str, is_gone: bool) -> None:
    assert asks_to_forget(said, told) is is_gone


@pytest.mark.parametrize(
    ("asked", "each"),
    [
        ("what's my aunt's name and what's my lad called?", ["what's my aunt's name?", "what's my lad called?"]),
        ("whats my aunts name and my cousins", ["whats my aunts name?", "whats my cousins name?"]),
        ("what are my aunt and my cousin called?", ["what are my aunt called?", "what are my cousin called?"]),
        ("cómo se llama mi tía y mi primo?", ["cómo se llama mi tía?", "cómo se llama mi primo?"]),
        ("cómo se llama mi tía? y mi primo?", ["cómo se llama mi tía?", "cómo se llama mi primo?"]),
        ("qué edad tiene mi tía y qué calza mi primo", ["qué edad tiene mi tía?", "qué calza mi primo?"]),
        ("what's my aunt's name?", []),
        ("my aunt and my cousin are coming", []),
        ("what is the capital of Peru and of Chile?", []),
        ("cómo se llama mi tía y de paso contame qué cocino hoy que viene con los chicos?", []),
    ],
)
def test_two_questions_of_ones_own_are_asked_each_for_itself(asked: str, each: list[str]) -> None:
    assert each_question(asked) == each


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("my niece was born today. Her name is Orla.", ["my niece was born today. Her name is Orla"]),
        ("nació mi sobrina. Le pusimos Alma. Yo soy Rita", ["nació mi sobrina. Le pusimos Alma", "Yo soy Rita"]),
        ("my niece was born today. I work in Hull", ["my niece was born today", "I work in Hull"]),
        ("her name is Orla", ["her name is Orla"]),
    ],
)
def test_a_name_stands_with_the_sentence_that_says_whose_it_is(said: str, told: list[str]) -> None:
    assert sentences_told(said) == told
