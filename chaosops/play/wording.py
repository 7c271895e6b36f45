"""Wording: verbs, actions, findings and components of the reward as text. Needs no screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from chaosops.env.models import (
    SAY,
    ActionType,
    AgentRole,
    CauseFamily,
    ChaosOpsAction,
    Finding,
    NextStep,
    Proposal,
    RoleView,
    UpdateContent,
)
from chaosops.env.models.verb_spec import VerbSpec
from chaosops.env.models.verbs import VERBS
from chaosops.play.formatting import in_words, role_word, shown
from chaosops.rewards.components import COMPONENT

_NEXT: Final[Mapping[NextStep, str]] = {
    NextStep.INVESTIGATE: "we are investigating",
    NextStep.FIX: "a fix is under way",
    NextStep.WATCH: "a fix is in place, we are watching",
}
"""What users are told of the next step."""

_VERBS: Final[Mapping[str, VerbSpec]] = {verb.value: spec for verb, spec in VERBS.items()}


def verb_word(verb: ActionType | str) -> str:
    """Return a verb's name for players: NOOP is "pass"."""
    known = _VERBS.get(str(verb))
    return (known.label if known else "") or shown(verb).replace("_", " ")


def component_word(name: str) -> str:
    """Name a reward component in a word or two."""
    return COMPONENT[name].word


def describe(
    action: ChaosOpsAction, viewer: AgentRole | None = None, findings: Sequence[Finding] = ()
) -> str:
    """Describe an action in one line: "scale payments to 6", "message to Dev: ...".

    Args:
        viewer: Who reads it, without others' private messages; None for everything.
        findings: The acting role's findings, to name a shared one; by default it is a number.
    """
    args = dict(action.args)
    args.pop("hint", None)
    said = args.pop(SAY, None)
    if isinstance(said, Mapping):
        bare = describe(without_line(action), viewer, findings)
        return f"{bare}; {_line_words(said, action, viewer, findings)}"
    if action.action_type is ActionType.COMMUNICATE:
        to = args.get("to") or "all"
        if viewer is not None and to != "all" and viewer not in (action.role, to):
            return f"private message to {role_word(to)}"
        return _describe_message(args, findings)
    return _act_words(action.action_type, action.target, args)


def describe_in(view: RoleView, action: ChaosOpsAction, viewer: AgentRole | None = None) -> str:
    """Describe an action of a role with what its view says of it: a finding, a request.

    Args:
        view: What the role saw when it acted.
        viewer: Who reads it, without others' private messages; None for everything.
    """
    said = describe(action, viewer, view.findings)
    asked = _request_words(view, action.args.get("request"))
    return f"{said} ({asked})" if asked else said


def _request_words(view: RoleView, number: object) -> str:
    """Say what a request is for and who asks; empty if the view has none of that number."""
    for agents in view.agent_requests or ():
        if agents.number == number:
            return f"{shown(agents.agent, 40)}: {shown(agents.command, 80)} at {agents.target}"
    for mates in view.requests or ():
        if mates.number == number:
            return f"{role_word(mates.role)}: {describe(mates.move)}"
    return ""


def without_line(action: ChaosOpsAction) -> ChaosOpsAction:
    """Return an action without the line that is said with it."""
    args = {name: value for name, value in action.args.items() if name != SAY}
    return ChaosOpsAction(action.role, action.action_type, action.target, args)


def _line_words(
    said: Mapping[str, Any],
    action: ChaosOpsAction,
    viewer: AgentRole | None,
    findings: Sequence[Finding],
) -> str:
    """Describe the line that comes with an action, as the message that it amounts to."""
    if said.get("finding") == len(findings) and action.action_type is ActionType.INVESTIGATE:
        return f"share what it shows with {role_word(said.get('to') or 'all')}"
    line = ChaosOpsAction(action.role, ActionType.COMMUNICATE, None, said)
    words = describe(line, viewer, findings)
    return f"say{words.removeprefix('message')}" if words.startswith("message") else words


def finding_word(found: Finding) -> str:
    """Name a finding: "runtime of db"."""
    return f"{found.source.value} of {shown(found.target, 40)}"


def _describe_message(args: dict[str, Any], findings: Sequence[Finding]) -> str:
    to = role_word(args.get("to") or "all")
    proposal = args.get("proposal")
    text = shown(args.get("text") or "")
    place = args.get("finding")
    what = "a finding"
    if type(place) is int and place >= 0:
        known = place < len(findings)
        what = finding_word(findings[place]) if known else f"finding {place + 1}"
    if isinstance(proposal, Mapping):
        shown_with = "" if place is None else f", with {what}"
        return f"propose to {to}: {proposal_words(proposal)}{shown_with}"
    if place is not None:
        return f"share {what} with {to}" + (f": {text}" if text else "")
    return f"message to {to}: {text}"


def request_words(proposal: Mapping[str, Any]) -> str:
    """Ask for what is proposed, in a sentence: "Please roll back cart."."""
    words, verb = proposal_words(proposal), str(proposal.get("action_type"))
    label = verb_word(verb)
    if verb in _VERBS and words.startswith(label):
        words = ActionType(verb).asked + words.removeprefix(label)
    return f"Please {words}."


def proposal_words(proposal: Proposal | Mapping[str, Any]) -> str:
    """Describe a proposal: "restart db", with its cause if the sender names one."""
    if isinstance(proposal, Proposal):
        verb: object = proposal.action_type
        target, args = proposal.target, dict(proposal.args)
        cause: object = proposal.cause
    else:
        verb = proposal.get("action_type", "")
        target = proposal.get("target")
        inner = proposal.get("args")
        args = dict(inner) if isinstance(inner, Mapping) else {}
        cause = proposal.get("cause")
    named = "" if cause is None else f" (cause: {in_words(cause)})"
    return f"{_act_words(verb, target, args)}{named}"


def _act_words(verb: object, target: object, args: Mapping[str, Any]) -> str:
    """Join verb, target and arguments in the order in which they read best."""
    rest = dict(args)
    words = [shown(verb_word(str(verb)), 80)]
    spec = _VERBS.get(str(verb))
    if verb == ActionType.UPDATE:
        said = content_of(rest)
        return f"{words[0]}: {update_words(said)}" if said else words[0]
    if verb == ActionType.ASSIGN and isinstance(rest.get("proposal"), Mapping):
        task = proposal_words(rest.pop("proposal"))
        return f"assign {role_word(target)}: {task}"
    if spec and spec.before in rest:
        words.append(in_words(rest.pop(spec.before)))
        words += ["of"] if target is not None else []
    if target is not None:
        words.append(shown(target, 80))
    if spec and spec.after in rest:
        words += ["to", shown(rest.pop(spec.after), 80)]
    return " ".join(words + _argument_words(rest))


def content_of(args: Mapping[str, Any]) -> UpdateContent | None:
    """Read what an update says; None if it is not well-formed."""
    try:
        return UpdateContent.of(args)
    except (KeyError, ValueError):
        return None


def update_words(said: UpdateContent) -> str:
    """Word a status update: "edge: 7 % fail, rising; cause not known; we are investigating"."""
    place = shown(said.place, 80)
    if said.cause is CauseFamily.NOT_KNOWN:
        cause = "cause not known" + (f", looking at {place}" if place else "")
    else:
        cause = f"cause: {family_words(said.cause)}" + (f" at {place}" if place else "")
    share = f"{shown(said.journey, 80)}: {shown(said.failed, 80)} % fail, {said.trend.value}"
    return f"{share}; {cause}; {_NEXT[said.next]}"


def family_words(family: CauseFamily) -> str:
    """Word a family of causes."""
    return _FAMILIES.get(family, in_words(family))


_FAMILIES: Final[Mapping[CauseFamily, str]] = {
    CauseFamily.ALARMS: "monitoring",
    CauseFamily.CHANGE: "a change",
    CauseFamily.NAMES: "names or certificates",
    CauseFamily.OTHER: "something else",
}


def _argument_words(args: Mapping[str, Any]) -> list[str]:
    """Word the other arguments: "at db (certain)", "(zone)"."""
    words: list[str] = []
    for name, value in sorted(args.items(), key=lambda item: item[0] != "place"):
        if value is not None:
            said = shown(value, 200).replace("_", " ")
            known = _ARGUMENTS.get(name)
            words.append(known.format(said) if known else f"{in_words(name)} {said}")
    return words


_ARGUMENTS: Final[Mapping[str, str]] = {
    "place": "at {}",
    "stake": "({})",
    "unit": "({})",
    "change": "({})",
}
"""The words of arguments by name; the plain mode takes an action as it is described."""
