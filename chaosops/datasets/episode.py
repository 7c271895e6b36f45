"""A recorded episode for a data set: what may be used, and how it is worded."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from chaosops.agents.runner import EpisodeStep
from chaosops.datasets.privacy import Redactor, covers
from chaosops.datasets.proof import Proof
from chaosops.datasets.rows import UNKNOWN, PromptStyle
from chaosops.env.actions import HINT
from chaosops.env.models import REPLY, AgentRole, ChaosOpsAction, ChaosOpsObservation, RoleView
from chaosops.recording.events import REPLAYED, ConsentScope, Footer, Header, HumanPart, Opinion
from chaosops.recording.reader import RecordedTurn
from chaosops.recording.turn_sources import TurnSource
from chaosops.text import (
    ActionTextError,
    parse_action,
    render_action,
    render_compact,
    render_compact_rules,
    render_observation,
    render_rules,
)

Columns = dict[str, Any]
Chat = list[dict[str, str]]


@dataclass(frozen=True)
class RowSelection:
    """Which turns become rows, and how.

    Attributes:
        roles: Use only turns of these; empty for all.
        sources: Use only turns taken by these; empty for the default of the format.
        style: How prompts are written.
        history: Minutes of earlier signals in a full prompt; None for all that was seen.
        forks: How many actions to draw and simulate in each turn, besides the one taken and what
            two policies would do; None makes no pairs of forks.
        turns: Fork only these turns; empty for all.
        least_margin: Leave out pairs of forks that differ by less.
    """

    roles: frozenset[AgentRole] = frozenset()
    sources: frozenset[TurnSource] = frozenset()
    style: PromptStyle = PromptStyle.FULL
    history: int | None = None
    forks: int | None = None
    turns: frozenset[int] = frozenset()
    least_margin: float = 0.0

    def asks_for(self, turn: RecordedTurn, *, by_default: frozenset[TurnSource]) -> bool:
        """Whether a turn is selected; `by_default` are the sources if none are given."""
        frame, human = turn
        sources = self.sources or by_default
        return human.taken_by in sources and (not self.roles or frame.role in self.roles)


class RecordedEpisode(NamedTuple):
    """What is known about an episode before its rows are made."""

    path: Path
    header: Header
    footer: Footer | None
    opinion: Opinion
    proof: Proof

    @property
    def people(self) -> frozenset[AgentRole]:
        """The roles whose messages and actions may be a person's."""
        return self.proof.people

    @property
    def may_be_used(self) -> bool:
        """Whether there is consent to use the actions; only people's recordings need it."""
        return not self.people or covers(self.header, ConsentScope.ACTIONS)

    @property
    def free_text(self) -> bool:
        """Whether people's own words may be used."""
        return not self.people or covers(self.header, ConsentScope.FREE_TEXT)


class RedactedEpisode:
    """One episode without the texts that may not be used.

    Attributes:
        left_out: Why turns were left out, and how many.
    """

    def __init__(
        self, episode: RecordedEpisode, wanted: RowSelection, left_out: Counter[str]
    ) -> None:
        self.episode = episode
        self.wanted = wanted
        self.left_out = left_out
        self._redactor = Redactor(frozenset() if episode.free_text else episode.people)

    def wants(self, turn: RecordedTurn, *, by_default: frozenset[TurnSource]) -> bool:
        """Whether a turn becomes a row; `by_default` are the sources if none are given."""
        if not self.wanted.asks_for(turn, by_default=by_default):
            return False
        if turn.human.policy == REPLAYED:
            self.left_out["turns replayed from another game"] += 1
            return False
        return True

    def prompt(self, seen: ChaosOpsObservation) -> Chat:
        """Return the prompt: a system message with the rules, and a user message."""
        shown, is_compact = (
            self._redactor.observation(seen),
            self.wanted.style is PromptStyle.COMPACT,
        )
        if is_compact:
            words = render_compact(shown)
        else:
            words = render_observation(shown, minutes=self.wanted.history)
        return [
            {"role": "system", "content": _rules(seen.view.role, is_compact=is_compact)},
            {"role": "user", "content": words},
        ]

    def answer(self, action: ChaosOpsAction, *, refused: bool = False) -> Chat:
        """Return the action as an assistant message, without hints."""
        shown = as_said(self._redactor.action(action, refused=refused))
        return [{"role": "assistant", "content": render_action(shown)}]

    def replay(self, action: ChaosOpsAction, *, refused: bool) -> str:
        """Return the action for a replay, with its hints."""
        return render_action(self._redactor.action(action, refused=refused))

    def words(self, text: str | None) -> str:
        """Return the player's own words, if they may be used."""
        return text if text is not None and self.episode.free_text else ""

    def columns(self, frame: EpisodeStep, human: HumanPart) -> Columns:
        """Return the columns that tell where a row comes from."""
        header = self.episode.header
        return {
            "episode": header.episode_id,
            "scenario": header.current_scenario,
            "seed": header.seed,
            "difficulty": header.difficulty.value,
            "player": (header.pseudonym or "") if frame.role in self.episode.people else "",
            "turn": frame.turn,
            "role": frame.role.value,
            "source": human.source.value,
            "policy": human.policy or "",
            "hints": ",".join(str(level) for level in human.hints),
            "shown_at_ms": number(human.shown_at_ms),
            "submitted_at_ms": number(human.submitted_at_ms),
            "latency_ms": number(human.latency_ms),
            "rationale": self.words(human.rationale),
            "confidence": number(human.confidence),
        }


@cache
def _rules(role: AgentRole, *, is_compact: bool) -> str:
    return render_compact_rules(role) if is_compact else render_rules(role)


def number(value: int | None) -> int:
    """Return the number, or what stands for none."""
    return UNKNOWN if value is None else value


def was_refused(frame: EpisodeStep) -> bool:
    """Whether the action was malformed: of no use for training, and free text in any part."""
    return bool(frame.breakdown.miscommunication_penalty) or not may_take(
        frame.action, frame.observation.view
    )


def may_take(action: ChaosOpsAction, view: RoleView) -> bool:
    """Whether the view allows the action."""
    try:
        parse_action(render_action(action), view)
    except ActionTextError:
        return False
    return True


def as_said(action: ChaosOpsAction) -> ChaosOpsAction:
    """Return the action as a model should learn it: without what prompts don't mention."""
    args = {name: value for name, value in action.args.items() if name not in (HINT, REPLY)}
    return action if len(args) == len(action.args) else replace(action, args=args)


def without_hints(action: ChaosOpsAction) -> ChaosOpsAction:
    """Return the action without hints, whose texts are in no observation."""
    if HINT not in action.args:
        return action
    args = {name: value for name, value in action.args.items() if name != HINT}
    return replace(action, args=args)
