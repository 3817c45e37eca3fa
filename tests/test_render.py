"""What a model writes in Markdown, and what the person must see in WhatsApp."""

import time
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.whatsapp.markdown import MAX_NESTING
from app.whatsapp.marks import FENCE, MAX_TABLE_WIDTH, WORD_JOINER
from app.whatsapp.render import MAX_RENDERED_CHARS, RULE, render, render_literal

HANG_S = 20
"""Seconds of computing that only runaway backtracking or a quadratic scan can take, on any machine."""

J: Final = WORD_JOINER

EMPHASIS: Final = [
    ("Claro, **son las 8**.", "Claro, *son las 8*."),
    ("__Important__: bring an umbrella", "*Important*: bring an umbrella"),
    ("Es *muy* fácil y _rápido_", "Es _muy_ fácil y _rápido_"),
    ("***both***", "*_both_*"),
    ("*a **b** c*", "_a *b* c_"),
    ("**Total: *aprox.* 20 €**", "*Total: _aprox._ 20 €*"),
    ("Antes ~~30 €~~, ahora 20 €", "Antes ~30 €~, ahora 20 €"),
    ("**Pan** **leche**", "*Pan* *leche*"),
    ("(**ojo**) ¿**seguro**?", "(*ojo*) ¿*seguro*?"),
    ("**dos\nlíneas** aquí", "*dos*\n*líneas* aquí"),
    ("**H**yper**T**ext", "Hyper**T**ext"),
    ("Precio ~~50~~40", "Precio ~~50~~40"),
    ("sin cerrar **negrita", "sin cerrar **negrita"),
]

HEADINGS: Final = [
    ("# Receta", "*Receta*"),
    ("### Paso **1**: *mezclar*", "*Paso 1: _mezclar_*"),
    ("## Usar `make`\nTexto", "*Usar `make`*\nTexto"),
    ("Título\n======\ntexto", "*Título*\ntexto"),
    ("uno\ndos\n---\ntres", f"uno\ndos\n{RULE}\ntres"),
    ("Arriba\n\n---\n\nAbajo", f"Arriba\n\n{RULE}\n\nAbajo"),
    ("a\n#\nb", "a\nb"),
    ("#hashtag no es título", "#hashtag no es título"),
]

LINKS: Final = [
    ("Mira [la guía](https://example.com/a_b_c)", "Mira la guía (https://example.com/a_b_c)"),
    ("[https://example.com](https://example.com)", "https://example.com"),
    ("[example.com](https://example.com/)", "https://example.com/"),
    ("<https://example.com/_x_>", "https://example.com/_x_"),
    ("[Write us](mailto:hi@example.com)", "Write us (hi@example.com)"),
    ("**[Docs](https://example.com)** ready", "*Docs* (https://example.com) ready"),
    ('[a](https://example.com "Título")', 'a (https://example.com "Título")'),
    ("![Mapa](https://example.com/m.png)", "Mapa (https://example.com/m.png)"),
    ("![](https://example.com/m.png)", "https://example.com/m.png"),
    ("Ver https://example.com/_a_/b*c*d.", "Ver https://example.com/_a_/b*c*d."),
    ("**https://example.com/x_y**", "https://example.com/x_y"),
    ("(https://example.com/Madrid_(España))", "(https://example.com/Madrid_(España))"),
    ("[España](https://example.com/España)", "España (https://example.com/España)"),
    (r"\https://x.y", r"\https://x.y"),
    ("[Llama](tel:+34600)", "Llama (+34600)"),
    ("https://x.es/?a=1&amp;b=2", "https://x.es/?a=1&b=2"),
    ("(https://x.es)**b**", "(https://x.es)*b*"),
    ("[**a**](http://x.es)b", "*a* (http://x.es)b"),
    ("[x](javascript:alert)", "[x](javascript:alert)"),
    ("Según el informe [1].\n\n[1]: https://example.com", "Según el informe [1].\n\n[1]: https://example.com"),
]

LISTS: Final = [
    ("- pan\n- leche", "- pan\n- leche"),
    ("* pan\n* **leche**", "- pan\n- *leche*"),
    ("1. uno\n2. dos", "1. uno\n2. dos"),
    ("3. tres\n4. cuatro", "3. tres\n4. cuatro"),
    ("1. uno\n1. dos\n1. tres", "1. uno\n2. dos\n3. tres"),
    ("1. uno\n3. tres", "1. uno\n3. tres"),
    ("- a\n    - b\n        - c\n- d", "- a\n  - b\n    - c\n- d"),
    ("1. Steps:\n   - boil\n   - stir\n2. Eat", "1. Steps:\n   - boil\n   - stir\n2. Eat"),
    ("- [ ] pendiente\n- [x] hecha", "- [ ] pendiente\n- [x] hecha"),
    ("- a\n\n- b", "- a\n\n- b"),
    ("- a\n\n  sigue\n- b", "- a\n\n  sigue\n- b"),
    ("- leche\n- pan\nNos vemos", "- leche\n- pan\nNos vemos"),
    ("Saldo:\n+ 500\n- 200", "Saldo:\n+ 500\n- 200"),
    ("-\n- b", "-\n- b"),
    ("1.\n   uno", "1.\n   uno"),
    ("- ```\n  x = 1\n  ```\n- y", "-\n```\nx = 1\n```\n- y"),
]

QUOTES: Final = [
    ("> Dijo *esto*\n> y esto", "> Dijo _esto_\n> y esto"),
    ("> cita\nmi respuesta", "> cita\nmi respuesta"),
    ("> - a\n> - b", "> - a\n> - b"),
    ("> a\n>> b", "> a\n> > b"),
    ("> - a\n> b", "> - a\n> b"),
    (r"> \- x", "> - x"),
]

CODE: Final = [
    ("Usa `pip *x*`", "Usa `pip *x*`"),
    ("`` a`b ``", "```a`b```"),
    ("`` ` ``", "`"),
    ("```python\nprint('**hola**')\n```", "```\nprint('**hola**')\n```"),
    ("Así:\n~~~\na\n\n  b\n~~~\nFin", "Así:\n```\na\n\n  b\n```\nFin"),
    ("```\nsin cerrar", "```\nsin cerrar\n```"),
    ("````\n```\nx\n```\n````", f"```\n`{J}``\nx\n`{J}``\n```"),
    ("> ```\n> x\n> ```", "```\nx\n```"),
    ("~~~\n`````\n~~~", f"```\n`{J}``{J}``\n```"),
    ("```echo hola", "```\necho hola\n```"),
    ("    cuatro espacios *no* son código", "cuatro espacios _no_ son código"),
]

TABLES: Final = [
    (
        "| Día | Máx |\n|---|--:|\n| Lunes | 21 |\n| **Martes** | 9 |",
        "```\nDía     Máx\n------  ---\nLunes    21\nMartes    9\n```",
    ),
    (
        "| Producto | Descripción | Precio |\n|---|---|---|\n"
        "| Manzana | **Dulce** y de temporada | 3 € |\n| Pera | | 2 € |",
        "- Producto: Manzana\n  Descripción: *Dulce* y de temporada\n  Precio: 3 €\n"
        "- Producto: Pera\n  Descripción:\n  Precio: 2 €",
    ),
    ("|a|b|\n|-|-|\n|1|2|3|", "```\na  b\n-  -  -\n1  2  3\n```"),
    ("|Web|\n|-|\n|https://a.es|", "- Web: https://a.es"),
    ("|Nombre|Firma|\n|-|-|\n||||\n", "```\nNombre  Firma\n------  -----\n\n```"),
    (r"|a|" "\n|-|\n" r"|1|2\|3|", "```\na\n-  ---\n1  2|3\n```"),
    ("Texto | con barra", "Texto | con barra"),
]

LITERALS: Final = [
    ("2 * 3 * 4", "2 * 3 * 4"),
    ("5 * 4 = 20 * 1", "5 * 4 = 20 * 1"),
    ("a*b*c y 2**3**4", "a*b*c y 2**3**4"),
    ("snake_case_name y foo__bar__baz", "snake_case_name y foo__bar__baz"),
    ("~5~ minutos", f"{J}~5~ minutos"),
    ("son ~5 o ~6", "son ~5 o ~6"),
    (r"\*foo\* y \_bar\_", f"{J}*foo* y {J}_bar_"),
    (r"\*\*foo\*\*", f"{J}*{J}*foo**"),
    (r"**a\* b**", f"*a*{J} b*"),
    (r"**a \* b**", "*a * b*"),
    (r"\* Precio sin IVA", f"{J}* Precio sin IVA"),
    (r"\`x\`", f"{J}`x`"),
    ("usa ``` así", f"usa `{J}`{J}` así"),
    ("tarjeta **** **** **** 1234", "tarjeta **** **** **** 1234"),
    ("<b>hola</b> a<br>b", "<b>hola</b> a<br>b"),
    ("Tom &amp; Jerry &lt;3", "Tom & Jerry <3"),
    ("¯\\_(ツ)_/¯", f"¯{J}_(ツ)_/¯"),
    ("uno  \ndos\\\ntres", "uno\ndos\ntres"),
    ("a\r\nb", "a\nb"),
    ("\\> \nhola", ">\nhola"),
    ("a\n\n  b", "a\n\n  b"),
]

ALL: Final = [*EMPHASIS, *HEADINGS, *LINKS, *LISTS, *QUOTES, *CODE, *TABLES, *LITERALS]


@pytest.mark.parametrize(("markdown", "expected"), ALL)
def test_markdown_comes_out_as_whatsapp_text(markdown: str, expected: str) -> None:
    assert render(markdown) == expected


def test_a_realistic_spanish_answer_reads_well() -> None:
    answer = (
        "## Plan para el *sábado*\n\n"
        "Aquí tienes **tres ideas**:\n\n"
        "1. **Museo**: abre a las 10:00\n"
        "   - entrada [aquí](https://example.com/entradas_2)\n"
        "2. **Parque** (2 * 3 km)\n\n"
        "> Lleva agua.\n\n"
        "```bash\necho $HOME_DIR\n```\n"
    )
    assert render(answer) == (
        "*Plan para el _sábado_*\n\n"
        "Aquí tienes *tres ideas*:\n\n"
        "1. *Museo*: abre a las 10:00\n"
        "   - entrada aquí (https://example.com/entradas_2)\n"
        "2. *Parque* (2 * 3 km)\n\n"
        "> Lleva agua.\n\n"
        "```\necho $HOME_DIR\n```"
    )


@pytest.mark.parametrize("blank", ["", " ", "\n\n", " \t\n "])
def test_blank_text_renders_to_nothing(blank: str) -> None:
    assert render(blank) == ""


@pytest.mark.parametrize("marks", ["#", ">", "-", ">>>", "***a"])
def test_marks_without_content_are_shown_rather_than_an_empty_answer(marks: str) -> None:
    assert render(marks) != ""


def test_a_lone_fence_is_shown_without_opening_a_block() -> None:
    assert render(FENCE) == f"`{J}``"


def test_a_table_as_wide_as_the_screen_is_a_block_and_one_wider_is_a_list() -> None:
    fits, too_wide = "x" * (MAX_TABLE_WIDTH - 3), "x" * (MAX_TABLE_WIDTH - 2)
    assert render(f"|a|b|\n|-|-|\n|{fits}|1|").startswith(FENCE)
    assert render(f"|a|b|\n|-|-|\n|{too_wide}|1|") == f"- a: {too_wide}\n  b: 1"


def test_wide_characters_take_two_columns_of_a_table() -> None:
    assert render("|a|b|\n|-|-|\n|日本|1|\n|x|2|") == "```\na     b\n----  -\n日本  1\nx     2\n```"


def test_lists_deeper_than_the_parser_follows_lose_no_text() -> None:
    deep = "\n".join("  " * level + f"- nivel{level}" for level in range(MAX_NESTING))
    assert render(deep) == deep


@pytest.mark.parametrize(
    "char", [">", "[", "- ", "1. ", "*", "**a", "`", "![", "_a ", "<", "|", "~~", "://", "http://", "|a"]
)
def test_deep_nesting_neither_fails_nor_hangs(char: str) -> None:
    started = time.process_time()
    render(char * 10_000)
    assert time.process_time() - started < HANG_S


def test_a_hundred_thousand_characters_do_not_hang_the_renderer() -> None:
    text = ("Una línea con **negrita**, `código` y un enlace https://example.com/a_b.\n\n- uno\n- dos\n\n" * 1200)[
        :100_000
    ]
    started = time.process_time()
    render(text)
    assert time.process_time() - started < HANG_S


def test_what_is_beyond_the_size_that_is_rendered_comes_back_as_written() -> None:
    line = "Esto es **muy** claro.\n"
    count = MAX_RENDERED_CHARS // len(line)
    shown = render(line * count * 2).split("\n")
    assert shown == ["Esto es *muy* claro."] * count + ["Esto es **muy** claro."] * count


def test_a_code_block_across_the_rendered_size_is_closed_there() -> None:
    code = "x = 1\n" * (MAX_RENDERED_CHARS // 5)
    shown = render(f"{FENCE}\n{code}{FENCE}\nFin")
    assert shown.count(FENCE) == 2
    assert shown.count("x = 1") == code.count("x = 1")
    assert shown.endswith("Fin")


@pytest.mark.parametrize("unit", ["a**b ", "`a", "é", "\\a\n", "*a _b\n\n", "> a\n", "```\na\n```\n"])
def test_no_word_of_an_endless_answer_is_lost(unit: str) -> None:
    text = unit * (MAX_RENDERED_CHARS // len(unit) + 100)
    assert [char for char in render(text) if char.isalnum()] == [char for char in text if char.isalnum()]


PLAIN_CHARS: Final = "abcñÁé日ßXYZ .,;:!?¿¡()'\"/%€…—«»\n"


@given(st.text(PLAIN_CHARS, max_size=200))
def test_text_without_marks_comes_through_unchanged(text: str) -> None:
    expected = "\n".join(line.rstrip() for line in text.split("\n")).strip()
    assert render(text) == expected


@given(st.text(alphabet=st.characters(), max_size=200) | st.text("*_~`[]()!<>#-+=|\\& \n\t1.ab:/h", max_size=200))
def test_any_text_renders_with_every_code_block_closed(text: str) -> None:
    assert render(text).count(FENCE) % 2 == 0


@given(st.text("abz019/._-*~?=&%+_", min_size=1, max_size=40))
def test_an_address_is_never_altered(tail: str) -> None:
    url = f"https://example.com/{tail}x"
    assert url in render(f"Mira {url} y *otra* cosa_ *")


@given(
    st.lists(
        st.sampled_from(["hola", "mundo", "2", "*", "_", "~", "**", "`", "(", ")", " ", " ", "\\"]), max_size=20
    )
)
def test_no_word_is_ever_dropped(parts: list[str]) -> None:
    text = "".join(parts)
    shown = render(text)
    assert [char for char in shown if char.isalnum()] == [char for char in text if char.isalnum()]


def test_text_that_is_no_markdown_looks_as_it_was_written() -> None:
    text = "1. Feria (activo)\nPendiente:\n1. comprar *dos* sillas\n4. # no es un título\n- 3 < 5 > 2\n`x` ```y"
    shown = render_literal(text)
    assert shown.replace(WORD_JOINER, "") == text
    assert " *dos*" not in shown
    assert "```" not in shown
