"""Generates a situation: draws drafts until one is proven, and repairs those that almost are."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import count
from typing import Final, NamedTuple

from chaosops.agents.policies import Policy, expert_policy
from chaosops.agents.runner import run_episode
from chaosops.env.engine import ENGINE
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, Difficulty
from chaosops.errors import ScenarioError
from chaosops.evaluation.adversaries.shotgun import try_the_next
from chaosops.evaluation.measurement import MEDIUM_UP
from chaosops.generation.candidates import DraftMaker
from chaosops.generation.cohort import is_escalated
from chaosops.generation.draft import DraftCast, SituationDraft, situation_text
from chaosops.generation.drafts_in_files import open_draft
from chaosops.generation.errors import GenerationError
from chaosops.generation.proof import SEEDS, GateFailure, Prover
from chaosops.generation.spec import SituationSpec
from chaosops.generation.truths import (
    ALIKE,
    PEERS,
    CastTruth,
    OpenedTruth,
    alike,
    most_cures,
    opened,
)
from chaosops.generation.wording import Symptom, word
from chaosops.scenarios.fitting import Placement
from chaosops.scenarios.rendering import ScenarioSource
from chaosops.scenarios.situation import LEAST_CASTS

TRIES: Final = 8
"""How many drafts are drawn for one situation, each of which may be repaired."""

REPAIRS: Final = 6
"""How often truths that fail a gate are taken out of one draft."""

_WIDTH: Final = 96
_CASTS: Final = {
    Difficulty.EASY: (3, 5),
    Difficulty.MEDIUM: (6, 9),
    Difficulty.HARD: (7, 10),
}
_DRAWS: Final = 16
_ROOM: Final = 0.05
_GUESSED: Final = 0.2
"""The share of truths that guessing may resolve in a draft; the gate allows some more."""

_MOSTLY: Final = 0.5
_MOST_GUILTY: Final = 0.35
"""The share of causes that have an agent behind them, above which it could be guessed."""


class GeneratedSituation(NamedTuple):
    """A proven situation, as the files that it consists of.

    Attributes:
        spec: What was asked for.
        text: The text of its file.
        topology_id: The topology that it names.
        topology_text: The text of that topology's file; None if it is built in.
        causes, truths: How many may be behind it: causes, and causes with their places.
        source: The situation, opened.
    """

    spec: SituationSpec
    id: str
    text: str
    topology_id: str
    topology_text: str | None
    causes: int
    truths: int
    source: ScenarioSource


class _TryFailed(Exception):
    """A draft can't be made, or not be proven."""

    def __init__(self, gate: str, words: str) -> None:
        super().__init__(f"{gate}: {words}")


def generate(spec: SituationSpec) -> GeneratedSituation:
    """Generate a situation; the same spec always gives the same files.

    Raises:
        GenerationError: The spec is impossible, or no draft could be proven.
    """
    maker = DraftMaker.of(spec)
    reasons = []
    for number in range(TRIES):
        try:
            return _DraftTry(maker, number).proven()
        except _TryFailed as failed:
            reasons.append(str(failed))
    what = f"seed {spec.seed}, level {spec.level.value} on {maker.fleet.id}"
    raise GenerationError(
        f"{what}: none of {TRIES} drafts could be proven, the last one failed at {reasons[-1]}; "
        "use another seed or another topology"
    )


class _DraftTry:
    """One draft, from the draw to the proof."""

    def __init__(self, maker: DraftMaker, number: int) -> None:
        self._spec = maker.spec
        self._fleet = maker.fleet
        self._draft = maker.draft(number)
        self._dice = maker.dice(number)
        self._env = ChaosOpsEnvironment()

    def proven(self) -> GeneratedSituation:
        """Return the situation if it can be proven.

        Raises:
            _TryFailed: It can't.
        """
        if self._draft is None:
            raise _TryFailed("opens alike", "too few causes fit together")
        draft = self._with_few_casts(self._draft)
        for repairs in count():
            draft, truths = self._opened(draft)
            margins, failure = Prover(truths, self._env, self._dice.of("proof")).prove()
            if failure is None:
                return self._finished(draft, truths, margins)
            if repairs == REPAIRS:
                raise _TryFailed(failure.gate, failure.words)
            draft = self._without(draft, truths, failure)
        raise AssertionError("repairs end")

    def _with_few_casts(self, draft: SituationDraft) -> SituationDraft:
        """Return the draft with those candidates that open alike, and not too many of them.

        What the expert can't resolve is left out, and so is most of what is resolved by guessing.
        """
        candidates = tuple(opened(_open(draft), self._env))
        group = alike([one for one in candidates if all(self._resolved(one, expert_policy))])
        easy = set()
        if draft.level in MEDIUM_UP:
            easy = {one for one in group if any(self._resolved(one, lambda _seed: try_the_next))}
        smaller = draft.with_spots(_spots_of(one.truth for one in self._chosen(group, easy)))
        self._check_count(smaller.casts, "opens alike", "too few causes open alike")
        return smaller

    def _chosen(
        self, group: Sequence[OpenedTruth], easy: Set[OpenedTruth]
    ) -> tuple[OpenedTruth, ...]:
        """Return the truths of some causes of a group: the best of several draws."""
        level = self._spec.level
        names = list(dict.fromkeys(one.truth.cause for one in group))
        found = []
        for number in range(_DRAWS):
            dice = self._dice.of("keep", number)
            kept = set(dice.shuffled(names)[: dice.between(*_CASTS[level])])
            some = tuple(one for one in group if one.truth.cause in kept)
            # With some room if possible, as what the seeds draw changes with the number of causes.
            for is_roomy, likeness, peers in (
                (True, ALIKE + _ROOM, PEERS + 1),
                (False, ALIKE, PEERS),
            ):
                chosen = alike(self._not_too_easy(alike(some, likeness, peers), easy))
                is_enough = most_cures(chosen) >= LEAST_CASTS[level]
                blamed, escalated = _some_are_guilty(chosen), _some_are_escalated(chosen)
                found.append((is_enough, blamed, is_roomy, escalated, len(chosen), chosen))
        return max(found, key=lambda one: one[:5])[5]

    def _not_too_easy(
        self, group: Sequence[OpenedTruth], easy: Set[OpenedTruth]
    ) -> tuple[OpenedTruth, ...]:
        """Return a group with so few truths that guessing resolves that it passes the gate."""
        guessed = [one for one in group if one in easy]
        most = int(_GUESSED * (len(group) - len(guessed)) / (1 - _GUESSED))
        gone = self._dice.of("guessed").shuffled(guessed)[most:]
        return tuple(one for one in group if one not in gone)

    def _resolved(self, one: OpenedTruth, made: Callable[[int], Policy]) -> Iterator[bool]:
        """Yield whether a policy in all seats resolves a truth on each of two seeds."""
        for scenario in one.scenarios[:SEEDS]:
            seats = dict.fromkeys(TURN_ORDER, made(scenario.seed))
            yield run_episode(self._env, scenario, seats).resolved

    def _opened(self, draft: SituationDraft) -> tuple[SituationDraft, tuple[OpenedTruth, ...]]:
        """Return the draft, worded by its symptoms, and its truths.

        Raises:
            _TryFailed: Too few of its truths can be opened, or too few cures end them.
        """
        truths = tuple(opened(_open(draft), self._env))
        least = LEAST_CASTS[draft.level]
        if most_cures(truths) < least:
            raise _TryFailed("opens alike", f"fewer than {least} cures behind one opening")
        causes = [cast.cause for cast in draft.casts]
        wording = word(
            _symptom(truths),
            draft.fleet,
            causes,
            draft.agents,
            draft.length,
            self._dice.of("words"),
        )
        return draft._replace(wording=wording), truths

    def _without(
        self, draft: SituationDraft, truths: Sequence[OpenedTruth], failure: GateFailure
    ) -> SituationDraft:
        """Return the draft without the truths that fail a gate."""
        gone = set(failure.truths)
        smaller = draft.with_spots(_spots_of(one.truth for one in truths if one.truth not in gone))
        self._check_count(smaller.casts, failure.gate, failure.words)
        return smaller

    def _check_count(self, casts: Sequence[DraftCast], gate: str, words: str) -> None:
        if len(casts) < LEAST_CASTS[self._spec.level]:
            raise _TryFailed(gate, words)

    def _finished(
        self, draft: SituationDraft, truths: Sequence[OpenedTruth], margins: Sequence[str]
    ) -> GeneratedSituation:
        head = tuple(_head(self._spec, draft, len(truths), margins))
        return GeneratedSituation(
            self._spec,
            draft.id,
            situation_text(draft, head),
            self._fleet.id,
            self._fleet.text,
            len(draft.casts),
            len(truths),
            _open(draft, head),
        )


def _open(draft: SituationDraft, head: Iterable[str] = ()) -> ScenarioSource:
    """Open a draft.

    Raises:
        _TryFailed: Its file has a problem, such as a name that gives a cause away.
    """
    try:
        return open_draft(draft, head)
    except ScenarioError as error:
        raise _TryFailed("a sound file", str(error)) from None


def _head(
    spec: SituationSpec, draft: SituationDraft, truths: int, margins: Sequence[str]
) -> Iterator[str]:
    """Yield the comment of a file: how it was made, and its margins."""
    command = f"chaosops scenarios generate --seed {spec.seed} --level {spec.level.value}"
    if spec.topology is not None:
        command += f" --topology {spec.topology}"
    if spec.services is not None:
        command += f" --services {spec.services}"
    yield from textwrap.wrap(
        f"A situation made by `{command}`, to be edited as any other. It has {len(draft.casts)} "
        f"causes and {truths} truths, and was proven on a seed of each (engine {ENGINE}). After "
        "a change, prove it again: `chaosops scenarios validate --prove FILE`.",
        _WIDTH,
        break_on_hyphens=False,
    )
    for margin in margins:
        yield from textwrap.wrap(
            f"- {margin}", _WIDTH, subsequent_indent="  ", break_on_hyphens=False
        )


def _symptom(truths: Sequence[OpenedTruth]) -> Symptom:
    """Return what users notice, whichever truth it is."""
    queues = sum(one.scenario.incident.drawn.cause.family == "queues" for one in truths)
    if queues > _MOSTLY * len(truths):
        return Symptom.LATE
    slow = sum(one.is_slow for one in truths) / len(truths)
    if slow > 1 - _MOSTLY / 2:
        return Symptom.SLOW
    return Symptom.ERRORS if slow < _MOSTLY / 2 else Symptom.MIXED


def _some_are_guilty(truths: Iterable[OpenedTruth]) -> bool:
    """Whether an agent is behind some of the causes, and not behind too many of them."""
    causes = {one.truth.cause: one.scenario.incident.drawn.cause for one in truths}
    guilty = sum(cause.agent is not None for cause in causes.values())
    return 0 < guilty <= _MOST_GUILTY * len(causes)


def _some_are_escalated(truths: Iterable[OpenedTruth]) -> bool:
    """Whether one of the causes takes the Manager, whose seat has less to do than the others."""
    return any(is_escalated(one.scenario.incident.drawn.cause) for one in truths)


def _spots_of(truths: Iterable[CastTruth]) -> Mapping[str, list[Placement]]:
    found: dict[str, list[Placement]] = {}
    for truth in truths:
        found.setdefault(truth.cause, []).append(truth.spot)
    return found
