"""Plays and records the episodes of `chaosops run`, here or in other processes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from chaosops.agents.isolated import IsolatedSeats
from chaosops.agents.policies import Policy, answered_by_program, trouble_of
from chaosops.agents.registry import Policies
from chaosops.agents.runner import EpisodeResult, PolicyError, passed_episode, run_episode
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, AgentRole, ChaosOpsAction, ChaosOpsObservation
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.process_figures import process_of
from chaosops.version import __version__

Row = dict[str, Any]
"""An episode as `chaosops run --json` prints it."""

Answers = dict[int, bool]
"""For each turn that a policy decided, whether the policy consulted another program."""

_NOBODY: Final = "noop"
"""The policy recorded for turns that nobody decided."""


class EpisodePlayer:
    """Plays the scenario of a number on a seed, records the episode, and returns its row."""

    def __init__(
        self,
        scenarios: Sequence[Scenario],
        policies: dict[AgentRole, str],
        recordings: Path | None = None,
        registry: Policies | None = None,
        *,
        isolated: bool = False,
    ) -> None:
        """Choose what is played.

        Args:
            policies: The policy of each role; a role without one passes.
            recordings: The folder for recordings; None for none.
            registry: Makes the policies by name; by default all but those of a family.
            isolated: Whether policies that are not built in play in processes of their own.
        """
        self._scenarios = tuple(scenarios)
        self._policies = policies
        self._recordings = recordings
        self._registry = registry or Policies()
        self._isolated = IsolatedSeats(self._registry) if isolated else None
        self._env = ChaosOpsEnvironment()

    def __call__(self, episode: tuple[int, int]) -> Row:
        """Play an episode, given by the scenario's number and the seed.

        Raises:
            RecordingError: The recording can't be written.
        """
        scenario = self._scenario(episode)
        answers: Answers = {}
        if self._isolated is None:
            policies = seat_policies(self._policies, scenario, self._registry)
        else:
            policies = self._isolated.seat(self._policies, scenario)
        seats = {role: _noted(policy, answers) for role, policy in policies.items()}
        try:
            result = recorded = run_episode(self._env, scenario, seats)
        except PolicyError as error:
            result, recorded = error.play_on(), error.result
        if self._recordings is not None and recorded.steps:
            _record(self._recordings, recorded, self._policies, answers)
        return row_of(result)

    def close(self) -> None:
        """End the processes of isolated policies."""
        if self._isolated is not None:
            self._isolated.close()

    def passed(self, episode: tuple[int, int], how: str) -> Row:
        """Return the row of an episode whose process died, as if everyone had passed.

        Args:
            how: How the process ended.
        """
        return row_of(passed_episode(self._scenario(episode), how))

    def _scenario(self, episode: tuple[int, int]) -> Scenario:
        number, seed = episode
        return self._scenarios[number].with_seed(seed)


def row_of(result: EpisodeResult) -> Row:
    """Return the row of an episode."""
    cause = result.declared_root_cause
    return {
        "kind": "episode",
        "scenario": result.scenario.id,
        "seed": result.scenario.seed,
        "resolved": result.resolved,
        "mttr": result.mttr_steps if result.resolved else None,
        "turns": result.final_step,
        "reward": result.cumulative_reward,
        "wrong_fixes": result.wrong_fixes,
        "flags": list(result.oversight_flags),
        "diagnosis": None if cause is None else str(cause),
        **process_of(result)._asdict(),
        "error": result.error or None,
    }


def _noted(policy: Policy, answers: Answers) -> Policy:
    """Wrap a policy to note for each answer whether it came from another program."""

    def answer(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        action = policy(observation, role)
        if not trouble_of(policy):
            answers[observation.step] = answered_by_program(policy)
        return action

    return answer


def _record(
    folder: Path, result: EpisodeResult, policies: dict[AgentRole, str], answers: Answers
) -> None:
    from chaosops.recording.event_log import EventLogWriter
    from chaosops.recording.events import (
        HumanPart,
        Seat,
        SeatKind,
        Ui,
        new_footer,
        new_header,
    )

    names = {role: policies.get(role, _NOBODY) for role in TURN_ORDER}
    header = new_header(
        result.scenario,
        seats={role: Seat(kind=SeatKind.SCRIPTED, policy=names[role]) for role in TURN_ORDER},
        ui=Ui(name="chaosops run", version=__version__),
        max_turns=result.scenario.max_steps * len(TURN_ORDER),
    )
    with EventLogWriter.create(folder, header) as log:
        for frame in result.steps:
            by_program = answers.get(frame.turn)
            name = _NOBODY if by_program is None else names[frame.role]
            log.turn(frame, HumanPart.scripted(name, by_program=bool(by_program)))
        log.finish(new_footer(result))
