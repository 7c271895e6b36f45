from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from textual.css import stylesheet
from textual.css.model import RuleSet

_Tokens = dict[str, Any]


@pytest.fixture(scope="session", autouse=True)
def styles_parsed_once() -> Iterator[None]:
    """Keep the parsed style sheets for the apps to come: parsing is a sixth of opening one."""
    tokens: dict[tuple[tuple[str, str], ...], _Tokens] = {}
    rules: dict[tuple[Any, ...], list[RuleSet]] = {}
    tokenize, parse = stylesheet.tokenize_values, stylesheet.parse

    def tokenize_once(values: dict[str, str]) -> _Tokens:
        key = tuple(values.items())
        if key not in tokens:
            tokens[key] = tokenize(values)
        return tokens[key]

    def parse_once(*place: Any, variable_tokens: _Tokens, **options: Any) -> Iterable[RuleSet]:
        key = (*place, id(variable_tokens), *options.items())
        if key not in rules:
            rules[key] = list(parse(*place, variable_tokens=variable_tokens, **options))
        return rules[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stylesheet, "tokenize_values", tokenize_once)
        patch.setattr(stylesheet, "parse", parse_once)
        yield
