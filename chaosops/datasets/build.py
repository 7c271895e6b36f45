"""Makes the rows of one recorded episode, format by format, turn by turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from chaosops.agents.runner import EpisodeStep
from chaosops.datasets.episode import (
    Columns,
    RedactedEpisode,
    may_take,
    number,
    was_refused,
    without_hints,
)
from chaosops.datasets.forks import EpisodeReplayer, RatedAction, TurnToRate, pairs
from chaosops.datasets.rows import ROW_OF, UNKNOWN, ExportRow, Format
from chaosops.env.models import TURN_ORDER, ChaosOpsAction
from chaosops.env.world_sim import Scenario
from chaosops.errors import RecordingError
from chaosops.recording.events import Header, HumanPart, Seat, SeatKind
from chaosops.recording.reader import RecordedTurn
from chaosops.recording.recorded_scenario import NoScenario, OtherScenario
from chaosops.recording.suggestions import OtherCandidate, Suggestion
from chaosops.recording.turn_sources import SOURCES_OF_PEOPLE, Decider, TurnSource
from chaosops.worker_pool import WorkerPool

_OVERRIDE: Final = "override"
_CHOICE: Final = "choice"
_FORK: Final = "fork"

_ANYBODY: Final = frozenset(TurnSource)

_SCALES: Final = ("mental", "physical", "temporal", "performance", "effort", "frustration")


FindScenario = Callable[[Header], Scenario]


class RowTools(NamedTuple):
    """What rows are made with, besides the recording.

    Attributes:
        find: Finds the scenario that was played, for simulating again, as a `ScenarioBook` does.
        pool: The processes in which forks are played.
    """

    find: FindScenario
    pool: WorkerPool


class RowError(RecordingError):
    """A row that violates its schema: a fault of the recording or of the export."""


def rows_of(
    kind: Format, redacted: RedactedEpisode, turns: Iterable[RecordedTurn], tools: RowTools
) -> Iterator[ExportRow]:
    """Yield the rows of one episode, each checked against its model.

    Args:
        turns: All turns of the episode, in their order; read once.

    Raises:
        RowError: A row violates its schema; the text names the recording, the turn and the field.
    """
    model = ROW_OF[kind]
    for columns in _BUILDERS[kind](redacted, turns, tools):
        try:
            row = model.model_validate(columns)
        except ValidationError as error:
            raise RowError(_complaint(redacted, columns, error)) from None
        yield row


def _complaint(redacted: RedactedEpisode, columns: Columns, error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    field = ".".join(str(step) for step in first["loc"]) or "row"
    turn = f", turn {columns['turn']}" if "turn" in columns else ""
    return (
        f"{redacted.episode.path}{turn}: {field}: {first['msg'][:1].lower()}{first['msg'][1:]}; "
        "exclude the recording, or verify it"
    )


def _sft(
    redacted: RedactedEpisode, turns: Iterable[RecordedTurn], tools: RowTools
) -> Iterator[Columns]:
    for frame, human in _taken(redacted, turns, by_default=SOURCES_OF_PEOPLE):
        if was_refused(frame):
            redacted.left_out["turns whose action was refused"] += 1
            continue
        if human.source is Decider.TIMEOUT:
            redacted.left_out["turns that nobody decided"] += 1
            continue
        yield redacted.columns(frame, human) | {
            "prompt": redacted.prompt(frame.observation),
            "completion": redacted.answer(frame.action),
        }


def _rewards(
    redacted: RedactedEpisode, turns: Iterable[RecordedTurn], tools: RowTools
) -> Iterator[Columns]:
    footer = redacted.episode.footer
    if footer is None:
        redacted.left_out["unfinished episodes, which have no returns"] += 1
        return
    left = footer.cumulative_reward
    for turn in turns:
        frame, human = turn
        to_go = left
        left -= frame.reward
        if not redacted.wants(turn, by_default=SOURCES_OF_PEOPLE):
            continue
        yield redacted.columns(frame, human) | {
            "prompt": redacted.prompt(frame.observation),
            "completion": redacted.answer(frame.action, refused=was_refused(frame)),
            "reward": frame.reward,
            "reward_breakdown": frame.breakdown._asdict(),
            "done": frame.done,
            "return_to_go": to_go,
        }


def _grpo(
    redacted: RedactedEpisode, turns: Iterable[RecordedTurn], tools: RowTools
) -> Iterator[Columns]:
    header = redacted.episode.header
    if header.carryover is not None:
        redacted.left_out["incidents of a shift, which the reward function does not play"] += 1
        return
    before: list[str] = []
    for turn in turns:
        frame, human = turn
        if redacted.wants(turn, by_default=SOURCES_OF_PEOPLE):
            yield redacted.columns(frame, human) | {
                "prompt": redacted.prompt(frame.observation),
                "replay": f"[{','.join(before)}]",
                "max_turns": header.max_turns,
                "scenario_sha256": header.scenario_sha256,
            }
        before.append(redacted.replay(frame.action, refused=was_refused(frame)))


def _preference(
    redacted: RedactedEpisode, turns: Iterable[RecordedTurn], tools: RowTools
) -> Iterator[Columns]:
    try:
        scenario = tools.find(redacted.episode.header)
    except OtherScenario:
        redacted.left_out["episodes with another version of the incident"] += 1
        return
    except NoScenario:
        redacted.left_out["episodes whose incident was not found"] += 1
        return
    replayer = EpisodeReplayer(scenario)
    sent: deque[_SentTurn] = deque()

    def to_rate() -> Iterator[TurnToRate]:
        before: list[ChaosOpsAction] = []
        for turn in turns:
            frame, human = turn
            if redacted.wants(turn, by_default=_ANYBODY):
                groups = dict(_to_compare(redacted, replayer, frame, human))
                if groups:
                    sent.append(_SentTurn(frame, human, tuple(groups)))
                    yield TurnToRate(tuple(before), tuple(groups.values()), frame.observation)
            before.append(frame.action)

    for rating in tools.pool.spread(replayer.rate_turn, to_rate()):
        frame, human, origins = sent.popleft()
        if rating.trouble:
            redacted.left_out[f"turns that cannot be forked: {rating.trouble}"] += 1
            continue
        for origin, rated in zip(origins, rating.groups, strict=True):
            for better, worse in _compared(redacted, origin, rated):
                yield _pair(redacted, frame, human, origin, better, worse)


class _SentTurn(NamedTuple):
    """A turn that is being rated, and where its groups of actions come from."""

    frame: EpisodeStep
    human: HumanPart
    origins: tuple[str, ...]


def _to_compare(
    redacted: RedactedEpisode, replayer: EpisodeReplayer, frame: EpisodeStep, human: HumanPart
) -> Iterator[tuple[str, tuple[ChaosOpsAction, ...]]]:
    """Yield the groups of actions to compare in a turn, by their origin."""
    wanted, view = redacted.wanted, frame.observation.view
    if human.suggestion is not None and human.source is not Decider.TIMEOUT:
        declined = tuple(_declined(redacted, frame, human.suggestion))
        if declined:
            origin = _OVERRIDE if human.suggestion.followed is None else _CHOICE
            yield origin, (without_hints(frame.action), *declined)
    if wanted.forks is not None and (not wanted.turns or frame.turn in wanted.turns):
        options = replayer.options(frame, wanted.forks)
        yield _FORK, tuple(action for action in options if may_take(action, view))


def _declined(
    redacted: RedactedEpisode, frame: EpisodeStep, suggested: Suggestion
) -> Iterator[ChaosOpsAction]:
    """Yield what a copilot offered and a person left for what was done."""
    for place, candidate in enumerate(suggested.candidates):
        if place == suggested.followed:
            continue
        action = _offered_action(frame, candidate)
        if was_refused(frame) or not may_take(action, frame.observation.view):
            redacted.left_out["overrides of or by a refused action"] += 1
        elif redacted.answer(action) != redacted.answer(frame.action):
            yield without_hints(action)


def _offered_action(frame: EpisodeStep, offered: Suggestion | OtherCandidate) -> ChaosOpsAction:
    return ChaosOpsAction(frame.role, offered.action_type, offered.target, offered.args)


def _compared(
    redacted: RedactedEpisode, origin: str, rated: tuple[RatedAction, ...]
) -> Iterator[tuple[RatedAction, RatedAction]]:
    """Yield the pairs of a group, the chosen action first."""
    if origin in (_OVERRIDE, _CHOICE):
        done, *declined = rated
        yield from ((done, each) for each in declined)
        return
    for better, worse in pairs(rated, redacted.wanted.least_margin):
        if redacted.answer(better.action) != redacted.answer(worse.action):
            yield better, worse


def _pair(
    redacted: RedactedEpisode,
    frame: EpisodeStep,
    human: HumanPart,
    origin: str,
    chosen: RatedAction,
    rejected: RatedAction,
) -> Columns:
    return redacted.columns(frame, human) | {
        "prompt": redacted.prompt(frame.observation),
        "chosen": redacted.answer(chosen.action),
        "rejected": redacted.answer(rejected.action),
        "margin": chosen.paid - rejected.paid,
        "origin": origin,
        "chosen_return": chosen.paid,
        "rejected_return": rejected.paid,
    }


def _episodes(
    redacted: RedactedEpisode, turns: Iterable[RecordedTurn], tools: RowTools
) -> Iterator[Columns]:
    header, footer, opinion = (
        redacted.episode.header,
        redacted.episode.footer,
        redacted.episode.opinion,
    )
    played: dict[str, list[Any]] = {"roles": [], "actions": [], "sources": [], "rewards": []}
    wanted = False
    for turn in turns:
        frame, human = turn
        wanted = wanted or redacted.wanted.asks_for(turn, by_default=_ANYBODY)
        played["roles"].append(frame.role.value)
        played["actions"].append(redacted.replay(frame.action, refused=was_refused(frame)))
        played["sources"].append(human.source.value)
        played["rewards"].append(frame.reward)
    if not wanted:
        redacted.left_out["episodes without a selected turn"] += 1
        return
    load = opinion.workload
    cause = None if footer is None else footer.declared_root_cause
    resolved = footer is not None and footer.resolved
    yield {
        "episode": header.episode_id,
        "scenario": header.current_scenario,
        "scenario_sha256": header.scenario_sha256,
        "seed": header.seed,
        "difficulty": header.difficulty.value,
        "player": header.pseudonym or "",
        "outcome": "unfinished" if footer is None else footer.reason.value,
        "turns": len(played["rewards"]),
        "mttr": len(played["rewards"]) if resolved else UNKNOWN,
        "cumulative_reward": float(sum(played["rewards"])),
        "wrong_fixes": UNKNOWN if footer is None else footer.wrong_fixes,
        "flags": "" if footer is None else ",".join(footer.oversight_flags),
        "diagnosis": "" if cause is None else str(cause),
        "started_at_ms": header.started_at_ms,
        "ended_at_ms": number(None if footer is None else footer.ended_at_ms),
        "quality": number(opinion.quality),
        "comment": redacted.words(opinion.comment),
        **{f"seat_{role.value}": _seat(header.seats.get(role)) for role in TURN_ORDER},
        **{name: number(None if load is None else getattr(load, name)) for name in _SCALES},
        **played,
    }


def _seat(seat: Seat | None) -> str:
    if seat is None:
        return ""
    if seat.kind is SeatKind.HUMAN:
        return seat.kind.value
    return f"{seat.kind.value} {seat.policy or ''}".strip()


def _taken(
    redacted: RedactedEpisode, turns: Iterable[RecordedTurn], *, by_default: frozenset[TurnSource]
) -> Iterator[RecordedTurn]:
    for turn in turns:
        if redacted.wants(turn, by_default=by_default):
            yield turn


_Builder = Callable[[RedactedEpisode, Iterable[RecordedTurn], RowTools], Iterator[Columns]]

_BUILDERS: Final[Mapping[Format, _Builder]] = MappingProxyType(
    {
        Format.SFT: _sft,
        Format.GRPO: _grpo,
        Format.REWARDS: _rewards,
        Format.PREFERENCE: _preference,
        Format.EPISODES: _episodes,
    }
)
