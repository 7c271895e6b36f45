"""An observation as text: everything in the role's view, and nothing else.

The text depends on the observation alone. It has no markup and no control characters except line
ends, and each fact has its own line: what players wrote is quoted as JSON text, so
that no message can pass for another line.
"""

from __future__ import annotations

from collections.abc import Iterator

from chaosops.env.models import ActionType, ChaosOpsObservation, RoleView, VerbChoice
from chaosops.presenter import PARTS, line_offer, status_entry
from chaosops.text.actions import example, to_json
from chaosops.text.blocks import Block, one_line
from chaosops.text.dialect import PROGRAM, Dialect
from chaosops.text.figures import clock, number
from chaosops.text.parts import part_blocks


def render_observation(observation: ChaosOpsObservation, *, minutes: int | None = None) -> str:
    """Render what the role sees, the result of the last turn, and what it may do now and how.

    Args:
        minutes: How many minutes of earlier signals to include; by default all in the view.
    """
    view = observation.view
    dialect = PROGRAM if minutes is None else Dialect(minutes)
    lines = [one_line(line) for line in _head(observation)]
    for part in PARTS:
        for block in part_blocks(part, view, dialect):
            lines += block.lines()
    lines += Block.under("you may now", (_verb(choice) for choice in view.allowed)).lines()
    lines += line_rule(view)
    lines += [one_line(line) for line in example_line(view)]
    return "\n".join(lines)


def _head(observation: ChaosOpsObservation) -> Iterator[str]:
    view = observation.view
    status = view.status
    whose = "" if observation.turn_role is view.role else f", and it is {observation.turn_role}'s"
    yield f"You are {view.role.value}. Turn {observation.step + 1} of {status.turns}{whose}."
    if observation.done:
        yield "The incident is over."
    yield (
        f"page: {status.title} (at {clock(status, 0)}, now {clock(status, status.minute)}, "
        f"minute {status.minute})"
    )
    yield f"users: {PROGRAM.line(status_entry(status))}"
    yield f"last turn: {observation.message} (reward {number(observation.reward)})"


def line_rule(view: RoleView) -> list[str]:
    """Return what else any action may say."""
    offer = line_offer(view)
    looked = ""
    if offer.looked is not None:
        looked = f'; a look shares what it finds as {{"finding":{offer.looked}}}'
    forms = '{"finding":N}, {"text":WORDS} or {"to":ROLE,"proposal":{...}}'
    return [f'any of these may say one thing in args.say: {forms}, to all without "to"{looked}']


def example_line(view: RoleView) -> Iterator[str]:
    """Yield an example of an action, if the role may take one."""
    if view.allowed:
        shown = next((choice for choice in view.allowed if choice.targets), view.allowed[0])
        yield f"for example {example(shown)}"


def _verb(choice: VerbChoice) -> str:
    low, high = choice.minutes
    lands = f", lands in {low} min" if low == high else f", lands in {low} to {high} min"
    words = f"{choice.action_type.value} ({choice.group}{lands if any(choice.minutes) else ''})"
    words += f" target: {', '.join(choice.targets) if choice.targets else 'null'}"
    for argument in choice.arguments:
        needed = "" if argument.required else " (optional)"
        options = ", ".join(to_json(option) for option in argument.choices)
        words += f"; {argument.name}{needed}: {options or _free(choice.action_type, argument.name)}"
    return words


def _free(verb: ActionType, name: str) -> str:
    if name == "proposal":
        to = "the target" if verb is ActionType.ASSIGN else "the one role in 'to'"
        return f'{{"action_type":VERB,"target":NAME,"args":{{...}}}} for {to} to do'
    return "the number of one of your findings" if name == "finding" else "text"
