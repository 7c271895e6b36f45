"""What deeds earned or cost in a finished game, each with who ordered it and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import (
    ActionType,
    AgentRequest,
    Credit,
    PaidFor,
    RoleView,
)
from chaosops.play.formatting import ROLE_NAMES, clock, in_words, shown, signed
from chaosops.play.wording import component_word

_DIAGNOSES = (PaidFor.RIGHT_DIAGNOSIS, PaidFor.WRONG_DIAGNOSIS, PaidFor.CHANGED_DIAGNOSIS)
_NEVER = 1_000_000


def deed_words(steps: Sequence[EpisodeStep], last: RoleView) -> Iterator[str]:
    """Yield a line for each deed that was paid for, oldest first.

    Args:
        steps: The frames of the game from the first turn on.
        last: What is seen after the last one.
    """
    requests = _requests(steps)
    for credit in sorted(last.paid or (), key=lambda each: each.ordered):
        what = f"{component_word(credit.component.value)} {signed(credit.amount)}"
        about = _about(credit, steps, requests, last)
        when = f"{ROLE_NAMES[credit.role]}, {clock(last.status, credit.ordered)}"
        yield f"{what}: {when}{f', {about}' if about else ''}"


def _about(
    credit: Credit,
    steps: Sequence[EpisodeStep],
    requests: dict[int, AgentRequest],
    last: RoleView,
) -> str:
    if credit.component in _DIAGNOSES:
        for made in last.diagnoses:
            if (made.minute, made.role) == (credit.ordered, credit.role):
                return in_words(made.cause) + (f" at {shown(made.place, 60)}" if made.place else "")
    if credit.component is PaidFor.GRANT:
        return _request(credit, steps, requests)
    return shown(credit.target, 60)


def _request(
    credit: Credit, steps: Sequence[EpisodeStep], requests: dict[int, AgentRequest]
) -> str:
    """Describe the request that was answered wrongly, or that lapsed."""
    for step in steps:
        action = step.action
        asked = requests.get(action.args.get("request", _NEVER))
        if (
            asked is not None
            and asked.agent == credit.target
            and step.observation.view.status.minute == credit.ordered
        ):
            if action.action_type is ActionType.GRANT:
                return f"{_named(asked)} was granted, and did harm"
            if action.action_type is ActionType.DENY:
                return f"{_named(asked)} was denied, and would have helped"
    for asked in requests.values():
        if (asked.agent, asked.lapses) == (credit.target, credit.ordered):
            return f"{_named(asked)} lapsed, and would have helped"
    return f"a request by {shown(credit.target, 60)}"


def _named(asked: AgentRequest) -> str:
    return (
        f"request {asked.number} by {shown(asked.agent, 60)} "
        f"({shown(asked.command, 80)} {shown(asked.target, 60)})"
    )


def _requests(steps: Sequence[EpisodeStep]) -> dict[int, AgentRequest]:
    """Return every request of the automation that was seen, by its number."""
    return {
        asked.number: asked
        for step in steps
        for asked in step.observation.view.agent_requests or ()
    }
