"""How language models are asked: which server, in which way, and how much of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final, NoReturn
from urllib.parse import urlsplit, urlunsplit

from chaosops.agents.registry import PolicyNameError

FAMILY: Final = "openai"
"""The word before the colon in the name of a model's policy."""

BASE_URL: Final = "OPENAI_BASE_URL"
API_KEY: Final = "OPENAI_API_KEY"
MODEL: Final = "OPENAI_MODEL"
"""Environment variables; a model named by the last one is offered in the game's menus."""

_DEFAULT_URL: Final = "https://api.openai.com/v1"
_KEY: Final = re.compile(r"[!-~]{1,1000}", re.ASCII)


def is_model(name: str) -> bool:
    """Whether a policy's name is that of a language model."""
    return name.startswith(f"{FAMILY}:")


class ModelMode(StrEnum):
    """How a model is asked to write an action.

    SCHEMA holds it to a JSON Schema, TOOLS gives it a tool for each verb, and TEXT asks for JSON
    in its answer, which any model can write.
    """

    SCHEMA = "schema"
    TOOLS = "tools"
    TEXT = "text"


class Secret:
    """A text that is never shown, copied or pickled."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return "Secret(***)"

    def __bool__(self) -> bool:
        return bool(self._text)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret can't be pickled")

    def reveal(self) -> str:
        """Return the text."""
        return self._text

    def hide_in(self, text: str) -> str:
        """Return a text in which the secret is blotted out."""
        return text.replace(self._text, "[secret]") if self._text else text


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How models are asked.

    Attributes:
        mode: How they are asked to write an action.
        timeout: Seconds that one answer may take.
        budget: Tokens that all of them together may use; 0 for no limit.
        log: The file to which each call is written; None for none.
        compact: Whether they see about a thousand tokens a turn instead of everything.
    """

    mode: ModelMode = ModelMode.SCHEMA
    timeout: float = 60.0
    budget: int = 0
    log: Path | None = None
    compact: bool = False


@dataclass(frozen=True, slots=True)
class ModelServer:
    """Where models are asked.

    Attributes:
        url: The address of the chat completions.
        key: The key that is sent, which may be empty.
    """

    url: str = field(repr=False)
    key: Secret

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> ModelServer:
        """Take the server and the key from environment variables.

        Raises:
            PolicyNameError: One of them is missing, or is no address or no key.
        """
        base = environment.get(BASE_URL, "").strip() or _DEFAULT_URL
        key = environment.get(API_KEY, "").strip()
        if key and not _KEY.fullmatch(key):
            raise PolicyNameError(
                f"the key in {API_KEY} has spaces or characters that no key has: set it again"
            )
        if not key and base.rstrip("/") == _DEFAULT_URL:
            raise PolicyNameError(
                f"language models need a key: set {API_KEY}, or {BASE_URL} to a server of your own"
            )
        try:
            parts = urlsplit(base)
            is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
            is_address = is_address and parts.port != 0
        except ValueError:
            is_address = False
        if not is_address:
            raise PolicyNameError(
                f"the text in {BASE_URL} is no address: set it to one such as http://127.0.0.1:8080/v1"
            )
        path = f"{parts.path.rstrip('/')}/chat/completions"
        return cls(urlunsplit((parts.scheme, parts.netloc, path, parts.query, "")), Secret(key))
