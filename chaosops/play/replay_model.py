"""The model of a replay: turns, who decided each, marks to jump to, and anyone's view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import (
    SAY,
    TURN_ORDER,
    ActionType,
    AgentRole,
    Finding,
    LogLine,
    Message,
    RoleView,
    ServiceSignals,
    SignalRows,
)
from chaosops.env.models.verbs import FIXES
from chaosops.play.rationale import UNSAID, Thought
from chaosops.play.seats import Roster, Seating
from chaosops.play.wording import proposal_words
from chaosops.recording.events import HumanPart, SeatKind
from chaosops.recording.reader import Recording
from chaosops.recording.suggestions import Suggestion
from chaosops.recording.turn_sources import Decider
from chaosops.recording.versions import other_engine

if TYPE_CHECKING:
    from chaosops.play.session import Session


class TurnNotes(NamedTuple):
    """What a recording has of a turn besides its frame.

    Attributes:
        source: Who decided: "human", or the policy's name.
        seconds: How long it took; None if that is not known.
        hints: Levels of the hints that were read.
        mine: Whether the turn was taken by a person, or by a program in a person's seat.
        proposed: What a copilot proposed, and whether that was done; empty without a copilot.
        thought: The person's rationale.
        late: Whether it passed because time ran out.
    """

    source: str = ""
    seconds: float | None = None
    hints: tuple[int, ...] = ()
    mine: bool = False
    proposed: str = ""
    thought: Thought = UNSAID
    late: bool = False


class Replay(NamedTuple):
    """A replay: frames, who sat where, and what else is known about each turn.

    Attributes:
        recording: Its source, to be verified and played on; None if it was not a file.
    """

    steps: tuple[EpisodeStep, ...]
    seating: Seating
    title: str
    notes: tuple[TurnNotes, ...] = ()
    warnings: tuple[str, ...] = ()
    recording: Recording | None = None


class TurnMark(StrEnum):
    """A kind of turn to jump to."""

    OWN = "your turns"
    DIAGNOSES = "diagnoses"
    FIXES = "fixes"
    LANDED = "landed"
    MESSAGES = "messages"


def replay_of(recording: Recording) -> Replay:
    """Make a replay of a recording."""
    header = recording.header
    words: dict[AgentRole, str] = {}
    people: set[AgentRole] = set()
    for role, seat in header.seats.items():
        if seat.kind is SeatKind.SCRIPTED:
            words[role] = seat.policy or "policy"
        else:
            with_copilot = seat.kind is SeatKind.COPILOT and seat.policy
            words[role] = f"human + {seat.policy}" if with_copilot else "human"
            people.add(role)
    return Replay(
        recording.frames,
        Seating(words, frozenset(people)),
        f"{header.current_scenario} seed {header.seed}",
        tuple(notes_of(turn.human) for turn in recording.turns),
        oddities(recording),
        recording,
    )


def oddities(recording: Recording) -> tuple[str, ...]:
    """Return what is unusual about a recording, a sentence each."""
    said = [*recording.warnings, other_engine(recording.header)]
    if recording.footer is None:
        said.append("the game was not finished")
    return tuple(filter(None, said))


def replay_of_session(session: Session) -> Replay:
    """Make a replay of the game that was just played."""
    title = f"{session.scenario.title}, {session.scenario.label}"
    return replay_of_game(session.steps, session.humans, session.roster, title)


def replay_of_game(
    steps: Sequence[EpisodeStep], humans: Sequence[HumanPart], roster: Roster, title: str
) -> Replay:
    """Make a replay of a game that was just played."""
    return Replay(tuple(steps), roster.seating(), title, tuple(notes_of(part) for part in humans))


def notes_of(human: HumanPart) -> TurnNotes:
    """Return what is known about a turn besides its frame."""
    source = human.source.value
    if human.source is Decider.SCRIPTED and human.policy:
        source = human.policy
    elif human.source is Decider.TIMEOUT:
        source = "human, out of time"
    elif human.source is Decider.COPILOT:
        source = f"human, as {human.policy} proposed"
    seconds = None if human.latency_ms is None else human.latency_ms / 1000
    proposed = "" if human.suggestion is None else _proposed(human.suggestion)
    mine, thought = human.source is not Decider.SCRIPTED, Thought.kept_in(human)
    is_late = human.source is Decider.TIMEOUT
    return TurnNotes(source, seconds, human.hints, mine, proposed, thought, is_late)


def _proposed(said: Suggestion) -> str:
    """Word what a copilot offered, and what of it was done."""
    parts = []
    for place, each in enumerate(said.candidates):
        words = proposal_words(
            {"action_type": each.action_type, "target": each.target, "args": dict(each.args)}
        )
        parts.append(f"{words}: {'done' if place == said.followed else 'not done'}")
    return f"{said.policy} proposed {'; or '.join(parts)}"


def marked(replay: Replay, mark: TurnMark) -> tuple[int, ...]:
    """Return the turns of a kind, in order."""
    return tuple(turn for turn in range(len(replay.steps)) if _TESTS[mark](replay, turn))


def _own(replay: Replay, turn: int) -> bool:
    if turn < len(replay.notes):
        return replay.notes[turn].mine
    return replay.steps[turn].role in replay.seating.people


def _verbs(*verbs: ActionType) -> Callable[[Replay, int], bool]:
    return lambda replay, turn: replay.steps[turn].action.action_type in verbs


def _landed(replay: Replay, turn: int) -> bool:
    view = replay.steps[turn].observation.view
    before = replay.steps[turn - 1].observation.view.landed if turn else ()
    return any(item not in before for item in view.landed)


def _said(replay: Replay, turn: int) -> bool:
    action = replay.steps[turn].action
    is_message = action.action_type in (ActionType.COMMUNICATE, ActionType.ASSIGN)
    return is_message or action.args.get(SAY) is not None


_TESTS: Final[dict[TurnMark, Callable[[Replay, int], bool]]] = {
    TurnMark.OWN: _own,
    TurnMark.DIAGNOSES: _verbs(ActionType.DIAGNOSE, ActionType.FLAG, ActionType.RESOLVE),
    TurnMark.FIXES: _verbs(*FIXES, ActionType.PAUSE),
    TurnMark.LANDED: _landed,
    TurnMark.MESSAGES: _said,
}


def seen_at(steps: Sequence[EpisodeStep], at: int, role: AgentRole) -> int | None:
    """Return a role's last turn up to a turn; None if it had none."""
    turns = range(min(at, len(steps) - 1), -1, -1)
    return next((turn for turn in turns if steps[turn].role is role), None)


def view_of(steps: Sequence[EpisodeStep], at: int, role: AgentRole) -> RoleView | None:
    """Return what a role saw last, up to a turn; None if it had not had one yet."""
    turn = seen_at(steps, at, role)
    return None if turn is None else steps[turn].observation.view


def view_of_all(steps: Sequence[EpisodeStep], at: int) -> RoleView:
    """Combine what all four roles saw last, up to a turn, into one view.

    A service's signals end in the minute in which they were last seen.
    """
    now = steps[at].observation.view
    seen = {role: view_of(steps, at, role) for role in TURN_ORDER}
    sre, dev = seen[AgentRole.SRE], seen[AgentRole.DEV]
    oversight, manager = seen[AgentRole.OVERSIGHT], seen[AgentRole.MANAGER]
    inbox: dict[Message, None] = {}
    findings: dict[Finding, None] = {}
    for view in seen.values():
        inbox.update(dict.fromkeys(view.inbox if view else ()))
        findings.update(dict.fromkeys(view.findings if view else ()))
    both = now._replace(
        inbox=tuple(sorted(inbox, key=lambda message: message.minute)),
        findings=tuple(sorted(findings, key=lambda found: found.minute)),
    )
    if sre is not None or dev is not None:
        watchers = [view for view in (sre, dev) if view is not None]
        both = both._replace(
            services=_services_of(watchers), history=_history_of(watchers), logs=_logs_of(watchers)
        )
    if dev is not None:
        both = both._replace(changes=dev.changes)
    if oversight is not None:
        both = both._replace(
            audit=oversight.audit,
            agents=oversight.agents,
            paused=oversight.paused,
            flagged=oversight.flagged,
            health=oversight.health,
        )
    return both if manager is None else both._replace(impact=manager.impact)


def _services_of(watchers: Sequence[RoleView]) -> SignalRows:
    """Return the signals of each service from whoever saw it last."""
    newest_last = sorted(watchers, key=lambda view: view.status.minute)
    rows = {row.service: row for view in newest_last for row in view.services or ()}
    return SignalRows(rows[node.name] for node in newest_last[0].graph if node.name in rows)


def _history_of(watchers: Sequence[RoleView]) -> tuple[SignalRows, ...]:
    """Return each minute from the first role that saw it, which has the most of it."""
    minutes: dict[int, dict[str, ServiceSignals]] = {}
    for view in reversed(watchers):
        past = view.history or ()
        for minute, rows in enumerate(past, view.status.minute - len(past) + 1):
            minutes.setdefault(minute, {}).update((row.service, row) for row in rows)
    return tuple(SignalRows(minutes[minute].values()) for minute in sorted(minutes))


def _logs_of(watchers: Sequence[RoleView]) -> tuple[LogLine, ...]:
    """Return the first role's lines, and others' lines from before and after them."""
    lines: list[LogLine] = []
    for view in watchers:
        first = lines[0].minute if lines else view.status.minute + 1
        last = watchers[0].status.minute
        lines += [line for line in view.logs or () if not first <= line.minute <= last]
    return tuple(sorted(lines, key=lambda line: line.minute))
