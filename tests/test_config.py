"""Settings: what is read, what is refused, and that a refusal names the variable and never its value."""

from itertools import combinations
from pathlib import Path

import pytest

from app.config import Settings, load_settings
from app.domain.errors import ConfigError
from app.pipeline.receiving.admission import AllowList

CREDENTIALS = (
    "WHATSAPP_ACCESS_TOKEN",
    "WHATSAPP_PHONE_NUMBER_ID",
    "WHATSAPP_VERIFY_TOKEN",
    "WHATSAPP_APP_SECRET",
)
SOME_BUT_NOT_ALL = [some for size in (1, 2, 3) for some in combinations(CREDENTIALS, size)]


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable of ours, and no `.env` in the working directory."""
    for name in Settings.model_fields:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.chdir(tmp_path)


def test_without_any_variable_the_simulator_stands_in() -> None:
    settings = load_settings()
    assert settings.is_simulated
    assert not settings.has_whatsapp
    assert settings.database_file == Path("data/wasap.db")


def test_with_all_four_credentials_the_simulator_stays_off(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in CREDENTIALS:
        monkeypatch.setenv(name, "something")
    assert load_settings().has_whatsapp
    assert not load_settings().is_simulated
    monkeypatch.setenv("SIMULATOR_ENABLED", "true")
    assert load_settings().is_simulated


@pytest.mark.parametrize("given", SOME_BUT_NOT_ALL, ids="+".join)
def test_some_but_not_all_credentials_are_refused_naming_the_missing_ones(
    monkeypatch: pytest.MonkeyPatch, given: tuple[str, ...]
) -> None:
    for name in given:
        monkeypatch.setenv(name, "hush-hush")
    with pytest.raises(ConfigError) as caught:
        load_settings()
    named = {name for name in CREDENTIALS if name in str(caught.value)}
    assert named == set(CREDENTIALS) - set(given)
    assert "hush-hush" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WHATSAPP_API_VERSION", "twenty-six"),
        ("SIMULATOR_ENABLED", "perhaps"),
        ("LLM_PROVIDER", "oracle"),
        ("LLM_CONTEXT_TOKENS", "1023"),
        ("LLM_MAX_CONCURRENT", "0"),
        ("LLM_TIMEOUT_S", "-7.25"),
        ("LLM_THREADS", "many"),
        ("RATE_LIMIT_MAX", "0x7"),
        ("RATE_LIMIT_WINDOW", "-3"),
        ("DEBOUNCE_MS", "60001"),
        ("PORT", "65536"),
        ("LOG_LEVEL", "CHATTY"),
        ("LOG_JSON", "sometimes"),
        ("LOG_CONTENT", "2bornot2b"),
        ("OLLAMA_BASE_URL", "nowhere"),
        ("OLLAMA_BASE_URL", "localhost:11434"),
        ("OLLAMA_BASE_URL", "http://one.test, two.test"),
        ("OPENAI_BASE_URL", "one.test"),
        ("WHATSAPP_API_BASE_URL", "ftp://graph.test"),
        ("WHATSAPP_API_BASE_URL", "https:///v26.0"),
        ("WHATSAPP_API_BASE_URL", "http://[half"),
        ("WHATSAPP_API_BASE_URL", "http://graph.test:notaport"),
        ("ALLOWED_PHONE_NUMBERS", "+5491155550101,alice"),
        ("ADMIN_PHONE_NUMBERS", "12345"),
    ],
)
def test_a_wrong_value_names_its_variable_and_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert caught.value.code == name
    assert caught.value.detail
    assert value not in caught.value.detail.split()
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_number_lists_take_commas_plus_signs_and_spaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOWED_PHONE_NUMBERS", " +54 9 11 5555-0101 ,, 1 (555) 123-0000 , AR.7f3 ,")
    settings = load_settings()
    assert len(settings.allowed_phone_numbers) == len(("a number", "another", "a BSUID"))
    allowed = AllowList(settings.allowed_phone_numbers, settings.admin_phone_numbers)
    for alias in ("tel:541155550101", "tel:15551230000", "bsuid:AR.7f3"):
        assert allowed.is_allowed(frozenset({alias}))
    assert allowed.admins == {"tel:541155550101"}
    assert not allowed.is_allowed(frozenset({"tel:", "bsuid:"}))


def test_admins_may_write_without_being_listed_twice() -> None:
    allowed = AllowList(("1 555 0001",), ("1 555 0002",))
    assert allowed.is_allowed(frozenset({"tel:15550002"}))
    assert not allowed.is_admin(frozenset({"tel:15550001"}))


def test_an_empty_allow_list_means_nobody() -> None:
    allowed = AllowList((), ())
    assert not allowed.is_allowed(frozenset({"tel:15550001"}))
    assert allowed.admins == frozenset()


def test_an_empty_value_is_the_same_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in Settings.model_fields:
        monkeypatch.setenv(name.upper(), "")
    assert load_settings() == Settings(_env_file=None)
    assert load_settings().allowed_phone_numbers == ()


def test_the_file_is_read_and_the_environment_wins_over_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("PORT=9001\nHOST=0.0.0.0\nUNKNOWN_TO_US=1\nOLLAMA_MODEL=\n")
    monkeypatch.setenv("PORT", "9002")
    settings = load_settings()
    assert (settings.port, settings.host, settings.ollama_model) == (9002, "0.0.0.0", "qwen3:8b")


def test_secrets_are_not_in_the_text_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in CREDENTIALS:
        monkeypatch.setenv(name, f"hush-{name}")
    shown = repr(load_settings())
    for name in ("WHATSAPP_ACCESS_TOKEN", "WHATSAPP_VERIFY_TOKEN", "WHATSAPP_APP_SECRET"):
        assert f"hush-{name}" not in shown


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        setattr(load_settings(), "port", 1)  # noqa: B010 - a plain assignment is already a type error


def test_several_servers_are_separated_by_commas_and_each_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_PROVIDER", "openai")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://one.test:8000/v1, http://two.test,http://two.test")
    monkeypatch.setenv("OPENAI_API_KEY", "hush-hush")
    settings = load_settings()

    assert settings.openai_base_url == ("http://one.test:8000/v1", "http://two.test")
    assert settings.ollama_base_url == ("http://localhost:11434",)
    assert settings.secrets == ("hush-hush",)
    assert "hush-hush" not in repr(settings)


def test_the_openai_provider_needs_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_PROVIDER", "openai")
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert caught.value.code == "OPENAI_BASE_URL"
