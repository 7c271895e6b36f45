"""The models of an event log besides frames: header, human part of a turn, footer, notes.

Times are milliseconds: `*_at_ms` since the epoch, `latency_ms` on a monotonic clock. Nothing
here names a machine, an account or a person.
"""

from __future__ import annotations

import platform
import uuid
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, NamedTuple

from pydantic import Field, StringConstraints

from chaosops.env.engine import ENGINE
from chaosops.env.models import TURN_ORDER, AgentRole, Difficulty, FailureType
from chaosops.env.models.failures import CauseName
from chaosops.recording.board_marks import MAX_MARKS, BoardMark
from chaosops.recording.instrument_looks import MAX_LOOKS, InstrumentLook
from chaosops.recording.layout import columns
from chaosops.recording.parts import (
    FREE_TEXT,
    Count,
    Duration,
    GrownPart,
    HintLevel,
    Label,
    Part,
    Quality,
    Scale,
    Sha256,
    StarName,
    Sum,
    Text,
)
from chaosops.recording.suggestions import Suggestion
from chaosops.recording.times import Millis, now_ms
from chaosops.recording.turn_sources import Decider, TurnSource
from chaosops.scenarios.carryover import Carryover
from chaosops.scenarios.renamed_ids import current_id
from chaosops.version import __version__

if TYPE_CHECKING:
    from chaosops.agents.runner import EpisodeResult
    from chaosops.env.world_sim import Scenario

SCHEMA_VERSION: Final = 1
"""The version of the format that this code writes, and the only one that it reads."""

MAX_TURNS: Final = 10_000
"""The most turns of a log."""

MAX_NOTES: Final = 1_000
"""The most notes of a log."""


class SeatKind(StrEnum):
    """Who sits in a seat: a person, a policy, or a person to whom a policy makes proposals."""

    HUMAN = "human"
    SCRIPTED = "scripted"
    COPILOT = "copilot"


class Seat(GrownPart):
    """Who plays a role."""

    LATER: ClassVar[frozenset[str]] = frozenset({"shot_clock"})

    kind: SeatKind = Field(description="A person, a policy, or a person with a copilot.")
    policy: Label | None = Field(default=None, description="The policy's name, if there is one.")
    shot_clock: Annotated[int, Field(ge=1, le=86_400)] | None = Field(
        default=None,
        description="Seconds per turn for a person in this seat; left out if there is no limit.",
    )


class Ui(Part):
    """The user interface that a game was played with."""

    name: Label = Field(description="The front end, such as tui or plain.")
    version: Label = Field(description="Its version.")
    columns: Count = Field(default=0, description="Width of the terminal in cells.")
    rows: Count = Field(default=0, description="Height of the terminal in cells.")
    theme: Label = Field(default="", description="The theme.")


class ConsentScope(StrEnum):
    """What may be used: what a player did and when, or also the words the player wrote."""

    ACTIONS = "actions"
    FREE_TEXT = "free_text"


class Consent(Part):
    """What the player agreed to, in which version of the words, and when."""

    version: Annotated[int, Field(ge=1)] = Field(description="Version of the words agreed to.")
    scopes: tuple[ConsentScope, ...] = Field(description="What was agreed to.")
    given_at_ms: Millis = Field(description="When.")


class Header(GrownPart):
    """The first line of a log: what is played, by whom, on what."""

    LATER: ClassVar[frozenset[str]] = frozenset(
        {"failure_type", "incident_sha256", "topology_sha256", "engine", "carryover"}
    )

    schema_version: Literal[1] = Field(
        default=SCHEMA_VERSION, description="Version of this format."
    )
    episode_id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")] = Field(
        description="A random id, unique to this recording."
    )
    scenario: Label = Field(description="The scenario's id.")
    seed: Annotated[int, Field(ge=0, lt=2**32)] = Field(
        description="The seed, which selects the scenario's variant."
    )
    failure_type: FailureType | None = Field(
        default=None,
        description="The failure type that the causes are drawn from; left out where the seed "
        "draws any.",
    )
    difficulty: Difficulty = Field(description="The level, which par and budgets depend on.")
    max_turns: Annotated[
        int, Field(ge=len(TURN_ORDER), le=MAX_TURNS, multiple_of=len(TURN_ORDER))
    ] = Field(description="The most turns of the episode: whole rounds of the four roles.")
    scenario_sha256: Sha256 = Field(
        description="Hash of the scenario and its topology. It tells another version of them from "
        "an edited log."
    )
    incident_sha256: Sha256 | None = Field(
        default=None, description="Hash of the scenario alone; left out in older logs."
    )
    topology_sha256: Sha256 | None = Field(
        default=None, description="Hash of its topology; left out in older logs."
    )
    chaosops: Label = Field(description="Version of chaosops that wrote the log.")
    engine: Annotated[int, Field(ge=1, le=10**6)] | None = Field(
        default=None,
        description="Number of the engine that made the frames, raised with every change of "
        "frames; left out in logs of engine 1.",
    )
    python: Label = Field(description="Version of Python.")
    ui: Ui = Field(description="The front end it was played in.")
    carryover: Carryover | None = Field(
        default=None,
        description="What an incident of a shift takes over from those before it; left out outside "
        "of a shift.",
    )
    seats: dict[AgentRole, Seat] = Field(description="Who plays each role.")
    pseudonym: Label | None = Field(
        default=None, description="Random pseudonym of a player who agreed to the use of the data."
    )
    consent: Consent | None = Field(default=None, description="What that player agreed to.")
    started_at_ms: Millis = Field(description="When the episode started.")
    columns: dict[str, tuple[str, ...]] = Field(
        description="The columns of each kind of row in the frames."
    )

    @property
    def current_scenario(self) -> str:
        """The current id of the scenario; `scenario` is its id at the time of the game."""
        return current_id(self.scenario)


REPLAYED: Final = "replayed"
"""The policy named in the turns that a fork repeats, whoever took them."""


class HumanPart(Part):
    """How an action came about. All that is not deterministic in a turn is here."""

    source: Decider = Field(description="Who made the decision.")
    policy: Label | None = Field(default=None, description="The policy that decided or suggested.")
    shown_at_ms: Millis | None = Field(
        default=None, description="When the turn was shown; null if nobody saw it."
    )
    first_input_at_ms: Millis | None = Field(
        default=None, description="When the player first pressed a key or clicked."
    )
    submitted_at_ms: Millis | None = Field(
        default=None, description="When the action was submitted."
    )
    latency_ms: Duration | None = Field(
        default=None,
        description="Time from shown to submitted, without pauses, by a monotonic clock.",
    )
    invalid_attempts: Count = Field(
        default=0, description="Number of actions refused before this one."
    )
    hints: tuple[HintLevel, ...] = Field(
        default=(), description="Levels of the hints read in this turn."
    )
    help_opened: Count = Field(default=0, description="How often help was opened in this turn.")
    panes: tuple[Label, ...] = Field(
        default=(), description="The panes opened in this turn, in order."
    )
    instruments: tuple[InstrumentLook, ...] = Field(
        default=(),
        max_length=MAX_LOOKS,
        description="Parts of findings that were opened since the role's previous turn, in order.",
    )
    board: tuple[BoardMark, ...] | None = Field(
        default=None,
        max_length=MAX_MARKS,
        description="What was changed on the case board since the role's previous turn; left out "
        "if nothing was.",
    )
    suggestion: Suggestion | None = Field(default=None, description="The copilot's suggestion.")
    rationale: Text | None = Field(
        default=None,
        description="The player's reason, in their own words.",
        json_schema_extra=dict(FREE_TEXT),
    )
    confidence: Scale | None = Field(
        default=None, description="The player's confidence, from 0 to 100."
    )

    @property
    def taken_by(self) -> TurnSource:
        """Who took the turn."""
        return TurnSource.of(self.source, with_proposal=self.suggestion is not None)

    @cached_property
    def written(self) -> Mapping[str, Any]:
        """What is written: what differs from the defaults."""
        return self.model_dump(exclude_defaults=True)

    @classmethod
    def scripted(cls, policy: str, *, by_program: bool = False) -> HumanPart:
        """Return the human part of a turn by a policy, or by the program that it asked."""
        return cls(source=Decider.LLM if by_program else Decider.SCRIPTED, policy=policy)


class EndReason(StrEnum):
    """Why a log was closed. A game that can be resumed is not closed and has no footer."""

    RESOLVED = "resolved"
    OUT_OF_TURNS = "out_of_turns"
    ABANDONED = "abandoned"
    POLICY_ERROR = "policy_error"


class Workload(Part):
    """The player's own rating of the load: the six raw NASA-TLX scales, each from 0 to 100."""

    mental: Scale = Field(description="Mental demand: how much thinking it took.")
    physical: Scale = Field(description="Physical demand: how much manual effort it took.")
    temporal: Scale = Field(description="Temporal demand: how rushed it felt.")
    performance: Scale = Field(
        description="Performance: how badly it went; 0 is perfect, 100 is failure."
    )
    effort: Scale = Field(description="Effort: how hard it was to get that result.")
    frustration: Scale = Field(description="Frustration: how annoying it was.")


class Footer(GrownPart):
    """The last line of a game: how it ended."""

    LATER: ClassVar[frozenset[str]] = frozenset({"stars"})

    reason: EndReason = Field(description="Why the log was closed.")
    resolved: bool = Field(description="Whether the incident was resolved.")
    turns: Count = Field(description="Number of turns in the log.")
    cumulative_reward: Sum = Field(description="The sum of the turns' rewards.")
    wrong_fixes: Count = Field(
        description="Number of fixes that neither cleared nor mitigated anything."
    )
    oversight_flags: tuple[Label, ...] = Field(default=(), description="Flagged agents.")
    declared_root_cause: CauseName | None = Field(default=None, description="The last diagnosis.")
    ended_at_ms: Millis = Field(description="When it was closed.")
    stars: tuple[StarName, ...] | None = Field(
        default=None, description="The stars that people earned; left out if none took a turn."
    )
    submitted: bool = Field(
        default=True, description="False if the player doesn't want the episode to be used."
    )


class Note(GrownPart):
    """Anything but a turn: a later opinion after the footer, or what was done between two turns.

    There can be several opinions; the last value counts.
    """

    LATER: ClassVar[frozenset[str]] = frozenset(
        {"turn", "hint", "role", "seat", "pseudonym", "consent"}
    )

    at_ms: Millis = Field(description="When the note was written.")
    turn: Count | None = Field(
        default=None,
        description="The number of the next turn; left out after the footer.",
    )
    hint: HintLevel | None = Field(
        default=None,
        description="Level of a hint that was read; its cost is part of the player's next action.",
    )
    role: AgentRole | None = Field(default=None, description="The role whose seat changed hands.")
    seat: Seat | None = Field(default=None, description="Who plays that seat from then on.")
    workload: Workload | None = Field(
        default=None, description="The player's rating of the workload."
    )
    quality: Quality | None = Field(
        default=None, description="How good an example the episode is, from 1 to 5."
    )
    comment: Text | None = Field(
        default=None,
        description="The player's comment, in their own words.",
        json_schema_extra=dict(FREE_TEXT),
    )
    submitted: bool | None = Field(
        default=None,
        description="False discards the episode: it is kept, but not used in stats and data sets.",
    )
    pseudonym: Label | None = Field(
        default=None,
        description="A player who agreed after the game to its use; counts where the header "
        "names none.",
    )
    consent: Consent | None = Field(default=None, description="What that player agreed to.")


class Opinion(NamedTuple):
    """What the player, or someone later, thinks of a finished episode; see `Note`."""

    workload: Workload | None = None
    quality: int | None = None
    comment: str | None = None
    submitted: bool = True


def opinion_of(footer: Footer | None, notes: Iterable[Note]) -> Opinion:
    """Merge footer and notes; the last value counts."""
    opinion = Opinion(submitted=footer is None or footer.submitted)
    for note in notes:
        said = {name: getattr(note, name) for name in Opinion._fields}
        opinion = opinion._replace(
            **{name: value for name, value in said.items() if value is not None}
        )
    return opinion


def agreed_header(header: Header, notes: Iterable[Note]) -> Header:
    """Return the header with the player who agreed after the game, if it names none."""
    for note in notes:
        if header.consent is None and note.pseudonym is not None and note.consent is not None:
            changes = {"pseudonym": note.pseudonym, "consent": note.consent}
            header = header.model_copy(update=changes)
    return header


def noted_before(notes: Iterable[Note], turn: int) -> tuple[Note, ...]:
    """Return the notes before a turn."""
    return tuple(note for note in notes if note.turn is not None and note.turn < turn)


class Player(NamedTuple):
    """A player who agreed to the use of the data, as in the header."""

    pseudonym: str
    consent: Consent


def new_header(
    scenario: Scenario,
    *,
    seats: Mapping[AgentRole, Seat],
    ui: Ui,
    max_turns: int,
    player: Player | None = None,
) -> Header:
    """Make the header of an episode that begins now.

    Args:
        player: Who agreed to the use of the data; None if nobody did.
    """
    return Header(
        episode_id=uuid.uuid4().hex,
        scenario=scenario.id,
        seed=scenario.seed,
        failure_type=scenario.source.drawing.only,
        difficulty=scenario.difficulty,
        max_turns=max_turns,
        scenario_sha256=scenario.content_hash,
        incident_sha256=scenario.source.incident_hash,
        topology_sha256=scenario.source.topology_hash,
        chaosops=__version__,
        engine=ENGINE,
        carryover=scenario.carryover,
        python=platform.python_version(),
        ui=ui,
        seats=dict(seats),
        pseudonym=None if player is None else player.pseudonym,
        consent=None if player is None else player.consent,
        started_at_ms=now_ms(),
        columns=columns(),
    )


def new_footer(
    result: EpisodeResult,
    *,
    reason: EndReason | None = None,
    submitted: bool = True,
    stars: tuple[StarName, ...] | None = None,
) -> Footer:
    """Make the footer of an episode that ends now.

    Args:
        result: `Stepper.result()`.
        reason: By default from the result: resolved, out of turns, cut off, or an error.
        stars: What people earned in it; None if none played to the end.
    """
    if reason is None:
        ended = EndReason.ABANDONED if result.truncated else EndReason.OUT_OF_TURNS
        ended = EndReason.RESOLVED if result.resolved else ended
        reason = EndReason.POLICY_ERROR if result.error else ended
    outcome: dict[str, Any] = outcome_of(result)
    return Footer(reason=reason, ended_at_ms=now_ms(), submitted=submitted, stars=stars, **outcome)


def outcome_of(result: EpisodeResult) -> dict[str, Any]:
    """Return the fields of a footer that repeat the engine's results."""
    return {
        "resolved": result.resolved,
        "turns": len(result.steps),
        "cumulative_reward": result.cumulative_reward,
        "wrong_fixes": result.wrong_fixes,
        "oversight_flags": tuple(result.oversight_flags),
        "declared_root_cause": result.declared_root_cause,
    }
