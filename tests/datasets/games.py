"""Recorded games to export: policies in every seat, some of which pass for people."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from chaosops.agents.policies import Policy
from chaosops.agents.runner import EpisodeStep, Stepper
from chaosops.agents.seats import seat_policies
from chaosops.datasets.dataset import ExportReport, Request, write_data_set
from chaosops.datasets.episode import RowSelection
from chaosops.datasets.rows import Format
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
)
from chaosops.play.policy_answers import ask_copilot
from chaosops.recording.event_log import EventLogWriter
from chaosops.recording.events import (
    Consent,
    ConsentScope,
    EndReason,
    HumanPart,
    Player,
    Seat,
    SeatKind,
    Ui,
    new_footer,
    new_header,
)
from chaosops.recording.library import find
from chaosops.recording.seal import SealChain
from chaosops.recording.suggestions import OtherCandidate, Suggestion
from chaosops.recording.turn_sources import Decider
from tests.worlds import scenario

SRE, OVERSIGHT, DEV, MANAGER = TURN_ORDER[:4]
BOTH = (ConsentScope.ACTIONS, ConsentScope.FREE_TEXT)

SECRET = "my name is Mallory"
"""What a person wrote in every place that takes a text."""

MESSAGE = ChaosOpsAction(SRE, ActionType.COMMUNICATE, None, {"to": "all", "text": SECRET})
NONSENSE = ChaosOpsAction(SRE, SECRET, SECRET, {SECRET: SECRET})


def game(
    folder: Path,
    name: str = "first-shift-1-product-pages",
    *,
    seed: int = 0,
    policy: str = "expert",
    people: Iterable[AgentRole] = (),
    scopes: Sequence[ConsentScope] = (),
    moves: Mapping[int, ChaosOpsAction] | None = None,
    copilot: str = "",
    several: bool = False,
    taken_over: AgentRole | None = None,
    decider: Decider = Decider.HUMAN,
    handed_over: int | None = None,
    replayed: int = 0,
    turns: int | None = None,
    max_turns: int | None = 24,
    finish: bool = True,
    submitted: bool = True,
) -> tuple[Path, tuple[EpisodeStep, ...]]:
    """Play and record.

    Args:
        people: Roles whose seat is a person's; the policy decides for it, and a text goes along.
        scopes: What the person agreed to.
        moves: Actions to take instead of the policy's, by turn.
        copilot: The policy that suggests something to people, if any.
        several: Whether it offers all of its candidates.
        taken_over: A policy's seat in which a person decides after all.
        decider: What is written down as deciding where a person does.
        handed_over: From this turn on, policies decide in people's seats.
        replayed: So many turns are those of another game.
        turns: Where to stop, by default at the end.
        max_turns: How long the episode lasts; None as the incident says.
        finish: Whether to write the footer.
    """
    played = scenario(name, seed)
    if max_turns is not None:
        played = played.lasting(max_turns)
    stepper = Stepper(ChaosOpsEnvironment(), played)
    policies = seat_policies(dict.fromkeys(TURN_ORDER, policy), played)
    advice = seat_policies(dict.fromkeys(TURN_ORDER, copilot), played) if copilot else {}
    persons = frozenset(people)
    kind = SeatKind.COPILOT if copilot else SeatKind.HUMAN
    player = Player("a1b2", Consent(version=1, scopes=tuple(scopes), given_at_ms=5))
    header = new_header(
        played,
        seats={
            role: Seat(kind=kind, policy=copilot or None)
            if role in persons
            else Seat(kind=SeatKind.SCRIPTED, policy=policy)
            for role in TURN_ORDER
        },
        ui=Ui(name="test", version="1"),
        max_turns=stepper.observation.view.status.turns,
        player=player if scopes else None,
    )
    folder.mkdir(parents=True, exist_ok=True)
    with EventLogWriter.create(folder, header) as log:
        while not stepper.done and (turns is None or len(stepper.steps) < turns):
            role, seen = stepper.role, stepper.observation
            action = (moves or {}).get(seen.step) or policies[role](seen, role)
            part = HumanPart.scripted("replayed" if seen.step < replayed else policy)
            at_work = handed_over is None or seen.step < handed_over
            if (role in persons or role is taken_over) and at_work and seen.step >= replayed:
                part = HumanPart(
                    source=decider,
                    shown_at_ms=1_000 + seen.step,
                    submitted_at_ms=4_000 + seen.step,
                    latency_ms=3_000,
                    rationale=SECRET,
                    suggestion=_suggest(offered(advice[role], seen, role, several), action, copilot)
                    if role in advice
                    else None,
                )
            log.turn(stepper.take(action), part)
        if finish:
            reason = None if stepper.done else EndReason.ABANDONED
            log.finish(new_footer(stepper.result(), reason=reason, submitted=submitted))
    return log.path, stepper.steps


def offered(
    policy: Policy, seen: ChaosOpsObservation, role: AgentRole, several: bool
) -> list[ChaosOpsAction]:
    """What a policy offers as a copilot."""
    if not several:
        return [policy(seen, role)]
    answer = ask_copilot(policy, seen, role)
    assert isinstance(answer.action, ChaosOpsAction)
    return [answer.action, *(each.action for each in answer.others)]


def _suggest(candidates: list[ChaosOpsAction], done: ChaosOpsAction, policy: str) -> Suggestion:
    proposed, *rest = candidates
    others = tuple(
        OtherCandidate(action_type=str(each.action_type), target=each.target, args=dict(each.args))
        for each in rest
    )
    return Suggestion(
        others=others,
        taken=candidates.index(done) + 1 if others and done in candidates else None,
        policy=policy,
        action_type=str(proposed.action_type),
        target=proposed.target,
        args=dict(proposed.args),
        reason="it looks so",
        accepted=done in candidates,
    )


def resealed(path: Path, line: int, change: Callable[[dict[str, Any]], object]) -> Path:
    """Change a line, counted from 1, and seal the log as if it had been written so."""
    bodies = [line.rpartition(b',"seal":')[0] + b"}" for line in path.read_bytes().splitlines()]
    event = json.loads(bodies[line - 1])
    change(event)
    bodies[line - 1] = json.dumps(event, separators=(",", ":")).encode("ascii")
    chain = SealChain()
    path.write_bytes(b"".join(chain.line(body) for body in bodies))
    return path


def export(
    recordings: Path | Sequence[Path], target: Path, *formats: Format, **changes: Any
) -> ExportReport:
    """Write a data set; what `RowSelection` takes may be given beside what `Request` takes."""
    paths = [recordings] if isinstance(recordings, Path) else list(recordings)
    wanted = RowSelection(
        **{k: changes.pop(k) for k in [*changes] if k in RowSelection.__dataclass_fields__}
    )
    changes.setdefault("test_share", 0.0)
    return write_data_set(find(paths), Request(target, formats, wanted, **changes))


def rows(target: Path, kind: Format, split: str = "train") -> list[dict[str, Any]]:
    """The rows of a configuration, as a loader that knows nothing of us reads them."""
    text = (target / kind.value / f"{split}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]
