"""Answers of programs: one action as JSON, bare, within text, or in a fenced block."""

from __future__ import annotations

import json
from typing import Final

from chaosops.text.answers import read_answer

MOST_LINES: Final = 400
"""The most lines of one answer."""

_FENCE: Final = "```"
_BEGINNINGS: Final = ("{", _FENCE, "<", "[", "◁")
"""How a multi-line answer begins: with an object, a fence or reasoning."""


def has_answer(text: str) -> bool:
    """Whether a text is or contains a program's answer."""
    if text.startswith(("{", _FENCE)):
        return True
    answer = read_answer(text)
    return answer.reasoned or bool(answer.objects) or (bool(answer.problem) and _ACTION in text)


_ACTION: Final = '"action_type"'


def goes_on(text: str) -> bool:
    """Whether the lines so far are only the beginning of an answer."""
    if not text.startswith(_BEGINNINGS) or text.count("\n") >= MOST_LINES:
        return False
    answer = read_answer(text)
    if answer.unclosed:
        return True
    if answer.reasoned and not text[len(text) - answer.size :].strip():
        # The answer follows the end of the reasoning.
        return True
    if text.count(_FENCE) % 2:
        return True
    return text.startswith("{") and _breaks_off(text)


def _breaks_off(text: str) -> bool:
    """Whether a text begins with a valid but unfinished object."""
    try:
        json.JSONDecoder(strict=False).raw_decode(text)
    except json.JSONDecodeError as error:
        return error.pos >= len(text.rstrip())
    except (ValueError, RecursionError):
        return False
    return False
