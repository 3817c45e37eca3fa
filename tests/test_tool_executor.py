"""The tool loop: what is offered, what runs, what the model is told, and when it ends."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import structlog

from app.domain.chat import ChatMessage, ChatRequest, ChatResponse, ToolCall, Usage
from app.domain.errors import Transient
from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.ports import ChatModel
from app.domain.tools import BaseTool, ToolResult
from app.domain.turn import TurnContext
from app.llm.claims import claims_side_effect
from app.llm.gate import MeteredModel
from app.llm.protocols import ConstrainedProtocol, NativeProtocol, ToolProtocol
from app.skills.catalog import ToolSet
from app.skills.executor import LoopOptions, LoopResult, execute_tool_loop
from app.skills.function_tool import FunctionTool
from app.skills.offer import Offer
from app.skills.router import NO_CATEGORY, REQUEST_MORE_TOOLS_NAME, select_tools
from tests.fakes.llm import ScriptedChatModel

PROMPT = (ChatMessage("system", "You are WasAP."), ChatMessage("user", "Do it, please."))
NATIVE = NativeProtocol()
DEFAULT = LoopOptions(NATIVE)
CTX = TurnContext(
    turn_id=TurnId(1),
    user_id=UserId("ana"),
    conversation_id=ConversationId(1),
    attempt=1,
    received_at=datetime(2026, 3, 2, 9, 0, tzinfo=UTC),
    language="en",
    is_admin=False,
)


def tool(name: str, *, read_only: bool = True) -> BaseTool:
    def handler(**arguments: object) -> str:
        return "never called: the engine of these tests does not run tools"

    parameters = {"type": "object", "properties": {"x": {"type": "integer"}}, "additionalProperties": True}
    return FunctionTool(name, f"does {name}", parameters, handler, read_only=read_only)


def toolset(categories: Mapping[str, tuple[str, ...]], *, writing: tuple[str, ...] = ()) -> ToolSet:
    names = [name for group in categories.values() for name in group]
    return ToolSet({name: tool(name, read_only=name not in writing) for name in names}, categories)


TWO = toolset({"projects": ("create_project", "add_task"), "github": ("list_issues", "create_issue")})


class RecordingEngine:
    """Answers "<tool> done", or what `results` holds for the tool; keeps what it was asked."""

    def __init__(self, results: Mapping[str, ToolResult] | None = None) -> None:
        self.calls: list[tuple[ToolCall, int]] = []
        self._results = results or {}

    @property
    def names(self) -> list[str]:
        return [call.name for call, _ in self.calls]

    async def execute(
        self, call: ToolCall, *, tools: Mapping[str, BaseTool], ctx: TurnContext, occurrence: int = 0
    ) -> ToolResult:
        assert call.name in tools
        assert ctx is CTX
        self.calls.append((call, occurrence))
        return self._results.get(call.name) or ToolResult.ok(f"{call.name} done")


class GatheringEngine(RecordingEngine):
    """Lets no call return before `parties` of them have begun, and then in the reverse order."""

    def __init__(self, parties: int) -> None:
        super().__init__()
        self._parties = parties
        self._all_began = asyncio.Event()
        self._ended = {parties: asyncio.Event()}
        self._ended[parties].set()

    async def execute(
        self, call: ToolCall, *, tools: Mapping[str, BaseTool], ctx: TurnContext, occurrence: int = 0
    ) -> ToolResult:
        place = len(self.calls)
        self._ended[place] = asyncio.Event()
        result = await super().execute(call, tools=tools, ctx=ctx, occurrence=occurrence)
        if len(self.calls) == self._parties:
            self._all_began.set()
        await self._all_began.wait()
        await self._ended[place + 1].wait()
        self._ended[place].set()
        return result


def calls(*wanted: tuple[str, Mapping[str, object]], text: str = "") -> ChatResponse:
    made = tuple(ToolCall(f"id{n}", name, arguments) for n, (name, arguments) in enumerate(wanted))
    return ChatResponse(text, tool_calls=made, usage=Usage(prompt_tokens=10, completion_tokens=2, calls=1))


def call(name: str, **arguments: object) -> ChatResponse:
    return calls((name, arguments))


def more(*categories: str) -> ChatResponse:
    return call(REQUEST_MORE_TOOLS_NAME, categories=list(categories))


async def run(
    model: ChatModel,
    engine: RecordingEngine,
    tools: ToolSet = TWO,
    categories: tuple[str, ...] = ("projects",),
    *,
    options: LoopOptions = DEFAULT,
    protocol: ToolProtocol | None = None,
    snapshot: Callable[[], ToolSet] | None = None,
    max_tools: int = 8,
    offers_meta_tool_alone: bool = False,
) -> LoopResult:
    at_first = iter((tools,))
    async with asyncio.timeout(5):
        return await execute_tool_loop(
            PROMPT,
            model=model,
            offer=Offer(
                lambda: next(at_first, None) or (tools if snapshot is None else snapshot()),
                select_tools(categories, tools.tools, max_tools, tools.categories),
                max_tools=max_tools,
                has_meta=offers_meta_tool_alone or categories != (NO_CATEGORY,),
            ),
            engine=engine,
            ctx=CTX,
            options=replace(options, protocol=protocol or options.protocol),
        )


def offered(request: ChatRequest) -> list[str]:
    return [schema.name for schema in request.tools]


def results(request: ChatRequest) -> list[tuple[str | None, str | None, str]]:
    return [(m.tool_call_id, m.name, m.content) for m in request.messages if m.role == "tool"]


async def test_request_more_tools_expands_tool_set_in_loop() -> None:
    model, engine = ScriptedChatModel(more("github"), call("create_issue", x=1), "Created."), RecordingEngine()

    metered = MeteredModel(model)

    outcome = await run(metered, engine, options=LoopOptions(NATIVE, checks_claims=False))

    assert outcome.text == "Created."
    assert offered(model.requests[0]) == [REQUEST_MORE_TOOLS_NAME, "create_project", "add_task"]
    assert offered(model.requests[1]) == [*offered(model.requests[0]), "list_issues", "create_issue"]
    assert results(model.requests[1]) == [
        ("id0", REQUEST_MORE_TOOLS_NAME, "Loaded 2 new tools: list_issues, create_issue.")
    ]
    assert engine.names == ["create_issue"]
    assert [(step.name, step.kind, step.round) for step in outcome.steps] == [
        (REQUEST_MORE_TOOLS_NAME, "ok", 1),
        ("create_issue", "ok", 2),
    ]
    assert outcome.offered == tuple(tuple(offered(request)) for request in model.requests)
    assert outcome.ended == "answered"
    assert metered.usage.calls == 3


async def test_five_parallel_calls_overlap_come_back_in_order_and_all_reach_the_model() -> None:
    names = [f"look_{n}" for n in range(5)]
    wanted = calls(*((name, {"x": 1}) for name in names))
    model, engine = ScriptedChatModel(wanted, "All five."), GatheringEngine(5)

    outcome = await run(model, engine, toolset({"look": tuple(names)}), ("look",))

    assert results(model.requests[1]) == [(f"id{n}", name, f"{name} done") for n, name in enumerate(names)]
    assert model.requests[1].messages[2].tool_calls == wanted.tool_calls
    assert [step.name for step in outcome.steps] == names


async def test_five_parallel_calls_reach_a_small_model_too() -> None:
    names = [f"look_{n}" for n in range(5)]
    asked = json.dumps({"calls": [{name: {}} for name in names]})
    model = ScriptedChatModel(asked, '{"reply": "All five."}')

    outcome = await run(
        model,
        RecordingEngine(),
        toolset({"look": tuple(names)}),
        ("look",),
        protocol=ConstrainedProtocol(),
    )

    told = model.requests[1].messages[-1].content
    assert "\n".join(f"{n}. {name}: {name} done" for n, name in enumerate(names, start=1)) in told
    assert outcome.text == "All five."


async def test_a_meta_call_beside_a_regular_one_keeps_the_order_of_results() -> None:
    both = calls(("add_task", {"x": 1}), (REQUEST_MORE_TOOLS_NAME, {"categories": ["github"]}))
    model, engine = ScriptedChatModel(both, "Done."), RecordingEngine()

    await run(model, engine)

    assert [name for _, name, _ in results(model.requests[1])] == ["add_task", REQUEST_MORE_TOOLS_NAME]
    assert engine.names == ["add_task"]


async def test_a_tool_called_together_with_the_request_that_loads_it_runs() -> None:
    both = calls(("create_issue", {}), (REQUEST_MORE_TOOLS_NAME, {"categories": ["github"]}))
    engine = RecordingEngine()

    await run(ScriptedChatModel(both, "Fine."), engine)

    assert engine.names == ["create_issue"]


@pytest.mark.parametrize("wanted", [["nonexistent"], ["projects"], [], "sports", None, 7, [None]])
async def test_a_request_that_loads_nothing_says_so_and_names_the_categories(wanted: object) -> None:
    model = ScriptedChatModel(call(REQUEST_MORE_TOOLS_NAME, categories=wanted), "Sorry.")

    await run(model, RecordingEngine())

    assert offered(model.requests[1]) == offered(model.requests[0])
    told = results(model.requests[1])[0][2]
    assert told.startswith("No new tools added")
    assert told.endswith("Categories: github, projects.")


async def test_categories_may_come_as_one_text_in_any_case() -> None:
    model = ScriptedChatModel(call(REQUEST_MORE_TOOLS_NAME, categories="GitHub, projects"), "Fine.")

    await run(model, RecordingEngine())

    assert offered(model.requests[1])[-2:] == ["list_issues", "create_issue"]


async def test_repeated_requests_reach_every_tool_and_the_offer_stays_within_twice_the_budget() -> None:
    names = tuple(f"look_{n:02}" for n in range(20))
    tools = toolset({"look": names, "other": ("other_1",)})
    use_first = calls(("look_00", {}), (REQUEST_MORE_TOOLS_NAME, {"categories": ["look"]}))
    model = ScriptedChatModel(use_first, *[more("look")] * 4, "Enough.")

    outcome = await run(
        model, RecordingEngine(), tools, ("look",), max_tools=4, options=LoopOptions(NATIVE, max_rounds=6)
    )

    assert {name for round_ in outcome.offered for name in round_} >= set(names)
    assert all(len(round_) <= 1 + 8 for round_ in outcome.offered)
    assert outcome.offered[3][1:] == ("look_00", *names[9:16])


async def test_what_left_the_offer_can_be_loaded_again() -> None:
    names = tuple(f"look_{n}" for n in range(6))
    model = ScriptedChatModel(*[more("look")] * 3, "Enough.")

    outcome = await run(model, RecordingEngine(), toolset({"look": names}), ("look",), max_tools=2)

    assert outcome.offered[-1][-2:] == ("look_0", "look_1")


async def test_a_tool_installed_meanwhile_is_offered_in_the_very_next_round() -> None:
    later = toolset({**TWO.categories, "maps": ("find_place",)})
    model, engine = ScriptedChatModel(more("maps"), call("find_place"), "There."), RecordingEngine()

    await run(model, engine, snapshot=lambda: later)

    assert engine.names == ["find_place"]


async def test_a_tool_that_was_not_offered_does_not_run_and_the_model_learns_how_to_get_it() -> None:
    model, engine = ScriptedChatModel(call("create_issue"), "I cannot."), RecordingEngine()

    outcome = await run(model, engine)

    assert engine.calls == []
    told = results(model.requests[1])[0][2]
    assert told == 'Error: create_issue is not loaded. Call request_more_tools with categories ["github"] first.'
    assert outcome.steps[0].kind == "unknown"


async def test_an_unknown_tool_is_answered_with_the_names_of_the_offered_ones() -> None:
    model, engine = ScriptedChatModel(call("launch_rocket"), "I cannot."), RecordingEngine()

    await run(model, engine)

    assert engine.calls == []
    assert results(model.requests[1])[0][2] == (
        "Error: There is no tool 'launch_rocket'. Your tools are: request_more_tools, create_project, add_task."
    )


async def test_a_name_in_another_case_runs_the_tool_that_is_meant() -> None:
    engine = RecordingEngine()

    await run(ScriptedChatModel(call("Functions.Add_Task", x=1), "Fine."), engine)

    assert engine.names == ["add_task"]


async def test_plain_chat_offers_nothing_to_a_model_that_would_play_with_the_meta_tool() -> None:
    model = ScriptedChatModel("Hello!")

    outcome = await run(model, RecordingEngine(), categories=("none",))

    assert outcome.text == "Hello!"
    assert offered(model.requests[0]) == []


async def test_plain_chat_offers_the_meta_tool_alone_to_a_model_that_leaves_it_alone() -> None:
    model, engine = ScriptedChatModel(more("projects"), call("add_task"), "Fine."), RecordingEngine()

    await run(model, engine, categories=("none",), offers_meta_tool_alone=True)

    assert offered(model.requests[0]) == [REQUEST_MORE_TOOLS_NAME]
    assert engine.names == ["add_task"]


async def test_a_category_without_tools_still_leaves_the_way_to_others_open() -> None:
    model = ScriptedChatModel("Hm.")

    await run(model, RecordingEngine(), categories=("expand",))

    assert offered(model.requests[0]) == [REQUEST_MORE_TOOLS_NAME]


async def test_after_the_last_round_one_answer_is_asked_for_without_tools() -> None:
    model = ScriptedChatModel(*[call("add_task", x=n) for n in range(5)], "That is all I know.")

    outcome = await run(model, RecordingEngine())

    assert outcome.ended == "out_of_rounds"
    assert outcome.text == "That is all I know."
    assert offered(model.requests[5]) == []
    assert len(results(model.requests[5])) == 5
    assert outcome.offered[-1] == ()


async def test_the_same_call_twice_in_a_row_ends_the_loop_with_what_is_known() -> None:
    engine = RecordingEngine()
    model = ScriptedChatModel(call("list_issues", x=1, y=2), call("list_issues", y=2, x=1), "Two issues.")

    outcome = await run(model, engine, categories=("github",))

    assert outcome.ended == "repeated"
    assert outcome.text == "Two issues."
    assert len(engine.calls) == 1
    assert offered(model.requests[-1]) == []
    assert len(results(model.requests[-1])) == 1


async def test_a_repeated_call_beside_a_new_one_does_not_run_again() -> None:
    engine = RecordingEngine()
    again = calls(("add_task", {"x": 1}), ("add_task", {"x": 2}))

    await run(ScriptedChatModel(call("add_task", x=1), again, "Both."), engine)

    assert [dict(made.arguments) for made, _ in engine.calls] == [{"x": 1}, {"x": 2}]


async def test_a_call_that_comes_back_later_runs_again_and_is_counted() -> None:
    engine = RecordingEngine()
    model = ScriptedChatModel(call("add_task", x=1), call("add_task", x=2), call("add_task", x=1), "Three.")

    await run(model, engine)

    assert [occurrence for _, occurrence in engine.calls] == [0, 0, 1]


async def test_calls_that_differ_in_writing_only_are_counted_as_the_same_in_the_order_of_the_calls() -> None:
    engine = GatheringEngine(3)
    same = calls(("add_task", {"x": "5"}), ("add_task", {"x": 5}), ("add_task", {"x": " 5"}))

    await run(ScriptedChatModel(same, "Three."), engine)

    assert [(made.arguments["x"], occurrence) for made, occurrence in engine.calls] == [
        ("5", 0),
        (5, 1),
        (" 5", 2),
    ]


async def test_a_round_that_repeats_the_one_before_in_another_writing_ends_the_loop() -> None:
    engine = RecordingEngine()

    outcome = await run(ScriptedChatModel(call("add_task", x=5), call("add_task", x="5"), "One."), engine)

    assert outcome.ended == "repeated"
    assert len(engine.calls) == 1


async def test_results_older_than_two_rounds_shrink_but_never_those_of_the_current_one() -> None:
    long = ToolResult.ok("first line\n" + "more\n" * 50)
    names = tuple(f"look_{n}" for n in range(3))
    engine = RecordingEngine(dict.fromkeys(names, long))
    rounds = [calls(*((name, {"x": n}) for name in names)) for n in range(3)]
    model = ScriptedChatModel(*rounds, "Seen.")

    await run(model, engine, toolset({"look": names}), ("look",))

    contents = [content for _, _, content in results(model.requests[3])]
    assert contents[:3] == ["first line [earlier result, shortened]"] * 3
    assert contents[3:] == [long.content] * 6


async def test_a_long_result_is_compacted_before_the_model_reads_it() -> None:
    engine = RecordingEngine({"add_task": ToolResult.ok("x" * 9000)})
    model = ScriptedChatModel(call("add_task"), "Fine.")

    await run(model, engine, options=LoopOptions(NATIVE, output_limit_chars=500))

    assert len(results(model.requests[1])[0][2]) <= 500


async def test_an_aborted_call_ends_the_loop_at_once() -> None:
    engine = RecordingEngine({"add_task": ToolResult.failed("the person stopped everything", "aborted")})
    model = ScriptedChatModel(calls(("add_task", {}), ("create_project", {})))

    outcome = await run(model, engine)

    assert outcome.ended == "aborted"
    assert outcome.text == ""
    assert [step.kind for step in outcome.steps] == ["aborted", "ok"]


@pytest.mark.parametrize("reply", ["Error: x: expected a number", "x: expected a NUMBER."])
async def test_an_error_text_is_never_the_answer(reply: str) -> None:
    engine = RecordingEngine({"add_task": ToolResult.failed("x: expected a number", "invalid")})

    model = ScriptedChatModel(call("add_task", x=1), reply, "Which number do you mean?")
    assert (await run(model, engine)).text == "Which number do you mean?"
    assert model.requests[2].messages[-1].role == "user"
    assert "must not see it" in model.requests[2].messages[-1].content

    assert (await run(ScriptedChatModel(call("add_task", x=1), reply, reply), engine)).text == ""


WRITING = toolset({"notes": ("save_note", "list_notes")}, writing=("save_note",))


async def test_a_claim_without_a_deed_is_asked_for_again_and_the_tool_is_then_called() -> None:
    model, engine = ScriptedChatModel("I've saved it.", call("save_note"), "I've saved it."), RecordingEngine()

    outcome = await run(model, engine, WRITING, ("notes",))

    assert engine.names == ["save_note"]
    assert outcome.text == "I've saved it."
    assert len(model.requests) == 3


async def test_a_claim_is_asked_for_again_only_once() -> None:
    outcome = await run(
        ScriptedChatModel("Guardé la nota.", "Guardé la nota."), RecordingEngine(), WRITING, ("notes",)
    )

    assert outcome.text == "Guardé la nota."


async def test_a_claim_after_only_looking_or_failing_is_asked_for_again() -> None:
    engine = RecordingEngine({"save_note": ToolResult.failed("the disk is full")})
    model = ScriptedChatModel(calls(("list_notes", {}), ("save_note", {})), "Listo, anoté todo.", "No pude.")

    assert (await run(model, engine, WRITING, ("notes",))).text == "No pude."


@pytest.mark.parametrize(
    ("tools", "options"), [(WRITING, LoopOptions(NATIVE, checks_claims=False)), (TWO, LoopOptions(NATIVE))]
)
async def test_claims_are_believed_when_the_check_is_off_or_nothing_could_be_changed(
    tools: ToolSet, options: LoopOptions
) -> None:
    categories = tuple(tools.categories)

    outcome = await run(ScriptedChatModel("I saved it."), RecordingEngine(), tools, categories, options=options)

    assert outcome.text == "I saved it."


BROKEN = '<tool_call>{"name": "add_task", "arguments": {"x": 1'


async def test_a_call_nobody_can_read_is_asked_for_again() -> None:
    model, engine = ScriptedChatModel(BROKEN, call("add_task", x=1), "Fine."), RecordingEngine()

    assert (await run(model, engine)).text == "Fine."
    assert engine.names == ["add_task"]


async def test_a_call_nobody_can_read_is_never_shown() -> None:
    outcome = await run(ScriptedChatModel(BROKEN, BROKEN), RecordingEngine())

    assert outcome.text == ""
    assert outcome.ended == "answered"


async def test_a_call_in_the_last_round_without_tools_is_never_shown_nor_run() -> None:
    written = '{"name": "add_task", "arguments": {"x": 9}}'
    engine = RecordingEngine()
    model = ScriptedChatModel(call("add_task", x=1), call("add_task", x=1), written, call("add_task", x=9))

    outcome = await run(model, engine)

    assert outcome.text == ""
    assert len(engine.calls) == 1


async def test_a_call_written_as_text_runs() -> None:
    engine = RecordingEngine()
    model = ScriptedChatModel('```json\n{"name": "add_task", "arguments": {"x": 1}}\n```', "Fine.")

    assert (await run(model, engine)).text == "Fine."
    assert engine.names == ["add_task"]


async def test_an_empty_answer_is_not_asked_for_again_here() -> None:
    model = ScriptedChatModel("")

    assert (await run(model, RecordingEngine())).text == ""
    assert len(model.requests) == 1


async def test_a_cut_off_answer_says_so_and_the_usage_of_all_calls_adds_up() -> None:
    cut = ChatResponse("So far", usage=Usage(prompt_tokens=7, cached_tokens=3, calls=1), is_truncated=True)

    model = MeteredModel(ScriptedChatModel(call("add_task"), cut))

    outcome = await run(model, RecordingEngine())

    assert outcome.is_truncated
    assert model.usage == Usage(prompt_tokens=17, cached_tokens=3, completion_tokens=2, calls=2)


async def test_the_failure_of_the_model_is_the_callers() -> None:
    with pytest.raises(Transient):
        await run(ScriptedChatModel(Transient("llm_failed")), RecordingEngine())


async def test_a_wrong_category_recovers_with_a_small_model() -> None:
    model = ScriptedChatModel(
        '{"calls": [{"request_more_tools": {"categories": ["github"]}}]}',
        '{"calls": [{"create_issue": {"x": 1}}]}',
        '{"reply": "The issue is open."}',
    )
    engine = RecordingEngine()

    outcome = await run(model, engine, protocol=ConstrainedProtocol())

    assert outcome.text == "The issue is open."
    assert engine.names == ["create_issue"]
    first, second = model.requests[0].messages, model.requests[1].messages
    assert second[: len(first)] == first
    assert "New tools:\n- list_issues(" in second[-1].content


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Listo, anoté que Lucía debe 45",
            "He creado el proyecto",
            "La nota ha sido guardada",
            "Nota guardada: pan",
        ),
        *(
            "La nota se guardó correctamente",
            "Proyecto 'Feria' creado",
            "La tarea fue agregada",
            "Marqué la tarea",
        ),
        *(
            "I've created the project.",
            "I just saved it",
            "Done, I added it",
            "The note has been saved",
            "Task added!",
        ),
        *("Saved note 2: bread", "Created a project called Feria.", "Anotado: comprar pan"),
        *("I'll ring them at 5 and say so.", "I will call the vet.", "Sure, I'll book a table."),
        *("He ingresado los 40 del taxi.", "Ya lo incluí en el total de marzo.", "Queda anotado, vecina."),
        *("Cargué la compra de la farmacia", "Puse el arroz en tu lista", "Lo sumo enseguida."),
        *("Lo dejo listo para el lunes.", "He puesto la sal con lo demás", "Te lo apunto."),
        *("I've put it on your camping list.", "I set an alarm for 7.", "I'll log the mileage."),
        *("I'll pop that on the list.", "It's now on your calendar.", "I've entered the taxi fare."),
        *("Sure, I'll take care of that!", "Leave it with me.", "Consider it done", "I’ll see to it for you."),
        *("Claro, me encargo de eso.", "Dalo por hecho.", "Déjamelo a mí.", "Yo me ocupo."),
    ],
)
def test_a_claim_is_recognised(text: str) -> None:
    assert claims_side_effect(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "¿Guardé algo?",
            "No guardé nada.",
            "Todavía no he guardado la nota",
            "I haven't saved it",
            "Tus notas: pan",
        ),
        *("La tarea está completada", "La nota dice que la llave está guardada", "Crecí en Lima", "I can save it"),
        *("Should I have created it? I did not.", "Cree que sí", "Your notes: 1. tyres"),
        *("Sure, I'll call you Liz.", "I'll tell you a joke."),
        *("Si quieres, te lo apunto.", "If you like, I'll add it to a note.", "Dura dos días, a lo sumo tres."),
        *("El pan se ha puesto duro.", "Deja listo el bolso hoy.", "La suma de los lados es 12."),
        *("Set the oven to 180 and put the tray in.", "I've put together some ideas.", "Enter by the back door."),
        *("You could log your hours in a notebook.", "It's on your way home.", "Include the salt at the end."),
        *("I can't take care of that.", "Take care of that knee!", "I will get it wrong sometimes."),
        *("¿Me ocupo yo?", "Me ocupa la mañana entera.", "No me encargo de eso."),
    ],
)
def test_what_is_no_claim_is_left_alone(text: str) -> None:
    assert not claims_side_effect(text)


SAID = ToolResult.ok("Saved note 1.", "Noted (1)")
LISTED = ToolResult.ok("1. milk", "Your notes:\n1. milk")
BOTH = f"{LISTED.reply}\n\n{SAID.reply}"
SILENT = ToolResult.ok("3 places were found.")


@pytest.mark.parametrize(
    ("rounds", "results_of", "expected_calls", "words"),
    [
        ([call("save_note")], {"save_note": SAID}, 1, "Noted (1)"),
        ([calls(("list_notes", {}), ("save_note", {}))], {"save_note": SAID, "list_notes": LISTED}, 2, BOTH),
        ([call("list_notes"), call("save_note")], {"save_note": SAID, "list_notes": LISTED}, 2, BOTH),
        (
            [call("save_note"), call("list_notes")],
            {"save_note": ToolResult.failed("the disk is full"), "list_notes": LISTED},
            1,
            LISTED.reply,
        ),
    ],
)
async def test_for_a_small_model_tools_that_can_tell_a_person_their_results_have_the_last_word(
    rounds: list[ChatResponse], results_of: dict[str, ToolResult], expected_calls: int, words: str
) -> None:
    model = ScriptedChatModel(*rounds)

    outcome = await run(
        model,
        RecordingEngine(results_of),
        WRITING,
        ("notes",),
        options=LoopOptions(NATIVE, expected_calls=expected_calls),
    )

    assert outcome.text == words
    assert len(model.requests) == len(rounds)


@pytest.mark.parametrize(
    ("results_of", "expected_calls"),
    [
        ({"save_note": SAID, "list_notes": SILENT}, 2),
        ({"save_note": SAID, "list_notes": ToolResult.failed("the disk is full")}, 1),
        ({"save_note": SAID, "list_notes": LISTED}, None),
    ],
    ids=["one of them says nothing", "one of them failed", "a model that finds its own words"],
)
async def test_otherwise_the_model_finds_the_words(
    results_of: dict[str, ToolResult], expected_calls: int | None
) -> None:
    model = ScriptedChatModel(calls(("save_note", {}), ("list_notes", {})), "In my own words.")

    outcome = await run(
        model,
        RecordingEngine(results_of),
        WRITING,
        ("notes",),
        options=LoopOptions(NATIVE, expected_calls=expected_calls),
    )

    assert outcome.text == "In my own words."


async def test_words_between_the_tags_of_a_result_are_the_answer_only_where_there_was_a_result() -> None:
    tagged = "<tool_response>\nYou have one note.\n</tool_response>"
    model = ScriptedChatModel(tagged, call("list_notes"), tagged)

    outcome = await run(model, RecordingEngine(), WRITING, ("notes",))

    assert outcome.text == "You have one note."
    assert "neither a tool call nor an answer" in model.requests[1].messages[-1].content


async def test_the_log_tells_what_the_meta_tool_added_and_keeps_the_reason_as_content() -> None:
    asked = call(REQUEST_MORE_TOOLS_NAME, categories=["github"], reason="  the person\nwants an issue ")
    model = ScriptedChatModel(asked, "Done.", "Done.")

    with structlog.testing.capture_logs() as logs:
        await run(model, RecordingEngine())

    [line] = [line for line in logs if line["event"].startswith("request_more_tools")]
    assert line["event"] == "request_more_tools: added=2"
    assert (line["categories"], line["content"]) == (["github"], "the person wants an issue")
