"""The expert: a first responder that reasons only from its own observations.

It answers requests, mitigates before it diagnoses, shares conclusive findings, asks
those who can act, and otherwise investigates wherever it learns the most.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from chaosops.agents import responses
from chaosops.agents.acting import act
from chaosops.agents.belief import Belief, beliefs, known
from chaosops.agents.looking import looks
from chaosops.agents.responder import Responder
from chaosops.agents.runbook import RUNBOOK
from chaosops.agents.teamwork import open_proposal, words
from chaosops.agents.uniform import Dice
from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    RoleView,
)

Held = tuple[Belief, ...]


class _Response(NamedTuple):
    """A possible action of the expert, and the reason for it."""

    act: Callable[[RoleView, Held], ChaosOpsAction | None]
    why: Callable[[RoleView, Held, ChaosOpsAction], str]


class Expert:
    """Plays any role. The seed only decides between equally good investigations."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._responder = Responder(seed)

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        """Return the action for this turn."""
        if observation.view.landings is not None:
            return self._responder(observation, role)
        return self._decide(observation)[0]

    def explain(self, observation: ChaosOpsObservation, role: AgentRole) -> str:
        """Explain its action in this turn in one sentence, from the observation alone."""
        if observation.view.landings is not None:
            return self._responder.explain(observation, role)
        return self._decide(observation)[1]

    def _decide(self, observation: ChaosOpsObservation) -> tuple[ChaosOpsAction, str]:
        view = observation.view
        held = beliefs(view)
        for response in _IN_ORDER:
            action = response.act(view, held)
            if action is not None:
                return action, response.why(view, held, action)
        found = looks(view, held)
        if not found:
            return act(view, ActionType.NOOP, None), "There is nothing left for this role to do."
        best = max(look.worth for look in found)
        equal = [look for look in found if look.worth == best]
        look = equal[Dice(self._seed, observation.step).below(len(equal))]
        action = act(view, ActionType.INVESTIGATE, look.target, {"source": look.source.value})
        return action, _why_look(held, look.source.value, look.target)


def _why_look(held: Held, source: str, target: str) -> str:
    top = held[0]
    if top.share < 2.0 / len(held):
        state = "Nothing points to a cause yet"
    elif top.share < 0.5:
        state = f"{_cause(top)} is a guess ({_percent(top)})"
    else:
        state = f"It looks like {_cause(top)} ({_percent(top)}), but there may be more to find"
    return f"{state}, and {source} of {target} is where an investigation tells the most."


def _why_answer(view: RoleView, held: Held, action: ChaosOpsAction) -> str:
    if action.action_type is ActionType.COMMUNICATE:
        return "A teammate asked for this, but it doesn't fit what you see, or not yet."
    asked = open_proposal(view)
    if asked and asked.proposal and asked.proposal.action_type is not action.action_type:
        return "A teammate asked for a change there, and this investigation shows whether it fits."
    return "A teammate asked for this, and it fits what you see."


def _why_contain(view: RoleView, held: Held, action: ChaosOpsAction) -> str:
    if action.action_type is ActionType.COMMUNICATE:
        return "The others should know what the agent did before anything else happens."
    return f"{action.target} went beyond its policy, as its audit log shows."


def _why_over(view: RoleView, held: Held, action: ChaosOpsAction) -> str:
    return "The cause is confirmed, the fix has landed, and users are fine."


def _why_give_back(view: RoleView, held: Held, action: ChaosOpsAction) -> str:
    return "The services have recovered, so rejected users can be let in again."


def _why_fix(view: RoleView, held: Held, action: ChaosOpsAction) -> str:
    return f"{_grounds(view, _behind(view, held))}, and this fixes or mitigates it."


def _why_ask(view: RoleView, held: Held, action: ChaosOpsAction) -> str:
    return f"{_grounds(view, _behind(view, held))}, and another role can act on it."


def _why_diagnose(view: RoleView, held: Held, action: ChaosOpsAction) -> str:
    return (
        f"{_grounds(view, responses.conviction(held) or held[0])}, and nobody has diagnosed it yet."
    )


def _why_share(view: RoleView, held: Held, action: ChaosOpsAction) -> str:
    return "This finding says a lot about the cause, and the others haven't seen it."


def _behind(view: RoleView, held: Held) -> Belief:
    """Return the belief that the expert acts on."""
    return next(iter(responses.suspicions(held)), held[0])


def _grounds(view: RoleView, belief: Belief) -> str:
    entry = RUNBOOK[belief.cause]
    telling = max(
        (
            fact
            for fact in known(view)
            if fact.sign in entry.settled_by or fact.sign in entry.weights
        ),
        key=lambda fact: (fact.sign in entry.settled_by, entry.weights.get(fact.sign, 0.0)),
        default=None,
    )
    seen = ""
    if telling is not None:
        seen = f", since {telling.place} shows: {telling.sign.value.replace('_', ' ')}"
    return f"It looks like {_cause(belief)} ({_percent(belief)}{seen})"


def _cause(belief: Belief) -> str:
    return f"{words(belief.cause)} at {belief.place}" if belief.place else words(belief.cause)


def _percent(belief: Belief) -> str:
    return f"{round(belief.share * 100)} % sure"


_IN_ORDER: Final = (
    _Response(responses.answer, _why_answer),
    _Response(responses.contain, _why_contain),
    _Response(responses.declare_over, _why_over),
    _Response(responses.give_back, _why_give_back),
    _Response(responses.fix, _why_fix),
    _Response(responses.ask, _why_ask),
    _Response(responses.diagnose, _why_diagnose),
    _Response(responses.share, _why_share),
)
