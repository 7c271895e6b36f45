"""The tutorial's coach in the plain mode: what to do, and how it is typed."""

from __future__ import annotations

from chaosops.agents.policies import Policy
from chaosops.env.models import ChaosOpsAction
from chaosops.play.coach import advise, is_guided, lesson_of
from chaosops.play.session import Session
from chaosops.play.wording import describe


def advice_line(session: Session, expert: Policy) -> str:
    """Return the advice for this turn, with what to type where a screen would name keys."""
    scenario = session.scenario
    advice = advise(
        session.observation,
        session.steps,
        expert,
        session.offers,
        guided=is_guided(scenario),
        lesson=lesson_of(scenario),
        on_screen=False,
    )
    parts = ["Coach:", advice.opening, advice.text]
    if advice.keys and advice.action is not None:
        parts.append(f"Type: {typed(advice.action)}.")
    return " ".join(filter(None, (*parts, "'coach' turns the coach off.")))


def typed(action: ChaosOpsAction) -> str:
    """Return an action as a person types it."""
    finding = action.args.get("finding")
    if isinstance(finding, int):
        return f"share {finding + 1} with {action.args.get('to') or 'all'}"
    return describe(action)
