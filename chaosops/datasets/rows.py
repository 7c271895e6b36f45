"""The rows of each format and their checks.

Every row has every key, columns are flat, and none is ever null: a missing time or number
is -1, a missing text is empty. So a column has one type in every file of a data
set. Times are milliseconds since the epoch.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model, model_validator

from chaosops.env.models import AgentRole
from chaosops.rewards.components import COMPONENTS
from chaosops.rewards.reward_fn import StepRewardBreakdown
from chaosops.text_safety import has_unsafe

UNKNOWN: Final = -1
"""A missing number."""

_ACTION_KEYS = {"action_type", "target", "args"}


class Format(StrEnum):
    """What a data set is for; the name of its configuration."""

    SFT = "sft"
    GRPO = "grpo"
    REWARDS = "rewards"
    PREFERENCE = "preference"
    EPISODES = "episodes"


class PromptStyle(StrEnum):
    """The style of prompts: everything in the view, or what changed and what matters."""

    FULL = "full"
    COMPACT = "compact"


class ExportRow(BaseModel):
    """A row: immutable, exactly typed, and unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


def _safe(text: str) -> str:
    if has_unsafe(text):
        raise ValueError("it contains a character that can control a terminal")
    return text


Words = Annotated[str, AfterValidator(_safe)]
Name = Annotated[Words, Field(min_length=1, max_length=200)]
RoleName = Annotated[str, AfterValidator(lambda text: AgentRole(text).value)]
Millis = Annotated[int, Field(ge=UNKNOWN, le=2**53)]


class ChatMessage(ExportRow):
    """One message. Other players' words are inside user content, never a message of their own."""

    role: Literal["system", "user", "assistant"]
    content: Annotated[Words, Field(min_length=1)]


def _ends_with_user(messages: list[ChatMessage]) -> list[ChatMessage]:
    if [message.role for message in messages] != ["system", "user"]:
        raise ValueError("a prompt is a system message and a user message")
    return messages


def _is_one_action(messages: list[ChatMessage]) -> list[ChatMessage]:
    if [message.role for message in messages] != ["assistant"]:
        raise ValueError("an answer is one assistant message")
    try:
        action = json.loads(messages[0].content)
    except ValueError:
        action = None
    if not (isinstance(action, dict) and set(action) == _ACTION_KEYS):
        raise ValueError("an answer is an action in JSON")
    return messages


Prompt = Annotated[list[ChatMessage], AfterValidator(_ends_with_user)]
Completion = Annotated[list[ChatMessage], AfterValidator(_is_one_action)]


class TurnColumns(ExportRow):
    """The origin of a row.

    Attributes:
        episode: The recording's random id.
        player: The random pseudonym of the person, or empty.
        turn: Counts from 0.
        source: Who decided: human, copilot, scripted, llm or timeout.
        policy: The policy that decided or proposed, or empty.
        hints: Levels of the hints that were read before the decision, such as "1,2", or empty.
        latency_ms: From shown to submitted, without pauses.
        rationale: The reason in the player's own words; empty without consent to free text.
        confidence: 0 to 100.
    """

    episode: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    scenario: Name
    seed: Annotated[int, Field(ge=0, lt=2**32)]
    difficulty: Name
    player: Words
    turn: Annotated[int, Field(ge=0)]
    role: RoleName
    source: Literal["human", "copilot", "scripted", "llm", "timeout"]
    policy: Words
    hints: Words
    shown_at_ms: Millis
    submitted_at_ms: Millis
    latency_ms: Millis
    rationale: Words
    confidence: Annotated[int, Field(ge=UNKNOWN, le=100)]


class SftRow(TurnColumns):
    """An observation and the action taken."""

    prompt: Prompt
    completion: Completion


if TYPE_CHECKING:
    Breakdown = ExportRow
else:
    Breakdown = create_model(
        "Breakdown",
        __base__=ExportRow,
        __doc__="The turn's reward by component, including components that are 0.",
        **{part.name: (float, ...) for part in COMPONENTS},
    )


class RewardRow(SftRow):
    """An observation, the action taken, and its reward.

    Attributes:
        return_to_go: The rewards of this turn and all later ones of the episode, whoever's turns
            they were; exact.
    """

    reward: float
    reward_breakdown: Breakdown
    done: bool
    return_to_go: float

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        parts = self.reward_breakdown.model_dump()
        if StepRewardBreakdown(**parts).total != self.reward:
            raise ValueError("reward is not the sum of reward_breakdown")
        if self.done and self.return_to_go != self.reward:
            raise ValueError("return_to_go of the last turn is not its reward")
        return self


class GrpoRow(TurnColumns):
    """An observation, and how to reproduce it in the simulator.

    Attributes:
        replay: The actions before this turn, as a JSON list.
        max_turns: The most turns of the episode.
        scenario_sha256: The version of the incident.
    """

    prompt: Prompt
    replay: Words
    max_turns: Annotated[int, Field(ge=1)]
    scenario_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]

    @model_validator(mode="after")
    def _gets_there(self) -> Self:
        if len(json.loads(self.replay)) != self.turn:
            raise ValueError("replay does not have one action for each turn before this one")
        return self


class PreferenceRow(TurnColumns):
    """Two answers to one prompt, and which one is better.

    Attributes:
        origin: `override`: a person did `chosen` where the copilot proposed `rejected`. `choice`:
            the copilot offered both, and the person took `chosen`. `fork`: both were simulated,
            and `chosen` paid more.
        chosen_return, rejected_return: The return of the turn and the rest of the episode if the
            expert policy plays on in every seat.
        margin: Their difference. It may be negative except for a fork: the person's choice
            counts, and the simulator rates it.
    """

    prompt: Prompt
    chosen: Completion
    rejected: Completion
    margin: float
    origin: Literal["override", "choice", "fork"]
    chosen_return: float
    rejected_return: float

    @model_validator(mode="after")
    def _prefers(self) -> Self:
        if self.chosen == self.rejected:
            raise ValueError("chosen and rejected are the same")
        if self.margin != self.chosen_return - self.rejected_return:
            raise ValueError("margin is not the difference of the two returns")
        if self.origin == "fork" and self.margin <= 0:
            raise ValueError("the margin of a fork is above 0")
        return self


class EpisodeRow(ExportRow):
    """A whole episode. `roles`, `actions`, `sources` and `rewards` have an entry for each turn.

    Attributes:
        outcome: How it ended: resolved, out_of_turns, abandoned, policy_error or unfinished.
        mttr: Turns until it was resolved, or -1.
        flags: Agents that were flagged, with commas between.
        diagnosis: The last declared root cause, or empty.
        seat_sre, ...: Who sat there, such as "human", "scripted expert" or "copilot expert".
        actions: Each as JSON.
        quality: The rating of the episode as an example, 1 to 5, or -1.
        mental, ...: The player's rating of the workload (NASA-TLX, raw), 0 to 100, or -1.
        comment: The player's own words; empty without consent to free text.
    """

    episode: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    scenario: Name
    scenario_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    seed: Annotated[int, Field(ge=0, lt=2**32)]
    difficulty: Name
    player: Words
    outcome: Literal["resolved", "out_of_turns", "abandoned", "policy_error", "unfinished"]
    turns: Annotated[int, Field(ge=1)]
    mttr: Annotated[int, Field(ge=UNKNOWN)]
    cumulative_reward: float
    wrong_fixes: Annotated[int, Field(ge=UNKNOWN)]
    flags: Words
    diagnosis: Words
    seat_sre: Words
    seat_oversight: Words
    seat_dev: Words
    seat_manager: Words
    roles: list[Name]
    actions: list[Words]
    sources: list[Name]
    rewards: list[float]
    started_at_ms: Millis
    ended_at_ms: Millis
    quality: Annotated[int, Field(ge=UNKNOWN, le=5)]
    mental: Annotated[int, Field(ge=UNKNOWN, le=100)]
    physical: Annotated[int, Field(ge=UNKNOWN, le=100)]
    temporal: Annotated[int, Field(ge=UNKNOWN, le=100)]
    performance: Annotated[int, Field(ge=UNKNOWN, le=100)]
    effort: Annotated[int, Field(ge=UNKNOWN, le=100)]
    frustration: Annotated[int, Field(ge=UNKNOWN, le=100)]
    comment: Words

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        for column in (self.roles, self.actions, self.sources, self.rewards):
            if len(column) != self.turns:
                raise ValueError("roles, actions, sources and rewards have an entry for each turn")
        if sum(self.rewards) != self.cumulative_reward:
            raise ValueError("rewards do not sum to cumulative_reward")
        return self


ROW_OF: Final[Mapping[Format, type[ExportRow]]] = MappingProxyType(
    {
        Format.SFT: SftRow,
        Format.GRPO: GrpoRow,
        Format.REWARDS: RewardRow,
        Format.PREFERENCE: PreferenceRow,
        Format.EPISODES: EpisodeRow,
    }
)
"""The model of each format."""
