from __future__ import annotations

import pytest

from chaosops.adapters.llm.models import LanguageModels
from chaosops.adapters.llm.settings import ModelServer
from chaosops.agents.registry import PolicyNameError
from tests.adapters.llm.server import KEY


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1/chat/completions"),
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1/chat/completions"),
        (" http://[::1]:8080 ", "http://[::1]:8080/chat/completions"),
        ("https://a.example/x?api-version=2", "https://a.example/x/chat/completions?api-version=2"),
    ],
)
def test_the_address_is_that_of_the_server_with_its_query(base: str, url: str) -> None:
    server = ModelServer.of({"OPENAI_BASE_URL": base})
    assert server.url == url
    assert not server.key


def test_a_server_shows_neither_its_key_nor_its_address() -> None:
    environment = {"OPENAI_BASE_URL": "http://me:word@127.0.0.1/v1", "OPENAI_API_KEY": f"{KEY}\n"}
    server = ModelServer.of(environment)
    assert server.key.reveal() == KEY
    assert not any(part in repr(server) for part in (KEY, "word"))


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"OPENAI_BASE_URL": "https://api.openai.com/v1/"},
        {"OPENAI_API_KEY": "two words"},
        {"OPENAI_API_KEY": "clé"},
        {"OPENAI_BASE_URL": "localhost:8080"},
        {"OPENAI_BASE_URL": "ftp://127.0.0.1/v1"},
        {"OPENAI_BASE_URL": "http:///v2"},
        {"OPENAI_BASE_URL": "http://[::1"},
        {"OPENAI_BASE_URL": "http://127.0.0.1:99999/v1"},
    ],
)
def test_what_is_missing_or_no_address_is_refused_without_being_quoted(
    environment: dict[str, str],
) -> None:
    with pytest.raises(PolicyNameError) as caught:
        ModelServer.of(environment)
    text = str(caught.value)
    assert "set" in text
    assert not any(value and value in text for value in environment.values())


@pytest.mark.parametrize("model", ["", "two words", "a\tb"])
def test_a_model_has_a_name(model: str) -> None:
    with pytest.raises(PolicyNameError, match="write openai:MODEL"):
        LanguageModels(None, {"OPENAI_API_KEY": KEY}).find(model)


def test_the_model_of_the_environment_is_offered() -> None:
    environment = {"OPENAI_API_KEY": KEY, "OPENAI_MODEL": "little-1"}
    assert LanguageModels(None, environment).policies(["a:b"]).extra == ("a:b", "openai:little-1")
    assert LanguageModels(None, {"OPENAI_MODEL": "a b"}).policies().extra == ()
