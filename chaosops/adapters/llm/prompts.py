"""What a model is asked in a turn, and the action in its answer, for each mode."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from chaosops.adapters.llm.client import ChatReply, ToolCall
from chaosops.adapters.llm.settings import ModelMode
from chaosops.agents.candidates import Candidate
from chaosops.env.models import ChaosOpsObservation, RoleView
from chaosops.text import (
    ActionTextError,
    parse_action,
    render_compact,
    render_compact_rules,
    render_observation,
    render_rules,
)
from chaosops.text.answers import read_answer
from chaosops.text.schemas import JsonSchema, action_schema, action_tools, read_call

_REASON: Final = "why, in one short sentence"
_ADDED: Final = {
    ModelMode.SCHEMA: f'Here, put it into {{"reason":"{_REASON}","action":{{...}}}}.',
    ModelMode.TOOLS: "Here, call exactly one tool instead of writing JSON: the tool is the verb.",
    ModelMode.TEXT: "",
}
_PLACES: Final = ("first", "second", "third")
"""The keys of the candidates in an answer that may hold several."""

_OFFERED: Final = (
    "Here, you are the copilot of the person in this seat, who decides. Offer one to three "
    "different actions, the best first"
)
_FORM: Final = (
    f'{_OFFERED}: {{"first":{{"reason":"{_REASON}","action":{{...}}}},"second":the same or null,'
    '"third":the same or null}.'
)
_OFFERS: Final = {
    ModelMode.SCHEMA: _FORM,
    ModelMode.TOOLS: f"{_OFFERED}: instead of writing JSON, call a tool for each; the tool is the "
    "verb.",
    ModelMode.TEXT: _FORM,
}


class ModelAnswer(NamedTuple):
    """What is in an answer.

    Attributes:
        candidates: The valid actions with their reasons, the best first.
        problem: What is wrong with the others, or why there is none; empty if nothing is.
    """

    candidates: tuple[Candidate, ...]
    problem: str = ""


def first_messages(
    observation: ChaosOpsObservation,
    mode: ModelMode,
    *,
    several: bool = False,
    compact: bool = False,
) -> list[dict[str, str]]:
    """Return the messages that begin a turn: the rules, and what the role sees.

    Args:
        several: Whether the model may offer several candidates.
        compact: Whether what matters most, in about a thousand tokens, is enough.
    """
    rules, seen = (
        (render_compact_rules, render_compact) if compact else (render_rules, render_observation)
    )
    added = (_OFFERS if several else _ADDED)[mode]
    return [
        {
            "role": "system",
            "content": "\n".join(filter(None, (rules(observation.view.role), added))),
        },
        {"role": "user", "content": seen(observation)},
    ]


def repair_messages(
    reply: ChatReply, problem: str, *, several: bool = False
) -> list[dict[str, str]]:
    """Return the messages that send an answer back."""
    said = reply.text or " ".join(f"{call.name}({call.arguments})" for call in reply.calls)
    asked = f"That is no action: {problem} Answer again."
    if several:
        asked = f"That is no valid answer: {problem} Offer one to three actions again."
    return [
        {"role": "assistant", "content": said[:8_000]},
        {"role": "user", "content": asked},
    ]


def answer_form(view: RoleView, mode: ModelMode, *, several: bool = False) -> dict[str, Any]:
    """Return the part of a request that says in which form the model answers."""
    if mode is ModelMode.SCHEMA:
        schema = _offer_schema(view) if several else _turn_schema(view)
        form = {"name": "turn", "strict": True, "schema": schema}
        return {"response_format": {"type": "json_schema", "json_schema": form}}
    if mode is ModelMode.TOOLS:
        return {"tools": [_with_reason(tool) for tool in action_tools(view)]} | {
            "tool_choice": "required"
        }
    return {}


def answer_in(reply: ChatReply, view: RoleView, *, several: bool = False) -> ModelAnswer:
    """Return the actions in an answer, whatever the mode: tool calls, or JSON in the text.

    Args:
        several: Whether it may hold several candidates. If not, the first of an answer that has
            them in their order counts, and different ones without an order are a problem.
    """
    if reply.calls:
        return _called(reply.calls, view, several=several)
    found = read_answer(reply.text).objects
    listed = [_listed(each) for each in found]
    distinct = [each for i, each in enumerate(listed) if each not in listed[:i]]
    # Anything else is left to the parser, which says what is wrong with it.
    if not distinct or not all(distinct) or (len(distinct) > 1 and not several):
        return _checked([lambda: Candidate(parse_action(reply.text, view))], names_places=False)
    made = [each for candidates in distinct for each in candidates]
    return _checked(
        [partial(_written, each, view) for each in (made if several else made[:1])],
        names_places=several and len(made) > 1,
    )


def _checked(readers: Sequence[Callable[[], Candidate]], *, names_places: bool) -> ModelAnswer:
    """Read candidates, as far as they are valid.

    Args:
        names_places: Whether a problem says which of the candidates has it.
    """
    candidates: list[Candidate] = []
    problems: list[str] = []
    for place, read in zip(_PLACES, readers, strict=False):
        try:
            candidates.append(read())
        except ActionTextError as error:
            problems.append(f"the {place} one: {error}" if names_places else str(error))
    if len(readers) > len(_PLACES):
        problems.append(f"there are {len(readers)} actions: offer {len(_PLACES)} at most.")
    return ModelAnswer(tuple(candidates), " ".join(problems))


def _written(found: dict[str, Any], view: RoleView) -> Candidate:
    """Read a candidate of a text: an action beside its reason, or alone."""
    reason = found.get("reason")
    action = parse_action(json.dumps(_unwrapped(found)), view)
    return Candidate(action, reason if isinstance(reason, str) else "")


def _listed(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the candidates of an object: itself, or those in it; none if it is neither."""
    if _unwrapped(found) is not None:
        return [found]
    if not set(found) <= set(_PLACES):
        return []
    inside = [found[place] for place in _PLACES if found.get(place) is not None]
    whole = [each for each in inside if isinstance(each, dict) and _unwrapped(each) is not None]
    return whole if len(whole) == len(inside) else []


def _turn_schema(view: RoleView) -> JsonSchema:
    schema, shared = _candidate_schema(view)
    return {**schema, "$defs": shared} if shared else schema


def _offer_schema(view: RoleView) -> JsonSchema:
    """Return the schema of one to three candidates, which needs no bounds of a list."""
    candidate, shared = _candidate_schema(view)
    one: JsonSchema = {"$ref": "#/$defs/candidate"}
    properties = {place: {"anyOf": [one, {"type": "null"}]} for place in _PLACES}
    return {
        "type": "object",
        "properties": {**properties, _PLACES[0]: one},
        "required": list(_PLACES),
        "additionalProperties": False,
        "$defs": {**shared, "candidate": candidate},
    }


def _candidate_schema(view: RoleView) -> tuple[JsonSchema, JsonSchema]:
    """Return the schema of an action with its reason, and the definitions that it refers to."""
    action = action_schema(view, strict=True)
    shared = action.pop("$defs", {})
    schema: JsonSchema = {
        "type": "object",
        "properties": {"reason": {"type": "string"}, "action": action},
        "required": ["reason", "action"],
        "additionalProperties": False,
    }
    return schema, shared


def _with_reason(tool: JsonSchema) -> JsonSchema:
    function = tool["function"]
    parameters = function["parameters"]
    properties = {"reason": {"type": "string", "description": _REASON}, **parameters["properties"]}
    return {
        **tool,
        "function": {**function, "parameters": {**parameters, "properties": properties}},
    }


def _unwrapped(found: dict[str, Any]) -> dict[str, Any] | None:
    """Return the action beside its reason, without the arguments that are not used."""
    if "action_type" in found:
        return found
    action = found.get("action")
    if not isinstance(action, dict) or not set(found) <= {"reason", "action"}:
        return None
    return _without_nulls(action)


def _without_nulls(action: dict[str, Any]) -> dict[str, Any]:
    args = action.get("args")
    if not isinstance(args, dict):
        return action
    used = {name: value for name, value in args.items() if value is not None}
    if isinstance(used.get("proposal"), dict):
        used["proposal"] = _without_nulls(used["proposal"])
    return {**action, "args": used}


def _called(calls: tuple[ToolCall, ...], view: RoleView, *, several: bool) -> ModelAnswer:
    distinct = tuple(dict.fromkeys(calls))
    if len(distinct) > 1 and not several:
        return ModelAnswer((), f"there are {len(calls)} different tool calls: call one.")
    readers = [partial(_call, call, view) for call in distinct]
    return _checked(readers, names_places=len(distinct) > 1)


def _call(call: ToolCall, view: RoleView) -> Candidate:
    name, text = call
    reason = ""
    try:
        given: Any = json.loads(text or "{}")
    except (ValueError, RecursionError):
        given = text
    if isinstance(given, dict):
        said = given.pop("reason", "")
        reason = said if isinstance(said, str) else ""
        target = given.pop("target", None)
        given = {"target": target, **_without_nulls({"args": given})["args"]}
    return Candidate(read_call(name, given, view), reason)
