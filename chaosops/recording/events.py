"""What an event log says besides the frames: its header, the human part of a turn, its footer.

Times are milliseconds: `*_at_ms` since the epoch, `latency_ms` on a monotonic clock. Nothing
here names a machine, an account or a person.
"""

from __future__ import annotations

import platform
import time
import uuid
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from chaosops.env.models import MAX_TEXT, AgentRole, FailureType
from chaosops.env.text_safety import clean
from chaosops.version import __version__

if TYPE_CHECKING:
    from chaosops.agents.runner import EpisodeResult
    from chaosops.env.world_sim import Scenario

SCHEMA_VERSION: Final = 1
"""The version of the log this code writes, and the only one it reads."""


def _cleaned(value: object) -> object:
    return clean(value) if isinstance(value, str) else value


Label = Annotated[str, BeforeValidator(_cleaned), StringConstraints(max_length=200)]
Text = Annotated[str, BeforeValidator(_cleaned), StringConstraints(max_length=MAX_TEXT)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Millis = Annotated[int, Field(ge=0, le=2**53)]
Count = Annotated[int, Field(ge=0, le=10**6)]


class Part(BaseModel):
    """A part of an event: immutable, exactly typed, and unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class SeatKind(StrEnum):
    """Who sits in a seat: a person, a policy, or a person to whom a policy makes proposals."""

    HUMAN = "human"
    SCRIPTED = "scripted"
    COPILOT = "copilot"


class Seat(Part):
    """Who plays a role. `policy` is the name of the policy, where there is one."""

    kind: SeatKind
    policy: Label | None = None


class Ui(Part):
    """What the game was played on; `columns` and `rows` are the terminal's size in cells."""

    name: Label
    version: Label
    columns: Count = 0
    rows: Count = 0
    theme: Label = ""


class Consent(Part):
    """What the player agreed to, in which version of the words, and when."""

    version: Annotated[int, Field(ge=1)]
    scope: Label
    given_at_ms: Millis


class Header(Part):
    """The first line of a log: what is played, by whom, on what.

    Attributes:
        episode_id: Random, 32 hex digits; the same in no other log.
        scenario: The scenario's id.
        max_turns: Turns the episode may last.
        scenario_sha256: `Scenario.content_hash`, which tells another version of a scenario from
            a log that was tampered with.
        seats: Who plays each role.
        pseudonym: Random, of a player who agreed to the use of the data.
    """

    schema_version: Literal[1] = SCHEMA_VERSION
    episode_id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
    scenario: Label
    seed: Annotated[int, Field(ge=0, lt=2**32)]
    max_turns: Annotated[int, Field(ge=1, le=10**6)]
    scenario_sha256: Sha256
    chaosops: Label
    python: Label
    ui: Ui
    seats: dict[AgentRole, Seat]
    pseudonym: Label | None = None
    consent: Consent | None = None
    started_at_ms: Millis


class Decider(StrEnum):
    """Whose decision an action was; `timeout` is a turn that passed because nobody decided."""

    HUMAN = "human"
    SCRIPTED = "scripted"
    COPILOT = "copilot"
    LLM = "llm"
    TIMEOUT = "timeout"


class Suggestion(Part):
    """What a copilot proposed, and whether that is what was done."""

    policy: Label
    action_type: Label
    target: Label | None = None
    reason: Text = ""
    accepted: bool


class HumanPart(Part):
    """How an action came about. All that is not deterministic in a turn is here.

    Attributes:
        policy: The name of the policy that decided, or proposed.
        shown_at_ms, first_input_at_ms, submitted_at_ms: None where nobody looked or typed.
        latency_ms: From shown to submitted, pauses left out.
        invalid_attempts: Actions that were refused before this one.
        hints: Levels of the hints that were read in this turn.
        help_opened: How often help was opened in this turn.
        panes: The panes that were open in this turn, in the order of opening.
        rationale: Why, in the player's own words.
        confidence: How sure the player was, from 0 to 100.
    """

    source: Decider
    policy: Label | None = None
    shown_at_ms: Millis | None = None
    first_input_at_ms: Millis | None = None
    submitted_at_ms: Millis | None = None
    latency_ms: Millis | None = None
    invalid_attempts: Count = 0
    hints: tuple[Annotated[int, Field(ge=1, le=3)], ...] = ()
    help_opened: Count = 0
    panes: tuple[Label, ...] = ()
    suggestion: Suggestion | None = None
    rationale: Text | None = None
    confidence: Annotated[int, Field(ge=0, le=100)] | None = None

    @classmethod
    def scripted(cls, policy: str) -> HumanPart:
        """The part of a turn that a policy took by itself."""
        return cls(source=Decider.SCRIPTED, policy=policy)


class EndReason(StrEnum):
    """Why a log was closed. A game that may be resumed is not closed, and has no footer."""

    RESOLVED = "resolved"
    OUT_OF_TURNS = "out_of_turns"
    ABANDONED = "abandoned"
    POLICY_ERROR = "policy_error"


Scale = Annotated[int, Field(ge=0, le=100)]


class Workload(Part):
    """The player's own rating of the load (NASA-TLX, raw), each scale from 0 to 100."""

    mental: Scale
    physical: Scale
    temporal: Scale
    performance: Scale
    effort: Scale
    frustration: Scale


class Footer(Part):
    """The last line of a closed log: how it ended.

    Attributes:
        turns: Turns in the log.
        cumulative_reward: The sum of their rewards.
        submitted: False where the player discarded the episode.
    """

    reason: EndReason
    resolved: bool
    turns: Count
    cumulative_reward: float
    wrong_fixes: Count
    oversight_flags: tuple[Label, ...] = ()
    declared_root_cause: FailureType | None = None
    ended_at_ms: Millis
    rating: Workload | None = None
    comment: Text | None = None
    submitted: bool = True


def now_ms() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def new_header(
    scenario: Scenario, *, seats: Mapping[AgentRole, Seat], ui: Ui, max_turns: int
) -> Header:
    """The header of an episode that begins now."""
    return Header(
        episode_id=uuid.uuid4().hex,
        scenario=scenario.id,
        seed=scenario.seed,
        max_turns=max_turns,
        scenario_sha256=scenario.content_hash,
        chaosops=__version__,
        python=platform.python_version(),
        ui=ui,
        seats=dict(seats),
        started_at_ms=now_ms(),
    )


def new_footer(result: EpisodeResult, *, reason: EndReason | None = None) -> Footer:
    """The footer of an episode that ends now.

    Args:
        result: `Stepper.result()`.
        reason: By default what the result says: resolved, a policy's error, or out of turns.
    """
    if reason is None:
        ended = EndReason.RESOLVED if result.resolved else EndReason.OUT_OF_TURNS
        reason = EndReason.POLICY_ERROR if result.error else ended
    return Footer(
        reason=reason,
        resolved=result.resolved,
        turns=len(result.steps),
        cumulative_reward=result.cumulative_reward,
        wrong_fixes=result.wrong_fixes,
        oversight_flags=tuple(result.oversight_flags),
        declared_root_cause=result.declared_root_cause,
        ended_at_ms=now_ms(),
    )
