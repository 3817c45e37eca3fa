"""Questions and wishes without a mark are no news of somebody's life, which wants interest and nothing else."""

import pytest

from app.skills.unusable import is_news


@pytest.mark.parametrize(
    "text",
    [
        "hola una consulta se puede congelar el queso",
        "tengo 4 huevos y nada mas, q cocino",
        "a q temperatura va el bizcochuelo",
        "me duele la espalda, conviene calor o frio",
        "xq se me corta la mayonesa",
        "armame un menu barato para la semana",
        "anyone round here says it never snows, should i buy chains",
        "any tips for damp walls",
        "hi there, has the moon always been that far",
        "pick a name for my boat",
        "qué calor, a qué hora abre la pileta",
        "what a day, how do i get wax off a rug",
        "que hora es en Bogotá",
    ],
)
def test_what_asks_or_wishes_is_no_news(text: str) -> None:
    assert not is_news(text)


@pytest.mark.parametrize(
    "text",
    [
        "hoy nos mudamos y llueve a cántaros",
        "mi perro se comió el pollo entero",
        "me quedé sin laburo el viernes",
        "the cat had her kittens in my wardrobe",
        "I finally sold the caravan",
        "we won the quiz, first time in nine years",
        "what a night, my brother, who drums, let the whole band sleep here",
        "qué susto, el loro que vive enfrente se metió en la cocina",
        "que día, quién diría que nevaba en la playa",
    ],
)
def test_what_is_only_told_is_news(text: str) -> None:
    assert is_news(text)
