"""What a role may do now as JSON Schema and as tool definitions, for language models.

All of it follows from `view.allowed`. An action that fits the schema is one that `parse_action`
accepts; the environment checks the target of a proposal, which the role need not know, and whether
the target of a move has the one instance that it is for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from chaosops.env.models import (
    MAX_LINE,
    MAX_TEXT,
    SAY,
    TURN_ORDER,
    ActionType,
    AgentRole,
    ArgumentChoice,
    ChaosOpsAction,
    RoleView,
    VerbChoice,
)
from chaosops.env.models.roles import ROLES
from chaosops.env.models.scope import INSTANCE, LONGEST_NAME, MOST_INSTANCES, SCOPED
from chaosops.env.models.verb_spec import TargetKind
from chaosops.env.models.verbs import AGENT_VERBS, ALL_CAUSES, VERBS
from chaosops.text.actions import ActionTextError, parse_action, to_json

JsonSchema = dict[str, Any]

_EVERYONE: Final = "all"
_INSTANCES_LISTED: Final = 12
"""How many instances can be named by their numbers where bounds can't be described."""
_COMMUNICATE: Final = ActionType.COMMUNICATE
_ASSIGN: Final = ActionType.ASSIGN


def action_schema(view: RoleView, *, strict: bool = False) -> JsonSchema:
    """Return the JSON Schema of every action that the role may take now.

    An action has the keys that `render_action` writes: `action_type`, `target` and `args`.

    Args:
        strict: Whether each optional argument has to be written, as null if it is not used, and
            nothing but the structure is described. Servers that hold a model to a schema may
            know no more.
    """
    return _Writer(view, strict=strict).schema()


def action_tools(view: RoleView) -> list[JsonSchema]:
    """Return a tool definition for each verb that the role may use now.

    They have the form of the OpenAI chat API: `{"type": "function", "function": {"name": ...,
    "description": ..., "parameters": ...}}`. The arguments of a call are the verb's target, if it
    takes one, and its arguments; `read_call` makes the action.
    """
    writer = _Writer(view, strict=False)
    return [
        {
            "type": "function",
            "function": {
                "name": choice.action_type.value,
                "description": _description(choice),
                "parameters": writer.parameters(choice),
            },
        }
        for choice in view.allowed
    ]


def read_call(name: str, arguments: str | Mapping[str, Any], view: RoleView) -> ChaosOpsAction:
    """Return the action of a tool call, checked like that of a text.

    Args:
        arguments: An object, or its JSON text.

    Raises:
        ActionTextError: It is no action that the role may take.
    """
    given: Any = arguments
    if isinstance(arguments, str):
        try:
            given = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            raise ActionTextError(f"the arguments of {name[:60]} are no JSON object.") from None
    if not isinstance(given, Mapping):
        raise ActionTextError(f"the arguments of {name[:60]} are no JSON object.")
    args = dict(given)
    target = args.pop("target", None)
    return parse_action(to_json({"action_type": name, "target": target, "args": args}), view)


def _description(choice: VerbChoice) -> str:
    """Describe a verb in a line: what it is, and when it lands."""
    spec = VERBS[choice.action_type]
    low, high = choice.minutes
    lands = f"; lands in {low} min" if low == high else f"; lands in {low} to {high} min"
    name = spec.label or choice.action_type.words
    return f"{name} ({choice.group}{lands if high else ''}); {spec.audience}"


class _Writer:
    """Writes the schemas of one view."""

    def __init__(self, view: RoleView, *, strict: bool) -> None:
        self._view, self._strict = view, strict
        self._shared: dict[str, JsonSchema] = {}

    def schema(self) -> JsonSchema:
        """Return the schema of the action."""
        groups: dict[str, tuple[JsonSchema, list[str], JsonSchema]] = {}
        for choice in self._view.allowed:
            for target, own in self._forms(choice):
                args = self._with_line(choice, self._with_scope(choice, own))
                # Verbs that take the same are one alternative, which keeps the schema short.
                key = json.dumps([target, args])
                groups.setdefault(key, (target, [], args))[1].append(choice.action_type.value)
        whole: JsonSchema = {"anyOf": [_action(*group) for group in groups.values()]}
        return {**whole, "$defs": self._shared} if self._shared else whole

    def parameters(self, choice: VerbChoice) -> JsonSchema:
        """Return the schema of a tool call's arguments."""
        properties: dict[str, JsonSchema] = {}
        required: list[str] = []
        if choice.targets:
            properties["target"] = _text(choice.targets)
            required.append("target")
        for argument in choice.arguments:
            if argument.name == "finding" and not self._view.findings:
                continue
            is_proposal = argument.name == "proposal" and not argument.choices
            properties[argument.name] = (
                self._any_proposal() if is_proposal else self._value(argument, None)
            )
            if argument.required:
                required.append(argument.name)
        own = self._with_scope(choice, _object(properties, required))
        return self._with_line(choice, own, with_proposals=False)

    def _with_scope(self, choice: VerbChoice, args: JsonSchema) -> JsonSchema:
        """Return arguments that may also name one instance."""
        if choice.action_type not in SCOPED:
            return args
        if self._strict:
            numbers = range(1, _INSTANCES_LISTED + 1)
            one: JsonSchema = {"type": ["integer", "null"], "enum": [*numbers, None]}
        else:
            number = {"type": "integer", "minimum": 1, "maximum": MOST_INSTANCES}
            name = {"type": "string", "maxLength": LONGEST_NAME, "pattern": r"\S"}
            one = {"anyOf": [number, name, {"type": "null"}]}
        required = [*args["required"], *([INSTANCE] if self._strict else ())]
        return _object({**args["properties"], INSTANCE: one}, required)

    def _with_line(
        self, choice: VerbChoice, args: JsonSchema, *, with_proposals: bool = True
    ) -> JsonSchema:
        """Return arguments that may also carry a line.

        Args:
            with_proposals: Whether proposals are described by reference, which tools can't.
        """
        look = choice.action_type is ActionType.INVESTIGATE
        findings = len(self._view.findings) + look
        line: JsonSchema = {"anyOf": list(self._lines(findings, with_proposals=with_proposals))}
        if with_proposals:
            name = "line_with_a_look" if look else "line"
            self._shared[name] = line
            line = {"$ref": f"#/$defs/{name}"}
        required = [*args["required"], *([SAY] if self._strict else ())]
        return _object({**args["properties"], SAY: _or_null(line)}, required)

    def _lines(self, findings: int, *, with_proposals: bool) -> Iterator[JsonSchema]:
        """Yield what a line can be: words, a finding, or a proposal to one role."""
        others = [role for role in TURN_ORDER if role is not self._view.role]
        to = _text((_EVERYONE, *(role.value for role in others)))
        words: JsonSchema = {"type": "string"}
        if not self._strict:
            words |= {"maxLength": MAX_LINE, "pattern": r"\S"}
        yield _object({"to": _or_null(to), "text": words}, self._needed("text"))
        if findings:
            number = {"type": "integer", "enum": list(range(findings))}
            yield _object({"to": _or_null(to), "finding": number}, self._needed("finding"))
        for role in others:
            asked = self._proposal(role) if with_proposals else self._any_proposal((role,))
            proposal = {"to": _text((role.value,)), "proposal": asked}
            yield _object(proposal, ["to", "proposal"])

    def _needed(self, name: str) -> list[str]:
        return ["to", name] if self._strict else [name]

    def _any_proposal(self, roles: Sequence[AgentRole] = TURN_ORDER) -> JsonSchema:
        """Return the schema of a proposal to any of some roles, in few words."""
        verbs = dict.fromkeys(
            verb.value
            for role in roles
            if role is not self._view.role
            for verb in ROLES[role].verbs
            if VERBS[verb].can_be_proposed
        )
        properties: dict[str, JsonSchema] = {
            "action_type": _text(tuple(verbs)),
            "target": {"type": ["string", "null"]},
            "args": {"type": "object"},
        }
        return {"type": "object", "properties": properties, "required": ["action_type"]}

    def _forms(self, choice: VerbChoice) -> Iterator[tuple[JsonSchema, JsonSchema]]:
        """Yield the targets and arguments of a verb; several if one depends on the other."""
        target = _text(choice.targets) if choice.targets else {"type": "null"}
        if choice.action_type is _ASSIGN:
            for name in choice.targets:
                yield _text((name,)), self._arguments(choice.arguments, AgentRole(name))
        elif choice.action_type is _COMMUNICATE:
            for args in self._messages(choice.arguments):
                yield target, args
        else:
            yield target, self._arguments(choice.arguments)

    def _messages(self, arguments: Sequence[ArgumentChoice]) -> Iterator[JsonSchema]:
        """Yield what a message can be: words, a finding, or a proposal to one role."""
        by_name = {argument.name: argument for argument in arguments}
        words, proposal = by_name.pop("text", None), by_name.pop("proposal", None)
        finding = by_name.pop("finding", None) if self._view.findings else None
        by_name.pop("finding", None)
        rest = tuple(by_name.values())
        attached = () if finding is None else (finding,)
        if words is not None:
            yield self._arguments((words._replace(required=True), *rest))
        if finding is not None:
            said = () if words is None else (words,)
            yield self._arguments((finding._replace(required=True), *said, *rest))
        receivers = by_name.get("to")
        if proposal is None or receivers is None:
            return
        for role in self._roles_of(receivers):
            to = ArgumentChoice("to", (role.value,), True)
            others = tuple(argument for argument in rest if argument.name != "to")
            said = () if words is None else (words,)
            asked = (to, proposal._replace(required=True), *said, *attached, *others)
            yield self._arguments(asked, role)

    def _roles_of(self, receivers: ArgumentChoice) -> list[AgentRole]:
        return [AgentRole(str(name)) for name in receivers.choices if name != _EVERYONE]

    def _arguments(
        self, arguments: Sequence[ArgumentChoice], role: AgentRole | None = None
    ) -> JsonSchema:
        properties: dict[str, JsonSchema] = {}
        for argument in arguments:
            value = self._value(argument, role)
            properties[argument.name] = value if argument.required else _or_null(value)
        required = [each.name for each in arguments if each.required or self._strict]
        return _object(properties, required)

    def _value(self, argument: ArgumentChoice, role: AgentRole | None) -> JsonSchema:
        if argument.choices:
            return _choice(argument.choices)
        if argument.name == "proposal" and role is not None:
            return self._proposal(role)
        if argument.name == "finding":
            return {"type": "integer", "enum": list(range(len(self._view.findings)))}
        if self._strict:
            return {"type": "string"}
        needed = {"pattern": r"\S"} if argument.required else {}
        return {"type": "string", "maxLength": MAX_TEXT, **needed}

    def _proposal(self, role: AgentRole) -> JsonSchema:
        """Return a reference to what the role can be asked for."""
        if role.value not in self._shared:
            self._shared[role.value] = {"anyOf": list(self._asked(role))}
        return {"$ref": f"#/$defs/{role.value}"}

    def _asked(self, role: AgentRole) -> Iterator[JsonSchema]:
        groups: dict[str, tuple[JsonSchema, list[str], JsonSchema]] = {}
        for verb in ROLES[role].verbs:
            if not VERBS[verb].can_be_proposed:
                continue
            target, args = self._asked_target(role, verb), self._asked_arguments(role, verb)
            key = json.dumps([target, args])
            groups.setdefault(key, (target, [], args))[1].append(verb.value)
        for group in groups.values():
            asked = _action(*group)
            if not self._strict:
                known = dict.fromkeys((*ALL_CAUSES, *self._causes()))
                causes = {"type": ["string", "null"], "enum": [*known, None]}
                self._shared.setdefault("cause", causes)
                # What is empty may be left out, as in the proposals of the built-in policies.
                asked["required"] = [
                    name
                    for name, is_empty in (
                        ("action_type", False),
                        ("target", group[0] == {"type": "null"}),
                        ("args", not group[2]["required"]),
                    )
                    if not is_empty
                ]
                asked["properties"]["cause"] = {"$ref": "#/$defs/cause"}
            yield asked

    def _asked_target(self, role: AgentRole, verb: ActionType) -> JsonSchema:
        spec = VERBS[verb]
        if spec.target is TargetKind.NOTHING:
            return {"type": "null"}
        if verb in AGENT_VERBS or (spec.target is TargetKind.ANY and role is AgentRole.OVERSIGHT):
            return _text(self._view.agents) if self._view.agents else {"type": "string"}
        nodes = self._view.graph
        if spec.target is TargetKind.ENTRY:
            called = {name for node in nodes for name in node.calls}
            # Users come in where no service calls.
            names = [node.name for node in nodes if node.name not in called]
        else:
            names = [node.name for node in nodes if not spec.kinds or node.kind in spec.kinds]
        return _text(names) if names else {"type": "string"}

    def _asked_arguments(self, role: AgentRole, verb: ActionType) -> JsonSchema:
        arguments = VERBS[verb].arguments
        if verb is ActionType.INVESTIGATE:
            sources = tuple(source.value for source in ROLES[role].sources)
            arguments = (ArgumentChoice("source", sources, True),)
        elif verb is ActionType.DIAGNOSE:
            arguments = (ArgumentChoice("cause", self._causes(), True),)
        return self._arguments(arguments)

    def _causes(self) -> tuple[str | int, ...]:
        for choice in self._view.allowed:
            if choice.action_type is ActionType.DIAGNOSE:
                return next(each.choices for each in choice.arguments if each.name == "cause")
        return ALL_CAUSES


def _action(target: JsonSchema, verbs: list[str], args: JsonSchema) -> JsonSchema:
    properties = {"action_type": _text(verbs), "target": target, "args": args}
    return _object(properties, list(properties))


def _object(properties: dict[str, JsonSchema], required: Sequence[str]) -> JsonSchema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _choice(options: Sequence[str | int]) -> JsonSchema:
    kind = "integer" if all(type(option) is int for option in options) else "string"
    return {"type": kind, "enum": list(options)}


def _text(options: Sequence[str]) -> JsonSchema:
    return {"type": "string", "enum": list(options)}


def _or_null(schema: JsonSchema) -> JsonSchema:
    if "enum" in schema:
        return {"type": [schema["type"], "null"], "enum": [*schema["enum"], None]}
    if "type" in schema and isinstance(schema["type"], str):
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}
