"""A recording, told turn by turn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from chaosops.env.models import TURN_ORDER
from chaosops.recording.events import Decider, SeatKind
from chaosops.recording.reader import RecordedTurn, Recording
from chaosops.recording.verify import verify
from tui.plain.board import PARTS, part_lines, status_line
from tui.plain.console import LEAVE, Console
from tui.reel import oddities
from tui.thought import Thought
from tui.words import ROLE_NAMES, clock, components, describe, shown, signed

_HELP = (
    "Enter: the next turn. back: the one before. A number: that turn. all: the rest. "
    f"{', '.join(PARTS)}: what the role saw. fork: play on from this turn. quit."
)


class PlainReplay:
    """Steps through a recording."""

    def __init__(
        self, recording: Recording, console: Console, folders: tuple[Path, ...] = ()
    ) -> None:
        """Step through a recording.

        Args:
            folders: Where scenarios are, besides the built-in set, to prove it.
        """
        self._recording, self._console, self._folders = recording, console, folders
        self._turns = recording.turns

    def tell(self) -> int | None:
        """Tell the opening, then what is asked for; everything where nothing is ever asked.

        Returns:
            The turn to play on from, counted from 0; None where somebody leaves.
        """
        self._console.say(*opening(self._recording), proof(self._recording.path, self._folders))
        if not self._turns:
            self._console.say("No turn was recorded.")
            return None
        at, asked = 0, False
        self._tell(at)
        while True:
            line = self._console.ask(f"Turn {at + 1} of {len(self._turns)}>")
            if line is None:
                if not asked:
                    self._tell_from(at + 1)
                return None
            asked = True
            word, _, rest = line.lower().partition(" ")
            if word in LEAVE:
                return None
            if word == "fork":
                return at
            if word == "all":
                self._tell_from(at + 1)
                at = len(self._turns) - 1
            elif word in PARTS:
                view = self._turns[at].frame.observation.view
                self._console.say(*part_lines(word, view, rest.strip()))
            elif word in ("", "n", "next", "b", "back") or word.isdecimal():
                at = self._moved(at, word)
            else:
                self._console.say(_HELP)

    def _moved(self, at: int, word: str) -> int:
        """The turn to go to, told; the ends are said."""
        to = int(word[:9]) - 1 if word.isdecimal() else at + (-1 if word in ("b", "back") else 1)
        if not 0 <= to < len(self._turns):
            self._console.say(f"There are turns 1 to {len(self._turns)}.")
            return at
        self._tell(to)
        return to

    def _tell(self, at: int) -> None:
        score = sum(turn.frame.reward for turn in self._turns[: at + 1])
        self._console.say(*turn_lines(self._turns[at], score))

    def _tell_from(self, at: int) -> None:
        for index in range(at, len(self._turns)):
            self._tell(index)
        self._console.say(*ending(self._recording))


def opening(recording: Recording) -> list[str]:
    """What was played, by whom, and what is odd about the file."""
    header = recording.header
    seats = []
    for role in TURN_ORDER:
        seat = header.seats.get(role)
        if seat is not None:
            policy = f" with {shown(seat.policy, 40)}" if seat.policy else ""
            word = shown(seat.policy, 40) if seat.kind is SeatKind.SCRIPTED else f"person{policy}"
            seats.append(f"{ROLE_NAMES[role]} {word}")
    lines = [
        (
            f"Recording of {shown(header.scenario, 80)} seed {header.seed}, {len(recording.turns)} "
            f"turns, chaosops {shown(header.chaosops, 40)}. Seats: {', '.join(seats)}."
        )
    ]
    return lines + [f"Note: {shown(odd, 400)}." for odd in oddities(recording)]


def proof(path: Path, folders: tuple[Path, ...] = ()) -> str:
    """Whether this engine makes the same of the game, and else what differs."""
    verdict = verify(path, folders)
    if verdict.ok:
        return "Verified: this engine makes every turn as it was recorded."
    return f"Not verified: {shown(verdict.reason, 400)}."


def turn_lines(turn: RecordedTurn, score: float) -> list[str]:
    """Who did what, how it was decided, what came of it, and what it paid."""
    frame = turn.frame
    status = frame.observation.view.status
    paid = ", ".join(f"{word} {signed(value)}" for word, value in components(frame.breakdown))
    return [
        (
            f"Turn {frame.turn + 1}, {clock(status, status.minute)}, {ROLE_NAMES[frame.role]}"
            f"{_decided(turn)}: {describe(frame.action)}."
        ),
        f"- {status_line(status, score)}",
        f"- {shown(frame.message)}",
        f"- paid: {paid or 'nothing'}; together {signed(frame.reward)}",
        *_human_lines(turn),
    ]


def _decided(turn: RecordedTurn) -> str:
    human = turn.human
    if human.source is Decider.HUMAN:
        taken = "" if human.latency_ms is None else f" in {human.latency_ms / 1000:.1f} s"
        return f" (person{taken})"
    name = f" {shown(human.policy, 40)}" if human.policy else ""
    return f" ({human.source.value}{name})"


def _human_lines(turn: RecordedTurn) -> Iterator[str]:
    human = turn.human
    if human.hints:
        yield f"- hints read: {', '.join(str(level) for level in human.hints)}"
    if human.suggestion is not None:
        said = human.suggestion
        done = "done" if said.accepted else "not done"
        target = f" {shown(said.target, 60)}" if said.target else ""
        yield f"- the copilot proposed {shown(said.action_type, 40)}{target}: {done}"
    yield from (f"- {said}" for said in Thought.kept_in(human).lines())


def ending(recording: Recording) -> list[str]:
    """How it ended, and what the player thought of it."""
    footer = recording.footer
    if footer is None:
        lines = ["The game was not finished."]
    else:
        word = "Resolved" if footer.resolved else "Not resolved"
        lines = [f"{word} after {footer.turns} turns, score {signed(footer.cumulative_reward)}."]
    opinion = recording.opinion
    if opinion.quality is not None:
        lines.append(f"Rated {opinion.quality} of 5.")
    if opinion.comment:
        lines.append(f"Comment: {shown(opinion.comment)}")
    return lines
