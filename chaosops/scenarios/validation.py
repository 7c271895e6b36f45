"""Validates files with pydantic, and words the problems with their fixes.

Data is checked in strict JSON mode: text is never a number, nor a number text.
"""

from __future__ import annotations

import json
import re
import types
from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, PydanticSerializationError, to_json

from chaosops.scenarios.problems import MAX_PROBLEMS, MORE, FieldPath, Wrong, instead, shown

M = TypeVar("M", bound=BaseModel)

_KINDS = {"int": "a whole number", "float": "a number", "str": "text", "bool": "true or false"}
_WRONG_KIND = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "keys with values",
    "model_type": "keys with values",
    "model_attributes_type": "keys with values",
}
_BOUNDS = {
    "greater_than": ("more than", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("less than", "lt"),
    "less_than_equal": ("at most", "le"),
}
_PLACE = re.compile(r"([a-z_]+(?:\.[A-Za-z0-9_-]+)*): (.+)", re.DOTALL)
_TAG = "kind"
"""The key by which one of several models is chosen."""

_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?")


def validate(
    model: type[M], data: Any, more_keys: Collection[str] = ()
) -> tuple[M | None, list[Wrong]]:
    """Check data against a model.

    Args:
        data: The data of a file.
        more_keys: Top-level keys that are allowed in addition to those of the model.

    Returns:
        The model or None, and the problems.
    """
    try:
        return model.model_validate_json(_as_json(data), strict=True), []
    except ValidationError as error:
        found = error.errors(include_url=False)
    problems = list(_in_words(model, data, found[:MAX_PROBLEMS], more_keys))
    if len(found) > MAX_PROBLEMS:
        path, _rest = _locate(data, found[MAX_PROBLEMS]["loc"])
        problems.append(Wrong(path, MORE))
    return None, problems


def _as_json(data: Any) -> bytes | str:
    """Return the data as JSON text, with lone surrogates, which are reported later."""
    try:
        return to_json(data)
    except PydanticSerializationError:
        return json.dumps(data)


def _in_words(
    model: type[BaseModel], data: Any, errors: list[ErrorDetails], more_keys: Collection[str]
) -> Iterator[Wrong]:
    unions: dict[FieldPath, list[str]] = {}
    for error in errors:
        path, rest = _locate(data, error["loc"])
        kind = error["type"]
        if kind == "missing":
            yield Wrong((*path, error["loc"][-1]), _missing(error["loc"][-1]))
        elif rest and rest[0] == "[key]":
            yield Wrong(path, _said(error, path[-1], is_key=True))
        elif rest and not (isinstance(_at(data, path), dict) and _is_model(rest[0])):
            unions.setdefault(path, []).append(str(rest[0]))
        elif kind == "extra_forbidden":
            name = str(path[-1])
            tag = _at(data, path[:-1]).get(_TAG)
            known = [*_known_keys(model, path[:-1], tag), *(more_keys if len(path) == 1 else ())]
            cure = instead(name, known)
            if error["input"] is None and not cure.startswith("did you mean"):
                cure = "text with a comma needs quotes inside { }"
            yield Wrong(path, f'unknown key "{shown(name)}"; {cure}')
        elif kind == "too_short" and len(error["input"]) >= error["ctx"]["min_length"]:
            continue  # pydantic counts only the items that are fine
        elif kind == "value_error":
            yield _placed(data, path, str(error["ctx"]["error"]))
        else:
            yield Wrong(path, _said(error, error["input"]))
    for path, tags in unions.items():
        kinds = dict.fromkeys(_KINDS.get(tag, "keys with values") for tag in tags)
        value = _at(data, path)
        yield Wrong(path, f"this must be {_either(list(kinds))}, not {_described(value)}")


def _locate(data: Any, loc: tuple[int | str, ...]) -> tuple[FieldPath, tuple[int | str, ...]]:
    """Split pydantic's location into a path through the data and the rest."""
    path: list[str | int] = []
    for i, part in enumerate(loc):
        inside = (isinstance(data, dict) and part in data) or (
            isinstance(data, list) and isinstance(part, int) and 0 <= part < len(data)
        )
        if inside:
            data = data[part]
            path.append(part)
        elif not (isinstance(data, dict) and (_is_model(part) or data.get(_TAG) == part)):
            return tuple(path), loc[i:]
    return tuple(path), ()


def _is_model(tag: int | str) -> bool:
    return isinstance(tag, str) and tag[:1].isupper()


def _at(data: Any, path: FieldPath) -> Any:
    for part in path:
        data = data[part]
    return data


def _missing(name: int | str) -> str:
    return f'required key "{name}" is missing; add it here'


def _placed(data: Any, path: FieldPath, text: str) -> Wrong:
    """Place a validator's message at the field that its first words name."""
    match = _PLACE.fullmatch(text)
    if match is None:
        return Wrong(path, shown(text, 400), True)
    parts = [int(part) if part.isdecimal() else part for part in match[1].split(".")]
    inner, rest = _locate(_at(data, path), tuple(parts))
    if not inner:
        return Wrong(path, shown(text, 400), True)
    return Wrong((*path, *inner), shown(text if rest else match[2], 400), True)


def _said(error: ErrorDetails, value: Any, is_key: bool = False) -> str:
    kind, ctx = error["type"], error.get("ctx", {})
    if kind in _WRONG_KIND:
        return _wrong_kind(_WRONG_KIND[kind], value)
    if kind == "union_tag_not_found":
        return f'required key "{_TAG}" is missing; add it here'
    if kind == "union_tag_invalid":
        named = re.findall(r"'([^']*)'", str(ctx["expected_tags"]))
        return f'there is no {_TAG} "{shown(str(ctx["tag"]))}"; {instead(str(ctx["tag"]), named)}'
    if kind == "enum":
        choices = re.findall(r"'([^']*)'", str(ctx["expected"]))
        if not isinstance(value, str):
            return f"this must be one of: {', '.join(choices)}; not {_described(value)}"
        return f'"{shown(value)}" is not allowed here; {instead(value, choices)}'
    if kind in _BOUNDS:
        words, key = _BOUNDS[kind]
        return f"this must be {words} {_number(ctx[key])}, not {_number(value)}"
    if kind == "string_pattern_mismatch":
        what = "key" if is_key else "name"
        return (
            f'"{shown(str(value))}" is not a valid {what}: start with a lower-case letter, then use'
            " up to 39 lower-case letters, digits, '-' and '_'"
        )
    if kind == "string_too_short":
        return "this text is empty; fill it in or remove the key"
    if kind == "string_too_long":
        return f"this text has {len(value)} characters; {ctx['max_length']} at most"
    if kind == "too_short":
        return f"this needs {ctx['min_length']} or more, and has {ctx['actual_length']}"
    if kind == "too_long":
        return f"this may have {ctx['max_length']} at most, and has more"
    return shown(error["msg"][0].lower() + error["msg"][1:], 200)


def _wrong_kind(want: str, value: Any) -> str:
    if want == "text" and isinstance(value, int | float | bool):
        written = f': "{value}"' if type(value) is int else ""
        return f"YAML doesn't read this as text; put it in quotes{written}"
    if value is None:
        return f"the value is missing; write {want} here, or remove the key"
    if isinstance(value, str) and "number" in want and _NUMBER.fullmatch(value):
        bare = value.lstrip("+0") or "0"
        return f"this must be {want}: write {shown(bare)}, without quotes or leading zeros"
    return f"this must be {want}, not {_described(value)}"


def _described(value: Any) -> str:
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, str):
        return f'the text "{shown(value)}"'
    return "a list" if isinstance(value, list) else "keys with values"


def _number(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float) else shown(str(value))


def _either(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _known_keys(model: type[BaseModel], path: FieldPath, tag: object) -> list[str]:
    """Return the keys of the models at a path; where a tag chooses one of them, only its keys."""
    kinds: list[Any] = [model]
    for part in path:
        kinds = [inner for kind in kinds for inner in _inside(kind, part)]
    models = [option for kind in kinds for option in _options(kind) if _is_model_class(option)]
    chosen = [
        option
        for option in models
        if _TAG in option.model_fields and tag in get_args(option.model_fields[_TAG].annotation)
    ]
    return [name for option in chosen or models for name in option.model_fields]


def _inside(kind: Any, part: str | int) -> Iterator[Any]:
    for option in _options(kind):
        if _is_model_class(option):
            if part in option.model_fields:
                yield option.model_fields[part].annotation
        elif isinstance(part, int):
            yield from get_args(option)[:1]
        elif get_origin(option) in (dict, Mapping):
            yield get_args(option)[1]


def _options(kind: Any) -> Iterator[Any]:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        for option in get_args(kind):
            yield from _options(option)
    elif origin is Annotated:
        yield from _options(get_args(kind)[0])
    else:
        yield kind


def _is_model_class(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
