"""Lets policies take their turns without blocking the screen."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from textual.timer import Timer

from chaosops.env.models import AgentRole
from chaosops.play.background_policy import Question
from chaosops.play.formatting import ROLE_NAMES
from chaosops.play.session import Session
from chaosops.play.shot_clock import Pace
from tui.screens.incident.layout import IncidentLayout
from tui.widgets.key_guard import TOO_SMALL, TOO_SOON, KeyGuard
from tui.widgets.picker.picker import Picker

_SLOW_AFTER: Final = 8.0
"""Seconds after which the screen says how to go on without a policy."""

_TICK: Final = 1.0
"""Seconds after which the time that a policy takes is shown, and then updated."""


class Teammates:
    """Asks the policies of the seats that nobody plays, one turn after another."""

    def __init__(
        self, layout: IncidentLayout, session: Session, pace: Pace, show: Callable[[], None]
    ) -> None:
        """Nobody is asked yet.

        Args:
            show: Updates what everyone may see.
        """
        self._layout, self._session, self._pace, self._show = layout, session, pace, show
        self._question: Question | None = None
        self._guard = KeyGuard(lambda: session.timing.now)
        self._slow: Timer | None = None

    @property
    def waits(self) -> bool:
        """Whether a policy has been asked and has not answered."""
        return self._question is not None

    def pass_for(self) -> None:
        """Pass for the policy that is waited for, if the player can have seen which one."""
        if self._question is None:
            return
        picker = self._layout.query_one(Picker)
        if not picker.flow.is_seen:
            picker.warn(TOO_SMALL)
        elif self._guard.seen(self._session.turn):
            self.give_up()
        else:
            picker.warn(TOO_SOON)

    def give_up(self) -> None:
        """Stop waiting for an answer."""
        if self._question is not None:
            self._question.give_up()

    async def play(self) -> None:
        """Let policies take turns until it is a person's, or the game or the screen ends."""
        session, layout = self._session, self._layout
        while not session.done and not session.waits_for_person and layout.has_all_parts:
            role, turn = session.role, session.turn
            name = session.roster.policy_name(role)
            layout.query_one(Picker).flow.close(f"{ROLE_NAMES[role]} ({name}) decides.")
            self._show()
            await self._pace.ready()
            self._question = Question(session.policy(), session.observation, role)
            self._watch(role, name)
            answer = await self._question.answer()
            self._question = None
            self._unwatch()
            await self._pace.ready()
            if session.turn != turn or session.waits_for_person:
                break
            if session.roster.policy_name(role) != name:
                continue
            session.take_answer(turn, answer)
            self._show()
            await self._pace.hold()

    def _watch(self, role: AgentRole, name: str) -> None:
        began = time.monotonic()

        def tell() -> None:
            if not self._layout.has_all_parts:
                return
            picker = self._layout.query_one(Picker)
            seconds = time.monotonic() - began
            if seconds < _SLOW_AFTER:
                picker.flow.close(f"{ROLE_NAMES[role]} ({name}) is thinking: {seconds:.0f} s.")
                return
            keys = picker.keys_now()
            picker.flow.close(
                f"{ROLE_NAMES[role]} hasn't answered for {seconds:.0f} s. "
                f"{keys['incident.pass_for']} passes for them, "
                f"{keys['incident.seats']} takes the seat."
            )

        self._guard.begin(self._session.turn)
        self._slow = self._layout.set_interval(min(_TICK, _SLOW_AFTER), tell)
        self._layout.refresh_bindings()

    def _unwatch(self) -> None:
        if self._slow is not None:
            self._slow.stop()
            self._slow = None
