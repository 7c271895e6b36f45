"""Finds the JSON objects of an answer, apart from those in the reasoning before it."""

from __future__ import annotations

import json
import re
from typing import Any, Final, NamedTuple, NoReturn

_NAMES: Final = (
    r"(?:[a-z]{1,20}:)?(?:ant)?(?:think(?:ing)?|thoughts?|thought_process|reasoning|reflection"
    r"|analysis|scratchpad|deliberation|(?:inner_|internal_)?monologue|chain_of_thought|cot)"
)
_BLOCKS: Final = (
    (rf"<(?P<tag>{_NAMES})(?:\s[^<>]{{0,200}})?>", r"</\s*{tag}\s*>"),
    (rf"\[(?P<bracket>{_NAMES})\]", r"\[/\s*{bracket}\s*\]"),
    (rf"◁(?P<triangle>{_NAMES})▷", r"◁/\s*{triangle}\s*▷"),
    (r"<\|begin_of_(?P<begin>thought|reasoning|thinking)\|>", r"<\|end_of_{begin}\|>"),
    (r"<\|start_(?P<start>thinking|thought|reasoning)\|>", r"<\|end_{start}\|>"),
    (rf"<\|(?P<pipe>{_NAMES})\|>", r"<\|/\s*{pipe}\|>"),
    (r"<\|inner_prefix\|>", r"<\|inner_suffix\|>"),
    (r"<\|channel>thought\b", r"<channel\|>"),
    (r"<unused94>", r"<unused95>"),
    (r"<\|channel\|>\s*analysis\b", r"<\|(?:end|return|start)\|>|<\|channel\|>\s*(?!analysis\b)"),
    # The same without special tokens, which a decoder may leave out.
    (r"\A\s*analysis(?-i:(?=[A-Z]))", r"assistantfinal"),
    (r"here(?:'s| is) my thought process:", r"here(?:'s| is) my response:"),
    (rf"```(?P<fence>{_NAMES})\b", ""),  # `_closed_at` finds its own fence
)
"""The beginning and the end of reasoning blocks, as in chat templates and prompts."""

_CLOSERS: Final = (
    rf"</\s*{_NAMES}\s*>",
    rf"\[/\s*{_NAMES}\s*\]",
    rf"◁/\s*{_NAMES}\s*▷",
    r"<\|end_of_(?:thought|reasoning|thinking)\|>",
    r"<\|end_(?:thinking|thought|reasoning)\|>",
    rf"<\|/\s*{_NAMES}\|>",
    r"<\|inner_suffix\|>",
    r"<channel\|>",
    r"<unused95>",
    r"<\|channel\|>\s*final\b",
    r"assistantfinal",
    r"here(?:'s| is) my response:",
)
"""The end of a block that began before the answer, for example in the prompt."""

_OPENERS: Final = "|".join(f"(?P<block{i}>{begins})" for i, (begins, _ends) in enumerate(_BLOCKS))
_TOKEN: Final = re.compile(
    rf"{_OPENERS}|(?P<end>{'|'.join(_CLOSERS)})"
    r"|(?P<fenced>```[a-z]*\s*(?=\{))|(?P<bare>(?=\{\s*[\"}]))",
    re.IGNORECASE,
)

_FENCE: Final = re.compile(r"```(?P<language>[a-z]*)(?!`)", re.IGNORECASE)
"""A fence with a language opens a block; another one closes the innermost block."""

_DEEPEST: Final = 100
_BRACKETS: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)


class ParsedAnswer(NamedTuple):
    """What stands in a text behind its last reasoning block.

    Attributes:
        objects: The JSON objects, those inside another one left out; where some are in fenced
            blocks, these alone.
        problem: Why the first of them that is broken cannot be read; empty if all can be.
        size: Length of the answer in characters, reasoning left out.
        reasoned: Whether there was reasoning before it.
        unclosed: How the reasoning block begins that is not closed, so that there is no answer.
    """

    objects: tuple[dict[str, Any], ...]
    problem: str = ""
    size: int = 0
    reasoned: bool = False
    unclosed: str = ""


def read_answer(text: str) -> ParsedAnswer:
    """Read a text, in time that grows with its length.

    A reasoning block ends with its first closing mark, a fenced one with the fence that is its
    own. Whatever stands before a closing mark,
    with or without an opening one, is reasoning; marks inside the JSON of an answer are text.
    """
    found = _Objects()
    start = position = 0
    while token := _TOKEN.search(text, position):
        if token["fenced"] is not None or token["bare"] is not None:
            position = found.read(text, token.end(), is_fenced=token["fenced"] is not None)
            continue
        position = token.end()
        if token["end"] is None:
            closed = _closed_at(text, token)
            if closed is None:
                return ParsedAnswer((), size=0, reasoned=True, unclosed=token[0].strip())
            position = closed
        start = position
        found = _Objects()
    objects, problem = found.chosen()
    return ParsedAnswer(objects, problem, len(text) - start, reasoned=start > 0)


def _closed_at(text: str, opener: re.Match[str]) -> int | None:
    """Return where the block that begins at a position ends; None if nothing closes it."""
    if opener["fence"] is None:
        closer = re.compile(_end_of(opener), re.IGNORECASE).search(text, opener.end())
        return None if closer is None else closer.end()
    depth = 1
    for mark in _FENCE.finditer(text, opener.end()):
        depth += 1 if mark["language"] else -1
        if not depth:
            return mark.end()
    return None


def _end_of(opener: re.Match[str]) -> str:
    """Return the pattern that closes a block."""
    ends = next(ends for i, (_begins, ends) in enumerate(_BLOCKS) if opener[f"block{i}"])
    named = {name: re.escape(value) for name, value in opener.groupdict().items() if value}
    for name, value in named.items():
        ends = ends.replace(f"{{{name}}}", value)
    return ends


class _Objects:
    """The objects since the last reasoning block."""

    def __init__(self) -> None:
        self._fenced: list[dict[str, Any] | str] = []
        self._bare: list[dict[str, Any] | str] = []

    def read(self, text: str, start: int, *, is_fenced: bool) -> int:
        """Read the one that begins there; returns from where on to search for the next.

        What follows a broken one may be a piece of it, and is no object of its own; a fenced
        block after a bare one is.
        """
        into = self._fenced if is_fenced else self._bare
        if into and isinstance(into[-1], str):
            return start + 1
        value, end = _decoded(text, start)
        into.append(value)
        return end

    def chosen(self) -> tuple[tuple[dict[str, Any], ...], str]:
        chosen = self._fenced or self._bare
        objects = tuple(each for each in chosen if isinstance(each, dict))
        return objects, next((each for each in chosen if isinstance(each, str)), "")


def _decoded(text: str, start: int) -> tuple[dict[str, Any] | str, int]:
    """Decode the object at a position; return it or the problem, and up to where it was read."""
    if _is_too_deep(text, start):
        return "the JSON is nested too deep", start + 1
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        why = f"{error.msg[:1].lower()}{error.msg[1:]}"
        return f"the JSON breaks at character {error.pos + 1}: {why}", max(error.pos, start + 1)
    except ValueError as error:
        return f"the JSON breaks: {error}", _end_of_object(text, start)
    return value, end


def _is_too_deep(text: str, start: int) -> bool:
    """Whether an object is nested deeper than anything that may be said.

    How deep Python's decoder goes is another thing in each version.
    """
    depth = 0
    for token in _BRACKETS.finditer(text, start):
        if token[0] in "{[":
            depth += 1
        elif token[0] in "}]":
            depth -= 1
        if depth > _DEEPEST or depth <= 0:
            break
    return depth > _DEEPEST


def _end_of_object(text: str, start: int) -> int:
    """Return where an object ends for a more tolerant JSON reader."""
    try:
        _value, end = _LENIENT.raw_decode(text, start)
    except ValueError:
        return start + 1
    return end


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_constant=_no_constant, strict=False
)
_LENIENT: Final = json.JSONDecoder(strict=False)
