"""A game in progress: who sits where, whose turn it is, what is on disk. Knows no widget.

The session drives the one stepper. The screen asks it what to do next: wait for a person, or ask
a policy; it hands the answer back together with the turn it was meant for, so that a late or
second answer is refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Protocol

from chaosops.agents.policies import Policy, pass_turn
from chaosops.agents.runner import EpisodeStep, Stepper
from chaosops.env.actions import HINT, ActionBook
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    VerbChoice,
)
from chaosops.env.world_sim import Scenario
from chaosops.errors import ChaosOpsError, RecordingError
from chaosops.recording.event_log import EventLogWriter
from chaosops.recording.events import (
    Decider,
    Footer,
    Header,
    HumanPart,
    Seat,
    SeatKind,
    Ui,
    new_footer,
    new_header,
)
from chaosops.rewards.reward_fn import HINT_LEVELS, RewardWeights

PASSES = "nobody"
"""The name of the policy of a seat that nobody took."""


class StaleTurn(ChaosOpsError):
    """An answer to a turn that has been taken."""


class Log(Protocol):
    """Where the turns are written; `EventLogWriter` is one."""

    path: Path

    def turn(self, frame: EpisodeStep, human: HumanPart) -> None:
        """Write a turn; raises RecordingError."""

    def finish(self, footer: Footer) -> None:
        """Write the footer and close; raises RecordingError."""

    def close(self) -> None:
        """Close without a footer."""


def open_log(folder: Path, header: Header) -> Log:
    """Begin an event log in a folder; raises RecordingError."""
    return EventLogWriter.create(folder, header)


@dataclass(frozen=True)
class Crew:
    """Who plays: people in some seats, named policies in others; an empty seat passes."""

    people: frozenset[AgentRole]
    teammates: Mapping[AgentRole, Policy]
    names: Mapping[AgentRole, str]

    def seat(self, role: AgentRole) -> Seat:
        """The seat as the recording has it."""
        if role in self.people:
            return Seat(kind=SeatKind.HUMAN)
        return Seat(kind=SeatKind.SCRIPTED, policy=self.policy_name(role))

    def policy_name(self, role: AgentRole) -> str:
        """What the policy of a seat is called."""
        if role not in self.teammates:
            return PASSES
        return self.names.get(role, "policy")

    def words(self) -> dict[AgentRole, str]:
        """A short word for each seat, for the header."""
        return {
            role: "you" if role in self.people else self.policy_name(role) for role in TURN_ORDER
        }


@dataclass(frozen=True)
class Answer:
    """What a policy came up with: an action, or the reason why there is none."""

    action: object = None
    fault: str = ""


@dataclass
class _Attention:
    """What a person did in the turn so far; times as the recording wants them."""

    shown_at: int | None = None
    shown_clock: float = 0.0
    first_input_at: int | None = None
    refused: int = 0
    helped: int = 0


class Session:
    """One episode with its seats and its log.

    Attributes:
        trouble: What a person should know: a policy that raised, a disk that failed; else empty.
    """

    def __init__(
        self,
        scenario: Scenario,
        crew: Crew,
        *,
        recordings: Path | None,
        ui: Ui,
        begin_log: Callable[[Path, Header], Log] = open_log,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        """Reset the environment and begin the log.

        Args:
            recordings: The folder for the log; None keeps nothing.
            ui: What it is played on.
        """
        self.scenario = scenario
        self.crew = crew
        self._stepper = Stepper(ChaosOpsEnvironment(), scenario)
        self._monotonic, self._wall = monotonic, wall
        self._attention = _Attention()
        self._panes: dict[str, None] = {}
        self._hints: dict[int, bool] = {}
        self._policy_trouble = ""
        self._disk_trouble = ""
        self._log: Log | None = None
        self.offers = _offers(scenario)
        if recordings is not None:
            seats = {role: crew.seat(role) for role in TURN_ORDER}
            turns = self.observation.view.status.turns
            header = new_header(scenario, seats=seats, ui=ui, max_turns=turns)
            try:
                self._log = begin_log(recordings, header)
            except RecordingError as error:
                self._disk_trouble = f"This game is not recorded: {error}"

    @property
    def observation(self) -> ChaosOpsObservation:
        """What the role whose turn it is sees; after the end, what is left to see."""
        return self._stepper.observation

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
        return None if self._log is None else self._log.path

    @property
    def trouble(self) -> str:
        """What a person should know: a disk that failed, a policy that raised; else empty."""
        return "  ".join(part for part in (self._disk_trouble, self._policy_trouble) if part)

    def policy(self) -> Policy:
        """The policy whose turn it is; a seat nobody took passes."""
        return self.crew.teammates.get(self.role, pass_turn)

    def hint_text(self, level: int) -> str:
        """Take the hint of a level (1 to 3). Paid once, with the action that follows."""
        hints = self.scenario.incident.hints
        text = (hints.nudge, hints.direction, hints.answer)[level - 1]
        self._hints.setdefault(level, False)
        self.touched()
        return text

    def hints_taken(self) -> frozenset[int]:
        """The levels that have been read; to read them again is free."""
        return frozenset(self._hints)

    @staticmethod
    def hint_prices() -> dict[int, float]:
        """What each level costs, as a reward."""
        return dict(zip(HINT_LEVELS, RewardWeights().hint_penalties, strict=True))

    def shown(self) -> None:
        """A person sees the turn from now on."""
        self._attention = _Attention(shown_at=self._now(), shown_clock=self._monotonic())
        self._panes = {}

    def touched(self) -> None:
        """A person began to act; only the first time in a turn counts."""
        if self._attention.first_input_at is None:
            self._attention.first_input_at = self._now()

    def refused(self) -> None:
        """Something was tried that cannot be done."""
        self._attention.refused += 1

    def help_opened(self) -> None:
        """A person asked for an explanation."""
        self._attention.helped += 1

    def panes_opened(self, names: Iterable[str]) -> None:
        """Panes came into view."""
        self._panes.update(dict.fromkeys(names))

    def submit(self, turn: int, action: ChaosOpsAction) -> EpisodeStep:
        """Take a person's turn, and put it on disk.

        Raises:
            StaleTurn: The turn is not this one, or not a person's.
        """
        if turn != self.turn or not self.waits_for_person:
            raise StaleTurn(f"turn {turn + 1} has been taken: look at the screen and choose again")
        unpaid = tuple(sorted(level for level, paid in self._hints.items() if not paid))
        if unpaid:
            action = replace(action, args={**action.args, HINT: unpaid})
            self._hints.update(dict.fromkeys(unpaid, True))
        seen = self._attention
        waited = round((self._monotonic() - seen.shown_clock) * 1000)
        part = HumanPart(
            source=Decider.HUMAN,
            shown_at_ms=seen.shown_at,
            first_input_at_ms=seen.first_input_at,
            submitted_at_ms=self._now(),
            latency_ms=None if seen.shown_at is None else max(0, waited),
            invalid_attempts=seen.refused,
            hints=unpaid,
            help_opened=seen.helped,
            panes=tuple(self._panes),
        )
        self._policy_trouble = ""
        return self._take(action, part)

    def take_answer(self, turn: int, answer: Answer) -> EpisodeStep:
        """Take a policy's turn, and put it on disk. A policy that failed passes, and is named.

        Raises:
            StaleTurn: The turn is not this one, or is a person's.
        """
        if turn != self.turn or self.done or self.waits_for_person:
            raise StaleTurn(f"turn {turn + 1} has been taken")
        role = self.role
        part = HumanPart.scripted(self.crew.policy_name(role))
        if answer.fault:
            self._policy_trouble = (
                f"{role.value}'s policy {answer.fault} in turn {turn + 1}; the seat passed."
            )
            return self._take(pass_turn(self.observation, role), part)
        return self._take(answer.action, part)

    def close(self) -> None:
        """Leave. What was played stays on disk; a finished episode has its footer."""
        if self._log is not None:
            self._log.close()

    def _take(self, action: object, part: HumanPart) -> EpisodeStep:
        step = self._stepper.take(action)
        self._attention = _Attention()
        if self._log is not None:
            try:
                self._log.turn(step, part)
                if step.done:
                    self._log.finish(new_footer(self._stepper.result()))
                self._disk_trouble = ""
            except RecordingError as error:
                self._disk_trouble = f"Not recorded from turn {step.turn + 1} on: {error}"
        return step

    def _now(self) -> int:
        return max(0, int(self._wall() * 1000))


class _Fault(AbstractContextManager["_Fault"]):
    """Keeps an error from going further, whatever it is, and what to say about it."""

    text = ""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if isinstance(error, Exception):
            self.text = f"raised {type(error).__name__}: {error}"
        return isinstance(error, Exception)


def ask(policy: Policy, observation: ChaosOpsObservation, role: AgentRole) -> Answer:
    """A policy's answer, whatever it does. May take as long as the policy likes."""
    action: object = None
    with _Fault() as fault:
        action = policy(observation, role)
    return Answer(action, fault.text)


def _offers(scenario: Scenario) -> dict[AgentRole, tuple[VerbChoice, ...]]:
    """What each role can be asked for, by what is public: the fleet and its agents' names."""
    agents = tuple(sorted(agent.name for agent in scenario.incident.automation))
    book = ActionBook(scenario.topology, agents)
    return {role: book.allowed(role, (), ()) for role in TURN_ORDER}
