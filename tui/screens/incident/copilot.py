"""Asks a person's copilot for its candidates in the background."""

from __future__ import annotations

from collections.abc import Callable

from chaosops.play.action_form.suggestions import proposals_to
from chaosops.play.background_policy import Question
from chaosops.play.session import Session
from tui.screens.incident.layout import IncidentLayout
from tui.widgets.picker.picker import Picker


class CopilotRequests:
    """Asks once per turn, and puts the candidates into the picker unless they come too late."""

    def __init__(self, layout: IncidentLayout, session: Session, show: Callable[[], None]) -> None:
        """Nobody is asked yet.

        Args:
            show: Updates what everyone may see.
        """
        self._layout, self._session, self._show = layout, session, show
        self._question: Question | None = None

    def ask(self) -> None:
        """Ask the copilot of this turn, if any; drop earlier questions."""
        self._layout.run_worker(self._ask(), group="copilot", exclusive=True)

    def give_up(self) -> None:
        """Stop waiting for a proposal."""
        if self._question is not None:
            self._question.give_up()

    async def _ask(self) -> None:
        session = self._session
        policy = session.copilot.policy
        if policy is None:
            return
        turn, role = session.turn, session.role
        picker = self._layout.query_one(Picker)
        asked = proposals_to(session.observation.view)
        picker.flow.offer(asked, f"copilot {session.roster.copilot_name(role)}")
        self._question = Question(policy, session.observation, role, as_copilot=True)
        answer = await self._question.answer()
        self._question = None
        if turn != session.turn:
            return
        picker.flow.offer((*session.copilot.suggest(turn, answer), *asked))
        self._show()
