"""The assistant can explain itself, and never shows a secret, another person's data or a host path."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.ids import ConversationId, TurnId, UserId
from app.domain.tools import BaseTool, ToolResult
from app.domain.turn import TurnContext
from app.log import MAX_EVENTS, LogRing, Redactor
from app.skills.registry import SkillRegistry
from app.skills.tools.selfcode import selfcode_tools
from app.skills.tools.selfcode.runtime import Runtime, read_revision
from app.skills.tools.selfcode.selfcode_tools import MAX_SHOWN_CHARS
from app.skills.tools.selfcode.source import SourceReader
from tests.examples import some

PLANTED = "planted-Secret-value-1234567890"
CTX = TurnContext(
    turn_id=TurnId(1),
    user_id=UserId("alice"),
    conversation_id=ConversationId(1),
    attempt=1,
    received_at=datetime(2026, 1, 2, tzinfo=UTC),
    language="en",
    is_admin=True,
)
PROGRAM = '''"""A module."""

import os


class Greeter:
    """Greets."""

    async def greet(self) -> str:
        return "hello"


def main() -> None:
    pass
'''


@dataclass
class Selfcode:
    """The ten tools over a small project; `config` and `state` are what bootstrap would tell."""

    root: Path
    tools: Mapping[str, BaseTool]
    logs: LogRing
    config: dict[str, str]
    state: dict[str, str]

    async def call(self, name: str, *, ctx: TurnContext = CTX, **arguments: object) -> ToolResult:
        tool = self.tools[name]
        return await tool.execute(tool.validate_args(arguments), ctx=ctx)

    async def text(self, name: str, **arguments: object) -> str:
        return (await self.call(name, ctx=CTX, **arguments)).content


def make_project(root: Path) -> None:
    files = {
        "app/main.py": PROGRAM,
        "app/skills/registry.py": "NAME = 'registry'\n",
        "app/mcp/registry.py": "NAME = 'mcp'\n",
        "docs/guide.md": "# Guide\n\ntext\n\n## Part\n",
        "skills/demo/SKILL.md": "---\nname: demo\ndescription: Shows things.\n---\nDo it well.\n",
        "README.md": "Read me\n",
        "pyproject.toml": "[project]\n",
        "Makefile": "run:\n",
        ".env": f"WHATSAPP_ACCESS_TOKEN={PLANTED}\n",
        "app/.env": f"TOKEN={PLANTED}\n",
        "app/.hidden.py": PLANTED,
        "app/credentials.toml": PLANTED,
        "app/server.key": PLANTED,
        "app/key.pem": PLANTED,
        "data/wasap.db": PLANTED,
        "data/notes.md": PLANTED,
        "notes.md": PLANTED,
        ".git/config": PLANTED,
        ".venv/lib/x.py": PLANTED,
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / "app" / "link.py").symlink_to(root / ".env")
    (root / "CLAUDE.md").symlink_to(root / ".env")
    (root / "tests").symlink_to(root / "data")


def build(root: Path, secrets: tuple[str, ...] = ()) -> Selfcode:
    config: dict[str, str] = {}
    state: dict[str, str] = {}

    async def health() -> Mapping[str, str]:
        return state

    logs = LogRing()
    registry = SkillRegistry()
    registry.load_skills(root / "skills")
    runtime = Runtime(root, lambda: config, health, logs, secrets=secrets)
    selfcode_tools.register(registry, SourceReader(root), runtime)
    return Selfcode(root, {tool.name: tool for tool in registry.list_tools()}, logs, config, state)


@pytest.fixture
def selfcode(tmp_path: Path) -> Selfcode:
    make_project(tmp_path / "project")
    return build(tmp_path / "project")


def test_all_ten_tools_only_read_and_have_short_schemas(selfcode: Selfcode) -> None:
    assert len(selfcode.tools) == 10
    for tool in selfcode.tools.values():
        assert tool.read_only
        assert not tool.sensitive
        assert len(tool.description) <= 60


async def test_files_are_listed_level_by_level(selfcode: Selfcode) -> None:
    top = await selfcode.text("list_source_files")
    assert top.splitlines() == [
        "Makefile",
        "README.md",
        "app/ (3 files)",
        "docs/ (1 files)",
        "pyproject.toml",
        "skills/ (1 files)",
    ]
    inside = await selfcode.text("list_source_files", directory="app/")
    assert inside.splitlines() == ["app/main.py", "app/mcp/ (1 files)", "app/skills/ (1 files)"]
    assert not (await selfcode.call("list_source_files", directory="data")).success


async def test_a_file_is_read_with_its_line_numbers(selfcode: Selfcode) -> None:
    text = await selfcode.text("read_source_file", path="app/main.py")
    assert text.splitlines()[:2] == ["app/main.py", '1: """A module."""']
    assert await selfcode.text("read_lines", path="app/main.py", start=6, end=7) == (
        'app/main.py\n6: class Greeter:\n7:     """Greets."""'
    )


async def test_lines_beyond_the_file_are_told_apart_from_none(selfcode: Selfcode) -> None:
    assert (await selfcode.text("read_lines", path="main.py", start=14, end=99)).endswith("14:     pass")
    missing = await selfcode.call("read_lines", path="main.py", start=50, end=60)
    assert missing.error == "main.py has 14 lines; there are none from 50 to 60."


async def test_the_end_of_a_path_is_enough_where_it_is_unique(selfcode: Selfcode) -> None:
    assert (await selfcode.text("read_source_file", path="skills/registry.py")).startswith(
        "app/skills/registry.py"
    )
    several = await selfcode.call("read_source_file", path="registry.py")
    assert several.error == "Several files are named 'registry.py': app/mcp/registry.py, app/skills/registry.py."


async def test_a_long_file_is_cut_with_advice(selfcode: Selfcode) -> None:
    (selfcode.root / "app" / "long.py").write_text("x = 1\n" * 5000)
    text = await selfcode.text("read_source_file", path="app/long.py")
    assert len(text) < MAX_SHOWN_CHARS + 100
    assert text.endswith("… read_lines shows the rest")


async def test_the_outline_names_definitions_and_headings(selfcode: Selfcode) -> None:
    assert await selfcode.text("get_file_outline", path="app/main.py") == (
        "app/main.py\n6: class Greeter:\n9:     async def greet(self) -> str:\n13: def main() -> None:"
    )
    assert await selfcode.text("get_file_outline", path="guide.md") == "docs/guide.md\n1: # Guide\n5: ## Part"
    (selfcode.root / "app" / "broken.py").write_text("def (:\n")
    assert "not valid Python" in await selfcode.text("get_file_outline", path="broken.py")


async def test_the_source_is_searched_literally_whatever_the_case(selfcode: Selfcode) -> None:
    assert await selfcode.text("search_source_code", pattern="CLASS greeter") == "app/main.py:6: class Greeter:"
    assert "No line" in await selfcode.text("search_source_code", pattern="(a+)+$")
    assert not (await selfcode.call("search_source_code", pattern=" ")).success


FORBIDDEN = [
    ".env",
    "./.env",
    "app/../.env",
    "app/.env",
    "app/.hidden.py",
    "app/credentials.toml",
    "app/server.key",
    "app/key.pem",
    "app/link.py",
    "link.py",
    "CLAUDE.md",
    "tests/notes.md",
    "data/notes.md",
    "data/wasap.db",
    "notes.md",
    ".git/config",
    ".venv/lib/x.py",
    "../outside.py",
    "/etc/passwd",
    "app/main.py\0",
    "",
]


@pytest.mark.parametrize("path", FORBIDDEN)
async def test_what_is_not_source_cannot_be_read(selfcode: Selfcode, path: str) -> None:
    (selfcode.root.parent / "outside.py").write_text(PLANTED)
    results = [
        await selfcode.call("read_source_file", path=path),
        await selfcode.call("get_file_outline", path=path),
        await selfcode.call("read_lines", path=path, start=1, end=9),
    ]
    for result in results:
        assert not result.success
        assert PLANTED not in result.content
        assert str(selfcode.root) not in result.content


async def test_what_is_not_source_cannot_be_found(selfcode: Selfcode) -> None:
    found = await selfcode.text("search_source_code", pattern=PLANTED[:12])
    assert found.startswith("No line")


async def test_the_version_tells_the_revision_and_no_place(selfcode: Selfcode) -> None:
    git = selfcode.root / ".git"
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "refs" / "heads" / "main").write_text("a1" * 20 + "\n")
    text = await selfcode.text("get_version_info")
    assert f"revision: {('a1' * 20)[:12]} on main" in text
    assert "python: 3." in text
    assert str(selfcode.root) not in text


def test_the_revision_is_found_wherever_git_keeps_it(tmp_path: Path) -> None:
    commit = "b2" * 20
    assert read_revision(tmp_path) == "unknown"
    git = tmp_path / ".git"
    git.mkdir()
    (git / "HEAD").write_text(commit)
    assert read_revision(tmp_path) == commit[:12]
    (git / "HEAD").write_text("ref: refs/heads/feature/x\n")
    assert read_revision(tmp_path) == "nothing committed on feature/x"
    (git / "packed-refs").write_text(f"# pack-refs with: peeled\n{commit} refs/heads/feature/x\n^{'c3' * 20}\n")
    assert read_revision(tmp_path) == f"{commit[:12]} on feature/x"


def test_the_revision_of_a_worktree_is_found(tmp_path: Path) -> None:
    private = tmp_path / "main" / ".git" / "worktrees" / "side"
    private.mkdir(parents=True)
    (private / "HEAD").write_text("ref: refs/heads/side\n")
    (private / "commondir").write_text("../..\n")
    (tmp_path / "main" / ".git" / "packed-refs").write_text(f"{'d4' * 20} refs/heads/side\n")
    (tmp_path / "side").mkdir()
    (tmp_path / "side" / ".git").write_text(f"gitdir: {private}\n")
    assert read_revision(tmp_path / "side") == f"{('d4' * 20)[:12]} on side"


@pytest.mark.parametrize("head", [f"ref: ../../.env {PLANTED}", "ref: refs/heads/../../../.env", PLANTED])
def test_a_broken_repository_tells_nothing(selfcode: Selfcode, head: str) -> None:
    (selfcode.root / ".git" / "HEAD").write_text(head)
    assert read_revision(selfcode.root) == "unknown"


async def test_settings_are_shown_without_secrets_numbers_and_places(selfcode: Selfcode) -> None:
    selfcode.config.update(
        WHATSAPP_ACCESS_TOKEN=PLANTED,
        GITHUB_PAT=PLANTED,
        SIGNING_KEY=PLANTED,
        ALLOWED_PHONE_NUMBERS="5491155550101",
        OLLAMA_BASE_URL=f"http://me:{PLANTED}@localhost:11434",
        OTHER_URL=f"https://example.org/x?api_key={PLANTED}&y=1",
        DATA_DIR=str(selfcode.root / "data"),
        LLM_CONTEXT_TOKENS="8192",
        LOG_LEVEL="INFO",
        SMITHERY_TOKENS="",
    )
    text = await selfcode.text("get_runtime_config")
    assert PLANTED not in text
    assert "5491155550101" not in text
    assert str(selfcode.root) not in text
    assert "DATA_DIR: [path]" in text
    assert "LLM_CONTEXT_TOKENS: 8192" in text
    assert "LOG_LEVEL: INFO" in text
    assert "OLLAMA_BASE_URL: http://[redacted]@localhost:11434" in text


async def test_health_is_told_part_by_part(selfcode: Selfcode) -> None:
    selfcode.state.update(database="writable", model=f"failed: cannot open {selfcode.root}/models/x.gguf")
    assert await selfcode.text("get_system_health") == "database: writable\nmodel: failed: cannot open [path]"


async def test_a_skill_is_explained(selfcode: Selfcode) -> None:
    text = await selfcode.text("get_skill_details", skill_name=" Demo ")
    assert text == "demo: Shows things.\nTools: none\nDo it well."
    unknown = await selfcode.call("get_skill_details", skill_name="other")
    assert unknown.error == "There is no skill of that name. The skills are: demo."


async def test_only_an_admin_reads_the_log(selfcode: Selfcode) -> None:
    selfcode.logs(None, "info", {"event": "turn.finished"})
    refused = await selfcode.call("get_recent_logs", ctx=replace(CTX, is_admin=False))
    assert not refused.success
    assert "administrator" in refused.content
    assert "turn.finished" not in refused.content


async def test_the_last_log_lines_are_shown_oldest_first(selfcode: Selfcode) -> None:
    assert await selfcode.text("get_recent_logs") == "The log is empty."
    for n in range(MAX_EVENTS + 50):
        event = {
            "event": "turn.finished",
            "level": "info",
            "at": "2026-01-02T03:04:05Z",
            "n": n,
            "_record": PLANTED,
        }
        assert selfcode.logs(None, "info", event) is event
    assert len(selfcode.logs.list_recent()) == MAX_EVENTS
    assert selfcode.logs.list_recent(0) == []
    assert await selfcode.text("get_recent_logs", lines=2) == (
        "2026-01-02T03:04:05Z info turn.finished n=248\n2026-01-02T03:04:05Z info turn.finished n=249"
    )
    everything = await selfcode.text("get_recent_logs", lines=10**9)
    assert len(everything) <= MAX_SHOWN_CHARS
    assert everything.endswith("n=249")


async def test_the_log_shows_no_message_no_traceback_and_no_place(selfcode: Selfcode) -> None:
    traceback = (
        f'Traceback (most recent call last):\n  File "{selfcode.root}/app/main.py"\nOSError: no /srv/data/x'
    )
    event = {
        "event": "job.failed",
        "text": "my diary",
        "exception": traceback,
        "headers": {"Authorization": PLANTED},
    }
    selfcode.logs(None, "error", event)
    assert await selfcode.text("get_recent_logs") == (
        "job.failed text=[redacted] exception=OSError: no [path] headers=dict"
    )


SECRETS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=12, max_size=40).filter(
    # A secret that is a part of ordinary output would be found in it by chance.
    lambda text: len(set(text)) > 6 and "redacted" not in text
)


@given(secret=SECRETS)
@some(0.4)
async def test_a_known_secret_never_appears_wherever_it_was_planted(
    tmp_path_factory: pytest.TempPathFactory, secret: str
) -> None:
    root = tmp_path_factory.mktemp("planted")
    make_project(root)
    (root / ".env").write_text(f"A_NAME={secret}\n")
    (root / "app" / "careless.py").write_text(f"# {secret}\nVALUE = 1 # {secret}\n")
    (root / "docs" / "careless.md").write_text(f"# {secret}\n")
    (root / "skills" / "demo" / "SKILL.md").write_text(f"---\nname: demo\ndescription: d\n---\n{secret}\n")
    selfcode = build(root, secrets=(secret,))
    selfcode.config.update(PLAIN=f"a {secret} b", ACCESS_TOKEN=secret, URL=f"http://x/{secret}")
    selfcode.state.update(model=f"failed with {secret}")
    redact = Redactor(is_content_logged=True, secrets=(secret,))
    selfcode.logs(
        None, "info", redact(None, "info", {"event": f"failed {secret}", "detail": [secret], "token": secret})
    )
    calls: list[Callable[[], Awaitable[str]]] = [
        lambda: selfcode.text("get_version_info"),
        lambda: selfcode.text("get_system_health"),
        lambda: selfcode.text("get_runtime_config"),
        lambda: selfcode.text("list_source_files"),
        lambda: selfcode.text("read_source_file", path="app/careless.py"),
        lambda: selfcode.text("read_source_file", path=".env"),
        lambda: selfcode.text("read_lines", path="app/careless.py", start=2, end=2),
        lambda: selfcode.text("get_file_outline", path="docs/careless.md"),
        lambda: selfcode.text("search_source_code", pattern="VALUE"),
        lambda: selfcode.text("get_skill_details", skill_name="demo"),
        lambda: selfcode.text("get_recent_logs"),
    ]
    for call in calls:
        assert secret not in await call()


@given(
    name=st.sampled_from(["token", "api_key", "API-KEY", "password", "client_secret", "Authorization", "cookie"]),
    separator=st.sampled_from(["=", ": ", " = ", '": "']),
    secret=st.text("abcdefghXYZ0123456789/+_.-", min_size=8, max_size=40),
)
def test_a_value_with_a_secret_name_is_hidden_even_in_free_text(name: str, separator: str, secret: str) -> None:
    logs = LogRing()

    async def health() -> Mapping[str, str]:
        return {}

    runtime = Runtime(Path("project"), dict, health, logs)
    logs(None, "info", {"event": f"request failed {name}{separator}{secret} at once", name: secret})
    assert secret not in runtime.recent_logs(1)[0]


@pytest.mark.parametrize(
    "secret",
    [
        "ghp_" + "a1B2" * 9,
        "sk-" + "a1B2" * 9,
        "Bearer abcdef123456",
        "EA" + "Zx9" * 10,
        "AKIA" + "A1B2C3D4" * 2,
        "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\nxyz\n-----END RSA PRIVATE KEY-----",
    ],
)
async def test_what_has_the_form_of_a_secret_is_hidden_in_source_too(selfcode: Selfcode, secret: str) -> None:
    (selfcode.root / "app" / "careless.py").write_text(f"first = 1\nvalue = '''{secret}'''\n")
    for text in (
        await selfcode.text("read_source_file", path="careless.py"),
        await selfcode.text("search_source_code", pattern="value"),
    ):
        assert secret.splitlines()[-1] not in text
        assert secret not in text
