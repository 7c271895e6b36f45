"""Shows the tutorial's coach to the person whose turn it is."""

from __future__ import annotations

from chaosops.agents.policies import Policy, expert_policy
from chaosops.play.coach import advise, is_guided, lesson_of
from chaosops.play.session import Session
from tui.screens.incident.layout import IncidentLayout
from tui.widgets.status.coach_line import CoachLine


class Coaching:
    """Gives advice for each turn, if it is wanted.

    Attributes:
        wanted: Whether the coach is shown.
    """

    def __init__(self, layout: IncidentLayout, session: Session, *, wanted: bool) -> None:
        self._layout, self._session = layout, session
        self.wanted = wanted
        self._expert: Policy | None = None

    def show(self) -> None:
        """Show the advice for this turn, that others decide, or hide the coach."""
        session = self._session
        scenario = session.scenario
        if not self.wanted or session.done:
            self._layout.show_advice(None)
            return
        if not session.waits_for_person:
            self._layout.query_one(CoachLine).wait()
            return
        if self._expert is None:
            self._expert = expert_policy(scenario.seed)
        self._layout.show_advice(
            advise(
                session.observation,
                session.steps,
                self._expert,
                session.offers,
                guided=is_guided(scenario),
                lesson=lesson_of(scenario),
            )
        )
