"""The tutorial's coach: says what to do next and why, from what the player has seen and done.

It knows no more than the player: it reads the player's own observation, like the expert
behind it. In the first incident it names the keys to press, later only the step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from chaosops.agents.policies import Policy
from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    Difficulty,
    RoleView,
)
from chaosops.env.models.verbs import FIXES
from chaosops.env.world_sim import Scenario
from chaosops.play.action_form.picks import Offers
from chaosops.play.action_form.prefill import keys_for
from chaosops.play.action_form.state import NEEDS_NO_CONFIRMATION
from chaosops.play.policy_answers import ask
from chaosops.play.service_tree import deepest_unhealthy, health_of
from chaosops.play.wording import describe

_FIRST: Final = "first-shift-1-product-pages"
"""The tutorial's first incident."""

_PANES: Final = " ({incident.previous_pane} {incident.next_pane})"
"""The keys to another pane; the labels are filled in later."""

GOALS: Final = ("look", "act", "diagnose", "users fine", "over")
"""The steps of every incident in their usual order."""

_ACTS: Final = FIXES | {ActionType.PAUSE}


class Advice(NamedTuple):
    """The coach's advice.

    Attributes:
        opening: What the screen shows on the first turn; empty later.
        text: One or two sentences.
        action: What it advises; None if it has nothing to say.
        keys: The keys that do it; empty if it leaves the choice open.
        reached: Whether each of `GOALS` has been reached.
    """

    opening: str
    text: str
    action: ChaosOpsAction | None
    keys: tuple[str, ...]
    reached: tuple[bool, ...]


def is_coached(scenario: Scenario) -> bool:
    """Whether the incident belongs to the tutorial."""
    return scenario.difficulty is Difficulty.TUTORIAL


def is_guided(scenario: Scenario) -> bool:
    """Whether it is the tutorial's first incident, where each key is named."""
    return scenario.id == _FIRST


def advise(
    observation: ChaosOpsObservation,
    steps: Sequence[EpisodeStep],
    expert: Policy,
    offers: Offers,
    *,
    guided: bool,
    on_screen: bool = True,
) -> Advice:
    """Give advice for the current turn.

    Args:
        guided: Whether to name the action and its keys, not only the kind of step.
        on_screen: Whether there are panes, and keys to move between them.
    """
    view = observation.view
    wanted = ask(expert, observation, view.role)
    action = wanted.action if isinstance(wanted.action, ChaosOpsAction) else None
    first = not any(step.role is view.role for step in steps)
    parts: list[str] = []
    if action is not None:
        parts.append(_step(view, action, guided=guided, panes=_PANES if on_screen else ""))
        if wanted.reason and guided and not first:
            parts.append(wanted.reason)
    keys: tuple[str, ...] = ()
    if guided and action is not None:
        made = keys_for(action, view, offers)
        last = () if action.action_type in NEEDS_NO_CONFIRMATION else ("enter",)
        keys = (*made, *last) if made and "?" not in made else ()
    opening = _welcome(view) if first else ""
    return Advice(opening, " ".join(parts), action, keys, reached(view))


def reached(view: RoleView) -> tuple[bool, ...]:
    """Return which of `GOALS` are reached, as far as the role can tell."""
    shared = any(message.finding is not None for message in view.channel)
    done = any(item.action_type in _ACTS for item in (*view.in_flight, *view.landed))
    well = view.status.users_ok >= view.status.slo
    return (
        bool(view.findings) or shared,
        done,
        any(made.right is not False for made in view.diagnoses),
        well and done,
        view.status.held >= view.status.hold,
    )


def _welcome(view: RoleView) -> str:
    if view.status.users_ok >= view.status.slo:
        return "An alert fired, and users are within the objective now. See what caused it."
    if view.role is AgentRole.OVERSIGHT:
        return "Users get errors. You watch the automation: its acts and reasons are on the left."
    if view.role is AgentRole.DEV:
        return "Users get errors. You see recent changes and the state of the apps."
    if view.role is AgentRole.MANAGER:
        return "Users get errors. You see the customer impact, and you can ask each role to act."
    places = sorted(deepest_unhealthy(view.graph, health_of(view)))
    where = f": {places[0]}, marked ◂" if places else ""
    return (
        "Users get errors. Follow the heavy line to the deepest unhealthy service with healthy "
        f"dependencies{where}."
    )


def _step(view: RoleView, action: ChaosOpsAction, *, guided: bool, panes: str) -> str:
    verb = action.action_type
    what = describe(action)
    if verb is ActionType.INVESTIGATE:
        if guided:
            return (
                f"Investigate before you change anything: {what}. It opens at once; Esc leads back."
            )
        return "Investigate wherever you'll learn the most. It opens at once; Esc leads back."
    if verb in _ACTS:
        if guided:
            read = f"What you found is under Findings{panes}. " if view.findings else ""
            return f"{read}You know enough to act: {what}."
        return "You know enough to act. Which fix fits the finding, and where?"
    if verb is ActionType.DIAGNOSE:
        late = any(item.action_type in FIXES for item in (*view.in_flight, *view.landed))
        when = "which still earns a little" if late else "before anyone orders the fix"
        if guided:
            return f"Name the cause, {when}: {what}."
        return f"The evidence names one cause. You can diagnose it, {when}."
    if verb is ActionType.RESOLVE:
        return "Users have been fine for the whole hold: declare the incident over (resolve)."
    if verb is ActionType.FLAG:
        return "What you paused acted against its policy: flagging it earns points if you're right."
    if verb in (ActionType.COMMUNICATE, ActionType.ASSIGN):
        return (
            f"Others need to know what you found: {what}."
            if guided
            else "Tell the others what you found."
        )
    if verb is ActionType.NOOP:
        return f"There's nothing better to do now: pass (0), {_waiting(view)}."
    told = _DUTIES.get(ActionType(verb), "There is something to do")
    return f"{told}: {what}." if guided else f"{told}."


def _waiting(view: RoleView) -> str:
    """Say what a pass is for."""
    if view.in_flight:
        return "and see what the actions in flight do"
    if view.requests:
        return "while the Manager decides on a move"
    if view.status.users_ok >= view.status.slo:
        return "users are fine; wait out the hold time"
    return "and see what your teammates find"


_DUTIES: Final[Mapping[ActionType, str]] = MappingProxyType(
    {
        ActionType.UPDATE: "Users are owed an update. Check the draft against what you see",
        ActionType.APPROVE: "A move waits for you, and what is known speaks for it: approve it",
        ActionType.REFUSE: "A move waits for you, and what is known speaks against it: refuse it",
        ActionType.GRANT: "An agent asks for leave, and its claim holds: grant it",
        ActionType.DENY: "An agent asks for leave, and its claim doesn't hold: deny it",
        ActionType.ASK: "An agent asks for leave. Ask for its evidence before you decide",
        ActionType.RESUME: "An agent is paused that did its duty: resume it",
        ActionType.ESCALATE: "This is beyond your team: escalate",
    }
)
"""What the coach says of the duties of a seat."""
