"""A game in progress: its seats, its turns and its recording. Needs no screen.

The session drives the stepper. The screen asks it what to do next: wait for a person, or ask
a policy. It returns the answer together with the turn it was meant for, so that a late or
second answer is refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chaosops.agents.policies import Policy, pass_turn
from chaosops.agents.runner import EpisodeStep, Stepper
from chaosops.datasets.privacy import who_agrees
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    RoleView,
)
from chaosops.env.world_sim import Scenario
from chaosops.errors import ChaosOpsError
from chaosops.play.action_form.suggestions import offers_of, own_causes_of
from chaosops.play.case_board import CaseBoard, Suspects, suspects_in
from chaosops.play.copilot import Copilot
from chaosops.play.earned_stars import names_of, stars_in
from chaosops.play.formatting import ROLE_NAMES
from chaosops.play.game_log import GameLog, Log, open_log
from chaosops.play.hints import HintAccount
from chaosops.play.policy_answers import PolicyAnswer, ask
from chaosops.play.rationale import UNSAID, Thought
from chaosops.play.seat_changes import SeatChanges
from chaosops.play.seats import PASSES, Roster
from chaosops.play.setup import setup_of
from chaosops.play.turn_timing import TurnTiming
from chaosops.recording.events import (
    REPLAYED,
    Header,
    HumanPart,
    Note,
    Player,
    Ui,
    agreed_header,
    new_footer,
    new_header,
    noted_before,
)
from chaosops.recording.turn_sources import Decider

if TYPE_CHECKING:
    from chaosops.recording.resume import Resumed

__all__ = ["PolicyAnswer", "Roster", "Session", "StaleTurn", "ask"]


class StaleTurn(ChaosOpsError):
    """An answer to a turn that has already been taken."""


class Session:
    """One episode with its seats and its log.

    Attributes:
        seats: The seats, and how they change.
        timing: What the person whose turn it is does, and when.
        hints: The hints that were read, and their costs.
        copilot: What the copilot of the person whose turn it is offers.
        log: The log to which turns are written.
        board: The case board of the people in the game.
        offers: What each role can be asked for in a proposal.
        began_at: The first turn that was played here; above 0 if the game was
            resumed or forked.
    """

    def __init__(
        self,
        scenario: Scenario,
        roster: Roster,
        *,
        recordings: Path | None,
        ui: Ui,
        player: Player | None = None,
        resumed: Resumed | None = None,
        replayed: Sequence[ChaosOpsAction] = (),
        notes: Sequence[Note] = (),
        begin_log: Callable[[Path, Header], Log] = open_log,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        """Begin an episode and its log, or continue one.

        Args:
            recordings: The folder for the log; None to keep nothing.
            ui: The user interface.
            player: Who agrees to the use of the data; None if nobody does. A resumed game
                keeps what its header says.
            resumed: A game to continue; its log is continued, too.
            replayed: Turns of another game of this scenario to repeat first.
            notes: The notes of that game before the first turn to be played.
        """
        self.scenario = scenario
        self.seats = SeatChanges(roster, scenario, self._reseated)
        self.timing = TurnTiming(monotonic, wall)
        self.copilot = Copilot(self, self._report)
        self.board = CaseBoard(partial(_suspects_of, scenario))
        self.offers = offers_of(scenario)
        self.own_causes = own_causes_of(scenario)
        self._recordings, self._ui, self._player = recordings, ui, player
        self._begin_log = begin_log
        self._policy_trouble = ""
        self.log = GameLog() if resumed is None else GameLog.going_on(resumed)
        self._humans: list[HumanPart] = []
        self._origin = None if resumed is None else resumed.recording.header
        before = () if resumed is None else resumed.stepper.steps
        texts = scenario.incident.hints
        self.hints = HintAccount(texts, self._hint_read, self.log.notes, before)
        if resumed is not None:
            self._stepper = resumed.stepper
            self._humans = [turn.human for turn in resumed.recording.turns]
            kept = resumed.recording
            self.seats.compare(setup_of(kept.header, kept.turns, kept.notes))
        else:
            self._stepper = Stepper(ChaosOpsEnvironment(), scenario)
            self._open_log()
            self._repeat(replayed, notes)
        self.began_at = self.turn

    def _open_log(self) -> None:
        if self._recordings is None:
            return
        header = new_header(
            self.scenario,
            seats={role: self.roster.seat(role) for role in TURN_ORDER},
            ui=self._ui,
            max_turns=self.observation.view.status.turns,
            player=self._player,
        )
        self.log.begin(self._begin_log, self._recordings, header)

    def _repeat(self, actions: Sequence[ChaosOpsAction], notes: Sequence[Note]) -> None:
        """Repeat the turns of another game, and read the hints that were read in it."""
        for turn, action in enumerate(actions):
            for note in notes:
                if note.turn == turn and note.hint is not None:
                    self.hints.read(note.hint)
            if not self._stepper.done:
                self._take(action, HumanPart.scripted(REPLAYED))

    @property
    def observation(self) -> ChaosOpsObservation:
        """The current role's observation; after the end, the last one."""
        return self._stepper.observation

    def view_of(self, role: AgentRole) -> RoleView:
        """Return what a role sees now, at any time."""
        return self._stepper.view_of(role)

    @property
    def role(self) -> AgentRole:
        """Whose turn it is."""
        return self._stepper.role

    @property
    def turn(self) -> int:
        """The number of the current turn, counted from 0."""
        return self.observation.step

    @property
    def done(self) -> bool:
        """Whether the episode is over."""
        return self._stepper.done

    @property
    def steps(self) -> tuple[EpisodeStep, ...]:
        """The turns so far."""
        return self._stepper.steps

    @property
    def humans(self) -> tuple[HumanPart, ...]:
        """How each of those turns was decided."""
        return tuple(self._humans)

    @property
    def resolved(self) -> bool:
        """Whether the incident was resolved; False while it lasts."""
        return self.done and self._stepper.result().resolved

    @property
    def waits_for_person(self) -> bool:
        """Whether the current turn is a person's."""
        return not self.done and self.role in self.roster.people

    @property
    def recording(self) -> Path | None:
        """The file of the log, if there is one."""
        return self.log.path

    @property
    def trouble(self) -> str:
        """What a person should know: a disk that failed or a policy that raised; may be empty."""
        return "  ".join(part for part in (self.log.trouble, self._policy_trouble) if part)

    @property
    def roster(self) -> Roster:
        """Who sits where now."""
        return self.seats.roster

    def policy(self) -> Policy:
        """The policy whose turn it is; an empty seat passes."""
        return self.roster.policy(self.role)

    def _reseated(self, role: AgentRole) -> None:
        if role is self.role:
            self.copilot.drop()
        self._note(role=role, seat=self.roster.seat(role))

    def _report(self, trouble: str) -> None:
        self._policy_trouble = trouble

    def fork(self, turn: int) -> Session:
        """Return a game that repeats the turns before `turn` and continues from there."""
        before = self.steps[: max(0, turn)]
        player = self._player
        if self._origin is not None:
            parts = [(step.role, part) for step, part in zip(before, self._humans, strict=False)]
            player = who_agrees(self._origin, parts, player)
        return Session(
            self.scenario,
            self.roster,
            recordings=self._recordings,
            ui=self._ui,
            player=player,
            replayed=[step.action for step in before],
            notes=noted_before(self.log.notes, turn),
            begin_log=self._begin_log,
            monotonic=self.timing.monotonic,
            wall=self.timing.wall,
        )

    def _hint_read(self, level: int) -> None:
        # It is on disk before it can be seen, so that it is paid for whatever happens.
        self._note(hint=level)

    @property
    def late(self) -> frozenset[int]:
        """The turns that passed because time ran out."""
        humans = enumerate(self._humans)
        return frozenset(turn for turn, part in humans if part.source is Decider.TIMEOUT)

    def submit(
        self,
        turn: int,
        action: ChaosOpsAction,
        thought: Thought = UNSAID,
        *,
        by_program: bool = False,
    ) -> EpisodeStep:
        """Take a person's turn, and save it.

        Args:
            thought: The person's rationale, which is recorded and changes nothing else.
            by_program: Whether a program answered in the person's seat, for the log.

        Raises:
            StaleTurn: The turn is not this one, or not a person's.
        """
        self._require(turn, person=True)
        taken = self.copilot.taken(action)
        source = Decider.HUMAN if taken is None else Decider.COPILOT
        if by_program:
            source = Decider.LLM
        return self._by_person(action, source, thought, taken=taken)

    def time_out(self, turn: int) -> EpisodeStep:
        """Pass for a person who didn't decide in time, and save that.

        Raises:
            StaleTurn: The turn is not this one, or not a person's.
        """
        self._require(turn, person=True)
        return self._by_person(pass_turn(self.observation, self.role), Decider.TIMEOUT)

    def take_answer(self, turn: int, answer: PolicyAnswer) -> EpisodeStep:
        """Take a policy's turn, and save it. A policy that failed passes, and is reported.

        Raises:
            StaleTurn: The turn is not this one, or is a person's.
        """
        self._require(turn, person=False)
        role = self.role
        if answer.fault or answer.trouble:
            self._policy_trouble = (
                f"{ROLE_NAMES[role]}'s policy {answer.fault} in turn {turn + 1}; the seat passed."
                if answer.fault
                else f"{ROLE_NAMES[role]} passed in turn {turn + 1}: {answer.trouble}."
            )
            return self._take(pass_turn(self.observation, role), HumanPart.scripted(PASSES))
        name = self.roster.policy_name(role)
        part = HumanPart.scripted(name, by_program=answer.by_program)
        return self._take(answer.action, part)

    def agree(self, player: Player) -> None:
        """Record after the end that the player agrees to the use of this game and of its forks.

        Raises:
            RecordingError: The recording can't be written.
        """
        if self.recording is not None and self._player is None:
            from chaosops.recording.upkeep import add_note

            name, consent = player
            note = Note(at_ms=self.timing.at_ms, pseudonym=name, consent=consent)
            add_note(self.recording, note)
            self._player = player
            if self._origin is not None:
                self._origin = agreed_header(self._origin, (note,))

    def close(self) -> None:
        """Close the game. What was played stays on disk; a finished episode has its footer."""
        self.log.keep(self.turn)
        self.log.close()

    def _require(self, turn: int, *, person: bool) -> None:
        if turn != self.turn or self.done or self.waits_for_person is not person:
            raise StaleTurn(
                f"turn {turn + 1} has already been taken: look at the screen and choose again"
            )

    def _by_person(
        self,
        action: ChaosOpsAction,
        source: Decider,
        thought: Thought = UNSAID,
        *,
        taken: int | None = None,
    ) -> EpisodeStep:
        part = HumanPart(
            source=source,
            policy=self.roster.copilot_name(self.role) or None,
            hints=self.hints.due,
            suggestion=self.copilot.recorded(taken),
            instruments=self.timing.instruments.taken(self.role),
            board=self.board.taken(self.role),
            **self.timing.attention.fields(),
            **thought.fields(),
        )
        self._policy_trouble = ""
        return self._take(self.hints.charged(action), part)

    def _note(self, **what: Any) -> None:
        if not self.done:
            self.log.note(Note(at_ms=self.timing.at_ms, turn=self.turn, **what))

    def _take(self, action: object, part: HumanPart) -> EpisodeStep:
        step = self._stepper.take(action)
        self.hints.pay(step.action)
        self._humans.append(part)
        self.timing.next_turn()
        self.copilot.drop()
        footer = None
        if step.done:
            footer = new_footer(self._stepper.result(), stars=names_of(stars_in(self)))
        self.log.write(step, part, footer)
        return step


def _suspects_of(scenario: Scenario) -> Suspects:
    """Return the causes that fit each service, of the built-in set and of the incident's folder."""
    from chaosops.scenarios.cause_list import sound_causes

    agents = [agent.name for agent in scenario.incident.automation]
    return suspects_in(scenario.topology, sound_causes(scenario.source.path), agents)
