"""The games of a class side by side: what each looked at, believed and ordered, and when."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Final, NamedTuple

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import ActionType, AgentRole, RoleView, Source, Stake, Status
from chaosops.env.models.verbs import FIXES
from chaosops.errors import RecordingError
from chaosops.evaluation.process_figures import ProcessFigures, process_figures
from chaosops.play.case_board import MARK_WORDS, CaseMark
from chaosops.play.formatting import ROLE_NAMES, clock, in_words, shown, signed
from chaosops.play.postmortem.played import PlayedIncident, played_recording
from chaosops.play.stars import Star, shape_of
from chaosops.play.wording import describe_in, without_line
from chaosops.presenter.parts import STAKES
from chaosops.recording.board_marks import BoardMark
from chaosops.recording.library import RecordingSummary, find
from chaosops.recording.reader import read_recording

_NONE: Final = "–"


class ClassGame(NamedTuple):
    """A game of the class.

    Attributes:
        name: Its column: the player's pseudonym, or the folder of a learner, or the file.
        marks: What was marked on the case board, each with the minute of the turn.
    """

    name: str
    entry: RecordingSummary
    played: PlayedIncident
    marks: tuple[tuple[int, BoardMark], ...]

    @property
    def figures(self) -> ProcessFigures | None:
        """How the team worked; None if the truth is not known here."""
        scenario = self.played.scenario
        return None if scenario is None else process_figures(scenario, self.played.steps)


class ClassReport(NamedTuple):
    """The document, and the files that are not in it, each with the reason."""

    text: str
    games: int
    left_out: tuple[str, ...]


def class_report(folder: Path, folders: Sequence[Path] = ()) -> ClassReport:
    """Put the games in a folder side by side, those of one incident and seed together.

    Args:
        folders: Where scenarios are, besides the built-in set.

    Raises:
        RecordingError: There is no such folder, or no game in it.
    """
    groups: dict[tuple[str, int], list[ClassGame]] = {}
    left_out: list[str] = []
    for entry in find([folder], folders=folders):
        if entry.header is None or entry.problem:
            left_out.append(f"{entry.path.name}: {entry.problem or 'it has no header'}")
            continue
        try:
            game = _game(entry, folder, folders)
        except RecordingError as error:
            left_out.append(f"{entry.path.name}: {error}")
            continue
        key = entry.header.current_scenario, entry.header.seed
        groups.setdefault(key, []).append(game)
    games = sum(map(len, groups.values()))
    if not games:
        why = f" ({left_out[0]})" if left_out else ""
        raise RecordingError(f"{folder}: there is no game to report on{why}")
    lines = ["# Class report", ""]
    for (name, seed), found in sorted(groups.items()):
        lines += _group(name, seed, _named_apart(found))
    if left_out:
        lines += ["## Left out", "", *(f"- {shown(line, 300)}" for line in left_out), ""]
    return ClassReport("\n".join(lines).rstrip() + "\n", games, tuple(left_out))


def _game(entry: RecordingSummary, folder: Path, folders: Sequence[Path]) -> ClassGame:
    played = played_recording(entry.path, folders)
    turns = read_recording(entry.path).turns
    marks = tuple(
        (turn.frame.observation.view.status.minute, mark)
        for turn in turns
        for mark in turn.human.board or ()
    )
    header = entry.header
    name = _owner(entry.path, folder)
    if header is not None and header.pseudonym:
        name = header.pseudonym
    return ClassGame(shown(name, 40), entry, played, marks)


def _owner(path: Path, folder: Path) -> str:
    """Return the folder in which a learner's games are, or the name of the file without one."""
    inside = path.relative_to(folder).parts if path.is_relative_to(folder) else (path.name,)
    return inside[0] if len(inside) > 1 else path.stem


def _named_apart(games: Sequence[ClassGame]) -> list[ClassGame]:
    """Number the games of one player, so that each column has a name of its own."""
    names = [game.name for game in games]
    count = dict.fromkeys(names, 0)
    apart = []
    for game in games:
        count[game.name] += 1
        is_alone = names.count(game.name) == 1
        name = game.name if is_alone else f"{game.name} ({count[game.name]})"
        apart.append(game._replace(name=name))
    return apart


def _group(name: str, seed: int, games: Sequence[ClassGame]) -> Iterator[str]:
    status = games[0].played.status
    yield from (f"## {_cell(status.title)} (`{name}`, seed {seed})", "")
    heads = ["", *(game.name for game in games)]
    yield from _table(heads, [[head, *map(tell, games)] for head, tell in _FIGURES])
    yield from ("### Looks, in order", "")
    looks = [[_look(step) for step in game.played.steps if _is_look(step)] for game in games]
    yield from _columns(games, looks)
    yield from ("### Theory and stake", "")
    yield from _columns(games, [list(_theories(game)) for game in games])
    yield from ("### Orders", "")
    orders = [[_order(step) for step in game.played.steps if _is_order(step)] for game in games]
    yield from _columns(games, orders)
    yield from ("### First divergence", "")
    yield from _divergence(games)
    yield ""


def _is_look(step: EpisodeStep) -> bool:
    return step.action.action_type is ActionType.INVESTIGATE


def _is_order(step: EpisodeStep) -> bool:
    return step.action.action_type in FIXES or step.action.action_type in (
        ActionType.PAUSE,
        ActionType.FLAG,
        ActionType.ESCALATE,
        ActionType.RESOLVE,
    )


def _at(step: EpisodeStep) -> str:
    status = step.observation.view.status
    return f"{clock(status, status.minute)} {ROLE_NAMES[step.role]}:"


def _look(step: EpisodeStep) -> str:
    source = Source(str(step.action.args.get("source")))
    return f"{_at(step)} {source.value} of {step.action.target}"


def _order(step: EpisodeStep) -> str:
    return f"{_at(step)} {_act(step)}"


def _act(step: EpisodeStep) -> str:
    return describe_in(step.observation.view, without_line(step.action))


def _theories(game: ClassGame) -> Iterator[str]:
    """Yield what was marked and diagnosed, in the order of the minutes."""
    last = game.played.views[-1]
    judged = {(made.minute, made.role): made.right for made in last.diagnoses}
    told = [
        (step.observation.view.status.minute, _diagnosis(step, judged))
        for number, step in enumerate(game.played.steps)
        if step.action.action_type is ActionType.DIAGNOSE and not game.played.was_refused(number)
    ]
    told += [(minute, _mark(mark, last.status, minute)) for minute, mark in game.marks]
    for _minute, words in sorted(told, key=lambda each: each[0]):
        yield words


def _diagnosis(step: EpisodeStep, judged: Mapping[tuple[int, AgentRole], bool | None]) -> str:
    args = step.action.args
    place = f" at {args['place']}" if args.get("place") else ""
    stake = f", {STAKES[Stake(str(args['stake']))]}" if args.get("stake") else ""
    right = judged.get((step.observation.view.status.minute, step.role))
    verdict = {True: ", right", False: ", wrong", None: ""}[right]
    return f"{_at(step)} {in_words(str(args['cause']))}{place}{stake}{verdict}"


def _mark(mark: BoardMark, status: Status, minute: int) -> str:
    words = "taken back" if mark.mark is None else MARK_WORDS[CaseMark(mark.mark)]
    pins = f", {len(mark.pins)} pinned" if mark.pins else ""
    at = clock(status, minute)
    return f"{at} board: {in_words(mark.cause)} at {mark.service}, {words}{pins}"


def _divergence(games: Sequence[ClassGame]) -> Iterator[str]:
    """Tell the first turn in which not everybody did the same."""
    if len(games) < 2:
        yield "Only one game was played on this seed."
        return
    for turn in zip_longest(*(game.played.steps for game in games)):
        done = [None if step is None else without_line(step.action) for step in turn]
        if any(action != done[0] for action in done):
            first = next(step for step in turn if step is not None)
            status: Status = first.observation.view.status
            who = ROLE_NAMES[first.role]
            yield f"Turn {first.turn + 1}, {clock(status, status.minute)}, {who}:"
            yield ""
            for game, step in zip(games, turn, strict=True):
                yield f"- {game.name}: {'had ended' if step is None else _act(step)}"
            return
    yield "None: the games are alike."


def _ended(game: ClassGame) -> str:
    status: Status = game.played.status
    if game.played.resolved:
        return f"resolved in {status.minute} min"
    return "not resolved" if game.played.finished else f"left after {status.minute} min"


def _stars(game: ClassGame) -> str:
    footer = game.entry.footer
    known = None if footer is None else footer.stars
    return _NONE if known is None else shape_of([Star(name) for name in known])


def _score(game: ClassGame) -> str:
    return signed(sum(step.reward for step in game.played.steps))


def _seats(game: ClassGame) -> str:
    people = [ROLE_NAMES[role] for role in game.played.people]
    return ", ".join(sorted(people)) or "nobody"


def _budget(game: ClassGame) -> str:
    view: RoleView = game.played.views[-1]
    return f"{view.status.budget} %"


def _figure(tell: Callable[[ProcessFigures], str]) -> Callable[[ClassGame], str]:
    def told(game: ClassGame) -> str:
        figures = game.figures
        return _NONE if figures is None else tell(figures)

    return told


def _minutes(value: int | None) -> str:
    return _NONE if value is None else f"{value} min"


def _yes(value: bool | None) -> str:
    return {True: "yes", False: "no", None: _NONE}[value]


_FIGURES: Final[tuple[tuple[str, Callable[[ClassGame], str]], ...]] = (
    ("seats of people", _seats),
    ("ended", _ended),
    ("error budget left", _budget),
    ("score", _score),
    ("stars", _stars),
    ("time to ease", _figure(lambda figures: _minutes(figures.time_to_ease))),
    ("time to the right diagnosis", _figure(lambda figures: _minutes(figures.time_to_diagnose))),
    ("diagnosis grounded", _figure(lambda figures: _yes(figures.grounded))),
    ("looks", _figure(lambda figures: f"{figures.looks}, {figures.redundant_looks} redundant")),
)


def _columns(games: Sequence[ClassGame], columns: Sequence[Sequence[str]]) -> Iterator[str]:
    rows = [
        [str(number), *(cell or "" for cell in row)]
        for number, row in enumerate(zip_longest(*columns), 1)
    ]
    if not rows:
        yield from ("None.", "")
        return
    yield from _table(["", *(game.name for game in games)], rows)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for row in (heads, ["---"] * len(heads), *rows):
        yield f"| {' | '.join(map(_cell, row))} |"
    yield ""


def _cell(text: str) -> str:
    """Return text that can't break out of a cell of a Markdown table."""
    return shown(text, 300).replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
