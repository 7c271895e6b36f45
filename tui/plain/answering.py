"""Answers of programs: one action as JSON, bare, in a sentence or in a fenced block of lines."""

from __future__ import annotations

import json
from typing import Final

from chaosops.text.answers import read_answer

MOST_LINES: Final = 400
"""Lines of one answer that are put together."""

_FENCE: Final = "```"
_BEGINNINGS: Final = ("{", _FENCE, "<", "[", "◁")
"""How an answer begins that may go on for several lines: an object, a fence, some reasoning."""


def has_answer(text: str) -> bool:
    """Whether a text is, or has in it, what a program answers."""
    if text.startswith(("{", _FENCE)):
        return True
    answer = read_answer(text)
    return answer.reasoned or bool(answer.objects) or (bool(answer.problem) and _ACTION in text)


_ACTION: Final = '"action_type"'


def goes_on(text: str) -> bool:
    """Whether the lines of an answer so far are only its beginning."""
    if not text.startswith(_BEGINNINGS) or text.count("\n") >= MOST_LINES:
        return False
    answer = read_answer(text)
    if answer.unclosed:
        return True
    if answer.reasoned and not text[len(text) - answer.size :].strip():
        # Reasoning that has ended is followed by the answer.
        return True
    if text.count(_FENCE) % 2:
        return True
    return text.startswith("{") and _breaks_off(text)


def _breaks_off(text: str) -> bool:
    """Whether an object at the beginning of a text is fine as far as it goes."""
    try:
        json.JSONDecoder(strict=False).raw_decode(text)
    except json.JSONDecodeError as error:
        return error.pos >= len(text.rstrip())
    except (ValueError, RecursionError):
        return False
    return False
