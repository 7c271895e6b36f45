"""The gates of the whole set and their adversaries, in one table.

The command, the documentation and the tests all use this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, Protocol

from chaosops.env.models import TURN_ORDER, AgentRole, Difficulty
from chaosops.evaluation.adversaries import empty_seat, thoughtful, thoughtless
from chaosops.evaluation.adversaries.base_rates import BaseRates
from chaosops.evaluation.adversaries.composed import Composed
from chaosops.evaluation.adversaries.empty_seat import EmptySeat
from chaosops.evaluation.adversaries.fair import EnoughTime
from chaosops.evaluation.adversaries.false_alarm import OneThreshold
from chaosops.evaluation.adversaries.form import FormReader
from chaosops.evaluation.adversaries.free_text import FreeText
from chaosops.evaluation.adversaries.memoriser import Memoriser
from chaosops.evaluation.adversaries.place import DeepestUnhealthy
from chaosops.evaluation.adversaries.ranking import Ranking
from chaosops.evaluation.adversaries.search import Search
from chaosops.evaluation.adversaries.shotgun import Shotgun
from chaosops.evaluation.adversaries.stands_still import EverybodyPasses
from chaosops.evaluation.adversaries.thoughtful import Thoughtful
from chaosops.evaluation.adversaries.thoughtless import Thoughtless
from chaosops.evaluation.measurement import (
    ALL_LEVELS,
    EASY_UP,
    MEDIUM_UP,
    Figure,
    FigureBound,
    Measurement,
    judge,
)
from chaosops.evaluation.study import Study


class Adversary(Protocol):
    """Measures some gates."""

    def measure(self, study: Study, levels: frozenset[Difficulty], /) -> Mapping[str, Figure]:
        """Measure the figure of each of its gates, by the gate's name.

        Args:
            levels: The levels that count for the figures; rows may have others too.
        """
        ...


class Gate(NamedTuple):
    """A requirement on the set of incidents.

    Attributes:
        what: A description of its figure.
        unit: "share", "points" of reward, or "auc".
    """

    name: str
    what: str
    bound: FigureBound
    unit: str = "share"


class AdversaryGates(NamedTuple):
    """An adversary and its gates.

    Attributes:
        how: A description of what it does.
        levels: The levels of its gates.
        seeds: How many seeds of each incident make its figures stable.
    """

    name: str
    adversary: Adversary
    how: str
    levels: frozenset[Difficulty]
    seeds: int
    gates: tuple[Gate, ...]


_SEATS: Final = (AgentRole.SRE, AgentRole.DEV)
_MOST_RESOLVED: Final = (
    ("passes", 0.10),
    ("accepts", 0.30),
    ("listens", 0.30),
    ("looks once", 0.40),
)

TABLE: Final[tuple[AdversaryGates, ...]] = (
    AdversaryGates(
        "ranking",
        Ranking(),
        "Random, no-op, heuristic, expert and oracle each play all four seats.",
        ALL_LEVELS,
        2,
        (
            Gate(
                "expert resolves",
                "share resolved by the expert, in its worst situation",
                FigureBound(at_least=0.90),
            ),
            Gate(
                "ranking",
                "smallest step in mean reward, at any level, from random and no-op to heuristic, "
                "expert and oracle",
                FigureBound(at_least=0.0),
                "points",
            ),
        ),
    ),
    AdversaryGates(
        "search",
        Search(),
        "Each turn of the oracle's line is replaced by each of up to 20 supported moves, the "
        "oracle plays on from there, and improvements are kept; two passes.",
        ALL_LEVELS,
        1,
        (
            Gate(
                "search",
                "largest gain over the oracle on any truth",
                FigureBound(at_most=2.0),
                "points",
            ),
        ),
    ),
    AdversaryGates(
        "memoriser",
        Memoriser(),
        "It knows 30 other seeds of each incident. SRE investigates once, the metrics of the "
        "deepest unhealthy service; then all four seats play the oracle's line of the most "
        "similar opening.",
        MEDIUM_UP,
        4,
        (
            Gate(
                "memoriser",
                "share resolved, compared with the share of the most common answer",
                FigureBound(at_most=0.20, over_base=True),
            ),
        ),
    ),
    AdversaryGates(
        "free-text",
        FreeText(),
        "Naive Bayes on the text that is visible without an investigation: page, alerts, logs, "
        "changes, audit log and tickets.",
        MEDIUM_UP,
        10,
        (
            Gate(
                "free text",
                "share of causes named, trained on other seeds of the same situations, compared "
                "with the share of the most common cause",
                FigureBound(at_most=0.20, over_base=True),
            ),
            Gate(
                "free text elsewhere",
                "the same, trained on one half of the incidents and tested on the other",
                FigureBound(at_most=0.20, over_base=True),
            ),
        ),
    ),
    AdversaryGates(
        "place",
        DeepestUnhealthy(),
        "It names the worst unhealthy service whose own dependencies are healthy.",
        MEDIUM_UP,
        8,
        (Gate("place", "share of truths located there", FigureBound(at_most=0.60)),),
    ),
    AdversaryGates(
        "form",
        FormReader(),
        "Logistic regression on order, counts and minutes, trained on one half of the incidents "
        "and tested on the other; without the tutorial, whose answers are fixed.",
        EASY_UP,
        20,
        (
            Gate(
                "form: who",
                "share of guilty agents named, compared with chance",
                FigureBound(at_most=0.15, over_base=True),
            ),
            Gate(
                "form: whether",
                "area under the ROC curve for whether an agent is guilty",
                FigureBound(at_most=0.65),
                "auc",
            ),
        ),
    ),
    AdversaryGates(
        "false-alarm",
        OneThreshold(),
        "The best threshold on one number of the opening, trained on one half of the incidents "
        "and tested on the other.",
        ALL_LEVELS,
        20,
        (
            Gate(
                "false alarm",
                "balanced accuracy at telling false alarms from incidents",
                FigureBound(at_most=0.75),
            ),
        ),
    ),
    AdversaryGates(
        "base-rates",
        BaseRates(),
        "It counts how often each verb, each kind of change and each agent's act near the onset "
        "is the answer, if at least five truths offer it at a service that was unhealthy at the "
        "opening.",
        ALL_LEVELS,
        8,
        (
            Gate(
                "base rates",
                "share of them that are right in 15 to 60 % of those truths",
                FigureBound(at_least=1.0),
            ),
        ),
    ),
    AdversaryGates(
        "stands-still",
        EverybodyPasses(),
        "Everyone passes for 30 minutes, or to the end.",
        EASY_UP,
        2,
        (
            Gate(
                "stands still",
                "share that gets worse: a quarter more requests fail, averaged over five minutes, "
                "or one more service is unhealthy",
                FigureBound(at_least=0.90),
            ),
        ),
    ),
    AdversaryGates(
        "fair",
        EnoughTime(),
        "Everyone passes while each telling reading is taken in every turn of a role that may take "
        "it; and each mitigation is taken in the first round.",
        ALL_LEVELS,
        2,
        (
            Gate(
                "fair",
                "share of situations in which a reading settles the cause eight minutes before the "
                "step that is hard to reverse, or earlier",
                FigureBound(at_least=1.0),
            ),
            Gate(
                "easing",
                "share of early mitigations that are no wrong fix",
                FigureBound(at_least=1.0),
            ),
        ),
    ),
    AdversaryGates(
        "thoughtless",
        Thoughtless(),
        "A person in one seat, with steady teammates, who passes; or accepts every proposal; "
        "or listens: accepts, and else orders what the handbook says to the first telling finding "
        "that a teammate shared; or investigates the deepest unhealthy service once (SRE: runtime, "
        "Dev: changes), shares the finding, and then accepts every proposal.",
        MEDIUM_UP,
        2,
        tuple(
            Gate(
                thoughtless.gate_name(role, habit),
                f"share resolved by a team whose {role.value} {habit}",
                FigureBound(at_most=most),
            )
            for role in _SEATS
            for habit, most in _MOST_RESOLVED
        ),
    ),
    AdversaryGates(
        "thoughtful",
        Thoughtful(),
        "A person in one seat of a situation, with steady teammates, who plays as the expert does, "
        "and asks for investigations and pauses that only others can make.",
        MEDIUM_UP,
        2,
        tuple(
            Gate(
                thoughtful.gate_name(role),
                f"share resolved by a team whose {role.value} thinks",
                FigureBound(at_least=0.70),
            )
            for role in _SEATS
        ),
    ),
    AdversaryGates(
        "shotgun",
        Shotgun(),
        "All four seats try the handbook's most common fixes in order, on the deepest unhealthy "
        "service first, without any investigation.",
        MEDIUM_UP,
        6,
        (Gate("shotgun", "share resolved", FigureBound(at_most=0.25)),),
    ),
    AdversaryGates(
        "empty-seat",
        EmptySeat(),
        "One seat of an expert team passes.",
        EASY_UP,
        20,
        tuple(
            Gate(
                empty_seat.gate_name(role),
                f"points lost without {role.value}, at the level where that is smallest",
                FigureBound(at_least=15.0),
                "points",
            )
            for role in TURN_ORDER
        ),
    ),
    AdversaryGates(
        "composed",
        Composed(),
        "Four shortcuts: the fix and the diagnosis that go with the opening alerts on other "
        "seeds; a false alarm wherever the objective is met at the page; the first agent of the "
        "list paused and flagged before an expert team starts; a bot that applies the public "
        "handbook to what it finds.",
        ALL_LEVELS,
        2,
        (
            Gate(
                "composed",
                "largest share of incidents on which one of them scores as well as the expert",
                FigureBound(at_most=0.20),
            ),
        ),
    ),
)
"""Every gate that is measured over a set of incidents."""


def measure(entry: AdversaryGates, study: Study) -> tuple[Measurement, ...]:
    """Let an adversary play, and compare its figures with its gates."""
    figures = entry.adversary.measure(study, entry.levels)
    return tuple(
        judge(gate.name, entry.name, gate.unit, gate.bound, figures[gate.name])
        for gate in entry.gates
    )
