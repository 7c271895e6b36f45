"""Prints a recording turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from chaosops.env.models import TURN_ORDER
from chaosops.errors import ChaosOpsError
from chaosops.play.action_form.typed import CommandError
from chaosops.play.costs import paid
from chaosops.play.formatting import ROLE_NAMES, clock, shown, signed
from chaosops.play.plain_dialect import on_one_line, sentence
from chaosops.play.replay_model import TurnMark, notes_of, oddities, replay_of
from chaosops.play.replay_perspective import PERSPECTIVES, Perspective
from chaosops.play.wording import describe_in
from chaosops.presenter import PARTS
from chaosops.recording.events import Header, SeatKind
from chaosops.recording.reader import RecordedTurn, Recording
from chaosops.recording.verify import verify
from tui.plain.board import part_lines, status_line
from tui.plain.console import LEAVE, Console
from tui.plain.marks import turns_of
from tui.plain.reference import COMMAND, glossary_lines
from tui.plain.score import score_lines

_HELP: Final = (
    "Enter: the next turn. back: the one before. A number: that turn. all: the rest, to the end.",
    (
        f"next and a kind: the next turn of that kind, such as next fixes; back fixes: the one "
        f"before. Kinds are {', '.join(mark.value for mark in TurnMark)}, or a verb such as flag."
    ),
    (
        f"{', '.join(PARTS)}: what the role saw; a word after it searches. view dev, view all: "
        "as another role, view turn: as the role whose turn it is. score: the points of each "
        "turn."
    ),
    "fork: play on from this turn; fork 5: from turn 5. glossary WORD: look it up. quit.",
)

_PERSPECTIVES: Final[Mapping[str, Perspective]] = {
    "all" if each.all else each.role.value if each.role else "turn": each for each in PERSPECTIVES
}
"""The perspectives by the words that select them."""


class PlainReplay:
    """Steps through a recording."""

    def __init__(
        self, recording: Recording, console: Console, folders: tuple[Path, ...] = ()
    ) -> None:
        """Step through a recording.

        Args:
            folders: Where scenarios are, besides the built-in set, to verify it.
        """
        self._recording, self._console, self._folders = recording, console, folders
        self._turns = recording.turns
        self._replay = replay_of(recording)
        self._at = 0
        self._perspective = _PERSPECTIVES["turn"]
        self._fork: int | None = None
        self._asked = False
        self._told: set[int] = set()
        self._commands: Mapping[str, Callable[[str], None]] = {
            "": self._next,
            "n": self._next,
            "next": self._next,
            "b": self._back,
            "back": self._back,
            "all": self._rest,
            "view": self._look,
            "score": self._score,
            "fork": self._fork_at,
            "help": self._help,
            COMMAND: self._glossary,
            **{name: partial(self._part, name) for name in PARTS},
        }

    def tell(self) -> int | None:
        """Print the beginning, then what is asked for; without any input, everything.

        Returns:
            The turn to play on from, counted from 0; None if the player leaves.
        """
        self._console.say(*opening(self._recording), proof(self._recording.path, self._folders))
        if not self._turns:
            self._console.say("No turns were recorded.")
            return None
        self._tell()
        return self.ask()

    def ask(self) -> int | None:
        """Continue from the last printed turn; returns the same as `tell`."""
        self._fork = None
        while self._fork is None:
            line = self._console.ask(f"Turn {self._at + 1} of {len(self._turns)}>")
            if line is None and not self._asked:
                self._rest("")
            if line is None or line.lower() in LEAVE:
                return None
            self._asked = True
            self._obey(line)
        return self._fork

    def _obey(self, line: str) -> None:
        word, _, rest = line.lower().partition(" ")
        try:
            if word.isdecimal():
                self._go_to(self._turn(word))
            else:
                self._commands.get(word, self._help)(rest.strip())
        except ChaosOpsError as error:
            self._console.say(sentence(str(error)))

    def _next(self, kind: str) -> None:
        if not kind:
            self._go_to(self._at + 1)
            return
        later = [turn for turn in turns_of(self._replay, kind) if turn > self._at]
        if not later:
            raise CommandError(f"no '{shown(kind, 40)}' after this turn")
        self._go_to(later[0])

    def _back(self, kind: str) -> None:
        if not kind:
            self._go_to(self._at - 1)
            return
        earlier = [turn for turn in turns_of(self._replay, kind) if turn < self._at]
        if not earlier:
            raise CommandError(f"no '{shown(kind, 40)}' before this turn")
        self._go_to(earlier[-1])

    def _rest(self, words: str) -> None:
        for turn in range(self._at + 1, len(self._turns)):
            self._go_to(turn)
        self._console.say(*ending(self._recording))

    def _look(self, whose: str) -> None:
        names = ", ".join(_PERSPECTIVES)
        if not whose:
            said = self._perspective.said(self._replay.steps, self._at)
            self._console.say(f"View: {said}. Others are {names}.")
            return
        if whose not in _PERSPECTIVES:
            raise CommandError(f"no view '{shown(whose, 40)}': choose from {names}")
        self._perspective = _PERSPECTIVES[whose]
        self._console.say(f"View: {self._perspective.said(self._replay.steps, self._at)}.")

    def _part(self, name: str, wanted: str) -> None:
        steps = self._replay.steps
        view = self._perspective.view(steps, self._at)
        if view is None:
            raise CommandError(self._perspective.said(steps, self._at))
        if self._perspective.all or view.role is not steps[self._at].role:
            self._console.say(f"{sentence(self._perspective.said(steps, self._at))[:-1]}:")
        self._console.say(*part_lines(name, view, wanted))

    def _score(self, words: str) -> None:
        seen = self._replay.steps[: self._at + 1]
        late = {turn for turn, notes in enumerate(self._replay.notes) if notes.late}
        self._console.say(*score_lines(seen, None, len(seen), late))

    def _glossary(self, words: str) -> None:
        self._console.say(*glossary_lines(words))

    def _help(self, words: str) -> None:
        self._console.say(*_HELP)

    def _fork_at(self, words: str) -> None:
        self._fork = self._turn(words) if words else self._at

    def _turn(self, words: str) -> int:
        """Parse the number of a turn, and return it counted from 0."""
        if words.isdecimal() and 1 <= int(words[:9]) <= len(self._turns):
            return int(words[:9]) - 1
        raise CommandError(f"there are turns 1 to {len(self._turns)}")

    def _go_to(self, turn: int) -> None:
        """Print a turn, with a note at the first and the last one."""
        if not 0 <= turn < len(self._turns):
            raise CommandError(f"there are turns 1 to {len(self._turns)}")
        self._at = turn
        if turn not in self._told:
            self._told.add(turn)
            self._console.progressed()
        self._tell()

    def _tell(self) -> None:
        score = sum(turn.frame.reward for turn in self._turns[: self._at + 1])
        self._console.say(*turn_lines(self._turns[self._at], score))


def opening(recording: Recording) -> list[str]:
    """Return what was played, by whom, and the oddities of the file."""
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
            f"Recording of {_name(header)} seed {header.seed}, {len(recording.turns)} "
            f"turns, chaosops {shown(header.chaosops, 40)}. Seats: {', '.join(seats)}."
        )
    ]
    return lines + [f"Note: {shown(odd, 400)}." for odd in oddities(recording)]


def _name(header: Header) -> str:
    name = shown(header.current_scenario, 80)
    return name if name == header.scenario else f"{name}, formerly {shown(header.scenario, 80)},"


def proof(path: Path, folders: tuple[Path, ...] = ()) -> str:
    """Return whether this engine reproduces the game, or what differs."""
    verdict = verify(path, folders)
    if verdict.ok:
        return "Verified: every turn was reproduced exactly."
    return f"Not verified: {shown(verdict.reason, 400)}."


def turn_lines(turn: RecordedTurn, score: float) -> list[str]:
    """Say who did what, how it was decided, what it led to, and the points for it."""
    frame = turn.frame
    view = frame.observation.view
    status = view.status
    costs = ", ".join(f"{part.brief} ({part.why})" for part in paid(frame))
    done = on_one_line(describe_in(view, frame.action), 4_000)
    return [
        (
            f"Turn {frame.turn + 1}, {clock(status, status.minute)}, {ROLE_NAMES[frame.role]}"
            f"{_decided(turn)}: {done}."
        ),
        f"- {status_line(status, score)}",
        f"- {on_one_line(frame.message)}",
        f"- points: {costs or 'none'}; total {signed(frame.reward)}",
        *_human_lines(turn),
    ]


def _decided(turn: RecordedTurn) -> str:
    notes = notes_of(turn.human)
    taken = "" if notes.seconds is None else f" in {notes.seconds:.1f} s"
    return f" ({shown(notes.source, 80)}{taken})"


def _human_lines(turn: RecordedTurn) -> Iterator[str]:
    notes = notes_of(turn.human)
    if notes.hints:
        yield f"- hints read: {', '.join(str(level) for level in notes.hints)}"
    if notes.proposed:
        yield f"- the copilot {on_one_line(notes.proposed, 400)}"
    yield from (f"- {said}" for said in notes.thought.lines())


def ending(recording: Recording) -> list[str]:
    """Return how the game ended, and the player's opinion of it."""
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
        lines.append(f"Comment: {on_one_line(opinion.comment)}")
    return lines
