"""What a model is asked in a turn, and the action in its answer, for each mode."""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

from chaosops.adapters.llm.client import ChatReply, ToolCall
from chaosops.adapters.llm.settings import ModelMode
from chaosops.env.models import ChaosOpsAction, ChaosOpsObservation, RoleView
from chaosops.text import ActionTextError, parse_action, render_observation, render_rules
from chaosops.text.answers import read_answer
from chaosops.text.schemas import JsonSchema, action_schema, action_tools, read_call

_REASON: Final = "why, in one short sentence"
_ADDED: Final = {
    ModelMode.SCHEMA: f'Here, put it into {{"reason":"{_REASON}","action":{{...}}}}.',
    ModelMode.TOOLS: "Here, call exactly one tool instead of writing JSON: the tool is the verb.",
    ModelMode.TEXT: "",
}


class Decision(NamedTuple):
    """An action, and the reason that the model gave with it; empty if it gave none."""

    action: ChaosOpsAction
    reason: str = ""


def first_messages(observation: ChaosOpsObservation, mode: ModelMode) -> list[dict[str, str]]:
    """Return the messages that begin a turn: the rules, and what the role sees."""
    rules = "\n".join(filter(None, (render_rules(observation.view.role), _ADDED[mode])))
    return [
        {"role": "system", "content": rules},
        {"role": "user", "content": render_observation(observation)},
    ]


def repair_messages(reply: ChatReply, problem: str) -> list[dict[str, str]]:
    """Return the messages that send an answer back."""
    said = reply.text or " ".join(f"{call.name}({call.arguments})" for call in reply.calls)
    return [
        {"role": "assistant", "content": said[:8_000]},
        {"role": "user", "content": f"That is no action: {problem} Answer again."},
    ]


def answer_form(view: RoleView, mode: ModelMode) -> dict[str, Any]:
    """Return the part of a request that says in which form the model answers."""
    if mode is ModelMode.SCHEMA:
        form = {"name": "turn", "strict": True, "schema": _turn_schema(view)}
        return {"response_format": {"type": "json_schema", "json_schema": form}}
    if mode is ModelMode.TOOLS:
        return {"tools": [_with_reason(tool) for tool in action_tools(view)]} | {
            "tool_choice": "required"
        }
    return {}


def decision_in(reply: ChatReply, view: RoleView) -> Decision:
    """Return the action in an answer, whatever the mode: a tool call, or JSON in the text.

    Raises:
        ActionTextError: There is none, or more than one, or none that the role may take.
    """
    if reply.calls:
        return _called(reply.calls, view)
    found = read_answer(reply.text).objects
    inner = [_unwrapped(each) for each in found]
    first = inner[0] if inner else None
    # Anything else is left to the parser, which says what is wrong with it.
    if first is None or any(other != first for other in inner):
        return Decision(parse_action(reply.text, view))
    reason = found[0].get("reason")
    action = parse_action(json.dumps(first), view)
    return Decision(action, reason if isinstance(reason, str) else "")


def _turn_schema(view: RoleView) -> JsonSchema:
    action = action_schema(view, strict=True)
    shared = action.pop("$defs", None)
    schema: JsonSchema = {
        "type": "object",
        "properties": {"reason": {"type": "string"}, "action": action},
        "required": ["reason", "action"],
        "additionalProperties": False,
    }
    return schema if shared is None else {**schema, "$defs": shared}


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


def _called(calls: tuple[ToolCall, ...], view: RoleView) -> Decision:
    if any(call != calls[0] for call in calls[1:]):
        raise ActionTextError(f"there are {len(calls)} different tool calls: call one.")
    name, text = calls[0]
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
    return Decision(read_call(name, given, view), reason)
