"""The coach's advice for a turn, from what the player's role sees and the team has read.

It knows no more than the player: it reads the player's own observation, like the expert
behind it. It names the move in every incident of the tutorial, and in the first ones its keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from chaosops.agents.policies import Policy
from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import ActionType, ChaosOpsAction, ChaosOpsObservation, RoleView
from chaosops.env.models.verbs import FIXES
from chaosops.play.action_form.picks import Offers
from chaosops.play.action_form.prefill import keys_for, offered
from chaosops.play.action_form.state import NEEDS_NO_CONFIRMATION
from chaosops.play.action_form.suggestions import proposals_to, same_act
from chaosops.play.coach.evidence import cures_ordered, grounded, sure_cause
from chaosops.play.coach.plan import CoachAim, CoachPlan, plan
from chaosops.play.coach.tutorial import TutorialLesson
from chaosops.play.coach.words import opening, step

GOALS: Final = ("look", "act", "diagnose", "users fine", "over")
"""The steps of every incident in their usual order."""

_ACTS: Final = FIXES | {ActionType.PAUSE, ActionType.ESCALATE}
_TALK: Final = frozenset(
    {CoachAim.SHARE, CoachAim.PROPOSE, CoachAim.ACCEPT, CoachAim.ON_ITS_WAY, CoachAim.HOLD}
)
"""What the coach names the keys for in every incident."""


class Advice(NamedTuple):
    """The coach's advice.

    Attributes:
        opening: What the screen shows on the first turn; empty later.
        text: What to do and why, in some sentences.
        action: What it advises; None if it has nothing to say.
        keys: The keys that do it; empty if it leaves them to the player.
        reached: Whether each of `GOALS` has been reached.
    """

    opening: str
    text: str
    action: ChaosOpsAction | None
    keys: tuple[str, ...]
    reached: tuple[bool, ...]


def advise(
    observation: ChaosOpsObservation,
    steps: Sequence[EpisodeStep],
    expert: Policy,
    offers: Offers,
    *,
    guided: bool,
    lesson: TutorialLesson | None = None,
    on_screen: bool = True,
) -> Advice:
    """Give advice for the current turn.

    Args:
        guided: Whether to name the keys of every move, and not only of what is said to others.
        lesson: What the incident introduces.
        on_screen: Whether it may speak of what only a screen has: marks, and keys of a reading.
    """
    view = observation.view
    made = plan(observation, expert, offers, lesson)
    first = not any(one.role is view.role for one in steps)
    text = step(view, made, lesson, on_screen=on_screen)
    keys = _keys(view, made, offers) if guided or made.aim in _TALK else ()
    begins = opening(view, made, on_screen=on_screen) if first else ""
    return Advice(begins, text, made.action, keys, reached(observation.view))


def _keys(view: RoleView, made: CoachPlan, offers: Offers) -> tuple[str, ...]:
    """Return the keys that make a move; empty if some part of it has none."""
    action = made.action
    if made.aim is CoachAim.ACCEPT:
        for pick in offered(view, proposals_to(view)):
            if pick.offer is not None and same_act(pick.offer.action, action):
                return pick.key, "enter"
    found = keys_for(action, view, offers)
    last = () if action.action_type in NEEDS_NO_CONFIRMATION else ("enter",)
    return (*found, *last) if found and not {"?", ""} & {*found} else ()


def reached(view: RoleView) -> tuple[bool, ...]:
    """Return which of `GOALS` are reached, as far as the role can tell."""
    status = view.status
    shared = any(message.finding is not None for message in view.channel)
    done = any(item.action_type in _ACTS for item in (*view.in_flight, *view.landed))
    well = status.users_ok >= status.slo
    cured = any(item.lands <= status.minute for item in cures_ordered(view, sure_cause(view)))
    return (
        bool(view.findings) or shared,
        done,
        bool(grounded(view).diagnoses),
        well and done,
        well and cured and status.held >= status.hold,
    )
