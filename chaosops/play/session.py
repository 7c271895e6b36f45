"""A game in progress: who sits where, whose turn it is, what is on disk. Knows no widget.

The session drives the one stepper. The screen asks it what to do next: wait for a person, or ask
a policy; it hands the answer back together with the turn it was meant for, so that a late or
second answer is refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from chaosops.agents.policies import Policy, pass_turn
from chaosops.agents.runner import EpisodeStep, Stepper
from chaosops.agents.seats import seat_policies
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
from chaosops.files import is_file
from chaosops.play.action_form.suggestions import Offer, offers_of, same_act
from chaosops.play.formatting import ROLE_NAMES, shown
from chaosops.play.game_log import GameLog, Log, open_log, suggested
from chaosops.play.hints import Hints
from chaosops.play.instrument_use import Watched
from chaosops.play.policy_answers import Answer, ask
from chaosops.play.rationale import UNSAID, Thought
from chaosops.play.seats import PASSES, Crew
from chaosops.play.turn_timing import Attended
from chaosops.recording.events import (
    REPLAYED,
    Decider,
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
from chaosops.rewards.reward_fn import HINT_LEVELS, RewardWeights

if TYPE_CHECKING:
    from chaosops.recording.resume import Resumed

__all__ = ["Answer", "Crew", "Session", "StaleTurn", "ask"]


_PASSING: Final = "noop"
"""The policy of a seat that is given to nobody."""


class StaleTurn(ChaosOpsError):
    """An answer to a turn that has been taken."""


class Session(Attended):
    """One episode with its seats and its log.

    Attributes:
        crew: Who sits where now; see `take_over`, `hand_back` and `set_copilot`.
        offers: What each role can be asked for in a proposal.
        began_at: The turn that was the first to be played here; later ones of a game that was
            resumed or forked.
    """

    def __init__(
        self,
        scenario: Scenario,
        crew: Crew,
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
        """Begin an episode and its log, or go on with one that was taken up.

        Args:
            recordings: The folder for the log; None keeps nothing.
            ui: What it is played on.
            player: Who agrees to the use of the data; None where nobody does. A game that is
                resumed keeps what its header says.
            resumed: A game to go on with; its log is written on.
            replayed: Turns of another game of this scenario that are taken again first.
            notes: What was noted in that game before the turn to be played.
        """
        super().__init__(monotonic, wall)
        self.scenario = scenario
        self.crew = crew
        self.offers = offers_of(scenario)
        self._recordings, self._ui, self._player = recordings, ui, player
        self._begin_log = begin_log
        self._hints = Hints()
        self._suggestion: Offer | None = None
        self._policy_trouble = ""
        self._log = GameLog() if resumed is None else GameLog.going_on(resumed)
        self._humans: list[HumanPart] = []
        self._origin = None if resumed is None else resumed.recording.header
        if resumed is not None:
            self._stepper = resumed.stepper
            self._humans = [turn.human for turn in resumed.recording.turns]
            self._hints = Hints(self._log.notes, resumed.stepper.steps)
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
            seats={role: self.crew.seat(role) for role in TURN_ORDER},
            ui=self._ui,
            max_turns=self.observation.view.status.turns,
            player=self._player,
        )
        self._log.begin(self._begin_log, self._recordings, header)

    def _repeat(self, actions: Sequence[ChaosOpsAction], notes: Sequence[Note]) -> None:
        """Take the turns of another game again, and read the hints that were read in it."""
        for turn, action in enumerate(actions):
            for note in notes:
                if note.turn == turn and note.hint is not None:
                    self._read_hint(note.hint)
            if not self._stepper.done:
                self._take(action, HumanPart.scripted(REPLAYED))

    @property
    def observation(self) -> ChaosOpsObservation:
        """What the role whose turn it is sees; after the end, what is left to see."""
        return self._stepper.observation

    def view_of(self, role: AgentRole) -> RoleView:
        """What a role sees now, whoever's turn it is."""
        return self._stepper.view_of(role)

    def watch(self, role: AgentRole | None, watched: Sequence[Watched]) -> None:
        """Keep account of what a person looks at in findings; None is somebody without a seat."""
        if role is not None:
            self.instruments.watch(role, watched)

    @property
    def role(self) -> AgentRole:
        """Whose turn it is."""
        return self._stepper.role

    @property
    def turn(self) -> int:
        """The turn to be taken now, counted from 0."""
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
        """How each of those turns came about."""
        return tuple(self._humans)

    @property
    def resolved(self) -> bool:
        """Whether the incident ended well; False while it lasts."""
        return self.done and self._stepper.result().resolved

    @property
    def waits_for_person(self) -> bool:
        """Whether the turn is a person's."""
        return not self.done and self.role in self.crew.people

    @property
    def recording(self) -> Path | None:
        """The file of the log, where there is one."""
        return self._log.path

    @property
    def is_gone(self) -> bool:
        """Whether the game has a recording whose file is not there any more."""
        return self._log.path is not None and not is_file(self._log.path)

    @property
    def was_remade(self) -> bool:
        """Whether the recording was removed during the game, and written anew."""
        return self._log.was_remade

    def keep(self) -> None:
        """Make sure that the recording is still there, and write it anew where it is not."""
        self._log.keep(self.turn)

    @property
    def saved(self) -> int:
        """So many turns are on disk, the first ones."""
        if self._log.path is None:
            return 0
        return self.turn if self._log.lost is None else self._log.lost

    @property
    def trouble(self) -> str:
        """What a person should know: a disk that failed, a policy that raised; else empty."""
        return "  ".join(part for part in (self._log.trouble, self._policy_trouble) if part)

    @property
    def suggestion(self) -> Offer | None:
        """What the copilot of this turn proposes, once it has."""
        return self._suggestion

    def policy(self) -> Policy:
        """The policy whose turn it is; a seat nobody took passes."""
        return self.crew.policy(self.role)

    def copilot(self) -> Policy | None:
        """The policy that proposes to the person whose turn it is, where there is one."""
        return self.crew.copilots.get(self.role) if self.waits_for_person else None

    def suggest(self, turn: int, answer: Answer) -> Offer | None:
        """Take in what the copilot proposes; None where it came too late or is no action."""
        name = self.crew.copilot_name(self.role)
        if turn != self.turn or self.copilot() is None:
            return None
        if answer.fault or not isinstance(answer.action, ChaosOpsAction):
            fault = answer.fault or "gave no action"
            self._policy_trouble = f"The copilot {fault}; decide without it."
            return None
        action = replace(answer.action, role=self.role)
        self._suggestion = Offer(action, f"copilot {shown(name, 40)}", answer.reason)
        return self._suggestion

    def take_over(self, role: AgentRole) -> None:
        """Put a person into a seat, from the next decision on."""
        self._reseat(role, self.crew.with_person(role))

    def hand_back(self, role: AgentRole, name: str) -> None:
        """Give a seat to a policy of that name, or to nobody, from the next decision on.

        Raises:
            ChaosOpsError: There is no such policy.
        """
        passes = name in (PASSES, _PASSING)
        policy = seat_policies({role: _PASSING if passes else name}, self.scenario)[role]
        self._reseat(role, self.crew.with_policy(role, policy, PASSES if passes else name))

    def set_copilot(self, role: AgentRole, name: str) -> None:
        """Put a person into a seat, and let a policy of that name propose to them.

        Raises:
            ChaosOpsError: There is no such policy.
        """
        policy = seat_policies({role: name}, self.scenario)[role]
        self._reseat(role, self.crew.with_copilot(role, policy, name))

    def _reseat(self, role: AgentRole, crew: Crew) -> None:
        self.crew = crew
        if role is self.role:
            self._suggestion = None
        self._note(role=role, seat=crew.seat(role))

    def fork(self, turn: int) -> Session:
        """Another game that takes the turns before `turn` as here, and goes on from there."""
        before = self.steps[: max(0, turn)]
        player = self._player
        if self._origin is not None:
            parts = [(step.role, part) for step, part in zip(before, self._humans, strict=False)]
            player = who_agrees(self._origin, parts, player)
        return Session(
            self.scenario,
            self.crew,
            recordings=self._recordings,
            ui=self._ui,
            player=player,
            replayed=[step.action for step in before],
            notes=noted_before(self._log.notes, turn),
            begin_log=self._begin_log,
            monotonic=self.monotonic,
            wall=self.wall,
        )

    def hint_text(self, level: int) -> str:
        """Take the hint of a level (1 to 3). Paid once, with the action that follows.

        It is on disk before it can be read, so that it is paid for whatever happens.
        """
        self._read_hint(level)
        self.touched()
        hints = self.scenario.incident.hints
        return (hints.nudge, hints.direction, hints.answer)[level - 1]

    def _read_hint(self, level: int) -> None:
        if level not in self._hints.taken:
            self._hints.read(level)
            self._note(hint=level)

    def hints_taken(self) -> frozenset[int]:
        """The levels that have been read; to read them again is free."""
        return self._hints.taken

    @staticmethod
    def hint_prices() -> dict[int, float]:
        """What each level costs, as a reward."""
        return dict(zip(HINT_LEVELS, RewardWeights().hint_penalties, strict=True))

    @property
    def late(self) -> frozenset[int]:
        """The turns that passed because nobody took them in time."""
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
        """Take a person's turn, and put it on disk.

        Args:
            thought: What the person says of the decision; it is kept, and changes nothing.
            by_program: A program answered in the person's seat, and the log says so.

        Raises:
            StaleTurn: The turn is not this one, or not a person's.
        """
        self._require(turn, person=True)
        offer = self._suggestion
        accepted = offer is not None and same_act(offer.action, replace(action, role=self.role))
        source = Decider.COPILOT if accepted else Decider.HUMAN
        if by_program:
            source = Decider.LLM
        return self._by_person(action, source, thought, accepted=accepted)

    def time_out(self, turn: int) -> EpisodeStep:
        """Pass for a person who did not decide in time, and put that on disk.

        Raises:
            StaleTurn: The turn is not this one, or not a person's.
        """
        self._require(turn, person=True)
        return self._by_person(pass_turn(self.observation, self.role), Decider.TIMEOUT)

    def take_answer(self, turn: int, answer: Answer) -> EpisodeStep:
        """Take a policy's turn, and put it on disk. A policy that failed passes, and is named.

        Raises:
            StaleTurn: The turn is not this one, or is a person's.
        """
        self._require(turn, person=False)
        role = self.role
        if answer.fault:
            self._policy_trouble = (
                f"{ROLE_NAMES[role]}'s policy {answer.fault} in turn {turn + 1}; the seat passed."
            )
            return self._take(pass_turn(self.observation, role), HumanPart.scripted(PASSES))
        name = self.crew.policy_name(role)
        part = HumanPart.scripted(name, by_program=answer.by_program)
        return self._take(answer.action, part)

    def agree(self, player: Player) -> None:
        """The player agrees, after the end, to the use of this game and of what begins with it.

        Raises:
            RecordingError: That cannot be written to the recording.
        """
        if self.recording is not None and self._player is None:
            from chaosops.recording.upkeep import add_note

            name, consent = player
            note = Note(at_ms=self.at_ms, pseudonym=name, consent=consent)
            add_note(self.recording, note)
            self._player = player
            if self._origin is not None:
                self._origin = agreed_header(self._origin, (note,))

    def close(self) -> None:
        """Leave. What was played stays on disk; a finished episode has its footer."""
        self.keep()
        self._log.close()

    def _require(self, turn: int, *, person: bool) -> None:
        if turn != self.turn or self.done or self.waits_for_person is not person:
            raise StaleTurn(f"turn {turn + 1} has been taken: look at the screen and choose again")

    def _by_person(
        self,
        action: ChaosOpsAction,
        source: Decider,
        thought: Thought = UNSAID,
        *,
        accepted: bool = False,
    ) -> EpisodeStep:
        offer, policy = self._suggestion, self.crew.copilot_name(self.role)
        part = HumanPart(
            source=source,
            policy=policy or None,
            hints=self._hints.due,
            suggestion=None if offer is None else suggested(offer, policy, accepted=accepted),
            instruments=self.instruments.taken(self.role),
            **self.attention.fields(),
            **thought.fields(),
        )
        self._policy_trouble = ""
        return self._take(self._hints.charged(action), part)

    def _note(self, **what: Any) -> None:
        if not self.done:
            self._log.note(Note(at_ms=self.at_ms, turn=self.turn, **what))

    def _take(self, action: object, part: HumanPart) -> EpisodeStep:
        step = self._stepper.take(action)
        self._hints.pay(step.action)
        self._humans.append(part)
        self.next_turn()
        self._suggestion = None
        footer = new_footer(self._stepper.result()) if step.done else None
        self._log.write(step, part, footer)
        return step
