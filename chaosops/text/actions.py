"""Writes actions as JSON, and reads them back from arbitrary answers."""

from __future__ import annotations

import difflib
import json
from collections.abc import Collection, Mapping
from typing import Any, Final

from chaosops.env.actions import (
    HINT,
    hints_problem,
    read_proposal,
    read_reply,
)
from chaosops.env.lines import EVERYONE, line_problem
from chaosops.env.models import (
    MAX_TEXT,
    REPLY,
    SAY,
    ActionType,
    AgentRole,
    ArgumentChoice,
    ChaosOpsAction,
    Proposal,
    RoleView,
    VerbChoice,
)
from chaosops.env.models.roles import ROLES
from chaosops.env.models.scope import INSTANCE, SCOPED, scope_problem
from chaosops.env.models.verbs import ALL_CAUSES, VERBS
from chaosops.errors import ChaosOpsError
from chaosops.text.answers import read_answer
from chaosops.text_safety import clean

MAX_ANSWER: Final = 65_536
"""The longest answer that is read, in characters, without the reasoning before it."""

MAX_REASONED: Final = 1_048_576
"""The longest text of reasoning and answer that is read, in characters."""

_COMMUNICATE: Final = ActionType.COMMUNICATE
_KEYS: Final = ("action_type", "target", "args", "role")


class ActionTextError(ChaosOpsError):
    """A text without a valid action of the role. The message says why, and how to write one."""


def render_action(action: ChaosOpsAction) -> str:
    """Format an action as one line of JSON, always with the same three keys, without the role.

    `parse_action` returns an equal action, for every action that the role may take.
    """
    return to_json(
        {
            "action_type": str(action.action_type),
            "target": action.target,
            "args": action.args,
        }
    )


def render_proposal(proposal: Proposal) -> str:
    """Format what a message asks for, like an action."""
    named = {} if proposal.cause is None else {"cause": str(proposal.cause)}
    return to_json(
        {
            "action_type": proposal.action_type.value,
            "target": proposal.target,
            "args": proposal.args,
            **named,
        }
    )


def to_json(value: object) -> str:
    """Format a value as one line of JSON, mappings in their order, without control characters."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_as_dict)


def _as_dict(value: object) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"not a JSON value: {type(value).__name__}")


def parse_action(text: str, view: RoleView) -> ChaosOpsAction:
    """Parse the one action in an answer: bare JSON, a fenced block, or an object within text.

    If there is a reasoning block (`<think>`, `[THINK]`, an analysis channel and the like), the
    answer is what follows the last one: actions inside or before it are ignored. If it is
    not closed, there is no answer.

    The verb, its target and its arguments are checked against the view. A proposal's
    target is checked by the environment, since the role need not know every name.

    Args:
        text: The answer. A fenced block takes precedence over JSON outside of one.
        view: What the role saw.

    Raises:
        ActionTextError: There is no action, more than one, one that the role may not take, or
            reasoning without an end.
    """
    if len(text) > MAX_REASONED:
        raise _wrong(
            f"the answer and its reasoning are longer than {MAX_REASONED} characters", view
        )
    answer = read_answer(text)
    if answer.unclosed:
        begins = _cut(answer.unclosed)
        raise _wrong(f"the reasoning that begins with {begins} does not end: no answer", view)
    if answer.size > MAX_ANSWER:
        raise _wrong(f"the answer is longer than {MAX_ANSWER} characters", view)
    if answer.problem:
        raise _wrong(answer.problem, view)
    found = answer.objects
    if not found:
        quotes = " with double quotes" if "'" in text and "{" in text else ""
        after = " after the reasoning" if answer.reasoned else " in the answer"
        raise _wrong(f"there is no JSON object{quotes}{after}", view)
    if any(other != found[0] for other in found[1:]):
        raise _wrong(f"there are {len(found)} different actions in the answer", view)
    return _checked(found[0], view)


def example(choice: VerbChoice) -> str:
    """Format an example action of a verb as JSON, with its first target and its first choices.

    The order of the lists is independent of the cause, and so is the example.
    """
    args = {
        argument.name: _sample(argument)
        for argument in choice.arguments
        if argument.required or argument.name == "text"
    }
    target = choice.targets[0] if choice.targets else None
    return to_json({"action_type": choice.action_type.value, "target": target, "args": args})


def _sample(argument: ArgumentChoice) -> object:
    if argument.choices:
        return argument.choices[0]
    if argument.name == "proposal":
        return {"action_type": ActionType.NOOP.value}
    return "what you want to say"


def _checked(data: dict[str, Any], view: RoleView) -> ChaosOpsAction:
    for key in data:
        if key not in _KEYS:
            raise _wrong(f"'{_cut(key)}' is no part of an action; write only these three", view)
    name, target, args = (data.get(key) for key in ("action_type", "target", "args"))
    if not isinstance(name, str):
        raise _wrong("'action_type' is missing" if name is None else "'action_type' is text", view)
    if data.get("role") not in (None, view.role.value):
        raise _wrong(f"the turn is {view.role.value}'s: leave 'role' out", view)
    choice = _choice(name, view)
    if not (target is None or isinstance(target, str)):
        raise _wrong(f"'target' is text, not {_cut(to_json(target))}", view, choice)
    if not (args is None or isinstance(args, dict)):
        raise _wrong(f"'args' is an object, not {_cut(to_json(args))}", view, choice)
    action = ChaosOpsAction(view.role, choice.action_type, target, _tidied(args or {}))
    why = (
        _target_problem(action, choice)
        or _argument_problem(action, choice)
        or _line_problem(action, view)
        or _talk_problem(action, view)
    )
    if why:
        raise _wrong(why, view, choice)
    return action


def _tidied(args: dict[str, Any]) -> dict[str, Any]:
    """Return arguments whose line is one line of clean text."""
    said = args.get(SAY)
    if not isinstance(said, dict) or not isinstance(said.get("text"), str):
        return args
    return {**args, SAY: {**said, "text": " ".join(clean(said["text"]).split())}}


def _choice(name: str, view: RoleView) -> VerbChoice:
    by_name = {choice.action_type.value: choice for choice in view.allowed}
    if name in by_name:
        return by_name[name]
    close = difflib.get_close_matches(name[:80].lower(), by_name, 1)
    meant = f", did you mean {close[0]}?" if close else ""
    allowed = ", ".join(by_name) or "nothing"
    raise _wrong(f"{view.role.value} cannot '{_cut(name)}' now{meant} Allowed: {allowed}", view)


def _target_problem(action: ChaosOpsAction, choice: VerbChoice) -> str:
    verb = choice.action_type.value
    if not choice.targets:
        return "" if action.target is None else f"{verb} takes no target: write null"
    if action.target in choice.targets:
        return ""
    got = "no target" if action.target is None else f"'{_cut(action.target)}'"
    return f"'target' of {verb} is one of {', '.join(choice.targets)}, not {got}"


def _argument_problem(action: ChaosOpsAction, choice: VerbChoice) -> str:
    verb = choice.action_type.value
    known = {argument.name: argument for argument in choice.arguments}
    for name, value in action.args.items():
        if name == HINT:
            why = hints_problem(value)
            if why:
                return why
        elif name == SAY:
            continue
        elif name == INSTANCE and choice.action_type in SCOPED:
            why = "" if value is None else scope_problem(value)
            if why:
                return why
        elif name not in known and not (name == REPLY and choice.action_type is _COMMUNICATE):
            names = (*known, INSTANCE) if choice.action_type in SCOPED else tuple(known)
            return f"{verb} has no argument '{_cut(name)}': {', '.join(names) or 'it takes none'}"
    for argument in choice.arguments:
        value = action.args.get(argument.name)
        if value is None:
            if argument.required:
                return f"{verb} needs the argument '{argument.name}'{_options(argument)}"
        elif argument.choices and not any(
            type(value) is type(option) and value == option for option in argument.choices
        ):
            got = _cut(to_json(value))
            return f"'{argument.name}' of {verb} cannot be {got}{_options(argument)}"
    return ""


def _options(argument: ArgumentChoice) -> str:
    return f": one of {', '.join(to_json(c) for c in argument.choices)}" if argument.choices else ""


def _line_problem(action: ChaosOpsAction, view: RoleView) -> str:
    """Explain why the line that comes with an action can't be said."""
    said = action.args.get(SAY)
    if said is None:
        return ""
    look = action.action_type is ActionType.INVESTIGATE
    why = line_problem(said, view.role, len(view.findings) + look)
    if why or said.get("proposal") is None:
        return why
    return _proposal_problem(str(said["to"]), said["proposal"], view)


def _talk_problem(action: ChaosOpsAction, view: RoleView) -> str:
    if action.action_type is ActionType.ASSIGN:
        return _proposal_problem(str(action.target), action.args["proposal"], view)
    if action.action_type is not ActionType.COMMUNICATE:
        return ""
    text, proposal, finding = (action.args.get(key) for key in ("text", "proposal", "finding"))
    if text is not None and not isinstance(text, str):
        return "'text' is text"
    if text is not None and len(text) > MAX_TEXT:
        return f"'text' is longer than {MAX_TEXT} characters"
    if finding is not None and (type(finding) is not int or not 0 <= finding < len(view.findings)):
        return f"'finding' is the number of one of your {len(view.findings)} findings, from 0"
    if action.args.get(REPLY) is not None and read_reply(action.args[REPLY], _causes(view)) is None:
        return "'reply' is an object with 'kind' and the 'proposal' that it answers"
    if proposal is not None:
        to = action.args.get("to") or EVERYONE
        if to == EVERYONE:
            return "a proposal goes to one role: name it in 'to'"
        return _proposal_problem(to, proposal, view)
    if finding is None and not (text or "").strip():
        return "the message is empty: give it a text, a proposal or a finding"
    return ""


def _causes(view: RoleView) -> Collection[str] | None:
    """Return the causes that a proposal can name; None if the role's view doesn't tell."""
    found = [c.arguments for c in view.allowed if c.action_type is ActionType.DIAGNOSE]
    return frozenset((*ALL_CAUSES, *map(str, found[0][0].choices))) if found else None


def _proposal_problem(receiver: str, value: object, view: RoleView) -> str:
    proposal = read_proposal(value, _causes(view))
    if proposal is None:
        return "'proposal' is an object with action_type, target and args, as an action is"
    if HINT in proposal.args:
        return "a proposal carries no hints"
    verbs = ROLES[AgentRole(receiver)].verbs
    if proposal.action_type not in verbs:
        can = ", ".join(verb.value for verb in verbs if VERBS[verb].can_be_proposed)
        return f"{receiver} cannot {proposal.action_type.value}, but {can}"
    return ""


def _cut(text: str) -> str:
    line = " ".join(clean(text[:80]).split())
    return line if len(line) <= 60 else line[:57] + "..."


def _wrong(why: str, view: RoleView, choice: VerbChoice | None = None) -> ActionTextError:
    shown = choice or (view.allowed[0] if view.allowed else None)
    end = why if why.endswith((".", "?")) else f"{why}."
    cure = "" if shown is None else f" Write one JSON object, for example {example(shown)}"
    return ActionTextError(end + cure)
