"""Reads a strict subset of YAML: plain data, with the line of every field.

Scalars are read as YAML 1.2 has them, so `no`, `on` and `12:30` are text; a number with a leading
zero is text as well. Anchors, aliases, merge keys and tags are refused, and so is a file that is
large, deep or full enough to be an attack. The parser's events are read one by one, so nothing
recurses, and refused parts are never built.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from chaosops.files import NotAFileError, TooLargeError, read_bytes, why
from chaosops.scenarios.problems import (
    MAX_PROBLEMS,
    MORE,
    FieldPath,
    Problem,
    Wrong,
    dotted,
    shown,
)
from chaosops.text_safety import clean, has_unsafe

MAX_BYTES = 1 << 20
MAX_DEPTH = 20
MAX_NODES = 50_000

_MAX_DIGITS = 15
_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_RADIX = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_DOUBTFUL = re.compile(
    r"(?i)y|n|yes|no|on|off|[-+]?0[0-9]+|[-+]?[0-9]+(_[0-9]+)+|[0-9]+(:[0-9]+)+"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}"
)
_NO_NUMBER = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WORDS: Mapping[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_CURES = (
    (
        "mapping values are not allowed",
        'put text that contains ": " in quotes, or check the indent',
    ),
    ("cannot start any token", "put text that starts with this character in quotes"),
    ("nesting depth", "flatten it"),
    ("unknown escape", "use single quotes: in double quotes a backslash starts an escape"),
    ("unexpected end of stream", "close the quote or bracket that is open"),
)
_CURE = "check the indent, quotes and brackets here and just above"


@dataclass(frozen=True, slots=True)
class Document:
    """A file that was read.

    Attributes:
        data: The top-level mapping; None if the file is too broken.
        lines: The line of every existing field, counted from 1.
        problems: The problems so far; data with problems is only useful for finding more.
        unread: The fields with an unreadable value, which the data replaces.
        doubtful: The fields with a text that other YAML readers may take for something else.
    """

    path: Path
    data: dict[str, Any] | None
    lines: Mapping[FieldPath, int]
    problems: tuple[Problem, ...]
    unread: frozenset[FieldPath] = frozenset()
    doubtful: Mapping[FieldPath, str] = field(default_factory=dict)

    def line(self, path: FieldPath) -> int:
        """Return the line of a field, or of the nearest thing around it."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.lines:
                return self.lines[path[:end]]
        return 1

    def problem(self, wrong: Wrong) -> Problem:
        """Make a problem of a field of this file."""
        return Problem(self.path, self.line(wrong.path), dotted(wrong.path), wrong.message)


def read_document(path: Path) -> Document:
    """Read one file. Problems are in the result; this never raises."""
    raw, trouble = _read_bytes(path)
    if trouble:
        return Document(path, None, {}, (Problem(path, 0, "", trouble),))
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = f"byte {error.start} is not UTF-8; save the file as UTF-8"
        return Document(path, None, {}, (Problem(path, line, "", message),))
    text = text.replace("\r\n", "\n")
    problems = _first(_check_characters(path, text))
    text = clean(text)
    tabs = _first(_check_tabs(path, text))
    if tabs:
        return Document(path, None, {}, (*problems, *tabs))
    builder = _Builder(path)
    builder.read(text)
    data = builder.root if builder.usable and isinstance(builder.root, dict) else None
    found = (*problems, *_first(builder.problems))
    return Document(path, data, builder.lines, found, frozenset(builder.unread), builder.doubtful)


def _first(problems: Iterable[Problem]) -> list[Problem]:
    found = list(itertools.islice(problems, MAX_PROBLEMS + 1))
    return [*found[:-1], found[-1]._replace(message=MORE)] if len(found) > MAX_PROBLEMS else found


def _read_bytes(path: Path) -> tuple[bytes, str]:
    try:
        return read_bytes(path, MAX_BYTES), ""
    except FileNotFoundError:
        return b"", "no such file; check the name"
    except NotAFileError as error:
        return b"", f"{why(error)}; use a .yaml file"
    except TooLargeError:
        return b"", "the file is over 1 MiB; a scenario is a few KiB of text, so shorten it"
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return b"", f"it cannot be read ({shown(reason)}); check the name and its permissions"


def _check_characters(path: Path, text: str) -> Iterator[Problem]:
    if not has_unsafe(text):
        return
    for number, line in enumerate(text.split("\n"), 1):
        if has_unsafe(line):
            yield Problem(path, number, "", _unsafe(line))


def _unsafe(text: str) -> str:
    code = next(ord(char) for char in text if has_unsafe(char))
    return f"the text contains U+{code:04X}, a control or direction character; remove it"


def _check_tabs(path: Path, text: str) -> Iterator[Problem]:
    for number, line in enumerate(text.split("\n"), 1):
        start = line.lstrip(" ")
        if start.startswith("\t") and start.strip():
            yield Problem(path, number, "", "the indent contains a tab; use spaces")


@dataclass(slots=True)
class _Open:
    """A mapping or list that is being read."""

    path: FieldPath
    value: dict[str, Any] | list[Any]
    key: str | None = None
    keep: bool = True


@dataclass(slots=True)
class _Builder:
    path: Path
    root: Any = None
    usable: bool = True
    lines: dict[FieldPath, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    unread: set[FieldPath] = field(default_factory=set)
    doubtful: dict[FieldPath, str] = field(default_factory=dict)
    open: list[_Open] = field(default_factory=list)
    nodes: int = 0
    documents: int = 0

    def read(self, text: str) -> None:
        loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            for event in yaml.parse(text, Loader=loader):
                refusal = self._take(event)
                if refusal:
                    self._give_up(event, refusal)
                    return
        except yaml.YAMLError as error:
            self.usable = False
            self.problems.append(_syntax(self.path, text, error))
            return
        if self.root is None:
            self._report(1, (), "the file is empty; write an incident or a topology into it")
            self.usable = False
        elif not isinstance(self.root, dict):
            self._report(1, (), 'the file must contain keys with values, such as "id: my-incident"')
            self.usable = False

    def _take(self, event: yaml.Event) -> str:
        """Process the next event; return a reason to stop reading, or an empty text."""
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                return "a second document starts here; use one per file"
        elif isinstance(event, yaml.CollectionEndEvent):
            self.open.pop()
        elif isinstance(event, yaml.NodeEvent):
            self.nodes += 1
            if self.nodes > MAX_NODES:
                return f"over {MAX_NODES} values; shorten the file"
            if len(self.open) >= MAX_DEPTH and isinstance(event, yaml.CollectionStartEvent):
                return f"nested deeper than {MAX_DEPTH}; flatten it"
            self._node(event)
        return ""

    def _node(self, event: yaml.NodeEvent) -> None:
        line = _line(event)
        top = self.open[-1] if self.open else None
        if top is not None and isinstance(top.value, dict) and top.key is None:
            self._key(top, top.value, event, line)
            return
        path: FieldPath = ()
        if top is not None:
            last = top.key if isinstance(top.value, dict) else len(top.value)
            path = (*top.path, last if last is not None else "")
            self.lines.setdefault(path, line)
        self._refuse_graph(event, path, line)
        if isinstance(event, yaml.MappingStartEvent):
            value: Any = {}
        elif isinstance(event, yaml.SequenceStartEvent):
            value = []
        elif isinstance(event, yaml.ScalarEvent):
            value = self._scalar(event, path, line)
        else:
            value = None
        self._put(top, value)
        if isinstance(value, dict | list):
            self.open.append(_Open(path, value))

    def _put(self, top: _Open | None, value: Any) -> None:
        if top is None:
            self.root = value
        elif isinstance(top.value, list):
            top.value.append(value)
        else:
            if top.keep:
                top.value[top.key or ""] = value
            top.key, top.keep = None, True

    def _key(self, top: _Open, mapping: dict[str, Any], event: yaml.NodeEvent, line: int) -> None:
        if not isinstance(event, yaml.ScalarEvent):
            self._report(line, top.path, "a key must be a word; put text with brackets in quotes")
            self.usable = False
            top.key, top.keep = "", False
            if isinstance(event, yaml.CollectionStartEvent):
                self.open.append(_Open(top.path, [] if _is_list(event) else {}))
            return
        name: str = event.value
        path = (*top.path, name)
        self._refuse_graph(event, path, line)
        if has_unsafe(name):
            self._report(line, path, _unsafe(name))
        top.key, top.keep = name, name not in mapping
        if name == "<<" and not event.style:
            self._report(line, path, "merge keys are not allowed; write the keys out")
            top.keep = False
        elif top.keep:
            self.lines[path] = line
        else:
            first = self.lines[path]
            self._report(line, path, f"the key is already on line {first}; keep one of them")

    def _refuse_graph(self, event: yaml.NodeEvent, path: FieldPath, line: int) -> None:
        if isinstance(event, yaml.AliasEvent):
            self._report(line, path, "aliases are not allowed; write the value out")
            self.usable = False
        elif event.anchor is not None:
            self._report(line, path, "anchors are not allowed; remove the '&' word")
        tag = getattr(event, "tag", None)
        if tag is not None:
            self._report(
                line, path, f"tags are not allowed; remove '{shown(tag)}', or quote the text"
            )
            self.usable = False

    def _scalar(self, event: yaml.ScalarEvent, path: FieldPath, line: int) -> Any:
        text: str = event.value
        if has_unsafe(text):
            self._report(line, path, _unsafe(text))
        if event.style:
            return text
        if text in _WORDS:
            return _WORDS[text]
        if len(text) > 400 and not text.lstrip("+-").isdigit():
            return text
        is_int = bool(_INT.fullmatch(text))
        if is_int or _RADIX.fullmatch(text):
            if len(text) <= _MAX_DIGITS:
                return int(text) if is_int else int(text, 0)
        elif _FLOAT.fullmatch(text):
            number = float(text)
            if abs(number) < 1e300:
                return number
        elif not _NO_NUMBER.fullmatch(text):
            if _DOUBTFUL.fullmatch(text):
                self.doubtful[path] = text
            return text
        self._report(line, path, f"{shown(text)} is out of range; use a smaller number")
        self.unread.add(path)
        return 0

    def _give_up(self, event: yaml.Event, message: str) -> None:
        self.usable = False
        path = self.open[-1].path if self.open else ()
        self._report(_line(event), path, message)

    def _report(self, line: int, path: FieldPath, message: str) -> None:
        self.problems.append(Problem(self.path, line, dotted(path), message))


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


def _is_list(event: yaml.CollectionStartEvent) -> bool:
    return isinstance(event, yaml.SequenceStartEvent)


def _syntax(path: Path, text: str, error: yaml.YAMLError) -> Problem:
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        what = error.problem or "the file ends too early"
    else:
        mark = None
        what = "a character that YAML does not allow"
    line = mark.line + 1 if mark else 1
    cure = next((cure for words, cure in _CURES if words in what), _CURE)
    last = text.rstrip("\n").count("\n") + 1
    return Problem(path, min(line, last), "", f"not valid YAML, {shown(what)}; {cure}")
