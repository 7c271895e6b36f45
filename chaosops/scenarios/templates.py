"""Templates in scenario files: variables, variants, and the texts that use them.

A choice is a hash of the file's stream key, the seed and the variable's name, so it is the same
in every process and on every Python, and adding a variable doesn't change the others.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chaosops.scenarios.problems import FieldPath, Wrong, instead, shown
from chaosops.scenarios.schema import Templates, Variable
from chaosops.scenarios.validation import validate

MAX_CHOICES = 100
"""The most variants, and choices of one variable, in a file."""

KEYS = ("variables", "variants")
"""The top-level keys that only templates have."""

Value = str | int | float

LITERAL_KEYS = ("id", "stream_key", "level", "topology", "failure_type", "canonical")
"""The top-level keys that are the same for every seed."""

_PART = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_VARIANT = "\0variant"


@dataclass(frozen=True, slots=True)
class Slot:
    """A text with variables in it; `parts` are literal text and, as 1-tuples, variables."""

    path: FieldPath
    parts: tuple[str | tuple[str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The variables that it uses, each once."""
        return tuple(dict.fromkeys(part[0] for part in self.parts if isinstance(part, tuple)))

    def fill(self, values: Mapping[str, Value]) -> Value:
        """Return the text; a single variable keeps its type."""
        first = self.parts[0] if self.parts else ""
        if len(self.parts) == 1 and isinstance(first, tuple):
            return values[first[0]]
        return "".join(
            str(values[part[0]]) if isinstance(part, tuple) else part for part in self.parts
        )


@dataclass(frozen=True, slots=True)
class Template:
    """A file's contents with slots for what the seed decides.

    Attributes:
        stream_key: The key for the choices, besides the seed.
        body: The contents as JSON, without `variables` and `variants`.
        slots: The texts to fill in.
        blind: Fields that can't be filled in because of a mistake.
    """

    stream_key: str
    body: str
    spec: Templates
    slots: tuple[Slot, ...]
    blind: frozenset[FieldPath] = frozenset()

    def is_blind(self, path: FieldPath) -> bool:
        """Whether a field can't be checked because it couldn't be filled in."""
        return any(path[:end] in self.blind for end in range(1, len(path) + 1))

    def choose(self, seed: int) -> dict[str, Value]:
        """Return the variables' values for a seed."""
        values = {name: self._pick(var, name, seed) for name, var in self.spec.variables.items()}
        if self.spec.variants:
            at = self._hash(_VARIANT, seed) % len(self.spec.variants)
            values.update(self.spec.variants[at])
        return values

    def samples(self) -> Iterator[dict[str, Value]]:
        """Yield samples that cover every variant, every choice, and both ends of a range.

        Their number is limited.
        """
        spec = self.spec
        rounds = max([1, len(spec.variants), *(len(_all(v)) for v in spec.variables.values())])
        for i in range(min(rounds, MAX_CHOICES)):
            values = self.choose(0)
            for name, variable in spec.variables.items():
                choices = _all(variable)
                if choices:
                    values[name] = choices[i % len(choices)]
            for j in reversed(range(len(spec.variants))):  # the one that counts comes last
                values.update(spec.variants[(i + j) % len(spec.variants)])
            yield values

    def fill(self, values: Mapping[str, Value]) -> dict[str, Any]:
        """Return the contents with the values filled in."""
        data: dict[str, Any] = json.loads(self.body)
        for slot in self.slots:
            node: Any = data
            for part in slot.path[:-1]:
                node = node[part]
            node[slot.path[-1]] = slot.fill(values)
        return data

    def _pick(self, variable: Variable, name: str, seed: int) -> Value:
        at = self._hash(name, seed)
        if variable.choices is not None:
            return variable.choices[at % len(variable.choices)]
        if variable.number is not None:
            low, high = variable.number
            return low + at % (high - low + 1)
        digits = (str(self._hash(f"{name}\0{i}", seed) % 10) for i in itertools.count())
        return re.sub("#", lambda _: next(digits), variable.id or "")

    def _hash(self, name: str, seed: int) -> int:
        key = f"{self.stream_key}\0{seed}\0{name}".encode("utf-8", "replace")
        return int.from_bytes(hashlib.sha256(key).digest(), "big")


def read_template(data: Mapping[str, Any]) -> tuple[Template, list[Wrong]]:
    """Return the template of a file's data, and its problems."""
    body = {key: value for key, value in data.items() if key not in KEYS}
    declared = {key: data[key] for key in KEYS if key in data}
    spec, wrong = validate(Templates, declared)
    if spec is not None:
        wrong += _check_spec(spec)
    names = _declared(declared)
    used: set[str] = set()
    slots: list[Slot] = []
    blind: set[FieldPath] = set()
    for path, value in list(_texts(body, (), names)):
        trouble = ""
        if isinstance(value, dict):
            name = next(iter(value))
            used.add(name)
            trouble = f'put "{{{name}}}" in quotes: without them it is a mapping'
        else:
            slot, trouble = _parse(path, value)
            used.update(slot.names)
            unknown = next((name for name in slot.names if name not in names), None)
            if path[0] in LITERAL_KEYS:
                trouble = trouble or "this must be the same for every seed; write the value"
            elif unknown is not None:
                trouble = trouble or f'no variable "{shown(unknown)}"; ' + _declare(unknown, names)
            if not trouble and spec is not None:
                slots.append(slot)
                continue
        blind.add(path)
        if trouble:
            wrong.append(Wrong(path, trouble))
    for name, path in names.items():
        if name not in used:
            wrong.append(Wrong(path, f'nothing uses "{shown(name)}"; use it or remove it'))
    key = data.get("stream_key") or data.get("id")
    return (
        Template(
            key if isinstance(key, str) else "",
            json.dumps(body),
            spec if spec is not None else Templates(),
            tuple(slots),
            frozenset(blind),
        ),
        wrong,
    )


def _all(variable: Variable) -> tuple[Value, ...]:
    return variable.choices or variable.number or ()


def _declare(name: str, names: Mapping[str, FieldPath]) -> str:
    return instead(name, names) if names else "declare it under 'variables'"


def _declared(declared: Mapping[str, Any]) -> dict[str, FieldPath]:
    """Return every name that a file declares and where, however broken the rest is."""
    names: dict[str, FieldPath] = {}
    variables = declared.get("variables")
    if isinstance(variables, dict):
        names.update({name: ("variables", name) for name in variables})
    variants = declared.get("variants")
    for i, variant in enumerate(variants if isinstance(variants, list) else ()):
        for name in variant if isinstance(variant, dict) else ():
            names.setdefault(name, ("variants", i, name))
    return names


def _check_spec(spec: Templates) -> Iterator[Wrong]:
    many = f"at most {MAX_CHOICES} are allowed; use fewer"
    if len(spec.variants) > MAX_CHOICES:
        yield Wrong(("variants",), many)
    keys = dict.fromkeys(name for variant in spec.variants[:MAX_CHOICES] for name in variant)
    for name, variable in spec.variables.items():
        if name in keys:
            yield Wrong(("variables", name), f'the variants have "{name}" too; rename one of them')
        choices = variable.choices or ()
        if len(choices) > MAX_CHOICES:
            yield Wrong(("variables", name, "choices"), many)
            continue
        for i, choice in enumerate(choices):
            yield from _check_value(("variables", name, "choices", i), choice)
        if variable.id is not None:
            yield from _check_value(("variables", name, "id"), variable.id)
            if "#" not in variable.id:
                yield Wrong(
                    ("variables", name, "id"), "an id needs '#' for each random digit; add some"
                )
    for i, variant in enumerate(spec.variants[:MAX_CHOICES]):
        for name, value in variant.items():
            yield from _check_value(("variants", i, name), value)
        for name in keys:
            if name not in variant:
                words = f'this variant has no "{name}"; all variants need the same keys'
                yield Wrong(("variants", i), words)


def _check_value(path: FieldPath, value: Value) -> Iterator[Wrong]:
    if isinstance(value, str) and _PART.search(value):
        yield Wrong(path, "a value is used as it is and can't contain '{' or '}'; remove them")


def _texts(
    node: Any, path: FieldPath, names: Mapping[str, FieldPath]
) -> Iterator[tuple[FieldPath, Any]]:
    """Yield every text with a brace in it, and every unquoted `{name}`."""
    if isinstance(node, dict):
        if len(node) == 1 and path:
            ((name, value),) = node.items()
            if value is None and name in names:
                yield path, node
                return
        for key, value in node.items():
            yield from _texts(value, (*path, key), names)
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from _texts(value, (*path, i), names)
    elif isinstance(node, str) and ("{" in node or "}" in node):
        yield path, node


def _parse(path: FieldPath, text: str) -> tuple[Slot, str]:
    pieces: list[str | tuple[str]] = []
    trouble = ""
    at = 0
    for match in _PART.finditer(text):
        pieces.append(text[at : match.start()])
        at = match.end()
        if match[1] is None:
            pieces.append(match[0][0])
            if len(match[0]) == 1:
                trouble = f"a '{match[0]}' is unpaired; write '{match[0] * 2}' for a brace"
        elif _NAME.fullmatch(match[1]):
            pieces.append((match[1],))
        else:
            trouble = f"'{shown(match[0])}' is not a variable; write '{{{{' for a brace"
    pieces.append(text[at:])
    return Slot(path, tuple(piece for piece in pieces if piece)), trouble
